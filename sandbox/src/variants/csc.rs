//! Forms of the credential-based signing interface.

use serde::{Deserialize, Serialize};

/// Kind of the key behind a credential.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum CscKey {
    /// RSA with 2048 bits.
    #[default]
    Rsa2048,
    /// RSA with 3072 bits.
    Rsa3072,
    /// The curve P-256.
    P256,
    /// The curve P-384.
    P384,
}

/// The credentials that `credentials/list` lists.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum CscCredentials {
    /// One, made for the session.
    #[default]
    One,
    /// None: `{"credentialIDs": []}`.
    None,
}

/// What `credentials/list` tells of credentials when it is asked for it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum CscCredentialInfos {
    /// `credentialIDs` and `credentialInfos`.
    #[default]
    Full,
    /// `credentialIDs` only.
    IdsOnly,
}

/// What `credentials/authorize` answers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum CscAuthorize {
    /// 200 with `{"SAD": "..."}`.
    #[default]
    Sad,
    /// 202 with `{"handle": "..."}`, as the standard allows. There is no endpoint to ask later.
    Handle,
}

/// Form of the errors of the CSC endpoints.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum CscErrorForm {
    /// `{"errorCode": "...", "errorDescription": "...", "errorReference": "..."}`
    #[default]
    Service,
    /// `{"error": "...", "error_description": "..."}`, as in the standard.
    Standard,
}

/// What `signatures/signHash` answers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum CscSignHash {
    /// `{"signatures": [...]}`
    #[default]
    Signatures,
    /// `{"responseID": "..."}`: the signatures are to be fetched later, which nothing serves here.
    ResponseId,
}
