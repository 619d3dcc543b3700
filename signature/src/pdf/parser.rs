//! From tokens to objects.

use super::lexer::{Lexer, Stop, Token};
use super::limits::Limits;
use super::object::{Dict, Name, ObjRef, Object, PdfString, Span};

/// Reads objects from one window.
pub(crate) struct Parser<'b> {
    lexer: Lexer<'b>,
    /// File offset of the window; `None` for decoded object streams, whose values have no place
    /// in the file.
    base: Option<u64>,
    values_left: usize,
    depth_left: usize,
}

/// What stands behind the value of an indirect object.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Tail {
    /// `endobj`, which ends at this position of the window.
    EndObj(usize),
    /// `stream`; the data begins at this position of the window.
    Stream(usize),
    /// Something else; the value ended at this position.
    Other(usize),
}

type Parsed<T> = Result<T, Stop>;

impl<'b> Parser<'b> {
    pub(crate) fn new(
        buf: &'b [u8],
        complete: bool,
        base: Option<u64>,
        limits: &Limits,
    ) -> Parser<'b> {
        Parser {
            lexer: Lexer::new(buf, complete),
            base,
            values_left: limits.object_values,
            depth_left: limits.nesting,
        }
    }

    pub(crate) fn pos(&self) -> usize {
        self.lexer.pos()
    }

    /// `number generation obj`.
    pub(crate) fn object_header(&mut self) -> Parsed<ObjRef> {
        let wrong = Stop::Syntax("no object begins here");
        let (Token::Int(number), Token::Int(generation)) =
            (self.lexer.token()?, self.lexer.token()?)
        else {
            return Err(wrong);
        };
        self.lexer.skip_space()?;
        let at = self.lexer.pos();
        match self.lexer.token()? {
            Token::Word(word) if word == b"obj" => {}
            // `1 0 obj5` or `1 0 objtrue`: the keyword is not delimited.
            Token::Word(word) if word.starts_with(b"obj") => self.lexer.seek(at + 3),
            _ => return Err(wrong),
        }
        reference(number, generation).ok_or(wrong)
    }

    /// The value of an indirect object; an object without one is null, as readers have it.
    pub(crate) fn object_value(&mut self) -> Parsed<Object> {
        let start = self.lexer.pos();
        match self.lexer.token()? {
            Token::Word(word) if word == b"endobj" => {
                self.lexer.seek(start);
                Ok(Object::Null)
            }
            token => self.value_from(token),
        }
    }

    /// A value; a reference is recognised by looking ahead.
    pub(crate) fn value(&mut self) -> Parsed<Object> {
        let token = self.lexer.token()?;
        self.value_from(token)
    }

    fn value_from(&mut self, token: Token) -> Parsed<Object> {
        self.values_left =
            self.values_left.checked_sub(1).ok_or(Stop::Limit("an object has too many values"))?;
        Ok(match token {
            Token::Int(value) => self.int_or_reference(value)?,
            Token::Real(value) => Object::Real(value),
            Token::Name(bytes) => Object::Name(Name::new(bytes)),
            Token::Literal(bytes) => Object::String(PdfString::literal(bytes)),
            Token::Hex(bytes) => Object::String(PdfString::hex(bytes)),
            Token::ArrayOpen => self.nested(Self::array)?,
            Token::DictOpen => Object::Dict(self.nested(Self::dict_rest)?),
            Token::Word(word) => match &*word {
                b"true" => Object::Bool(true),
                b"false" => Object::Bool(false),
                b"endobj" | b"stream" | b"endstream" | b"obj" | b"xref" | b"trailer"
                | b"startxref" => {
                    return Err(Stop::Syntax("a value is missing"));
                }
                // Readers take an unknown keyword for null.
                _ => Object::Null,
            },
            Token::ArrayClose | Token::DictClose => return Err(Stop::Syntax("a value is missing")),
            Token::End => return Err(Stop::Syntax("the file ends inside an object")),
        })
    }

    fn nested<T>(&mut self, read: fn(&mut Self) -> Parsed<T>) -> Parsed<T> {
        self.depth_left =
            self.depth_left.checked_sub(1).ok_or(Stop::Limit("an object nests too deeply"))?;
        let value = read(self)?;
        self.depth_left += 1;
        Ok(value)
    }

    fn int_or_reference(&mut self, value: i64) -> Parsed<Object> {
        let start = self.lexer.pos();
        if u32::try_from(value).is_ok()
            && let Token::Int(generation) = self.peek_digit_token()?
            && let Some(found) = reference(value, generation)
            && self.takes_reference_mark()?
        {
            return Ok(Object::Ref(found));
        }
        self.lexer.seek(start);
        Ok(Object::Int(value))
    }

    /// The next token when it begins with a digit: keeps the look-ahead cheap.
    fn peek_digit_token(&mut self) -> Parsed<Token> {
        self.lexer.skip_space()?;
        match self.lexer.peek()? {
            Some(b'0'..=b'9') => self.lexer.token(),
            _ => Ok(Token::End),
        }
    }

    /// Whether `R` follows; looks at no more than that, so that arrays of numbers stay linear.
    fn takes_reference_mark(&mut self) -> Parsed<bool> {
        self.lexer.skip_space()?;
        if self.lexer.peek()? != Some(b'R') {
            return Ok(false);
        }
        Ok(matches!(self.lexer.token()?, Token::Word(word) if word == b"R"))
    }

    fn array(&mut self) -> Parsed<Object> {
        let mut values = Vec::new();
        loop {
            match self.lexer.token()? {
                Token::ArrayClose => return Ok(Object::Array(values)),
                token => values.push(self.value_from(token)?),
            }
        }
    }

    /// The rest of a dictionary behind its `<<`.
    fn dict_rest(&mut self) -> Parsed<Dict> {
        let mut dict = Dict::new();
        loop {
            match self.lexer.token()? {
                Token::DictClose => return Ok(dict),
                Token::Name(key) => {
                    self.values_left = self
                        .values_left
                        .checked_sub(1)
                        .ok_or(Stop::Limit("an object has too many values"))?;
                    self.dict_value(&mut dict, Name::new(key))?;
                }
                Token::End => return Err(Stop::Syntax("the file ends inside a dictionary")),
                Token::Word(word)
                    if matches!(
                        &*word,
                        b"endobj" | b"stream" | b"endstream" | b"trailer" | b"startxref"
                    ) =>
                {
                    return Err(Stop::Syntax("a dictionary has no end"));
                }
                // Something that is no key is passed over, as readers do.
                token @ (Token::ArrayOpen | Token::DictOpen) => drop(self.value_from(token)?),
                _ => {}
            }
        }
    }

    fn dict_value(&mut self, dict: &mut Dict, key: Name) -> Parsed<()> {
        self.lexer.skip_space()?;
        let start = self.lexer.pos();
        let token = self.lexer.token()?;
        if token == Token::DictClose {
            self.lexer.seek(start);
            dict.push(key, Object::Null, None);
            return Ok(());
        }
        let value = self.value_from(token)?;
        let end = self.lexer.pos();
        let span = self.base.map(|base| Span::new(base + start as u64, base + end as u64));
        dict.push(key, value, span);
        Ok(())
    }

    /// What follows the value of an indirect object. `is_dict` says whether a stream may follow.
    pub(crate) fn tail(&mut self, is_dict: bool) -> Parsed<Tail> {
        let end = self.lexer.pos();
        match self.lexer.token()? {
            Token::Word(word) if word.starts_with(b"endobj") => {
                let extra = word.len() - b"endobj".len();
                Ok(Tail::EndObj(self.lexer.pos() - extra))
            }
            Token::Word(word) if is_dict && word.starts_with(b"stream") => {
                let extra = word.len() - b"stream".len();
                self.lexer.seek(self.lexer.pos() - extra);
                self.stream_start().map(Tail::Stream)
            }
            _ => Ok(Tail::Other(end)),
        }
    }

    /// Stream data begins behind CR LF, LF, or (as some writers do) a single CR.
    fn stream_start(&mut self) -> Parsed<usize> {
        let mut pos = self.lexer.pos();
        let mut probe = self.lexer.clone();
        while matches!(probe.peek()?, Some(b' ' | b'\t')) {
            probe.seek(probe.pos() + 1);
        }
        if matches!(probe.peek()?, Some(b'\r' | b'\n')) {
            pos = probe.pos();
        }
        probe.seek(pos);
        if probe.peek()? == Some(b'\r') {
            pos += 1;
            probe.seek(pos);
        }
        if probe.peek()? == Some(b'\n') {
            pos += 1;
        }
        Ok(pos)
    }
}

