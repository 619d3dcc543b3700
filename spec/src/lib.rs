//! The document-signing service's interface specification as data: the error table, messages,
//! limits, states, scopes, fields and endpoints. It has no dependencies and does nothing.
//!
//! Each item names its source: a section of the interface specification, a standard, or, where
//! the specification leaves something open, the service's documentation.
//!
//! ```
//! use signdoc_spec::{Category, Code};
//!
//! let code = Code::csc("token_already_used").unwrap_or(Code::CscUnknown);
//! assert_eq!(code.number(), 708);
//! assert_eq!(code.constant(), "SIGNDOC_E_CSC_TOKEN_ALREADY_USED");
//! assert_eq!(code.category(), Category::TokenLifecycle);
//! assert!(!code.spec().retryable);
//! ```

mod category;
mod code;
mod rows;
mod table;
mod warning;

pub mod endpoints;
pub mod fields;
pub mod limits;
pub mod scopes;
pub mod states;
pub mod values;

pub use category::Category;
pub use code::Code;
pub use rows::Spec;
pub use states::{PadesState, SdoState};
pub use warning::Warning;
