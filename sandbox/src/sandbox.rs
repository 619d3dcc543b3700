//! One running sandbox, for Rust tests: made by [`Builder`], ended by dropping it.

mod end_user;

use std::fmt;
use std::path::PathBuf;
use std::sync::{Arc, Mutex};
use std::thread::JoinHandle;
use std::time::Duration;

use tokio::net::TcpListener;
use tokio::runtime::{Handle, Runtime};
use tokio::sync::watch;

use crate::authority::Authority;
use crate::clock::Clock;
use crate::convert::engine::{ConverterChoice, Engine};
use crate::csc;
use crate::evidence;
use crate::faults::Faults;
use crate::http::server::{self, Listeners};
use crate::identity::client_keys::ClientKey;
use crate::identity::clients::{Clients, RegisteredClient};
use crate::random::Random;
use crate::requests::Seen;
use crate::state::State;
use crate::sync::lock;
use crate::tls::{ServerCertificate, Tls, Wanted};
use crate::variants::Variants;
use crate::{Environment, Error};

/// Identifier of the client that every sandbox knows, unless another one is named.
pub const DEFAULT_CLIENT_ID: &str = "sandbox-client";

/// How long a step of a conversion may take, unless it is set.
const CONVERSION_LIMIT: Duration = Duration::from_secs(60);

/// Settings of a sandbox to be started.
#[derive(Clone)]
pub struct Builder {
    environment: Environment,
    port: u16,
    seed: Option<u64>,
    client_id: String,
    client_secret: Option<String>,
    client_keys: Vec<String>,
    more_clients: Vec<RegisteredClient>,
    tls: Option<Wanted>,
    converter: ConverterChoice,
    conversion_limit: Duration,
    variants: Variants,
    log: bool,
}

impl Default for Builder {
    fn default() -> Self {
        Self {
            environment: Environment::default(),
            port: 0,
            seed: None,
            client_id: DEFAULT_CLIENT_ID.to_owned(),
            client_secret: None,
            client_keys: Vec::new(),
            more_clients: Vec::new(),
            tls: None,
            converter: ConverterChoice::default(),
            conversion_limit: CONVERSION_LIMIT,
            variants: Variants::default(),
            log: false,
        }
    }
}

impl fmt::Debug for Builder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Builder")
            .field("environment", &self.environment)
            .field("port", &self.port)
            .field("seed", &self.seed)
            .field("client_id", &self.client_id)
            .field("converter", &self.converter)
            .finish_non_exhaustive()
    }
}

impl Builder {
    /// Which environment to be; production by default.
    pub fn environment(mut self, environment: Environment) -> Self {
        self.environment = environment;
        self
    }

    /// Port on the loopback address; 0, the default, takes a free one.
    pub fn port(mut self, port: u16) -> Self {
        self.port = port;
        self
    }

    /// Makes tokens, secrets, identifiers and keys repeat from run to run.
    pub fn seed(mut self, seed: Option<u64>) -> Self {
        self.seed = seed;
        self
    }

    /// Identifier of the first client; [`DEFAULT_CLIENT_ID`] by default.
    pub fn client_id(mut self, id: impl Into<String>) -> Self {
        self.client_id = id.into();
        self
    }

    /// Secret of the first client; a random one by default.
    pub fn client_secret(mut self, secret: impl Into<String>) -> Self {
        self.client_secret = Some(secret.into());
        self
    }

    /// Registers a further client. `scopes` bounds what it may ask for, `None` allows all.
    pub fn client(
        mut self,
        id: impl Into<String>,
        secret: impl Into<String>,
        scopes: Option<&[&str]>,
    ) -> Self {
        self.more_clients.push(RegisteredClient {
            id: id.into(),
            secret: Some(secret.into()),
            scopes: scopes.map(|list| list.iter().map(|scope| (*scope).to_owned()).collect()),
            keys: Vec::new(),
            redirect_uris: None,
        });
        self
    }

    /// Registers public keys of the first client, so that it may prove itself by `private_key_jwt`
    /// with RS256 or ES256: a JWK set or a JWK (RFC 7517), or a public key in PEM. May be called
    /// several times.
    pub fn client_keys(mut self, keys: impl Into<String>) -> Self {
        self.client_keys.push(keys.into());
        self
    }

    /// Serves https instead of http, with a certificate of an authority that is made at the start,
    /// see [`Sandbox::ca_pem`].
    pub fn tls(mut self, on: bool) -> Self {
        self.tls = on.then(|| self.tls.unwrap_or_default());
        self
    }

    /// Which certificate the server shows; turns https on.
    pub fn tls_certificate(mut self, certificate: ServerCertificate) -> Self {
        self.tls.get_or_insert_default().certificate = certificate;
        self
    }

