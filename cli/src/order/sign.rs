//! `signdoc sign`: an order from its creation to its results.

use std::path::{Path, PathBuf};

use clap::ArgMatches;
use serde_json::json;
use signdoc::engine::Engine;
use signdoc::order::OrderKind;
use signdoc::spec::values::PDFA_2B;
use signdoc::{
    CallOptions, Code, Document, Download, DownloadOptions, Error, Identity, LoginOptions, Order,
    OrderProperties, PadesDocument, PadesOrder, Result, SdoDocument, SdoOrder,
};

use super::wait::{Countdown, Watch};
use super::{download, fetch, kind, show};
use crate::inputs::{self, Input};
use crate::redirect::{self, Callback};
use crate::screen::{Screen, plain};
use crate::{Interrupted, call, connection, exit};

/// What came of it.
struct Done {
    order: Order,
    identity: Option<Identity>,
    download: Download,
}

pub(crate) fn run(matches: &ArgMatches, screen: &mut Screen, interrupted: Interrupted<'_>) -> i32 {
    let done = match signed(matches, screen, interrupted) {
        Ok(done) => done,
        Err(error) => return download::failed(&error, matches, screen),
    };
    let told = done.download.to_json();
    if matches.get_flag("json") {
        let signer = done.identity.as_ref().map(|who| json!({"subject": who.subject}));
        let whole = json!({
            "sign_id": done.order.sign_id,
            "signer": signer,
            "download": told,
            "exit_status": exit::OK,
        });
        screen.line(&format!("{whole:#}"));
    } else if !matches.get_flag("quiet") {
        show(&told, screen);
        match &done.identity {
            Some(who) => screen.line(&format!("\nsigned by {}", plain(&name_of(who)))),
            None => screen.line("\nno login came back here, so it is not known who signed"),
        }
        screen.line("Look them over: signdoc verify FILE --trust ROOTS --original DOCUMENT");
    }
    exit::OK
}

fn name_of(who: &Identity) -> String {
    let name = who.claims.get("name").and_then(|name| name.as_str());
    name.unwrap_or(&who.subject).to_owned()
}

fn signed(matches: &ArgMatches, screen: &mut Screen, interrupted: Interrupted<'_>) -> Result<Done> {
    let engine = connection::engine(matches)?;
    let inputs = inputs::resolve(matches.get_many("files").into_iter().flatten())?;
    let elsewhere = matches.get_one::<String>("redirect_uri");
    let callback = match elsewhere {
        Some(_) => None,
        None => Some(Callback::listen(matches.get_one("port").copied().unwrap_or(0))?),
    };
    let order = create(&engine, matches, &inputs, interrupted)?;
    let back = match (&callback, elsewhere) {
        (Some(callback), _) => callback.address().to_owned(),
        (None, address) => address.cloned().unwrap_or_default(),
    };
    let about = order.clone();
    let login = call::run(&engine, interrupted, |client| async move {
        client.login().begin(&about, &back, &LoginOptions::default()).await
    })?;
    screen.note(&format!("Order {}", plain(&order.sign_id)));
    if matches.get_flag("open") && redirect::open(&login.url) {
        screen.note("Sign in the browser.");
    } else {
        screen.note("Open this address to sign:");
        screen.note(&login.url);
    }
    let visible = !matches.get_flag("quiet") && !matches.get_flag("json");
    let watch = Watch {
        engine: &engine,
        order: &order,
        callback: callback.as_ref(),
        token: login.to_token(),
        countdown: Countdown::new(visible),
        interrupted,
    };
    let identity = watch.until_signed()?;
    let (about, kind) = (order.clone(), order.kind);
    let options = DownloadOptions { to: download::destination(matches), ..Default::default() };
    let download = call::run(&engine, interrupted, |client| async move {
        fetch(&client, kind, about.into(), &options).await
    })?;
    Ok(Done { order, identity, download })
}

fn create(
    engine: &Engine,
    matches: &ArgMatches,
    inputs: &[Input],
    interrupted: Interrupted<'_>,
) -> Result<Order> {
    let options = CallOptions::default();
    match kind(matches) {
        OrderKind::Pades => {
            let order = pades(matches, inputs);
            call::run(engine, interrupted, |client| async move {
                client.pades().create(&order, &options).await
            })
        }
        OrderKind::Sdo => {
            let order = sdo(matches, inputs)?;
            call::run(engine, interrupted, |client| async move {
                client.sdo().create(&order, &options).await
            })
        }
    }
}

fn properties(matches: &ArgMatches, inputs: &[Input]) -> OrderProperties {
    let first = inputs.first().map(|input| stem(&input.path)).unwrap_or_default();
    OrderProperties {
        name: matches.get_one::<String>("name").cloned().unwrap_or(first),
        timeout_seconds: matches.get_one("signing-time").copied(),
        ..OrderProperties::default()
    }
}

fn stem(path: &Path) -> String {
    path.file_stem().unwrap_or_default().to_string_lossy().into_owned()
}

fn results(matches: &ArgMatches) -> Option<Vec<String>> {
    let asked = matches.get_one::<String>("results")?;
    let names = asked.split(',').map(|name| name.trim().to_owned());
    Some(names.filter(|name| !name.is_empty()).collect())
}

fn pades(matches: &ArgMatches, inputs: &[Input]) -> PadesOrder {
    let document = |input: &Input| PadesDocument {
        description: Some(stem(&input.path)),
        pdf_spec: matches.get_flag("convert").then(|| PDFA_2B.to_owned()),
        ..PadesDocument::new(Document::from_path(&input.path))
    };
    let mut order = PadesOrder::new("", inputs.iter().map(document).collect());
    order.properties = properties(matches, inputs);
    order.add_visual_seals = matches.get_flag("visual_seals");
    order.results = results(matches).unwrap_or(order.results);
    order
}

fn sdo(matches: &ArgMatches, inputs: &[Input]) -> Result<SdoOrder> {
    let xls = matches.get_one::<PathBuf>("xls").map(|path| text_of(path)).transpose()?;
    let document = |input: &Input| -> Result<SdoDocument> {
        let ending = input.path.extension().unwrap_or_default().to_ascii_lowercase();
        let document = match ending.to_str() {
            Some("txt") => SdoDocument::from_text(text_of(&input.path)?),
            // The stylesheet is missed where the order is checked.
            Some("xml") => SdoDocument {
                xml: Some(text_of(&input.path)?),
                xls: xls.clone(),
                ..SdoDocument::default()
            },
            _ => SdoDocument::from_pdf(Document::from_path(&input.path)),
        };
        Ok(SdoDocument { description: Some(stem(&input.path)), ..document })
    };
    let documents: Result<Vec<_>> = inputs.iter().map(document).collect();
    let mut order = SdoOrder::new("", documents?);
    order.properties = properties(matches, inputs);
    order.results = results(matches).unwrap_or(order.results);
    Ok(order)
}

fn text_of(path: &Path) -> Result<String> {
    let bytes = std::fs::read(path).map_err(|error| inputs::unreadable(path, &error))?;
    String::from_utf8(bytes).map_err(|error| {
        let at = error.utf8_error().valid_up_to();
        let message = format!(
            "{} is not valid UTF-8 from its byte {at} on; save it as UTF-8",
            path.display()
        );
        Error::new(Code::InvalidUtf8, message)
    })
}
