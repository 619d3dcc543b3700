//! Forms of the identity provider, and of a token that is refused.

use serde::{Deserialize, Serialize};

/// Algorithm of ID tokens (RFC 7518 section 3.1). Both kinds of keys may be in the key set.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum IdTokenAlg {
    /// ECDSA on P-256 with SHA-256.
    #[default]
    Es256,
    /// RSA PKCS#1 v1.5 with SHA-256.
    Rs256,
}

impl IdTokenAlg {
    /// The name in the header of a token.
    pub fn name(self) -> &'static str {
        match self {
            Self::Es256 => "ES256",
            Self::Rs256 => "RS256",
        }
    }
}

/// Status for an access token that is refused.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum TokenRefusal {
    /// 403, as the specification says.
    #[default]
    Forbidden,
    /// 401 with `WWW-Authenticate` (RFC 6750 section 3).
    Unauthorized,
}

/// Form of `expires_in` in the answers of both token endpoints.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ExpiresIn {
    /// A number.
    #[default]
    Number,
    /// The number as a text.
    Text,
    /// It is missing; RFC 6749 only recommends it.
    Absent,
}

/// Form of `token_type` in the answers of both token endpoints.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum TokenType {
    /// `Bearer`
    #[default]
    Capital,
    /// `bearer`
    Lower,
    /// It is missing, although RFC 6749 requires it.
    Absent,
}

/// Form of `signdoc-baseurl` in the discovery document.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum DiscoveryBaseUrl {
    /// The address.
    #[default]
    Plain,
    /// The address with a slash behind it.
    TrailingSlash,
    /// It is missing.
    Absent,
}

/// Form of a claim of the ID token that may have one value or several.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ClaimForm {
    /// The value itself.
    Text,
    /// A list with the value.
    List,
}
