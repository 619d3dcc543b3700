//! What is asked of an extension, and what came of it.

use std::fmt;
use std::path::PathBuf;

use bytes::Bytes;
use serde_json::{Value, json};
use signdoc_signature::asn1::Time;
use signdoc_signature::verify::{FileReport, Level};

use crate::client::CallOptions;
use crate::document::Document;
use crate::error::{Code, Error, Result};
use crate::pdf::report_json;

/// How a signed PDF is extended.
#[derive(Clone, Debug)]
pub struct ExtendOptions {
    /// [`Level::BLT`] or [`Level::BLTA`].
    pub level: Level,
    /// The file to write (complete, mode 0600, or not at all); in memory without.
    pub to: Option<PathBuf>,
    /// Whether an existing file may be replaced.
    pub overwrite: bool,
    /// Certificates at which chains may end, as PEM or DER. Without any, chains are taken to end
    /// where they lead, which a note says.
    pub trust: Vec<Document>,
    /// Those for timestamps; those of `trust` when it is not given.
    pub timestamp_trust: Option<Vec<Document>>,
    /// Certificates that may stand in chains, as PEM or DER; they are not trusted.
    pub certificates: Vec<Document>,
    /// OCSP answers (DER) and revocation lists (DER or PEM), asked before anybody else.
    pub revocations: Vec<Document>,
    /// Whether evidence is fetched by the addresses in certificates.
    pub fetch: bool,
    /// The time of the extension; the client's clock without.
    pub at: Option<Time>,
    /// Time limit and trace.
    pub call: CallOptions,
}

impl Default for ExtendOptions {
    /// B-LTA, into memory, nobody trusted, evidence fetched.
    fn default() -> Self {
        Self {
            level: Level::BLTA,
            to: None,
            overwrite: false,
            trust: Vec::new(),
            timestamp_trust: None,
            certificates: Vec::new(),
            revocations: Vec::new(),
            fetch: true,
            at: None,
            call: CallOptions::default(),
        }
    }
}

impl ExtendOptions {
    /// Sets what is no file, by name, so that every language asks in the same words: `level` is
    /// `B-LT` or `B-LTA`; `fetch` and `overwrite` are `true` or `false`; `at` is a time in seconds
    /// since 1970.
    ///
    /// # Errors
    /// [`Code::InvalidOption`] for another name, and for a value that it cannot have.
    pub fn set(&mut self, name: &str, value: &str) -> Result<()> {
        match name {
            "level" => self.level = level_of(value)?,
            "fetch" => self.fetch = truth(name, value)?,
            "overwrite" => self.overwrite = truth(name, value)?,
            "at" => {
                let seconds = value.trim().parse().map_err(|_| {
                    wrong(name, &format!("must be a time in seconds since 1970, not {value:?}"))
                })?;
                self.at = Some(Time::from_unix(seconds));
            }
            _ => return Err(wrong(name, "is no option: use level, fetch, overwrite or at")),
        }
        Ok(())
    }
}

fn truth(name: &str, value: &str) -> Result<bool> {
    match value.trim() {
        "true" => Ok(true),
        "false" => Ok(false),
        other => Err(wrong(name, &format!("must be true or false, not {other:?}"))),
    }
}

fn wrong(name: &str, why: &str) -> Error {
    Error::new(Code::InvalidOption, format!("{name} {why}")).with_detail("field", name)
}

/// The level of this name, `B-LT` or `B-LTA`.
///
/// # Errors
/// [`Code::InvalidOption`] for other names; the message says why B-T is none of them.
pub fn level_of(name: &str) -> Result<Level> {
    let level = Level::from_name(name);
    let why = match level {
        Some(Level::BLT | Level::BLTA) => return Ok(level.unwrap_or(Level::BLTA)),
        Some(Level::BB) => "; B-B is what a signature has when it is made",
        Some(Level::BT) => {
            "; a timestamp inside a signature (B-T) is part of its making: afterwards a document \
             timestamp proves the time, which B-LTA adds"
        }
        None => "",
    };
    let message = format!("level is {name:?}: use B-LT or B-LTA{why}");
    Err(Error::new(Code::InvalidOption, message).with_detail("field", "level"))
}

