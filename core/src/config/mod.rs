//! The one configuration, the same from every face.
//!
//! Rust builders, `SIGNDOC_*` variables, Python keywords and C's `signdoc_options_set` all end in
//! [`ConfigBuilder::set`]; the options themselves are described once, in [`OPTIONS`].

mod options;
mod url;

use std::collections::BTreeMap;
use std::fmt;
use std::io::Read as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use secrecy::{ExposeSecret, SecretString};
use zeroize::Zeroizing;

pub use options::{NETWORK, OPTIONS, OptionSpec};
pub(crate) use url::{checked_url, join, origin_of};

use crate::error::{Code, Error, Result};
use crate::identity::{Algorithm, SigningKey};

/// Shortest text that saved logins are sealed with, in characters.
const STATE_KEY_MIN: usize = 16;

/// How a client proves itself at the token endpoint (RFC 6749 section 2.3, OpenID Connect Core 9).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ClientAuth {
    /// `client_secret_basic`: an Authorization header.
    #[default]
    SecretBasic,
    /// `client_secret_post`: form fields.
    SecretPost,
    /// `private_key_jwt`: a signed assertion (RFC 7523).
    PrivateKeyJwt,
}

impl ClientAuth {
    fn parse(text: &str) -> Option<Self> {
        match text {
            "client_secret_basic" | "secret_basic" => Some(Self::SecretBasic),
            "client_secret_post" | "secret_post" => Some(Self::SecretPost),
            "private_key_jwt" => Some(Self::PrivateKeyJwt),
            _ => None,
        }
    }

    /// The registered name of the method.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::SecretBasic => "client_secret_basic",
            Self::SecretPost => "client_secret_post",
            Self::PrivateKeyJwt => "private_key_jwt",
        }
    }
}

/// A complete, checked configuration.
#[derive(Clone)]
pub struct Config {
    pub(crate) issuer: ::url::Url,
    pub(crate) client_id: String,
    pub(crate) client_secret: Option<SecretString>,
    pub(crate) client_auth: ClientAuth,
    pub(crate) private_key: Option<Arc<SigningKey>>,
    pub(crate) key_id: Option<String>,
    pub(crate) base_url: Option<::url::Url>,
    pub(crate) orders_url: Option<::url::Url>,
    #[cfg_attr(not(feature = "signing"), expect(dead_code, reason = "CSC asks for it"))]
    pub(crate) csc_url: Option<::url::Url>,
    #[cfg_attr(not(feature = "signing"), expect(dead_code, reason = "CSC asks for it"))]
    pub(crate) csc_scope: String,
    #[cfg_attr(not(feature = "signing"), expect(dead_code, reason = "CSC asks for it"))]
    pub(crate) tsa_url: Option<::url::Url>,
    pub(crate) state_key: Option<SecretString>,
    pub(crate) scope: String,
    pub(crate) timeout: Duration,
    pub(crate) connect_timeout: Duration,
    pub(crate) read_timeout: Duration,
    pub(crate) max_retries: u32,
    pub(crate) max_answer: u64,
    pub(crate) reception_timeout: Duration,
    fallback_folder: Option<PathBuf>,
    pub(crate) login_lifetime: Duration,
    pub(crate) ca_file: Option<PathBuf>,
    pub(crate) ca_only: bool,
    pub(crate) client_cert: Option<PathBuf>,
    pub(crate) proxy: Option<::url::Url>,
    pub(crate) no_proxy: Option<String>,
    pub(crate) user_agent: String,
}

impl Config {
    /// An empty configuration to be filled.
    #[must_use]
    pub fn builder() -> ConfigBuilder {
        ConfigBuilder::default()
    }

    /// The issuer's address.
    #[must_use]
    pub fn issuer(&self) -> &str {
        self.issuer.as_str().trim_end_matches('/')
    }

    /// The client identifier.
    #[must_use]
    pub fn client_id(&self) -> &str {
        &self.client_id
    }

    /// Whether a client secret or private key is there (neither is ever shown).
    #[must_use]
    pub fn has_secret(&self) -> bool {
        self.client_secret.is_some() || self.private_key.is_some()
    }