    /// Whether clients must show a certificate of the sandbox's authority, see
    /// [`Sandbox::client_certificate_pem`]; turns https on.
    pub fn tls_client_certificate(mut self, required: bool) -> Self {
        self.tls.get_or_insert_default().client_certificate = required;
        self
    }

    /// Which converter to use; an installed Ghostscript by default.
    pub fn converter(mut self, choice: ConverterChoice) -> Self {
        self.converter = choice;
        self
    }

    /// How long each step of a conversion may take, in real time; 60 seconds by default.
    pub fn conversion_limit(mut self, limit: Duration) -> Self {
        self.conversion_limit = limit;
        self
    }

    /// Keeps orders at an address of their own from the start, see [`Variants::two_addresses`]; a
    /// reset comes back to this.
    pub fn two_addresses(mut self, on: bool) -> Self {
        self.variants.two_addresses = on;
        self
    }

    /// Writes one line per request and conversion to standard error.
    pub fn log(mut self, on: bool) -> Self {
        self.log = on;
        self
    }

    /// Starts the sandbox on its own thread. It answers when this returns.
    ///
    /// # Errors
    /// When the port is taken, a client's key cannot be read, or the system gives no random bytes,
    /// thread, temporary file or event queue.
    pub fn start(self) -> Result<Sandbox, Error> {
        let bind = |port: u16| {
            server::bind(port).map_err(|error| Error::Bind { port, error: error.to_string() })
        };
        let (base, base_address) = bind(self.port)?;
        let (orders, orders_address) = bind(0)?;
        let started = |error: std::io::Error| Error::Start(error.to_string());
        let random = match self.seed {
            Some(seed) => Random::seeded(seed),
            None => Random::from_system().map_err(started)?,
        };
        let secret = self.client_secret.unwrap_or_else(|| random.token());
        let keys = self.client_keys.iter().map(|text| ClientKey::parse(text));
        let keys = keys.collect::<Result<Vec<_>, _>>().map_err(Error::Key)?.concat();
        let clients = Clients::new(self.client_id, secret, keys);
        for client in self.more_clients {
            clients.put(client);
        }
        let tls = self.tls.map(Tls::new).transpose()?;
        let scheme = if tls.is_some() { "https" } else { "http" };
        let state = Arc::new(State {
            base_url: format!("{scheme}://{base_address}"),
            orders_url: format!("{scheme}://{orders_address}"),
            environment: self.environment,
            clients,
            assertions: Default::default(),
            tls,
            clock: Clock::default(),
            random,
            keys: Default::default(),
            tokens: Default::default(),
            faults: Faults::default(),
            requests: Default::default(),
            variants: Mutex::new(self.variants.clone()),
            first_variants: self.variants,
            engine: Engine::new(self.converter, self.conversion_limit, self.environment),
            orders: Default::default(),
            authority: Authority::at(format!("{scheme}://{base_address}{}", evidence::PATH)),
            logins: Default::default(),
            csc: Default::default(),
            log: self.log,
        });
        let runtime = tokio::runtime::Builder::new_multi_thread()
            .worker_threads(2)
            .thread_name("sandbox")
            .enable_all()
            .build()
            .map_err(started)?;
        let handle = runtime.handle().clone();
        let guard = runtime.enter();
        let listeners = Listeners {
            base: TcpListener::from_std(base).map_err(started)?,
            orders: TcpListener::from_std(orders).map_err(started)?,
        };
        drop(guard);
        let (stop, stopped) = watch::channel(());
        let serving = Arc::clone(&state);
        let thread = std::thread::Builder::new()
            .name("sandbox".to_owned())
            .spawn(move || serve(runtime, serving, listeners, stopped))
            .map_err(started)?;
        Ok(Sandbox { state, running: Some((stop, thread)), handle })
    }
}

fn serve(runtime: Runtime, state: Arc<State>, listeners: Listeners, stopped: watch::Receiver<()>) {
    runtime.block_on(server::serve(state, listeners, stopped));
    // connections end and converters are killed with their tasks; a document being read is not
    // waited for
    runtime.shutdown_timeout(Duration::from_millis(200));
}

/// A running sandbox. It ends when this value is dropped.
pub struct Sandbox {
    state: Arc<State>,
    running: Option<(watch::Sender<()>, JoinHandle<()>)>,
    handle: Handle,
}

impl fmt::Debug for Sandbox {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Sandbox")
            .field("base_url", &self.state.base_url)
            .field("environment", &self.state.environment)
            .finish_non_exhaustive()
    }
}

impl Sandbox {
    /// Settings for a new sandbox.
    pub fn builder() -> Builder {
        Builder::default()
    }

