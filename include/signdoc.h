/* libsigndoc: the C interface of signdoc.
 *
 * SPDX-License-Identifier: MIT OR Apache-2.0
 *
 * Made by `cargo xtask header` from ffi/ and the error table. Do not edit.
 *
 * The rules of all functions
 *
 * Success and failure. Functions that can fail return int32_t: SIGNDOC_OK (0), or the number of
 *   the error. Their last argument, which may be NULL, gets an error object on failure; what it
 *   pointed to before is not freed, and on success it is left alone. Results are written through
 *   the arguments before it, on success only.
 * Handles. Opaque, made by _new or given by a function, freed once by their own _free function,
 *   which takes NULL as well. A handle of another kind gives SIGNDOC_E_INVALID_HANDLE; so does one
 *   that was freed, as long as its memory is not in use for something else. NULL where it is not
 *   allowed gives SIGNDOC_E_NULL_POINTER.
 * Threads. Any handle may be used by any thread, and by several at once; only _free must be the
 *   last use. There is no thread-local and no hidden error state.
 * fork. A client may be used on both sides of fork(), each has its own connections. A call under
 *   way belongs to the parent.
 * Texts. In: UTF-8, ended by a zero byte, checked (SIGNDOC_E_INVALID_UTF8), copied. Out: UTF-8,
 *   ended by a zero byte; const char * belongs to the object it came from and lives as long.
 * Bytes. A signdoc_view belongs to the object it came from. A signdoc_buffer belongs to the caller
 *   and is freed with signdoc_buffer_free.
 * Time. Durations are in milliseconds and say so in their name. Functions that wait take
 *   timeout_ms, where 0 means the client's own limit.
 * Faults. A fault inside the library never unwinds into the program: SIGNDOC_E_PANIC is returned,
 *   see signdoc_stopped_panics.
 */


#ifndef SIGNDOC_H
#define SIGNDOC_H

#include <stddef.h>
#include <stdint.h>

/** The version of this header; signdoc_version() is that of the library. */
#define SIGNDOC_VERSION "0.1.0"
#define SIGNDOC_VERSION_MAJOR 0
#define SIGNDOC_VERSION_MINOR 1
#define SIGNDOC_VERSION_PATCH 0
/** One number that rises with every version, for comparisons in the preprocessor. */
#define SIGNDOC_VERSION_NUMBER \
    (SIGNDOC_VERSION_MAJOR * 1000000 + SIGNDOC_VERSION_MINOR * 1000 + SIGNDOC_VERSION_PATCH)

/* Error numbers, the same in every language; docs/errors.md explains each. */
/** success */
#define SIGNDOC_OK                                    0
/** an argument of the call has a value that cannot be used */
#define SIGNDOC_E_INVALID_ARGUMENT                    1
/** a required option is not set */
#define SIGNDOC_E_MISSING_OPTION                      2
/** an option is unknown or its value cannot be used */
#define SIGNDOC_E_INVALID_OPTION                      3
/** an address uses plain http outside this machine */
#define SIGNDOC_E_INSECURE_URL                        4
/** a document file does not exist */
#define SIGNDOC_E_DOCUMENT_NOT_FOUND                  5
/** a document cannot be read */
#define SIGNDOC_E_DOCUMENT_UNREADABLE                 6
/** a document holds no bytes */
#define SIGNDOC_E_DOCUMENT_EMPTY                      7
/** a document is not a PDF */
#define SIGNDOC_E_NOT_A_PDF                           8
/** a document is larger than the interface allows */
#define SIGNDOC_E_DOCUMENT_TOO_LARGE                  9
/** the number of documents is outside the allowed range */
#define SIGNDOC_E_DOCUMENT_COUNT                      10
/** a document changed while it was being sent */
#define SIGNDOC_E_DOCUMENT_CHANGED                    11
/** a result file already exists */
#define SIGNDOC_E_DESTINATION_EXISTS                  12
/** a result could not be written */
#define SIGNDOC_E_DESTINATION_FAILED                  13
/** the call was cancelled by the caller */
#define SIGNDOC_E_CANCELLED                           14
/** the client was closed before the call */
#define SIGNDOC_E_CLIENT_CLOSED                       15
/** a required pointer is null */
#define SIGNDOC_E_NULL_POINTER                        16
/** a text is not valid UTF-8 */
#define SIGNDOC_E_INVALID_UTF8                        17
/** a handle is of another kind or was already freed */
#define SIGNDOC_E_INVALID_HANDLE                      18
/** the conversion asked for is not supported */
#define SIGNDOC_E_UNSUPPORTED_PDF_SPEC                19
/** a function given by the caller failed */
#define SIGNDOC_E_CALLBACK_FAILED                     20
/** the client's secret or private key is not available */
#define SIGNDOC_E_MISSING_SECRET                      21
/** the private key does not fit the signature algorithm */
#define SIGNDOC_E_KEY_MISMATCH                        22
/** the sandbox could not be started or did not answer */
#define SIGNDOC_E_SANDBOX_FAILED                      23
/** the PDF is encrypted */
#define SIGNDOC_E_PDF_ENCRYPTED                       24
/** the PDF cannot carry a further signature */
#define SIGNDOC_E_PDF_NOT_SIGNABLE                    25
/** a text to be signed holds a character that ISO-8859-1 cannot express; told as a warning in the log, the text is sent all the same */
#define SIGNDOC_E_UNENCODABLE_TEXT                    26
/** a visual seal is placed on a page the PDF does not have */
#define SIGNDOC_E_SEAL_PAGE                           27
/** a document holds more or less than one kind of content */
#define SIGNDOC_E_CONTENT_KIND                        28
/** the download journal could not be written, read or locked */
#define SIGNDOC_E_JOURNAL_FAILED                      29
/** a step was called before the one it needs */
#define SIGNDOC_E_WRONG_CALL_ORDER                    30
/** no connection to the service could be made */
#define SIGNDOC_E_CONNECT_FAILED                      100
/** the secure connection could not be established */
#define SIGNDOC_E_TLS_FAILED                          101
/** the proxy refused the request or could not be reached */
#define SIGNDOC_E_PROXY_FAILED                        102
/** no connection was made within the time limit */
#define SIGNDOC_E_CONNECT_TIMEOUT                     103
/** the service sent nothing within the time limit */
#define SIGNDOC_E_READ_TIMEOUT                        104
/** the call did not finish within its total time limit */
#define SIGNDOC_E_TOTAL_TIMEOUT                       105
/** the connection ended before the answer was complete */
#define SIGNDOC_E_CONNECTION_LOST                     106
/** the request was sent but its outcome is not known */
#define SIGNDOC_E_OUTCOME_UNKNOWN                     107
/** the request could not be carried out */
#define SIGNDOC_E_REQUEST_FAILED                      108
/** the waiting ended, but the results of an order are still being received */
#define SIGNDOC_E_RECEPTION_CONTINUES                 109
/** the service answered with a status the interface does not name */
#define SIGNDOC_E_UNEXPECTED_STATUS                   200
/** the answer is not valid JSON or not of the expected shape */
#define SIGNDOC_E_MALFORMED_ANSWER                    201
/** the answer ended before it was complete */
#define SIGNDOC_E_TRUNCATED_ANSWER                    202
/** the answer is larger than the client accepts */
#define SIGNDOC_E_ANSWER_TOO_LARGE                    203
/** a document in the answer is not valid base64 */
#define SIGNDOC_E_INVALID_BASE64                      204
/** the answer holds no content */
#define SIGNDOC_E_EMPTY_ANSWER                        205
/** the number of results differs from the number of documents sent */
#define SIGNDOC_E_RESULT_COUNT                        206
/** the answer is an HTML page instead of JSON */
#define SIGNDOC_E_HTML_ANSWER                         207
/** the identity provider's discovery document lacks a needed entry */
#define SIGNDOC_E_DISCOVERY_INCOMPLETE                208
/** the answer lacks a required field */
#define SIGNDOC_E_MISSING_FIELD                       209
/** the service refused the request as invalid */
#define SIGNDOC_E_REQUEST_REJECTED                    210
/** the service refused the access token */
#define SIGNDOC_E_ACCESS_TOKEN_REJECTED               211
/** the service knows nothing at this address */
#define SIGNDOC_E_NOT_FOUND                           212
/** the request is larger than the service accepts */
#define SIGNDOC_E_PAYLOAD_TOO_LARGE                   213
/** the service asks for fewer requests */
#define SIGNDOC_E_TOO_MANY_REQUESTS                   214
/** the service failed while handling the request */
#define SIGNDOC_E_SERVICE_FAILED                      215
/** the service is temporarily unavailable */
#define SIGNDOC_E_SERVICE_UNAVAILABLE                 216
/** a downloaded document does not have the digest the service states for it */
#define SIGNDOC_E_DIGEST_MISMATCH                     217
/** a download lacks a result that was asked for, or holds one that cannot be read */
#define SIGNDOC_E_DOWNLOAD_INCOMPLETE                 218
/** the token request lacks a parameter or has an invalid value */
#define SIGNDOC_E_OAUTH_INVALID_REQUEST               300
/** client authentication failed at the token endpoint */
#define SIGNDOC_E_OAUTH_INVALID_CLIENT                301
/** the authorization code is invalid or expired, or the code_verifier does not match */
#define SIGNDOC_E_OAUTH_INVALID_GRANT                 302
/** the client is not authorized for this grant type */
#define SIGNDOC_E_OAUTH_UNAUTHORIZED_CLIENT           303
/** the token endpoint does not support this grant type */
#define SIGNDOC_E_OAUTH_UNSUPPORTED_GRANT_TYPE        304
/** the token endpoint met an unexpected condition */
#define SIGNDOC_E_OAUTH_SERVER_ERROR                  305
/** the token endpoint is temporarily unavailable */
#define SIGNDOC_E_OAUTH_TEMPORARILY_UNAVAILABLE       306
/** the scope asked for is unknown or not granted to the client */
#define SIGNDOC_E_OAUTH_INVALID_SCOPE                 307
/** the token endpoint refused with an error the interface does not name */
#define SIGNDOC_E_OAUTH_UNKNOWN                       308
/** the token endpoint's answer is not an OAuth 2.0 answer */
#define SIGNDOC_E_OAUTH_MALFORMED                     309
/** the authorize request lacks a parameter or has an invalid value */
#define SIGNDOC_E_AUTHORIZE_INVALID_REQUEST           400
/** the user denied the request or did not complete the signing */
#define SIGNDOC_E_AUTHORIZE_ACCESS_DENIED             401
/** the identity provider does not support the response type asked for */
#define SIGNDOC_E_AUTHORIZE_UNSUPPORTED_RESPONSE_TYPE 402
/** the scope of the login is unknown or not granted to the client */
#define SIGNDOC_E_AUTHORIZE_INVALID_SCOPE             403
/** the identity provider met an unexpected condition during the login */
#define SIGNDOC_E_AUTHORIZE_SERVER_ERROR              404
/** the identity provider is temporarily unavailable */
#define SIGNDOC_E_AUTHORIZE_TEMPORARILY_UNAVAILABLE   405
/** the login ended with an error the interface does not name */
#define SIGNDOC_E_AUTHORIZE_UNKNOWN                   406
/** the callback's state is not the state this login was started with */
#define SIGNDOC_E_LOGIN_STATE_MISMATCH                450
/** the saved login is damaged, or sealed with another key */
#define SIGNDOC_E_LOGIN_TOKEN_INVALID                 451
/** the callback carries neither a code nor an error */
#define SIGNDOC_E_LOGIN_CALLBACK_INCOMPLETE           452
/** the ID token is missing or cannot be read */
#define SIGNDOC_E_ID_TOKEN_MALFORMED                  453
/** the ID token's signature is not valid */
#define SIGNDOC_E_ID_TOKEN_SIGNATURE                  454
/** the ID token is signed with an algorithm that is not accepted */
#define SIGNDOC_E_ID_TOKEN_ALGORITHM                  455
/** the ID token is signed with a key the identity provider does not publish */
#define SIGNDOC_E_ID_TOKEN_KEY_UNKNOWN                456
/** the ID token comes from another issuer */
#define SIGNDOC_E_ID_TOKEN_ISSUER                     457
/** the ID token was made for another client */
#define SIGNDOC_E_ID_TOKEN_AUDIENCE                   458
/** the ID token has expired */
#define SIGNDOC_E_ID_TOKEN_EXPIRED                    459
/** the ID token was issued in the future */
#define SIGNDOC_E_ID_TOKEN_ISSUED_IN_FUTURE           460
/** the ID token's nonce is not the nonce of this login */
#define SIGNDOC_E_ID_TOKEN_NONCE                      461
/** the ID token's authorized party is another client */
#define SIGNDOC_E_ID_TOKEN_AUTHORIZED_PARTY           462
/** this login was already finished */
#define SIGNDOC_E_LOGIN_REPLAYED                      463
/** the saved login is older than it may be */
#define SIGNDOC_E_LOGIN_EXPIRED                       464
/** some documents could not be converted */
#define SIGNDOC_E_CONVERSION_FAILED                   500
/** the service found the document corrupt */
#define SIGNDOC_E_CONVERSION_CORRUPT                  501
/** the document already contains signatures */
#define SIGNDOC_E_CONVERSION_DOC_SIGNED               502
/** the document has embedded files, which conversion would remove */
#define SIGNDOC_E_CONVERSION_EF_REMOVED               503
/** the conversion failed for a reason the service does not name */
#define SIGNDOC_E_CONVERSION_GENERIC_ERROR            504
/** PDF conversion is disabled in this environment */
#define SIGNDOC_E_CONVERSION_DISABLED                 505
/** the conversion failed with a message the interface does not name */
#define SIGNDOC_E_CONVERSION_UNKNOWN_ERROR            506
/** the order's time window has passed */
#define SIGNDOC_E_WINDOW_EXPIRED                      600
/** the signing failed */
#define SIGNDOC_E_ORDER_FAILED                        601
/** the signing was cancelled */
#define SIGNDOC_E_ORDER_CANCELLED                     602
/** the service does not know this order */
#define SIGNDOC_E_ORDER_NOT_FOUND                     603
/** the order is not completed yet */
#define SIGNDOC_E_ORDER_NOT_READY                     604
/** the service refused the order */
#define SIGNDOC_E_ORDER_REJECTED                      605
/** the service deleted the order without handing out signed documents */
#define SIGNDOC_E_ORDER_DELETED                       606
/** the request lacks a required parameter, has an invalid value or is malformed */
#define SIGNDOC_E_CSC_INVALID_REQUEST                 700
/** one or more parameters are invalid or missing */
#define SIGNDOC_E_CSC_INVALID_PARAMETERS              701
/** the credential ID is invalid or not found */
#define SIGNDOC_E_CSC_INVALID_CREDENTIAL_ID           702
/** the signature activation data is invalid */
#define SIGNDOC_E_CSC_INVALID_SAD                     703
/** the hash algorithm is not supported */
#define SIGNDOC_E_CSC_INVALID_HASH_ALGORITHM          704
/** the signature format or algorithm is not supported */
#define SIGNDOC_E_CSC_INVALID_SIGNATURE_FORMAT        705
/** the number of hashes differs from numSignatures */
#define SIGNDOC_E_CSC_HASH_MISMATCH                   706
/** the payload exceeds the maximum size */
#define SIGNDOC_E_CSC_DOCUMENT_TOO_LARGE              707
/** the token was already used at this endpoint or used out of order */
#define SIGNDOC_E_CSC_TOKEN_ALREADY_USED              708
/** authentication is required */
#define SIGNDOC_E_CSC_AUTHENTICATION_REQUIRED         709
/** the access token is invalid, expired or malformed */
#define SIGNDOC_E_CSC_INVALID_TOKEN                   710
/** the token lacks the required scope */
#define SIGNDOC_E_CSC_INSUFFICIENT_SCOPE              711
/** the credential was not found */
#define SIGNDOC_E_CSC_CREDENTIAL_NOT_FOUND            712
/** the credential is locked or suspended */
#define SIGNDOC_E_CSC_CREDENTIAL_LOCKED               713
/** the credential has expired */
#define SIGNDOC_E_CSC_CREDENTIAL_EXPIRED              714
/** the certificate was not found */
#define SIGNDOC_E_CSC_CERTIFICATE_NOT_FOUND           715
/** the certificate has expired */
#define SIGNDOC_E_CSC_CERTIFICATE_EXPIRED             716
/** the certificate was revoked */
#define SIGNDOC_E_CSC_CERTIFICATE_REVOKED             717
/** the certificate could not be generated while the credential was created */
#define SIGNDOC_E_CSC_CERTIFICATE_CREATION_FAILED     718
/** the signing limit is exceeded */
#define SIGNDOC_E_CSC_SIGNING_LIMIT_EXCEEDED          719
/** the signature could not be validated */
#define SIGNDOC_E_CSC_SIGNATURE_VALIDATION_FAILED     720
/** the operation is not supported for this type of credential */
#define SIGNDOC_E_CSC_UNSUPPORTED_OPERATION           721
/** the service could not communicate with the signing backend */
#define SIGNDOC_E_CSC_SERVICE_ERROR                   722
/** the signing backend did not answer in time */
#define SIGNDOC_E_CSC_SERVICE_TIMEOUT                 723
/** the signing backend is temporarily unavailable */
#define SIGNDOC_E_CSC_SERVICE_UNAVAILABLE             724
/** the signing backend's key generation limit is reached */
#define SIGNDOC_E_CSC_USER_KEYS_LIMIT                 725
/** the service is temporarily unavailable */
#define SIGNDOC_E_CSC_UNAVAILABLE                     726
/** the service met an internal error */
#define SIGNDOC_E_CSC_INTERNAL_ERROR                  727
/** the signing interface refused with a code the interface does not name */
#define SIGNDOC_E_CSC_UNKNOWN                         728
/** a returned signature does not fit the hash and the credential's certificate */
#define SIGNDOC_E_CSC_SIGNATURE_MISMATCH              729
/** this signing session has already signed or failed */
#define SIGNDOC_E_CSC_SESSION_SPENT                   730
/** the signed document did not pass verification */
#define SIGNDOC_E_VERIFICATION_FAILED                 800
/** the signed bytes do not have the digest the signature states */
#define SIGNDOC_E_INTEGRITY_FAILED                    801
/** the signature's value does not fit its content and certificate */
#define SIGNDOC_E_SIGNATURE_INVALID                   802
/** the signer's certificate does not lead to a trusted root */
#define SIGNDOC_E_CHAIN_UNTRUSTED                     803
/** a certificate had expired at the time of signing */
#define SIGNDOC_E_CERTIFICATE_EXPIRED                 804
/** a certificate was revoked at the time of signing */
#define SIGNDOC_E_CERTIFICATE_REVOKED                 805
/** the document was signed by someone else than expected */
#define SIGNDOC_E_SIGNER_MISMATCH                     806
/** the signed document is not the document that was sent */
#define SIGNDOC_E_CONTENT_CHANGED                     807
/** a required check could not be carried out */
#define SIGNDOC_E_NOT_CHECKED                         808
/** the document carries no signature */
#define SIGNDOC_E_SIGNATURE_MISSING                   809
/** the signature's format or algorithm is not supported */
#define SIGNDOC_E_SIGNATURE_UNSUPPORTED               810
/** a certificate was not yet valid at the time of signing */
#define SIGNDOC_E_CERTIFICATE_NOT_YET_VALID           811
/** it is not known whether a certificate was revoked */
#define SIGNDOC_E_REVOCATION_UNKNOWN                  812
/** a timestamp does not fit the signature or is not trusted */
#define SIGNDOC_E_TIMESTAMP_INVALID                   813
/** the signature is of a lower level than required */
#define SIGNDOC_E_LEVEL_NOT_MET                       814
/** the signature rests on an algorithm that is no longer trusted */
#define SIGNDOC_E_WEAK_ALGORITHM                      815
/** the document was changed after its last signature */
#define SIGNDOC_E_CHANGED_AFTER_SIGNING               816
/** the PDF's structure cannot be read */
#define SIGNDOC_E_PDF_MALFORMED                       817
/** the signed data object cannot be read */
#define SIGNDOC_E_SDO_MALFORMED                       818
/** the seal of the signed data object does not fit its content */
#define SIGNDOC_E_SEAL_INVALID                        819
/** the trusted roots cannot be read */
#define SIGNDOC_E_TRUST_UNUSABLE                      820
/** the container of a signed file and its evidence is not whole */
#define SIGNDOC_E_CONTAINER_INVALID                   821
/** the library met a condition it does not expect */
#define SIGNDOC_E_INTERNAL                            900
/** the library stopped a fault inside itself */
#define SIGNDOC_E_PANIC                               901

