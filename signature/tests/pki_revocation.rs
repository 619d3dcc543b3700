//! OCSP answers, revocation lists and timestamps, judged by ourselves and by OpenSSL.
#![allow(clippy::unwrap_used, clippy::indexing_slicing, reason = "helpers of tests")]

mod judge;

use judge::Judge;
use signdoc_signature::asn1::{Oid, Time, oids, writer};
use signdoc_signature::crypto::{HashAlgorithm, KeyKind};
use signdoc_signature::pki::{
    CertIdHash, CrlEntry, Identity, OcspOptions, Pki, PkiOptions, RevocationReason,
};
use signdoc_signature::revocation::{
    BasicResponse, Crl, Evidence, Question, Status, check, unwrap_response,
};
use signdoc_signature::tsp::{TimestampRequest, TimestampToken, TimestampTrust, parse_response};
use signdoc_signature::x509::TrustAnchors;

const DAY: i64 = 86_400;

fn person(pki: &Pki) -> Identity {
    pki.person("Kari", "Nordmann", 7, KeyKind::P256).unwrap()
}

fn ask(pki: &Pki, signer: &Identity, response: &[u8], at: Time, now: Time) -> Status {
    let issuer = pki.issuing().certificate();
    let question = Question::new(signer.certificate(), issuer, at, now);
    BasicResponse::parse(response).unwrap().status_of(&question)
}

#[test]
fn answers_are_good_here_and_in_openssl() {
    for key in [KeyKind::P256, KeyKind::P384, KeyKind::Rsa(2048)] {
        let pki = Pki::with_options(PkiOptions { seed: 8, key, ..PkiOptions::default() }).unwrap();
        let signer = person(&pki);
        let now = pki.issued();
        for hash in [CertIdHash::Sha1, CertIdHash::Sha256] {
            for by_authority in [false, true] {
                let options = OcspOptions { hash, by_authority, ..OcspOptions::at(now) };
                let response = pki.ocsp_response(signer.certificate(), &options).unwrap();
                let status = ask(&pki, &signer, &response, now, now);
                assert_eq!(status, Status::Good { this_update: now });
                let basic = unwrap_response(&response).unwrap();
                assert_eq!(ask(&pki, &signer, basic, now, now), status);
                judge_ocsp(&pki, &signer, &response, hash, "good");
            }
        }
    }
}

fn judge_ocsp(pki: &Pki, signer: &Identity, response: &[u8], hash: CertIdHash, expected: &str) {
    let Some(judge) = Judge::new() else { return };
    judge.write("root.pem", pki.trust_pem());
    judge.write_pem("ca.pem", signer.intermediates());
    judge.write_pem("signer.pem", &[signer.certificate().clone()]);
    judge.write("response.der", response);
    let id = if hash == CertIdHash::Sha256 { "-sha256" } else { "-sha1" };
    let said = judge.accepts(&format!(
        "ocsp -respin response.der -issuer ca.pem {id} -cert signer.pem -CAfile root.pem -no_nonce"
    ));
    assert!(said.contains("Response verify OK"), "{said}");
    assert!(said.contains(&format!("signer.pem: {expected}")), "{said}");
}

#[test]
fn revoked_is_revoked_here_and_in_openssl() {
    let pki = Pki::new(9).unwrap();
    let (signer, other) = (person(&pki), person(&pki));
    let now = pki.issued();
    let since = now.plus_seconds(-60);
    pki.revoke(signer.certificate(), since, RevocationReason::KeyCompromise);
    let response = pki.ocsp_response(signer.certificate(), &OcspOptions::at(now)).unwrap();
    let status = ask(&pki, &signer, &response, now, now);
    assert_eq!(status, Status::Revoked { since, reason: Some(1) });
    assert!(!status.holds_at(now) && status.holds_at(since.plus_seconds(-1)));
    judge_ocsp(&pki, &signer, &response, CertIdHash::Sha1, "revoked");

    let crl = Crl::parse(&pki.crl(now).unwrap()).unwrap();
    let issuer = pki.issuing().certificate();
    let question = Question::new(signer.certificate(), issuer, now, now);
    assert_eq!(crl.status_of(&question), Status::Revoked { since, reason: Some(1) });
    let question = Question::new(other.certificate(), issuer, now, now);
    assert_eq!(crl.status_of(&question), Status::Good { this_update: now });
    let Some(judge) = Judge::new() else { return };
    judge.write_pem("trust.pem", signer.issuers());
    judge.write("list.der", crl.as_der());
    judge.accepts("crl -inform DER -in list.der -CAfile trust.pem -noout -verify");
    judge.accepts("crl -inform DER -in list.der -out list.pem");
    judge.write("root.crl.der", pki.root_crl(now).unwrap());
    judge.write_pem("signer.pem", &[signer.certificate().clone()]);
    judge.write_pem("other.pem", &[other.certificate().clone()]);
    let verify = "verify -crl_check -CRLfile list.pem -CAfile trust.pem";
    judge.accepts(&format!("{verify} other.pem"));
    let said = judge.refuses(&format!("{verify} signer.pem"));
    assert!(said.contains("certificate revoked"), "{said}");
}

