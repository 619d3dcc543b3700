//! Writing DER: each function returns one whole element.

use super::{
    BIT_STRING, BOOLEAN, ENUMERATED, GENERALIZED_TIME, IA5_STRING, INTEGER, NULL,
    OBJECT_IDENTIFIER, OCTET_STRING, Oid, PRINTABLE_STRING, SEQUENCE, SET, Time, UTC_TIME,
    UTF8_STRING, context,
};

/// An element with this tag and content.
#[must_use]
pub fn tlv(tag: u8, content: &[u8]) -> Vec<u8> {
    let mut out = Vec::with_capacity(content.len() + 6);
    push_header(&mut out, tag, content.len());
    out.extend_from_slice(content);
    out
}

/// Appends a tag and a length in its shortest form.
pub fn push_header(out: &mut Vec<u8>, tag: u8, len: usize) {
    out.push(tag);
    if len < 0x80 {
        out.push(len as u8);
        return;
    }
    let bytes = len.to_be_bytes();
    let skip = bytes.iter().take_while(|byte| **byte == 0).count();
    out.push(0x80 | (bytes.len() - skip) as u8);
    out.extend(bytes.iter().skip(skip));
}

/// A SEQUENCE of whole elements.
#[must_use]
pub fn sequence(parts: &[&[u8]]) -> Vec<u8> {
    tlv(SEQUENCE, &parts.concat())
}

/// A SEQUENCE OF whole elements.
#[must_use]
pub fn sequence_of<T: AsRef<[u8]>>(parts: impl IntoIterator<Item = T>) -> Vec<u8> {
    tlv(SEQUENCE, &joined(parts))
}

/// A SET OF whole elements, sorted as DER asks.
#[must_use]
pub fn set_of<T: AsRef<[u8]>>(parts: impl IntoIterator<Item = T>) -> Vec<u8> {
    let mut parts: Vec<Vec<u8>> = parts.into_iter().map(|part| part.as_ref().to_vec()).collect();
    parts.sort();
    tlv(SET, &parts.concat())
}

/// Whole elements one after the other.
#[must_use]
pub fn joined<T: AsRef<[u8]>>(parts: impl IntoIterator<Item = T>) -> Vec<u8> {
    let mut out = Vec::new();
    for part in parts {
        out.extend_from_slice(part.as_ref());
    }
    out
}

/// The explicit tag `[n]` around one whole element, or the constructed implicit tag around the
/// elements of a SEQUENCE or SET.
#[must_use]
pub fn tagged(n: u8, element: &[u8]) -> Vec<u8> {
    tlv(context(n), element)
}

/// An OBJECT IDENTIFIER.
#[must_use]
pub fn oid(oid: &Oid) -> Vec<u8> {
    tlv(OBJECT_IDENTIFIER, oid.as_bytes())
}

/// An OCTET STRING.
#[must_use]
pub fn octets(content: &[u8]) -> Vec<u8> {
    tlv(OCTET_STRING, content)
}

/// A BIT STRING of whole bytes.
#[must_use]
pub fn bits(content: &[u8]) -> Vec<u8> {
    tlv(BIT_STRING, &[&[0], content].concat())
}

/// A BIT STRING of named bits, bit 0 first, trailing zero bits removed.
#[must_use]
pub fn named_bits(set: &[u8]) -> Vec<u8> {
    let mut bytes: Vec<u8> = Vec::new();
    for bit in set {
        let index = usize::from(bit / 8);
        if bytes.len() <= index {
            bytes.resize(index + 1, 0);
        }
        if let Some(byte) = bytes.get_mut(index) {
            *byte |= 0x80 >> (bit % 8);
        }
    }
    let unused = bytes.last().map_or(0, |last| last.trailing_zeros() as u8);
    tlv(BIT_STRING, &[&[unused][..], &bytes].concat())
}

/// An INTEGER from a number.
#[must_use]
pub fn integer(value: u64) -> Vec<u8> {
    unsigned(&value.to_be_bytes())
}

/// An INTEGER from big-endian bytes of a non-negative number.
#[must_use]
pub fn unsigned(bytes: &[u8]) -> Vec<u8> {
    let skip = bytes.iter().take_while(|byte| **byte == 0).count();
    let digits = bytes.get(skip..).unwrap_or(&[]);
    let needs_zero = digits.first().is_none_or(|first| first & 0x80 != 0);
    let content = if needs_zero { [&[0], digits].concat() } else { digits.to_vec() };
    tlv(INTEGER, &content)
}

/// An ENUMERATED value below 128.
#[must_use]
pub fn enumerated(value: u8) -> Vec<u8> {
    tlv(ENUMERATED, &[value & 0x7f])
}

/// BOOLEAN TRUE.
#[must_use]
pub fn yes() -> Vec<u8> {
    tlv(BOOLEAN, &[0xff])
}

/// NULL.
#[must_use]
pub fn null() -> Vec<u8> {
    tlv(NULL, &[])
}

/// A UTF8String.
#[must_use]
pub fn utf8(text: &str) -> Vec<u8> {
    tlv(UTF8_STRING, text.as_bytes())
}

/// A PrintableString; the caller chooses text that fits.
#[must_use]
pub fn printable(text: &str) -> Vec<u8> {
    tlv(PRINTABLE_STRING, text.as_bytes())
}

/// An IA5String; the caller chooses ASCII text.
#[must_use]
pub fn ia5(text: &str) -> Vec<u8> {
    tlv(IA5_STRING, text.as_bytes())
}

/// A GeneralizedTime.
#[must_use]
pub fn generalized_time(time: Time) -> Vec<u8> {
    tlv(GENERALIZED_TIME, time.to_generalized().as_bytes())
}

/// A Time as RFC 5280 and RFC 5652 ask: UTCTime for 1950 to 2049, else GeneralizedTime.
#[must_use]
pub fn time(time: Time) -> Vec<u8> {
    let text = time.to_generalized();
    match text.get(2..) {
        Some(short) if (1950..2050).contains(&time.civil().0) => tlv(UTC_TIME, short.as_bytes()),
        _ => generalized_time(time),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::asn1::Reader;

    #[test]
    fn lengths_take_their_shortest_form() {
        for len in [0, 1, 127, 128, 255, 256, 65_535, 65_536] {
            let element = octets(&vec![7; len]);
            let mut reader = Reader::new(&element);
            assert_eq!(reader.octets("x").unwrap().len(), len);
            reader.finish("x").unwrap();
        }
    }

    #[test]
    fn integers_and_bits() {
        assert_eq!(integer(0), [2, 1, 0]);
        assert_eq!(integer(127), [2, 1, 127]);
        assert_eq!(integer(128), [2, 2, 0, 128]);
        assert_eq!(unsigned(&[0, 0, 1]), [2, 1, 1]);
        assert_eq!(named_bits(&[0, 1]), [3, 2, 6, 0xc0]);
        assert_eq!(named_bits(&[5, 6]), [3, 2, 1, 0x06]);
        assert_eq!(named_bits(&[]), [3, 1, 0]);
    }

    #[test]
    fn sets_are_sorted_and_times_choose_their_form() {
        assert_eq!(set_of([integer(2), integer(1)]), [0x31, 6, 2, 1, 1, 2, 1, 2]);
        assert_eq!(time(Time::from_unix(0)), tlv(UTC_TIME, b"700101000000Z"));
        let late = Time::from_civil(2050, 1, 1, 0, 0, 0).unwrap();
        assert_eq!(time(late), tlv(GENERALIZED_TIME, b"20500101000000Z"));
    }
}