/* Numbers of the conversion warnings, a table of their own. */
/** the converted document looks different from the original */
#define SIGNDOC_WARNING_VISUAL_DIFF                   1
/** colorants with the same name were told apart */
#define SIGNDOC_WARNING_COLORANTS                     2
/** optional content groups (layers) were removed */
#define SIGNDOC_WARNING_OCG_REMOVED                   3
/** transparency was removed */
#define SIGNDOC_WARNING_TRANSP_REMOVED                4
/** metadata that could not be converted was removed */
#define SIGNDOC_WARNING_XMP_REMOVED                   5
/** a font was replaced by another */
#define SIGNDOC_WARNING_FONT_SUBST                    6
/** interactive elements such as actions or annotations were removed */
#define SIGNDOC_WARNING_ACTION_REMOVED                7
/** the document's logical structure was removed */
#define SIGNDOC_WARNING_STRUCTURE_REMOVED             8

/**
 * The number of the interface this library has; see signdoc_abi_version.
 */
#define SIGNDOC_ABI_VERSION 0

/**
 * A log level: each request and answer.
 */
#define SIGNDOC_LOG_DEBUG 1

/**
 * A log level: what changed, such as a new token.
 */
#define SIGNDOC_LOG_INFO 2

/**
 * A log level: a repetition or a failure that the caller may not see otherwise.
 */
#define SIGNDOC_LOG_WARNING 3

/**
 * A part of a result: the signed PDF, or the signed data object.
 */
#define SIGNDOC_PART_DOCUMENT 1

/**
 * A part of a PAdES result: what signing appended to the PDF.
 */
#define SIGNDOC_PART_APPENDIX 2

/**
 * A part of a SEID-SDO result: the merchant's signature (CMS).
 */
#define SIGNDOC_PART_MERCHANT_SIGNATURE 3

/**
 * A part of a SEID-SDO result: the end user's signature (CMS).
 */
#define SIGNDOC_PART_END_USER_SIGNATURE 4

/**
 * A flag of signdoc_order_download: downloads, and so ends, an order that is not final yet.
 * Orders that failed or were cancelled are refused all the same.
 */
#define SIGNDOC_DOWNLOAD_FORCE 1

/**
 * A flag of signdoc_order_download: files in the folder may be replaced.
 */
#define SIGNDOC_DOWNLOAD_OVERWRITE 2

/**
 * Whose visual seal: the merchant's.
 */
#define SIGNDOC_SEAL_MERCHANT 1

/**
 * Whose visual seal: the end user's.
 */
#define SIGNDOC_SEAL_END_USER 2

/**
 * A kind of order: signed PDFs. Marked outdated by the interface specification.
 */
#define SIGNDOC_ORDER_PADES 1

/**
 * A kind of order: signed data objects (SEID-SDO). Marked deprecated by the interface
 * specification.
 */
#define SIGNDOC_ORDER_SDO 2

/**
 * Status, headers and text of an answer, see signdoc_call_last_answer. All texts belong to it and
 * live as long as it does. Freed with signdoc_answer_free.
 */
typedef struct signdoc_answer signdoc_answer;

/**
 * What goes into an evidence bundle. Freed with signdoc_bundle_options_free; may be used for
 * several bundles.
 */
typedef struct signdoc_bundle_options signdoc_bundle_options;

/**
 * A view of one call: other threads and signal handlers may end the call and see how far it is;
 * functions of the caller's are told of it while it is under way; afterwards it tells the last
 * answer. Optional; given to a function that waits, and used for one call at a time. Freed with
 * signdoc_call_free after that function has returned.
 */
typedef struct signdoc_call signdoc_call;

/**
 * A client of the service. Any number of threads may use one at the same time; it keeps
 * connections and tokens between calls. A client that was made before fork() works in the child
 * as well. Freed with signdoc_client_free when no call uses it any more.
 */
typedef struct signdoc_client signdoc_client;

/**
 * How a conversion is made. Freed with signdoc_convert_options_free; may be used for many calls.
 */
typedef struct signdoc_convert_options signdoc_convert_options;

