//! The rows of the error table, one file for each range of numbers.

use crate::Category;

pub(crate) mod conversion;
pub(crate) mod csc;
pub(crate) mod internal;
pub(crate) mod local;
pub(crate) mod login;
pub(crate) mod network;
pub(crate) mod oauth;
pub(crate) mod orders;
pub(crate) mod protocol;
pub(crate) mod verification;

/// One row of the error table: all that is known about a [`Code`](crate::Code) before it occurs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Spec {
    /// The name of the constant in C and the languages above it; unique in the whole table.
    pub constant: &'static str,
    /// The service's own word where it has one (`token_already_used`, `DOC_SIGNED`), else a
    /// `snake_case` name of this library. Unique within its range; the same word may stand in
    /// several ranges.
    pub name: &'static str,
    /// What kind of trouble this is, and with it who can mend it.
    pub category: Category,
    /// The Python exception class; empty for [`Code::Ok`](crate::Code::Ok) alone.
    pub class: &'static str,
    /// The HTTP status the service answers with; `None` where none or more than one fits.
    pub http_status: Option<u16>,
    /// Whether the same call, unchanged, may succeed after a short delay. It says nothing about
    /// whether repeating is *safe*: that depends on the operation.
    pub retryable: bool,
    /// What happened, in one clause: lower case, no final dot.
    pub summary: &'static str,
    /// What to do about it, in the same style.
    pub advice: &'static str,
    /// The section of the interface specification, or the standard, this row comes from.
    pub source: &'static str,
}
