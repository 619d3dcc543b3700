//! `signdoc specs`: what the service converts to.

use clap::ArgMatches;
use serde_json::json;
use signdoc::CallOptions;

use crate::screen::{Screen, plain};
use crate::{Interrupted, call, connection, exit, report};

pub(crate) fn run(matches: &ArgMatches, screen: &mut Screen, interrupted: Interrupted<'_>) -> i32 {
    let as_json = matches.get_flag("json");
    let asked = connection::engine(matches).and_then(|engine| {
        call::run(&engine, interrupted, |client| async move {
            client.conversion_specs(&CallOptions::default()).await
        })
    });
    match asked {
        Err(error) => return report::failed(&error, as_json, screen),
        Ok(specs) if as_json => {
            let told = json!({"pdf_specs": specs, "exit_status": exit::OK});
            screen.line(&format!("{told:#}"));
        }
        Ok(specs) => specs.iter().for_each(|spec| screen.line(&plain(spec))),
    }
    exit::OK
}