fn reference(number: i64, generation: i64) -> Option<ObjRef> {
    Some(ObjRef::new(u32::try_from(number).ok()?, u16::try_from(generation).ok()?))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(text: &str) -> Parsed<Object> {
        Parser::new(text.as_bytes(), true, Some(0), &Limits::default()).value()
    }

    #[test]
    fn values_references_and_spans() {
        let object = parse("<</A[1 0 R 2 3]/B(x)/C<</D 1.5>>/E/F/G true/H null/I -3/J 1 0 R>>");
        let Object::Dict(dict) = object.unwrap() else { panic!("no dictionary") };
        let one = Object::Ref(ObjRef::new(1, 0));
        assert_eq!(
            dict.get("A"),
            Some(&Object::Array(vec![one.clone(), Object::Int(2), Object::Int(3)]))
        );
        assert_eq!(dict.entry("B").unwrap().span, Some(Span::new(17, 20)));
        assert_eq!(dict.get("C").unwrap().as_dict().unwrap().get("D"), Some(&Object::Real(1.5)));
        assert_eq!(dict.get("J"), Some(&one));
        assert!(!dict.has_repeated_keys());
    }

    #[test]
    fn what_readers_forgive() {
        let Object::Dict(dict) = parse("<</A/B 5 (x)/C zzz /D>>").unwrap() else { panic!("dict") };
        assert!(dict.is_name("A", "B"));
        assert_eq!(dict.get("C"), Some(&Object::Null));
        assert_eq!(dict.get("D"), Some(&Object::Null));
        assert_eq!(dict.get("x"), None);
    }

    #[test]
    fn depth_and_count_are_capped() {
        assert!(matches!(parse(&"[".repeat(100_000)), Err(Stop::Limit(_))));
        assert!(matches!(parse(&"<</A ".repeat(100_000)), Err(Stop::Limit(_))));
        assert!(matches!(parse(&format!("[{}]", "0 ".repeat(500_000))), Err(Stop::Limit(_))));
    }
}
