//! Choices where the specification leaves room, or where documentation and specification differ:
//! every form a client must be ready for can be switched on.

use serde::{Deserialize, Serialize};

/// The forms in which the sandbox answers. The default of each is what the specification says.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Variants {
    /// Form of `pdfSpecs`.
    pub pdf_specs: PdfSpecs,
    /// How conversion answers in the testing environment.
    pub disabled: Disabled,
    /// Form of a successful conversion answer.
    pub results: Results,
    /// How base64 is written.
    pub base64: Base64Form,
    /// Status for an access token that is missing, invalid or lacks the scope.
    pub token_refusal: TokenRefusal,
    /// Form of the body for syntactic errors.
    pub syntax_error: SyntaxError,
    /// How many results a conversion answer has, against the number of documents.
    pub count: Count,
    /// Sends answers of the conversion with chunked transfer coding.
    pub chunked: bool,
    /// Puts a byte order mark in front and white space into conversion answers.
    pub whitespace: bool,
    /// Adds fields that no specification names, holding null, numbers, objects and arrays.
    pub extra_fields: bool,
    /// Puts `convertedDocument` before `conversionResult`.
    pub document_first: bool,
    /// Puts `null` where an empty list of errors or warnings would stand.
    pub null_lists: bool,
    /// Uses message texts that no specification names for errors and warnings.
    pub unknown_messages: bool,
    /// Algorithm of ID tokens.
    pub id_token_alg: IdTokenAlg,
    /// Form of the answer to a query of an order's state.
    pub order_state: OrderStateForm,
    /// Form of the body when an order endpoint refuses a request.
    pub order_error: OrderError,
    /// Kind of the keys that `credentials/list` makes.
    pub csc_key: CscKey,
    /// Puts a BasicOCSPResponse about the certificate beside the signatures of `signHash`.
    pub csc_ocsp: bool,
}

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

/// Form of the answer to a query of an order's state.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum OrderStateForm {
    /// `{"orderState": "USER_SIGNING"}`
    #[default]
    Object,
    /// `"USER_SIGNING"`
    JsonString,
    /// `USER_SIGNING`, as plain text.
    Text,
}

/// Form of the body when an order endpoint refuses a request.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum OrderError {
    /// `{"errors": ["..."]}`
    #[default]
    Errors,
    /// Plain text, one problem a line.
    Text,
    /// A JSON string.
    JsonString,
}

/// Form of `pdfSpecs`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum PdfSpecs {
    /// `{"pdfSpecs": "PDFA_2B"}`
    #[default]
    String,
    /// `{"pdfSpecs": ["PDFA_2B"]}`
    Array,
}

/// How conversion answers in the testing environment.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Disabled {
    /// Status 400 with `{"conversionResults": [...]}`, as for every document that fails.
    #[default]
    BadRequest,
    /// Status 200 with an array of results without documents.
    Ok,
}

/// Form of a successful conversion answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Results {
    /// `[{"conversionResult": {...}, "convertedDocument": "..."}]`
    #[default]
    Beside,
    /// `[{"conversionResult": {..., "convertedDocument": "..."}}]`
    Inside,
    /// `{"conversionResults": [{..., "convertedDocument": "..."}]}`
    Object,
}

/// How base64 is written in answers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Base64Form {
    /// One line with padding (RFC 4648 section 4).
    #[default]
    Strict,
    /// Without padding.
    Unpadded,
    /// Lines of 76 characters, broken by CR LF (written `\r\n` in JSON).
    Lines,
    /// Every `/` written `\/`, every `+` written `\u002b`.
    Escaped,
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

/// Form of the body for syntactic errors.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum SyntaxError {
    /// Plain text.
    #[default]
    Text,
    /// A JSON string.
    JsonString,
    /// `{"errors": ["..."]}`
    Errors,
}

/// How many results a conversion answer has.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Count {
    /// One per document.
    #[default]
    Exact,
    /// The last one is missing.
    OneLess,
    /// The last one stands twice.
    OneMore,
}
