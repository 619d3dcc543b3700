//! Names, policies and signers of lists beyond what PKITS asks: forms that are not supported,
//! hostile sizes, and lists by somebody who took the issuer's name.
#![allow(clippy::unwrap_used, clippy::indexing_slicing, reason = "helpers of tests")]

use signdoc_signature::asn1::{Oid, oids, writer};
use signdoc_signature::crypto::KeyKind;
use signdoc_signature::pki::{CrlEntry, Identity, Pki, Profile, RevocationReason, Subject};
use signdoc_signature::revocation::{ChainContext, Crl, Question, Status, check};
use signdoc_signature::x509::{Chain, ChainFailure, ChainFault, ChainRequest, Purpose};

const KEY: KeyKind = KeyKind::P256;

type Extension = (Oid, bool, Vec<u8>);

fn sub_authority(pki: &Pki, name: &str, extensions: Vec<Extension>) -> Identity {
    let mut profile = Profile::authority(Subject::service(name), KEY, pki.issued(), None);
    profile.extensions.extend(extensions);
    pki.issue_by(&profile, pki.root()).unwrap()
}

fn person(pki: &Pki, issuer: &Identity, extensions: Vec<Extension>) -> Identity {
    let mut profile = Profile::person(Subject::person("Kari", "Test", 9), KEY, pki.issued());
    profile.extensions.extend(extensions);
    pki.issue_by(&profile, issuer).unwrap()
}

fn build(pki: &Pki, who: &Identity) -> Result<Chain, ChainFailure> {
    let (anchors, pool) = (pki.anchors(), who.intermediates());
    let request = ChainRequest { anchors: &anchors, pool, at: pki.issued(), purpose: Purpose::Any };
    Chain::build(who.certificate(), &request)
}

/// Builds a person's chain below an authority with these constraints.
fn constrained(constraints: Vec<u8>, names: Option<Vec<u8>>) -> Result<Chain, ChainFailure> {
    let pki = Pki::new(1).unwrap();
    let extension = (oids::NAME_CONSTRAINTS, true, constraints);
    let authority = sub_authority(&pki, "Constrained", vec![extension]);
    let names = names.map(|names| (oids::SUBJECT_ALT_NAME, false, names));
    build(&pki, &person(&pki, &authority, names.into_iter().collect()))
}

fn trees(member: u8, bases: &[Vec<u8>]) -> Vec<u8> {
    let subtrees: Vec<_> = bases.iter().map(|base| writer::sequence(&[base])).collect();
    writer::sequence(&[&writer::tlv(0xa0 | member, &subtrees.concat())])
}

fn mail(text: &str) -> Vec<u8> {
    writer::tlv(0x81, text.as_bytes())
}

fn other_name(value: &str) -> Vec<u8> {
    let inner = [writer::oid(&Oid::new(&[2, 999, 1])), writer::tagged(0, &writer::utf8(value))];
    writer::tlv(0xa0, &inner.concat())
}

#[test]
fn names_outside_fail_and_unsupported_forms_are_not_known() {
    let permitted = trees(0, &[mail("example.com")]);
    let names = |all: &[Vec<u8>]| Some(writer::sequence(&[&all.concat()]));
    let fault = |result: Result<Chain, ChainFailure>| result.unwrap_err().fault;
    assert!(constrained(permitted.clone(), None).is_ok());
    assert!(constrained(permitted.clone(), names(&[mail("a@example.com")])).is_ok());
    assert!(constrained(permitted.clone(), names(&[other_name("a")])).is_ok());
    let both = names(&[mail("a@example.com"), mail("a@example.net")]);
    assert_eq!(fault(constrained(permitted, both)), ChainFault::Name);
    let excluded = trees(1, &[mail(".example.com")]);
    assert!(constrained(excluded.clone(), names(&[mail("a@example.com")])).is_ok());
    assert_eq!(fault(constrained(excluded, names(&[mail("a@b.example.com")]))), ChainFault::Name);

    // A form that is not supported matters only where such a name is there.
    for member in [0, 1] {
        let foreign = trees(member, &[other_name("a")]);
        assert!(constrained(foreign.clone(), names(&[mail("a@example.com")])).is_ok());
        assert_eq!(fault(constrained(foreign, names(&[other_name("a")]))), ChainFault::Unsupported);
    }
    for mail in [b"a@ex\xe4mple.com".as_slice(), b"\xff", b"a"] {
        let names = Some(writer::sequence(&[&writer::tlv(0x81, mail)]));
        let odd = constrained(trees(0, &[self::mail("example.com")]), names);
        assert_eq!(fault(odd), ChainFault::Unsupported);
    }
    let bounds = |minimum: u8| {
        let tree = writer::sequence(&[&mail("example.com"), &writer::tlv(0x80, &[minimum])]);
        writer::sequence(&[&writer::tlv(0xa0, &tree)])
    };
    assert!(constrained(bounds(0), None).is_ok());
    assert_eq!(fault(constrained(bounds(1), None)), ChainFault::Unsupported);
    assert_eq!(fault(constrained(writer::sequence(&[]), None)), ChainFault::Extension);
}

