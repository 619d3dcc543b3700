//! Where in a download what stands (specification, "PAdES download result" and "SEID-SDO download
//! result").

use super::model::OrderKind;
use super::places::Part;
use crate::wire::{Path, Step};

/// The lists by which a download is recognised.
const LISTS: [&str; 5] =
    ["signingResults", "sdos", "documentHashes", "merchantSignatures", "endUserSignatures"];

pub(super) fn is_list_of_results(path: &Path) -> bool {
    path.depth() == 1 && path.key_at(0).is_some_and(|key| LISTS.contains(&key))
}

/// What a value of the answer is.
pub(super) enum Meaning {
    Part(usize, Part),
    Text(Text),
    DocumentText(usize, DocumentText),
    Nothing,
}

pub(super) enum Text {
    SignId,
    ClientId,
    OrderName,
    OrderState,
}

pub(super) enum DocumentText {
    Description,
    Signed,
    Unsigned,
}

/// What stands at `path` in the download of an order of this kind.
pub(super) fn meaning(kind: OrderKind, path: &Path) -> Meaning {
    let mut steps = path.steps();
    match (steps.next(), steps.next(), steps.next(), steps.next()) {
        (Some(Step::Key(name)), None, None, None) => top(name),
        (
            Some(Step::Key("signingResults")),
            Some(Step::Index(index)),
            Some(Step::Key(name)),
            None,
        ) if kind == OrderKind::Pades => of_result(index, name),
        (Some(Step::Key(name)), Some(Step::Index(index)), None, None) if kind == OrderKind::Sdo => {
            of_column(name, index)
        }
        _ => Meaning::Nothing,
    }
}

fn top(name: &str) -> Meaning {
    match name {
        "signId" | "sign_id" => Meaning::Text(Text::SignId),
        "clientId" => Meaning::Text(Text::ClientId),
        "orderName" => Meaning::Text(Text::OrderName),
        "orderState" => Meaning::Text(Text::OrderState),
        _ => Meaning::Nothing,
    }
}

/// A field of an item of `signingResults` (specification, "PAdES download result").
fn of_result(index: usize, name: &str) -> Meaning {
    match name {
        "padesSignedPdf" => Meaning::Part(index, Part::Document),
        "padesAppendix" => Meaning::Part(index, Part::Appendix),
        "description" => Meaning::DocumentText(index, DocumentText::Description),
        "signedDocumentSha256" => Meaning::DocumentText(index, DocumentText::Signed),
        "unsignedDocumentSha256" => Meaning::DocumentText(index, DocumentText::Unsigned),
        _ => Meaning::Nothing,
    }
}

/// An element of one of the lists (specification, "SEID-SDO download result").
fn of_column(name: &str, index: usize) -> Meaning {
    match name {
        "sdos" => Meaning::Part(index, Part::Document),
        "merchantSignatures" => Meaning::Part(index, Part::MerchantSignature),
        "endUserSignatures" => Meaning::Part(index, Part::EndUserSignature),
        "documentHashes" => Meaning::DocumentText(index, DocumentText::Unsigned),
        _ => Meaning::Nothing,
    }
}
