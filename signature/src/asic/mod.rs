//! Containers that keep signed files and their evidence together: ASiC-E with time assertions
//! (ETSI EN 319 162-1, 4.4).
//!
//! A container is a ZIP file. `mimetype` stands first; `META-INF/ASiCManifest.xml` has the digest
//! of every file; `META-INF/timestamp.tst` is a timestamp (RFC 3161) over the manifest, and so over
//! everything. [`crate::verify::verify_file`] verifies a container together with the signed file
//! in it.

mod archive;
mod files;
mod manifest;
mod slice;
mod write;

pub(crate) use archive::{Archive, Entry, is_archive};
pub use files::{Files, InvalidName};
pub(crate) use manifest::{MAX_MANIFEST, Manifest};

/// The type of these containers (EN 319 162-1, A.1): all that `mimetype` holds.
pub const MIME_TYPE: &str = "application/vnd.etsi.asic-e+zip";
pub(crate) const MIME_ENTRY: &str = "mimetype";
pub(crate) const MANIFEST_ENTRY: &str = "META-INF/ASiCManifest.xml";
pub(crate) const TIMESTAMP_ENTRY: &str = "META-INF/timestamp.tst";

/// The signed PDF of a container.
pub const SIGNED_PDF: &str = "signed.pdf";
/// The signed data objects (SEID-SDO) of a container.
pub const SIGNED_SDO: &str = "signed.sdo";
/// The document as it was sent, before an extension for what it is: `original.pdf`.
pub const ORIGINAL: &str = "original";
/// What the service said of the order, as JSON.
pub const ORDER: &str = "order.json";
/// The claims of the ID token, as JSON.
pub const IDENTITY: &str = "identity.json";
/// What was found when the container was made, as JSON.
pub const REPORT: &str = "report.json";
/// The folder for certificates (`.cer`) and revocation answers (`.ocsp`, `.crl`).
pub const EVIDENCE: &str = "evidence/";

/// Files in one container.
pub const MAX_ENTRIES: usize = 1000;
/// Bytes that all compressed files of one container may have together; stored ones are read where
/// they are.
pub const MAX_UNPACKED: u64 = 128 << 20;
/// Characters in a file's name.
pub const MAX_NAME: usize = 200;

/// Whether a name is a plain relative path that every system reads alike.
pub(crate) fn is_plain(name: &str) -> bool {
    let plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | '_' | '-');
    let part = |part: &str| !part.starts_with('.') && !part.is_empty() && part.chars().all(plain);
    name.len() <= MAX_NAME && name.split('/').all(part)
}

#[cfg(test)]
mod tests {
    use super::is_plain;

    #[test]
    fn names_are_plain_relative_paths() {
        for name in ["mimetype", "META-INF/ASiCManifest.xml", "evidence/0.ocsp"] {
            assert!(is_plain(name), "{name}");
        }
        for name in
            ["", "/a", "a/", "../a", "a/../b", "a//b", "a\\b", "C:a", "a\0", "æ", ".a", "a b"]
        {
            assert!(!is_plain(name), "{name}");
        }
        assert!(!is_plain(&"a".repeat(201)));
    }
}