#[test]
fn authorities_are_answered_for_by_the_root() {
    let pki = Pki::new(9).unwrap();
    let now = pki.issued();
    let (issuing, root) = (pki.issuing().certificate(), pki.root().certificate());
    let question = Question::new(issuing, root, now, now);
    let answer = BasicResponse::parse(&pki.ocsp(issuing, &OcspOptions::at(now)).unwrap()).unwrap();
    assert!(answer.status_of(&question).is_good());
    let list = Crl::parse(&pki.root_crl(now).unwrap()).unwrap();
    assert!(list.status_of(&question).is_good());
}

#[test]
fn time_decides_what_an_answer_is_worth() {
    let pki = Pki::new(9).unwrap();
    let signer = person(&pki);
    let t = pki.issued();
    let answer = |options: &OcspOptions| pki.ocsp(signer.certificate(), options).unwrap();
    let day = answer(&OcspOptions::at(t));
    let is_good = |response: &[u8], at: i64, now: i64| {
        ask(&pki, &signer, response, t.plus_seconds(at), t.plus_seconds(now)).is_good()
    };
    assert!(is_good(&day, 0, 0));
    assert!(is_good(&day, DAY / 2, DAY));
    assert!(is_good(&day, DAY + 200, 2 * DAY), "within tolerance");
    assert!(!is_good(&day, DAY + 400, 2 * DAY), "after next update");
    assert!(is_good(&day, -5 * DAY, 0), "made after the time asked");
    assert!(is_good(&day, 0, 400 * DAY), "old evidence about an old use");
    assert!(!is_good(&day, -5 * DAY, -4 * DAY), "made in the future");
    let open = answer(&OcspOptions { valid_for: None, ..OcspOptions::at(t) });
    assert!(is_good(&open, 3_500, DAY));
    assert!(!is_good(&open, 3_700, DAY));
    // After expiry a responder may forget: silence proves nothing.
    let late = t.plus_seconds(800 * DAY);
    let late_answer = pki
        .ocsp(signer.certificate(), &OcspOptions { by_authority: true, ..OcspOptions::at(late) })
        .unwrap();
    assert!(!is_good(&late_answer, 0, 801 * DAY));
}

#[test]
fn answers_about_or_by_others_prove_nothing() {
    let (pki, stranger) = (Pki::new(9).unwrap(), Pki::new(10).unwrap());
    let (signer, other) = (person(&pki), person(&pki));
    let now = pki.issued();
    let about_other = pki.ocsp(other.certificate(), &OcspOptions::at(now)).unwrap();
    assert!(matches!(ask(&pki, &signer, &about_other, now, now), Status::NotChecked(_)));
    // A stranger's responder answers about our certificate, naming our issuer.
    let forged = stranger.ocsp(signer.certificate(), &OcspOptions::at(now)).unwrap();
    assert!(matches!(ask(&pki, &signer, &forged, now, now), Status::NotChecked(_)));
    let list = Crl::parse(&stranger.crl(now).unwrap()).unwrap();
    let question = Question::new(signer.certificate(), pki.issuing().certificate(), now, now);
    assert!(matches!(list.status_of(&question), Status::NotChecked(_)));
}

#[test]
fn one_revocation_outweighs_every_good_answer() {
    let pki = Pki::new(9).unwrap();
    let signer = person(&pki);
    let now = pki.issued();
    let good =
        BasicResponse::parse(&pki.ocsp(signer.certificate(), &OcspOptions::at(now)).unwrap())
            .unwrap();
    pki.revoke(signer.certificate(), now, RevocationReason::Superseded);
    let list = Crl::parse(&pki.crl(now.plus_seconds(60)).unwrap()).unwrap();
    let later = now.plus_seconds(60);
    let question = Question::new(signer.certificate(), pki.issuing().certificate(), now, later);
    let weighed = check(&question, std::slice::from_ref(&good), std::slice::from_ref(&list));
    assert_eq!(weighed.status, Status::Revoked { since: now, reason: Some(4) });
    assert_eq!((weighed.evidence, weighed.index), (Some(Evidence::Crl), Some(0)));
    let weighed = check(&question, &[good], &[]);
    assert!(weighed.status.is_good());
    assert!(matches!(check(&question, &[], &[]).status, Status::NotChecked(_)));
}

