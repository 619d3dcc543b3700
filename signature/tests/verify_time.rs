//! Which time a signature is judged at, what proves it, and what revocation does to it.
#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::panic,
    reason = "test code; helpers count as outside of tests"
)]

mod common;
mod verify_kit;

use signdoc_signature::asn1::Time;
use signdoc_signature::crypto::KeyKind;
use signdoc_signature::pki::{Identity, Pki, RevocationReason};
use signdoc_signature::report::Status;
use signdoc_signature::verify::{Level, TimeProof, VerifyOptions, VerifyReport, verify_bytes};
use signdoc_signature::x509::TrustAnchors;
use verify_kit::story::{DAY, Story, YEAR, ago, all_answers, answer, authority, list};

use RevocationReason::{KeyCompromise, Superseded};

/// Signers under one authority, timestamps under others.
struct World {
    pki: Pki,
    stamps: Pki,
    archive: Pki,
    kari: Identity,
}

impl World {
    fn new() -> World {
        let pki = authority(51, 3 * YEAR);
        let subject = signdoc_signature::pki::Subject::person("Kari", "Nordmann", 1);
        // For a year, from two years ago on.
        let mut profile =
            signdoc_signature::pki::Profile::person(subject, KeyKind::P256, ago(2 * YEAR));
        profile.not_after = ago(YEAR);
        let kari = pki.issue(&profile).unwrap();
        World { pki, stamps: authority(52, 4 * YEAR), archive: authority(53, 2 * YEAR), kari }
    }

    fn verify(&self, story: &Story, at: Time, words: &str) -> VerifyReport {
        let mut options = self.options(at);
        for word in words.split_whitespace() {
            options.set("require", word).unwrap();
        }
        verify_bytes(story.bytes(), &options)
    }

    fn options(&self, at: Time) -> VerifyOptions {
        let mut anchors = self.stamps.anchors();
        anchors.push(self.archive.root().certificate().clone());
        VerifyOptions {
            trust: self.pki.anchors(),
            timestamp_trust: Some(anchors),
            at: Some(at),
            ..VerifyOptions::default()
        }
    }

    /// Signed and timestamped a year and a half ago, with answers of then.
    fn stamped(&self) -> Story {
        let then = ago(3 * YEAR / 2);
        let mut answers = all_answers(&self.pki, &self.kari, then);
        answers.extend(all_answers(&self.stamps, self.stamps.timestamping(), then));
        Story::signed(&self.kari, then, Some((&self.stamps, then))).with(answers, vec![])
    }
}

#[track_caller]
fn expect(report: &VerifyReport, ok: bool, checks: &[(&str, Status)]) {
    for (name, status) in checks {
        assert_eq!(report.status(name), *status, "{name}: {:#}", report.to_json());
    }
    assert_eq!(report.ok, ok, "{:#}", report.to_json());
}

use Status::{Failed, NotChecked, Passed};

#[test]
fn a_proven_time_outlives_the_signers_certificate() {
    let world = World::new();
    let report = world.verify(&world.stamped(), ago(0), "timestamp revocation B-LT");
    expect(&report, true, &[("timestamp", Passed), ("chain", Passed), ("revocation", Passed)]);
    let judged = report.signatures[0].judged_at.clone().unwrap();
    assert_eq!(judged.proof, TimeProof::SignatureTimestamp);
    assert_eq!(judged.time, ago(3 * YEAR / 2).to_string());
    assert!(judged.authority.unwrap().contains("Timestamping 52"));
    assert_eq!(report.to_json()["signatures"][0]["judged_at"]["proof"], "signature_timestamp");
}

