//! `signdoc state`.

use clap::ArgMatches;
use serde_json::json;
use signdoc::CallOptions;

use super::ask::{self, is_final};
use super::decide::is_unknown;
use super::kind;
use crate::screen::{Screen, plain};
use crate::{Interrupted, call, connection, exit, report};

pub(crate) fn run(matches: &ArgMatches, screen: &mut Screen, interrupted: Interrupted<'_>) -> i32 {
    let as_json = matches.get_flag("json");
    let (kind, sign_id) = (kind(matches), super::sign_id(matches));
    let asked = connection::engine(matches).and_then(|engine| {
        let order = sign_id.as_str().into();
        call::run(&engine, interrupted, |client| async move {
            ask::state(&client, kind, order, &CallOptions::default()).await
        })
    });
    let state = match asked {
        Ok(state) => state,
        Err(error) => {
            let status = report::failed(&error, as_json, screen);
            super::tell_of_kinds(&error, matches, screen);
            return status;
        }
    };
    if as_json {
        let told = json!({
            "sign_id": sign_id,
            "kind": kind.as_str(),
            "state": state,
            "final": is_final(&state),
            "exit_status": exit::OK,
        });
        screen.line(&format!("{told:#}"));
        return exit::OK;
    }
    screen.line(&plain(&state));
    if is_unknown(&state) {
        screen.note("this is no state of the specification");
    }
    exit::OK
}