#[test]
fn a_list_that_names_the_certificate_counts_whatever_its_scope() {
    let pki = Pki::new(9).unwrap();
    let (signer, other) = (person(&pki), person(&pki));
    let now = pki.issued();
    let elsewhere = writer::tlv(0x86, b"http://elsewhere.invalid/other.crl");
    let elsewhere = writer::tagged(0, &writer::tagged(0, &elsewhere));
    let yes = |n: u8| writer::tlv(0x80 | n, &[0xff]);
    let unknown = Oid::new(&[2, 999, 1]);
    let point = oids::ISSUING_DISTRIBUTION_POINT;
    for (oid, value) in [
        (point, writer::sequence(&[&elsewhere])),
        (point, writer::sequence(&[&yes(2)])),
        (point, writer::sequence(&[&writer::tlv(0x83, &[0x06, 0x40])])),
        (point, writer::sequence(&[&yes(5)])),
        (point, vec![1, 2, 3]),
        (oids::DELTA_CRL, writer::integer(1)),
        (unknown, writer::null()),
    ] {
        let entry = CrlEntry::new(signer.certificate(), now, RevocationReason::KeyCompromise);
        let extensions = [(oid, true, value.clone())];
        let list = pki.crl_by(pki.issuing(), now, &[entry], &extensions).unwrap();
        let list = Crl::parse(&list).unwrap();
        let ask = |who: &Identity| {
            let issuer = pki.issuing().certificate();
            list.status_of(&Question::new(who.certificate(), issuer, now, now))
        };
        let revoked = Status::Revoked { since: now, reason: Some(1) };
        assert_eq!(ask(&signer), revoked, "{oid} {value:02x?}");
        // Its silence about somebody else says nothing.
        assert!(matches!(ask(&other), Status::NotChecked(_)), "{oid} {value:02x?}");
    }
}

#[test]
fn a_list_is_spoiled_by_an_entry_that_is_not_understood() {
    let pki = Pki::new(9).unwrap();
    let (signer, other, third) = (person(&pki), person(&pki), person(&pki));
    let now = pki.issued();
    let ask = |entries: &[CrlEntry], who: &Identity| {
        let list = Crl::parse(&pki.crl_by(pki.issuing(), now, entries, &[]).unwrap()).unwrap();
        let issuer = pki.issuing().certificate();
        list.status_of(&Question::new(who.certificate(), issuer, now, now))
    };
    let entry =
        |who: &Identity| CrlEntry::new(who.certificate(), now, RevocationReason::Superseded);
    let revoked = Status::Revoked { since: now, reason: Some(4) };
    let mut odd = entry(&other);
    odd.extensions.push((Oid::new(&[2, 999, 1]), true, writer::null()));
    let entries = [odd.clone(), entry(&third)];
    assert!(matches!(ask(&entries, &signer), Status::NotChecked(_)), "spoiled");
    assert_eq!(ask(&entries, &other), revoked);
    assert_eq!(ask(&entries, &third), revoked);
    odd.extensions.last_mut().unwrap().1 = false;
    assert!(ask(&[odd], &signer).is_good(), "not critical");

    // Serial numbers are numbers: zeros before one do not hide it.
    let mut padded = entry(&signer);
    padded.serial.splice(0..0, [0, 0]);
    assert_eq!(ask(std::slice::from_ref(&padded), &signer), revoked);
    assert!(matches!(ask(&[padded], &other), Status::NotChecked(_)), "padded, not der");

    // An indirect list names another authority's certificate by the same number.
    let named = |authority: &Identity| {
        let name = writer::tagged(4, authority.certificate().subject().as_der());
        (oids::CERTIFICATE_ISSUER, true, writer::sequence(&[&name]))
    };
    let mut of_root = entry(&signer);
    of_root.extensions.push(named(pki.root()));
    let mut of_issuing = entry(&signer);
    of_issuing.extensions.push(named(pki.issuing()));
    assert!(ask(std::slice::from_ref(&of_root), &signer).is_good());
    assert!(ask(&[of_root.clone(), entry(&signer)], &signer).is_good(), "it stands until the next");
    assert_eq!(ask(&[of_root, of_issuing], &signer), revoked);
}

