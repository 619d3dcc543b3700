//! Distinguished names.

use std::fmt;

use crate::asn1::{Malformed, Oid, Reader, SET, oids, string, writer};

const WHAT: &str = "distinguished name";
/// Longer names only make comparisons slow.
const MAX_SIZE: usize = 64 << 10;

/// A distinguished name (RFC 5280, 4.1.2.4), in the order of the certificate.
///
/// Debug output shows no more than [`Name::shown`].
#[derive(Clone, PartialEq, Eq, Hash)]
pub struct Name {
    der: Vec<u8>,
    rdns: Vec<Vec<Attribute>>,
}

#[derive(Clone, PartialEq, Eq, Hash)]
struct Attribute {
    oid: Oid,
    text: String,
    /// Compared instead of the text when the value is no readable string.
    raw: Option<Vec<u8>>,
}

impl Name {
    /// Reads the next Name.
    ///
    /// # Errors
    /// When it is no sequence of relative names, or longer than 64 KiB.
    pub fn read(reader: &mut Reader<'_>) -> Result<Self, Malformed> {
        let element = reader.expect(crate::asn1::SEQUENCE, WHAT)?;
        if element.raw.len() > MAX_SIZE {
            let why = format!("has {} bytes, more than {MAX_SIZE}", element.raw.len());
            return Err(Malformed::new(WHAT, why));
        }
        let mut rdns = Vec::new();
        let mut sets = element.reader();
        while !sets.is_empty() {
            let mut set = sets.set(WHAT)?;
            let mut rdn = Vec::new();
            while !set.is_empty() {
                let mut pair = set.sequence(WHAT)?;
                let oid = pair.oid(WHAT)?;
                let value = pair.any(WHAT)?;
                pair.finish(WHAT)?;
                let text = string(&value);
                let raw = text.is_none().then(|| value.raw.to_vec());
                let text = text.unwrap_or_else(|| hex(value.raw));
                rdn.push(Attribute { oid, text, raw });
            }
            rdns.push(rdn);
        }
        Ok(Self { der: element.raw.to_vec(), rdns })
    }

    /// The name one level below this one, by the content of its last RelativeDistinguishedName.
    ///
    /// # Errors
    /// When that is none, or the name gets too long.
    pub(crate) fn below(&self, content: &[u8]) -> Result<Self, Malformed> {
        let above = Reader::new(&self.der).sequence(WHAT)?;
        let last = writer::tlv(SET, content);
        Self::read(&mut Reader::new(&writer::sequence(&[above.rest(), &last])))
    }

    /// The name as it stands in the certificate, in DER.
    #[must_use]
    pub fn as_der(&self) -> &[u8] {
        &self.der
    }

    /// True for a name without any attribute.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.rdns.is_empty()
    }

    /// The first value of an attribute.
    #[must_use]
    pub fn get(&self, oid: Oid) -> Option<&str> {
        self.rdns.iter().flatten().find(|attribute| attribute.oid == oid).map(|a| a.text.as_str())
    }

    /// Every attribute with its value, in order.
    pub fn attributes(&self) -> impl Iterator<Item = (Oid, &str)> {
        self.rdns.iter().flatten().map(|attribute| (attribute.oid, attribute.text.as_str()))
    }

    /// commonName.
    #[must_use]
    pub fn common_name(&self) -> Option<&str> {
        self.get(oids::COMMON_NAME)
    }

    /// serialNumber (of the subject; not the certificate's).
    #[must_use]
    pub fn serial_number(&self) -> Option<&str> {
        self.get(oids::SERIAL_NUMBER)
    }

    /// organizationName.
    #[must_use]
    pub fn organization(&self) -> Option<&str> {
        self.get(oids::ORGANIZATION)
    }

    /// countryName.
    #[must_use]
    pub fn country(&self) -> Option<&str> {
        self.get(oids::COUNTRY)
    }

    /// givenName.
    #[must_use]
    pub fn given_name(&self) -> Option<&str> {
        self.get(oids::GIVEN_NAME)
    }

    /// surname.
    #[must_use]
    pub fn surname(&self) -> Option<&str> {
        self.get(oids::SURNAME)
    }

    /// The name for texts that travel (reports, logs): what it is called, its organization and
    /// country, and no number or other identifier of a person.
    #[must_use]
    pub fn shown(&self) -> String {
        let public =
            [oids::COMMON_NAME, oids::ORGANIZATION, oids::ORGANIZATIONAL_UNIT, oids::COUNTRY];
        let kept = self.rdns.iter().flatten().filter(|attribute| public.contains(&attribute.oid));
        let kept = Self { der: Vec::new(), rdns: vec![kept.cloned().collect()] };
        if kept.rdns.iter().all(Vec::is_empty) {
            "someone unnamed".into()
        } else {
            kept.to_string()
        }
    }

    /// True when both names mean the same: equal bytes, or equal after folding case and white
    /// space (RFC 5280, 7.1).
    #[must_use]
    pub fn matches(&self, other: &Self) -> bool {
        self.der == other.der
            || (self.rdns.len() == other.rdns.len()
                && self.rdns.iter().zip(&other.rdns).all(|(a, b)| folded(a) == folded(b)))
    }

    /// True when the relative names of `other` are the first ones of this name: it lies in the
    /// subtree below `other` (RFC 5280, 4.2.1.10), or is the same.
    #[must_use]
    pub fn starts_with(&self, other: &Self) -> bool {
        self.rdns.len() >= other.rdns.len()
            && self.rdns.iter().zip(&other.rdns).all(|(a, b)| folded(a) == folded(b))
    }
}

