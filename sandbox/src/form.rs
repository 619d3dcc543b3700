//! `application/x-www-form-urlencoded`, read strictly.
//!
//! Used for token requests and, as RFC 6749 section 2.3.1 asks, for the two halves of a Basic
//! credential. A malformed escape is an error instead of passing through, so that a client which
//! forgets to encode is noticed.

/// Decodes one name or value: `+` is a space, `%XX` a byte, the whole UTF-8.
pub(crate) fn decode(text: &str) -> Result<String, String> {
    let mut out = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let Some((&byte, after)) = rest.split_first() {
        rest = after;
        match byte {
            b'+' => out.push(b' '),
            b'%' => {
                let (pair, after) =
                    rest.split_at_checked(2).ok_or_else(|| "escape cut short".to_owned())?;
                out.push(hex_byte(pair).ok_or_else(|| "escape is not hexadecimal".to_owned())?);
                rest = after;
            }
            0x21..=0x7e => out.push(byte),
            _ => return Err(format!("byte {byte:#04x} must be percent-encoded")),
        }
    }
    String::from_utf8(out).map_err(|_| "not UTF-8 after decoding".to_owned())
}

fn hex_byte(pair: &[u8]) -> Option<u8> {
    // from_str_radix would also take a sign
    if !pair.iter().all(u8::is_ascii_hexdigit) {
        return None;
    }
    u8::from_str_radix(std::str::from_utf8(pair).ok()?, 16).ok()
}

/// Encodes a value for a query string or a form: everything but unreserved characters as `%XX`.
pub(crate) fn encode(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for byte in text.bytes() {
        if byte.is_ascii_alphanumeric() || b"-._~".contains(&byte) {
            out.push(char::from(byte));
        } else {
            out.push_str(&format!("%{byte:02X}"));
        }
    }
    out
}

/// Writes pairs in the order given.
pub(crate) fn write<'a>(pairs: impl IntoIterator<Item = (&'a str, &'a str)>) -> String {
    let joined = |(name, value)| format!("{}={}", encode(name), encode(value));
    pairs.into_iter().map(joined).collect::<Vec<_>>().join("&")
}

/// Splits and decodes a form body or a query string, in the order sent. Nothing is joined or
/// dropped: judging repeated names is the caller's task.
pub(crate) fn parse(text: &str) -> Result<Vec<(String, String)>, String> {
    text.split('&')
        .filter(|pair| !pair.is_empty())
        .map(|pair| {
            let (name, value) = pair.split_once('=').unwrap_or((pair, ""));
            Ok((decode(name)?, decode(value)?))
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn decodes_what_the_standard_allows() {
        assert_eq!(decode("a+b%20c%C3%A6").unwrap(), "a b cæ");
        assert_eq!(
            parse("a=1&b=&c&d=%26%3D").unwrap(),
            vec![
                ("a".into(), "1".into()),
                ("b".into(), String::new()),
                ("c".into(), String::new()),
                ("d".into(), "&=".into())
            ]
        );
    }

    #[test]
    fn what_is_written_is_read_again() {
        let pairs = [("a b", "1&2=3"), ("c", ""), ("æ", "+%~")];
        let text = write(pairs);
        assert_eq!(text, "a%20b=1%262%3D3&c=&%C3%A6=%2B%25~");
        let read = parse(&text).unwrap();
        assert!(read.iter().map(|(n, v)| (n.as_str(), v.as_str())).eq(pairs));
    }

    #[test]
    fn refuses_bad_escapes() {
        for bad in ["%", "%2", "%zz", "%+1", "%ff", "a b", "æ"] {
            assert!(decode(bad).is_err(), "{bad}");
        }
    }
}
