//! `signdoc extend`: long-term proof for a signed PDF.

use std::path::PathBuf;

use clap::{Arg, ArgAction, ArgMatches, Command, value_parser};
use serde_json::{Value, json};
use signdoc::Document;
use signdoc::Result;
use signdoc::extend::{AddedKind, ExtendOptions, Extended, level_of};

use crate::args::{flag, json as json_flag};
use crate::list::hanging;
use crate::screen::{Screen, plain};
use crate::table::Table;
use crate::{Interrupted, call, connection, exit, report};

pub(crate) fn command() -> Command {
    Command::new("extend")
        .about("Add to a signed PDF what proves it when its certificates have ended")
        .long_about(
            "Adds certificates, OCSP answers and revocation lists to a signed PDF, fetched by the \
             addresses in its certificates or given, and for B-LTA a document timestamp by the \
             authority of --tsa-url. A file that has all that is renewed: run this again before \
             the certificate of the last timestamp ends, every few years.\n\n\
             The file is verified first, and what is made of it before it is written; its bytes \
             stay an untouched beginning. No account with the service is needed.\n\n\
             Ends with 0 when every signature reaches the level, with 6 when one does not (what \
             could be added is written all the same, and the notes say what is missing), and with \
             6 and nothing written when the file does not verify.",
        )
        .after_help(
            "Examples:\n  \
             signdoc extend signed.pdf -o archived.pdf --tsa-url http://tsa.example --trust roots.pem\n  \
             signdoc extend archived.pdf -o archived.pdf --overwrite --tsa-url http://tsa.example\n  \
             signdoc extend signed.pdf -o lt.pdf --level B-LT --revocations answer.ocsp list.crl",
        )
        .arg(
            Arg::new("file")
                .value_name("FILE")
                .required(true)
                .value_parser(value_parser!(PathBuf))
                .help("the signed PDF"),
        )
        .arg(
            Arg::new("output")
                .short('o')
                .long("output")
                .value_name("OUT")
                .value_parser(value_parser!(PathBuf))
                .help("file to write; default: beside FILE, as NAME.extended.pdf"),
        )
        .arg(
            Arg::new("level")
                .long("level")
                .value_name("LEVEL")
                .default_value("B-LTA")
                .help("B-LTA, or B-LT, which adds a timestamp only where a signature has none"),
        )
        .arg(files("trust", "certificates that are trusted, as PEM or DER"))
        .arg(files("timestamp_trust", "those for timestamps; default: those of --trust"))
        .arg(files("certificates", "certificates that may stand in chains; they are not trusted"))
        .arg(files(
            "revocations",
            "OCSP answers (DER) and revocation lists (DER or PEM), asked before anybody else",
        ))
        .arg(flag("no_fetch", "fetch nothing by the addresses in certificates"))
        .arg(flag("overwrite", "replace OUT when it exists; it may be FILE itself"))
        .arg(json_flag())
        .args(connection::network_args())
}

fn files(name: &'static str, help: &'static str) -> Arg {
    Arg::new(name)
        .long(name.replace('_', "-"))
        .value_name("FILE")
        .num_args(1..)
        .action(ArgAction::Append)
        .value_parser(value_parser!(PathBuf))
        .help(help)
}

pub(crate) fn run(matches: &ArgMatches, screen: &mut Screen, interrupted: Interrupted<'_>) -> i32 {
    let as_json = matches.get_flag("json");
    match extended(matches, interrupted) {
        Err(error) => report::failed(&error, as_json, screen),
        Ok(made) => {
            let status = if made.is_reached() { exit::OK } else { exit::NOT_VERIFIED };
            match as_json {
                true => screen.line(&format!("{:#}", document(&made, status))),
                false => show(&made, screen),
            }
            status
        }
    }
}

fn extended(matches: &ArgMatches, interrupted: Interrupted<'_>) -> Result<Extended> {
    let named = |name: &str| -> Vec<Document> {
        let paths = matches.get_many::<PathBuf>(name).into_iter().flatten();
        paths.map(Document::from_path).collect()
    };
    let file = matches.get_one::<PathBuf>("file").cloned().unwrap_or_default();
    let beside = || file.with_extension("extended.pdf");
    let stamps = named("timestamp_trust");
    let options = ExtendOptions {
        level: level_of(matches.get_one::<String>("level").map_or("B-LTA", String::as_str))?,
        to: Some(matches.get_one::<PathBuf>("output").cloned().unwrap_or_else(beside)),
        overwrite: matches.get_flag("overwrite"),
        trust: named("trust"),
        timestamp_trust: (!stamps.is_empty()).then_some(stamps),
        certificates: named("certificates"),
        revocations: named("revocations"),
        fetch: !matches.get_flag("no_fetch"),
        ..ExtendOptions::default()
    };
    let engine = connection::engine_without_account(matches)?;
    let document = Document::from_path(&file);
    call::run(
        &engine,
        interrupted,
        |client| async move { client.extend_pdf(&document, &options).await },
    )
}

fn document(made: &Extended, status: i32) -> Value {
    let mut shown = made.to_json();
    if let Some(fields) = shown.as_object_mut() {
        fields.insert("ok".to_owned(), (status == exit::OK).into());
        fields.insert("error".to_owned(), Value::Null);
        fields.insert("exit_status".to_owned(), json!(status));
    }
    shown
}

fn show(made: &Extended, screen: &mut Screen) {
    let paint = screen.paint();
    let mut table = Table::new(&["signature", "before", "now"], &[]);
    for one in &made.signatures {
        let name = |level: Option<_>| {
            level.map_or_else(
                || "none".to_owned(),
                |level: signdoc::pdf::verify::Level| level.name().to_owned(),
            )
        };
        let now = name(one.level);
        let now = if one.level >= Some(made.asked) { paint.green(&now) } else { paint.red(&now) };
        table.row(vec![plain(&one.field), name(one.before), now]);
    }
    screen.line(&table.render(|text| paint.bold(text)));
    let count = |kind| made.added.iter().filter(|one| one.kind == kind).count();
    let added = [
        (AddedKind::Certificate, "certificates"),
        (AddedKind::Ocsp, "OCSP answers"),
        (AddedKind::Crl, "revocation lists"),
        (AddedKind::Timestamp, "document timestamps"),
    ];
    let added = added.iter().map(|(kind, what)| (count(*kind), what));
    let added: Vec<_> =
        added.filter(|(n, _)| *n > 0).map(|(n, what)| format!("{n} {what}")).collect();
    match added.is_empty() {
        true => screen.line("\nnothing was lacking"),
        false => screen.line(&format!("\nadded: {}", added.join(", "))),
    }
    for note in &made.notes {
        let text = format!("{}: {}", plain(&note.about), plain(&note.message));
        screen.line(&format!("\n- {}", hanging(&text, 2, screen)));
        screen.line(&format!("  {}", hanging(&plain(&note.advice), 2, screen)));
    }
    if let Some(path) = &made.path {
        screen.line(&format!("\nwritten: {}", plain(&path.display().to_string())));
    }
}
