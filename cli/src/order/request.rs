//! From the command line to an order: documents, and what is said of each.

use std::path::{Path, PathBuf};

use clap::ArgMatches;
use signdoc::order::OrderKind;
use signdoc::{
    Code, Document, Error, LoginOptions, OrderProperties, PadesDocument, PadesOrder, Result,
    SdoDocument, SdoOrder, SealPosition,
};

use crate::inputs::{self, Input};
use crate::per_document::{NONE, each, numbers, page, refused, spread};

/// A checked command line.
pub(super) struct Request {
    pub(super) order: Asked,
    /// What results are called that have to be written by the program itself.
    pub(super) names: Vec<Option<String>>,
}

/// An order of either kind.
pub(super) enum Asked {
    Pades(PadesOrder),
    Sdo(SdoOrder),
}

impl Asked {
    /// What is to be handed out.
    pub(super) fn results(&self) -> &[String] {
        match self {
            Self::Pades(order) => &order.results,
            Self::Sdo(order) => &order.results,
        }
    }
}

/// # Errors
/// What does not fit together on the command line; files that cannot be read.
pub(super) fn read(matches: &ArgMatches, kind: OrderKind) -> Result<Request> {
    let inputs = inputs::resolve(matches.get_many("files").into_iter().flatten())?;
    let texts: Vec<_> = strings(matches, "text").collect();
    let mut names: Vec<_> = inputs.iter().map(|input| Some(stem(&input.path))).collect();
    names.resize(inputs.len() + texts.len(), None);
    let order = match kind {
        OrderKind::Pades => Asked::Pades(pades(matches, &inputs)?),
        OrderKind::Sdo => Asked::Sdo(sdo(matches, &inputs, texts)?),
    };
    Ok(Request { order, names })
}

/// How the end user is sent to log in.
pub(super) fn login(matches: &ArgMatches) -> LoginOptions {
    LoginOptions {
        ui_locales: matches.get_one::<String>("lang").cloned(),
        scopes: list(matches, "login_scope").unwrap_or_default(),
        response_mode: matches.get_one::<String>("response_mode").cloned(),
        ..LoginOptions::default()
    }
}

fn strings<'a>(matches: &'a ArgMatches, name: &str) -> impl Iterator<Item = String> + 'a {
    matches.get_many::<String>(name).into_iter().flatten().cloned()
}

/// A list with commas between its items.
fn list(matches: &ArgMatches, name: &str) -> Option<Vec<String>> {
    let asked = matches.get_one::<String>(name)?;
    let names = asked.split(',').map(|name| name.trim().to_owned());
    Some(names.filter(|name| !name.is_empty()).collect())
}

fn properties(matches: &ArgMatches, inputs: &[Input]) -> OrderProperties {
    let first = inputs.first().map_or_else(|| "Text".to_owned(), |input| stem(&input.path));
    let either = |yes: &str, no: &str| match (matches.get_flag(yes), matches.get_flag(no)) {
        (true, _) => Some(true),
        (_, true) => Some(false),
        _ => None,
    };
    OrderProperties {
        name: matches.get_one::<String>("name").cloned().unwrap_or(first),
        display_mode: matches.get_one::<String>("display_mode").cloned(),
        show_confirmation: either("confirmation", "no_confirmation"),
        show_understanding: either("understanding", "no_understanding"),
        timeout_seconds: matches.get_one("signing-time").copied(),
    }
}

fn stem(path: &Path) -> String {
    path.file_stem().unwrap_or_default().to_string_lossy().into_owned()
}

fn is_called(path: &Path, ending: &str) -> bool {
    path.extension().is_some_and(|own| own.eq_ignore_ascii_case(ending))
}

/// What each document is called: as it is told, else as its file is.
fn descriptions(
    matches: &ArgMatches,
    inputs: &[Input],
    count: usize,
) -> Result<Vec<Option<String>>> {
    let given = each("description", strings(matches, "description").collect(), count)?;
    let own = |(index, given): (usize, Option<String>)| match given {
        Some(told) => Some(told).filter(|told| !told.is_empty()),
        None => inputs.get(index).map(|input| stem(&input.path)),
    };
    Ok(given.into_iter().enumerate().map(own).collect())
}

/// The values of a flag that may leave documents out.
fn optional(matches: &ArgMatches, flag: &str, count: usize) -> Result<Vec<Option<String>>> {
    let name = flag.replace('-', "_");
    let spread = spread(flag, strings(matches, &name).collect(), count, "documents")?;
    Ok(spread.into_iter().map(|value| value.filter(|text| text != NONE)).collect())
}

