//! `signdoc bundle`: a signed document and its evidence in one file.

use std::path::{Path, PathBuf};

use clap::{Arg, ArgAction, ArgMatches, value_parser};
use serde_json::{Value, json};
use signdoc::bundle::{Bundle, BundleRequest};
use signdoc::engine::Engine;
use signdoc::pdf::report_json;
use signdoc::pdf::verify::FileReport;
use signdoc::{CallOptions, Client, Document, Error, Result};

use crate::args::flag;
use crate::inputs::unreadable;
use crate::screen::{Screen, plain};
use crate::verify::show;
use crate::{Interrupted, call, connection, exit, report};

/// The options of `signdoc bundle`.
pub(crate) fn args() -> Vec<Arg> {
    let mut all = vec![
        path("signed", "FILE").required(true).help("the signed PDF, or signed data objects"),
        file("original", "the document as it was sent"),
        file(
            "order",
            "what the service said of the order: a JSON object; its signed_sha256 and \
             unsigned_sha256 are compared with the documents",
        ),
        file("identity", "the claims of the ID token: a JSON object, compared with the signer"),
        flag("numbers", "keep numbers of persons, among the claims and in the report"),
        file(
            "evidence",
            "certificates, OCSP answers or lists of revoked certificates; may be given several \
             times",
        )
        .action(ArgAction::Append),
        file("trust", "certificates that are trusted, for the report, as PEM or DER")
            .action(ArgAction::Append),
        file("timestamp_trust", "those for timestamps; default: those of --trust")
            .action(ArgAction::Append),
        path("output", "FILE").short('o').long("output").required(true).help("the bundle"),
    ];
    all.extend(connection::network_args());
    all
}

fn path(name: &'static str, value: &'static str) -> Arg {
    Arg::new(name).value_name(value).value_parser(value_parser!(PathBuf))
}

fn file(name: &'static str, help: &'static str) -> Arg {
    path(name, "FILE").long(name.replace('_', "-")).help(help)
}

pub(crate) fn run(matches: &ArgMatches, screen: &mut Screen, interrupted: Interrupted<'_>) -> i32 {
    let as_json = matches.get_flag("json");
    let made = match made(matches, interrupted) {
        Ok(made) => made,
        Err(error) => return report::failed(&error, as_json, screen),
    };
    let is_judged = matches.contains_id("trust");
    let status = match made.report.is_ok() || !is_judged {
        true => exit::OK,
        false => exit::NOT_VERIFIED,
    };
    if as_json {
        screen.line(&format!("{:#}", shown(&made, status)));
        return status;
    }
    let path = made.path.as_deref().unwrap_or(Path::new("")).display().to_string();
    let verdict = match (made.report.is_ok(), is_judged) {
        (true, _) => "verified",
        (false, true) => "NOT verified",
        (false, false) => "made; nobody is trusted without --trust, so it is not judged",
    };
    screen.line(&format!("{}: {verdict}", plain(&path)));
    if let FileReport::Container(report) = &made.report {
        show::container(report, screen);
    }
    status
}

fn shown(made: &Bundle, status: i32) -> Value {
    json!({
        "path": made.path.as_ref().map(|path| path.display().to_string()),
        "size": made.size,
        "stamped": made.is_stamped,
        "report": report_json(&made.report),
        "error": null,
        "exit_status": status,
    })
}

fn made(matches: &ArgMatches, interrupted: Interrupted<'_>) -> Result<Bundle> {
    let one = |name: &str| matches.get_one::<PathBuf>(name);
    let all = |name: &str| -> Vec<Document> {
        matches.get_many::<PathBuf>(name).into_iter().flatten().map(Document::from_path).collect()
    };
    let text = |name: &str| one(name).map(|path| read(path)).transpose();
    let signed = Document::from_path(one("signed").cloned().unwrap_or_default());
    let request = BundleRequest {
        original: one("original").map(Document::from_path),
        order: text("order")?,
        identity: text("identity")?,
        with_numbers: matches.get_flag("numbers"),
        evidence: all("evidence"),
        trust: all("trust"),
        timestamp_trust: matches.contains_id("timestamp_trust").then(|| all("timestamp_trust")),
        to: one("output").cloned(),
        overwrite: matches.get_flag("overwrite"),
        settings: connection::without_account(matches)?,
        ..BundleRequest::of(signed)
    };
    let engine = Engine::new(request.config()?)?;
    let make =
        |client: Client| async move { client.bundle(request, &CallOptions::default()).await };
    call::run(&engine, interrupted, make)
}

fn read(path: &Path) -> Result<String> {
    std::fs::read_to_string(path).map_err(|error| -> Error { unreadable(path, &error) })
}
