//! Signing a PDF in two steps: prepare an update with room for the signature, sign its digest
//! anywhere, embed the result. The bytes that came in stay an untouched prefix of what comes out.
//!
//! ```
//! use signdoc_signature::crypto::HashAlgorithm;
//! use signdoc_signature::sign::{PrepareOptions, Prepared, prepare};
//! # use bytes::Bytes;
//! # fn sign(_digest: &[u8]) -> Vec<u8> { vec![0x30, 0] }
//! # fn main() -> Result<(), signdoc_signature::pdf::PdfError> {
//! # let pdf = b"%PDF-1.4\n1 0 obj<</Type/Catalog/Pages 2 0 R>>endobj\n2 0 obj<</Type/Pages\
//! # /Kids[3 0 R]/Count 1>>endobj\n3 0 obj<</Type/Page/Parent 2 0 R/MediaBox[0 0 9 9]>>endobj\n\
//! # trailer<</Root 1 0 R/Size 4>>".to_vec();
//! # let source = std::sync::Arc::new(Bytes::from(pdf));
//! let options = PrepareOptions { reason: Some("Loan agreement".into()), ..Default::default() };
//! let prepared = prepare(source.clone(), &options)?;
//! let digest = prepared.digest(HashAlgorithm::Sha256)?;
//! let state = prepared.to_state()?;          // may travel to another process
//!
//! let cms = sign(&digest);                   // wherever the key is
//! let prepared = Prepared::from_state(&state, source)?;
//! let mut signed = Vec::new();
//! prepared.embed(&cms, &mut signed)?;
//! # Ok(())
//! # }
//! ```

mod appended;
mod dss;
mod form;
mod options;
mod permissions;
mod prepare;
mod prepared;
mod redraw;
pub mod seal;
mod tags;

pub use appended::Appended;
pub use dss::{DssContent, ValidationData, VriKey, add_dss};
pub use options::{Certification, PrepareOptions, SubFilter, TimestampOptions};
pub(crate) use permissions::late_certification;
pub use permissions::{FieldLock, Permissions};
#[cfg(feature = "fixtures")]
pub use prepare::prepare_unchecked;
pub use prepare::{prepare, prepare_timestamp};
pub use prepared::{Prepared, SigningNote};
pub(crate) use redraw::{asking_form, text_appearance};
pub(crate) use seal::place;
pub use seal::{Seal, SealFit};