fn seals(matches: &ArgMatches, flag: &str, count: usize) -> Result<Vec<Option<SealPosition>>> {
    let position = |text: Option<String>| {
        let Some(text) = text else { return Ok(None) };
        let numbers = numbers(flag, &text, &[2, 3], "X,Y or X,Y,PAGE")?;
        let page = page(flag, &text, numbers.get(2))?;
        let number = |at: usize| numbers.get(at).copied().unwrap_or_default();
        Ok(Some(SealPosition { x: number(0), y: number(1), page: page.into() }))
    };
    optional(matches, flag, count)?.into_iter().map(position).collect()
}

fn pades(matches: &ArgMatches, inputs: &[Input]) -> Result<PadesOrder> {
    if let Some(input) =
        inputs.iter().find(|input| is_called(&input.path, "txt") || is_called(&input.path, "xml"))
    {
        return Err(Error::new(
            Code::NotAPdf,
            format!(
                "{} is no PDF; texts and XML are signed as data objects: add --sdo",
                input.shown
            ),
        ));
    }
    let count = inputs.len();
    let mut descriptions = descriptions(matches, inputs, count)?.into_iter();
    let mut specs = optional(matches, "convert", count)?.into_iter();
    let mut merchant = seals(matches, "merchant-seal", count)?.into_iter();
    let mut end_user = seals(matches, "end-user-seal", count)?.into_iter();
    let mut alone = optional(matches, "end-user-only", count)?.into_iter();
    let mut documents = Vec::with_capacity(count);
    for input in inputs {
        let document = PadesDocument {
            description: descriptions.next().flatten(),
            pdf_spec: specs.next().flatten(),
            merchant_seal: merchant.next().flatten(),
            end_user_seal: end_user.next().flatten(),
            end_user_only: alone.next().flatten().map(|said| said == "yes"),
            ..PadesDocument::new(Document::from_path(&input.path))
        };
        if document.end_user_only == Some(true) && document.merchant_seal.is_some() {
            return Err(refused(format!(
                "--merchant-seal does not apply to {}, which the end user signs alone (--end-user-only); give each of the {count} documents its own, with none for this one",
                input.shown
            )));
        }
        documents.push(document);
    }
    let mut order = PadesOrder::new("", documents);
    order.properties = properties(matches, inputs);
    order.add_visual_seals = matches.get_flag("visual_seals");
    order.results = list(matches, "results").unwrap_or(order.results);
    order.strict = matches.get_flag("strict");
    Ok(order)
}

fn sdo(matches: &ArgMatches, inputs: &[Input], texts: Vec<String>) -> Result<SdoOrder> {
    let is_xml = |input: &&Input| is_called(&input.path, "xml");
    let mut sheets = stylesheets(matches, inputs.iter().filter(is_xml).count())?.into_iter();
    let mut documents = Vec::with_capacity(inputs.len() + texts.len());
    for input in inputs {
        documents.push(if is_xml(&input) {
            // A stylesheet that is missing is told where the order is checked.
            let (xml, xls) = (Some(text_of(&input.path)?), sheets.next().flatten());
            SdoDocument { xml, xls, ..SdoDocument::default() }
        } else if is_called(&input.path, "txt") {
            SdoDocument::from_text(text_of(&input.path)?)
        } else {
            SdoDocument::from_pdf(Document::from_path(&input.path))
        });
    }
    documents.extend(texts.into_iter().map(SdoDocument::from_text));
    let descriptions = descriptions(matches, inputs, documents.len())?;
    for (document, description) in documents.iter_mut().zip(descriptions) {
        document.description = description;
    }
    let mut order = SdoOrder::new("", documents);
    order.properties = properties(matches, inputs);
    order.results = list(matches, "results").unwrap_or(order.results);
    Ok(order)
}

/// A stylesheet for each of `count` XML documents.
fn stylesheets(matches: &ArgMatches, count: usize) -> Result<Vec<Option<String>>> {
    let paths: Vec<&PathBuf> = matches.get_many("xls").into_iter().flatten().collect();
    if count == 0 && !paths.is_empty() {
        return Err(refused(
            "--xls is the stylesheet of an XML document (*.xml), but none is named".to_owned(),
        ));
    }
    let read = |path: Option<&PathBuf>| path.map(|path| text_of(path)).transpose();
    spread("xls", paths, count, "XML documents")?.into_iter().map(read).collect()
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
