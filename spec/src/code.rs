//! The error codes: one stable number for each thing that can go wrong.

use crate::rows::Spec;
use crate::{Category, table};

/// Everything that can go wrong, and success.
///
/// Numbers are part of the interface: they are never changed and never used again. The range
/// tells where an error belongs; [`Code::spec`] tells the rest.
//
// Written out and not made by a macro: the header generator reads this file and sees no macros.
#[repr(i32)]
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[non_exhaustive]
pub enum Code {
    // Success and the caller's own side: 0..=99
    /// Success.
    Ok = 0,
    /// An argument of the call has a value that cannot be used.
    InvalidArgument = 1,
    /// A required option is not set.
    MissingOption = 2,
    /// An option is unknown or its value cannot be used.
    InvalidOption = 3,
    /// An address uses plain http outside this machine.
    InsecureUrl = 4,
    /// A document file does not exist.
    DocumentNotFound = 5,
    /// A document cannot be read.
    DocumentUnreadable = 6,
    /// A document holds no bytes.
    DocumentEmpty = 7,
    /// A document is not a PDF.
    NotAPdf = 8,
    /// A document is larger than the interface allows.
    DocumentTooLarge = 9,
    /// The number of documents is outside the allowed range.
    DocumentCount = 10,
    /// A document changed while it was being sent.
    DocumentChanged = 11,
    /// A result file already exists.
    DestinationExists = 12,
    /// A result could not be written.
    DestinationFailed = 13,
    /// The call was cancelled by the caller.
    Cancelled = 14,
    /// The client was closed before the call.
    ClientClosed = 15,
    /// A required pointer is null.
    NullPointer = 16,
    /// A text is not valid UTF-8.
    InvalidUtf8 = 17,
    /// A handle is of another kind or was already freed.
    InvalidHandle = 18,
    /// The conversion asked for is not supported.
    UnsupportedPdfSpec = 19,
    /// A function given by the caller failed.
    CallbackFailed = 20,
    /// The client's secret or private key is not available.
    MissingSecret = 21,
    /// The private key does not fit the signature algorithm.
    KeyMismatch = 22,
    /// The sandbox could not be started or did not answer.
    SandboxFailed = 23,
    /// The PDF is encrypted.
    PdfEncrypted = 24,
    /// The PDF cannot carry a further signature.
    PdfNotSignable = 25,
    /// A text to be signed holds a character that ISO-8859-1 cannot express.
    UnencodableText = 26,
    /// A visual seal is placed on a page the PDF does not have.
    SealPage = 27,
    /// A document holds more or less than one kind of content.
    ContentKind = 28,
    /// The download journal could not be written, read or locked.
    JournalFailed = 29,
    /// A step was called before the one it needs.
    WrongCallOrder = 30,

    // Network: 100..=199
    /// No connection to the service could be made.
    ConnectFailed = 100,
    /// The secure connection could not be established.
    TlsFailed = 101,
    /// The proxy refused the request or could not be reached.
    ProxyFailed = 102,
    /// No connection was made within the time limit.
    ConnectTimeout = 103,
    /// The service sent nothing within the time limit.
    ReadTimeout = 104,
    /// The call did not finish within its total time limit.
    TotalTimeout = 105,
    /// The connection ended before the answer was complete.
    ConnectionLost = 106,
    /// The request was sent but its outcome is not known.
    OutcomeUnknown = 107,
    /// The request could not be carried out.
    RequestFailed = 108,
    /// The waiting ended, but the results of an order are still being received.
    ReceptionContinues = 109,

    // Protocol: 200..=299
    /// The service answered with a status the interface does not name.
    UnexpectedStatus = 200,
    /// The answer is not valid JSON or not of the expected shape.
    MalformedAnswer = 201,
    /// The answer ended before it was complete.
    TruncatedAnswer = 202,
    /// The answer is larger than the client accepts.
    AnswerTooLarge = 203,
    /// A document in the answer is not valid base64.
    InvalidBase64 = 204,
    /// The answer holds no content.
    EmptyAnswer = 205,
    /// The number of results differs from the number of documents sent.
    ResultCount = 206,
    /// The answer is an HTML page instead of JSON.
    HtmlAnswer = 207,
    /// The identity provider's discovery document lacks a needed entry.
    DiscoveryIncomplete = 208,
    /// The answer lacks a required field.
    MissingField = 209,
    /// The service refused the request as invalid.
    RequestRejected = 210,
    /// The service refused the access token.
    AccessTokenRejected = 211,
    /// The service knows nothing at this address.
    NotFound = 212,
    /// The request is larger than the service accepts.
    PayloadTooLarge = 213,
    /// The service asks for fewer requests.
    TooManyRequests = 214,
    /// The service failed while handling the request.
    ServiceFailed = 215,
    /// The service is temporarily unavailable.
    ServiceUnavailable = 216,
    /// A downloaded document does not have the digest the service states for it.
    DigestMismatch = 217,
    /// A download lacks a result that was asked for, or holds one that cannot be read.
    DownloadIncomplete = 218,

