//! How documents are signed, from the command line.

use std::path::{Path, PathBuf};

use clap::ArgMatches;
use clap::parser::ValueSource;
use signdoc::csc::{HashAlgorithm, Padding, SignPdfOptions};
use signdoc::pdf::asn1::Time;
use signdoc::pdf::sign::{Certification, PrepareOptions, Seal, SealFit, SubFilter, ValidationData};
use signdoc::pdf::x509::TrustAnchors;
use signdoc::{Error, Result};

use crate::inputs;
use crate::per_document::{NONE, numbers, page, refused, spread};

/// What only a visible seal has.
const OF_SEALS: &[&str] = &["seal_text", "seal_color", "no_seal_border", "seal_move"];

/// What is the same for all documents of a session.
pub(super) fn of_call(matches: &ArgMatches) -> Result<SignPdfOptions> {
    let text = |name: &str| matches.get_one::<String>(name).cloned();
    Ok(SignPdfOptions {
        hash_algorithm: text("hash").and_then(|name| HashAlgorithm::from_name(&name)),
        credential_id: text("credential"),
        padding: text("padding").map(|name| Padding::named(&name)).transpose()?,
        description: text("description"),
        validation: validation(matches)?,
        ..SignPdfOptions::default()
    })
}

/// How each of `count` documents is prepared.
pub(super) fn of_documents(matches: &ArgMatches, count: usize) -> Result<Vec<PrepareOptions>> {
    if let Some(name) = OF_SEALS.iter().find(|name| {
        matches.value_source(name) == Some(ValueSource::CommandLine) && !matches.contains_id("seal")
    }) {
        return Err(refused(format!(
            "--{} is about a visible seal, but none is drawn; add --seal",
            name.replace('_', "-")
        )));
    }
    let each = |name: &str| -> Result<std::vec::IntoIter<Option<String>>> {
        let given = matches.get_many::<String>(name).into_iter().flatten().cloned().collect();
        let spread = spread(&name.replace('_', "-"), given, count, "documents")?;
        let kept = spread.into_iter().map(|one| one.filter(|text| text != NONE));
        Ok(kept.collect::<Vec<_>>().into_iter())
    };
    let (mut reasons, mut locations, mut contacts) =
        (each("reason")?, each("location")?, each("contact")?);
    let (mut names, mut fields, mut seals) = (each("signer_name")?, each("field")?, each("seal")?);
    let common = PrepareOptions {
        time: matches.get_one::<String>("time").map(|text| time(text)).transpose()?,
        sub_filter: sub_filter(matches),
        certification: certification(matches),
        ..PrepareOptions::default()
    };
    let one = |_| {
        Ok(PrepareOptions {
            field_name: fields.next().flatten(),
            reason: reasons.next().flatten(),
            location: locations.next().flatten(),
            name: names.next().flatten(),
            contact_info: contacts.next().flatten(),
            seal: seals.next().flatten().map(|text| seal(matches, &text)).transpose()?,
            ..common.clone()
        })
    };
    (0..count).map(one).collect()
}

fn sub_filter(matches: &ArgMatches) -> SubFilter {
    let named = matches.get_one::<String>("sub_filter").map(String::as_str);
    match named == Some(SubFilter::AdbePkcs7Detached.name()) {
        true => SubFilter::AdbePkcs7Detached,
        false => SubFilter::EtsiCadesDetached,
    }
}

fn certification(matches: &ArgMatches) -> Option<Certification> {
    Some(match matches.get_one::<String>("certify")?.as_str() {
        "no-changes" => Certification::NoChanges,
        "form-filling" => Certification::FormFilling,
        _ => Certification::Annotations,
    })
}

fn seal(matches: &ArgMatches, text: &str) -> Result<Seal> {
    let form = "X,Y, X,Y,PAGE or X,Y,PAGE,WIDTH,HEIGHT";
    let numbers = numbers("seal", text, &[2, 3, 5], form)?;
    let plain = Seal::default();
    let number = |at: usize, other: f64| numbers.get(at).copied().unwrap_or(other);
    let color = matches.get_one::<String>("seal_color").map(|text| color(text)).transpose()?;
    Ok(Seal {
        x: number(0, plain.x),
        y: number(1, plain.y),
        page: page("seal", text, numbers.get(2))?,
        width: number(3, plain.width),
        height: number(4, plain.height),
        lines: matches.get_many::<String>("seal_text").into_iter().flatten().cloned().collect(),
        has_border: !matches.get_flag("no_seal_border"),
        color: color.unwrap_or(plain.color),
        fit: if matches.get_flag("seal_move") { SealFit::Move } else { SealFit::Refuse },
    })
}

