//! A service with one order, and answers to its download.
#![allow(dead_code, missing_docs)]
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing)]

use std::path::Path;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde_json::{Value, json};
use signdoc::{Download, Error};

use super::server::{PADES, Reply, SDO, Server};

/// What the service does.
pub struct Script {
    pub state: String,
    /// The answer to a new order.
    pub created: Value,
    /// The reply to the DELETE that is not refused.
    pub reply: Reply,
    /// Whether the DELETE deletes, whatever is answered.
    pub deletes: bool,
    /// So many DELETEs are answered with 401 first.
    pub refusals: usize,
    pub on_delete: Option<Box<dyn FnMut() + Send>>,
}

impl Script {
    /// An order that is completed and hands this out.
    pub fn completed(answer: String) -> Self {
        Self {
            state: "SIGN_COMPLETED".to_owned(),
            created: json!({"sign_id": "910b"}),
            reply: Reply::json(200, answer),
            deletes: true,
            refusals: 0,
            on_delete: None,
        }
    }

    pub fn replying(mut self, reply: Reply) -> Self {
        self.reply = reply;
        self
    }

    pub fn start(mut self) -> Server {
        let mut gone = false;
        Server::start(move |seen| {
            let path = seen.target.split('?').next().unwrap_or_default();
            if path != PADES && path != SDO {
                return None;
            }
            match seen.method.as_str() {
                "POST" => Some(Reply::json(201, &self.created)),
                _ if gone => Some(Reply::json(404, json!({"message": "no such order"}))),
                "GET" => Some(Reply::json(200, json!({"orderState": self.state}))),
                "DELETE" => {
                    if let Some(look) = &mut self.on_delete {
                        look();
                    }
                    if self.refusals > 0 {
                        self.refusals -= 1;
                        return Some(Reply::json(401, ""));
                    }
                    gone = self.deletes;
                    Some(self.reply.clone())
                }
                _ => None,
            }
        })
    }
}

/// PDFs, as far as anybody here looks, of these sizes.
pub fn of_sizes(sizes: &[usize]) -> Vec<Vec<u8>> {
    let pdf = |(at, size): (usize, &usize)| {
        let mut bytes = b"%PDF-".to_vec();
        bytes.extend((5..*size).map(|i| (i * 31 + at * 7) as u8));
        bytes
    };
    sizes.iter().enumerate().map(pdf).collect()
}

pub fn answer(documents: &[Vec<u8>]) -> String {
    body(documents, "4120de56")
}

/// A download result, its keys in the order of the service's examples.
pub fn body(documents: &[Vec<u8>], sign_id: &str) -> String {
    let results: Vec<_> = documents
        .iter()
        .enumerate()
        .map(|(at, document)| {
            format!(
                r#"{{"signedDocumentSha256":"{}","padesSignedPdf":"{}","description":"Loan - {}"}}"#,
                sha256(document),
                STANDARD.encode(document),
                at + 1
            )
        })
        .collect();
    format!(
        r#"{{"signingResults":[{}],"signId":"{sign_id}","orderState":"SIGN_COMPLETED","orderName":"Loan"}}"#,
        results.join(",")
    )
}

pub fn sha256(bytes: &[u8]) -> String {
    STANDARD.encode(ring::digest::digest(&ring::digest::SHA256, bytes))
}

/// Every name in a folder, hidden ones, too.
pub fn listed(folder: &Path) -> Vec<String> {
    let entries = std::fs::read_dir(folder).unwrap();
    let mut names: Vec<_> =
        entries.map(|entry| entry.unwrap().file_name().to_string_lossy().into_owned()).collect();
    names.sort();
    names
}

/// The signed documents that an error carries, from memory or from their files.
pub fn documents(error: &Error) -> Vec<Vec<u8>> {
    error.download().map(contents).unwrap_or_default()
}

pub fn contents(download: &Download) -> Vec<Vec<u8>> {
    let Download::Pades(download) = download else { panic!("a PAdES download") };
    download
        .documents
        .iter()
        .filter_map(|one| match (&one.data, &one.path) {
            (Some(data), _) => Some(data.to_vec()),
            (None, Some(path)) => Some(std::fs::read(path).unwrap()),
            (None, None) => None,
        })
        .collect()
}
