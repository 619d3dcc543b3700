//! A strict DER reader over a byte slice.

use super::{
    BIT_STRING, BOOLEAN, GENERALIZED_TIME, IA5_STRING, INTEGER, Malformed, OBJECT_IDENTIFIER,
    OCTET_STRING, Oid, PRINTABLE_STRING, SEQUENCE, SET, Time, UTC_TIME, UTF8_STRING,
};

/// One element: its tag, its content and its whole encoding.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Element<'a> {
    /// The identifier byte (class, constructed bit and number below 31).
    pub tag: u8,
    /// The content bytes.
    pub content: &'a [u8],
    /// Tag, length and content as they stand in the input.
    pub raw: &'a [u8],
}

impl<'a> Element<'a> {
    /// A reader over the content.
    #[must_use]
    pub fn reader(&self) -> Reader<'a> {
        Reader::new(self.content)
    }
}

/// Reads consecutive DER elements. Every call either moves past what it returns or fails.
#[derive(Clone, Copy, Debug)]
pub struct Reader<'a> {
    rest: &'a [u8],
}

impl<'a> Reader<'a> {
    /// A reader at the start of `bytes`.
    #[must_use]
    pub fn new(bytes: &'a [u8]) -> Self {
        Self { rest: bytes }
    }

    /// True when nothing is left.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.rest.is_empty()
    }

    /// What is left.
    #[must_use]
    pub fn rest(&self) -> &'a [u8] {
        self.rest
    }

    /// The tag of the next element, without moving.
    #[must_use]
    pub fn peek(&self) -> Option<u8> {
        self.rest.first().copied()
    }

    /// The next element, whatever it is.
    ///
    /// # Errors
    /// When it is cut off, uses a tag number above 30, an indefinite length or a padded length.
    pub fn any(&mut self, what: &'static str) -> Result<Element<'a>, Malformed> {
        let (tag, header, len) = header(self.rest, what)?;
        let total = header.checked_add(len);
        let split = total.and_then(|total| self.rest.split_at_checked(total));
        let Some((raw, rest)) = split else {
            let left = self.rest.len().saturating_sub(header);
            return Err(Malformed::new(
                what,
                format!("claims {len} bytes but only {left} are left"),
            ));
        };
        self.rest = rest;
        Ok(Element { tag, content: raw.get(header..).unwrap_or(&[]), raw })
    }

    /// The next element, which must have this tag.
    ///
    /// # Errors
    /// When the tag differs or the element is broken.
    pub fn expect(&mut self, tag: u8, what: &'static str) -> Result<Element<'a>, Malformed> {
        match self.peek() {
            Some(found) if found == tag => self.any(what),
            Some(found) => Err(Malformed::new(
                what,
                format!("has tag {found:#04x} where {tag:#04x} was expected"),
            )),
            None => Err(Malformed::new(what, "is missing")),
        }
    }

    /// The next element if it has this tag.
    ///
    /// # Errors
    /// When it has the tag but is broken.
    pub fn optional(
        &mut self,
        tag: u8,
        what: &'static str,
    ) -> Result<Option<Element<'a>>, Malformed> {
        if self.peek() == Some(tag) { self.any(what).map(Some) } else { Ok(None) }
    }

    /// A reader over the next SEQUENCE.
    ///
    /// # Errors
    /// As [`Reader::expect`].
    pub fn sequence(&mut self, what: &'static str) -> Result<Self, Malformed> {
        Ok(self.expect(SEQUENCE, what)?.reader())
    }

    /// A reader over the next SET.
    ///
    /// # Errors
    /// As [`Reader::expect`].
    pub fn set(&mut self, what: &'static str) -> Result<Self, Malformed> {
        Ok(self.expect(SET, what)?.reader())
    }

    /// The next OBJECT IDENTIFIER.
    ///
    /// # Errors
    /// As [`Reader::expect`], or when the identifier is broken.
    pub fn oid(&mut self, what: &'static str) -> Result<Oid, Malformed> {
        Oid::from_der_content(self.expect(OBJECT_IDENTIFIER, what)?.content)
            .map_err(|error| Malformed::new(what, error.why()))
    }

    /// The content of the next OCTET STRING.
    ///
    /// # Errors
    /// As [`Reader::expect`].
    pub fn octets(&mut self, what: &'static str) -> Result<&'a [u8], Malformed> {
        Ok(self.expect(OCTET_STRING, what)?.content)
    }

    /// The bytes of the next BIT STRING, which must be a whole number of bytes.
    ///
    /// # Errors
    /// As [`Reader::expect`], or when bits are unused.
    pub fn bits(&mut self, what: &'static str) -> Result<&'a [u8], Malformed> {
        match self.expect(BIT_STRING, what)?.content.split_first() {
            Some((0, bytes)) => Ok(bytes),
            _ => Err(Malformed::new(what, "is no whole number of bytes")),
        }
    }

    /// The content of the next INTEGER (two's complement, at least one byte).
    ///
    /// # Errors
    /// As [`Reader::expect`], or when it is empty or padded (X.690, 8.3.2).
    pub fn integer(&mut self, what: &'static str) -> Result<&'a [u8], Malformed> {
        let content = self.expect(INTEGER, what)?.content;
        if content.is_empty() {
            return Err(Malformed::new(what, "is an empty integer"));
        }
        if minimal_integer(content).len() != content.len() {
            return Err(Malformed::new(what, "is an integer with padding before it"));
        }
        Ok(content)
    }

    /// The next INTEGER as a non-negative number.
    ///
    /// # Errors
    /// As [`Reader::integer`], or when it is negative or above 2^63.
    pub fn unsigned(&mut self, what: &'static str) -> Result<u64, Malformed> {
        small_unsigned(self.integer(what)?, what)
    }

    /// The next BOOLEAN.
    ///
    /// # Errors
    /// As [`Reader::expect`], or when it is not one byte.
    pub fn boolean(&mut self, what: &'static str) -> Result<bool, Malformed> {
        match self.expect(BOOLEAN, what)?.content {
            [value] => Ok(*value != 0),
            _ => Err(Malformed::new(what, "is a boolean that is not one byte long")),
        }
    }

    /// The next UTCTime or GeneralizedTime.
    ///
    /// # Errors
    /// When it is neither, or names no date.
    pub fn time(&mut self, what: &'static str) -> Result<Time, Malformed> {
        let element = self.any(what)?;
        match element.tag {
            UTC_TIME => Time::from_utc_time(element.content),
            GENERALIZED_TIME => Time::from_generalized(element.content),
            tag => Err(Malformed::new(what, format!("has tag {tag:#04x}, which is no time"))),
        }
        .map_err(|error| Malformed::new(what, error.why()))
    }

    /// Confirms that nothing is left.
    ///
    /// # Errors
    /// When something is left.
    pub fn finish(&self, what: &'static str) -> Result<(), Malformed> {
        if self.rest.is_empty() {
            return Ok(());
        }
        Err(Malformed::new(what, format!("has {} bytes too many", self.rest.len())))
    }
}

/// The content of an INTEGER without padding: two contents stand for the same number when these
/// are equal.
#[must_use]
pub fn minimal_integer(content: &[u8]) -> &[u8] {
    let mut rest = content;
    while let [first, next, ..] = rest
        && *first == if next & 0x80 == 0 { 0x00 } else { 0xff }
    {
        rest = rest.get(1..).unwrap_or(&[]);
    }
    rest
}

/// An INTEGER content as a non-negative number.
///
/// # Errors
/// When it is negative or above 2^63.
pub fn small_unsigned(content: &[u8], what: &'static str) -> Result<u64, Malformed> {
    if content.len() > 8 || content.first().is_none_or(|first| first & 0x80 != 0) {
        return Err(Malformed::new(what, "is negative or too large"));
    }
    if minimal_integer(content).len() != content.len() {
        return Err(Malformed::new(what, "is an integer with padding before it"));
    }
    Ok(content.iter().fold(0, |sum, byte| (sum << 8) | u64::from(*byte)))
}

/// The text of a string element (UTF8, Printable, IA5, Numeric, Visible, Teletex, BMP, Universal).
/// Teletex is read as ISO 8859-1. Returns nothing for other tags and broken text.
#[must_use]
pub fn string(element: &Element<'_>) -> Option<String> {
    match element.tag {
        UTF8_STRING => String::from_utf8(element.content.to_vec()).ok(),
        PRINTABLE_STRING | IA5_STRING | 0x12 | 0x1a => element
            .content
            .is_ascii()
            .then(|| element.content.iter().map(|byte| char::from(*byte)).collect()),
        0x14 => Some(element.content.iter().map(|byte| char::from(*byte)).collect()),
        0x1e => decode_bmp(element.content),
        0x1c => {
            let (units, rest) = element.content.as_chunks::<4>();
            let text = units.iter().map(|unit| char::from_u32(u32::from_be_bytes(*unit)));
            if rest.is_empty() { text.collect() } else { None }
        }
        _ => None,
    }
}

/// The text of big-endian UTF-16, or nothing when it is broken.
#[must_use]
pub fn decode_bmp(content: &[u8]) -> Option<String> {
    let (units, rest) = content.as_chunks::<2>();
    let units: Vec<u16> = units.iter().map(|unit| u16::from_be_bytes(*unit)).collect();
    if rest.is_empty() { String::from_utf16(&units).ok() } else { None }
}

/// Tag, length of the header and length of the content.
fn header(bytes: &[u8], what: &'static str) -> Result<(u8, usize, usize), Malformed> {
    let (&tag, rest) = bytes.split_first().ok_or_else(|| Malformed::new(what, "is missing"))?;
    if tag & 0x1f == 0x1f {
        return Err(Malformed::new(what, "has a tag number above 30"));
    }
    let (&first, rest) = rest.split_first().ok_or_else(|| Malformed::new(what, "has no length"))?;
    if first < 0x80 {
        return Ok((tag, 2, usize::from(first)));
    }
    if first == 0x80 {
        return Err(Malformed::new(what, "has an indefinite length, which der does not allow"));
    }
    let count = usize::from(first & 0x7f);
    if count > 4 {
        return Err(Malformed::new(what, format!("has a length of {count} bytes, at most 4")));
    }
    let digits = rest.get(..count).ok_or_else(|| Malformed::new(what, "ends inside a length"))?;
    let len = digits.iter().fold(0_u32, |sum, byte| (sum << 8) | u32::from(*byte));
    if len < 0x80 || digits.first() == Some(&0) {
        return Err(Malformed::new(what, "has a length that is not in its shortest form"));
    }
    Ok((tag, 2 + count, len as usize))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn elements_are_read_in_turn() {
        let mut reader = Reader::new(&[0x02, 1, 5, 0x04, 2, 1, 2, 0x30, 0]);
        assert_eq!(reader.unsigned("a").unwrap(), 5);
        assert_eq!(reader.octets("b").unwrap(), [1, 2]);
        assert!(reader.sequence("c").unwrap().is_empty());
        reader.finish("all").unwrap();
    }

    #[test]
    fn what_der_forbids_is_refused() {
        let cases: [&[u8]; 9] = [
            &[],
            &[0x30],
            &[0x30, 0x80, 0, 0],
            &[0x30, 0x81, 0x01, 0],
            &[0x30, 0x82, 0x00, 0x80],
            &[0x30, 0x85, 1, 0, 0, 0, 0],
            &[0x30, 5, 0],
            &[0x1f, 0x81, 0x01, 0],
            &[0x30, 0x84, 0xff, 0xff, 0xff, 0xff],
        ];
        for bytes in cases {
            assert!(Reader::new(bytes).any("x").is_err(), "{bytes:02x?}");
        }
    }

    #[test]
    fn integers_are_read_in_their_shortest_form() {
        let read = |bytes: &[u8]| Reader::new(bytes).integer("n").map(<[u8]>::to_vec);
        for good in [&[2, 1, 0][..], &[2, 2, 0, 0x80], &[2, 1, 0xff], &[2, 2, 0xff, 0x7f]] {
            assert_eq!(read(good).unwrap(), good[2..]);
        }
        for padded in [&[2, 2, 0, 0][..], &[2, 2, 0, 0x7f], &[2, 3, 0xff, 0xff, 0x7f], &[2, 0]] {
            assert!(read(padded).is_err(), "{padded:02x?}");
        }
        assert!(Reader::new(&[2, 2, 0, 1]).unsigned("n").is_err());
        assert_eq!(minimal_integer(&[0, 0, 0, 5]), minimal_integer(&[5]));
        assert_eq!(minimal_integer(&[0xff, 0xff, 0x80]), [0x80]);
        assert_ne!(minimal_integer(&[0, 0x80]), minimal_integer(&[0x80]));
        assert_eq!(minimal_integer(&vec![0; 1 << 20]), [0]);
    }

    #[test]
    fn strings_of_every_kind() {
        let read = |bytes: &[u8]| string(&Reader::new(bytes).any("s").unwrap());
        assert_eq!(read(&[0x0c, 2, 0xc3, 0xa6]).as_deref(), Some("æ"));
        assert_eq!(read(&[0x14, 1, 0xe6]).as_deref(), Some("æ"));
        assert_eq!(read(&[0x1e, 2, 0, 0xe6]).as_deref(), Some("æ"));
        assert_eq!(read(&[0x1c, 4, 0, 0, 0, 0xe6]).as_deref(), Some("æ"));
        assert_eq!(read(&[0x13, 1, b'A']).as_deref(), Some("A"));
        assert_eq!(read(&[0x13, 1, 0xe6]), None);
        assert_eq!(read(&[0x1e, 1, 0]), None);
        assert_eq!(read(&[0x02, 1, 0]), None);
    }
}
