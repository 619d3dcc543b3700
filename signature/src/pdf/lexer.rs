//! Characters and tokens (ISO 32000-2, 7.2 and 7.3).

/// A byte window of the file that is read token by token.
///
/// `complete` says that nothing follows the window; otherwise a token that touches its end is
/// reported as [`Stop::More`], and the caller comes back with a larger window.
#[derive(Clone)]
pub(crate) struct Lexer<'b> {
    buf: &'b [u8],
    pos: usize,
    complete: bool,
}

/// Why no value could be read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Stop {
    /// The window ends inside the value.
    More,
    /// The bytes are no such value.
    Syntax(&'static str),
    /// A cap was reached.
    Limit(&'static str),
}

/// One token.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Token {
    Int(i64),
    Real(f64),
    Name(Vec<u8>),
    Literal(Vec<u8>),
    Hex(Vec<u8>),
    ArrayOpen,
    ArrayClose,
    DictOpen,
    DictClose,
    /// A keyword such as `obj`, `R`, `true`; cut at 32 bytes.
    Word(Vec<u8>),
    /// The end of a complete window.
    End,
}

pub(crate) fn is_space(byte: u8) -> bool {
    matches!(byte, b'\0' | b'\t' | b'\n' | 0x0C | b'\r' | b' ')
}

pub(crate) fn is_delimiter(byte: u8) -> bool {
    matches!(byte, b'(' | b')' | b'<' | b'>' | b'[' | b']' | b'{' | b'}' | b'/' | b'%')
}

pub(crate) fn is_regular(byte: u8) -> bool {
    !is_space(byte) && !is_delimiter(byte)
}

pub(crate) fn hex_value(byte: u8) -> Option<u8> {
    match byte {
        b'0'..=b'9' => Some(byte - b'0'),
        b'a'..=b'f' => Some(byte - b'a' + 10),
        b'A'..=b'F' => Some(byte - b'A' + 10),
        _ => None,
    }
}

type Lexed<T> = Result<T, Stop>;

impl<'b> Lexer<'b> {
    pub(crate) fn new(buf: &'b [u8], complete: bool) -> Self {
        Lexer { buf, pos: 0, complete }
    }

    pub(crate) fn pos(&self) -> usize {
        self.pos
    }

    pub(crate) fn seek(&mut self, pos: usize) {
        self.pos = pos.min(self.buf.len());
    }

    /// The byte at the position, `None` at the end of a complete window.
    pub(crate) fn peek(&self) -> Lexed<Option<u8>> {
        match self.buf.get(self.pos) {
            Some(byte) => Ok(Some(*byte)),
            None if self.complete => Ok(None),
            None => Err(Stop::More),
        }
    }

    fn bump(&mut self) -> Lexed<Option<u8>> {
        let byte = self.peek()?;
        if byte.is_some() {
            self.pos += 1;
        }
        Ok(byte)
    }

    /// Skips white space and comments.
    pub(crate) fn skip_space(&mut self) -> Lexed<()> {
        while let Some(byte) = self.peek()? {
            if byte == b'%' {
                self.skip_line()?;
            } else if is_space(byte) {
                self.pos += 1;
            } else {
                break;
            }
        }
        Ok(())
    }

    fn skip_line(&mut self) -> Lexed<()> {
        while let Some(byte) = self.peek()? {
            if matches!(byte, b'\r' | b'\n') {
                break;
            }
            self.pos += 1;
        }
        Ok(())
    }

    /// The next token behind white space.
    pub(crate) fn token(&mut self) -> Lexed<Token> {
        self.skip_space()?;
        let Some(byte) = self.peek()? else { return Ok(Token::End) };
        match byte {
            b'/' => self.name(),
            b'(' => self.literal(),
            b'<' | b'>' => self.angle(byte),
            b'[' => self.single(Token::ArrayOpen),
            b']' => self.single(Token::ArrayClose),
            b'{' | b'}' | b')' => {
                self.pos += 1;
                Ok(Token::Word(vec![byte]))
            }
            b'0'..=b'9' | b'+' | b'-' | b'.' => self.number(),
            _ => self.word(),
        }
    }

