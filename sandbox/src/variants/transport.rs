//! Forms of HTTP, the same for the whole service.

use serde::{Deserialize, Serialize};

/// Content coding of answers (RFC 9110 section 8.4.1), whatever a client asks for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ContentEncoding {
    /// None.
    #[default]
    Identity,
    /// `gzip`
    Gzip,
    /// `deflate`, which is the zlib format (RFC 1950).
    Deflate,
    /// Bare deflate (RFC 1951) under the name `deflate`, as some servers send it.
    RawDeflate,
}

/// Content-Type of JSON answers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ContentType {
    /// `application/json`
    #[default]
    Json,
    /// `application/json;charset=UTF-8`
    JsonCharset,
    /// `text/plain`
    Text,
    /// None.
    Absent,
}
