//! Forms of the order endpoints.

use serde::{Deserialize, Serialize};

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
    /// `{"signId": "...", "orderName": "...", "orderState": "USER_SIGNING"}`
    WithOrder,
    /// `{"status": "USER_SIGNING"}`
    OtherField,
    /// `{"order": {"orderState": "USER_SIGNING"}}`
    Nested,
    /// `[{"orderState": "USER_SIGNING"}]`
    List,
    /// `{}`
    None,
    /// Status 405: orders cannot be asked for their state.
    MethodNotAllowed,
    /// Status 500.
    ServerError,
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

/// Texts of SEID-SDO documents: what is taken, and which bytes of it are signed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Texts {
    /// Every text: ISO-8859-1 where that has all its characters, else UTF-8.
    #[default]
    Any,
    /// Only texts that ISO-8859-1 has all characters of; others are refused with 400.
    Latin1,
    /// Every text, always as UTF-8.
    Utf8,
}

/// How SHA-256 digests are written in a download.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Digests {
    /// Base64.
    #[default]
    Base64,
    /// Hexadecimal, in lower case.
    Hex,
}

/// Name of the reference in the answer to a new order.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum SignIdName {
    /// `sign_id`
    #[default]
    Snake,
    /// `signId`, as in a download.
    Camel,
}

/// What deletes an order that has not completed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum UnfinishedDelete {
    /// 200 with the download result: the state, and no documents. The order is gone.
    #[default]
    State,
    /// 200 with `{}`. The order is gone.
    Empty,
    /// 204. The order is gone.
    NoContent,
    /// 400, and the order stays; one that failed or was cancelled is handed out.
    Refused,
}

/// Form of `signingResults` in the download of a PAdES order.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum DownloadResults {
    /// A list.
    #[default]
    List,
    /// The result itself when there is one, else a list.
    ObjectForOne,
}

/// What stands in a download for results that were not asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum UnaskedResults {
    /// Nothing.
    #[default]
    Absent,
    /// `null`
    Null,
    /// An empty string, or an empty list.
    Empty,
}

/// Status for an order that is unknown, no longer valid, or was downloaded already.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum UnknownOrder {
    /// 404
    #[default]
    NotFound,
    /// 410
    Gone,
    /// 400
    BadRequest,
}