#[test]
fn a_claimed_time_proves_nothing() {
    let world = World::new();
    let then = ago(3 * YEAR / 2);
    let answers = || all_answers(&world.pki, &world.kari, then);
    let story = Story::signed(&world.kari, then, None).with(answers(), vec![]);
    // Long expired, whatever the signer claims.
    let report = world.verify(&story, ago(0), "");
    expect(&report, false, &[("chain", NotChecked), ("revocation", NotChecked)]);
    assert_eq!(report.failures().count(), 0, "{:#}", report.to_json());
    assert_eq!(report.signatures[0].level, Some(Level::BB));
    let detail = &report.checks.get("chain").unwrap().detail;
    assert!(detail.contains("nothing proves it"), "{detail}");
    // The certificate lives, but the answers are sixty days old.
    let later = then.plus_seconds(60 * DAY);
    let report = world.verify(&story, later, "");
    expect(&report, true, &[("chain", Passed), ("revocation", NotChecked)]);
    let judged = report.signatures[0].judged_at.clone().unwrap();
    assert_eq!((judged.proof, judged.time), (TimeProof::Verification, later.to_string()));
    expect(&world.verify(&story, later, "revocation"), false, &[("revocation", NotChecked)]);
    // With answers of today, or a timestamp of then, it is known.
    let fresh = story.with(all_answers(&world.pki, &world.kari, later), vec![]);
    expect(&world.verify(&fresh, later, "revocation"), true, &[("revocation", Passed)]);
    expect(&world.verify(&world.stamped(), later, "revocation"), true, &[("revocation", Passed)]);
    // A claim before the certificate began is a false one.
    let story = Story::signed(&world.kari, ago(5 * YEAR / 2), None);
    expect(&world.verify(&story, then, ""), false, &[("chain", Failed)]);
}

#[test]
fn a_revoked_authority_proves_no_time() {
    let world = World::new();
    let (stamps, now) = (&world.stamps, ago(0));
    let tsa = stamps.timestamping().certificate();
    let issuing = stamps.issuing().certificate();
    let by_issuing =
        |since: Time, reason| list((stamps, stamps.issuing()), now, &[(tsa, since, reason)]);
    let by_root =
        |since: Time, reason| list((stamps, stamps.root()), now, &[(issuing, since, reason)]);
    let before = ago(2 * YEAR);
    let after = ago(YEAR / 2);
    for (crl, counts) in [
        (by_issuing(before, KeyCompromise), false),
        (by_root(before, KeyCompromise), false),
        // Who has the key can also set the clock back.
        (by_issuing(after, KeyCompromise), false),
        (by_root(after, KeyCompromise), false),
        (by_issuing(before, Superseded), false),
        (by_issuing(after, Superseded), true),
        (by_root(after, RevocationReason::CessationOfOperation), true),
        (by_issuing(after, RevocationReason::Unspecified), true),
    ] {
        let story = world.stamped().with(vec![], vec![crl]);
        let report = world.verify(&story, now, "");
        let timestamp = if counts { Passed } else { Failed };
        expect(&report, counts, &[("timestamp", timestamp)]);
        assert_eq!(report.signatures[0].proven_time.is_some(), counts);
        let level = if counts { Level::BLT } else { Level::BB };
        assert_eq!(report.signatures[0].level, Some(level));
    }
    // Without any reason the worst is to be feared (RFC 3161, 4.1).
    let entry = signdoc_signature::pki::CrlEntry {
        serial: tsa.serial().to_vec(),
        since: after,
        extensions: vec![],
    };
    let crl = stamps.crl_by(stamps.issuing(), now, &[entry], &[]).unwrap();
    let report = world.verify(&world.stamped().with(vec![], vec![crl]), now, "");
    expect(&report, false, &[("timestamp", Failed)]);
}

#[test]
fn a_revoked_authority_of_a_document_timestamp_is_told() {
    let world = World::new();
    let (stamps, now) = (&world.stamps, ago(0));
    let tsa = stamps.timestamping().certificate();
    let then = ago(3 * YEAR / 2);
    let crl = list((stamps, stamps.issuing()), now, &[(tsa, ago(2 * YEAR), KeyCompromise)]);
    let story = Story::signed(&world.kari, then, None)
        .with(all_answers(&world.pki, &world.kari, then), vec![crl])
        .archived(stamps, then);
    let report = world.verify(&story, now, "");
    expect(&report, false, &[("timestamp", Failed), ("chain", NotChecked)]);
    assert_eq!(report.signatures[1].checks.status("timestamp"), Failed);
    assert_eq!(report.signatures[1].checks.status("revocation"), Failed);
    assert_eq!(report.signatures[1].proven_time, None);
    // Even beside another one that holds: no check fails in a good report.
    let story = story.archived(&world.archive, ago(YEAR));
    expect(&world.verify(&story, now, ""), false, &[("timestamp", Failed)]);
}

