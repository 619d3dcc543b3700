//! Names of other kinds than distinguished ones (RFC 5280, 4.2.1.6).

use super::name::Name;
use crate::asn1::{Malformed, Reader, context, context_primitive};

/// A GeneralName.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum GeneralName {
    /// rfc822Name.
    Mail(String),
    /// dNSName.
    Dns(String),
    /// directoryName.
    Directory(Name),
    /// uniformResourceIdentifier.
    Uri(String),
    /// iPAddress: an address, or in a constraint an address and a mask.
    Ip(Vec<u8>),
    /// A form that is not looked at, by its tag.
    Other(u8),
}

const MAIL: u8 = context_primitive(1);
const DNS: u8 = context_primitive(2);
const DIRECTORY: u8 = context(4);
const URI: u8 = context_primitive(6);
const IP: u8 = context_primitive(7);

impl GeneralName {
    /// Reads the next name. A text with other characters than those of ASCII is a form that is not
    /// looked at.
    pub(crate) fn read(reader: &mut Reader<'_>) -> Result<Self, Malformed> {
        let what = "general name";
        let element = reader.any(what)?;
        let text = || {
            let text = std::str::from_utf8(element.content).ok()?;
            text.is_ascii().then(|| text.to_owned())
        };
        let read = match element.tag {
            MAIL => text().map(Self::Mail),
            DNS => text().map(Self::Dns),
            DIRECTORY => {
                let mut inner = element.reader();
                let name = Name::read(&mut inner)?;
                inner.finish(what)?;
                Some(Self::Directory(name))
            }
            URI => text().map(Self::Uri),
            IP => Some(Self::Ip(element.content.to_vec())),
            _ => None,
        };
        Ok(read.unwrap_or(Self::Other(element.tag)))
    }

    /// The tag of its form.
    pub(crate) fn tag(&self) -> u8 {
        match self {
            Self::Mail(_) => MAIL,
            Self::Dns(_) => DNS,
            Self::Directory(_) => DIRECTORY,
            Self::Uri(_) => URI,
            Self::Ip(_) => IP,
            Self::Other(tag) => *tag,
        }
    }

    /// Reads the content of GeneralNames.
    pub(crate) fn read_all(mut reader: Reader<'_>) -> Result<Vec<Self>, Malformed> {
        let mut all = Vec::new();
        while !reader.is_empty() {
            all.push(Self::read(&mut reader)?);
        }
        Ok(all)
    }

    /// Its length in bytes.
    pub(crate) fn len(&self) -> usize {
        match self {
            Self::Mail(text) | Self::Dns(text) | Self::Uri(text) => text.len(),
            Self::Directory(name) => name.as_der().len(),
            Self::Ip(bytes) => bytes.len(),
            Self::Other(_) => 1,
        }
    }

    /// Whether both are the same name; forms that are not looked at are the same as nothing.
    pub(crate) fn matches(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Directory(a), Self::Directory(b)) => a.matches(b),
            (Self::Other(_), _) => false,
            (a, b) => a == b,
        }
    }
}