/**
 * How hashes and PDFs are signed. Freed with signdoc_csc_request_free; may be used for many
 * sessions.
 */
typedef struct signdoc_csc_request signdoc_csc_request;

/**
 * A signing session: one login, one authorization, up to 50 signatures. A step out of order, or a
 * second use, fails before anything is sent with SIGNDOC_E_CSC_TOKEN_ALREADY_USED, the code the
 * service would give. Threads may share it. Freed with signdoc_csc_session_free.
 */
typedef struct signdoc_csc_session signdoc_csc_session;

/**
 * What was signed: signature values or PDFs, in the order they were given. All texts and views
 * belong to it and live as long as it does. Freed with signdoc_csc_signed_free.
 */
typedef struct signdoc_csc_signed signdoc_csc_signed;

/**
 * The documents of one call, in order. Freed with signdoc_documents_free; may be used for several
 * calls, except for what signdoc_documents_add_reader added.
 */
typedef struct signdoc_documents signdoc_documents;

/**
 * What a download brought, in the order of the documents. All texts and views belong to it and
 * live as long as it does. Freed with signdoc_download_free.
 */
typedef struct signdoc_download signdoc_download;

/**
 * A failure: its number, what happened, what to do about it, and what the service said.
 *
 * Made by functions that fail, freed by the caller with signdoc_error_free. The texts that the
 * functions below give belong to the error and live as long as it does; they are in UTF-8.
 */
typedef struct signdoc_error signdoc_error;

/**
 * How a signed PDF is extended. Freed with signdoc_extend_options_free; may be used for several
 * documents.
 */
typedef struct signdoc_extend_options signdoc_extend_options;

/**
 * An extended PDF, and what was added to it. All texts and bytes belong to it and live as long as
 * it does. Freed with signdoc_extended_free.
 */
typedef struct signdoc_extended signdoc_extended;

/**
 * What was found about a document, errors first. All texts belong to it and live as long as it
 * does. Freed with signdoc_findings_free.
 */
typedef struct signdoc_findings signdoc_findings;

/**
 * Who signed, as the identity provider vouches for it. Its texts belong to it and live as long as
 * it does. Freed with signdoc_identity_free.
 */
typedef struct signdoc_identity signdoc_identity;

/**
 * A login that has begun. Its texts belong to it and live as long as it does. Freed with
 * signdoc_login_free.
 */
typedef struct signdoc_login signdoc_login;

/**
 * The options of a client, as texts under their keys: "issuer", "client_id" and "client_secret" at
 * least, "base_url", "timeout" and all others that signdoc_option_table_json describes. Freed with
 * signdoc_options_free; one object may serve for many clients.
 */
typedef struct signdoc_options signdoc_options;

/**
 * An order the service has, or what is known of it. Its texts belong to it and live as long as it
 * does. Freed with signdoc_order_free, which leaves the order at the service alone.
 */
typedef struct signdoc_order signdoc_order;

/**
 * The properties of a sign order. Freed with signdoc_order_request_free; may be used for many
 * orders.
 */
typedef struct signdoc_order_request signdoc_order_request;

/**
 * What a verification found: named checks, and a plain verdict. All texts belong to it and live
 * as long as it does. Freed with signdoc_report_free.
 */
typedef struct signdoc_report signdoc_report;

/**
 * The results of a conversion, in the order of the documents. All texts and views belong to it
 * and live as long as it does. Freed with signdoc_results_free.
 */
typedef struct signdoc_results signdoc_results;

/**
 * A list of texts. Freed with signdoc_strings_free.
 */
typedef struct signdoc_strings signdoc_strings;

/**
 * What is asked about signed files. Freed with signdoc_verify_options_free; may be used for
 * several verifications.
 */
typedef struct signdoc_verify_options signdoc_verify_options;

/**
 * Bytes that belong to the caller, to be freed with signdoc_buffer_free. A zero byte that is not
 * counted in `len` follows them, so that a text can be printed as it is.
 */
typedef struct {
    /**
     * The first byte.
     */
    uint8_t *ptr;
    /**
     * How many bytes there are, without the zero byte behind them.
     */
    size_t len;
} signdoc_buffer;

/**
 * Bytes that belong to another object and live as long as it does. Not to be freed.
 */
typedef struct {
    /**
     * The first byte; NULL where there are none.
     */
    const uint8_t *ptr;
    /**
     * How many bytes there are.
     */
    size_t len;
} signdoc_view;

/**
 * Is told how far a call is, in bytes, as signdoc_call_progress tells it. Anything but 0 ends the
 * call with SIGNDOC_E_CALLBACK_FAILED.
 */
typedef int32_t (*signdoc_progress_fn)(void *context,
                                       uint64_t to_send,
                                       uint64_t sent,
                                       uint64_t received);

/**
 * Is told what a call does: a level (SIGNDOC_LOG_...), what marks the call in logs, and what
 * happened, without secrets. The texts live until the function returns. Anything but 0 ends the
 * call with SIGNDOC_E_CALLBACK_FAILED.
 */
typedef int32_t (*signdoc_log_fn)(void *context,
                                  int32_t level,
                                  const char *correlation_id,
                                  const char *message);

/**
 * Is told each new state of an order that signdoc_order_wait waits for; the text lives until the
 * function returns. Anything but 0 ends the call with SIGNDOC_E_CALLBACK_FAILED.
 */
typedef int32_t (*signdoc_state_fn)(void *context, const char *state);

/**
 * Takes the next `len` bytes of the result at `index`; NULL and 0 say that it is complete. Results
 * come one after another. Anything but 0 ends the call with SIGNDOC_E_CALLBACK_FAILED.
 */
typedef int32_t (*signdoc_write_fn)(void *context, size_t index, const void *bytes, size_t len);

/**
 * Is told a result of signdoc_convert_many as soon as it is there: `index` is that of its
 * document; `result` holds it alone, at the index 0, and lives until the function returns.
 * Anything but 0 ends the call with SIGNDOC_E_CALLBACK_FAILED.
 */
typedef int32_t (*signdoc_result_fn)(void *context, size_t index, const signdoc_results *result);

/**
 * Reads the next bytes of a document into `buffer`: at most `room` of them, fewer are fine. Gives
 * how many; 0 at the end; a number below 0 where it cannot, which ends with
 * SIGNDOC_E_CALLBACK_FAILED.
 */
typedef int64_t (*signdoc_read_fn)(void *context, void *buffer, size_t room);

