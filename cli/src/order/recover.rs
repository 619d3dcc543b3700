//! `signdoc recover`.

use std::path::PathBuf;

use clap::ArgMatches;
use serde_json::json;
use signdoc::{CallOptions, Recovery, RecoveryOutcome, Result};

use super::parts::parts;
use super::show;
use crate::screen::{Screen, plain};
use crate::{Interrupted, call, connection, exit, report};

pub(crate) fn run(matches: &ArgMatches, screen: &mut Screen, interrupted: Interrupted<'_>) -> i32 {
    let as_json = matches.get_flag("json");
    let found = match recovered(matches, interrupted) {
        Ok(found) => found,
        Err(error) => return report::failed(&error, as_json, screen),
    };
    let status = if found.iter().all(is_good) { exit::OK } else { exit::INCOMPLETE };
    if as_json {
        let told: Vec<_> = found.iter().map(Recovery::to_json).collect();
        screen.line(&format!("{:#}", json!({"recovered": told, "exit_status": status})));
        return status;
    }
    if found.is_empty() {
        screen.line("no download was interrupted here");
    }
    for one in &found {
        tell(one, screen);
    }
    status
}

fn recovered(matches: &ArgMatches, interrupted: Interrupted<'_>) -> Result<Vec<Recovery>> {
    super::applies::check_recover(matches)?;
    let folder = matches.get_one::<PathBuf>("folder").cloned().unwrap_or_default();
    if !matches.get_flag("online") {
        return signdoc::recover(folder);
    }
    let engine = connection::engine(matches)?;
    call::run(&engine, interrupted, |client| async move {
        let options = CallOptions::default();
        let mut found = client.pades().recover(&folder, &options).await?;
        // What is of no known kind, or in progress, was told with the first.
        let others = client.sdo().recover(&folder, &options).await?;
        found.extend(others.into_iter().filter(|one| one.kind.is_some()));
        Ok(found)
    })
}

/// Whether nothing of it is missing: an order that was not touched can be downloaded.
fn is_good(one: &Recovery) -> bool {
    let whole = matches!(
        one.outcome,
        RecoveryOutcome::Complete | RecoveryOutcome::NotSent | RecoveryOutcome::InProgress
    );
    whole && one.problem.is_none()
}

fn has_files(one: &Recovery) -> bool {
    let download = one.download.as_ref();
    download.is_some_and(|download| parts(download).iter().any(|part| part.path.is_some()))
}

fn tell(one: &Recovery, screen: &mut Screen) {
    let order = one.sign_id.as_deref().map_or_else(|| "an order".to_owned(), plain);
    let outcome = match one.outcome {
        RecoveryOutcome::Complete => "complete: everything is in the folder",
        RecoveryOutcome::Partial if has_files(one) => {
            "a part had arrived: its documents are in the folder"
        }
        RecoveryOutcome::Partial => "a part had arrived, but no document that is whole",
        RecoveryOutcome::NothingArrived => "the request had left, but nothing arrived",
        RecoveryOutcome::NotSent => "the request had not left: download it again",
        RecoveryOutcome::InProgress => "another process is at it",
        RecoveryOutcome::Unreadable => "its journal cannot be used",
    };
    let bold = screen.paint().bold(&order);
    screen.line(&format!("{bold}: {outcome}"));
    if let Some(download) = one.download.as_ref().filter(|_| has_files(one)) {
        show(&download.to_json(), screen);
    }
    if let Some(state) = &one.order_state {
        screen.line(&format!("  state at the service: {}", plain(state)));
    }
    if let Some(problem) = &one.problem {
        screen.line(&format!("  problem: {}", plain(problem.message())));
    }
    if one.is_worth_asking_again() && one.outcome != RecoveryOutcome::NotSent {
        screen.line("  downloading the order again may bring what is missing");
    }
}