    /// Where results of orders go that their own folder has no room for.
    #[must_use]
    pub fn fallback_folder(&self) -> PathBuf {
        self.fallback_folder.clone().unwrap_or_else(std::env::temp_dir)
    }

    /// Notes the credentials that may leave with a request.
    pub(crate) fn tell_secrets(&self, secrets: &crate::secrets::Secrets) {
        if let Some(secret) = &self.client_secret {
            secrets.learn(secret.expose_secret());
        }
        let proxy = self.proxy.as_ref();
        if let Some((proxy, password)) = proxy.and_then(|url| Some((url, url.password()?))) {
            let decoded = |text: &str| Zeroizing::new(url::decoded(text));
            let password = decoded(password);
            secrets.learn(&password);
            secrets.learn(&Zeroizing::new(format!("{}:{}", *decoded(proxy.username()), *password)));
        }
    }

    /// The total time a call may take unless the call says otherwise.
    #[must_use]
    pub fn timeout(&self) -> Duration {
        self.timeout
    }
}

impl fmt::Debug for Config {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Config")
            .field("issuer", &self.issuer())
            .field("client_id", &self.client_id)
            .field("client_secret", &self.client_secret.as_ref().map(|_| "..."))
            .field("scope", &self.scope)
            .finish_non_exhaustive()
    }
}

/// Collects options as text; [`ConfigBuilder::build`] checks them all.
#[derive(Clone, Default)]
pub struct ConfigBuilder {
    values: BTreeMap<&'static str, SecretString>,
}

impl fmt::Debug for ConfigBuilder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_set().entries(self.values.keys()).finish()
    }
}

impl ConfigBuilder {
    /// Sets one option by its key; an empty `value` unsets it.
    ///
    /// # Errors
    /// [`Code::InvalidOption`] when no option has that key. Values are checked by `build`.
    pub fn set(&mut self, key: &str, value: &str) -> Result<&mut Self> {
        let spec = options::find(key).ok_or_else(|| {
            let known = OPTIONS.iter().map(|o| o.key).collect::<Vec<_>>().join(", ");
            Error::new(Code::InvalidOption, format!("there is no option {key:?}; known: {known}"))
                .with_detail("field", key)
        })?;
        if value.is_empty() {
            self.values.remove(spec.key);
        } else {
            self.values.insert(spec.key, SecretString::from(value));
        }
        Ok(self)
    }

    /// Takes every option that is not set yet from the environment (`SIGNDOC_ISSUER`, ...).
    ///
    /// A secret may also be given as a file: `SIGNDOC_CLIENT_SECRET_FILE`; its trailing line break
    /// is dropped.
    ///
    /// # Errors
    /// [`Code::InvalidOption`] when such a file cannot be read or a variable is not UTF-8.
    pub fn env(&mut self) -> Result<&mut Self> {
        self.env_from(|name| std::env::var_os(name))
    }

    fn env_from(&mut self, get: impl Fn(&str) -> Option<std::ffi::OsString>) -> Result<&mut Self> {
        for spec in OPTIONS {
            if self.values.contains_key(spec.key) {
                continue;
            }
            let name = spec.env();
            let direct = get(&name).filter(|value| !value.is_empty());
            let value = match direct {
                Some(value) => {
                    Some(Zeroizing::new(value.into_string().map_err(|_| not_utf8(&name))?))
                }
                None if spec.secret => secret_file(&format!("{name}_FILE"), &get)?,
                None => None,
            };
            if let Some(value) = value {
                self.set(spec.key, &value)?;
            }
        }
        Ok(self)
    }

    /// Whether the option has a value.
    #[must_use]
    pub fn has(&self, key: &str) -> bool {
        self.values.contains_key(key)
    }

    /// The option's value as it was set, a secret too: for a face that must hand a configuration on.
    #[must_use]
    pub fn get(&self, key: &str) -> Option<&str> {
        self.text(key)
    }

