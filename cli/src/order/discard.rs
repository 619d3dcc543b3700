//! `signdoc discard`.

use std::io::IsTerminal;
use std::path::PathBuf;

use clap::ArgMatches;
use serde_json::json;
use signdoc::engine::Engine;
use signdoc::order::OrderKind;
use signdoc::{CallOptions, Client, Code, Download, Error, Result};

use super::parts::parts;
use super::rescue::{self, Homeless, Homes, Saved};
use super::{ask, kind};
use crate::per_document::refused;
use crate::screen::{Screen, plain};
use crate::table::Table;
use crate::{Interrupted, call, connection, exit, report};

pub(crate) fn run(matches: &ArgMatches, screen: &mut Screen, interrupted: Interrupted<'_>) -> i32 {
    match discarded(matches, screen, interrupted) {
        Err(error) => {
            let status = report::failed(&error, matches.get_flag("json"), screen);
            super::tell_of_kinds(&error, matches, screen);
            status
        }
        Ok(Some(done)) => done.told(matches.get_flag("json"), screen),
        Ok(None) => {
            screen.say("The order was not touched.");
            exit::INTERRUPTED
        }
    }
}

/// What the service said last, and where its documents are.
struct Done {
    last: Download,
    saved: Vec<Saved>,
    /// How many documents found no room anywhere.
    lost: usize,
}

fn discarded(
    matches: &ArgMatches,
    screen: &mut Screen,
    interrupted: Interrupted<'_>,
) -> Result<Option<Done>> {
    let is_sure = matches.get_flag("yes");
    let can_ask = std::io::stdin().is_terminal() && std::io::stderr().is_terminal();
    if !is_sure && !can_ask {
        return Err(refused(
            "discard ends the order for good; without a terminal to ask on, say --yes".to_owned(),
        ));
    }
    let engine = connection::engine(matches)?;
    let (kind, sign_id) = (kind(matches), super::sign_id(matches));
    let folder = matches.get_one::<PathBuf>("output");
    if let Some(folder) = folder {
        std::fs::create_dir_all(folder).map_err(|error| {
            let why = format!("{}: the folder cannot be made: {error}", folder.display());
            Error::new(Code::DestinationFailed, format!("{why}; the order was not touched"))
        })?;
    }
    if !is_sure && !is_wanted(&engine, kind, &sign_id, screen, interrupted)? {
        return Ok(None);
    }
    let last = end(&engine, kind, &sign_id, screen, interrupted)?;
    let mut homeless = Homeless::of_download(&last, &sign_id, &[]);
    let homes = Homes::new(folder.map(PathBuf::as_path), &engine.config().fallback_folder());
    let saved = rescue::save(&mut homeless, &homes, interrupted, screen);
    Ok(Some(Done { last, saved, lost: homeless.len() }))
}

fn end(
    engine: &Engine,
    kind: OrderKind,
    sign_id: &str,
    screen: &mut Screen,
    interrupted: Interrupted<'_>,
) -> Result<Download> {
    let order = sign_id.to_owned();
    let discard = |client: Client| async move {
        let options = CallOptions::default();
        match kind {
            OrderKind::Pades => client.pades().discard(order, &options).await.map(Download::Pades),
            OrderKind::Sdo => client.sdo().discard(order, &options).await.map(Download::Sdo),
        }
    };
    // What comes with the answer is nowhere else.
    let ended = call::run_through(engine, interrupted, discard, || {
        screen.say("not stopping yet: the order is being ended, and documents may come with the service's last answer; press Ctrl-C again to give them up");
    });
    ended.map_err(|error| match error.code() {
        Code::Cancelled => {
            let told = format!(
                "interrupted; it is not known whether the order is gone: ask with `signdoc state {sign_id}{}`",
                sdo(kind)
            );
            error.with_message(told).with_detail("sign_id", sign_id)
        }
        _ => error,
    })
}

/// How a command says which kind it is about.
fn sdo(kind: OrderKind) -> &'static str {
    if kind == OrderKind::Sdo { " --sdo" } else { "" }
}

/// Asks on the terminal, with the state to decide by.
fn is_wanted(
    engine: &Engine,
    kind: OrderKind,
    sign_id: &str,
    screen: &mut Screen,
    interrupted: Interrupted<'_>,
) -> Result<bool> {
    let order = sign_id.into();
    let state = call::run(engine, interrupted, |client| async move {
        ask::state(&client, kind, order, &CallOptions::default()).await
    });
    let shown = plain(sign_id);
    match state {
        Ok(state) if state == "SIGN_COMPLETED" => screen.say(&format!(
            "The order {shown} is signed; `signdoc download {shown} -o FOLDER{}` gets the signed documents.",
            sdo(kind)
        )),
        Ok(state) => screen.say(&format!("The order {shown} is in the state {}.", plain(&state))),
        // An order that is not there needs no question.
        Err(error) if matches!(error.code(), Code::OrderNotFound | Code::Cancelled) => {
            return Err(error);
        }
        Err(error) => screen.say(&format!(
            "The state of the order {shown} cannot be asked for: {}",
            plain(error.message())
        )),
    }
    screen.ask("End it for good? Nobody can sign or download it afterwards. [y/N] ");
    let answer = call::work(interrupted, || {
        let mut line = String::new();
        std::io::stdin().read_line(&mut line).map(|_| line)
    })?;
    let said = answer.unwrap_or_default().trim().to_lowercase();
    Ok(matches!(said.as_str(), "y" | "yes"))
}

impl Done {
    fn told(&self, as_json: bool, screen: &mut Screen) -> i32 {
        let status = if self.lost == 0 { exit::OK } else { exit::FAILED };
        if as_json {
            let saved: Vec<_> = self.saved.iter().map(Saved::to_json).collect();
            let told = json!({
                "discarded": self.last.to_json(),
                "saved": saved,
                "lost": self.lost,
                "exit_status": status,
            });
            screen.line(&format!("{told:#}"));
        } else {
            self.show(screen);
        }
        if self.lost > 0 {
            screen.problem(&format!(
                "{} documents of the last answer found no room anywhere and had to be given up",
                self.lost
            ));
        }
        status
    }

    fn show(&self, screen: &mut Screen) {
        let last = self.last.to_json();
        let text = |name: &str| last.get(name).and_then(|value| value.as_str()).map(plain);
        let paint = screen.paint();
        let sign_id = paint.bold(&plain(self.last.sign_id()));
        let name = text("order_name").map(|name| format!(" ({name})")).unwrap_or_default();
        let state = match text("order_state") {
            Some(state) => format!("the service's last word: {state}"),
            None => "the service said nothing about it".to_owned(),
        };
        screen.line(&format!("{sign_id}{name} is gone; {state}"));
        if self.saved.is_empty() {
            return;
        }
        screen.line("\nDocuments came with it, and are nowhere else now:");
        let mut table = Table::new(&["document", "what", "file"], &[0]);
        let all = parts(&self.last);
        for one in &self.saved {
            let part = all.iter().find(|part| Some(part.index) == one.index && part.key == one.key);
            table.row(vec![
                one.index.map_or_else(String::new, |index| (index + 1).to_string()),
                part.map_or(one.key, |part| part.what).to_owned(),
                plain(&one.path.display().to_string()),
            ]);
        }
        screen.line(&table.render(|text| paint.bold(text)));
    }
}