#[test]
fn an_archive_timestamp_keeps_what_lies_below_it() {
    let world = World::new();
    let (stamps, archive) = (&world.stamps, &world.archive);
    let archived = || world.stamped().archived(archive, ago(YEAR));
    let report = world.verify(&archived(), ago(0), "revocation B-LTA");
    expect(&report, true, &[("timestamp", Passed), ("revocation", Passed)]);
    // The first authority's key was taken half a year ago: the archive is older.
    let tsa = stamps.timestamping().certificate();
    let taken = list((stamps, stamps.issuing()), ago(0), &[(tsa, ago(YEAR / 2), KeyCompromise)]);
    let report = world.verify(&archived().with(vec![], vec![taken]), ago(0), "B-LTA");
    expect(&report, true, &[("timestamp", Passed)]);
    let judged = report.signatures[0].judged_at.clone().unwrap();
    assert_eq!(judged.proof, TimeProof::SignatureTimestamp);
    // Taken before the archive was made, nothing tells the timestamp from a forged one.
    let taken =
        list((stamps, stamps.issuing()), ago(0), &[(tsa, ago(5 * YEAR / 4), KeyCompromise)]);
    let report = world.verify(&archived().with(vec![], vec![taken]), ago(0), "");
    expect(&report, false, &[("timestamp", Failed)]);
}

#[test]
fn an_expired_authority_proves_no_time_unless_it_was_renewed() {
    let world = World::new();
    // The first authority's certificate ends a year from now, the archive's in three years.
    let (before, between, after) = (ago(0), ago(-2 * YEAR), ago(-4 * YEAR));
    let stamped = || world.stamped();
    let archived = || stamped().archived(&world.archive, ago(YEAR));
    expect(&world.verify(&stamped(), before, ""), true, &[("timestamp", Passed)]);
    let report = world.verify(&stamped(), between, "");
    expect(&report, false, &[("timestamp", NotChecked), ("chain", NotChecked)]);
    assert_eq!(report.failures().count(), 0, "{:#}", report.to_json());
    assert_eq!(report.signatures[0].level, Some(Level::BB));
    expect(&world.verify(&archived(), between, "B-LTA"), true, &[("timestamp", Passed)]);
    expect(&world.verify(&archived(), after, ""), false, &[("timestamp", NotChecked)]);
    // Renewed in time by another authority, and years later it still holds.
    let third = authority(54, -2 * YEAR);
    let renewed = archived().archived(&third, ago(-2 * YEAR));
    let mut options = world.options(after);
    options.timestamp_trust.as_mut().unwrap().push(third.root().certificate().clone());
    let report = verify_bytes(renewed.bytes(), &options);
    expect(&report, true, &[("timestamp", Passed), ("chain", Passed)]);
    assert_eq!(report.signatures[0].proven_time, Some(ago(3 * YEAR / 2).to_string()));
}

#[test]
fn a_required_answer_covers_the_authority_that_proves_the_time() {
    let world = World::new();
    let then = ago(3 * YEAR / 2);
    let answers = all_answers(&world.pki, &world.kari, then);
    let story = Story::signed(&world.kari, then, Some((&world.stamps, then))).with(answers, vec![]);
    let report = world.verify(&story, ago(0), "timestamp");
    expect(&report, true, &[("timestamp", Passed), ("revocation", NotChecked)]);
    expect(&world.verify(&story, ago(0), "revocation"), false, &[("revocation", NotChecked)]);
}

#[test]
fn an_anchor_that_signs_is_not_free_of_revocation() {
    let world = World::new();
    let now = ago(2 * YEAR - DAY);
    let story = Story::signed(&world.kari, now, None);
    let mut options = world.options(now);
    options.trust = TrustAnchors::new(vec![world.kari.certificate().clone()]);
    let report = verify_bytes(story.bytes(), &options);
    expect(&report, true, &[("chain", Passed), ("revocation", NotChecked)]);
    options.set("require", "revocation").unwrap();
    expect(&verify_bytes(story.bytes(), &options), false, &[("revocation", NotChecked)]);
}

#[test]
fn an_old_answer_does_not_hide_a_revocation_now() {
    let world = World::new();
    let then = ago(3 * YEAR / 2);
    let later = then.plus_seconds(30 * DAY);
    let good = answer(&world.pki, world.kari.certificate(), then);
    let who = world.kari.certificate();
    let crl = list((&world.pki, world.pki.issuing()), later, &[(who, later, Superseded)]);
    let unproven = Story::signed(&world.kari, then, None).with(vec![good], vec![crl.clone()]);
    expect(&world.verify(&unproven, later, ""), false, &[("revocation", Failed)]);
    // Proven to be earlier, the signature stands.
    let proven = world.stamped().with(vec![], vec![crl]);
    expect(&world.verify(&proven, later, "revocation"), true, &[("revocation", Passed)]);
}