    /// Checks everything and makes the configuration.
    ///
    /// # Errors
    /// [`Code::MissingOption`], [`Code::InvalidOption`] or [`Code::InsecureUrl`], naming the option.
    pub fn build(&self) -> Result<Config> {
        let version = env!("CARGO_PKG_VERSION");
        let user_agent = match self.text("user_agent") {
            Some(own) => format!("{own} signdoc/{version}"),
            None => format!("signdoc/{version}"),
        };
        if user_agent.chars().any(|c| c.is_control() || !c.is_ascii()) {
            return Err(invalid("user_agent", "printable ASCII", &user_agent));
        }
        let read_timeout = self.seconds("read_timeout", 120.0)?;
        let reception_timeout = match self.has("reception_timeout") {
            true => self.seconds("reception_timeout", 120.0)?,
            false => read_timeout.max(Duration::from_secs(120)),
        };
        let config = Config {
            issuer: checked_url("issuer", self.required("issuer")?)?,
            client_id: self.required("client_id")?.to_owned(),
            client_secret: self.values.get("client_secret").cloned(),
            client_auth: self.client_auth()?,
            private_key: self.private_key()?.map(Arc::new),
            key_id: self.text("key_id").map(str::to_owned),
            base_url: self.text("base_url").map(|u| checked_url("base_url", u)).transpose()?,
            orders_url: self
                .text("orders_url")
                .map(|u| checked_url("orders_url", u))
                .transpose()?,
            csc_url: self.text("csc_url").map(|u| checked_url("csc_url", u)).transpose()?,
            csc_scope: self.text("csc_scope").unwrap_or(signdoc_spec::scopes::ESIGN_CSC).to_owned(),
            tsa_url: self.text("tsa_url").map(|u| url::timestamp_url("tsa_url", u)).transpose()?,
            state_key: self.state_key()?,
            scope: self
                .text("scope")
                .unwrap_or(signdoc_spec::scopes::SIGNDOC_READ_WRITE)
                .to_owned(),
            timeout: self.seconds("timeout", 300.0)?,
            connect_timeout: self.seconds("connect_timeout", 10.0)?,
            read_timeout,
            reception_timeout,
            fallback_folder: self.text("fallback_folder").map(PathBuf::from),
            login_lifetime: self.seconds("login_lifetime", 3600.0)?,
            max_retries: self
                .parsed("max_retries", "a whole number from 0 to 10", |t| {
                    t.parse().ok().filter(|n| *n <= 10)
                })?
                .unwrap_or(2),
            max_answer: self
                .parsed("max_answer_size", "a number of bytes", |t| t.parse().ok())?
                .unwrap_or(512 * 1024 * 1024),
            ca_file: self.text("ca_file").map(PathBuf::from),
            ca_only: self.parsed("ca_only", "true or false", parse_bool)?.unwrap_or(false),
            client_cert: self.text("client_cert").map(PathBuf::from),
            proxy: self.text("proxy").map(url::proxy_url).transpose()?,
            no_proxy: self.text("no_proxy").map(str::to_owned),
            user_agent,
        };
        if config.ca_only && config.ca_file.is_none() {
            return Err(Error::new(
                Code::MissingOption,
                "ca_only needs ca_file: the certificates to trust instead of the system's",
            )
            .with_detail("field", "ca_file"));
        }
        Ok(config)
    }

    /// The checked configuration of a client without an account at the service, for calls that ask
    /// others, such as [`Client::extend_pdf`](crate::Client::extend_pdf): `issuer` and `client_id`
    /// may be missing.
    ///
    /// # Errors
    /// As [`ConfigBuilder::build`].
    pub fn build_without_account(&self) -> Result<Config> {
        let mut own = self.clone();
        // A top-level domain that never resolves (RFC 2606).
        for (key, stand_in) in [("issuer", "https://no-account.invalid"), ("client_id", "none")] {
            own.values.entry(key).or_insert_with(|| SecretString::from(stand_in));
        }
        own.build()
    }

