//! Forms of the conversion.

use serde::{Deserialize, Serialize};

use crate::Environment;

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

/// What creating an order answers when a document with `pdfSpec` was not converted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum FailedConversion {
    /// `created` in the testing environment, where no conversion succeeds and orders are tried all
    /// the same; `refused` in production.
    #[default]
    ByEnvironment,
    /// 201 with `sign_id` and the failed `conversionResults`: the order is about the documents as
    /// they were sent.
    Created,
    /// 400 with `conversionResults`, and no order.
    Refused,
}

impl FailedConversion {
    /// Whether there is an order all the same.
    pub(crate) fn creates(self, environment: Environment) -> bool {
        match self {
            Self::ByEnvironment => environment == Environment::Test,
            Self::Created => true,
            Self::Refused => false,
        }
    }
}

/// Which results a refused conversion lists, also that of an order.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ConversionRefusal {
    /// Those of all documents.
    #[default]
    All,
    /// Only those of the documents that failed.
    FailedOnly,
}

/// How a conversion answers in production when some of its documents failed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum PartialConversion {
    /// 400, without any document.
    #[default]
    Refused,
    /// 200, with the documents that were converted.
    Delivered,
}

/// Whether the conversion finds that documents are good as they are.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Unchanged {
    /// Every document is converted.
    #[default]
    None,
    /// No document without signatures is: `converted` is false without an error, and
    /// `convertedDocument` is the document that was sent.
    WithDocument,
    /// The same without `convertedDocument`.
    WithoutDocument,
}

/// What stands for `convertedDocument` where a successful answer has no document.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum NoDocument {
    /// The field is missing.
    #[default]
    Absent,
    /// `null`
    Null,
    /// An empty string.
    Empty,
}

/// How errors and warnings of a conversion are named.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Messages {
    /// By their text: `Document is corrupt`.
    #[default]
    Text,
    /// By their code: `CORRUPT`.
    Code,
}

/// Which results the answer to a new order has.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum CreateResults {
    /// One for every document, as soon as one has a `pdfSpec`.
    #[default]
    EveryDocument,
    /// Only those of the documents that have a `pdfSpec`.
    AskedFor,
}