#[test]
fn no_changed_byte_of_an_answer_stays_good_with_another_meaning() {
    let pki = Pki::new(9).unwrap();
    let signer = person(&pki);
    let now = pki.issued();
    let answer = pki.ocsp(signer.certificate(), &OcspOptions::at(now)).unwrap();
    let original = BasicResponse::parse(&answer).unwrap();
    let mut survived = Vec::new();
    for index in 0..answer.len() {
        for bit in [0x01, 0x80] {
            let mut changed = answer.clone();
            changed[index] ^= bit;
            let Ok(read) = BasicResponse::parse(&changed) else { continue };
            let issuer = pki.issuing().certificate();
            let status = read.status_of(&Question::new(signer.certificate(), issuer, now, now));
            if status.is_good() {
                assert_eq!(read.produced_at(), original.produced_at());
                survived.push(index);
            }
        }
    }
    assert!(survived.is_empty(), "bytes that may change: {survived:?}");
}

#[test]
fn timestamps_hold_here_and_in_openssl() {
    for key in [KeyKind::P256, KeyKind::P384, KeyKind::Rsa(2048)] {
        let pki = Pki::with_options(PkiOptions { seed: 8, key, ..PkiOptions::default() }).unwrap();
        for hash in HashAlgorithm::ALL {
            let data = b"to be stamped";
            let request =
                TimestampRequest::new(hash, hash.digest(data), Some(0x8877_6655_4433_2211));
            let request = request.to_der().unwrap();
            let response = pki.timestamp_response(&request, pki.issued()).unwrap();
            let token = TimestampToken::parse(parse_response(&response).unwrap()).unwrap();
            assert_eq!(token.nonce(), TimestampRequest::parse(&request).unwrap().nonce.as_deref());
            let anchors = pki.anchors();
            let trust = TimestampTrust { anchors: &anchors, pool: &[], at: None };
            let found = token.verify(&mut |hash| Some(hash.digest(data)), &trust);
            assert!(found.is_trusted(), "{}", found.describe_problems());
            assert_eq!((found.time, found.hash), (pki.issued(), Some(hash)));
            assert_eq!(found.accuracy, Some(1));
            let other = token.verify(&mut |hash| Some(hash.digest(b"other")), &trust);
            assert!(!other.is_intact() && other.describe_problems().contains("other content"));
            let nobody = TrustAnchors::none();
            let trust = TimestampTrust { anchors: &nobody, pool: &[], at: None };
            let untrusted = token.verify(&mut |hash| Some(hash.digest(data)), &trust);
            assert!(untrusted.is_intact() && !untrusted.is_trusted());

            let Some(judge) = Judge::new() else { continue };
            judge.write("data", data);
            judge.write("request.tsq", &request);
            judge.write("response.tsr", &response);
            judge.write("root.pem", pki.trust_pem());
            judge.accepts("ts -verify -in response.tsr -queryfile request.tsq -CAfile root.pem");
            judge.accepts("ts -verify -in response.tsr -data data -CAfile root.pem");
            let own = format!("ts -query -data data -{hash} -cert -out own.tsq");
            judge.accepts(&own);
            let theirs = judge.read("own.tsq");
            let response = pki.timestamp_response(&theirs, pki.issued()).unwrap();
            judge.write("own.tsr", response);
            judge.accepts("ts -verify -in own.tsr -queryfile own.tsq -CAfile root.pem");
        }
    }
}

#[test]
fn no_changed_byte_of_a_timestamp_is_trusted_with_another_meaning() {
    let pki = Pki::new(11).unwrap();
    let hash = HashAlgorithm::Sha256;
    let token = pki.timestamp(&hash.digest(b"data"), hash, pki.issued(), None).unwrap();
    let anchors = pki.anchors();
    let trust = TimestampTrust { anchors: &anchors, pool: &[], at: None };
    for index in 0..token.len() {
        let mut changed = token.clone();
        changed[index] ^= 0x01;
        let Ok(read) = TimestampToken::parse(&changed) else { continue };
        let found = read.verify(&mut |hash| Some(hash.digest(b"data")), &trust);
        if found.is_trusted() {
            assert_eq!(found.time, pki.issued(), "byte {index}");
            assert_eq!(found.signer(), Some(pki.timestamping().certificate()), "byte {index}");
        }
    }
}

#[test]
fn a_refusal_is_reported_with_its_text() {
    use signdoc_signature::asn1::writer;
    let status = writer::sequence(&[
        &writer::integer(2),
        &writer::sequence(&[&writer::utf8("policy not accepted")]),
    ]);
    let error = parse_response(&writer::sequence(&[&status])).unwrap_err();
    assert!(error.to_string().contains("status 2: policy not accepted"), "{error}");
}