    /// What seals saved logins must not be guessable: they pass through browsers.
    fn state_key(&self) -> Result<Option<SecretString>> {
        let key = self.values.get("state_key").cloned();
        let length = key.as_ref().map_or(STATE_KEY_MIN, |key| key.expose_secret().chars().count());
        if length >= STATE_KEY_MIN {
            return Ok(key);
        }
        Err(Error::new(
            Code::InvalidOption,
            format!("option state_key has {length} characters; it must have at least {STATE_KEY_MIN}: give a long random text, the same in every process"),
        )
        .with_detail("field", "state_key")
        .with_detail("limit", STATE_KEY_MIN)
        .with_detail("actual", length))
    }

    fn client_auth(&self) -> Result<ClientAuth> {
        let expected = "client_secret_basic, client_secret_post or private_key_jwt";
        let asked = self.parsed("client_auth", expected, ClientAuth::parse)?;
        let by_key = self.has("private_key") && !self.has("client_secret");
        Ok(asked.unwrap_or(if by_key { ClientAuth::PrivateKeyJwt } else { ClientAuth::default() }))
    }

    /// The key itself, or the file that the value names.
    fn private_key(&self) -> Result<Option<SigningKey>> {
        let wanted = self.parsed("client_auth_alg", "RS256 or ES256", Algorithm::parse)?;
        let Some(text) = self.text("private_key") else { return Ok(None) };
        if text.trim_start().starts_with(['{', '-']) {
            return SigningKey::parse(text, wanted).map(Some);
        }
        let file = read_secret(Path::new(text)).map_err(|error| {
            // The value is not shown: it may be a key that lost its first line.
            Error::new(
                Code::InvalidOption,
                format!("option private_key is neither a PEM or JWK text nor a file that can be read: {error}"),
            )
            .with_detail("field", "private_key")
        })?;
        SigningKey::parse(&file, wanted).map(Some)
    }

    fn text(&self, key: &str) -> Option<&str> {
        self.values.get(key).map(|value| value.expose_secret())
    }

    fn required(&self, key: &str) -> Result<&str> {
        self.text(key).ok_or_else(|| {
            let env = options::find(key).map(OptionSpec::env).unwrap_or_default();
            Error::new(
                Code::MissingOption,
                format!("option {key} is missing: pass it or set {env} in the environment"),
            )
            .with_detail("field", key)
        })
    }

    fn parsed<T>(
        &self,
        key: &str,
        expected: &str,
        parse: impl Fn(&str) -> Option<T>,
    ) -> Result<Option<T>> {
        let Some(text) = self.text(key) else { return Ok(None) };
        parse(text).map(Some).ok_or_else(|| invalid(key, expected, text))
    }

    fn seconds(&self, key: &str, default: f64) -> Result<Duration> {
        let parse = |text: &str| {
            text.parse().ok().filter(|s| *s > 0.0).and_then(|s| Duration::try_from_secs_f64(s).ok())
        };
        let set = self.parsed(key, "a number of seconds above zero", parse)?;
        Ok(set.unwrap_or(Duration::from_secs_f64(default)))
    }
}

fn parse_bool(text: &str) -> Option<bool> {
    match text.to_ascii_lowercase().as_str() {
        "true" | "1" | "yes" => Some(true),
        "false" | "0" | "no" => Some(false),
        _ => None,
    }
}

fn invalid(key: &str, expected: &str, actual: &str) -> Error {
    Error::new(Code::InvalidOption, format!("option {key} must be {expected}, not {actual:?}"))
        .with_detail("field", key)
        .with_detail("actual", actual)
}

fn not_utf8(name: &str) -> Error {
    Error::new(Code::InvalidOption, format!("the environment variable {name} is not UTF-8"))
}

fn secret_file(
    name: &str,
    get: impl Fn(&str) -> Option<std::ffi::OsString>,
) -> Result<Option<Zeroizing<String>>> {
    let Some(path) = get(name).filter(|path| !path.is_empty()) else { return Ok(None) };
    let mut text = read_secret(Path::new(&path)).map_err(|error| {
        Error::new(
            Code::InvalidOption,
            format!("{name} names {}, which cannot be read: {error}", path.to_string_lossy()),
        )
        .with_detail("field", name)
    })?;
    let length = text.trim_end_matches(['\r', '\n']).len();
    text.truncate(length);
    Ok(Some(text))
}