#[test]
fn thousands_of_names_and_constraints_end_at_the_limit() {
    let hosts = |count: u32| (0..count).map(|n| mail(&format!("a@h{n}.example.com"))).collect();
    let (bases, names): (Vec<_>, Vec<_>) = (hosts(2_000), hosts(2_000));
    let failure =
        constrained(trees(1, &bases[1_000..]), Some(writer::sequence(&[&names[..100].concat()])));
    assert!(failure.is_ok(), "{failure:?}");
    let failure = constrained(trees(0, &bases), Some(writer::sequence(&[&names.concat()])));
    assert_eq!(failure.unwrap_err().fault, ChainFault::Limit);
}

#[test]
fn policies_that_multiply_take_no_more_work_than_their_mappings() {
    // Every authority maps each policy to each: a tree would have policies^depth nodes.
    let pki = Pki::new(1).unwrap();
    let policy = |n: u32| writer::oid(&Oid::new(&[2, 999, 7, n]));
    let chain = |count: u32| {
        let policies = writer::sequence_of((0..count).map(|n| writer::sequence(&[&policy(n)])));
        let mappings = writer::sequence_of(
            (0..count * count).map(|n| writer::sequence(&[&policy(n / count), &policy(n % count)])),
        );
        let explicit = writer::sequence(&[&writer::tlv(0x80, &[0])]);
        let extensions = vec![
            (oids::CERTIFICATE_POLICIES, true, policies.clone()),
            (oids::POLICY_MAPPINGS, true, mappings),
            (oids::POLICY_CONSTRAINTS, true, explicit),
        ];
        let mut issuer = pki.root().clone();
        for depth in 0..4 {
            let subject = Subject::service(&format!("Authority {depth}"));
            let mut profile = Profile::authority(subject, KEY, pki.issued(), None);
            profile.extensions.extend(extensions.clone());
            issuer = pki.issue_by(&profile, &issuer).unwrap();
        }
        build(&pki, &person(&pki, &issuer, vec![(oids::CERTIFICATE_POLICIES, false, policies)]))
    };
    for count in [2, 40, 110] {
        let built = chain(count);
        assert!(built.is_ok(), "{count}: {built:?}");
    }
}

#[test]
fn a_critical_demand_for_a_policy_is_met_or_fails() {
    let pki = Pki::new(1).unwrap();
    let explicit = writer::sequence(&[&writer::tlv(0x80, &[0])]);
    let policy = |n: u32| {
        let policy = writer::sequence(&[&writer::oid(&Oid::new(&[2, 999, 7, n]))]);
        (oids::CERTIFICATE_POLICIES, false, writer::sequence(&[&policy]))
    };
    let demand = (oids::POLICY_CONSTRAINTS, true, explicit);
    let authority = sub_authority(&pki, "Demanding", vec![demand, policy(1)]);
    assert!(build(&pki, &person(&pki, &authority, vec![policy(1)])).is_ok());
    for extensions in [vec![policy(2)], vec![]] {
        let failure = build(&pki, &person(&pki, &authority, extensions)).unwrap_err();
        assert_eq!(failure.fault, ChainFault::Policy, "{failure}");
    }
}

