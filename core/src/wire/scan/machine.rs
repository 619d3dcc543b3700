//! The structure of an answer: what may come next, and what came.

use super::number::Number;
use super::path::Path;
use super::text::Reading;
use super::{Limits, ScanError, Visitor};
use crate::wire::base64::Decoder;
use crate::wire::pool::BufferPool;

/// Longest number accepted, in characters.
const MAX_NUMBER: usize = 1024;

const BYTE_ORDER_MARK: &[u8] = b"\xef\xbb\xbf";

/// What the next byte may be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum State {
    /// The first byte, or so many bytes into a byte order mark.
    Start(usize),
    Value,
    FirstElement,
    FirstKey,
    Key,
    Colon,
    /// A value is complete: a comma, the end of its container, or nothing more.
    After,
    String,
    Number(Number),
    /// So many characters into a word.
    Word(Word, usize),
    /// An error was reported.
    Failed,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Word {
    True,
    False,
    Null,
}

impl Word {
    fn letters(self) -> &'static [u8] {
        match self {
            Self::True => b"true",
            Self::False => b"false",
            Self::Null => b"null",
        }
    }
}

/// Reads one answer, piece by piece, and tells its visitor what is in it.
pub struct Scanner<V: Visitor> {
    pub(super) visitor: V,
    pub(super) limits: Limits,
    pub(super) path: Path,
    /// Bytes taken so far: the offset of the byte looked at.
    pub(super) offset: u64,
    pub(super) state: State,
    pub(super) reading: Reading,
    /// The text, name or number that is being put together.
    pub(super) scratch: Vec<u8>,
    pub(super) decoder: Option<Decoder>,
    pub(super) pool: BufferPool,
}

impl<V: Visitor> Scanner<V> {
    /// A scanner for one answer. Its decode window comes from `pool`, and only once a document
    /// comes.
    pub fn new(visitor: V, limits: Limits, pool: &BufferPool) -> Self {
        Self {
            visitor,
            limits,
            path: Path::default(),
            offset: 0,
            state: State::Start(0),
            reading: Reading::default(),
            scratch: Vec::new(),
            decoder: None,
            pool: pool.clone(),
        }
    }

    /// Takes the next piece of the answer.
    ///
    /// # Errors
    /// The first thing wrong with the answer. After an error every further call is refused.
    pub fn feed(&mut self, chunk: &[u8]) -> Result<(), ScanError<V::Error>> {
        let left = self.limits.max_bytes.saturating_sub(self.offset);
        let take = usize::try_from(left).unwrap_or(usize::MAX).min(chunk.len());
        let result = self.take(chunk.get(..take).unwrap_or_default()).and_then(|()| {
            if take == chunk.len() {
                return Ok(());
            }
            Err(ScanError::TooLarge { limit: self.limits.max_bytes })
        });
        result.inspect_err(|_| self.state = State::Failed)
    }

    /// Says that the answer ends here.
    ///
    /// # Errors
    /// [`ScanError::Truncated`] when its value is not complete.
    pub fn finish(&mut self) -> Result<(), ScanError<V::Error>> {
        let result = self.end();
        result.inspect_err(|_| self.state = State::Failed)
    }

    /// Hands over what is decoded of a document that is still incomplete, for callers who keep
    /// what arrived before a failure. Does nothing between documents.
    ///
    /// # Errors
    /// [`ScanError::Visitor`] when the visitor refuses the bytes.
    pub fn flush_partial(&mut self) -> Result<(), ScanError<V::Error>> {
        self.flush_document()
    }

    /// Bytes of the answer taken so far.
    pub fn offset(&self) -> u64 {
        self.offset
    }

    /// The visitor, with what it gathered.
    pub fn visitor(&self) -> &V {
        &self.visitor
    }

    /// The visitor, to be changed.
    pub fn visitor_mut(&mut self) -> &mut V {
        &mut self.visitor
    }

    /// Ends scanning, complete or not, and returns the visitor.
    pub fn into_visitor(self) -> V {
        self.visitor
    }

    fn take(&mut self, mut rest: &[u8]) -> Result<(), ScanError<V::Error>> {
        while !rest.is_empty() {
            let used = self.step(rest)?;
            self.offset += used as u64;
            rest = rest.get(used..).unwrap_or_default();
        }
        Ok(())
    }

    /// Takes one token or part of it from the front of `rest`, which is not empty, and returns the
    /// bytes used. None are used only when the state changes.
    fn step(&mut self, rest: &[u8]) -> Result<usize, ScanError<V::Error>> {
        match self.state {
            State::String => return self.string_step(rest),
            State::Failed => return Err(self.malformed("it was refused already")),
            _ => {}
        }
        let Some(&byte) = rest.first() else { return Ok(0) };
        match self.state {
            State::Start(matched) => return self.start(matched, byte),
            State::Number(number) => return self.number(number, byte),
            State::Word(word, matched) => return self.word(word, matched, byte),
            _ => {}
        }
        let blanks = rest.iter().take_while(|byte| b" \t\r\n".contains(byte)).count();
        if blanks > 0 {
            return Ok(blanks);
        }
        self.token(byte)?;
        Ok(1)
    }

