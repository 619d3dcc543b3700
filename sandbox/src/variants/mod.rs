//! Choices where the specification leaves room, or where documentation and specification differ:
//! every form a client must be ready for can be switched on. `docs/sandbox.md` lists them.

mod conversion;
mod csc;
mod identity;
mod orders;
mod transport;

use serde::{Deserialize, Serialize};

pub use self::conversion::{
    Base64Form, ConversionRefusal, Count, CreateResults, Disabled, FailedConversion, Messages,
    NoDocument, PartialConversion, PdfSpecs, Results, SyntaxError, Unchanged,
};
pub use self::csc::{
    CscAuthorize, CscCredentialInfos, CscCredentials, CscErrorForm, CscKey, CscSignHash,
};
pub use self::identity::{
    ClaimForm, DiscoveryBaseUrl, ExpiresIn, IdTokenAlg, TokenRefusal, TokenType,
};
pub use self::orders::{
    Digests, DownloadResults, OrderError, OrderStateForm, SignIdName, Texts, UnaskedResults,
    UnfinishedDelete, UnknownOrder,
};
pub use self::transport::{ContentEncoding, ContentType};

/// The forms in which the sandbox answers. The default of each is what the specification says, and
/// what is most likely where it says nothing.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Variants {
    /// Serves orders at the second address only, which discovery publishes then, and everything
    /// else at the first one only. Off, both addresses serve everything.
    pub two_addresses: bool,
    /// Content coding of answers.
    pub content_encoding: ContentEncoding,
    /// Content-Type of JSON answers.
    pub content_type: ContentType,
    /// Form of `pdfSpecs`.
    pub pdf_specs: PdfSpecs,
    /// How conversion answers in the testing environment.
    pub disabled: Disabled,
    /// Form of a successful conversion answer.
    pub results: Results,
    /// Which results a refused conversion lists.
    pub conversion_refusal: ConversionRefusal,
    /// How a conversion answers of which some documents failed.
    pub partial_conversion: PartialConversion,
    /// Whether documents are found to need no conversion.
    pub unchanged: Unchanged,
    /// What stands where a successful answer has no document.
    pub no_document: NoDocument,
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
    /// Leaves empty lists of errors and warnings out.
    pub absent_lists: bool,
    /// How errors and warnings are named.
    pub messages: Messages,
    /// Uses message texts that no specification names for errors and warnings.
    pub unknown_messages: bool,
    /// Form of `signdoc-baseurl` in the discovery document.
    pub discovery_signdoc_baseurl: DiscoveryBaseUrl,
    /// Form of `expires_in` in token answers.
    pub expires_in: ExpiresIn,
    /// Form of `token_type` in token answers.
    pub token_type: TokenType,
    /// Algorithm of ID tokens.
    pub id_token_alg: IdTokenAlg,
    /// Whether the header of ID tokens and the key set name keys by `kid`.
    pub id_token_kid: bool,
    /// Form of the claim `aud`.
    pub id_token_aud: ClaimForm,
    /// Form of the claim `amr`, which differs between versions of the provider.
    pub id_token_amr: ClaimForm,
    /// What becomes of an order whose document was not converted.
    pub failed_conversion: FailedConversion,
    /// Which conversion results the answer to a new order has.
    pub create_results: CreateResults,
    /// Form of the answer to a query of an order's state.
    pub order_state: OrderStateForm,
    /// Form of the body when an order endpoint refuses a request.
    pub order_error: OrderError,
    /// Status for an order that is not there.
    pub unknown_order: UnknownOrder,
    /// Name of the reference of a new order.
    pub sign_id_name: SignIdName,
    /// How the deletion of an order is answered that has not completed.
    pub unfinished_delete: UnfinishedDelete,
    /// Form of the results of a PAdES download.
    pub download_results: DownloadResults,
    /// What stands for results that were not asked for.
    pub unasked_results: UnaskedResults,
    /// How the digests of a download are written.
    pub digests: Digests,
    /// Texts that SEID-SDO orders may hold, and how they are encoded.
    pub texts: Texts,
    /// Kind of the keys that `credentials/list` makes.
    pub csc_key: CscKey,
    /// The credentials that `credentials/list` lists.
    pub csc_credentials: CscCredentials,
    /// What `credentials/list` tells of them.
    pub csc_credential_infos: CscCredentialInfos,
    /// What `credentials/authorize` answers.
    pub csc_authorize: CscAuthorize,
    /// Whether activation data comes with `expiresIn`.
    pub csc_expires_in: bool,
    /// What `signatures/signHash` answers.
    pub csc_sign_hash: CscSignHash,
    /// Form of the errors of the CSC endpoints.
    pub csc_error_form: CscErrorForm,
    /// Puts a BasicOCSPResponse about the certificate beside the signatures of `signHash`.
    pub csc_ocsp: bool,
}

impl Default for Variants {
    fn default() -> Self {
        Self {
            two_addresses: false,
            content_encoding: ContentEncoding::default(),
            content_type: ContentType::default(),
            pdf_specs: PdfSpecs::default(),
            disabled: Disabled::default(),
            results: Results::default(),
            conversion_refusal: ConversionRefusal::default(),
            partial_conversion: PartialConversion::default(),
            unchanged: Unchanged::default(),
            no_document: NoDocument::default(),
            base64: Base64Form::default(),
            token_refusal: TokenRefusal::default(),
            syntax_error: SyntaxError::default(),
            count: Count::default(),
            chunked: false,
            whitespace: false,
            extra_fields: false,
            document_first: false,
            null_lists: false,
            absent_lists: false,
            messages: Messages::default(),
            unknown_messages: false,
            discovery_signdoc_baseurl: DiscoveryBaseUrl::default(),
            expires_in: ExpiresIn::default(),
            token_type: TokenType::default(),
            id_token_alg: IdTokenAlg::default(),
            id_token_kid: true,
            id_token_aud: ClaimForm::Text,
            id_token_amr: ClaimForm::List,
            failed_conversion: FailedConversion::default(),
            create_results: CreateResults::default(),
            order_state: OrderStateForm::default(),
            order_error: OrderError::default(),
            unknown_order: UnknownOrder::default(),
            sign_id_name: SignIdName::default(),
            unfinished_delete: UnfinishedDelete::default(),
            download_results: DownloadResults::default(),
            unasked_results: UnaskedResults::default(),
            digests: Digests::default(),
            texts: Texts::default(),
            csc_key: CscKey::default(),
            csc_credentials: CscCredentials::default(),
            csc_credential_infos: CscCredentialInfos::default(),
            csc_authorize: CscAuthorize::default(),
            csc_expires_in: true,
            csc_sign_hash: CscSignHash::default(),
            csc_error_form: CscErrorForm::default(),
            csc_ocsp: false,
        }
    }
}