    // OAuth token endpoint: 300..=399
    /// The token request lacks a parameter or has an invalid value.
    OauthInvalidRequest = 300,
    /// Client authentication failed at the token endpoint.
    OauthInvalidClient = 301,
    /// The authorization code is invalid or expired, or the code_verifier does not match.
    OauthInvalidGrant = 302,
    /// The client is not authorized for this grant type.
    OauthUnauthorizedClient = 303,
    /// The token endpoint does not support this grant type.
    OauthUnsupportedGrantType = 304,
    /// The token endpoint met an unexpected condition.
    OauthServerError = 305,
    /// The token endpoint is temporarily unavailable.
    OauthTemporarilyUnavailable = 306,
    /// The scope asked for is unknown or not granted to the client.
    OauthInvalidScope = 307,
    /// The token endpoint refused with an error the interface does not name.
    OauthUnknown = 308,
    /// The token endpoint's answer is not an OAuth 2.0 answer.
    OauthMalformed = 309,

    // Authorize redirect: 400..=449
    /// The authorize request lacks a parameter or has an invalid value.
    AuthorizeInvalidRequest = 400,
    /// The user denied the request or did not complete the signing.
    AuthorizeAccessDenied = 401,
    /// The identity provider does not support the response type asked for.
    AuthorizeUnsupportedResponseType = 402,
    /// The scope of the login is unknown or not granted to the client.
    AuthorizeInvalidScope = 403,
    /// The identity provider met an unexpected condition during the login.
    AuthorizeServerError = 404,
    /// The identity provider is temporarily unavailable.
    AuthorizeTemporarilyUnavailable = 405,
    /// The login ended with an error the interface does not name.
    AuthorizeUnknown = 406,

    // Login and ID token: 450..=499
    /// The callback's state is not the state this login was started with.
    LoginStateMismatch = 450,
    /// The saved login is damaged, or sealed with another key.
    LoginTokenInvalid = 451,
    /// The callback carries neither a code nor an error.
    LoginCallbackIncomplete = 452,
    /// The ID token is missing or cannot be read.
    IdTokenMalformed = 453,
    /// The ID token's signature is not valid.
    IdTokenSignature = 454,
    /// The ID token is signed with an algorithm that is not accepted.
    IdTokenAlgorithm = 455,
    /// The ID token is signed with a key the identity provider does not publish.
    IdTokenKeyUnknown = 456,
    /// The ID token comes from another issuer.
    IdTokenIssuer = 457,
    /// The ID token was made for another client.
    IdTokenAudience = 458,
    /// The ID token has expired.
    IdTokenExpired = 459,
    /// The ID token was issued in the future.
    IdTokenIssuedInFuture = 460,
    /// The ID token's nonce is not the nonce of this login.
    IdTokenNonce = 461,
    /// The ID token's authorized party is another client.
    IdTokenAuthorizedParty = 462,
    /// This login was already finished.
    LoginReplayed = 463,
    /// The saved login is older than it may be.
    LoginExpired = 464,

    // Conversion: 500..=599
    /// Some documents could not be converted.
    ConversionFailed = 500,
    /// The service found the document corrupt.
    ConversionCorrupt = 501,
    /// The document already contains signatures.
    ConversionDocSigned = 502,
    /// The document has embedded files, which conversion would remove.
    ConversionEfRemoved = 503,
    /// The conversion failed for a reason the service does not name.
    ConversionGenericError = 504,
    /// PDF conversion is disabled in this environment.
    ConversionDisabled = 505,
    /// The conversion failed with a message the interface does not name.
    ConversionUnknownError = 506,

    // Orders: 600..=699
    /// The order's time window has passed.
    WindowExpired = 600,
    /// The signing failed.
    OrderFailed = 601,
    /// The signing was cancelled.
    OrderCancelled = 602,
    /// The service does not know this order.
    OrderNotFound = 603,
    /// The order is not completed yet.
    OrderNotReady = 604,
    /// The service refused the order.
    OrderRejected = 605,
    /// The service deleted the order without handing out signed documents.
    OrderDeleted = 606,

