//! Names that content streams may use (ISO 32000-2, 7.8.2), read without interpreting them: strings
//! and the data of inline images are searched as well, so more is found than is used.

use std::collections::BTreeSet;
use std::io::Read;

/// Searches one content stream after the other for names.
pub(super) struct NameSearch<'n> {
    wanted: &'n BTreeSet<Vec<u8>>,
    longest: usize,
    token: Option<Vec<u8>>,
    is_found: bool,
}

impl<'n> NameSearch<'n> {
    pub(super) fn new(wanted: &'n BTreeSet<Vec<u8>>) -> Self {
        let longest = wanted.iter().map(Vec::len).max().unwrap_or(0);
        NameSearch { wanted, longest, token: None, is_found: false }
    }

    /// Whether a stream may use one of the names. One that ends within a name does, where the next
    /// stream of the page may complete it. `None` when it cannot be read to its end.
    pub(super) fn is_in(&mut self, mut stream: impl Read) -> Option<bool> {
        (self.token, self.is_found) = (None, false);
        let mut buffer = [0; 8192];
        while !self.is_found {
            match stream.read(&mut buffer) {
                Ok(0) => {
                    let open = self.token.take().is_some_and(|token| self.may_become(&token));
                    return Some(open);
                }
                Ok(read) => buffer.iter().take(read).for_each(|byte| self.take(*byte)),
                Err(error) if error.kind() == std::io::ErrorKind::Interrupted => {}
                Err(_) => return None,
            }
        }
        Some(true)
    }

    fn take(&mut self, byte: u8) {
        if is_regular(byte) {
            // An escape takes three bytes for one.
            if let Some(token) = self.token.as_mut().filter(|t| t.len() <= 3 * self.longest) {
                token.push(byte);
            }
            return;
        }
        if let Some(token) = self.token.take() {
            let is_wanted = |name: &[u8]| self.wanted.contains(name);
            self.is_found |= is_wanted(&token) || is_wanted(&unescaped(&token));
        }
        self.token = (byte == b'/').then(Vec::new);
    }

    fn may_become(&self, token: &[u8]) -> bool {
        let whole = token.iter().rposition(|byte| *byte == b'#').filter(|at| at + 3 > token.len());
        let known = token.get(..whole.unwrap_or(token.len())).unwrap_or_default();
        let begins = |start: &[u8]| self.wanted.iter().any(|name| name.starts_with(start));
        begins(known) || begins(&unescaped(known))
    }
}

fn is_regular(byte: u8) -> bool {
    !matches!(
        byte,
        0 | b'\t'
            | b'\n'
            | 12
            | b'\r'
            | b' '
            | b'('
            | b')'
            | b'<'
            | b'>'
            | b'['
            | b']'
            | b'{'
            | b'}'
            | b'/'
            | b'%'
    )
}

/// A name with its `#` escapes decoded (7.3.5).
fn unescaped(token: &[u8]) -> Vec<u8> {
    let digit = |at: usize| token.get(at).and_then(|byte| char::from(*byte).to_digit(16));
    let mut out = Vec::with_capacity(token.len());
    let mut at = 0;
    while let Some(byte) = token.get(at) {
        match (*byte, digit(at + 1), digit(at + 2)) {
            (b'#', Some(high), Some(low)) => {
                out.extend(u8::try_from(high * 16 + low));
                at += 3;
            }
            _ => {
                out.push(*byte);
                at += 1;
            }
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_found_however_they_are_written() {
        let wanted = BTreeSet::from([b"FRM".to_vec(), b"n0".to_vec()]);
        let is_in = |content: &[u8]| NameSearch::new(&wanted).is_in(content);
        for used in [
            &b"q /FRM Do Q"[..],
            b"/F#52M Do",
            b"/#46#52#4d Do",
            b"/n0[",
            b"/X/FRM/Y gs",
            b"(a /n0 in a string)",
            b"BI ID \x00/FRM\x00 EI",
            // The next stream of the page may go on here.
            b"q /FR",
            b"q /",
            b"q /F#5",
            b"q /F#52",
            b"/FRM",
        ] {
            assert_eq!(is_in(used), Some(true), "{}", String::from_utf8_lossy(used));
        }
        let long = [b"/".as_slice(), &b"F".repeat(100_000), b" Do"].concat();
        for unused in [&b"q /FRM2 Do /FR Do FRM n0 /n00 gs /frm Do"[..], b"", b"/Im0", &long] {
            assert_eq!(is_in(unused), Some(false));
        }
    }

    #[test]
    fn names_across_the_edge_of_a_buffer_are_found() {
        let wanted = BTreeSet::from([b"FRM".to_vec()]);
        for before in 8180..8200 {
            let content = [&b" ".repeat(before)[..], b"/F#52M Do"].concat();
            assert_eq!(NameSearch::new(&wanted).is_in(&content[..]), Some(true));
        }
    }
}
