//! Reading PDF files (ISO 32000-2) by position, revision by revision, and appending updates.
//!
//! The reader is made for files nobody vouches for: it loads only the objects that are asked for,
//! every size, depth and count is capped (see [`Limits`]), and no input makes it panic. It keeps
//! what signatures need and other readers throw away: where values stand in the file, and which
//! incremental update defined which object.
//!
//! ```
//! use signdoc_signature::pdf::Document;
//!
//! # fn main() -> Result<(), signdoc_signature::pdf::PdfError> {
//! # let bytes = b"%PDF-1.4\n1 0 obj<</Type/Catalog/Pages 2 0 R>>endobj\n2 0 obj<</Type/Pages\
//! # /Kids[3 0 R]/Count 1>>endobj\n3 0 obj<</Type/Page/Parent 2 0 R/MediaBox[0 0 9 9]>>endobj\n\
//! # trailer<</Root 1 0 R>>".to_vec();
//! let document = Document::from_bytes(bytes)?;
//! assert_eq!(document.page_count()?, 1);
//! for revision in document.revisions() {
//!     println!("revision {} ends at {}", revision.index, revision.end);
//! }
//! # Ok(())
//! # }
//! ```

mod document;
mod error;
mod fields;
mod filter;
mod lexer;
mod limits;
mod loader;
mod object;
mod pages;
mod parser;
mod revision;
mod serialize;
mod source;
mod stream;
mod text;
mod update;
mod view;
mod xref;

pub use document::{Document, Encryption, StructureNote};
pub use error::{PdfError, PdfErrorKind, Result};
pub use fields::{FormField, SignatureField, SignatureReference, SignatureValue};
#[cfg(feature = "fixtures")]
pub(crate) use filter::deflate;
pub(crate) use lexer::{Lexer, Token};
pub use limits::{Limits, Work};
pub use object::{Dict, DictEntry, IndirectObject, Name, ObjRef, Object, PdfString, Span, Stream};
pub use pages::{Page, Pages, Rect};
pub use revision::{Change, Revision};
pub(crate) use serialize::{write_entries, write_hex, write_object, write_text};
pub(crate) use source::RangeReader;
pub use source::{FileSource, SharedSource, Source, copy_range, for_each_window};
pub use stream::Decoded;
pub(crate) use text::decode_exactly;
pub(crate) use update::Update;
pub use view::View;
pub use xref::{Location, SectionKind};