/// The text of a file, in memory that is wiped when it is given back.
fn read_secret(path: &Path) -> std::io::Result<Zeroizing<String>> {
    let mut file = std::fs::File::open(path)?;
    let length = usize::try_from(file.metadata()?.len()).unwrap_or_default();
    // Room for all of it at once: memory that a growing buffer leaves behind is not wiped.
    let mut bytes = Zeroizing::new(Vec::with_capacity(length + 64));
    file.read_to_end(&mut bytes)?;
    let text = std::str::from_utf8(&bytes).map_err(|_| std::io::Error::other("it is not UTF-8"))?;
    Ok(Zeroizing::new(text.to_owned()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn minimal() -> ConfigBuilder {
        let mut builder = Config::builder();
        builder.set("issuer", "https://id.example/realm").unwrap();
        builder.set("client_id", "shop").unwrap();
        builder
    }

    #[test]
    fn defaults_are_complete() {
        let config = minimal().build().unwrap();
        assert_eq!(config.scope, "signdoc/read_write");
        assert_eq!(config.client_auth, ClientAuth::SecretBasic);
        assert!(config.base_url.is_none());
        assert!(config.user_agent.starts_with("signdoc/"));
    }

    #[test]
    fn http_is_for_loopback_only() {
        let mut builder = minimal();
        for good in ["http://127.0.0.1:8080", "http://localhost/x", "http://[::1]:1"] {
            builder.set("base_url", good).unwrap().build().unwrap();
        }
        let error = builder.set("base_url", "http://api.example").unwrap().build().unwrap_err();
        assert_eq!(error.code(), Code::InsecureUrl);
        assert_eq!(error.details()["field"], "base_url");
    }

    #[test]
    fn secrets_never_show() {
        let mut builder = minimal();
        builder.set("client_secret", "canary-4711").unwrap();
        let shown = format!("{builder:?} {:?}", builder.build().unwrap());
        assert!(!shown.contains("canary"));
    }

    #[test]
    fn the_environment_fills_gaps_and_reads_secret_files() {
        let file = tempfile::NamedTempFile::new().unwrap();
        std::fs::write(file.path(), "from-file\n").unwrap();
        let env = |name: &str| match name {
            "SIGNDOC_CLIENT_ID" => Some("other".into()),
            "SIGNDOC_TIMEOUT" => Some("1.5".into()),
            "SIGNDOC_CLIENT_SECRET_FILE" => Some(file.path().as_os_str().to_owned()),
            _ => None,
        };
        let mut builder = minimal();
        let config = builder.env_from(env).unwrap().build().unwrap();
        assert_eq!(config.client_id, "shop", "what is set already stays");
        assert_eq!(config.timeout, Duration::from_millis(1500));
        assert_eq!(config.client_secret.unwrap().expose_secret(), "from-file");
    }

    #[test]
    fn a_key_that_could_be_guessed_is_refused_with_its_length() {
        let error = minimal().set("state_key", "0123456789").unwrap().build().unwrap_err();
        assert_eq!(error.details()["field"], "state_key");
        assert_eq!(
            (&error.details()["limit"], &error.details()["actual"]),
            (&16.into(), &10.into())
        );
        assert!(!error.to_string().contains("0123456789"));
        assert!(minimal().set("state_key", "0123456789abcdef").unwrap().build().is_ok());
    }

    #[test]
    fn wrong_values_name_the_option() {
        for (key, value) in [
            ("timeout", "-1"),
            ("timeout", "NaN"),
            ("max_retries", "11"),
            ("client_auth", "magic"),
            ("issuer", "not a url"),
            ("ca_only", "maybe"),
            ("user_agent", "a\nb"),
        ] {
            let error = minimal().set(key, value).unwrap().build().unwrap_err();
            assert_eq!(error.details()["field"], key, "{error}");
        }
        assert_eq!(minimal().set("nope", "1").unwrap_err().code(), Code::InvalidOption);
    }
}