#[test]
fn lists_by_a_namesake_under_another_authority_prove_nothing() {
    let pki = Pki::new(1).unwrap();
    let now = pki.issued();
    let authority = sub_authority(&pki, "Authority", vec![]);
    let stranger = sub_authority(&pki, "Stranger", vec![]);
    let signer = person(&pki, &authority, vec![]);
    let namesake = |issuer: &Identity| {
        let profile = Profile::authority(Subject::service("Authority"), KEY, now, None);
        pki.issue_by(&profile, issuer).unwrap()
    };
    let chain = build(&pki, &signer).unwrap();
    let named = |who: &Identity| {
        vec![CrlEntry::new(who.certificate(), now, RevocationReason::KeyCompromise)]
    };
    // What a list by `by` with these entries says, beside one of the root with those.
    let ask = |by: &Identity, entries: &[CrlEntry], root: Option<&[CrlEntry]>| {
        let mut lists = vec![pki.crl_by(by, now, entries, &[]).unwrap()];
        lists.extend(root.map(|entries| pki.crl_by(pki.root(), now, entries, &[]).unwrap()));
        let lists: Vec<_> = lists.iter().map(|der| Crl::parse(der).unwrap()).collect();
        let pool: Vec<_> = by.issuers().iter().chain([by.certificate()]).cloned().collect();
        let question = Question::new(signer.certificate(), authority.certificate(), now, now);
        let alone = check(&question, &[], &lists).status;
        assert!(matches!(alone, Status::NotChecked(_)));
        let context = Some(ChainContext { chain: &chain, pool: &pool });
        check(&Question { context, ..question }, &[], &lists).status
    };
    let (rolled, foreign) = (namesake(pki.root()), namesake(&stranger));
    let revoked = named(&signer);
    assert!(ask(&rolled, &[], Some(&[])).is_good());
    assert!(matches!(ask(&rolled, &revoked, Some(&[])), Status::Revoked { .. }));
    // Nobody says whether the new key was revoked: its silence is none, its word is one.
    assert!(matches!(ask(&rolled, &[], None), Status::NotChecked(_)));
    assert!(matches!(ask(&rolled, &revoked, None), Status::Revoked { .. }));
    let roots = named(&rolled);
    for entries in [&[][..], &revoked] {
        assert!(matches!(ask(&foreign, entries, Some(&[])), Status::NotChecked(_)));
        assert!(matches!(ask(&rolled, entries, Some(&roots)), Status::NotChecked(_)));
    }
}

/// Values that differ from `value` in one bit; every fifth, so that each byte has its turn.
fn flipped(value: &[u8]) -> impl Iterator<Item = Vec<u8>> {
    (0..value.len() * 8).step_by(5).map(|bit| {
        let mut changed = value.to_vec();
        changed[bit / 8] ^= 1 << (bit % 8);
        changed
    })
}

#[test]
fn extensions_with_a_bit_changed_end_in_a_verdict() {
    let pki = Pki::new(1).unwrap();
    let policy = |n: u32| writer::oid(&Oid::new(&[2, 999, 7, n]));
    let directory = writer::tagged(4, pki.root().certificate().subject().as_der());
    let address = writer::tlv(0x87, &[192, 0, 2, 0, 255, 255, 255, 0]);
    let values = [
        (oids::NAME_CONSTRAINTS, trees(0, &[directory.clone(), address, mail("a.example.com")])),
        (oids::CERTIFICATE_POLICIES, writer::sequence(&[&writer::sequence(&[&policy(1)])])),
        (oids::POLICY_MAPPINGS, writer::sequence(&[&writer::sequence(&[&policy(1), &policy(2)])])),
        (oids::POLICY_CONSTRAINTS, writer::sequence(&[&writer::tlv(0x80, &[1])])),
        (oids::INHIBIT_ANY_POLICY, writer::integer(1)),
    ];
    let mut counts = [0, 0];
    for (oid, value) in &values {
        for value in flipped(value) {
            let authority = sub_authority(&pki, "Changed", vec![(*oid, true, value)]);
            counts[usize::from(build(&pki, &person(&pki, &authority, vec![])).is_ok())] += 1;
        }
    }
    let point = writer::sequence(&[
        &writer::tagged(0, &writer::tagged(0, &directory)),
        &writer::tlv(0x83, &[1, 0xfe]),
        &writer::tlv(0x84, &[0xff]),
    ]);
    let signer = person(&pki, pki.issuing(), vec![]);
    let now = pki.issued();
    let question = Question::new(signer.certificate(), pki.issuing().certificate(), now, now);
    for value in flipped(&point) {
        let extensions = [(oids::ISSUING_DISTRIBUTION_POINT, true, value)];
        let list = pki.crl_by(pki.issuing(), now, &[], &extensions).unwrap();
        let status = Crl::parse(&list).unwrap().status_of(&question);
        counts[usize::from(status.is_good())] += 1;
    }
    println!("{} changed values failed, {} changed nothing", counts[0], counts[1]);
    assert!(counts[0] > 300);
}