    /// Address of the service, `http://127.0.0.1:<port>` or `https://…`; also its `signdoc-baseurl`,
    /// unless orders have an address of their own.
    pub fn base_url(&self) -> &str {
        &self.state.base_url
    }

    /// The second address. It is that of orders alone, and the `signdoc-baseurl`, while
    /// [`Variants::two_addresses`] is on; else it serves everything, as the first one does.
    pub fn orders_url(&self) -> &str {
        &self.state.orders_url
    }

    /// Address of the identity provider.
    pub fn issuer(&self) -> String {
        self.state.issuer()
    }

    /// Address of the credential-based signing interface.
    pub fn csc_url(&self) -> String {
        format!("{}{}", self.state.base_url, csc::PATH)
    }

    /// Address of the time-stamping authority (RFC 3161), which needs no account.
    pub fn tsa_url(&self) -> String {
        format!("{}{}/tsa", self.state.base_url, evidence::PATH)
    }

    /// Address of the control surface, see [`crate::control`].
    pub fn control_url(&self) -> String {
        format!("{}/_sandbox/", self.state.base_url)
    }

    /// Identifier of the first client.
    pub fn client_id(&self) -> &str {
        self.state.clients.first_id()
    }

    /// Secret of the first client.
    pub fn client_secret(&self) -> &str {
        self.state.clients.first_secret()
    }

    /// The certificate in PEM that a client has to trust; `None` without https.
    pub fn ca_pem(&self) -> Option<&str> {
        self.state.tls.as_ref().map(|tls| tls.ca_pem.as_str())
    }

    /// The same as a file, which is gone when the sandbox is.
    pub fn ca_file(&self) -> Option<PathBuf> {
        self.state.tls.as_ref().map(Tls::ca_file)
    }

    /// Certificate and private key in PEM that a client may show; `None` when none is required.
    pub fn client_certificate_pem(&self) -> Option<&str> {
        self.state.tls.as_ref()?.client_pem.as_deref()
    }

    /// The same as a file, which is gone when the sandbox is.
    pub fn client_certificate_file(&self) -> Option<PathBuf> {
        self.state.tls.as_ref()?.client_file()
    }

    /// The environment this sandbox is.
    pub fn environment(&self) -> Environment {
        self.state.environment
    }

    /// The clock this sandbox lives by.
    pub fn clock(&self) -> Clock {
        self.state.clock.clone()
    }

    /// The rules about what goes wrong.
    pub fn faults(&self) -> &Faults {
        &self.state.faults
    }

    /// The requests seen, oldest first; at most the latest 10,000.
    pub fn requests(&self) -> Vec<Seen> {
        self.state.requests.list()
    }

    /// The requests seen that were refused.
    pub fn refused(&self) -> Vec<Seen> {
        self.requests().into_iter().filter(|seen| seen.refused.is_some()).collect()
    }

    /// Forgets the requests seen.
    pub fn clear_requests(&self) {
        self.state.requests.clear();
    }

    /// The forms in which the sandbox answers.
    pub fn variants(&self) -> Variants {
        self.state.variants()
    }

    /// Changes the forms in which the sandbox answers.
    pub fn set_variants(&self, variants: Variants) {
        *lock(&self.state.variants) = variants;
    }

    /// Makes all access tokens invalid; returns how many there were.
    pub fn revoke_tokens(&self) -> usize {
        self.state.tokens.revoke_all()
    }

    /// Starts signing with a new key and returns its `kid`; earlier keys stay in the key set when
    /// `keep_previous` says so.
    ///
    /// # Errors
    /// When no key could be made.
    pub fn rotate_keys(&self, keep_previous: bool) -> Result<String, Error> {
        let alg = self.state.variants().id_token_alg;
        self.state.keys.rotate(alg, &self.state.random, keep_previous).map_err(Error::Start)
    }

    /// Name and version of the converter; the error says why there is none.
    ///
    /// # Errors
    /// When no converter is usable.
    pub fn converter(&self) -> Result<String, String> {
        self.state.engine.name().map_err(str::to_owned)
    }

    /// Forgets what happened and goes back to the settings of the start.
    pub fn reset(&self) {
        self.state.reset();
    }

    /// Ends the sandbox and waits until its thread is gone.
    pub fn shutdown(mut self) {
        self.stop();
    }

    pub(crate) fn log_note(&self, note: &str) {
        self.state.log_note(note);
    }

    fn stop(&mut self) {
        if let Some((stop, thread)) = self.running.take() {
            drop(stop);
            // a panic on the server's thread was printed already
            let _ = thread.join();
        }
    }
}

impl Drop for Sandbox {
    fn drop(&mut self) {
        self.stop();
    }
}