/// A signature and its level.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct SignatureLevel {
    /// The field.
    pub field: String,
    /// The level before; `None` for signatures that are no PAdES ones.
    pub before: Option<Level>,
    /// The level it reaches now.
    pub level: Option<Level>,
}

/// What kind of thing was added.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum AddedKind {
    /// A certificate.
    Certificate,
    /// An OCSP answer.
    Ocsp,
    /// A revocation list.
    Crl,
    /// A document timestamp.
    Timestamp,
}

impl AddedKind {
    /// `certificate`, `ocsp`, `crl` or `timestamp`.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Certificate => "certificate",
            Self::Ocsp => "ocsp",
            Self::Crl => "crl",
            Self::Timestamp => "timestamp",
        }
    }
}

/// Something that was added.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Added {
    /// What it is.
    pub kind: AddedKind,
    /// The certificate that it is, or is about; of a timestamp, its field.
    pub about: String,
    /// The address it came from, `given`, or `known` for what was at hand.
    pub source: String,
    /// Its size in bytes.
    pub size: usize,
    /// When it was made (RFC 3339, UTC); `None` for certificates.
    pub time: Option<String>,
}

/// What could not be had, or should be known.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct ExtendNote {
    /// The certificate or field concerned; empty for the document.
    pub about: String,
    /// What happened.
    pub message: String,
    /// What helps.
    pub advice: String,
}

/// An extended PDF.
#[derive(Clone)]
#[non_exhaustive]
pub struct Extended {
    /// The PDF where no file was named.
    pub data: Option<Bytes>,
    /// The file that was written.
    pub path: Option<PathBuf>,
    /// Size in bytes.
    pub size: u64,
    /// The level that all signatures reach; `None` where one reaches none.
    pub level: Option<Level>,
    /// The level that was asked for.
    pub asked: Level,
    /// Every signature, document timestamps excepted.
    pub signatures: Vec<SignatureLevel>,
    /// What was added.
    pub added: Vec<Added>,
    /// What could not be had.
    pub notes: Vec<ExtendNote>,
    /// What the verification of the extended file found.
    pub report: FileReport,
}

impl Extended {
    /// Whether every signature reaches the level that was asked for.
    #[must_use]
    pub fn is_reached(&self) -> bool {
        self.level >= Some(self.asked)
    }

    /// Everything but the bytes, as a JSON object that is the same in every language.
    #[must_use]
    pub fn to_json(&self) -> Value {
        let name = |level: Option<Level>| level.map(Level::name);
        let signatures: Vec<Value> = self
            .signatures
            .iter()
            .map(|one| {
                json!({
                    "field": one.field,
                    "before": name(one.before),
                    "level": name(one.level),
                })
            })
            .collect();
        let added: Vec<Value> = self
            .added
            .iter()
            .map(|one| {
                json!({
                    "kind": one.kind.as_str(),
                    "about": one.about,
                    "source": one.source,
                    "size": one.size,
                    "time": one.time,
                })
            })
            .collect();
        let note = |note: &ExtendNote| json!({"about": note.about, "message": note.message, "advice": note.advice});
        json!({
            "reached": self.is_reached(),
            "level": name(self.level),
            "asked": self.asked.name(),
            "size": self.size,
            "path": self.path.as_ref().map(|path| path.display().to_string()),
            "signatures": signatures,
            "added": added,
            "notes": self.notes.iter().map(note).collect::<Vec<_>>(),
            "report": report_json(&self.report),
        })
    }
}

impl fmt::Debug for Extended {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Extended")
            .field("path", &self.path)
            .field("size", &self.size)
            .field("level", &self.level)
            .field("signatures", &self.signatures)
            .field("added", &self.added)
            .field("notes", &self.notes)
            .finish_non_exhaustive()
    }
}
