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

/// The result whose object begins or ends at `path`.
pub(super) fn result_at(path: &Path) -> Option<usize> {
    match (path.depth(), path.key_at(0)) {
        (1, Some("signingResults")) => Some(0),
        (2, Some("signingResults")) => path.index_at(1),
        _ => None,
    }
}

/// The kind of order whose answer has a list of this name.
pub(super) fn kind_of_list(path: &Path) -> Option<OrderKind> {
    if path.depth() != 1 {
        return None;
    }
    match path.key_at(0)? {
        "signingResults" => Some(OrderKind::Pades),
        key => LISTS.contains(&key).then_some(OrderKind::Sdo),
    }
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

/// What stands at `path` in the download of an order of this kind. One result alone may stand where
/// the list of it should be.
pub(super) fn meaning(kind: OrderKind, path: &Path) -> Meaning {
    let mut steps = path.steps();
    match (steps.next(), steps.next(), steps.next(), steps.next()) {
        (Some(Step::Key(name)), None, None, None) => match kind {
            OrderKind::Sdo if LISTS.contains(&name) => of_column(name, 0),
            _ => top(name),
        },
        (Some(Step::Key("signingResults")), Some(Step::Key(name)), None, None)
            if kind == OrderKind::Pades =>
        {
            of_result(0, name)
        }
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
