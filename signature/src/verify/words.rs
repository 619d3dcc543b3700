//! Options as texts under their names: the same words on the command line and in every language.

use std::fmt;

use super::options::{ExpectedSigner, FormFilling, SealPosition, VerifyOptions};
use crate::asn1::Time;

/// An option that does not exist, or a value that it cannot have.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct InvalidOption(String);

impl fmt::Display for InvalidOption {
    /// Begins with the name of the option.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for InvalidOption {}

/// The names that [`VerifyOptions::set`] knows.
pub const OPTION_NAMES: [&str; 14] = [
    "signer",
    "claim",
    "require",
    "seal",
    "signed_sha256",
    "unsigned_sha256",
    "converted",
    "form_filling",
    "extended_key_usage",
    "strict",
    "max_seal_width",
    "max_seal_height",
    "seal_tolerance",
    "at",
];

impl VerifyOptions {
    /// Sets an option from a text:
    ///
    /// | name | value |
    /// |---|---|
    /// | `signer` | a name or the serial number of the subject; `name=`, `serial=` or `certificate=` before it says which; several must all agree |
    /// | `claim` | a claim of the login's token, `given_name=Kari`; several must all agree |
    /// | `require` | what must pass, too: `timestamp`, `revocation`, `seals`, `content_commitment`, `level` or a level, separated by commas |
    /// | `seal` | where a visible seal was asked for: `x,y` or `x,y,page`, in points from the upper left corner; `none` where none was |
    /// | `signed_sha256`, `unsigned_sha256` | the digests that the service reported, in base64 or hex |
    /// | `converted` | `true` where the service converted the document before it was signed |
    /// | `form_filling` | `empty_fields` (may be filled in before a signature) or `forbidden` |
    /// | `extended_key_usage` | purposes that a signer's certificate may have instead of the usual ones, separated by commas: `absent`, names such as `documentSigning`, or identifiers |
    /// | `strict` | `true` refuses deviations from the standards that are accepted otherwise |
    /// | `max_seal_width`, `max_seal_height`, `seal_tolerance` | in points |
    /// | `at` | the time of the verification, in seconds since 1970 |
    ///
    /// `signer`, `claim`, `require`, `seal` and `extended_key_usage` add to what was set before; the others replace it.
    ///
    /// # Errors
    /// For another name, and for a value that cannot be understood.
    pub fn set(&mut self, name: &str, value: &str) -> Result<(), InvalidOption> {
        let wrong = |why: &str| InvalidOption(format!("{name} is {value:?}; {why}"));
        match name {
            "signer" => return add_signer(self.signer.get_or_insert_default(), value),
            "claim" => {
                let (claim, value) = value.split_once('=').ok_or_else(|| {
                    // The value may identify a person: it is not repeated.
                    InvalidOption("claim is no pair; say name=value".into())
                })?;
                let signer = self.signer.get_or_insert_default();
                signer.claims.push((claim.to_owned(), value.to_owned()));
            }
            "require" => {
                for part in value.split(',') {
                    let parsed = part.parse().map_err(|error| InvalidOption(format!("{error}")));
                    self.require.push(parsed?);
                }
            }
            "seal" if value == "none" => {
                self.seals.positions.get_or_insert_default();
            }
            "seal" => {
                let place = position(value).ok_or_else(|| {
                    let why = "is no place; say x,y or x,y,page in points";
                    InvalidOption(format!("seal {value} {why}"))
                })?;
                self.seals.positions.get_or_insert_default().push(place);
            }
            "signed_sha256" => self.reported.signed_sha256 = Some(value.to_owned()),
            "unsigned_sha256" => self.reported.unsigned_sha256 = Some(value.to_owned()),
            "converted" | "strict" => {
                let is_on = match value {
                    "true" | "1" => true,
                    "false" | "0" => false,
                    _ => return Err(wrong("say true or false")),
                };
                match name {
                    "strict" => self.strict = is_on,
                    _ => self.converted = is_on,
                }
            }
            "extended_key_usage" => {
                for part in value.split(',') {
                    let parsed = part.parse();
                    let parsed =
                        parsed.map_err(|error| InvalidOption(format!("{name}: {error}")))?;
                    self.extended_key_usage.add(parsed);
                }
            }
            "form_filling" => {
                self.form_filling = match value {
                    "empty_fields" => FormFilling::EmptyFields,
                    "forbidden" => FormFilling::Forbidden,
                    _ => return Err(wrong("say empty_fields or forbidden")),
                };
            }
            "max_seal_width" | "max_seal_height" | "seal_tolerance" => {
                let points = value.trim().parse().ok();
                let points = points.filter(|points: &f64| points.is_finite() && *points >= 0.0);
                let points = points.ok_or_else(|| wrong("say a number of points from 0 on"))?;
                match name {
                    "max_seal_width" => self.seals.max_width = points,
                    "max_seal_height" => self.seals.max_height = points,
                    _ => self.seals.tolerance = points,
                }
            }
            "at" => {
                let seconds = value.trim().parse().ok().filter(|s: &i64| s.abs() < 1 << 40);
                let seconds = seconds.ok_or_else(|| wrong("say whole seconds since 1970"))?;
                self.at = Some(Time::from_unix(seconds));
            }
            _ => {
                let known = OPTION_NAMES.join(", ");
                return Err(InvalidOption(format!("{name:?} is no option: use one of {known}")));
            }
        }
        Ok(())
    }
}

fn add_signer(expected: &mut ExpectedSigner, text: &str) -> Result<(), InvalidOption> {
    let (place, value) = match text.split_once('=') {
        Some(("name", value)) => (&mut expected.name, value),
        Some(("serial", value)) => (&mut expected.serial_number, value),
        Some(("certificate", value)) => (&mut expected.certificate_serial, value),
        _ if looks_like_a_number(text) => (&mut expected.serial_number, text),
        _ => (&mut expected.name, text),
    };
    if place.replace(value.to_owned()).is_some() {
        let why = "signer tells the same thing twice; one signature cannot be both";
        return Err(InvalidOption(why.into()));
    }
    Ok(())
}

/// `9578-5999-4-1234567` and `UN:NO-123` are numbers, `Firma 24 AS` is a name.
fn looks_like_a_number(text: &str) -> bool {
    let digits = text.chars().any(|c| c.is_ascii_digit());
    let words = text.trim().contains(char::is_whitespace);
    digits && (!words || !text.chars().any(char::is_alphabetic))
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
    use crate::verify::{Level, Requirement};

    fn set(pairs: &[(&str, &str)]) -> Result<VerifyOptions, InvalidOption> {
        let mut options = VerifyOptions::default();
        pairs.iter().try_for_each(|(name, value)| options.set(name, value))?;
        Ok(options)
    }

    fn signer(given: &[&str]) -> Result<ExpectedSigner, InvalidOption> {
        let pairs: Vec<_> = given.iter().map(|&text| ("signer", text)).collect();
        set(&pairs).map(|options| options.signer.unwrap())
    }

    #[test]
    fn a_signer_is_a_name_or_a_number() {
        let name =
            |name: &str| ExpectedSigner { name: Some(name.into()), ..ExpectedSigner::default() };
        let number = |number: &str| ExpectedSigner {
            serial_number: Some(number.into()),
            ..ExpectedSigner::default()
        };
        assert_eq!(signer(&["Kari Nordmann"]).unwrap(), name("Kari Nordmann"));
        assert_eq!(signer(&["name=4711"]).unwrap(), name("4711"));
        assert_eq!(signer(&["Firma 24 AS"]).unwrap(), name("Firma 24 AS"));
        let digits = "9578-5999-4-1234567";
        for text in [digits, "UN:NO-9578", "01 01 1970"] {
            assert_eq!(signer(&[text]).unwrap(), number(text));
        }
        assert_eq!(signer(&["serial=x"]).unwrap(), number("x"));
        let both = ExpectedSigner { certificate_serial: Some("4a".into()), ..name("K") };
        assert_eq!(signer(&["certificate=4a", "K"]).unwrap(), both);
        let twice = signer(&["Kari", "Ola"]).unwrap_err().to_string();
        assert!(twice.starts_with("signer tells") && !twice.contains("Ola"), "{twice}");
    }

    #[test]
    fn a_place_is_two_numbers_and_a_page() {
        let places = set(&[("seal", "72, 100.5"), ("seal", "0,0,3")]).unwrap().seals.positions;
        let (first, second) =
            (SealPosition { x: 72.0, y: 100.5, page: 1 }, SealPosition { x: 0.0, y: 0.0, page: 3 });
        assert_eq!(places, Some(vec![first, second]));
        assert_eq!(set(&[("seal", "none")]).unwrap().seals.positions, Some(vec![]));
        for text in ["", "1", "1,2,3,4", "1,2,-1", "NaN,2", "inf,2", "a,b"] {
            assert!(set(&[("seal", text)]).is_err(), "{text}");
        }
    }

    #[test]
    fn everything_else_is_checked_as_well() {
        let options = set(&[
            ("require", "timestamp,B-LT"),
            ("require", "seals"),
            ("converted", "true"),
            ("form_filling", "forbidden"),
            ("max_seal_width", "410.5"),
            ("at", "1795176000"),
            ("claim", "given_name=Kari"),
            ("extended_key_usage", "absent,documentSigning,1.2.3"),
            ("strict", "true"),
        ])
        .unwrap();
        let wanted = [Requirement::Timestamp, Requirement::Level(Level::BLT), Requirement::Seals];
        assert_eq!(options.require, wanted);
        assert!(options.strict && options.converted && options.seals.max_width == 410.5);
        assert_eq!(options.at, Some(Time::from_unix(1_795_176_000)));
        assert_eq!(options.signer.unwrap().claims, [("given_name".into(), "Kari".into())]);
        for (name, value) in [
            ("require", "everything"),
            ("require", ""),
            ("converted", "maybe"),
            ("form_filling", ""),
            ("max_seal_width", "-1"),
            ("seal_tolerance", "NaN"),
            ("at", "today"),
            ("claim", "Kari"),
            ("extended_key_usage", "everything"),
            ("extended_key_usage", ""),
            ("strict", "very"),
            ("trust_me", "1"),
        ] {
            let told = set(&[(name, value)]).unwrap_err().to_string();
            assert!(told.contains(name), "{told}");
        }
        // Every name is known to `set`.
        for name in OPTION_NAMES {
            let told = set(&[(name, "\u{0}")]).err().map(|error| error.to_string());
            assert!(told.is_none_or(|told| !told.contains("is no option")), "{name}");
        }
    }
}
