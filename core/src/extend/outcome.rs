//! From what was found to what is told.

use signdoc_signature::report::Status;
use signdoc_signature::sign::SigningNote;
use signdoc_signature::tsp::TimestampToken;
use signdoc_signature::verify::{FileReport, Level, SignatureKind, SignatureReport, VerifyReport};
use url::Url;

use super::gather::Gathering;
use super::model::{Added, AddedKind, Extended, SignatureLevel};
use crate::output::Written;

pub(super) fn tell_stamp(gathering: &mut Gathering, field: &str, url: &Url, token: &[u8]) {
    let time = TimestampToken::parse(token).ok().map(|token| token.time().to_string());
    gathering.added.push(Added {
        kind: AddedKind::Timestamp,
        about: field.to_owned(),
        source: url.to_string(),
        size: token.len(),
        time,
    });
}

pub(super) fn of(
    mut gathering: Gathering,
    before: &VerifyReport,
    report: VerifyReport,
    written: Written,
    asked: Level,
) -> Extended {
    tell_assumed(&mut gathering);
    let own = |one: &&SignatureReport| one.kind == SignatureKind::Signature;
    let mut signatures = Vec::new();
    for one in report.signatures.iter().filter(own) {
        let earlier = before.signatures.iter().find(|known| known.field == one.field);
        let before = earlier.and_then(|known| known.level);
        signatures.push(SignatureLevel { field: one.field.clone(), before, level: one.level });
        if one.level < Some(asked) {
            tell_lack(&mut gathering, one, asked);
        }
    }
    let level = signatures.iter().map(|one| one.level).min().flatten();
    let Gathering { added, notes, .. } = gathering;
    let (data, path, size) = (written.data, written.path, written.size);
    let report = FileReport::Pdf(Box::new(report));
    Extended { data, path, size, level, asked, signatures, added, notes, report }
}

fn tell_assumed(gathering: &mut Gathering) {
    for who in std::mem::take(&mut gathering.assumed) {
        let message = "nobody was named as trusted: levels are told as if this certificate were";
        gathering.note(&who, message.to_owned(), "name it with trust if you trust it");
    }
}

/// Why a signature does not reach the level that was asked for.
fn tell_lack(gathering: &mut Gathering, one: &SignatureReport, asked: Level) {
    let reached = one.level.map_or("no level", Level::name);
    let is_open = |name: &str| match one.checks.get(name) {
        Some(check) if check.status != Status::Passed => Some(check.detail.clone()),
        _ => None,
    };
    let open = ["chain", "timestamp", "validation_data", "revocation"].iter();
    let open = open.filter_map(|name| Some(format!("{name}: {}", is_open(name)?))).next();
    let (why, advice) = match (one.level, open) {
        (None, _) if one.sub_filter != "ETSI.CAdES.detached" => (
            format!("it is no PAdES signature ({})", one.sub_filter),
            "levels are for PAdES signatures; what was added proves this one, too",
        ),
        (_, Some(why)) => (why, advice_on(one)),
        (_, None) => ("its attributes are not those of the baseline".to_owned(), advice_on(one)),
    };
    let message = format!("reaches {reached}, not {asked}: {why}");
    gathering.note(&one.field, message, advice);
}

fn advice_on(one: &SignatureReport) -> &'static str {
    if one.checks.status("chain") != Status::Passed {
        return "name who is trusted with trust, and give missing certificates; an expired \
                certificate without a timestamp from before cannot be proven any more";
    }
    if one.proven_time.is_none() {
        return "name a timestamp authority with tsa_url, and its root with timestamp_trust";
    }
    "give what is missing with certificates and revocations, or try again later"
}

/// What a person should know of the timestamp's field.
pub(super) fn tell_notes(gathering: &mut Gathering, field: &str, notes: &[SigningNote]) {
    for note in notes {
        let (message, advice) = match note {
            SigningNote::LockedFields => (
                "an earlier signature locks fields; the standard lets timestamps be added, but \
                 some validators take their field for a forbidden change",
                "try the validators that matter to you",
            ),
            SigningNote::Xfa => (
                "the document holds an XFA form, which shows something else than its pages do",
                "archive a flattened document where you can choose",
            ),
            SigningNote::UsageRights => (
                "the document carries usage rights, which any change voids",
                "nothing is to be done",
            ),
            _ => continue,
        };
        gathering.note(field, message.to_owned(), advice);
    }
}