    // CSC: 700..=799
    /// The request lacks a required parameter, has an invalid value or is malformed.
    CscInvalidRequest = 700,
    /// One or more parameters are invalid or missing.
    CscInvalidParameters = 701,
    /// The credential ID is invalid or not found.
    CscInvalidCredentialId = 702,
    /// The signature activation data is invalid.
    CscInvalidSad = 703,
    /// The hash algorithm is not supported.
    CscInvalidHashAlgorithm = 704,
    /// The signature format or algorithm is not supported.
    CscInvalidSignatureFormat = 705,
    /// The number of hashes differs from numSignatures.
    CscHashMismatch = 706,
    /// The payload exceeds the maximum size.
    CscDocumentTooLarge = 707,
    /// The token was already used at this endpoint or used out of order.
    CscTokenAlreadyUsed = 708,
    /// Authentication is required.
    CscAuthenticationRequired = 709,
    /// The access token is invalid, expired or malformed.
    CscInvalidToken = 710,
    /// The token lacks the required scope.
    CscInsufficientScope = 711,
    /// The credential was not found.
    CscCredentialNotFound = 712,
    /// The credential is locked or suspended.
    CscCredentialLocked = 713,
    /// The credential has expired.
    CscCredentialExpired = 714,
    /// The certificate was not found.
    CscCertificateNotFound = 715,
    /// The certificate has expired.
    CscCertificateExpired = 716,
    /// The certificate was revoked.
    CscCertificateRevoked = 717,
    /// The certificate could not be generated while the credential was created.
    CscCertificateCreationFailed = 718,
    /// The signing limit is exceeded.
    CscSigningLimitExceeded = 719,
    /// The signature could not be validated.
    CscSignatureValidationFailed = 720,
    /// The operation is not supported for this type of credential.
    CscUnsupportedOperation = 721,
    /// The service could not communicate with the signing backend.
    CscServiceError = 722,
    /// The signing backend did not answer in time.
    CscServiceTimeout = 723,
    /// The signing backend is temporarily unavailable.
    CscServiceUnavailable = 724,
    /// The signing backend's key generation limit is reached.
    CscUserKeysLimit = 725,
    /// The service is temporarily unavailable.
    CscUnavailable = 726,
    /// The service met an internal error.
    CscInternalError = 727,
    /// The signing interface refused with a code the interface does not name.
    CscUnknown = 728,
    /// A returned signature does not fit the hash and the credential's certificate.
    CscSignatureMismatch = 729,
    /// This signing session has already signed or failed.
    CscSessionSpent = 730,

    // Verification: 800..=899
    /// The signed document did not pass verification.
    VerificationFailed = 800,
    /// The signed bytes do not have the digest the signature states.
    IntegrityFailed = 801,
    /// The signature's value does not fit its content and certificate.
    SignatureInvalid = 802,
    /// The signer's certificate does not lead to a trusted root.
    ChainUntrusted = 803,
    /// A certificate had expired at the time of signing.
    CertificateExpired = 804,
    /// A certificate was revoked at the time of signing.
    CertificateRevoked = 805,
    /// The document was signed by someone else than expected.
    SignerMismatch = 806,
    /// The signed document is not the document that was sent.
    ContentChanged = 807,
    /// A required check could not be carried out.
    NotChecked = 808,
    /// The document carries no signature.
    SignatureMissing = 809,
    /// The signature's format or algorithm is not supported.
    SignatureUnsupported = 810,
    /// A certificate was not yet valid at the time of signing.
    CertificateNotYetValid = 811,
    /// It is not known whether a certificate was revoked.
    RevocationUnknown = 812,
    /// A timestamp does not fit the signature or is not trusted.
    TimestampInvalid = 813,
    /// The signature is of a lower level than required.
    LevelNotMet = 814,
    /// The signature rests on an algorithm that is no longer trusted.
    WeakAlgorithm = 815,
    /// The document was changed after its last signature.
    ChangedAfterSigning = 816,
    /// The PDF's structure cannot be read.
    PdfMalformed = 817,
    /// The signed data object cannot be read.
    SdoMalformed = 818,
    /// The seal of the signed data object does not fit its content.
    SealInvalid = 819,
    /// The trusted roots cannot be read.
    TrustUnusable = 820,
    /// The container of a signed file and its evidence is not whole.
    ContainerInvalid = 821,

    // Internal: 900..=999
    /// The library met a condition it does not expect.
    Internal = 900,
    /// The library stopped a fault inside itself.
    Panic = 901,
}