    fn token(&mut self, byte: u8) -> Result<(), ScanError<V::Error>> {
        match (self.state, byte) {
            (State::FirstElement, b']') => self.close(true),
            (State::FirstKey, b'}') => self.close(false),
            (State::Value | State::FirstElement, _) => self.value(byte),
            (State::FirstKey | State::Key, b'"') => {
                self.begin_key();
                Ok(())
            }
            (State::FirstKey, _) => Err(self.malformed("expected a member name or '}'")),
            (State::Key, _) => Err(self.malformed("expected a member name")),
            (State::Colon, b':') => {
                self.state = State::Value;
                Ok(())
            }
            (State::Colon, _) => Err(self.malformed("expected ':'")),
            _ => self.after(byte),
        }
    }

    fn start(&mut self, matched: usize, byte: u8) -> Result<usize, ScanError<V::Error>> {
        if BYTE_ORDER_MARK.get(matched) == Some(&byte) {
            let matched = matched + 1;
            let whole = matched == BYTE_ORDER_MARK.len();
            self.state = if whole { State::Value } else { State::Start(matched) };
            return Ok(1);
        }
        if matched > 0 {
            return Err(self.malformed("expected a byte order mark"));
        }
        self.state = State::Value;
        Ok(0)
    }

    fn value(&mut self, byte: u8) -> Result<(), ScanError<V::Error>> {
        match byte {
            b'{' => self.open(false),
            b'[' => self.open(true),
            b'"' => self.begin_string(),
            b't' => self.begin_word(Word::True),
            b'f' => self.begin_word(Word::False),
            b'n' => self.begin_word(Word::Null),
            _ => {
                let Some(number) = Number::begin(byte) else {
                    return Err(self.malformed("expected a value"));
                };
                self.scratch.clear();
                self.scratch.push(byte);
                self.state = State::Number(number);
                Ok(())
            }
        }
    }

    fn open(&mut self, array: bool) -> Result<(), ScanError<V::Error>> {
        if self.path.depth() >= self.limits.max_depth {
            let limit = self.limits.max_depth;
            return Err(ScanError::TooDeep { offset: self.offset, limit });
        }
        let told = if array {
            self.visitor.begin_array(&self.path)
        } else {
            self.visitor.begin_object(&self.path)
        };
        told.map_err(ScanError::Visitor)?;
        self.path.open(array);
        self.state = if array { State::FirstElement } else { State::FirstKey };
        Ok(())
    }

    fn close(&mut self, array: bool) -> Result<(), ScanError<V::Error>> {
        self.path.close();
        self.state = State::After;
        let told = if array {
            self.visitor.end_array(&self.path)
        } else {
            self.visitor.end_object(&self.path)
        };
        told.map_err(ScanError::Visitor)
    }

    fn after(&mut self, byte: u8) -> Result<(), ScanError<V::Error>> {
        match (self.path.in_array(), byte) {
            (Some(true), b',') => {
                self.path.next_index();
                self.state = State::Value;
                Ok(())
            }
            (Some(false), b',') => {
                self.state = State::Key;
                Ok(())
            }
            (Some(true), b']') => self.close(true),
            (Some(false), b'}') => self.close(false),
            (Some(true), _) => Err(self.malformed("expected ',' or ']'")),
            (Some(false), _) => Err(self.malformed("expected ',' or '}'")),
            (None, _) => Err(self.malformed("something follows the end of the value")),
        }
    }

    fn begin_word(&mut self, word: Word) -> Result<(), ScanError<V::Error>> {
        self.state = State::Word(word, 1);
        Ok(())
    }

    fn word(&mut self, word: Word, matched: usize, byte: u8) -> Result<usize, ScanError<V::Error>> {
        let letters = word.letters();
        if letters.get(matched) != Some(&byte) {
            return Err(self.malformed("expected true, false or null"));
        }
        if matched + 1 < letters.len() {
            self.state = State::Word(word, matched + 1);
            return Ok(1);
        }
        self.state = State::After;
        let told = match word {
            Word::True => self.visitor.boolean(&self.path, true),
            Word::False => self.visitor.boolean(&self.path, false),
            Word::Null => self.visitor.null(&self.path),
        };
        told.map_err(ScanError::Visitor)?;
        Ok(1)
    }

    fn number(&mut self, number: Number, byte: u8) -> Result<usize, ScanError<V::Error>> {
        if let Some(next) = number.next(byte) {
            if self.scratch.len() >= MAX_NUMBER {
                return Err(ScanError::TooLong { offset: self.offset, limit: MAX_NUMBER });
            }
            self.scratch.push(byte);
            self.state = State::Number(next);
            return Ok(1);
        }
        if !number.is_complete() {
            return Err(self.malformed("expected a digit"));
        }
        self.end_number()?;
        Ok(0)
    }

    fn end_number(&mut self) -> Result<(), ScanError<V::Error>> {
        self.state = State::After;
        let text = String::from_utf8_lossy(&self.scratch);
        self.visitor.number(&self.path, &text).map_err(ScanError::Visitor)
    }

    fn end(&mut self) -> Result<(), ScanError<V::Error>> {
        match self.state {
            State::Failed => return Err(self.malformed("it was refused already")),
            State::Number(number) if number.is_complete() && self.path.depth() == 0 => {
                self.end_number()?;
            }
            _ => {}
        }
        if self.state == State::After && self.path.depth() == 0 {
            return Ok(());
        }
        Err(ScanError::Truncated { offset: self.offset })
    }

    pub(super) fn malformed(&self, what: &'static str) -> ScanError<V::Error> {
        ScanError::malformed(self.offset, what)
    }
}
