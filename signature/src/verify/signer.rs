//! Who signed, and whether it is who was expected.

use super::options::ExpectedSigner;
use super::report::SignerReport;
use crate::crypto::HashAlgorithm;
use crate::x509::Certificate;

impl SignerReport {
    /// What `certificate` says about its subject.
    #[must_use]
    pub fn of(certificate: &Certificate) -> SignerReport {
        let subject = certificate.subject();
        let own = |text: Option<&str>| text.map(str::to_owned);
        let sha256 = certificate.fingerprint(HashAlgorithm::Sha256);
        SignerReport {
            name: own(subject.common_name()),
            given_name: own(subject.given_name()),
            surname: own(subject.surname()),
            serial_number: own(subject.serial_number()),
            organization: own(subject.organization()),
            country: own(subject.country()),
            subject: subject.to_string(),
            issuer: certificate.issuer().to_string(),
            certificate_serial: certificate.serial_hex(),
            certificate_sha256: sha256.iter().map(|byte| format!("{byte:02x}")).collect(),
            not_before: certificate.not_before().to_string(),
            not_after: certificate.not_after().to_string(),
        }
    }
}

impl ExpectedSigner {
    /// Whether a claim of this name can be compared with a certificate.
    #[must_use]
    pub fn compares(claim: &str) -> bool {
        matches!(claim, "name" | "given_name" | "family_name") || is_own_number(claim)
    }

    /// Compares everything that is given with a certificate; what agrees, by name.
    ///
    /// # Errors
    /// Which of it does not agree, without the values: reports travel.
    pub fn compare(&self, certificate: &Certificate) -> Result<Vec<&str>, Vec<&str>> {
        let mut agreed = Vec::new();
        let mut different = Vec::new();
        let mut note = |what, agrees: bool| {
            if agrees { agreed.push(what) } else { different.push(what) }
        };
        if let Some(name) = &self.name {
            note("name", names_match(certificate, name));
        }
        if let Some(number) = &self.serial_number {
            note("serial_number", serial_matches(certificate, number));
        }
        if let Some(serial) = &self.certificate_serial {
            note("certificate_serial", hex(serial) == hex(&certificate.serial_hex()));
        }
        let subject = certificate.subject();
        for (claim, value) in &self.claims {
            match claim.as_str() {
                "name" => note("claim name", names_match(certificate, value)),
                "given_name" => note("claim given_name", same(subject.given_name(), value)),
                "family_name" => note("claim family_name", same(subject.surname(), value)),
                claim if is_own_number(claim) => {
                    note("claim altsub", serial_matches(certificate, value));
                }
                _ => {}
            }
        }
        match (agreed.is_empty(), different.is_empty()) {
            (false, true) => Ok(agreed),
            (true, true) => Err(vec!["nothing that a certificate tells"]),
            _ => Err(different),
        }
    }
}

/// The eID's own number of a person; the national one stands elsewhere.
fn is_own_number(claim: &str) -> bool {
    claim.ends_with("_altsub") && claim != "nnin_altsub"
}

fn words(text: &str) -> Vec<String> {
    text.replace(',', " ").split_whitespace().map(str::to_lowercase).collect()
}

fn same(found: Option<&str>, expected: &str) -> bool {
    let expected = words(expected);
    !expected.is_empty() && found.is_some_and(|found| words(found) == expected)
}

/// `Kari Nordmann` and `Nordmann, Kari` are the same name.
fn names_match(certificate: &Certificate, expected: &str) -> bool {
    let sorted = |text: &str| {
        let mut words = words(text);
        words.sort();
        words
    };
    let wanted = sorted(expected);
    let subject = certificate.subject();
    let parts = [subject.given_name(), subject.surname()].map(|part| part.unwrap_or_default());
    !wanted.is_empty()
        && (subject.common_name().is_some_and(|name| sorted(name) == wanted)
            || sorted(&parts.join(" ")) == wanted)
}

/// The number itself, or behind a scheme such as `UN:NO-` or `PNONO-` (EN 319 412-1, 5.1.3).
fn serial_matches(certificate: &Certificate, expected: &str) -> bool {
    let expected = expected.trim();
    let Some(found) = certificate.subject().serial_number() else { return false };
    let found = found.trim();
    let bare = found
        .split_once('-')
        .filter(|(scheme, _)| !scheme.chars().any(|c| c.is_ascii_digit()))
        .map(|(_, number)| number);
    !expected.is_empty() && (found == expected || bare == Some(expected))
}

fn hex(text: &str) -> String {
    let digits: String = text.chars().filter(char::is_ascii_hexdigit).collect();
    digits.trim_start_matches('0').to_ascii_lowercase()
}