    fn single(&mut self, token: Token) -> Lexed<Token> {
        self.pos += 1;
        Ok(token)
    }

    fn angle(&mut self, byte: u8) -> Lexed<Token> {
        self.pos += 1;
        if self.peek()? == Some(byte) {
            self.pos += 1;
            return Ok(if byte == b'<' { Token::DictOpen } else { Token::DictClose });
        }
        if byte == b'>' {
            return Ok(Token::Word(vec![b'>']));
        }
        self.hex()
    }

    /// The run of regular characters at the position.
    fn regular_run(&mut self) -> Lexed<&'b [u8]> {
        let rest = self.buf.get(self.pos..).unwrap_or_default();
        let len = rest.iter().position(|b| !is_regular(*b));
        let len = match len {
            Some(len) => len,
            None if self.complete => rest.len(),
            None => return Err(Stop::More),
        };
        self.pos += len;
        Ok(rest.get(..len).unwrap_or_default())
    }

    fn word(&mut self) -> Lexed<Token> {
        let run = self.regular_run()?;
        Ok(Token::Word(run.iter().take(32).copied().collect()))
    }

    fn name(&mut self) -> Lexed<Token> {
        self.pos += 1;
        let run = self.regular_run()?;
        if !run.contains(&b'#') {
            return Ok(Token::Name(run.to_vec()));
        }
        let mut name = Vec::with_capacity(run.len());
        let mut rest = run;
        while let Some((&byte, tail)) = rest.split_first() {
            let pair = (byte == b'#').then(|| tail.get(..2)).flatten();
            let code =
                pair.and_then(|p| Some(hex_value(*p.first()?)? << 4 | hex_value(*p.last()?)?));
            name.push(code.unwrap_or(byte));
            rest = tail.get(if code.is_some() { 2 } else { 0 }..).unwrap_or_default();
        }
        Ok(Token::Name(name))
    }

    fn number(&mut self) -> Lexed<Token> {
        let run = self.regular_run()?;
        Ok(parse_number(run).unwrap_or_else(|| Token::Word(run.iter().take(32).copied().collect())))
    }

    fn hex(&mut self) -> Lexed<Token> {
        let rest = self.buf.get(self.pos..).unwrap_or_default();
        let Some(len) = rest.iter().position(|b| *b == b'>') else {
            return Err(if self.complete {
                Stop::Syntax("string without end")
            } else {
                Stop::More
            });
        };
        let mut out = Vec::with_capacity(len / 2);
        let mut high = None;
        for digit in rest.iter().take(len).filter_map(|b| hex_value(*b)) {
            match high.take() {
                Some(first) => out.push(first << 4 | digit),
                None => high = Some(digit),
            }
        }
        out.extend(high.map(|first: u8| first << 4));
        self.pos += len + 1;
        Ok(Token::Hex(out))
    }

    fn literal(&mut self) -> Lexed<Token> {
        self.pos += 1;
        let mut out = Vec::new();
        let mut depth = 1usize;
        loop {
            let Some(byte) = self.bump()? else { return Err(Stop::Syntax("string without end")) };
            match byte {
                b'(' => depth += 1,
                b')' => depth -= 1,
                b'\\' => {
                    self.escape(&mut out)?;
                    continue;
                }
                b'\r' => {
                    // An end of line counts as one line feed (7.3.4.2).
                    if self.peek()? == Some(b'\n') {
                        self.pos += 1;
                    }
                    out.push(b'\n');
                    continue;
                }
                _ => {}
            }
            if depth == 0 {
                return Ok(Token::Literal(out));
            }
            out.push(byte);
        }
    }

    fn escape(&mut self, out: &mut Vec<u8>) -> Lexed<()> {
        let Some(byte) = self.bump()? else { return Ok(()) };
        match byte {
            b'n' => out.push(b'\n'),
            b'r' => out.push(b'\r'),
            b't' => out.push(b'\t'),
            b'b' => out.push(8),
            b'f' => out.push(12),
            b'\n' => {}
            b'\r' => {
                if self.peek()? == Some(b'\n') {
                    self.pos += 1;
                }
            }
            b'0'..=b'7' => {
                let mut code = u32::from(byte - b'0');
                for _ in 0..2 {
                    let Some(digit @ b'0'..=b'7') = self.peek()? else { break };
                    code = code * 8 + u32::from(digit - b'0');
                    self.pos += 1;
                }
                out.push((code & 0xFF) as u8);
            }
            other => out.push(other),
        }
        Ok(())
    }
}

