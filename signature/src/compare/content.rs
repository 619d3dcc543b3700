//! Operations of content streams (ISO 32000-2, 7.8.2).

use crate::pdf::{Dict, Lexer, Name, Object, PdfString, Token};

/// Operands beyond this number are dropped, as no operator takes so many.
const MAX_OPERANDS: usize = 2048;
const MAX_DEPTH: usize = 32;

/// An operator with its operands.
#[derive(Debug)]
pub(super) struct Operation {
    pub(super) name: Vec<u8>,
    pub(super) operands: Vec<Object>,
}

impl Operation {
    /// The number at this place among the operands.
    pub(super) fn number(&self, index: usize) -> Option<f64> {
        self.operands.get(index)?.as_number()
    }

    /// The first `N` operands, when all are numbers.
    pub(super) fn numbers<const N: usize>(&self) -> Option<[f64; N]> {
        let mut found = [0.0; N];
        for (index, place) in found.iter_mut().enumerate() {
            *place = self.number(index)?;
        }
        Some(found)
    }

    /// The strings that a text-showing operator draws.
    pub(super) fn strings(&self) -> impl Iterator<Item = &PdfString> {
        self.operands
            .iter()
            .flat_map(|operand| match operand {
                Object::Array(values) => values.as_slice(),
                other => std::slice::from_ref(other),
            })
            .filter_map(Object::as_string)
    }

    /// Appends the strings, read as plain text.
    pub(super) fn text_into(&self, out: &mut String) {
        self.strings().for_each(|s| out.push_str(&s.to_text()));
    }
}

/// Reads a content stream operation by operation. The data of inline images is passed over.
pub(super) struct Operations<'b> {
    data: &'b [u8],
    lexer: Lexer<'b>,
}

impl<'b> Operations<'b> {
    pub(super) fn new(data: &'b [u8]) -> Self {
        Operations { data, lexer: Lexer::new(data, true) }
    }

    /// The next operation; `None` at the end.
    ///
    /// # Errors
    /// When the stream is no sequence of operations.
    pub(super) fn next(&mut self) -> Result<Option<Operation>, ()> {
        let mut operands = Vec::new();
        loop {
            match self.lexer.token().map_err(drop)? {
                Token::End => return Ok(None),
                Token::Word(name) if !is_constant(&name) => {
                    if name == b"ID" {
                        self.skip_image()?;
                    }
                    return Ok(Some(Operation { name, operands }));
                }
                token => {
                    let value = self.operand(token, 0)?;
                    if operands.len() < MAX_OPERANDS {
                        operands.push(value);
                    }
                }
            }
        }
    }

    fn operand(&mut self, token: Token, depth: usize) -> Result<Object, ()> {
        if depth > MAX_DEPTH {
            return Err(());
        }
        Ok(match token {
            Token::Int(value) => Object::Int(value),
            Token::Real(value) => Object::Real(value),
            Token::Name(bytes) => Object::Name(Name::new(bytes)),
            Token::Literal(bytes) => Object::String(PdfString::literal(bytes)),
            Token::Hex(bytes) => Object::String(PdfString::hex(bytes)),
            Token::Word(word) => match word.as_slice() {
                b"true" => Object::Bool(true),
                b"false" => Object::Bool(false),
                b"null" => Object::Null,
                _ => return Err(()),
            },
            Token::ArrayOpen => self.array(depth)?,
            Token::DictOpen => self.dict(depth)?,
            Token::ArrayClose | Token::DictClose | Token::End => return Err(()),
        })
    }

    fn array(&mut self, depth: usize) -> Result<Object, ()> {
        let mut values = Vec::new();
        loop {
            match self.lexer.token().map_err(drop)? {
                Token::ArrayClose => return Ok(Object::Array(values)),
                token => values.push(self.operand(token, depth + 1)?),
            }
        }
    }

    /// Dictionaries stand at marked content and inline images only.
    fn dict(&mut self, depth: usize) -> Result<Object, ()> {
        let mut dict = Dict::new();
        loop {
            match self.lexer.token().map_err(drop)? {
                Token::DictClose => return Ok(Object::Dict(dict)),
                Token::Name(key) => {
                    let token = self.lexer.token().map_err(drop)?;
                    let value = self.operand(token, depth + 1)?;
                    dict.push(Name::new(key), value, None);
                }
                _ => return Err(()),
            }
        }
    }

    /// Passes over the data of an inline image, up to `EI` between white space.
    fn skip_image(&mut self) -> Result<(), ()> {
        let mut at = self.lexer.pos();
        loop {
            let rest = self.data.get(at..).unwrap_or_default();
            let found = memchr::memmem::find(rest, b"EI").ok_or(())?;
            let place = at + found;
            let space = |byte: Option<&u8>| byte.is_none_or(u8::is_ascii_whitespace);
            let before = place.checked_sub(1).and_then(|p| self.data.get(p));
            if space(before) && space(self.data.get(place + 2)) {
                self.lexer.seek(place + 2);
                return Ok(());
            }
            at = place + 2;
        }
    }
}

fn is_constant(word: &[u8]) -> bool {
    matches!(word, b"true" | b"false" | b"null")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(text: &[u8]) -> Result<Vec<String>, ()> {
        let mut operations = Operations::new(text);
        let mut out = Vec::new();
        while let Some(operation) = operations.next()? {
            out.push(String::from_utf8_lossy(&operation.name).into_owned());
        }
        Ok(out)
    }

    #[test]
    fn operators_with_their_operands() {
        let mut operations = Operations::new(b"1 0 0 1 5.5 6 cm [(a) -20 <62>] TJ /F1 12 Tf");
        let first = operations.next().unwrap().unwrap();
        assert_eq!(first.name, b"cm");
        assert_eq!(first.numbers::<6>(), Some([1.0, 0.0, 0.0, 1.0, 5.5, 6.0]));
        let second = operations.next().unwrap().unwrap();
        let mut text = String::new();
        second.text_into(&mut text);
        assert_eq!(text, "ab");
        assert_eq!(operations.next().unwrap().unwrap().numbers::<2>(), None);
        assert!(operations.next().unwrap().is_none());
    }

    #[test]
    fn images_marked_content_and_damage() {
        let image = b"q BI /W 1 /H 1 ID \x01EIEI\xFF EI Q /P <</MCID 0/A[true null]>> BDC EMC";
        assert_eq!(names(image).unwrap(), ["q", "BI", "ID", "Q", "BDC", "EMC"]);
        for damaged in [&b"(open"[..], b"[1 2", b"<</A 1", b"] x", b"ID no end", b"[[[ x"] {
            assert!(names(damaged).is_err(), "{damaged:?}");
        }
        assert!(names(&b"[".repeat(100_000)).is_err());
    }
}
