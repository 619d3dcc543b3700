//! `ASiCManifest.xml`: the digest of every file (EN 319 162-1, 4.4.4 and annex A.4).

use std::fmt::Write as _;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;

use super::{MAX_ENTRIES, TIMESTAMP_ENTRY};
use crate::asn1::Malformed;
use crate::crypto::HashAlgorithm;
use crate::xml::{ASIC, DSIG, Document, Namespace, escape};

const WHAT: &str = "manifest";
/// Type of a timestamp token (EN 319 162-1, A.4).
const TOKEN_TYPE: &str = "application/vnd.etsi.timestamp-token";
/// The names of hash functions in XML signatures (RFC 9231, 2.1).
const HASHES: [(&str, HashAlgorithm); 3] = [
    ("http://www.w3.org/2001/04/xmlenc#sha256", HashAlgorithm::Sha256),
    ("http://www.w3.org/2001/04/xmldsig-more#sha384", HashAlgorithm::Sha384),
    ("http://www.w3.org/2001/04/xmlenc#sha512", HashAlgorithm::Sha512),
];
/// Largest manifest that is read, in bytes.
pub(crate) const MAX_MANIFEST: u64 = 1 << 20;

/// What a manifest says of one file.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Reference {
    pub(crate) name: String,
    pub(crate) hash: HashAlgorithm,
    pub(crate) digest: Vec<u8>,
}

/// A manifest as it was read.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Manifest {
    /// The file with the timestamp.
    pub(crate) timestamp: String,
    pub(crate) references: Vec<Reference>,
}

impl Manifest {
    /// Reads a manifest.
    ///
    /// # Errors
    /// When it is none, has two digests for one file, or uses what is not known here.
    pub(crate) fn parse(bytes: &[u8]) -> Result<Self, Malformed> {
        let document = Document::scan(bytes)?;
        let root = document.element(0)?;
        if root.namespace != Namespace::Asic || root.local != "ASiCManifest" {
            return Err(Malformed::new(WHAT, format!("has the root element {}", root.local)));
        }
        let mut timestamp = None;
        let mut references: Vec<Reference> = Vec::new();
        for child in root.children.clone() {
            let element = document.element(child)?;
            match (element.namespace, element.local) {
                (Namespace::Asic, "SigReference") if timestamp.is_none() => {
                    timestamp = Some(uri(&document, child)?);
                }
                (Namespace::Asic, "DataObjectReference") if references.len() < MAX_ENTRIES => {
                    let reference = reference(&document, child)?;
                    if references.iter().any(|known| known.name == reference.name) {
                        let why = format!("names {} twice", reference.name);
                        return Err(Malformed::new(WHAT, why));
                    }
                    references.push(reference);
                }
                (_, local) => {
                    return Err(Malformed::new(WHAT, format!("has an element {local} too many")));
                }
            }
        }
        let timestamp = timestamp.ok_or_else(|| Malformed::new(WHAT, "names no timestamp"))?;
        Ok(Self { timestamp, references })
    }

    /// The manifest of files with these names, types and SHA-256 digests. It names the timestamp
    /// that is to come: the timestamp is over the manifest.
    pub(crate) fn write<'a>(files: impl Iterator<Item = (&'a str, &'a str, &'a [u8])>) -> String {
        let mut out = format!(
            "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n\
             <asic:ASiCManifest xmlns:asic=\"{ASIC}\" xmlns:ds=\"{DSIG}\">\
             <asic:SigReference URI=\"{TIMESTAMP_ENTRY}\" MimeType=\"{TOKEN_TYPE}\"/>"
        );
        let [(sha256, _), ..] = HASHES;
        for (name, mime, digest) in files {
            let (name, mime, digest) = (escape(name), escape(mime), STANDARD.encode(digest));
            // Writing to a text does not fail.
            let _ = write!(
                out,
                "<asic:DataObjectReference URI=\"{name}\" MimeType=\"{mime}\">\
                 <ds:DigestMethod Algorithm=\"{sha256}\"/><ds:DigestValue>{digest}\
                 </ds:DigestValue></asic:DataObjectReference>"
            );
        }
        out.push_str("</asic:ASiCManifest>\n");
        out
    }
}

/// The name of a file in the same container: a relative reference (RFC 3986, 4.2).
fn uri(document: &Document<'_>, index: usize) -> Result<String, Malformed> {
    let uri = document.attribute(index, "URI")?;
    let uri = uri.ok_or_else(|| Malformed::new(WHAT, "has a reference without URI"))?;
    // Names in containers are plain: nothing that would be escaped stands in one.
    match super::is_plain(&uri) {
        true => Ok(uri.into_owned()),
        false => Err(Malformed::new(WHAT, "has a reference to something else than a file in it")),
    }
}

fn reference(document: &Document<'_>, index: usize) -> Result<Reference, Malformed> {
    let name = uri(document, index)?;
    let missing = |what: &str| Malformed::new(WHAT, format!("has no {what} for {name}"));
    let child = |local: &str| document.child(index, Namespace::Dsig, local);
    let method = child("DigestMethod")?.ok_or_else(|| missing("DigestMethod"))?;
    let value = child("DigestValue")?.ok_or_else(|| missing("DigestValue"))?;
    let algorithm = document.attribute(method, "Algorithm")?.unwrap_or_default();
    let hash = HASHES.iter().find(|(uri, _)| *uri == algorithm).map(|(_, hash)| *hash);
    let hash = hash.ok_or_else(|| {
        Malformed::new(WHAT, format!("has a digest of {name} that is no sha-256, 384 or 512"))
    })?;
    let digest = STANDARD.decode(document.text(value)?.trim_ascii());
    let digest = digest.ok().filter(|digest| digest.len() == hash.output_len());
    let digest = digest.ok_or_else(|| missing("whole DigestValue"))?;
    Ok(Reference { name, hash, digest })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_is_read() {
        let digest = HashAlgorithm::Sha256.digest(b"a");
        let files = [("signed.pdf", "application/pdf", digest.as_slice())];
        let text = Manifest::write(files.into_iter());
        let read = Manifest::parse(text.as_bytes()).unwrap();
        assert_eq!(read.timestamp, TIMESTAMP_ENTRY);
        let hash = HashAlgorithm::Sha256;
        assert_eq!(read.references, [Reference { name: "signed.pdf".into(), hash, digest }]);
    }

    #[test]
    fn other_manifests_are_refused_with_the_reason() {
        let digest = HashAlgorithm::Sha256.digest(b"a");
        let file = ("signed.pdf", "application/pdf", digest.as_slice());
        let text = Manifest::write([file].into_iter());
        let twice = Manifest::write([file, file].into_iter());
        let cases = [
            (twice, "twice"),
            (text.replace("signed.pdf", "../signed.pdf"), "something else than a file"),
            (text.replace("xmlenc#sha256", "xmldsig#sha1"), "no sha-256"),
            (text.replace("ds:DigestValue>", "ds:Other>"), "no DigestValue"),
            (text.replace("ASiCManifest", "Manifest"), "root element"),
            (text.replace("asic:SigReference", "asic:Other"), "too many"),
            (text.replace(&STANDARD.encode(&digest), "AAAA"), "whole DigestValue"),
        ];
        for (text, reason) in cases {
            let error = Manifest::parse(text.as_bytes()).unwrap_err().to_string();
            assert!(error.contains(reason), "{reason}: {error}");
        }
    }
}
