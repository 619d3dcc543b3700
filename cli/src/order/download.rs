//! `signdoc download`.

use std::path::{Path, PathBuf};

use clap::ArgMatches;
use serde_json::{Value, json};
use signdoc::{Code, Destination, Document, DownloadOptions, Error, Result};

use super::fetch::{Came, Fetcher, Wanted};
use super::{kind, show};
use crate::screen::{Screen, plain, quoted};
use crate::{Interrupted, connection, exit, report};

pub(crate) fn run(matches: &ArgMatches, screen: &mut Screen, interrupted: Interrupted<'_>) -> i32 {
    let as_json = matches.get_flag("json");
    match downloaded(matches, screen, interrupted) {
        Err(error) => {
            let status = failed(&error, matches, screen);
            super::tell_of_kinds(&error, matches, screen);
            return status;
        }
        Ok(Came::Results(download)) if as_json => {
            let told = json!({"download": download.to_json(), "exit_status": exit::OK});
            screen.line(&format!("{told:#}"));
        }
        Ok(Came::Results(download)) => show(&download.to_json(), screen),
        Ok(Came::Unseen(folder)) if as_json => {
            let folder = folder.display().to_string();
            let told = json!({"download": null, "received_into": folder, "exit_status": exit::OK});
            screen.line(&format!("{told:#}"));
        }
        Ok(Came::Unseen(folder)) => {
            screen.line(&format!("the results are in {}", plain(&folder.display().to_string())));
        }
    }
    exit::OK
}

fn downloaded(
    matches: &ArgMatches,
    screen: &mut Screen,
    interrupted: Interrupted<'_>,
) -> Result<Came> {
    let engine = connection::engine(matches)?;
    let sign_id = matches.get_one::<String>("sign_id").cloned().unwrap_or_default();
    let originals: Vec<&PathBuf> = matches.get_many("original").into_iter().flatten().collect();
    let name = |path: &&PathBuf| Some(path.file_stem()?.to_string_lossy().into_owned());
    let wanted = Wanted {
        kind: kind(matches),
        order: sign_id.into(),
        names: originals.iter().map(name).collect(),
        options: DownloadOptions {
            to: destination(matches),
            force: matches.get_flag("force"),
            originals: originals.into_iter().map(Document::from_path).collect(),
            ..DownloadOptions::default()
        },
        results: None,
    };
    let visible = !matches.get_flag("json");
    Fetcher { engine: &engine, interrupted, visible }.fetch(wanted, screen)
}

pub(super) fn destination(matches: &ArgMatches) -> Destination {
    let folder = matches.get_one::<PathBuf>("output").cloned().unwrap_or_default();
    Destination::Folder { path: folder, overwrite: matches.get_flag("overwrite") }
}

/// Tells a failure, and what can be done for what has arrived.
pub(super) fn failed(error: &Error, matches: &ArgMatches, screen: &mut Screen) -> i32 {
    let folder = matches.get_one::<PathBuf>("output").filter(|path| has_journal(path));
    let recover = folder.map(|folder| format!("signdoc recover {}", quoted(folder)));
    // Where everything is saved, a recovery finds nothing more.
    let recover = recover.filter(|_| !is_saved(error));
    let advice = advice(error, recover.as_deref());
    let has_given_up = error.code() == Code::Cancelled && recover.is_some();
    let status = report::failed_advised(error, advice.as_deref(), matches.get_flag("json"), screen);
    if let Some(recover) = recover.filter(|_| !has_given_up) {
        screen.say(&format!("a download is not finished; what arrived is kept: `{recover}`"));
    }
    status
}

fn is_saved(error: &Error) -> bool {
    error.details().get("all_saved").and_then(Value::as_bool).unwrap_or(false)
}

/// What somebody who uses this program can do, where the table's advice is for whoever has the
/// error in their hands as a value.
fn advice(error: &Error, recover: Option<&str>) -> Option<String> {
    let detail = |name: &str| error.details().get(name);
    if let Some(recover) = recover.filter(|_| error.code() == Code::Cancelled) {
        return Some(format!("type `{recover}`"));
    }
    if is_saved(error) {
        return Some(
            "nothing is lost: everything that came is in the folders that the message names; make room before the next download"
                .to_owned(),
        );
    }
    if let Some(command) = detail("download_with").and_then(Value::as_str) {
        return Some(format!("once the order is signed, type `{command}`"));
    }
    let is_for_programs = error.advice().contains("this error");
    if !is_for_programs && error.code() != Code::ReceptionContinues {
        return None;
    }
    if detail("order_may_exist").is_some() {
        return Some(
            "do not repeat the command blindly: an order whose sign_id is told is ended with `signdoc discard`, any other ends by itself"
                .to_owned(),
        );
    }
    let again = match detail("ask_again").and_then(Value::as_bool) {
        Some(true) => "download again while the order is there",
        Some(false) => "do not download again, the order is gone from the service",
        None => return Some("see what the message says, then begin anew".to_owned()),
    };
    let made = match recover {
        Some(recover) => format!(", and `{recover}` makes more of it, also with a later version"),
        None => String::new(),
    };
    Some(format!(
        "{again}; what arrived is in the folders that the message names{made}; contact support with the sign_id"
    ))
}

fn has_journal(folder: &Path) -> bool {
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    entries
        .map(|entry| entry.path())
        .any(|path| path.extension().is_some_and(|end| end == "journal"))
}