fn color(text: &str) -> Result<[f64; 3]> {
    let wrong = || {
        refused(format!(
            "--seal-color is {text:?}; give red, green and blue as six hexadecimal digits, such as 0d2154"
        ))
    };
    let digits = text.strip_prefix('#').unwrap_or(text);
    if digits.len() != 6 || !digits.chars().all(|c| c.is_ascii_hexdigit()) {
        return Err(wrong());
    }
    let number = u32::from_str_radix(digits, 16).map_err(|_| wrong())?;
    Ok([16, 8, 0].map(|shift| f64::from(number >> shift & 0xff) / 255.0))
}

/// `2026-01-31T12:00:00Z`, and nothing else.
fn time(text: &str) -> Result<Time> {
    let number = |from: usize, to: usize| text.get(from..to)?.parse::<i64>().ok();
    let marks = [(4, "-"), (7, "-"), (10, "T"), (13, ":"), (16, ":"), (19, "Z")];
    let is_of_form =
        text.len() == 20 && marks.iter().all(|(at, mark)| text.get(*at..*at + 1) == Some(mark));
    let read = || {
        Time::from_civil(
            number(0, 4)?,
            number(5, 7)?,
            number(8, 10)?,
            number(11, 13)?,
            number(14, 16)?,
            number(17, 19)?,
        )
    };
    is_of_form.then(read).flatten().ok_or_else(|| {
        refused(format!("--time is {text:?}; give it in UTC, such as 2026-01-31T12:00:00Z"))
    })
}

/// What is embedded besides what comes with the signature.
fn validation(matches: &ArgMatches) -> Result<ValidationData> {
    let mut data = ValidationData::default();
    for path in matches.get_many::<PathBuf>("embed_certificate").into_iter().flatten() {
        let bytes = read(path)?;
        let found = TrustAnchors::from_bytes(&bytes)
            .map_err(|error| unusable("embed-certificate", path, &error.to_string()))?;
        data.certificates.extend(found.certificates().iter().map(|one| one.as_der().to_vec()));
    }
    data.ocsp_responses = der(matches, "embed_ocsp")?;
    data.crls = der(matches, "embed_crl")?;
    Ok(data)
}

/// Files that each hold one element in DER.
fn der(matches: &ArgMatches, name: &str) -> Result<Vec<Vec<u8>>> {
    let one = |path: &PathBuf| {
        let bytes = read(path)?;
        // The tag of a sequence: PEM and most other mistakes begin otherwise.
        match bytes.first() {
            Some(0x30) => Ok(bytes),
            _ => Err(unusable(&name.replace('_', "-"), path, "it is not DER")),
        }
    };
    matches.get_many::<PathBuf>(name).into_iter().flatten().map(one).collect()
}

fn read(path: &Path) -> Result<Vec<u8>> {
    std::fs::read(path).map_err(|error| inputs::unreadable(path, &error))
}

fn unusable(flag: &str, path: &Path, why: &str) -> Error {
    refused(format!("--{flag} names {}, which cannot be used: {why}", path.display()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_time_is_read_in_one_form() {
        assert_eq!(time("1970-01-02T00:00:01Z").unwrap().unix(), 86_401);
        for bad in [
            "",
            "now",
            "1970-01-02",
            "1970-02-30T00:00:00Z",
            "1970-01-02T00:00:01+01",
            "1970-01-02 00:00:01Z",
        ] {
            assert!(time(bad).unwrap_err().message().contains("2026-01-31T12:00:00Z"), "{bad}");
        }
    }

    #[test]
    fn a_colour_is_six_digits() {
        assert_eq!(color("#ff0033").unwrap(), [1.0, 0.0, 0.2]);
        for bad in ["", "red", "+f0033", "ff00333"] {
            assert!(color(bad).is_err(), "{bad}");
        }
    }
}
