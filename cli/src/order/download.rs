//! `signdoc download`.

use std::path::{Path, PathBuf};

use clap::ArgMatches;
use serde_json::json;
use signdoc::{Destination, Document, Download, DownloadOptions, Error, Result};

use super::{fetch, kind, show};
use crate::screen::Screen;
use crate::{Interrupted, call, connection, exit, report};

pub(crate) fn run(matches: &ArgMatches, screen: &mut Screen, interrupted: Interrupted<'_>) -> i32 {
    let as_json = matches.get_flag("json");
    match downloaded(matches, interrupted) {
        Err(error) => failed(&error, matches, screen),
        Ok(download) if as_json => {
            let told = json!({"download": download.to_json(), "exit_status": exit::OK});
            screen.line(&format!("{told:#}"));
            exit::OK
        }
        Ok(download) => {
            show(&download.to_json(), screen);
            exit::OK
        }
    }
}

fn downloaded(matches: &ArgMatches, interrupted: Interrupted<'_>) -> Result<Download> {
    let engine = connection::engine(matches)?;
    let kind = kind(matches);
    let sign_id = matches.get_one::<String>("sign_id").cloned().unwrap_or_default();
    let originals = matches.get_many::<PathBuf>("original").into_iter().flatten();
    let options = DownloadOptions {
        to: destination(matches),
        force: matches.get_flag("force"),
        originals: originals.map(Document::from_path).collect(),
        ..DownloadOptions::default()
    };
    call::run(&engine, interrupted, |client| async move {
        fetch(&client, kind, sign_id.into(), &options).await
    })
}

pub(super) fn destination(matches: &ArgMatches) -> Destination {
    let folder = matches.get_one::<PathBuf>("output").cloned().unwrap_or_default();
    Destination::Folder { path: folder, overwrite: matches.get_flag("overwrite") }
}

/// Tells a failure, and what can be done for what has arrived.
pub(super) fn failed(error: &Error, matches: &ArgMatches, screen: &mut Screen) -> i32 {
    let status = report::failed(error, matches.get_flag("json"), screen);
    if let Some(folder) = matches.get_one::<PathBuf>("output").filter(|path| has_journal(path)) {
        let folder = folder.display();
        screen.note(&format!(
            "a download is not finished; what arrived is kept: signdoc recover {folder}"
        ));
    }
    status
}

fn has_journal(folder: &Path) -> bool {
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    entries
        .map(|entry| entry.path())
        .any(|path| path.extension().is_some_and(|end| end == "journal"))
}