fn folded(rdn: &[Attribute]) -> Vec<(Oid, Result<String, &[u8]>)> {
    let mut pairs: Vec<_> = rdn
        .iter()
        .map(|attribute| match &attribute.raw {
            Some(raw) => (attribute.oid, Err(raw.as_slice())),
            None => {
                let words: Vec<_> = attribute.text.split_whitespace().collect();
                (attribute.oid, Ok(words.join(" ").to_lowercase()))
            }
        })
        .collect();
    pairs.sort();
    pairs
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().fold(String::from("#"), |mut text, byte| {
        text.push_str(&format!("{byte:02x}"));
        text
    })
}

fn label(oid: Oid) -> Option<&'static str> {
    Some(match oid {
        oids::COMMON_NAME => "CN",
        oids::SURNAME => "SN",
        oids::SERIAL_NUMBER => "serialNumber",
        oids::COUNTRY => "C",
        oids::LOCALITY => "L",
        oids::STATE => "ST",
        oids::ORGANIZATION => "O",
        oids::ORGANIZATIONAL_UNIT => "OU",
        oids::GIVEN_NAME => "GN",
        oids::ORGANIZATION_IDENTIFIER => "organizationIdentifier",
        oids::EMAIL => "emailAddress",
        oids::DOMAIN_COMPONENT => "DC",
        _ => return None,
    })
}

impl fmt::Debug for Name {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Name").field(&self.shown()).finish()
    }
}

impl fmt::Display for Name {
    /// `CN=…, O=…` in the certificate's order. Characters that could fake another attribute, and
    /// control characters, are escaped.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, (oid, text)) in self.attributes().enumerate() {
            if index > 0 {
                f.write_str(", ")?;
            }
            match label(oid) {
                Some(label) => write!(f, "{label}=")?,
                None => write!(f, "{oid}=")?,
            }
            for character in text.chars() {
                match character {
                    ',' | '+' | '=' | '\\' => write!(f, "\\{character}")?,
                    // Bidirectional and invisible controls would let a name show as another.
                    c if c.is_control()
                        || matches!(c, '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}') =>
                    {
                        write!(f, "{}", c.escape_unicode())?;
                    }
                    c => write!(f, "{c}")?,
                }
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn name(pairs: &[(Oid, Vec<u8>)]) -> Name {
        let sets = pairs
            .iter()
            .map(|(oid, value)| writer::set_of([writer::sequence(&[&writer::oid(oid), value])]));
        let der = writer::sequence_of(sets);
        Name::read(&mut Reader::new(&der)).unwrap()
    }

    #[test]
    fn values_are_found_and_shown_safely() {
        let name = name(&[
            (oids::COMMON_NAME, writer::utf8("Nordmann, Kari")),
            (oids::COUNTRY, writer::printable("NO")),
            (Oid::new(&[2, 5, 4, 99]), writer::utf8("x\u{202e}y\n")),
        ]);
        assert_eq!(name.common_name(), Some("Nordmann, Kari"));
        assert_eq!(name.surname(), None);
        assert_eq!(name.shown(), "CN=Nordmann\\, Kari, C=NO");
        assert_eq!(name.to_string(), "CN=Nordmann\\, Kari, C=NO, 2.5.4.99=x\\u{202e}y\\u{a}");
    }

    #[test]
    fn names_match_beyond_case_and_encoding() {
        let a = name(&[(oids::COMMON_NAME, writer::utf8("Test  Bank"))]);
        let b = name(&[(oids::COMMON_NAME, writer::printable("test bank "))]);
        let c = name(&[(oids::ORGANIZATION, writer::printable("test bank"))]);
        assert!(a.matches(&b) && !a.matches(&c));
        let odd = name(&[(oids::COMMON_NAME, writer::integer(5))]);
        assert!(odd.matches(&odd.clone()) && !odd.matches(&a));
        assert_eq!(odd.common_name(), Some("#020105"));
    }
}
