//! The whole service on loopback, for trying and testing without the service.
//!
//! It reads the interface specification on its own and shares no code with the client: what both
//! understand the same way was said clearly. It is strict about requests, keeps a record of what it
//! saw, lives by a clock that can be moved, and goes wrong on demand.
//!
//! ```
//! use signdoc_sandbox::{Environment, Sandbox};
//! let sandbox = Sandbox::builder().environment(Environment::Test).start()?;
//! println!("{} {}", sandbox.issuer(), sandbox.client_id());
//! # Ok::<(), signdoc_sandbox::Error>(())
//! ```
//!
//! It signs for real: the end user of an order is played by [`Sandbox::visit`], which takes the
//! address a client made for the login and gives the way back, or by a browser at the same address;
//! [`Sandbox::sign`], [`Sandbox::cancel`] and [`Sandbox::fail`] do without the login. What comes out
//! verifies under [`Sandbox::trust_pem`].
//!
//! Other languages run it as a process, see [`run_child`], and steer it by its control surface, see
//! [`control`].

mod address;
mod authority;
mod child;
mod clock;
pub mod control;
mod convert;
mod csc;
mod evidence;
mod faults;
mod fields;
mod form;
mod http;
mod identity;
mod json;
mod orders;
mod pdf;
mod random;
mod requests;
mod router;
pub mod samples;
mod sandbox;
mod state;
mod sync;
mod tls;
mod variants;

use std::fmt;
use std::str::FromStr;

pub use crate::address::Address;
pub use crate::child::{Command, Options, USAGE, run, run_child};
pub use crate::clock::Clock;
pub use crate::convert::engine::ConverterChoice;
pub use crate::convert::messages::{ConversionError, ConversionWarning};
pub use crate::faults::{
    ActiveRule, CallbackChange, CscChange, CutAt, CutHow, DownloadChange, Fault, Faults,
    IdTokenChange, ResetWhen, Rule, Shape,
};
pub use crate::identity::page::Action;
pub use crate::identity::persons::Person;
pub use crate::orders::control::{Callback, Visit};
pub use crate::orders::order::OrderState;
pub use crate::requests::Seen;
pub use crate::sandbox::{Builder, DEFAULT_CLIENT_ID, Sandbox};
pub use crate::tls::ServerCertificate;
pub use crate::variants::{
    Base64Form, ClaimForm, ContentEncoding, ContentType, ConversionRefusal, Count, CreateResults,
    CscAuthorize, CscCredentialInfos, CscCredentials, CscErrorForm, CscKey, CscSignHash, Digests,
    Disabled, DiscoveryBaseUrl, DownloadResults, ExpiresIn, FailedConversion, IdTokenAlg, Messages,
    NoDocument, OrderError, OrderStateForm, PartialConversion, PdfSpecs, Results, SignIdName,
    SyntaxError, Texts, TokenRefusal, TokenType, UnaskedResults, Unchanged, UnfinishedDelete,
    UnknownOrder, Variants,
};

/// Which of the service's environments a sandbox is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Environment {
    /// Conversion works when a converter is installed.
    #[default]
    Production,
    /// Every conversion fails with DISABLED; orders are created all the same.
    Test,
}

impl Environment {
    /// `production` or `test`.
    pub fn name(self) -> &'static str {
        match self {
            Self::Production => "production",
            Self::Test => "test",
        }
    }
}

impl FromStr for Environment {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self, Error> {
        match text {
            "production" => Ok(Self::Production),
            "test" => Ok(Self::Test),
            _ => Err(Error::Usage(format!(
                "environment {text} is unknown, it must be test or production"
            ))),
        }
    }
}

/// Why a sandbox could not be started or told something.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Error {
    /// The port could not be taken.
    Bind {
        /// The port asked for, 0 for any.
        port: u16,
        /// The system's words.
        error: String,
    },
    /// The system refused something else that is needed.
    Start(String),
    /// A command line that cannot be understood.
    Usage(String),
    /// A fault rule that cannot be carried out.
    Rule(String),
    /// A public key of a client that cannot be used.
    Key(String),
    /// An order or a login that cannot be moved on.
    Order(String),
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Bind { port, error } => {
                write!(f, "cannot listen on port {port} of 127.0.0.1: {error}")
            }
            Self::Start(text) => write!(f, "cannot start: {text}"),
            Self::Usage(text) => f.write_str(text),
            Self::Rule(text) => write!(f, "fault rule refused: {text}"),
            Self::Order(text) => f.write_str(text),
            Self::Key(text) => write!(f, "a client's public key cannot be used: {text}"),
        }
    }
}

impl std::error::Error for Error {}
