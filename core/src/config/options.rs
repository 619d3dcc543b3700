//! Every option there is: its key, what it means, and whether it is secret.

/// One option, with the same key in every face.
#[derive(Clone, Copy, Debug)]
pub struct OptionSpec {
    /// The key: Python keyword, C `signdoc_options_set` key, lower case of the variable's name.
    pub key: &'static str,
    /// Whether the value must never be shown; a secret may also come from a file (`_FILE`).
    pub secret: bool,
    /// What it means, with unit and default.
    pub help: &'static str,
}

impl OptionSpec {
    /// The name of the environment variable, for example `SIGNDOC_ISSUER`.
    #[must_use]
    pub fn env(&self) -> String {
        format!("SIGNDOC_{}", self.key.to_ascii_uppercase())
    }
}

const fn option(key: &'static str, help: &'static str) -> OptionSpec {
    OptionSpec { key, secret: false, help }
}

const fn secret(key: &'static str, help: &'static str) -> OptionSpec {
    OptionSpec { key, secret: true, help }
}

/// All options.
pub const OPTIONS: &[OptionSpec] = &[
    option(
        "issuer",
        "address of the identity provider; its discovery document is read from there (OpenID Connect Discovery 1.0)",
    ),
    option("client_id", "the merchant's client identifier (RFC 6749 section 2.2)"),
    secret("client_secret", "the merchant's client secret (RFC 6749 section 2.3.1)"),
    option(
        "client_auth",
        "client_secret_basic (default), client_secret_post, or private_key_jwt (default where there is a private_key and no client_secret)",
    ),
    secret(
        "private_key",
        "the merchant's private key for private_key_jwt (RFC 7523): the text of a PEM file (PKCS#8, PKCS#1 or SEC1) or JWK, or the path of such a file",
    ),
    option(
        "key_id",
        "kid of the private key, as it is registered with the provider; default: the JWK's own",
    ),
    option("client_auth_alg", "RS256 or ES256; default: what the private key is for"),
    option(
        "base_url",
        "address of the conversion; default: signdoc-baseurl of the discovery document",
    ),
    option(
        "orders_url",
        "address of the order endpoints; default: signdoc-baseurl of the discovery document, else base_url",
    ),
    option("scope", "scope of the access token; default signdoc/read_write"),
    option(
        "csc_url",
        "address of the credential-based signing interface (CSC API v2), with its path; no default",
    ),
    option(
        "csc_scope",
        "scope of the provider's token that opens a CSC session; default esign/csc",
    ),
    option(
        "tsa_url",
        "address of a timestamp authority (RFC 3161) for signed PDFs and evidence bundles, https or http; no default",
    ),
    secret(
        "state_key",
        "text that saved logins are sealed with, at least 16 characters, the same in every process; default: client_secret",
    ),
    option("login_lifetime", "seconds for which a saved login may be finished; default 3600"),
    option("timeout", "seconds a call may take in all, with its repetitions; default 300"),
    option("connect_timeout", "seconds to wait for a connection; default 10"),
    option("read_timeout", "seconds of silence on a connection before a call fails; default 120"),
    option(
        "reception_timeout",
        "seconds of silence that end the reception of an order's results, which no other time limit ends; default: read_timeout, and at least 120",
    ),
    option(
        "fallback_folder",
        "folder for results of orders that their own folder has no room for, and for those nobody waits for any more; default: the system's folder for temporary files",
    ),
    option("max_retries", "how often a call that may be repeated is repeated, 0 to 10; default 2"),
    option("max_answer_size", "the largest answer accepted, in bytes; default 536870912"),
    option("ca_file", "PEM file with certificates to trust besides the system's"),
    option("ca_only", "true: trust the certificates of ca_file alone; default false"),
    option(
        "client_cert",
        "PEM file with the client's certificate chain and private key (mutual TLS)",
    ),
    secret(
        "proxy",
        "address of an HTTP proxy, with user and password where it asks for them; default: HTTPS_PROXY and HTTP_PROXY of the environment, never for loopback",
    ),
    option(
        "no_proxy",
        "hosts that are reached without the proxy, comma separated; default: NO_PROXY of the environment",
    ),
    option("user_agent", "text that is put before this library's own product name"),
];

pub(super) fn find(key: &str) -> Option<&'static OptionSpec> {
    OPTIONS.iter().find(|option| option.key == key)
}

/// The options of calls that need no account at the service: how to reach a timestamp authority and
/// what certificates name.
pub const NETWORK: [&str; 11] = [
    "tsa_url",
    "timeout",
    "connect_timeout",
    "read_timeout",
    "max_retries",
    "ca_file",
    "ca_only",
    "client_cert",
    "proxy",
    "no_proxy",
    "user_agent",
];
