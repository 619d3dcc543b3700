//! PEM text (RFC 7468).

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;

use crate::asn1::Malformed;

/// The contents of all blocks with this label, in order. Text around and between blocks, and
/// blocks with other labels, are passed over.
///
/// # Errors
/// When a block is not closed or holds no base64.
pub fn pem_blocks(text: &[u8], label: &str) -> Result<Vec<Vec<u8>>, Malformed> {
    let begin = format!("-----BEGIN {label}-----");
    let end = format!("-----END {label}-----");
    let mut rest = text;
    let mut blocks = Vec::new();
    while let Some(start) = find(rest, begin.as_bytes()) {
        let body = rest.get(start + begin.len()..).unwrap_or(&[]);
        let Some(stop) = find(body, end.as_bytes()) else {
            return Err(Malformed::new("pem", format!("block {label} is not closed")));
        };
        let (content, tail) = body.split_at_checked(stop).unwrap_or((body, &[]));
        let digits: Vec<u8> =
            content.iter().copied().filter(|byte| !byte.is_ascii_whitespace()).collect();
        let decoded = STANDARD
            .decode(&digits)
            .map_err(|error| Malformed::new("pem", format!("block {label}: {error}")))?;
        blocks.push(decoded);
        rest = tail;
    }
    Ok(blocks)
}

/// One block of PEM text, lines of 64 characters, line feed after each.
#[must_use]
pub fn to_pem(label: &str, der: &[u8]) -> String {
    let digits = STANDARD.encode(der);
    let mut text = format!("-----BEGIN {label}-----\n");
    for line in digits.as_bytes().chunks(64) {
        text.extend(line.iter().map(|byte| char::from(*byte)));
        text.push('\n');
    }
    text.push_str(&format!("-----END {label}-----\n"));
    text
}

fn find(haystack: &[u8], needle: &[u8]) -> Option<usize> {
    haystack.windows(needle.len()).position(|window| window == needle)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blocks_round_trip_between_other_text() {
        let first = to_pem("CERTIFICATE", &[7; 100]);
        let other = to_pem("X509 CRL", &[1]);
        let second = to_pem("CERTIFICATE", &[8]).replace('\n', "\r\n");
        let text = format!("subject=/CN=x\n{first}{other}noise\n{second}");
        let blocks = pem_blocks(text.as_bytes(), "CERTIFICATE").unwrap();
        assert_eq!(blocks, [vec![7; 100], vec![8]]);
        assert_eq!(pem_blocks(text.as_bytes(), "X509 CRL").unwrap(), [[1]]);
        assert!(first.lines().all(|line| line.len() <= 64));
    }

    #[test]
    fn broken_blocks_are_errors() {
        assert!(pem_blocks(b"-----BEGIN CERTIFICATE-----\nAAAA", "CERTIFICATE").is_err());
        let junk = b"-----BEGIN CERTIFICATE-----\n!!\n-----END CERTIFICATE-----";
        assert!(pem_blocks(junk, "CERTIFICATE").is_err());
        assert!(pem_blocks(b"nothing", "CERTIFICATE").unwrap().is_empty());
    }
}
