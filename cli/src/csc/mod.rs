//! `signdoc csc`: the credential-based signing interface.

pub(crate) mod args;
mod options;

use std::path::PathBuf;

use clap::ArgMatches;
use serde_json::{Value, json};
use signdoc::csc::{CscInfo, CscLoginOptions, CscSession, PdfToSign, SignedPdf};
use signdoc::engine::Engine;
use signdoc::{CallOptions, Document, FinishOptions, Result};

use crate::inputs::{self, Input};
use crate::redirect::{self, Callback};
use crate::screen::{Screen, plain};
use crate::table::Table;
use crate::{Interrupted, call, connection, exit, report};

pub(crate) fn run(matches: &ArgMatches, screen: &mut Screen, interrupted: Interrupted<'_>) -> i32 {
    match matches.subcommand() {
        Some(("info", matches)) => info(matches, screen, interrupted),
        Some(("sign", matches)) => sign(matches, screen, interrupted),
        _ => exit::USAGE,
    }
}

fn info(matches: &ArgMatches, screen: &mut Screen, interrupted: Interrupted<'_>) -> i32 {
    let as_json = matches.get_flag("json");
    let asked = connection::engine(matches).and_then(|engine| {
        call::run(&engine, interrupted, |client| async move {
            client.csc().info(&CallOptions::default()).await
        })
    });
    match asked {
        Err(error) => return report::failed(&error, as_json, screen),
        Ok(info) if as_json => screen.line(&format!("{:#}", info.raw)),
        Ok(info) => show_info(&info, screen),
    }
    exit::OK
}

fn show_info(info: &CscInfo, screen: &mut Screen) {
    let list = |items: &[String]| (!items.is_empty()).then(|| items.join(", "));
    for (name, value) in [
        ("name", info.name.clone()),
        ("CSC API", info.specs.clone()),
        ("region", info.region.clone()),
        ("language", info.lang.clone()),
        ("description", info.description.clone()),
        ("login", list(&info.auth_types)),
        ("methods", list(&info.methods)),
    ] {
        if let Some(value) = value {
            let name = screen.paint().bold(&format!("{name:<12}"));
            screen.line(&format!("{name} {}", plain(&value)));
        }
    }
}

fn sign(matches: &ArgMatches, screen: &mut Screen, interrupted: Interrupted<'_>) -> i32 {
    let as_json = matches.get_flag("json");
    match signed(matches, screen, interrupted) {
        Err(error) => report::failed(&error, as_json, screen),
        Ok((inputs, results)) => {
            if as_json {
                screen.line(&format!("{:#}", document(&inputs, &results)));
            } else {
                show(&inputs, &results, screen);
            }
            exit::OK
        }
    }
}

fn signed(
    matches: &ArgMatches,
    screen: &mut Screen,
    interrupted: Interrupted<'_>,
) -> Result<(Vec<Input>, Vec<SignedPdf>)> {
    let inputs = inputs::resolve(matches.get_many("files").into_iter().flatten())?;
    let options = options::of_call(matches)?;
    let pdfs = jobs(matches, &inputs)?;
    let engine = connection::engine(matches)?;
    // What cannot be signed is told before anybody logs in.
    let (checked, asked) = (pdfs.clone(), options.clone());
    call::run(&engine, interrupted, |client| async move {
        client.csc().check_pdfs(&checked, &asked).await
    })?;
    let session = login(&engine, matches, screen, interrupted)?;
    let results =
        call::run(
            &engine,
            interrupted,
            |_| async move { session.sign_pdfs(&pdfs, &options).await },
        )?;
    Ok((inputs, results))
}

/// The documents; they go to the folder, or beside each as `*.signed.pdf`.
fn jobs(matches: &ArgMatches, inputs: &[Input]) -> Result<Vec<PdfToSign>> {
    let overwrite = matches.get_flag("overwrite");
    let mut prepare = options::of_documents(matches, inputs.len())?.into_iter();
    let job = |input: &Input| {
        let mut job = PdfToSign::new(Document::from_path(&input.path));
        job.to = Some(input.path.with_extension("signed.pdf"));
        job.overwrite = overwrite;
        job.options = prepare.next().unwrap_or_default();
        job
    };
    let mut jobs: Vec<_> = inputs.iter().map(job).collect();
    if let Some(folder) = matches.get_one::<PathBuf>("output") {
        PdfToSign::into_folder(&mut jobs, folder, overwrite)?;
    }
    Ok(jobs)
}

fn login(
    engine: &Engine,
    matches: &ArgMatches,
    screen: &mut Screen,
    interrupted: Interrupted<'_>,
) -> Result<CscSession> {
    let callback = Callback::listen(matches.get_one("port").copied().unwrap_or(0))?;
    let redirect_uri = callback.address().to_owned();
    let options = CscLoginOptions {
        lang: matches.get_one::<String>("lang").cloned(),
        description: matches.get_one::<String>("description").cloned(),
    };
    let login = call::run(engine, interrupted, |client| async move {
        client.csc().begin(&redirect_uri, &options)
    })?;
    if matches.get_flag("open") && redirect::open(&login.url) {
        screen.note("Log in and agree in the browser.");
    } else {
        screen.note("Open this address to log in and agree:");
        screen.note(&login.url);
    }
    let came = callback.wait(interrupted)?;
    call::run(engine, interrupted, move |client| async move {
        client.csc().finish(&login.to_token(), &came, &FinishOptions::default()).await
    })
}

fn show(inputs: &[Input], results: &[SignedPdf], screen: &mut Screen) {
    let paint = screen.paint();
    let mut table = Table::new(&["document", "level", "field", "result"], &[]);
    for (input, result) in inputs.iter().zip(results) {
        let path = result.path.as_ref().map_or_else(|| "-".to_owned(), |p| p.display().to_string());
        table.row(vec![
            plain(&input.shown),
            paint.green(result.level.as_str()),
            plain(&result.field_name),
            plain(&path),
        ]);
    }
    screen.line(&table.render(|text| paint.bold(text)));
    screen.line("\nLook them over: signdoc verify FILE --trust ROOTS --original DOCUMENT");
}

fn document(inputs: &[Input], results: &[SignedPdf]) -> Value {
    let one = |(input, result): (&Input, &SignedPdf)| {
        json!({
            "document": input.shown,
            "path": result.path,
            "size": result.size,
            "level": result.level.as_str(),
            "field": result.field_name,
            "notes": result.notes,
        })
    };
    let results: Vec<_> = inputs.iter().zip(results).map(one).collect();
    json!({"results": results, "exit_status": exit::OK})
}
