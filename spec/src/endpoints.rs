//! The endpoints of the interface: methods, paths, statuses.
//!
//! Source: interface specification, Endpoints.

/// The address a path is appended to.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[non_exhaustive]
pub enum Base {
    /// The service address of the environment, `{base_url}`.
    Service,
    /// The signing address the discovery document publishes, `{signdoc-baseurl}`.
    Signing,
    /// The address of the credential-based signing interface.
    Csc,
}

/// An HTTP endpoint.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Endpoint {
    /// The HTTP method.
    pub method: &'static str,
    /// What the path is appended to.
    pub base: Base,
    /// The path, from its first slash, without a query.
    pub path: &'static str,
    /// The query parameters, all required.
    pub query: &'static [&'static str],
    /// The status of success.
    pub success: u16,
    /// The other statuses the specification describes for this endpoint alone.
    pub refusals: &'static [u16],
    /// Whether a bearer access token is required.
    pub bearer: bool,
}

/// Path of the list of supported conversions.
pub const PATH_PDF_SPECS: &str = "/signdoc/convert/pdf/specs";
/// Path of the conversion.
pub const PATH_CONVERT: &str = "/signdoc/convert";
/// Path of PAdES orders.
pub const PATH_PADES: &str = "/signdoc/pades";
/// Path of SEID-SDO orders.
pub const PATH_SDO: &str = "/signdoc";
/// Path of the CSC service description.
pub const PATH_CSC_INFO: &str = "/info";
/// Path of the CSC authorize redirect.
pub const PATH_CSC_AUTHORIZE: &str = "/oauth2/authorize";
/// Path of the CSC token endpoint.
pub const PATH_CSC_TOKEN: &str = "/oauth2/token";
/// Path of the first CSC step.
pub const PATH_CSC_CREDENTIALS_LIST: &str = "/credentials/list";
/// Path of the second CSC step.
pub const PATH_CSC_CREDENTIALS_AUTHORIZE: &str = "/credentials/authorize";
/// Path of the third CSC step.
pub const PATH_CSC_SIGN_HASH: &str = "/signatures/signHash";
/// Query parameter that names an order, here and on the authorize redirect.
pub const QUERY_SIGN_ID: &str = "sign_id";
/// Where an issuer's metadata stands. Source: OpenID Connect Discovery 1.0, section 4.
pub const PATH_DISCOVERY: &str = "/.well-known/openid-configuration";

const fn order(method: &'static str, path: &'static str, success: u16) -> Endpoint {
    let query: &'static [&'static str] = if success == 201 { &[] } else { &[QUERY_SIGN_ID] };
    Endpoint { method, base: Base::Signing, path, query, success, refusals: &[], bearer: true }
}

/// Lists the supported conversions.
pub const PDF_SPECS: Endpoint = Endpoint {
    method: "GET",
    base: Base::Service,
    path: PATH_PDF_SPECS,
    query: &[],
    success: 200,
    refusals: &[],
    bearer: true,
};

/// Converts documents.
pub const CONVERT: Endpoint = Endpoint {
    method: "POST",
    base: Base::Service,
    path: PATH_CONVERT,
    query: &[],
    success: 200,
    refusals: &[400, 403],
    bearer: true,
};

/// Creates a PAdES order.
pub const PADES_CREATE: Endpoint = order("POST", PATH_PADES, 201);
/// Asks for a PAdES order's state.
pub const PADES_STATE: Endpoint = order("GET", PATH_PADES, 200);
/// Downloads a PAdES order and deletes it.
pub const PADES_DOWNLOAD: Endpoint = order("DELETE", PATH_PADES, 200);
/// Creates a SEID-SDO order.
pub const SDO_CREATE: Endpoint = order("POST", PATH_SDO, 201);
/// Asks for a SEID-SDO order's state.
pub const SDO_STATE: Endpoint = order("GET", PATH_SDO, 200);
/// Downloads a SEID-SDO order and deletes it.
pub const SDO_DOWNLOAD: Endpoint = order("DELETE", PATH_SDO, 200);

/// The conversion and order endpoints, in the specification's order.
pub const ENDPOINTS: &[Endpoint] = &[
    PDF_SPECS,
    CONVERT,
    PADES_CREATE,
    PADES_STATE,
    PADES_DOWNLOAD,
    SDO_CREATE,
    SDO_STATE,
    SDO_DOWNLOAD,
];

/// The CSC endpoints a token goes through, in order, each exactly once.
/// Source: interface specification, States and transitions.
pub const CSC_SEQUENCE: &[&str] =
    &[PATH_CSC_CREDENTIALS_LIST, PATH_CSC_CREDENTIALS_AUTHORIZE, PATH_CSC_SIGN_HASH];

/// Every CSC path the specification names.
pub const CSC_PATHS: &[&str] = &[
    PATH_CSC_CREDENTIALS_LIST,
    PATH_CSC_CREDENTIALS_AUTHORIZE,
    PATH_CSC_SIGN_HASH,
    PATH_CSC_INFO,
    PATH_CSC_TOKEN,
    PATH_CSC_AUTHORIZE,
];
