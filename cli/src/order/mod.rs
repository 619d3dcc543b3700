//! Sign orders: `signdoc sign`, `signdoc download`, `signdoc recover`.

pub(crate) mod args;
pub(crate) mod download;
pub(crate) mod recover;
pub(crate) mod sign;
mod wait;

use clap::ArgMatches;
use serde_json::Value;
use signdoc::order::OrderKind;
use signdoc::{Client, Download, DownloadOptions, OrderRef, Result};

use crate::screen::{Screen, plain};
use crate::table::Table;

fn kind(matches: &ArgMatches) -> OrderKind {
    match matches.get_one::<String>("kind").map(String::as_str) {
        Some("sdo") => OrderKind::Sdo,
        _ => OrderKind::Pades,
    }
}

async fn fetch(
    client: &Client,
    kind: OrderKind,
    order: OrderRef,
    options: &DownloadOptions,
) -> Result<Download> {
    match kind {
        OrderKind::Pades => client.pades().download(order, options).await.map(Download::Pades),
        OrderKind::Sdo => client.sdo().download(order, options).await.map(Download::Sdo),
    }
}

/// The documents of a download, one line each.
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
        table.row(vec![
            text("path").unwrap_or_else(|| "-".to_owned()),
            check("signed_check"),
            check(sent),
        ]);
    }
    screen.line(&table.render(|text| paint.bold(text)));
}
