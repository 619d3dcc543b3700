//! What the command line asks of a verification.

use std::path::{Path, PathBuf};

use clap::builder::NonEmptyStringValueParser;
use clap::{Arg, ArgAction, ArgMatches, value_parser};
use signdoc::pdf::verify::{Requirement, VerifyOptions};
use signdoc::pdf::x509::TrustAnchors;
use signdoc::{Code, Error, Result};

use crate::{inputs, page};

/// The options of `signdoc verify`.
pub(crate) fn args() -> Vec<Arg> {
    let many = |name: &'static str, value: &'static str, help: &'static str| {
        text(name, value, help).action(ArgAction::Append)
    };
    let page = "write the report as a page for people: one file without scripts, which anybody \
                can open in a browser";
    let page = page::args("html", page);
    let asked = [
        file(
            "original",
            "the document as it was sent; nothing but what signing needs may be added",
        ),
        file("trust", "certificates that are trusted, as PEM or DER; may be given several times")
            .action(ArgAction::Append),
        file("timestamp_trust", "those for timestamps; default: those of --trust")
            .action(ArgAction::Append),
        many(
            "signer",
            "NAME|SERIAL",
            "who is expected to have signed: a name or the serial number of the subject \
             (name=, serial= or certificate= before it says which); all that is given must agree",
        ),
        many(
            "require",
            "LIST",
            "what must pass, too: timestamp, revocation, seals, content_commitment, level, or a \
             level: B-B, B-T, B-LT, B-LTA; container_timestamp of an evidence bundle",
        )
        .value_delimiter(','),
        many("seal", "X,Y[,PAGE]", "where a visible seal was asked for; elsewhere none may stand"),
        text("signed_sha256", "DIGEST", "digest of the signed document that the service reported"),
        text("unsigned_sha256", "DIGEST", "the one of the document before it was signed"),
        switch(
            "converted",
            "the service converted the document before it was signed: --unsigned-sha256 takes \
             the place of --original",
        ),
        many(
            "extended_key_usage",
            "LIST",
            "purposes that a signer's certificate may have instead of the usual ones: absent, \
             names such as documentSigning, or identifiers",
        )
        .value_delimiter(','),
        switch("strict", "refuse deviations from the standards that are accepted otherwise"),
        switch("serial", "the files are the results of serial sessions, the first one first"),
    ];
    asked.into_iter().chain(page).collect()
}

fn file(name: &'static str, help: &'static str) -> Arg {
    let arg = Arg::new(name).long(name.replace('_', "-")).value_name("FILE").help(help);
    arg.value_parser(value_parser!(PathBuf))
}

fn text(name: &'static str, value: &'static str, help: &'static str) -> Arg {
    let arg = Arg::new(name).long(name.replace('_', "-")).value_name(value).help(help);
    arg.value_parser(NonEmptyStringValueParser::new())
}

fn switch(name: &'static str, help: &'static str) -> Arg {
    Arg::new(name).long(name).action(ArgAction::SetTrue).help(help)
}

/// # Errors
/// [`Code::InvalidOption`] for what cannot be understood; an original that cannot be read.
pub(super) fn read(matches: &ArgMatches) -> Result<VerifyOptions> {
    let original = match matches.get_one::<PathBuf>("original") {
        Some(path) => Some(inputs::open(path)?),
        None => None,
    };
    let files = matches.get_many::<PathBuf>("files").map_or(0, Iterator::count);
    if original.is_some() && files > 1 && !matches.get_flag("serial") {
        let why = format!("--original is for one file, {files} are named; verify one by one");
        return Err(refused(&format!("{why}, or say --serial")));
    }
    let mut options = VerifyOptions {
        original,
        converted: matches.get_flag("converted"),
        trust: anchors(matches, "trust")?.unwrap_or_default(),
        timestamp_trust: anchors(matches, "timestamp_trust")?,
        strict: matches.get_flag("strict"),
        ..VerifyOptions::default()
    };
    for name in
        ["signer", "require", "seal", "signed_sha256", "unsigned_sha256", "extended_key_usage"]
    {
        for value in matches.get_many::<String>(name).into_iter().flatten() {
            options.set(name, value).map_err(|error| refused(&format!("--{error}")))?;
        }
    }
    let is_known = options.original.is_some() || options.reported.unsigned_sha256.is_some();
    let is_later = matches.get_flag("serial") && files > 1;
    let has_seals = options.seals.positions.is_some();
    if (has_seals || options.require.contains(&Requirement::Seals)) && !is_known && !is_later {
        // Else only what came after the first signature would be looked at: never its own seal.
        let why = "--seal and --require seals need to know what was sent";
        return Err(refused(&format!("{why}: add --original, or --unsigned-sha256")));
    }
    Ok(options)
}

fn refused(why: &str) -> Error {
    Error::new(Code::InvalidOption, why)
}

fn anchors(matches: &ArgMatches, name: &str) -> Result<Option<TrustAnchors>> {
    let Some(paths) = matches.get_many::<PathBuf>(name) else { return Ok(None) };
    let mut all = TrustAnchors::none();
    for path in paths {
        for certificate in certificates(path, &name.replace('_', "-"))?.certificates() {
            all.push(certificate.clone());
        }
    }
    Ok(Some(all))
}

fn certificates(path: &Path, flag: &str) -> Result<TrustAnchors> {
    let unusable = |why: &str| refused(&format!("--{flag} names {}, which {why}", path.display()));
    let bytes =
        std::fs::read(path).map_err(|error| unusable(&format!("cannot be read: {error}")))?;
    TrustAnchors::from_bytes(&bytes)
        .map_err(|error| unusable(&format!("holds no certificates that can be used: {error}")))
}
