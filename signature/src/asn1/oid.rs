//! Object identifiers.

use std::fmt;
use std::str::FromStr;

use super::Malformed;

const CAPACITY: usize = 47;

/// An object identifier, kept as its DER content (at most 47 bytes).
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Oid {
    len: u8,
    bytes: [u8; CAPACITY],
}

impl Oid {
    /// An identifier from its arcs. Meant for constants: arcs that do not fit fail the build.
    #[must_use]
    #[allow(clippy::indexing_slicing, reason = "evaluated at compile time for constants")]
    pub const fn new(arcs: &[u32]) -> Self {
        let mut bytes = [0_u8; CAPACITY];
        let mut len = 0;
        let mut index = 1;
        while index < arcs.len() {
            let arc = if index == 1 { arcs[0] * 40 + arcs[1] } else { arcs[index] };
            let mut shift = 28;
            let mut started = false;
            loop {
                let seven = (arc >> shift) & 0x7f;
                if seven != 0 || started || shift == 0 {
                    started = true;
                    bytes[len] = seven as u8 | if shift == 0 { 0 } else { 0x80 };
                    len += 1;
                }
                if shift == 0 {
                    break;
                }
                shift -= 7;
            }
            index += 1;
        }
        Self { len: len as u8, bytes }
    }

    /// An identifier from its DER content bytes.
    ///
    /// # Errors
    /// When it is empty, longer than 47 bytes, or an arc is cut off or padded.
    pub fn from_der_content(content: &[u8]) -> Result<Self, Malformed> {
        let bad = |why: &str| Malformed::new("object identifier", why);
        if content.is_empty() {
            return Err(bad("is empty"));
        }
        if content.last().is_some_and(|last| last & 0x80 != 0) {
            return Err(bad("ends inside an arc"));
        }
        let mut at_start = true;
        for byte in content {
            if at_start && *byte == 0x80 {
                return Err(bad("has a padded arc"));
            }
            at_start = byte & 0x80 == 0;
        }
        let mut bytes = [0_u8; CAPACITY];
        let Some(room) = bytes.get_mut(..content.len()) else {
            return Err(bad(&format!("is {} bytes long, at most {CAPACITY} fit", content.len())));
        };
        room.copy_from_slice(content);
        Ok(Self { len: content.len() as u8, bytes })
    }

    /// The DER content bytes.
    #[must_use]
    pub fn as_bytes(&self) -> &[u8] {
        self.bytes.get(..usize::from(self.len)).unwrap_or(&[])
    }
}

impl fmt::Display for Oid {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut arc: u128 = 0;
        let mut first = true;
        for byte in self.as_bytes() {
            arc = (arc << 7) | u128::from(byte & 0x7f);
            if byte & 0x80 != 0 {
                continue;
            }
            if first {
                let top = (arc / 40).min(2);
                write!(f, "{top}.{}", arc - top * 40)?;
                first = false;
            } else {
                write!(f, ".{arc}")?;
            }
            arc = 0;
        }
        Ok(())
    }
}

impl FromStr for Oid {
    type Err = Malformed;

    /// Reads the dotted form, `1.2.840.113549`.
    fn from_str(text: &str) -> Result<Self, Malformed> {
        let bad = || Malformed::new("object identifier", "is no list of numbers between dots");
        let number = |part: &str| match part.bytes().all(|byte| byte.is_ascii_digit()) {
            true => part.parse::<u32>().map_err(|_| bad()),
            false => Err(bad()),
        };
        let mut parts = text.split('.').take(CAPACITY + 2).map(number);
        let (Some(first), Some(second)) = (parts.next(), parts.next()) else { return Err(bad()) };
        let (first, second) = (u64::from(first?), u64::from(second?));
        if first > 2 || first < 2 && second > 39 {
            return Err(bad());
        }
        let mut content = Vec::new();
        for arc in std::iter::once(Ok(first * 40 + second)).chain(parts.map(|p| p.map(u64::from))) {
            let arc = arc?;
            let sevens = (1..6).take_while(|n| arc >> (7 * n) != 0).count();
            content.extend(
                (0..=sevens)
                    .rev()
                    .map(|n| (arc >> (7 * n)) as u8 & 0x7f | if n == 0 { 0 } else { 0x80 }),
            );
        }
        Self::from_der_content(&content)
    }
}

impl fmt::Debug for Oid {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dotted_form_is_read_back() {
        for text in ["1.3.6.1.5.5.7.3.36", "2.999.1", "0.9.2342.19200300.100.1.25", "2.5.29.37.0"] {
            assert_eq!(text.parse::<Oid>().unwrap().to_string(), text);
        }
        assert_eq!("2.16.840.1.101.3.4.2.1".parse(), Ok(super::super::oids::SHA256));
        for text in ["", "1", "1.", "3.1", "1.40", "1.2.x", "1.2.+3", "1.2.4294967296", "1.2..3"] {
            assert!(text.parse::<Oid>().is_err(), "{text}");
        }
        assert!(["1"; 200].join(".").parse::<Oid>().is_err());
    }

    #[test]
    fn arcs_and_bytes_agree() {
        let oid = Oid::new(&[1, 2, 840, 113_549, 1, 7, 2]);
        assert_eq!(oid.as_bytes(), [0x2a, 0x86, 0x48, 0x86, 0xf7, 0x0d, 1, 7, 2]);
        assert_eq!(oid.to_string(), "1.2.840.113549.1.7.2");
        assert_eq!(Oid::from_der_content(oid.as_bytes()).unwrap(), oid);
        assert_eq!(Oid::new(&[2, 16, 578, 1, 61, 2, 4]).to_string(), "2.16.578.1.61.2.4");
        assert_eq!(Oid::new(&[0, 4, 0]).to_string(), "0.4.0");
        assert_eq!(Oid::new(&[2, 999, 1]).to_string(), "2.999.1");
    }

    #[test]
    fn broken_identifiers_are_refused() {
        for content in [&[][..], &[0x80, 1], &[0x2a, 0x86], &[0x2a, 0x80, 1], &[1; 48]] {
            assert!(Oid::from_der_content(content).is_err(), "{content:02x?}");
        }
    }

    #[test]
    fn very_large_arcs_are_shown_without_panic() {
        let mut content = vec![0x2a];
        content.extend([0xff; 30]);
        content.push(0x7f);
        let _ = Oid::from_der_content(&content).unwrap().to_string();
    }
}
