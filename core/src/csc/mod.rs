//! The credential-based signing interface: sign hashes and whole PDFs remotely.
//!
//! Source: specification, "States and transitions" and "CSC endpoint errors"; CSC API v2.0.0.2.
//! An end user logs in, and the token that comes of it allows one `credentials/list`, one
//! `credentials/authorize` and one `signatures/signHash`, in that order. [`Session`], [`Listed`]
//! and [`Authorized`] are that order as types; [`CscSession`] keeps it at run time.

mod checked;
mod exchange;
mod level;
mod login;
mod model;
mod pdf;
mod session;
mod sign;

pub use checked::CscSession;
pub use login::{Csc, CscLogin, CscLoginOptions};
pub use model::{Certificates, Credential, CscInfo, HashAlgorithm, Padding, hash_algorithm, plan};
pub use pdf::{PdfLevel, PdfToSign, SignPdfOptions, SignedPdf};
pub use session::{Authorized, HashesToSign, Listed, Session, Signatures, StepError};
