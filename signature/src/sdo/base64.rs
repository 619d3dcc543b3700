//! Base64 between tags: white space is passed over, padding may be missing.

use base64::Engine as _;
use base64::alphabet;
use base64::engine::{DecodePaddingMode, GeneralPurpose, GeneralPurposeConfig};

use crate::asn1::Malformed;

const TOLERANT: GeneralPurpose = GeneralPurpose::new(
    &alphabet::STANDARD,
    GeneralPurposeConfig::new().with_decode_padding_mode(DecodePaddingMode::Indifferent),
);
/// A multiple of four digits.
const CHUNK: usize = 64 << 10;

/// Decodes all of it.
pub(super) fn decode(text: &str, what: &'static str) -> Result<Vec<u8>, Malformed> {
    let mut out = Vec::with_capacity(text.len() / 4 * 3);
    decode_chunks(text, what, &mut |bytes| out.extend_from_slice(bytes))?;
    Ok(out)
}

/// Decodes piece by piece, so that a large document is never in memory twice.
pub(super) fn decode_chunks(
    text: &str,
    what: &'static str,
    sink: &mut dyn FnMut(&[u8]),
) -> Result<(), Malformed> {
    let mut digits: Vec<u8> = Vec::with_capacity(CHUNK.min(text.len()));
    let mut ended = false;
    let mut flush = |digits: &mut Vec<u8>, sink: &mut dyn FnMut(&[u8])| {
        if digits.is_empty() {
            return Ok(());
        }
        // A piece that ends with padding must be the last one.
        if std::mem::replace(
            &mut ended,
            digits.last() == Some(&b'=') || !digits.len().is_multiple_of(4),
        ) {
            return Err(Malformed::new(what, "has base64 after its end"));
        }
        let bytes = TOLERANT.decode(&*digits);
        sink(&bytes.map_err(|error| Malformed::new(what, format!("is no base64: {error}")))?);
        digits.clear();
        Ok(())
    };
    for byte in text.bytes().filter(|byte| !byte.is_ascii_whitespace()) {
        digits.push(byte);
        if digits.len() == CHUNK {
            flush(&mut digits, sink)?;
        }
    }
    flush(&mut digits, sink)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn white_space_and_missing_padding_are_fine() {
        assert_eq!(decode(" YW\r\nJj\tZA== ", "x").unwrap(), b"abcd");
        assert_eq!(decode("YWJjZA", "x").unwrap(), b"abcd");
        assert_eq!(decode("", "x").unwrap(), b"");
        for text in ["YW%j", "YWJjZA==YWJj", "Y"] {
            assert!(decode(text, "x").is_err(), "{text}");
        }
        let long = "QUJD".repeat(40_000);
        assert_eq!(decode(&long, "x").unwrap(), b"ABC".repeat(40_000));
        let broken = format!("{}QQ==QUJD", "QUJD".repeat(CHUNK / 4 - 1));
        assert!(decode(&broken, "x").is_err());
    }
}
