//! A body of text with documents in it.

use base64::Engine as _;
use base64::engine::general_purpose::{STANDARD, STANDARD_NO_PAD};
use bytes::Bytes;

use super::body::{AnswerBody, Piece};
use crate::variants::Base64Form;

/// Joins text, and keeps documents apart so that they are encoded on the way out.
#[derive(Default)]
pub(crate) struct Writer {
    pieces: Vec<Piece>,
    text: String,
}

impl Writer {
    /// Adds text.
    pub(crate) fn push(&mut self, text: &str) {
        self.text.push_str(text);
    }

    /// Adds the base64 of a document, in one of the forms a client must read.
    pub(crate) fn push_document(&mut self, bytes: &Bytes, form: Base64Form) {
        match form {
            Base64Form::Strict => {
                self.flush();
                self.pieces.push(Piece::Base64(bytes.clone()));
            }
            Base64Form::Unpadded => self.push(&STANDARD_NO_PAD.encode(bytes)),
            Base64Form::Lines => self.push(&in_lines(&STANDARD.encode(bytes))),
            Base64Form::Escaped => {
                let base64 = STANDARD.encode(bytes);
                self.push(&base64.replace('/', "\\/").replace('+', "\\u002b"));
            }
        }
    }

    fn flush(&mut self) {
        if !self.text.is_empty() {
            self.pieces.push(Piece::Text(Bytes::from(std::mem::take(&mut self.text))));
        }
    }

    /// The body.
    pub(crate) fn finish(mut self) -> AnswerBody {
        self.flush();
        AnswerBody::of(self.pieces)
    }
}

fn in_lines(base64: &str) -> String {
    const LINE: usize = 76;
    let mut out = String::with_capacity(base64.len() + base64.len() / LINE * 4);
    for (index, character) in base64.chars().enumerate() {
        if index > 0 && index % LINE == 0 {
            out.push_str("\\r\\n");
        }
        out.push(character);
    }
    out
}
