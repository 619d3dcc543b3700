//! OAuth scopes. Source: interface specification, Authentication, unless said otherwise.

/// Access to the signing and conversion API; what a merchant's access token needs.
pub const SIGNDOC_READ_WRITE: &str = "signdoc/read_write";

/// What the end user's authorize redirect asks for, together with `sign_id`.
pub const SIGN: &str = "sign";

/// Umbrella scope that can cover qualified signatures and time-stamping.
pub const ESIGN: &str = "esign";

/// Qualified signatures.
pub const ESIGN_QUALIFIED: &str = "esign/qualified";

/// Norwegian national identity number.
pub const ESIGN_NNIN: &str = "esign/nnin";

/// The credential-based signing interface. Not in the interface specification: the service's
/// documentation of that interface asks for it.
pub const ESIGN_CSC: &str = "esign/csc";

/// Makes a login an OpenID Connect login, so that an ID token comes back.
/// Source: OpenID Connect Core 1.0, section 3.1.2.1.
pub const OPENID: &str = "openid";

/// A scope and what it grants.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Scope {
    /// The text sent in `scope`.
    pub name: &'static str,
    /// What it grants.
    pub meaning: &'static str,
}

/// The scopes the interface specification names, in its order.
pub const SPECIFIED: &[Scope] = &[
    Scope {
        name: ESIGN,
        meaning: "umbrella scope that can cover qualified signatures plus time-stamping",
    },
    Scope { name: ESIGN_QUALIFIED, meaning: "qualified signatures" },
    Scope { name: ESIGN_NNIN, meaning: "Norwegian national identity number" },
    Scope {
        name: SIGNDOC_READ_WRITE,
        meaning: "grants access to the signing and conversion API; required to create, query and download sign orders",
    },
    Scope {
        name: SIGN,
        meaning: "used by the end user in the authorize redirect together with sign_id",
    },
];
