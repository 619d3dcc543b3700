//! What the command line asks of a verification.

use std::path::{Path, PathBuf};

use clap::builder::NonEmptyStringValueParser;
use clap::{Arg, ArgAction, ArgMatches, value_parser};
use signdoc::{Code, Error, Result};
use signdoc_signature::verify::{
    ExpectedSigner, ReportedDigests, Requirement, SealPosition, SealRules, VerifyOptions,
};
use signdoc_signature::x509::TrustAnchors;

use crate::inputs;

/// The options of `signdoc verify`.
pub(crate) fn args() -> Vec<Arg> {
    let many = |name: &'static str, value: &'static str, help: &'static str| {
        text(name, value, help).action(ArgAction::Append)
    };
    vec![
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
            "what must pass, too: timestamp, revocation, seals, level, or a level: B-B, B-T, \
             B-LT, B-LTA",
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
        switch("serial", "the files are the results of serial sessions, the first one first"),
    ]
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
    let own = |name: &str| matches.get_one::<String>(name).cloned();
    let options = VerifyOptions {
        original,
        converted: matches.get_flag("converted"),
        reported: ReportedDigests {
            signed_sha256: own("signed_sha256"),
            unsigned_sha256: own("unsigned_sha256"),
        },
        trust: anchors(matches, "trust")?.unwrap_or_default(),
        timestamp_trust: anchors(matches, "timestamp_trust")?,
        signer: signer(&texts(matches, "signer"))?,
        require: requirements(&texts(matches, "require"))?,
        seals: seals(&texts(matches, "seal"))?,
        ..VerifyOptions::default()
    };
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

fn texts(matches: &ArgMatches, name: &str) -> Vec<String> {
    matches.get_many::<String>(name).into_iter().flatten().cloned().collect()
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

fn requirements(named: &[String]) -> Result<Vec<Requirement>> {
    let parse = |text: &String| text.parse().map_err(|error| refused(&format!("--{error}")));
    named.iter().map(parse).collect()
}

fn signer(given: &[String]) -> Result<Option<ExpectedSigner>> {
    let mut expected = ExpectedSigner::default();
    for text in given {
        let (place, value) = match text.split_once('=') {
            Some(("name", value)) => (&mut expected.name, value),
            Some(("serial", value)) => (&mut expected.serial_number, value),
            Some(("certificate", value)) => (&mut expected.certificate_serial, value),
            _ if looks_like_a_number(text) => (&mut expected.serial_number, text.as_str()),
            _ => (&mut expected.name, text.as_str()),
        };
        if place.replace(value.to_owned()).is_some() {
            return Err(refused(
                "--signer tells the same thing twice; one signature cannot be both",
            ));
        }
    }
    Ok((!given.is_empty()).then_some(expected))
}

/// `9578-5999-4-1234567` and `UN:NO-123` are numbers, `Firma 24 AS` is a name.
fn looks_like_a_number(text: &str) -> bool {
    let digits = text.chars().any(|c| c.is_ascii_digit());
    let words = text.trim().contains(char::is_whitespace);
    digits && (!words || !text.chars().any(char::is_alphabetic))
}

fn seals(given: &[String]) -> Result<SealRules> {
    let mut rules = SealRules::default();
    if !given.is_empty() {
        let parse = |text: &String| {
            position(text).ok_or_else(|| {
                refused(&format!("--seal {text} is no place; say x,y or x,y,page in points"))
            })
        };
        rules.positions = Some(given.iter().map(parse).collect::<Result<_>>()?);
    }
    Ok(rules)
}

fn position(text: &str) -> Option<SealPosition> {
    let mut parts = text.split(',');
    let mut number = || parts.next()?.trim().parse().ok().filter(|number: &f64| number.is_finite());
    let (x, y) = (number()?, number()?);
    let page = match parts.next() {
        Some(page) => page.trim().parse().ok()?,
        None => 1,
    };
    parts.next().is_none().then_some(SealPosition { x, y, page })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_signer_is_a_name_or_a_number() {
        let of = |given: &[&str]| {
            let given: Vec<_> = given.iter().map(|&text| text.to_owned()).collect();
            signer(&given).map(Option::unwrap_or_default)
        };
        let name = |name: &str| ExpectedSigner { name: Some(name.into()), ..Default::default() };
        let serial =
            |text: &str| ExpectedSigner { serial_number: Some(text.into()), ..Default::default() };
        assert_eq!(of(&["Kari Nordmann"]).unwrap(), name("Kari Nordmann"));
        assert_eq!(of(&["Firma 24 AS"]).unwrap(), name("Firma 24 AS"));
        assert_eq!(of(&["name=R2D2"]).unwrap(), name("R2D2"));
        assert_eq!(of(&["UN:NO-9578-5999-4-1"]).unwrap(), serial("UN:NO-9578-5999-4-1"));
        assert_eq!(of(&["4711 12"]).unwrap(), serial("4711 12"));
        let both = of(&["Kari", "certificate=0a:0b"]).unwrap();
        assert_eq!(
            (both.name, both.certificate_serial.as_deref()),
            (Some("Kari".into()), Some("0a:0b"))
        );
        assert!(of(&["Kari", "Ola"]).is_err());
        assert!(signer(&[]).unwrap().is_none(), "nobody is expected");
    }

    #[test]
    fn a_seal_has_a_place() {
        let place = |x, y, page| Some(SealPosition { x, y, page });
        assert_eq!(position("72,700"), place(72.0, 700.0, 1));
        assert_eq!(position("72.5, 700,3"), place(72.5, 700.0, 3));
        for wrong in ["", "72", "a,b", "72,700,1,1", "nan,1", "1,2,-1"] {
            assert_eq!(position(wrong), None, "{wrong}");
        }
    }
}