/// A number as PDF writes it, with the sloppy forms readers accept (`--5`, `4.`, `1.2.3`).
fn parse_number(run: &[u8]) -> Option<Token> {
    let signs = run.iter().take_while(|b| matches!(b, b'+' | b'-')).count();
    let negative = run.get(..signs)?.contains(&b'-');
    let digits = run.get(signs..)?;
    let sign = if negative { -1 } else { 1 };
    if !digits.is_empty() && digits.iter().all(u8::is_ascii_digit) {
        let value = digits.iter().try_fold(0i64, |value, digit| {
            value.checked_mul(10)?.checked_add(i64::from(digit - b'0'))
        });
        return Some(match value {
            Some(value) => Token::Int(sign * value),
            None => Token::Real(text_number(digits)? * sign as f64),
        });
    }
    let mut dots = digits.iter().enumerate().filter(|(_, b)| **b == b'.').map(|(i, _)| i);
    dots.next()?;
    let end = dots.next().or_else(|| digits.iter().position(|b| *b == b'-'));
    let digits = digits.get(..end.unwrap_or(digits.len()))?;
    if !digits.iter().all(|b| b.is_ascii_digit() || *b == b'.') {
        return None;
    }
    let value = if digits == b"." { 0.0 } else { text_number(digits)? };
    Some(Token::Real(value * sign as f64))
}

fn text_number(digits: &[u8]) -> Option<f64> {
    std::str::from_utf8(digits).ok()?.parse().ok().filter(|v: &f64| v.is_finite())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tokens(text: &[u8]) -> Vec<Token> {
        let mut lexer = Lexer::new(text, true);
        let mut out = Vec::new();
        loop {
            match lexer.token().unwrap() {
                Token::End => return out,
                token => out.push(token),
            }
        }
    }

    #[test]
    fn numbers_in_all_their_forms() {
        use Token::{Int, Real, Word};
        assert_eq!(
            tokens(b"0 -17 +4 --5 4. -.5 . 1.2.3 99999999999999999999 12abc"),
            [
                Int(0),
                Int(-17),
                Int(4),
                Int(-5),
                Real(4.0),
                Real(-0.5),
                Real(0.0),
                Real(1.2),
                Real(1e20),
                Word(b"12abc".to_vec())
            ]
        );
    }

    #[test]
    fn strings_and_names() {
        assert_eq!(
            tokens(b"(a(b)\\)\\101\\\r\nc\r\n)<4 1 4>/A#20B#zz/%x\n[<<>>]"),
            [
                Token::Literal(b"a(b))Ac\n".to_vec()),
                Token::Hex(b"A@".to_vec()),
                Token::Name(b"A B#zz".to_vec()),
                Token::Name(Vec::new()),
                Token::ArrayOpen,
                Token::DictOpen,
                Token::DictClose,
                Token::ArrayClose
            ]
        );
    }

    #[test]
    fn an_open_window_asks_for_more() {
        for text in [&b"12"[..], b"/Na", b"(abc", b"<41", b"<", b"  ", b"% comment", b"tru"] {
            assert_eq!(Lexer::new(text, false).token(), Err(Stop::More), "{text:?}");
        }
        assert_eq!(Lexer::new(b"12 ", false).token(), Ok(Token::Int(12)));
    }
}
