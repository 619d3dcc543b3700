//! Client for a document-signing and PDF-conversion service.
//!
//! ```no_run
//! # async fn run() -> signdoc::Result<()> {
//! use signdoc::{CallOptions, Client, ConvertOptions, Destination, Document};
//!
//! let client = Client::from_env()?;
//! let options = ConvertOptions { to: Destination::folder("converted"), ..Default::default() };
//! for result in client.convert(&[Document::from_path("loan.pdf")], &options).await? {
//!     println!("{} {:?} {:?}", result.converted, result.warnings, result.path);
//! }
//! # Ok(())
//! # }
//! ```
//!
//! Errors are one type, [`Error`], over the table of `signdoc-spec`. Documents stream through:
//! memory does not grow with their size.

#[cfg(feature = "signing")]
pub mod bundle;
mod check;
mod client;
pub mod clock;
pub mod config;
pub mod conversion;
#[cfg(feature = "signing")]
pub mod csc;
mod destination;
mod document;
#[cfg(feature = "engine")]
pub mod engine;
pub mod error;
#[cfg(feature = "signing")]
pub mod extend;
mod file_lock;
#[cfg(feature = "signing")]
pub mod html;
mod identity;
pub mod order;
#[cfg(feature = "signing")]
mod output;
#[cfg(feature = "signing")]
pub mod pdf;
mod progress;
mod secrets;
#[cfg(feature = "signing")]
mod timestamp;
pub mod trace;
mod transport;
#[doc(hidden)]
pub mod wire;

pub use check::{CheckPoint, CheckStatus};
pub use client::{CallOptions, Client};
pub use config::{ClientAuth, Config, ConfigBuilder};
pub use conversion::{
    Batch, BatchOptions, Conversion, ConversionFault, ConversionWarning, ConvertOptions,
};
pub use destination::Destination;
pub use document::Document;
pub use error::{Category, Code, Error, Origin, Result};
pub use identity::{
    Callback, FinishOptions, Identity, Login, LoginCheck, LoginOptions, LoginStore, Logins,
    ProviderMetadata,
};
pub use order::{
    Download, DownloadOptions, Order, OrderProperties, OrderRef, Pades, PadesDocument, PadesOrder,
    Recovery, RecoveryOutcome, Sdo, SdoDocument, SdoOrder, SealPosition, StateWatch, WaitOptions,
    recover,
};
pub use progress::Progress;
pub use signdoc_spec as spec;
pub use trace::{LastAnswer, Trace};
