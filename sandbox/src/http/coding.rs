//! The form in which answers travel: content codings and the type of JSON. What a fault answers
//! travels as the fault has it.

use std::io;

use flate2::Compression;
use flate2::write::{DeflateEncoder, GzEncoder, ZlibEncoder};
use http::header::{CONTENT_ENCODING, CONTENT_TYPE};
use tokio::task::spawn_blocking;

use super::Answer;
use super::body::AnswerBody;
use crate::variants::{ContentEncoding, ContentType, Variants};

const JSON: &str = "application/json";

/// Gives an answer the form of the variants.
pub(crate) async fn apply(mut answer: Answer, variants: &Variants) -> Answer {
    set_type(&mut answer, variants.content_type);
    let name = match variants.content_encoding {
        ContentEncoding::Identity => return answer,
        ContentEncoding::Gzip => "gzip",
        ContentEncoding::Deflate | ContentEncoding::RawDeflate => "deflate",
    };
    if answer.body.len() == 0 {
        return answer;
    }
    let (coding, body) = (variants.content_encoding, answer.body);
    // megabytes take their time, and other connections should not wait for it
    let encoded = spawn_blocking(move || encoded(body, coding)).await;
    match encoded {
        Ok(Ok(body)) => Answer { body, ..answer }.header(CONTENT_ENCODING, name),
        _ => Answer::text(http::StatusCode::INTERNAL_SERVER_ERROR, "internal error")
            .refused("the answer could not be encoded"),
    }
}

fn set_type(answer: &mut Answer, wanted: ContentType) {
    let is_json = |value: &str| value == JSON;
    let other = match wanted {
        ContentType::Json => return,
        ContentType::JsonCharset => Some("application/json;charset=UTF-8"),
        ContentType::Text => Some("text/plain"),
        ContentType::Absent => None,
    };
    match other {
        None => answer.headers.retain(|(name, value)| *name != CONTENT_TYPE || !is_json(value)),
        Some(other) => {
            let types = answer.headers.iter_mut().filter(|(name, _)| *name == CONTENT_TYPE);
            types.filter(|(_, value)| is_json(value)).for_each(|(_, value)| *value = other.into());
        }
    }
}

fn encoded(body: AnswerBody, coding: ContentEncoding) -> io::Result<AnswerBody> {
    let (out, level) = (Vec::new(), Compression::fast());
    match coding {
        ContentEncoding::Identity => Ok(body),
        ContentEncoding::Gzip => {
            body.encoded(GzEncoder::new(out, level), GzEncoder::get_mut, GzEncoder::finish)
        }
        ContentEncoding::Deflate => {
            body.encoded(ZlibEncoder::new(out, level), ZlibEncoder::get_mut, ZlibEncoder::finish)
        }
        ContentEncoding::RawDeflate => {
            let encoder = DeflateEncoder::new(out, level);
            body.encoded(encoder, DeflateEncoder::get_mut, DeflateEncoder::finish)
        }
    }
}
