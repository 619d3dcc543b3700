//! The choices within a fault.

use serde::{Deserialize, Serialize};

/// The moment of a connection reset.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ResetWhen {
    /// On the next new connection, before anything is read. Method and path do not count.
    Accept,
    /// After the head of the request, before its body is read.
    BeforeBody,
    /// After the whole request, before the answer. The request is not carried out.
    #[default]
    AfterBody,
    /// After the request is carried out, before any byte of the answer.
    AfterWork,
    /// In the middle of the answer.
    MidAnswer,
}

/// How a cut answer ends.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum CutHow {
    /// The connection is closed (FIN) before the announced length is reached.
    #[default]
    Close,
    /// The answer is complete as HTTP, but its content stops there.
    Complete,
    /// The connection is reset (RST); with `cut_document` only, `reset` has its own kind.
    Reset,
}

/// Where at a document an answer is cut.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum CutAt {
    /// Before its first character.
    Start,
    /// In its middle.
    #[default]
    Middle,
    /// After its last character, before the closing quote.
    End,
    /// After its closing quote.
    Closed,
}

/// What is wrong with a way back to the merchant.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum CallbackChange {
    /// `state` is one that was never sent.
    State,
    /// `state` is missing.
    NoState,
    /// `code` is one that was never given.
    Code,
    /// `code` is missing.
    NoCode,
    /// There are two codes.
    TwoCodes,
}

/// What is wrong with an ID token.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum IdTokenChange {
    /// `nonce` is another one.
    Nonce,
    /// `nonce` is missing.
    NoNonce,
    /// It expired ten minutes ago.
    Expired,
    /// `iss` is another provider.
    Issuer,
    /// `aud` is another client.
    Audience,
    /// `azp` is another client.
    Azp,
    /// The provider's clock differs.
    Skew,
    /// `alg` is `none`, and there is no signature.
    AlgNone,
    /// `alg` is HS256, with the public key for a secret.
    Hs256,
    /// `kid` is in no key set.
    UnknownKid,
    /// `kid` is missing.
    MissingKid,
    /// The signature is wrong.
    Signature,
    /// Nothing is wrong, but the key is new and the earlier ones are gone from the key set.
    RotatedKey,
}

/// What is wrong with a download.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum DownloadChange {
    /// `signedDocumentSha256` is another one.
    SignedSha256,
    /// `unsignedDocumentSha256` is another one.
    UnsignedSha256,
    /// `signId` is another one.
    OtherSignId,
    /// The last document is missing.
    MissingDocument,
    /// The last byte of the last document is another one; its digest is not.
    OtherDocument,
}

/// Where the filler of an oversized answer stands.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Shape {
    /// In an unknown field of an object.
    #[default]
    Object,
    /// In `convertedDocument` of a conversion answer with one result.
    Document,
}

/// What is wrong with the signatures of `signatures/signHash`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum CscChange {
    /// The first one is over another hash.
    OtherHash,
    /// The last one is missing.
    OneLess,
    /// The last one stands twice.
    OneMore,
    /// They come in the wrong order.
    Reversed,
}