#ifdef __cplusplus
extern "C" {
#endif // __cplusplus

/**
 * The version of the library that is loaded, such as "0.1.0"; SIGNDOC_VERSION is that of the
 * header. Not to be freed.
 */
const char *signdoc_version(void);

/**
 * The number of the interface of the library that is loaded. Where it differs from
 * SIGNDOC_ABI_VERSION, the program was built with a header that does not fit.
 */
uint32_t signdoc_abi_version(void);

/**
 * How many faults inside the library (Rust panics) were stopped in this process so far; anything
 * but 0 is a defect worth a report. A function with a return code gives SIGNDOC_E_PANIC then, any
 * other the value it gives for wrong arguments; this number tells the two apart.
 */
uint64_t signdoc_stopped_panics(void);

/**
 * Ends the library's own threads; a later call starts new ones. Never needed, but leak checkers
 * count the memory of threads that still run when the program ends. No call may be under way;
 * downloads that are still being received are waited for, as by signdoc_downloads_finish.
 */
void signdoc_shutdown(void);

/**
 * The whole error table as JSON: an object with "codes" and "warnings", each an array of objects
 * with "number", "constant", "name", "summary", "advice" and more. `*out` is freed with
 * signdoc_buffer_free.
 */
int32_t signdoc_error_table_json(signdoc_buffer *out, signdoc_error **error);

/**
 * Explains a number ("701"), a name ("token_already_used") or a constant of the error table, or a
 * warning ("FONT_SUBST"), in any case: some lines of text for each row the word may mean. `*out`
 * is freed with signdoc_buffer_free.
 *
 * SIGNDOC_E_INVALID_ARGUMENT where the table does not have the word.
 */
int32_t signdoc_explain(const char *word, signdoc_buffer *out, signdoc_error **error);

/**
 * The number of the error, one of SIGNDOC_E_...; the same that the failing function returned.
 *
 * SIGNDOC_OK for NULL, SIGNDOC_E_INVALID_HANDLE for what is no error.
 */
int32_t signdoc_error_code(const signdoc_error *error);

/**
 * The service's own word for the error where it has one ("token_already_used", "DOC_SIGNED"),
 * else this library's ("document_too_large"). The same word may stand for several numbers.
 *
 * Never NULL; empty for NULL and for what is no error.
 */
const char *signdoc_error_name(const signdoc_error *error);

/**
 * The name of the number: "SIGNDOC_E_DOCUMENT_TOO_LARGE".
 *
 * Never NULL; empty for NULL and for what is no error.
 */
const char *signdoc_error_constant(const signdoc_error *error);

/**
 * What happened, where, and the remedy: one line for a person, without secrets.
 *
 * Never NULL; empty for NULL and for what is no error.
 */
const char *signdoc_error_message(const signdoc_error *error);

/**
 * What to do next: what docs/errors.md says of the number, unless more is known of this failure.
 *
 * Never NULL; empty for NULL and for what is no error.
 */
const char *signdoc_error_advice(const signdoc_error *error);

/**
 * The category, as the interface specification groups errors: "Request Validation".
 *
 * Never NULL; empty for NULL and for what is no error.
 */
const char *signdoc_error_category(const signdoc_error *error);

/**
 * Who found the problem: "local" (this library) or "service".
 *
 * Never NULL; empty for NULL and for what is no error.
 */
const char *signdoc_error_origin(const signdoc_error *error);

/**
 * The HTTP status of the answer; 0 where there was none.
 */
int32_t signdoc_error_http_status(const signdoc_error *error);

/**
 * The service's reference of this occurrence, to be quoted to its support; NULL where it gave
 * none.
 */
const char *signdoc_error_reference(const signdoc_error *error);

/**
 * 1 where the same call may succeed when it is repeated later, else 0.
 */
int32_t signdoc_error_retryable(const signdoc_error *error);

/**
 * How long the service asked to wait before a repetition, in milliseconds; -1 where it did not
 * say.
 */
int64_t signdoc_error_retry_after_ms(const signdoc_error *error);

/**
 * What a program may want to know besides, as a JSON object: "field", "limit", "actual", "path",
 * "offset", "body" and their like, where they apply.
 *
 * Never NULL; empty for NULL and for what is no error.
 */
const char *signdoc_error_details_json(const signdoc_error *error);

/**
 * The whole error as a JSON object, document bytes left out.
 *
 * Never NULL; empty for NULL and for what is no error.
 */
const char *signdoc_error_json(const signdoc_error *error);

/**
 * The results of all documents of a conversion that failed as a whole or in part: those that
 * were converted are complete, and their files stay. NULL where nothing arrived.
 *
 * They belong to the error and are freed with it; freeing them does nothing.
 */
const signdoc_results *signdoc_error_results(const signdoc_error *error);

/**
 * What arrived of a download that failed: the documents that came whole. NULL where nothing did.
 *
 * It belongs to the error and is freed with it; freeing it does nothing.
 */
const signdoc_download *signdoc_error_download(const signdoc_error *error);

/**
 * The order that exists although the call failed: where signdoc_order_create was "strict" and a
 * document was not converted. NULL where there is none, or none is known.
 *
 * It belongs to the error and is freed with it; freeing it does nothing.
 */
const signdoc_order *signdoc_error_order(const signdoc_error *error);

/**
 * The service's answer to a download to memory as it came, where not everything that was asked
 * for could be taken out of it: the order is deleted, so this is the only copy. Empty where there
 * is none. After a download into a folder it lies there, named by "raw_answer" in
 * signdoc_error_details_json, for signdoc_recover.
 */
signdoc_view signdoc_error_raw_answer(const signdoc_error *error);

/**
 * Frees an error with its texts and results. NULL is fine.
 */
void signdoc_error_free(signdoc_error *error);

/**
 * Options without any value. NULL only where the library stopped a fault inside itself.
 */
signdoc_options *signdoc_options_new(void);

/**
 * Sets one option. Values are texts also where they mean numbers ("2.5") or truth ("true"); times
 * are in seconds. An empty value unsets the option. Values are checked when a client is made.
 *
 * SIGNDOC_E_INVALID_OPTION where no option has this key; the message lists them all.
 */
int32_t signdoc_options_set(signdoc_options *options,
                            const char *key,
                            const char *value,
                            signdoc_error **error);

/**
 * Takes every option that is not set yet from the environment: SIGNDOC_ISSUER,
 * SIGNDOC_CLIENT_ID and so on. A secret may also stand in a file: SIGNDOC_CLIENT_SECRET_FILE
 * names it.
 *
 * SIGNDOC_E_INVALID_OPTION where such a file cannot be read or a variable is not UTF-8. No other
 * thread may change the environment meanwhile.
 */
int32_t signdoc_options_from_env(signdoc_options *options, signdoc_error **error);

/**
 * All options there are as a JSON array: objects with "key", "env" (the name of the environment
 * variable), "secret" (whether the value is never shown) and "help". `*out` is freed with
 * signdoc_buffer_free.
 */
int32_t signdoc_option_table_json(signdoc_buffer *out, signdoc_error **error);

/**
 * Frees options; clients made from them go on. NULL is fine.
 */
void signdoc_options_free(signdoc_options *options);

/**
 * The HTTP status; 0 for NULL.
 */
int32_t signdoc_answer_status(const signdoc_answer *answer);

/**
 * How many headers are known: those that may be shown, so no cookies and nothing secret. The
 * functions below take an `index` from 0 to one less.
 */
size_t signdoc_answer_header_count(const signdoc_answer *answer);

/**
 * The name of a header, in lower case; NULL where there is none at `index`.
 */
const char *signdoc_answer_header_name(const signdoc_answer *answer, size_t index);

/**
 * The value of a header; NULL where there is none at `index`.
 */
const char *signdoc_answer_header_value(const signdoc_answer *answer, size_t index);

/**
 * The text of an error answer, at most 64 KiB of it; NULL for answers that carry documents or
 * tokens.
 */
const char *signdoc_answer_body(const signdoc_answer *answer);

/**
 * All of it as a JSON object: "status", "headers" (an array of pairs) and "body". Never NULL;
 * empty for NULL.
 */
const char *signdoc_answer_json(const signdoc_answer *answer);

/**
 * Frees an answer with its texts. NULL is fine.
 */
void signdoc_answer_free(signdoc_answer *answer);

/**
 * A view of a call. NULL only where the library stopped a fault inside itself.
 */
signdoc_call *signdoc_call_new(void);

/**
 * Ends the call that was given this view: it returns SIGNDOC_E_CANCELLED within 100 milliseconds,
 * unless its result is there already. A call that starts later with this view ends at once. From
 * any thread, and from a signal handler. NULL is fine.
 *
 * A download whose request has left returns SIGNDOC_E_RECEPTION_CONTINUES instead: the results are
 * received all the same, see signdoc_order_download.
 */
void signdoc_call_cancel(signdoc_call *call);

/**
 * Sets what calls with this view may take, in milliseconds: `connect_ms` for a connection to be
 * made (SIGNDOC_E_CONNECT_TIMEOUT), `read_ms` of silence on one (SIGNDOC_E_READ_TIMEOUT). 0: the
 * client's own limit, connect_timeout or read_timeout, which is where it begins. A call under way
 * keeps the limits it began with. The time a call may take in all is its argument `timeout_ms`.
 */
int32_t signdoc_call_set_timeouts(const signdoc_call *call,
                                  uint64_t connect_ms,
                                  uint64_t read_ms,
                                  signdoc_error **error);

/**
 * How far the call is, in bytes of the request and answer bodies. `to_send` gets the size of the
 * request (0 until it starts), `sent` what the connection took so far (from 0 again where the
 * request is repeated), `received` what came back so far. Each of the three may be NULL.
 */
int32_t signdoc_call_progress(const signdoc_call *call,
                              uint64_t *to_send,
                              uint64_t *sent,
                              uint64_t *received,
                              signdoc_error **error);

/**
 * Has `function` told how far calls with this view are: about every 20 milliseconds while
 * something moves, and once at the end. NULL: nobody is told, which is where it begins.
 *
 * It is called by the thread that waits in the call, and by no other; `context` is handed to it.
 * It may use the library, signdoc_call_cancel included, but must neither jump out of the call nor
 * let an exception out. Once the result is there, its failure changes nothing any more.
 */
int32_t signdoc_call_set_progress(const signdoc_call *call,
                                  signdoc_progress_fn function,
                                  void *context,
                                  signdoc_error **error);

/**
 * Has `function` told what calls with this view do, from `least` (SIGNDOC_LOG_...) on. NULL:
 * nobody is told. The rules of signdoc_call_set_progress hold.
 *
 * The environment variable SIGNDOC_LOG ("debug", "info" or "warning") writes the same to standard
 * error, for all calls.
 *
 * SIGNDOC_E_INVALID_ARGUMENT where `least` is no level.
 */
int32_t signdoc_call_set_log(const signdoc_call *call,
                             int32_t least,
                             signdoc_log_fn function,
                             void *context,
                             signdoc_error **error);

/**
 * Has `function` told the states of the order that signdoc_order_wait waits for. NULL: nobody is
 * told. The rules of signdoc_call_set_progress hold.
 */
int32_t signdoc_call_set_state(const signdoc_call *call,
                               signdoc_state_fn function,
                               void *context,
                               signdoc_error **error);

/**
 * What marks the call in logs, the same text for all it did: that of the call under way, or of
 * the last one. Never NULL; empty before the first call. It lives until the next call with this
 * view begins.
 */
const char *signdoc_call_correlation_id(const signdoc_call *call);

/**
 * The last answer that the last call with this view got, as it came and also where the call went
 * well: for support. It may be that of a token or discovery request. `*out` gets NULL where no
 * answer came; else it is freed with signdoc_answer_free.
 */
int32_t signdoc_call_last_answer(const signdoc_call *call,
                                 signdoc_answer **out,
                                 signdoc_error **error);

/**
 * Frees a view of a call. NULL is fine.
 */
void signdoc_call_free(signdoc_call *call);

/**
 * A client with these options; later changes to them do not matter to it. Nothing is sent yet.
 *
 * SIGNDOC_E_MISSING_OPTION, SIGNDOC_E_INVALID_OPTION or SIGNDOC_E_INSECURE_URL, naming the option.
 */
int32_t signdoc_client_new(const signdoc_options *options,
                           signdoc_client **out,
                           signdoc_error **error);

/**
 * Moves the client's clock away from the system's, by so many milliseconds (negative: into the
 * past). Token expiry and validity windows follow it. For tests, and for hosts whose clock is
 * wrong.
 */
int32_t signdoc_client_set_clock_offset(const signdoc_client *client,
                                        int64_t offset_ms,
                                        signdoc_error **error);

/**
 * Refuses further calls: they fail with SIGNDOC_E_CLIENT_CLOSED. Calls under way end as they
 * would have. May be called more than once.
 */
int32_t signdoc_client_close(const signdoc_client *client, signdoc_error **error);

/**
 * Frees a client with its connections and tokens. No call may be under way. NULL is fine.
 */
void signdoc_client_free(signdoc_client *client);

/**
 * The defaults. NULL only where the library stopped a fault inside itself.
 */
signdoc_convert_options *signdoc_convert_options_new(void);

/**
 * Whether a document that was not converted makes the whole call fail. 1, the default: it does,
 * and signdoc_error_results has the results of all documents. 0: the call succeeds, and each
 * result tells how its document fared.
 */
int32_t signdoc_convert_options_set_strict(signdoc_convert_options *options,
                                           int32_t strict,
                                           signdoc_error **error);

/**
 * Whether files in the folder of the results may be replaced: 1, or 0, the default.
 */
int32_t signdoc_convert_options_set_overwrite(signdoc_convert_options *options,
                                              int32_t overwrite,
                                              signdoc_error **error);

/**
 * How many calls signdoc_convert_many has under way at the same time, 1 to 64; 4 by default.
 *
 * SIGNDOC_E_INVALID_ARGUMENT outside that range.
 */
int32_t signdoc_convert_options_set_concurrency(signdoc_convert_options *options,
                                                size_t calls,
                                                signdoc_error **error);

/**
 * A file in which signdoc_convert_many remembers what is done: where it finds a document there, it
 * gives the former result and sends nothing. Made when it is missing; needs a folder for the
 * results. NULL: nothing is remembered, the default.
 */
int32_t signdoc_convert_options_set_resume(signdoc_convert_options *options,
                                           const char *path,
                                           signdoc_error **error);

/**
 * Has results handed to `function`, instead of keeping them in memory; `context` is handed to it.
 * NULL: not so, which is where it begins. Results cannot go to a folder as well.
 *
 * It is called by the thread that makes the call, and by no other, and with documents alone that
 * arrived whole: until then they are in private temporary files. signdoc_convert calls it when the
 * answer is complete (or, for documents that had arrived whole, has failed); signdoc_convert_many
 * with each result as it comes, while the rest goes on. It may use the library, but must neither
 * jump out of the call nor let an exception out. Where it fails, nothing more is handed over, and
 * what is still under way ends.
 */
int32_t signdoc_convert_options_set_writer(signdoc_convert_options *options,
                                           signdoc_write_fn function,
                                           void *context,
                                           signdoc_error **error);

/**
 * Has `function` told each result of signdoc_convert_many as soon as it is there, in the order in
 * which they come; `context` is handed to it. NULL: not so, which is where it begins. The list
 * that the call gives in the end holds all results, but no bytes of those that were told.
 *
 * It is called by the thread that makes the call, and by no other, while the rest goes on. It may
 * use the library, but must neither jump out of the call nor let an exception out.
 */
int32_t signdoc_convert_options_set_result(signdoc_convert_options *options,
                                           signdoc_result_fn function,
                                           void *context,
                                           signdoc_error **error);

/**
 * Frees conversion options. NULL is fine.
 */
void signdoc_convert_options_free(signdoc_convert_options *options);

/**
 * Asks which conversions the service supports; "PDFA_2B" is the one its specification knows.
 * The list in `*out` is freed with signdoc_strings_free.
 *
 * `timeout_ms` is the time the call may take in all, 0 for the client's own limit; `call`, which
 * may be NULL, lets other threads end it, and has its limits on connecting and on silence, see
 * signdoc_call_set_timeouts. Errors of the network, the token and the service.
 */
int32_t signdoc_conversion_specs(const signdoc_client *client,
                                 uint64_t timeout_ms,
                                 const signdoc_call *call,
                                 signdoc_strings **out,
                                 signdoc_error **error);

/**
 * Converts 1 to 15 PDFs of at most 5,000,000 base64 characters (3,750,000 bytes) each to
 * PDF/A-2B. Documents are read while they are sent and results written while they arrive, so
 * memory does not grow with their size unless results are wanted in memory.
 *
 * `to_folder`: where results are written, each named after its document; the folder is made when
 * it is missing, a file appears complete or not at all, readable by its owner alone. NULL: results
 * stay in memory, see signdoc_results_data, or go where signdoc_convert_options_set_writer says. `options` may be NULL for the defaults. `timeout_ms`
 * is the time the call may take in all, 0 for the client's own limit; `call`, which may be NULL,
 * lets other threads watch and end it. The results in `*out` stand in the order of the documents
 * and are freed with signdoc_results_free.
 *
 * Errors before anything is sent: SIGNDOC_E_DOCUMENT_COUNT, SIGNDOC_E_DOCUMENT_TOO_LARGE,
 * SIGNDOC_E_NOT_A_PDF, SIGNDOC_E_DESTINATION_EXISTS and their like. When documents were not
 * converted: the one reason of all of them, such as SIGNDOC_E_CONVERSION_DOC_SIGNED, or
 * SIGNDOC_E_CONVERSION_FAILED where there are several. Errors of the network, the token and the
 * service. Whatever arrived whole is in signdoc_error_results, and its files stay.
 */
int32_t signdoc_convert(const signdoc_client *client,
                        const signdoc_documents *documents,
                        const char *to_folder,
                        const signdoc_convert_options *options,
                        uint64_t timeout_ms,
                        const signdoc_call *call,
                        signdoc_results **out,
                        signdoc_error **error);

/**
 * Converts any number of PDFs: in calls of up to 15, several at the same time, and once more for
 * documents whose call failed because of others in it. The arguments are those of signdoc_convert;
 * `timeout_ms` is the limit of each single call.
 *
 * No document's trouble hides the others: there is one result for each document, in order, with
 * its own reasons (signdoc_results_error_count) where the service refused it, or with
 * signdoc_results_failure where it could not be sent or its call failed. SIGNDOC_OK says that
 * there are results, whatever they are.
 *
 * Errors: SIGNDOC_E_CANCELLED, SIGNDOC_E_CALLBACK_FAILED where a function of the caller's failed
 * that is told of the call or takes results, and those of the folder and of the file set by
 * signdoc_convert_options_set_resume. Files that were complete before stay.
 */
int32_t signdoc_convert_many(const signdoc_client *client,
                             const signdoc_documents *documents,
                             const char *to_folder,
                             const signdoc_convert_options *options,
                             uint64_t timeout_ms,
                             const signdoc_call *call,
                             signdoc_results **out,
                             signdoc_error **error);

/**
 * A list without documents. NULL only where the library stopped a fault inside itself.
 */
signdoc_documents *signdoc_documents_new(void);

/**
 * Adds a PDF file. It is opened and checked when the call is made, and read while it is sent. A
 * result that goes to a folder is named after it.
 */
int32_t signdoc_documents_add_path(signdoc_documents *documents,
                                   const char *path,
                                   signdoc_error **error);

/**
 * Adds a PDF of `len` bytes in memory. The bytes are not copied: they must stay as they are until
 * the last call with these documents has returned. `name`, which may be NULL, is what a result
 * that goes to a folder is named after (without ending).
 */
int32_t signdoc_documents_add_bytes(signdoc_documents *documents,
                                    const void *data,
                                    size_t len,
                                    const char *name,
                                    signdoc_error **error);

/**
 * Adds a PDF that `function` reads; `context` is handed to it. `len` is how many bytes there are,
 * or below 0 where that is not known. `name`, which may be NULL, is what a result that goes to a
 * folder is named after (without ending).
 *
 * The function is called by the thread that makes the call with these documents, and by no other:
 * before anything of the document is sent, to its end, which makes a private temporary file of
 * it, because a request may have to be repeated. That takes none of the call's time limit. It may
 * use the library, but must neither jump out of the call nor let an exception out. A document is
 * read by one call; a later one refuses it with SIGNDOC_E_INVALID_ARGUMENT.
 *
 * The call fails with SIGNDOC_E_CALLBACK_FAILED where the function fails, with
 * SIGNDOC_E_DOCUMENT_UNREADABLE where it gives fewer bytes than `len` or more, and with
 * SIGNDOC_E_DOCUMENT_TOO_LARGE before it is called at all where `len` is beyond the limit.
 */
int32_t signdoc_documents_add_reader(signdoc_documents *documents,
                                     signdoc_read_fn function,
                                     void *context,
                                     int64_t len,
                                     const char *name,
                                     signdoc_error **error);

/**
 * How many documents there are; 0 for NULL.
 */
size_t signdoc_documents_count(const signdoc_documents *documents);

/**
 * Lets the service convert the document at `index` (from 0) also where it is already signed; the
 * conversion removes the signature. `allow` is 1 or 0; 0 is where it begins. Deprecated by the
 * interface specification.
 *
 * SIGNDOC_E_INVALID_ARGUMENT where there is no such document.
 */
int32_t signdoc_documents_set_allow_signed(signdoc_documents *documents,
                                           size_t index,
                                           int32_t allow,
                                           signdoc_error **error);

/**
 * Frees the list; the caller's bytes are left alone. NULL is fine.
 */
void signdoc_documents_free(signdoc_documents *documents);

/**
 * How many results there are; 0 for NULL. The functions below take an `index` from 0 to one less,
 * and give 0, NULL or an empty text where there is no such result.
 */
size_t signdoc_results_count(const signdoc_results *results);

/**
 * Which document of the call the result is about, from 0. It is `index` itself, but for an order
 * only some of whose documents were to be converted.
 */
size_t signdoc_results_document(const signdoc_results *results, size_t index);

/**
 * 1 where the service says that it converted the document, else 0.
 */
int32_t signdoc_results_converted(const signdoc_results *results, size_t index);

/**
 * 1 where the service refused the document or sent nothing for it, else 0.
 */
int32_t signdoc_results_failed(const signdoc_results *results, size_t index);

/**
 * 1 where an earlier signdoc_convert_many with the same signdoc_convert_options_set_resume
 * converted the document, so that it was not sent again, else 0.
 */
int32_t signdoc_results_resumed(const signdoc_results *results, size_t index);

/**
 * The service's identifier of the conversion; NULL where it gave none.
 */
const char *signdoc_results_conversion_id(const signdoc_results *results, size_t index);

/**
 * The service's description of the document; NULL where it gave none.
 */
const char *signdoc_results_description(const signdoc_results *results, size_t index);

/**
 * Where the converted document was written; NULL where it was not.
 */
const char *signdoc_results_path(const signdoc_results *results, size_t index);

/**
 * The size of the converted document in bytes, in memory or in its file; 0 where there is none.
 */
uint64_t signdoc_results_size(const signdoc_results *results, size_t index);

/**
 * The bytes of the converted document where the results are in memory, else an empty view.
 */
signdoc_view signdoc_results_data(const signdoc_results *results, size_t index);

/**
 * How many warnings the document has. The functions below take a `warning` from 0 to one less.
 */
size_t signdoc_results_warning_count(const signdoc_results *results, size_t index);

/**
 * The number of a warning, one of SIGNDOC_WARNING_...; 0 for one that the specification does not
 * have.
 */
int32_t signdoc_results_warning_code(const signdoc_results *results, size_t index, size_t warning);

/**
 * The name of a warning ("FONT_SUBST"), or the service's text where it has none. Never NULL.
 */
const char *signdoc_results_warning_name(const signdoc_results *results,
                                         size_t index,
                                         size_t warning);

/**
 * The service's text of a warning ("Font substituted"). Never NULL.
 */
const char *signdoc_results_warning_message(const signdoc_results *results,
                                            size_t index,
                                            size_t warning);

/**
 * How many reasons there are why the document could not be converted. The functions below take a
 * `reason` from 0 to one less.
 */
size_t signdoc_results_error_count(const signdoc_results *results, size_t index);

/**
 * The number of a reason, one of SIGNDOC_E_CONVERSION_...; 0 for one that the specification does
 * not have.
 */
int32_t signdoc_results_error_code(const signdoc_results *results, size_t index, size_t reason);

/**
 * The name of a reason ("DOC_SIGNED"), or the service's text where it has none. Never NULL.
 */
const char *signdoc_results_error_name(const signdoc_results *results, size_t index, size_t reason);

/**
 * The service's text of a reason ("Document contains signatures"). Never NULL.
 */
const char *signdoc_results_error_message(const signdoc_results *results,
                                          size_t index,
                                          size_t reason);

/**
 * Why the document could not be sent or its call failed, after signdoc_convert_many; NULL where
 * that is not so. The error belongs to the results and is freed with them; freeing it does nothing.
 */
const signdoc_error *signdoc_results_failure(const signdoc_results *results, size_t index);

/**
 * All results as a JSON array, document bytes left out. Never NULL; empty for NULL.
 */
const char *signdoc_results_json(const signdoc_results *results);

/**
 * Frees results with their texts and bytes; files stay. NULL is fine.
 */
void signdoc_results_free(signdoc_results *results);

/**
 * How many texts there are; 0 for NULL.
 */
size_t signdoc_strings_count(const signdoc_strings *strings);

/**
 * The text at `index`, from 0; it lives as long as the list. NULL where there is none.
 */
const char *signdoc_strings_get(const signdoc_strings *strings, size_t index);

/**
 * Frees a list of texts. NULL is fine.
 */
void signdoc_strings_free(signdoc_strings *strings);

/**
 * What the interface says of itself (CSC API v2, info), as JSON. `*out` is freed with
 * signdoc_buffer_free. `timeout_ms` and `call` are as in signdoc_convert.
 *
 * SIGNDOC_E_MISSING_OPTION without the option "csc_url"; errors of the network, the token and the
 * interface.
 */
int32_t signdoc_csc_info_json(const signdoc_client *client,
                              uint64_t timeout_ms,
                              const signdoc_call *call,
                              signdoc_buffer *out,
                              signdoc_error **error);

/**
 * The address to send the end user to; sends nothing. `*out` is freed with signdoc_login_free;
 * its signdoc_login_sign_id is empty.
 *
 * `redirect_uri`: where the user comes back to, as it is registered. `request`, which may be NULL:
 * "lang" and "description" of it are used.
 *
 * SIGNDOC_E_MISSING_OPTION without the option "csc_url"; SIGNDOC_E_INVALID_ARGUMENT for a redirect
 * address that cannot be one; SIGNDOC_E_MISSING_SECRET where there is nothing to seal with.
 */
int32_t signdoc_csc_begin(const signdoc_client *client,
                          const char *redirect_uri,
                          const signdoc_csc_request *request,
                          signdoc_login **out,
                          signdoc_error **error);

/**
 * Takes what came back on the redirect and exchanges its code for a session. `*out` is freed with
 * signdoc_csc_session_free.
 *
 * `token` is what signdoc_login_token gave; `callback` is the whole address of the callback, or
 * the form it posted. `timeout_ms` and `call` are as in signdoc_convert.
 *
 * SIGNDOC_E_LOGIN_TOKEN_INVALID, SIGNDOC_E_LOGIN_STATE_MISMATCH (ignore such a callback), the
 * errors of the redirect (SIGNDOC_E_AUTHORIZE_ACCESS_DENIED and the others) and of the token
 * endpoint (SIGNDOC_E_OAUTH_INVALID_GRANT for a callback that was used before).
 */
int32_t signdoc_csc_finish(const signdoc_client *client,
                           const char *token,
                           const char *callback,
                           uint64_t timeout_ms,
                           const signdoc_call *call,
                           signdoc_csc_session **out,
                           signdoc_error **error);

/**
 * The user's credentials as a JSON array (CSC API v2, credentials/list): asked for once, then
 * remembered. `*out` is freed with signdoc_buffer_free. `timeout_ms` and `call` are as in
 * signdoc_convert.
 *
 * SIGNDOC_E_CSC_CREDENTIAL_NOT_FOUND where there is none; the other codes of the interface.
 */
int32_t signdoc_csc_credentials_json(const signdoc_client *client,
                                     const signdoc_csc_session *session,
                                     uint64_t timeout_ms,
                                     const signdoc_call *call,
                                     signdoc_buffer *out,
                                     signdoc_error **error);

/**
 * One of the user's credentials as JSON, looked at anew, after the list and before anything is
 * signed. It stands outside of the once-only order, and is called by
 * itself only where the list gave no more than a name. `*out` is
 * freed with signdoc_buffer_free. `timeout_ms` and `call` are as in signdoc_convert.
 *
 * SIGNDOC_E_CSC_TOKEN_ALREADY_USED when it is not its turn; the codes of the interface.
 */
int32_t signdoc_csc_credential_info_json(const signdoc_client *client,
                                         const signdoc_csc_session *session,
                                         const char *credential_id,
                                         uint64_t timeout_ms,
                                         const signdoc_call *call,
                                         signdoc_buffer *out,
                                         signdoc_error **error);

/**
 * Signs digests: list, authorize, signHash, and the check of each signature. The values in `*out`,
 * one for each digest, are had with signdoc_csc_signed_data and freed with
 * signdoc_csc_signed_free. Values of ECDSA keys are as the service wrote them.
 *
 * `hashes`: `count` digests (1 to 50) of `hash_len` bytes each, one behind the other. `request`,
 * which may be NULL, tells how they were made and how they are signed. `timeout_ms` is the time
 * each step may take; `call` is as in signdoc_convert.
 *
 * Before anything is sent: SIGNDOC_E_CSC_INVALID_PARAMETERS, SIGNDOC_E_CSC_TOKEN_ALREADY_USED. The
 * codes of the interface; SIGNDOC_E_CSC_SIGNATURE_MISMATCH for a signature that is not the one
 * asked for; SIGNDOC_E_OUTCOME_UNKNOWN when the answer was lost.
 */
int32_t signdoc_csc_sign_hashes(const signdoc_client *client,
                                const signdoc_csc_session *session,
                                const uint8_t *hashes,
                                size_t count,
                                size_t hash_len,
                                const signdoc_csc_request *request,
                                uint64_t timeout_ms,
                                const signdoc_call *call,
                                signdoc_csc_signed **out,
                                signdoc_error **error);

/**
 * Signs 1 to 50 PDFs in one session. Documents and destinations are checked before the session's
 * token is used; each signature is verified before it is embedded; the bytes of a document stay an
 * untouched prefix of the signed one. `*out` is freed with signdoc_csc_signed_free.
 *
 * `session`: NULL only looks documents and destinations over, as should be done before a user is
 * sent to log in; `*out` is empty then. `to_folder`: where signed PDFs are written, each named
 * after its document, complete or not at all, readable by its owner alone; NULL: they stay in
 * memory. `request`, which may be NULL, tells how they are signed. `timeout_ms` is the time each
 * step may take; `call` is as in signdoc_convert.
 *
 * SIGNDOC_E_PDF_ENCRYPTED, SIGNDOC_E_PDF_NOT_SIGNABLE, SIGNDOC_E_SEAL_PAGE,
 * SIGNDOC_E_DESTINATION_EXISTS and their like before the token is used; those of
 * signdoc_csc_sign_hashes.
 */
int32_t signdoc_csc_sign_pdfs(const signdoc_client *client,
                              const signdoc_csc_session *session,
                              const signdoc_documents *documents,
                              const char *to_folder,
                              const signdoc_csc_request *request,
                              uint64_t timeout_ms,
                              const signdoc_call *call,
                              signdoc_csc_signed **out,
                              signdoc_error **error);

/**
 * How many there are; 0 for NULL. The functions below take an `index` from 0 to one less.
 */
size_t signdoc_csc_signed_count(const signdoc_csc_signed *signed_);

/**
 * The signature value, or the signed PDF where it is in memory; else an empty view.
 */
signdoc_view signdoc_csc_signed_data(const signdoc_csc_signed *signed_, size_t index);

/**
 * The file a signed PDF was written to; NULL where it is in memory.
 */
const char *signdoc_csc_signed_path(const signdoc_csc_signed *signed_, size_t index);

/**
 * The PAdES baseline level a PDF has reached: "B-B", "B-T" (with the option "tsa_url") or "B-LT"
 * (and revocation answers); NULL for signature values.
 */
const char *signdoc_csc_signed_level(const signdoc_csc_signed *signed_, size_t index);

/**
 * All about the signed PDFs as a JSON array: "index", "path", "size", "field_name", "level",
 * "notes". Never NULL; empty for NULL.
 */
const char *signdoc_csc_signed_json(const signdoc_csc_signed *signed_);

/**
 * Frees a session; its token is forgotten. NULL is fine.
 */
void signdoc_csc_session_free(signdoc_csc_session *session);

/**
 * Frees what was signed with its texts; files stay. NULL is fine.
 */
void signdoc_csc_signed_free(signdoc_csc_signed *signed_);

/**
 * A request of which nothing is set: SHA-256, the user's first credential, invisible signatures.
 * NULL only where the library stopped a fault inside itself.
 */
signdoc_csc_request *signdoc_csc_request_new(void);

/**
 * Sets one property.
 *
 * "lang": language of the login pages, "nb", "nn" or "en". "description": what the user is asked
 * to agree to, at most 500 characters. "hash_algorithm": "sha256", "sha384" or "sha512".
 * "credential_id": which credential. "padding": how an RSA key signs, "pkcs1" or "pss". For PDFs:
 * "overwrite" ("true" or "false": whether existing files are replaced), "field_name" (an empty
 * signature field to fill), "reason", "location", "contact_info", "name" (the signer's; the
 * certificate's where it is not set).
 *
 * SIGNDOC_E_INVALID_ARGUMENT for another key, and for a value that is none;
 * SIGNDOC_E_CSC_INVALID_HASH_ALGORITHM for another hash function.
 */
int32_t signdoc_csc_request_set(signdoc_csc_request *request,
                                const char *property,
                                const char *value,
                                signdoc_error **error);

/**
 * Gives the PDFs a visible seal: `x` points from the left edge of the page as it is shown, `y`
 * points from its upper edge down, on `page` from 1, `width` by `height` points large; 0 for both
 * takes 180 by 48. It shows the signer's name, the reason and the time.
 */
int32_t signdoc_csc_request_set_seal(signdoc_csc_request *request,
                                     double x,
                                     double y,
                                     uint32_t page,
                                     double width,
                                     double height,
                                     signdoc_error **error);

/**
 * Frees a request; what was begun with it goes on. NULL is fine.
 */
void signdoc_csc_request_free(signdoc_csc_request *request);

/**
 * How many documents there are; 0 for NULL. The functions below take an `index` from 0 to one
 * less.
 */
size_t signdoc_download_count(const signdoc_download *download);

/**
 * The service's reference of the order. Never NULL; empty for NULL.
 */
const char *signdoc_download_sign_id(const signdoc_download *download);

/**
 * The client the order belongs to (SEID-SDO); NULL where the service did not say.
 */
const char *signdoc_download_client_id(const signdoc_download *download);

/**
 * The order's name; NULL where the service did not say.
 */
const char *signdoc_download_order_name(const signdoc_download *download);

/**
 * The order's state when it was downloaded; NULL where the service did not say.
 */
const char *signdoc_download_order_state(const signdoc_download *download);

/**
 * The bytes of a part (SIGNDOC_PART_...) where the results are in memory, else an empty view.
 */
signdoc_view signdoc_download_data(const signdoc_download *download, size_t index, int32_t part);

/**
 * Where a part (SIGNDOC_PART_...) was written; NULL where it was not.
 */
const char *signdoc_download_path(const signdoc_download *download, size_t index, int32_t part);

/**
 * The service's description of the document (PAdES); NULL where it gave none.
 */
const char *signdoc_download_description(const signdoc_download *download, size_t index);

/**
 * The SHA-256 that the service states of the signed PDF, in base64; NULL where it states none.
 * The library has compared it.
 */
const char *signdoc_download_signed_sha256(const signdoc_download *download, size_t index);

/**
 * The SHA-256 that the service states of what was signed, in base64; NULL where it states none.
 * The library has compared it where it knows what was sent.
 */
const char *signdoc_download_unsigned_sha256(const signdoc_download *download, size_t index);

/**
 * All of it as a JSON object, bytes left out. Never NULL; empty for NULL.
 */
const char *signdoc_download_json(const signdoc_download *download);

/**
 * Frees a download with its texts and bytes; files stay. NULL is fine.
 */
void signdoc_download_free(signdoc_download *download);

/**
 * The address to send the end user to, who signs the order there. `*out` is freed with
 * signdoc_login_free.
 *
 * `redirect_uri`: where the user comes back to, as it is registered with the provider. The next
 * three may be NULL: `ui_locales`, languages of the provider's pages ("nb en"); `scopes`, more of
 * them for more claims, with blanks between ("profile"); `response_mode`, "query" (the provider's
 * default), "form_post" or "fragment". `timeout_ms` and `call` are as in signdoc_convert.
 *
 * SIGNDOC_E_WINDOW_EXPIRED where `order` is the created one and 90 seconds have passed;
 * SIGNDOC_E_INVALID_ARGUMENT for a redirect address that cannot be one; SIGNDOC_E_MISSING_SECRET
 * where there is nothing to seal with; errors of discovery.
 */
int32_t signdoc_login_begin(const signdoc_client *client,
                            const signdoc_order *order,
                            const char *redirect_uri,
                            const char *ui_locales,
                            const char *scopes,
                            const char *response_mode,
                            uint64_t timeout_ms,
                            const signdoc_call *call,
                            signdoc_login **out,
                            signdoc_error **error);

/**
 * The address to send the end user to. Never NULL; empty for NULL.
 */
const char *signdoc_login_url(const signdoc_login *login);

/**
 * The order it is for. Never NULL; empty for NULL.
 */
const char *signdoc_login_sign_id(const signdoc_login *login);

/**
 * The login as a sealed text for signdoc_login_finish, also in another process, host or language:
 * safe in JSON, in a session, in a cookie. Never NULL; empty for NULL.
 */
const char *signdoc_login_token(const signdoc_login *login);

/**
 * Takes what came back on the redirect, exchanges its code and verifies the ID token. `*out` is
 * freed with signdoc_identity_free.
 *
 * `token` is what signdoc_login_token gave; `callback` is the whole address of the callback, or
 * the form it posted (application/x-www-form-urlencoded). `timeout_ms` and `call` are as in
 * signdoc_convert.
 *
 * SIGNDOC_E_LOGIN_TOKEN_INVALID, SIGNDOC_E_LOGIN_STATE_MISMATCH (ignore such a callback), the
 * provider's own errors (SIGNDOC_E_AUTHORIZE_ACCESS_DENIED and the others,
 * SIGNDOC_E_OAUTH_INVALID_GRANT for a callback that was used before), and those of the ID token
 * (SIGNDOC_E_ID_TOKEN_...). Once `token` is opened, the details of every error have "sign_id":
 * what the user signed can still be downloaded.
 */
int32_t signdoc_login_finish(const signdoc_client *client,
                             const char *token,
                             const char *callback,
                             uint64_t timeout_ms,
                             const signdoc_call *call,
                             signdoc_identity **out,
                             signdoc_error **error);

/**
 * The order that was signed. Never NULL; empty for NULL.
 */
const char *signdoc_identity_sign_id(const signdoc_identity *identity);

/**
 * The user at the provider ("sub"). Never NULL; empty for NULL.
 */
const char *signdoc_identity_subject(const signdoc_identity *identity);

/**
 * All claims of the verified ID token as a JSON object: personal data. Never NULL; empty for NULL.
 */
const char *signdoc_identity_claims_json(const signdoc_identity *identity);

/**
 * Frees a login; it can still be finished with its token. NULL is fine.
 */
void signdoc_login_free(signdoc_login *login);

/**
 * Frees an identity with its texts. NULL is fine.
 */
void signdoc_identity_free(signdoc_identity *identity);

/**
 * Creates a sign order with these documents. `kind` is SIGNDOC_ORDER_PADES (PDFs) or
 * SIGNDOC_ORDER_SDO (PDFs, texts, or XML). The order in `*out` is freed with signdoc_order_free.
 *
 * The end user must come to sign within 90 seconds: see signdoc_login_begin. Documents are read
 * while they are sent, those of functions before; the interface has no limit of their size, but
 * advises at most 35,000,000 bytes in all. The request is repeated only when it cannot have
 * reached the service. `timeout_ms` and `call` are as in signdoc_convert.
 *
 * What exists is given: an order whose documents were not converted, as in the testing environment,
 * has its reasons in signdoc_order_conversions. Where the request is "strict" the function fails
 * with that reason instead, and the order is in signdoc_error_order.
 *
 * Errors before anything is sent: SIGNDOC_E_INVALID_ARGUMENT, SIGNDOC_E_CONTENT_KIND,
 * SIGNDOC_E_SEAL_PAGE and those of documents. Where conversion was asked for and failed, so that
 * the service made no order: its reason, with signdoc_error_results. SIGNDOC_E_ORDER_REJECTED;
 * errors of the network, the token and the service. "order_may_exist" in
 * signdoc_error_details_json says that the answer was lost and the order may exist.
 */
int32_t signdoc_order_create(const signdoc_client *client,
                             int32_t order_kind,
                             const signdoc_order_request *request,
                             const signdoc_documents *documents,
                             uint64_t timeout_ms,
                             const signdoc_call *call,
                             signdoc_order **out,
                             signdoc_error **error);

/**
 * An order of which only the reference is known, such as the one a login was finished for.
 * `*out` is freed with signdoc_order_free. Nothing is sent.
 */
int32_t signdoc_order_of(int32_t order_kind,
                         const char *sign_id,
                         signdoc_order **out,
                         signdoc_error **error);

/**
 * An order that another process has created, from what signdoc_order_json gave there: its windows,
 * names and digests are known here as well. `*out` is freed with signdoc_order_free.
 *
 * SIGNDOC_E_INVALID_ARGUMENT where `saved` is something else.
 */
int32_t signdoc_order_from_json(const signdoc_client *client,
                                const char *saved,
                                signdoc_order **out,
                                signdoc_error **error);

/**
 * The service's reference of the order. Never NULL; empty for NULL.
 */
const char *signdoc_order_sign_id(const signdoc_order *order);

/**
 * SIGNDOC_ORDER_PADES or SIGNDOC_ORDER_SDO; 0 for NULL.
 */
int32_t signdoc_order_kind(const signdoc_order *order);

/**
 * How long the order still lives, in milliseconds, as far as it is known here: 90 seconds until
 * signing starts; the signing time once this library has seen that it started; 90 seconds once
 * it has seen the order completed. 0 when that has passed, -1 where only the reference is known.
 */
int64_t signdoc_order_expires_in_ms(const signdoc_order *order);

/**
 * What conversion gave, for the documents it was asked for; NULL where it was asked for none. The
 * results belong to the order; freeing them does nothing.
 */
const signdoc_results *signdoc_order_conversions(const signdoc_order *order);

/**
 * The order as a JSON object for signdoc_order_from_json, without bytes of documents. Never NULL;
 * empty for NULL and where only the reference is known.
 */
const char *signdoc_order_json(const signdoc_order *order);

/**
 * Asks for the order's state. `*state` gets its text ("SIGN_COMPLETED"), to be freed with
 * signdoc_buffer_free; states that the specification does not have come as they are. `is_final`,
 * which may be NULL, gets 1 where the order changes no more by itself, else 0.
 *
 * SIGNDOC_E_ORDER_NOT_FOUND, SIGNDOC_E_WINDOW_EXPIRED; errors of the network, the token and the
 * service.
 */
int32_t signdoc_order_state(const signdoc_client *client,
                            const signdoc_order *order,
                            uint64_t timeout_ms,
                            const signdoc_call *call,
                            signdoc_buffer *state,
                            int32_t *is_final,
                            signdoc_error **error);

/**
 * Asks for the order's state again and again until it is final, or one of `until` (texts with
 * commas between; NULL: any final one). Each new state is told to the function of
 * signdoc_call_set_state. `timeout_ms` 0: the order's whole life. The other arguments are those of
 * signdoc_order_state.
 *
 * SIGNDOC_E_TOTAL_TIMEOUT when the time is over; errors as signdoc_order_state.
 */
int32_t signdoc_order_wait(const signdoc_client *client,
                           const signdoc_order *order,
                           const char *until,
                           uint64_t timeout_ms,
                           const signdoc_call *call,
                           signdoc_buffer *state,
                           int32_t *is_final,
                           signdoc_error **error);

/**
 * Downloads the results of a completed order, which deletes the order at the service: what comes
 * is the only copy. `*out` is freed with signdoc_download_free.
 *
 * `to_folder`: where files are written. In a folder nothing that arrived is lost, not by a crash
 * either: see signdoc_recover. NULL: results stay in memory, which cannot promise that.
 * `originals`, which may be NULL: the documents that were sent, in their order, to compare digests
 * and name results after; not needed where `order` is the created one. `flags`:
 * SIGNDOC_DOWNLOAD_FORCE and SIGNDOC_DOWNLOAD_OVERWRITE, or 0.
 *
 * `timeout_ms` and `call` end the waiting, never the reception: once the request has left, the
 * library goes on receiving on its own threads until the answer is whole or silent for
 * `reception_timeout`, and the function fails with SIGNDOC_E_RECEPTION_CONTINUES, whose message
 * says where the results come. A program that ends then calls signdoc_downloads_finish first.
 *
 * The order is not touched: SIGNDOC_E_ORDER_NOT_READY, SIGNDOC_E_ORDER_FAILED,
 * SIGNDOC_E_ORDER_CANCELLED, SIGNDOC_E_ORDER_NOT_FOUND, SIGNDOC_E_DESTINATION_EXISTS.
 * SIGNDOC_E_OUTCOME_UNKNOWN when the answer was lost; SIGNDOC_E_DOWNLOAD_INCOMPLETE where a result
 * that was asked for did not come, SIGNDOC_E_DIGEST_MISMATCH and others, with what arrived in
 * signdoc_error_download, and the answer itself in the folder or in signdoc_error_raw_answer.
 */
int32_t signdoc_order_download(const signdoc_client *client,
                               const signdoc_order *order,
                               const char *to_folder,
                               const signdoc_documents *originals,
                               uint32_t flags,
                               uint64_t timeout_ms,
                               const signdoc_call *call,
                               signdoc_download **out,
                               signdoc_error **error);

/**
 * Ends an order on purpose, whatever its state: it is deleted at the service, and what was signed
 * with it. `last`, which may be NULL, gets what the service answered, in memory: the order's state,
 * and results where there were some; it is freed with signdoc_download_free. Errors as
 * signdoc_order_state, and SIGNDOC_E_OUTCOME_UNKNOWN when the answer was lost.
 */
int32_t signdoc_order_discard(const signdoc_client *client,
                              const signdoc_order *order,
                              uint64_t timeout_ms,
                              const signdoc_call *call,
                              signdoc_download **last,
                              signdoc_error **error);

/**
 * How many downloads of this process are being received, whether somebody waits for them or not.
 */
size_t signdoc_downloads_receiving(void);

/**
 * Waits until all downloads of this process have been received, at most `timeout_ms` (0: until
 * they end by themselves), and tells how many have not. For a program that is about to end after
 * SIGNDOC_E_RECEPTION_CONTINUES: the service has deleted those orders.
 */
size_t signdoc_downloads_finish(uint64_t timeout_ms);

/**
 * Lists and finishes the downloads into `folder` that a crash or a lost answer interrupted, of
 * both kinds: every document that had arrived whole is in the folder afterwards. Downloads that
 * are under way are left alone, and calling it again is safe.
 *
 * With a `client`, the service is asked for the state of orders that are not complete here; with
 * NULL it works without the service. `*out` gets a JSON array, to be freed with
 * signdoc_buffer_free: objects with "outcome" ("complete", "partial", "nothing_arrived",
 * "not_sent", "in_progress" or "unreadable"), "kind", "sign_id", "download", "problem",
 * "order_state" ("gone" where the service does not know the order), "ask_again", "journal" and
 * "raw_answer".
 *
 * SIGNDOC_E_JOURNAL_FAILED where the folder cannot be read.
 */
int32_t signdoc_recover(const signdoc_client *client,
                        const char *folder,
                        uint64_t timeout_ms,
                        const signdoc_call *call,
                        signdoc_buffer *out,
                        signdoc_error **error);

/**
 * Frees what is known of an order. NULL is fine.
 */
void signdoc_order_free(signdoc_order *order);

/**
 * Adds a text to be signed, for orders of signed data objects; an empty text is one, too. The
 * service's documentation says that its ISO-8859-1 bytes are signed: a text with other characters
 * is sent with a warning in the log (SIGNDOC_E_UNENCODABLE_TEXT), and the service may refuse it.
 * NULL adds a document whose content signdoc_documents_set gives.
 */
int32_t signdoc_documents_add_text(signdoc_documents *documents,
                                   const char *text,
                                   signdoc_error **error);

/**
 * Adds an XML document to be signed with the stylesheet that shows it, for orders of signed data
 * objects.
 */
int32_t signdoc_documents_add_xml(signdoc_documents *documents,
                                  const char *xml,
                                  const char *xls,
                                  signdoc_error **error);

/**
 * Sets a property of the document at `index` (from 0). For conversions: "pdf_spec", what to convert
 * to ("PDFA_2B" where it begins, and the only one that the specification has); all others are for
 * orders.
 *
 * "description". For PAdES: "pdf_spec" ("PDFA_2B": the service converts the document first),
 * "end_user_only" ("true" or "false": whether the end user signs alone). For signed data objects:
 * "text", or "xml" and "xls"; exactly one kind of content must be there when the order is created.
 * An order refuses what its kind does not have.
 *
 * SIGNDOC_E_INVALID_ARGUMENT for another key, for a value that is none, and where there is no such
 * document.
 */
int32_t signdoc_documents_set(signdoc_documents *documents,
                              size_t index,
                              const char *property,
                              const char *value,
                              signdoc_error **error);

/**
 * Sets where a visual seal of the document at `index` (from 0) stands, for PAdES orders. `whose`
 * is SIGNDOC_SEAL_MERCHANT or SIGNDOC_SEAL_END_USER; `x` and `y` are in points, `page` from 1.
 *
 * SIGNDOC_E_INVALID_ARGUMENT for another `whose`, and where there is no such document.
 */
int32_t signdoc_documents_set_seal(signdoc_documents *documents,
                                   size_t index,
                                   int32_t whose,
                                   double x,
                                   double y,
                                   int64_t page,
                                   signdoc_error **error);

/**
 * Properties of which none is set. NULL only where the library stopped a fault inside itself.
 */
signdoc_order_request *signdoc_order_request_new(void);

/**
 * Sets one property; what is not set is not sent, and the service's own default holds.
 *
 * "name": the order's name, which is needed. "display_mode": "interior", "window" or "overlay".
 * "show_confirmation", "show_understanding": "true" or "false". "timeout_seconds": how long the
 * user may take to sign, above 0; the service's default is 1800. "visual_seals" (PAdES): whether
 * seals are drawn, "false" where it begins. "strict" (PAdES): whether a document that was not
 * converted makes signdoc_order_create fail although the order exists, "false" where it begins.
 * "results": what is handed out, with commas between: "padesSignedPdf", "padesAppendix",
 * "documentHash" for PAdES, "sdo", "basicSignature", "documentHash" for SEID-SDO;
 * "padesSignedPdf,documentHash" and "sdo,documentHash" where it begins. An order of the other kind
 * refuses what only PAdES has.
 *
 * SIGNDOC_E_INVALID_ARGUMENT for another key, and for a value that is none.
 */
int32_t signdoc_order_request_set(signdoc_order_request *request,
                                  const char *property,
                                  const char *value,
                                  signdoc_error **error);

/**
 * Frees properties; orders made from them go on. NULL is fine.
 */
void signdoc_order_request_free(signdoc_order_request *request);

/**
 * Options of a bundle without files. NULL only where the library stopped a fault inside itself.
 */
signdoc_bundle_options *signdoc_bundle_options_new(void);

/**
 * Sets an option from a text:
 *
 * "signed": the path of the signed PDF or SEID-SDO file, which must be set. "original": that of
 * what was sent. "evidence": of certificates, an OCSP answer or a list of revoked certificates.
 * "trust", "timestamp_trust": of certificates (PEM or DER) at which chains may end, for the report.
 * "order": what the service said of the order, a JSON object; its "signed_sha256" and
 * "unsigned_sha256" are compared with the documents, and "converted" says that the service
 * converted the original first. "identity": the claims of the ID token, a JSON object, compared
 * with the signer. "with_numbers": "true" keeps numbers of persons, among the claims and in the
 * report. "overwrite": "true" replaces an existing file. "tsa_url": the timestamp authority
 * (RFC 3161); without it the bundle has no timestamp. "timeout", "connect_timeout",
 * "read_timeout", "max_retries", "ca_file", "ca_only", "client_cert", "proxy", "no_proxy",
 * "user_agent": how it is reached, as signdoc_options_set has them. Any other key of
 * signdoc_verify_options_set: what is asked of the verification.
 *
 * "evidence", "trust" and "timestamp_trust" add to what was set before.
 * SIGNDOC_E_INVALID_OPTION for another key, and for a value that it cannot have. Files are opened
 * by signdoc_bundle.
 */
int32_t signdoc_bundle_options_set(signdoc_bundle_options *options,
                                   const char *key,
                                   const char *value,
                                   signdoc_error **error);

/**
 * Gives a file from memory: `key` is "signed", "original", "evidence", "trust" or
 * "timestamp_trust". The `len` bytes are not copied: they must stay as they are until the last
 * signdoc_bundle with these options has returned.
 */
int32_t signdoc_bundle_options_set_bytes(signdoc_bundle_options *options,
                                         const char *key,
                                         const void *data,
                                         size_t len,
                                         signdoc_error **error);

/**
 * Frees options; the caller's bytes are left alone. NULL is fine.
 */
void signdoc_bundle_options_free(signdoc_bundle_options *options);

/**
 * Writes an evidence bundle, one file (ASiC-E, ETSI EN 319 162-1) that signdoc_verify checks in
 * one call, to the file `to`, which appears complete or not at all. It asks the authority of
 * "tsa_url" and nobody else, and waits for it.
 *
 * `*report` is what signdoc_verify says of the bundle, which is made whatever that is; freed with
 * signdoc_report_free. `report` may be NULL. SIGNDOC_E_INVALID_ARGUMENT for an order or identity
 * that is no JSON object, evidence that is none, and a signed document that is a bundle already;
 * SIGNDOC_E_DESTINATION_EXISTS; SIGNDOC_E_DOCUMENT_NOT_FOUND and others for files that cannot be
 * read; SIGNDOC_E_TRUST_UNUSABLE; errors of the network.
 */
int32_t signdoc_bundle(const signdoc_bundle_options *options,
                       const char *to,
                       signdoc_report **report,
                       signdoc_error **error);

/**
 * Options for B-LTA that trust nobody and fetch what is needed. NULL only where the library
 * stopped a fault inside itself.
 */
signdoc_extend_options *signdoc_extend_options_new(void);

/**
 * Sets an option from a text:
 *
 * "level": "B-LTA" (default), or "B-LT", which adds a timestamp only where a signature has none.
 * "trust", "timestamp_trust": the path of certificates (PEM or DER) at which chains may end;
 * without any, chains are taken to end where they lead, which a note says. "certificates": the
 * path of certificates that may stand in chains. "revocations": the path of an OCSP answer (DER)
 * or of revocation lists (DER or PEM), asked before anybody else. "fetch": "false" fetches nothing
 * by the addresses in certificates. "overwrite": "true" replaces a file that exists. "at": the
 * time of the extension in seconds since 1970.
 *
 * The files add to what was set before, and are opened by signdoc_extend.
 * SIGNDOC_E_INVALID_OPTION for another key, and for a value that it cannot have.
 */
int32_t signdoc_extend_options_set(signdoc_extend_options *options,
                                   const char *key,
                                   const char *value,
                                   signdoc_error **error);

/**
 * Gives a file from memory: `key` is "trust", "timestamp_trust", "certificates" or "revocations".
 * The `len` bytes are not copied: they must stay as they are until the last signdoc_extend with
 * these options has returned.
 */
int32_t signdoc_extend_options_set_bytes(signdoc_extend_options *options,
                                         const char *key,
                                         const void *data,
                                         size_t len,
                                         signdoc_error **error);

/**
 * Frees options; the caller's bytes are left alone. NULL is fine.
 */
void signdoc_extend_options_free(signdoc_extend_options *options);

/**
 * Adds to a signed PDF, which `documents` must hold alone, what its validation needs when its
 * certificates have ended: certificates, OCSP answers and revocation lists, and for B-LTA a
 * document timestamp. A file that has all that is renewed. The bytes of the file stay an untouched
 * prefix; it is verified first, and what is made of it before it is handed out. No account with
 * the service is needed.
 *
 * `network`: options of which "tsa_url", the address of a timestamp authority (RFC 3161), and
 * those about connections count; NULL for none. `options` may be NULL. `to_file`: the file to
 * write, complete or not at all, readable by its owner alone; NULL: the result stays in memory.
 * `timeout_ms` and `call` are as in signdoc_convert. `*out` is freed with signdoc_extended_free.
 *
 * SIGNDOC_E_MISSING_OPTION without "tsa_url" where a timestamp is needed; SIGNDOC_E_CONTENT_KIND
 * for signed data objects; SIGNDOC_E_SIGNATURE_MISSING and the other codes of verification for a
 * file that does not verify; SIGNDOC_E_DESTINATION_EXISTS and its like; those of the network for
 * the timestamp authority. What else cannot be had is told in signdoc_extended_json.
 */
int32_t signdoc_extend(const signdoc_documents *documents,
                       const signdoc_options *network,
                       const signdoc_extend_options *options,
                       const char *to_file,
                       uint64_t timeout_ms,
                       const signdoc_call *call,
                       signdoc_extended **out,
                       signdoc_error **error);

/**
 * The extended PDF where it is in memory; else an empty view.
 */
signdoc_view signdoc_extended_data(const signdoc_extended *extended);

/**
 * The file it was written to; NULL where it is in memory.
 */
const char *signdoc_extended_path(const signdoc_extended *extended);

/**
 * The PAdES baseline level that all signatures reach, such as "B-LTA"; NULL where one reaches
 * none.
 */
const char *signdoc_extended_level(const signdoc_extended *extended);

/**
 * 1 where that is at least the level that was asked for; else 0, for NULL as well.
 */
int32_t signdoc_extended_reached(const signdoc_extended *extended);

/**
 * All about it as a JSON object: "reached", "level", "asked", "size", "path", "signatures" (each
 * with "field", "before" and "level"), "added" ("kind", "about", "source", "size", "time"),
 * "notes" about what could not be had ("about", "message", "advice"), and "report", what the
 * verification of the extended file found. Never NULL; empty for NULL.
 */
const char *signdoc_extended_json(const signdoc_extended *extended);

/**
 * Frees an extended PDF with its bytes and texts; a file stays. NULL is fine.
 */
void signdoc_extended_free(signdoc_extended *extended);

/**
 * Looks the document over, one that the list must hold alone: what the service will refuse, and
 * what its conversion will warn about. Asks nobody, and waits for nobody.
 *
 * What the document contains is a finding, never an error; SIGNDOC_E_DOCUMENT_NOT_FOUND and others
 * where it cannot be read. `*findings` is freed with signdoc_findings_free.
 */
int32_t signdoc_preflight(const signdoc_documents *documents,
                          signdoc_findings **findings,
                          signdoc_error **error);

/**
 * How many findings there are; 0 for NULL. The functions below take an `index` from 0 to one less,
 * and give NULL where there is no such finding.
 */
size_t signdoc_findings_count(const signdoc_findings *findings);

/**
 * 1 where the service will refuse the document, else 0.
 */
int32_t signdoc_findings_refused(const signdoc_findings *findings);

/**
 * The service's own code where it has one ("DOC_SIGNED"), else one of the same kind ("XFA").
 */
const char *signdoc_findings_code(const signdoc_findings *findings, size_t index);

/**
 * "error" (the service will refuse the document), "warning" or "info".
 */
const char *signdoc_findings_severity(const signdoc_findings *findings, size_t index);

/**
 * What was found and where.
 */
const char *signdoc_findings_message(const signdoc_findings *findings, size_t index);

/**
 * What can be done about it.
 */
const char *signdoc_findings_remedy(const signdoc_findings *findings, size_t index);

/**
 * All findings as a JSON array. Never NULL; empty for NULL.
 */
const char *signdoc_findings_json(const signdoc_findings *findings);

/**
 * Frees findings with their texts. NULL is fine.
 */
void signdoc_findings_free(signdoc_findings *findings);

/**
 * 1 where everything that counts was looked at and holds: integrity, signature and chain of every
 * signature, no change but those that signing needs, and whatever was asked for. Else 0, for NULL
 * as well.
 */
int32_t signdoc_report_ok(const signdoc_report *report);

/**
 * How many checks there are; 0 for NULL. The functions below take an `index` from 0 to one less.
 */
size_t signdoc_report_check_count(const signdoc_report *report);

/**
 * The stable name of a check: "integrity", "chain", "original" and so on. NULL where there is no
 * such check.
 */
const char *signdoc_report_check_name(const signdoc_report *report, size_t index);

/**
 * How a check ended: "passed", "failed" or "not_checked". NULL where there is no such check.
 */
const char *signdoc_report_check_status(const signdoc_report *report, size_t index);

/**
 * What was found, or why it was not looked at, for a person. NULL where there is no such check.
 */
const char *signdoc_report_check_detail(const signdoc_report *report, size_t index);

/**
 * How the check of this name ended; "not_checked" where there is none, because what was not asked
 * was not looked at. Never NULL; empty for wrong arguments.
 */
const char *signdoc_report_status(const signdoc_report *report, const char *name);

/**
 * How many signatures and document timestamps a file holds; 0 for several files, whose report has
 * them in its JSON.
 */
size_t signdoc_report_signature_count(const signdoc_report *report);

/**
 * The name of who signed, as the certificate says; whether it is trusted, the checks tell. NULL
 * where there is no name.
 */
const char *signdoc_report_signature_signer(const signdoc_report *report, size_t index);

/**
 * The PAdES level a signature reaches, "B-B" to "B-LTA"; NULL where it reaches none.
 */
const char *signdoc_report_signature_level(const signdoc_report *report, size_t index);

/**
 * What matters most of what is wrong, as an error with one of SIGNDOC_E_... from 800 on; NULL
 * where the report is good. It belongs to the report and is freed with it; freeing it does
 * nothing.
 */
const signdoc_error *signdoc_report_problem(const signdoc_report *report);

/**
 * The whole report as a JSON object. Never NULL; empty for NULL.
 */
const char *signdoc_report_json(const signdoc_report *report);

/**
 * The report as a page for people, UTF-8: one HTML file without scripts, which loads nothing. It
 * has the verdict in a sentence, the checks with what to do, what happened when and what proves
 * it, and outlines of the pages with seals and changes where they lie. Names of people stand in
 * it, their numbers do not; the same report gives the same bytes. `title` is what the page is
 * called, for instance the name of the file; it may be NULL. `*html` is freed with
 * signdoc_buffer_free.
 */
int32_t signdoc_report_html(const signdoc_report *report,
                            const char *title,
                            signdoc_buffer *html,
                            signdoc_error **error);

/**
 * Frees a report with its texts. NULL is fine.
 */
void signdoc_report_free(signdoc_report *report);

/**
 * Options that trust nobody and compare with nothing: nothing verifies with them. NULL only where
 * the library stopped a fault inside itself.
 */
signdoc_verify_options *signdoc_verify_options_new(void);

/**
 * Sets an option from a text:
 *
 * "original": the path of the file that was sent. "trust", "timestamp_trust": the path of
 * certificates (PEM or DER) at which chains may end; without the second, timestamps use the first.
 * "signer": a name or a serial number, or with "name=", "serial=" or "certificate=" before it.
 * "claim": a claim of the login's token, "given_name=Kari". "require": checks that must pass, too,
 * separated by commas: timestamp, revocation, seals, content_commitment, container_timestamp (of an
 * evidence bundle), level, B-B, B-T, B-LT, B-LTA. "seal": where a visible seal was asked for, "x,y,page" in points, or "none".
 * "extended_key_usage": purposes that a signer's certificate may have instead of the usual ones,
 * separated by commas: absent, names such as documentSigning, identifiers. "strict": "true"
 * refuses deviations from the standards that are accepted otherwise. "signed_sha256",
 * "unsigned_sha256": digests that the service reported. "converted": "true" where the service
 * converted the document first. "form_filling": "empty_fields" or "forbidden". "at": the time of
 * the verification in seconds since 1970. "max_seal_width", "max_seal_height", "seal_tolerance".
 *
 * "trust", "timestamp_trust", "signer", "claim", "require", "seal" and "extended_key_usage" add to
 * what was set before. SIGNDOC_E_INVALID_OPTION for another key, and for a value that it cannot
 * have. Files are opened by signdoc_verify.
 */
int32_t signdoc_verify_options_set(signdoc_verify_options *options,
                                   const char *key,
                                   const char *value,
                                   signdoc_error **error);

/**
 * Gives a file from memory: `key` is "original", "trust" or "timestamp_trust". The `len` bytes are
 * not copied: they must stay as they are until the last signdoc_verify with these options has
 * returned.
 */
int32_t signdoc_verify_options_set_bytes(signdoc_verify_options *options,
                                         const char *key,
                                         const void *data,
                                         size_t len,
                                         signdoc_error **error);

/**
 * Frees options; the caller's bytes are left alone. NULL is fine.
 */
void signdoc_verify_options_free(signdoc_verify_options *options);

/**
 * Verifies a signed PDF or SEID-SDO file, or an evidence bundle of one (see signdoc_bundle),
 * offline: asks nobody, and waits for nobody. Several
 * documents are the results of serial sessions, the first one first: each must build on the one
 * before it. `options` may be NULL, but nothing verifies without trust.
 *
 * What the files contain is in the report, never an error: ask signdoc_report_ok.
 * SIGNDOC_E_DOCUMENT_NOT_FOUND and others for files that cannot be read,
 * SIGNDOC_E_TRUST_UNUSABLE for what holds no certificates. `*report` is freed with
 * signdoc_report_free.
 */
int32_t signdoc_verify(const signdoc_documents *documents,
                       const signdoc_verify_options *options,
                       signdoc_report **report,
                       signdoc_error **error);

/**
 * Frees the bytes of a buffer and empties it. NULL and empty buffers are fine, so a buffer may be
 * freed twice; a copy of the struct may not be.
 */
void signdoc_buffer_free(signdoc_buffer *buffer);

#ifdef __cplusplus
}  // extern "C"
#endif  // __cplusplus

#endif  /* SIGNDOC_H */