impl Code {
    /// Every code, in rising order of its number.
    pub const ALL: &'static [Self] = table::ALL;

    /// The code's row in the error table.
    #[must_use]
    pub const fn spec(self) -> Spec {
        table::row(self)
    }

    /// The number, as C and exit messages show it.
    #[must_use]
    pub const fn number(self) -> i32 {
        self as i32
    }

    /// The name of the constant, such as `SIGNDOC_E_CSC_INVALID_REQUEST`; `SIGNDOC_OK` for success.
    #[must_use]
    pub const fn constant(self) -> &'static str {
        self.spec().constant
    }

    /// The service's own word where it has one, else this library's.
    #[must_use]
    pub const fn name(self) -> &'static str {
        self.spec().name
    }

    /// The category.
    #[must_use]
    pub const fn category(self) -> Category {
        self.spec().category
    }

    /// The code with this number; `None` where no code has it.
    #[must_use]
    pub fn from_number(number: i32) -> Option<Self> {
        let at = Self::ALL.binary_search_by_key(&number, |code| code.number()).ok()?;
        Self::ALL.get(at).copied()
    }

    /// The code for an `errorCode` of the CSC error body, compared exactly; `None` for a word the
    /// specification does not name (report [`Code::CscUnknown`] then).
    #[must_use]
    pub fn csc(error_code: &str) -> Option<Self> {
        in_range(700, 727, error_code)
    }

    /// The code for an `error` of the OAuth token endpoint, compared exactly; `None` for a word
    /// neither the specification nor RFC 6749 names (report [`Code::OauthUnknown`] then).
    #[must_use]
    pub fn oauth_token(error: &str) -> Option<Self> {
        in_range(300, 307, error)
    }

    /// The code for an `error` on the authorize redirect, compared exactly; `None` for a word the
    /// specification does not name (report [`Code::AuthorizeUnknown`] then).
    #[must_use]
    pub fn authorize(error: &str) -> Option<Self> {
        in_range(400, 405, error)
    }

    /// The code for a text of `conversionErrors`: the message of the specification, or its code,
    /// tolerant of case, surrounding white space and a final dot. `None` for any other text (report
    /// [`Code::ConversionUnknownError`] then, and keep the text).
    #[must_use]
    pub fn conversion_error(text: &str) -> Option<Self> {
        let same = |code: &&Self| {
            code.conversion_message()
                .is_some_and(|message| same_text(message, text) || same_text(code.name(), text))
        };
        Self::ALL.iter().find(same).copied()
    }

    /// The message text by which the service names this conversion error; `None` for any other
    /// code. Source: interface specification, Conversion errors.
    #[must_use]
    pub const fn conversion_message(self) -> Option<&'static str> {
        match self {
            Self::ConversionCorrupt => Some("Document is corrupt"),
            Self::ConversionDocSigned => Some("Document contains signatures"),
            Self::ConversionEfRemoved => Some("Embedded files removed"),
            Self::ConversionGenericError => Some("Unknown error"),
            Self::ConversionDisabled => Some("PDF conversion is disabled"),
            _ => None,
        }
    }

    /// All codes a person may mean by a word: a number, a name or a constant (with or without its
    /// `SIGNDOC_E_`), in any case. The same name may stand in several ranges, so there may be
    /// several answers, in rising order; none when the word is unknown.
    #[must_use]
    pub fn find(word: &str) -> Vec<Self> {
        let word = word.trim();
        if let Ok(number) = word.parse::<i32>() {
            return Self::from_number(number).into_iter().collect();
        }
        Self::ALL.iter().filter(|code| code.is_called(word)).copied().collect()
    }

    fn is_called(self, word: &str) -> bool {
        let Spec { constant, name, .. } = self.spec();
        let short = constant.strip_prefix("SIGNDOC_E_").unwrap_or(constant);
        [name, constant, short].iter().any(|own| own.eq_ignore_ascii_case(word))
    }
}

fn in_range(first: i32, last: i32, name: &str) -> Option<Code> {
    let fits = |code: &&Code| (first..=last).contains(&code.number()) && code.name() == name;
    Code::ALL.iter().find(fits).copied()
}

/// Whether a text from the service is this message, give or take case, surrounding white space and
/// a final dot.
pub(crate) fn same_text(message: &str, text: &str) -> bool {
    let text = text.trim();
    let text = text.strip_suffix('.').unwrap_or(text).trim_end();
    message.eq_ignore_ascii_case(text)
}
