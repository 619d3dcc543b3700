//! Sign orders: `signdoc sign`, `download`, `state`, `discard`, `recover`.

mod applies;
pub(crate) mod args;
mod ask;
mod decide;
mod delivered;
pub(crate) mod discard;
pub(crate) mod download;
mod fetch;
mod parts;
pub(crate) mod recover;
mod request;
mod rescue;
pub(crate) mod sign;
mod sign_args;
pub(crate) mod state;
mod wait;

use clap::ArgMatches;
use serde_json::Value;
use signdoc::order::OrderKind;
use signdoc::{Code, Error};

pub(crate) use fetch::linger;

use crate::screen::{Screen, plain};
use crate::table::Table;

fn kind(matches: &ArgMatches) -> OrderKind {
    match matches.get_one::<String>("kind").map(String::as_str) {
        Some("sdo") => OrderKind::Sdo,
        _ if matches.get_flag("sdo") => OrderKind::Sdo,
        _ => OrderKind::Pades,
    }
}

/// Both kinds are asked for at addresses of their own, which know nothing of each other's orders.
fn tell_of_kinds(error: &Error, matches: &ArgMatches, screen: &mut Screen) {
    let is_told = applies::is_given(matches, "kind") || applies::is_given(matches, "sdo");
    if error.code() == Code::OrderNotFound && !is_told {
        screen.note("asked for as a PAdES order; if it is one of signed data objects, add --sdo");
    }
}

fn sign_id(matches: &ArgMatches) -> String {
    matches.get_one::<String>("sign_id").cloned().unwrap_or_default()
}

/// Every file of a document, each on a line.
fn files_of(document: &Value) -> String {
    let names = ["path", "appendix_path", "merchant_signature_path", "end_user_signature_path"];
    let path = |name: &str| document.get(name).and_then(Value::as_str).map(plain);
    let files: Vec<_> = names.into_iter().filter_map(path).collect();
    if files.is_empty() { "-".to_owned() } else { files.join("\n") }
}

/// The documents of a download.
fn show(download: &Value, screen: &mut Screen) {
    let paint = screen.paint();
    let mut table = Table::new(&["result", "signed digest", "sent digest"], &[]);
    let documents = download.get("documents").and_then(Value::as_array);
    for one in documents.into_iter().flatten() {
        let text = |name: &str| one.get(name).and_then(Value::as_str).map(plain);
        let check = |name: &str| match text(name).as_deref() {
            Some("matches") => paint.green("matches"),
            Some("differs") => paint.yellow("differs"),
            _ => "not compared".to_owned(),
        };
        // A signed data object has one digest: of what was sent.
        let sent = if one.get("hash_check").is_some() { "hash_check" } else { "unsigned_check" };
        table.row(vec![files_of(one), check("signed_check"), check(sent)]);
    }
    screen.line(&table.render(|text| paint.bold(text)));
}
