//! Escapes inside of strings (RFC 8259 section 7), one byte at a time: they may be cut anywhere.

/// What an escape sequence turned into.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Escaped {
    /// Not complete yet.
    More,
    /// One character.
    Char(char),
    /// Half a character, as `\u` writes those above U+FFFF.
    Surrogate(Half),
}

/// One UTF-16 surrogate.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Half {
    High(u16),
    Low(u16),
}

/// The inside of an escape sequence, after its backslash.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Escape {
    #[default]
    Letter,
    Hex {
        value: u16,
        digits: u8,
    },
}

impl Escape {
    /// Takes the next byte; `None` when no escape goes on like this.
    pub(super) fn next(&mut self, byte: u8) -> Option<Escaped> {
        match *self {
            Self::Letter => self.letter(byte),
            Self::Hex { value, digits } => {
                let digit =
                    char::from(byte).to_digit(16).and_then(|digit| u16::try_from(digit).ok())?;
                let value = value << 4 | digit;
                if digits < 3 {
                    *self = Self::Hex { value, digits: digits + 1 };
                    return Some(Escaped::More);
                }
                Some(complete(value))
            }
        }
    }

    fn letter(&mut self, byte: u8) -> Option<Escaped> {
        let char = match byte {
            b'"' | b'\\' | b'/' => char::from(byte),
            b'b' => '\u{8}',
            b'f' => '\u{c}',
            b'n' => '\n',
            b'r' => '\r',
            b't' => '\t',
            b'u' => {
                *self = Self::Hex { value: 0, digits: 0 };
                return Some(Escaped::More);
            }
            _ => return None,
        };
        Some(Escaped::Char(char))
    }
}

fn complete(value: u16) -> Escaped {
    match value {
        0xd800..=0xdbff => Escaped::Surrogate(Half::High(value)),
        0xdc00..=0xdfff => Escaped::Surrogate(Half::Low(value)),
        _ => Escaped::Char(char::from_u32(u32::from(value)).unwrap_or(char::REPLACEMENT_CHARACTER)),
    }
}

/// The character that two surrogates make.
pub(super) fn join(high: u16, low: u16) -> char {
    char::decode_utf16([high, low])
        .next()
        .and_then(Result::ok)
        .unwrap_or(char::REPLACEMENT_CHARACTER)
}
