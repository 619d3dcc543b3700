//! The redirect login: send the end user to sign, take the callback, know who signed.
//!
//! OpenID Connect Core 1.0 with the authorization code flow and PKCE (RFC 7636). The client keeps
//! nothing in between: all that is needed to finish lies in the sealed text of
//! [`Login::to_token`], so any process with the same key can.

use std::fmt;
use std::future::Future;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{SystemTime, UNIX_EPOCH};

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use http::Method;
use secrecy::{ExposeSecret, SecretString};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};
use signdoc_spec::endpoints::QUERY_SIGN_ID;
use signdoc_spec::scopes::{OPENID, SIGN};
use url::Url;
use zeroize::Zeroizing;

use super::client_auth::{Proof, prove};
use super::id_token::{Expected, Unverified, is_equal};
use super::login_callback::Callback;
use super::login_seal::{fill, invalid, open, seal};
use super::token::{token_error, with_skew};
use crate::client::{Call, CallOptions, Client};
use crate::error::{Code, Error, RawAnswer, Result};
use crate::order::OrderRef;
use crate::trace::Level;
use crate::transport::{Body, Repeat, Request, deadline_passed};

const BEGIN: &str = "begin login";
const FINISH: &str = "finish login";
const EXCHANGE: &str = "code exchange";
const PURPOSE: &str = "sign";
const ANSWER_CAP: usize = 1024 * 1024;

/// Logins of end users who come to sign, see [`Client::login`].
#[derive(Clone, Debug)]
pub struct Logins {
    client: Client,
}

/// Settings of [`Logins::begin`].
#[derive(Clone, Debug, Default)]
pub struct LoginOptions {
    /// Languages of the provider's pages, best first (`nb`, `en`); its default without.
    pub ui_locales: Option<String>,
    /// Scopes besides `openid` and `sign`, for more claims (`profile`).
    pub scopes: Vec<String>,
    /// `query` (the provider's default), `form_post` or `fragment`.
    pub response_mode: Option<String>,
    /// Time limit and trace.
    pub call: CallOptions,
}

/// Settings of [`Logins::finish`].
#[derive(Clone, Default)]
pub struct FinishOptions {
    /// Refuses a login that was finished before. Without it a replayed callback is answered by the
    /// provider, whose code is good for one use.
    pub store: Option<Arc<dyn LoginStore>>,
    /// Time limit and trace.
    pub call: CallOptions,
}

impl fmt::Debug for FinishOptions {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("FinishOptions")
            .field("store", &self.store.is_some())
            .field("call", &self.call)
            .finish()
    }
}

/// Remembers which logins were finished, for all processes that finish them.
///
/// It is asked on the thread that drives the call: it must not take long.
pub trait LoginStore: Send + Sync {
    /// Takes `id` for the first time (true), or finds it taken (false). It must be one step for
    /// all processes, such as an insert with a unique key. An id may be forgotten after a day.
    ///
    /// # Errors
    /// When the store cannot say; the login is not finished then.
    fn claim(&self, id: &str) -> Result<bool>;
}

/// A login that has begun: where to send the user, and what is needed to finish.
#[derive(Clone)]
pub struct Login {
    /// The address to send the end user to.
    pub url: String,
    /// The order.
    pub sign_id: String,
    token: String,
}

impl Login {
    /// The login as a sealed text for [`Logins::finish`]: safe in JSON, in a session, in a cookie.
    #[must_use]
    pub fn to_token(&self) -> String {
        self.token.clone()
    }
}

impl fmt::Debug for Login {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Login").field("sign_id", &self.sign_id).finish_non_exhaustive()
    }
}

/// Who signed, as the provider vouches for it. Claims are personal data: they are not in its debug
/// output.
#[derive(Clone)]
#[non_exhaustive]
pub struct Identity {
    /// The order that was signed.
    pub sign_id: String,
    /// The user at the provider (`sub`).
    pub subject: String,
    /// All claims of the verified ID token.
    pub claims: Map<String, Value>,
}

impl fmt::Debug for Identity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Identity").field("sign_id", &self.sign_id).finish_non_exhaustive()
    }
}

/// A callback that belongs to a login, not exchanged yet.
#[derive(Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct LoginCheck {
    /// What a store of finished logins remembers, see [`LoginStore::claim`].
    pub id: String,
    /// The order.
    pub sign_id: String,
}

impl fmt::Debug for LoginCheck {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("LoginCheck").field("sign_id", &self.sign_id).finish_non_exhaustive()
    }
}

/// What is sealed.
#[derive(Serialize, Deserialize)]
struct Saved {
    sign_id: String,
    state: String,
    nonce: String,
    verifier: String,
    redirect_uri: String,
    issuer: String,
    client_id: String,
}

impl Client {
    /// Logins of end users who come to sign.
    #[must_use]
    pub fn login(&self) -> Logins {
        Logins { client: self.clone() }
    }
}

impl Logins {
    /// The address to send the end user to, who signs the order there.
    ///
    /// Source: specification, "Signing flow" step 3; OpenID Connect Core 1.0 section 3.1.2.1.
    ///
    /// # Errors
    /// [`Code::WindowExpired`] where the order itself is given and 90 seconds have passed since it
    /// was created; [`Code::InvalidArgument`] for a redirect address that cannot be one;
    /// [`Code::MissingSecret`] where there is nothing to seal with; errors of discovery.
    pub async fn begin(
        &self,
        order: impl Into<OrderRef>,
        redirect_uri: &str,
        options: &LoginOptions,
    ) -> Result<Login> {
        let order = order.into();
        order.check()?;
        check_redirect(redirect_uri)?;
        if let Some(expired) = order.order.as_ref().filter(|order| order.is_too_late_to_sign()) {
            return Err(Error::new(
                Code::WindowExpired,
                "signing must start within 90 s after the order was created, and they have passed; create a new order",
            )
            .with_detail("sign_id", expired.sign_id.as_str()));
        }
        let call = self.client.call(&options.call);
        let shared = &self.client.shared;
        let metadata =
            self.client.within(&call, BEGIN, shared.discovery.get(shared, &call)).await?;
        let address = metadata.url("authorization_endpoint", "nobody can be sent there to sign")?;
        let config = &shared.config;
        let saved = Saved {
            sign_id: order.sign_id.clone(),
            state: random_text()?,
            nonce: random_text()?,
            verifier: random_text()?,
            redirect_uri: redirect_uri.to_owned(),
            issuer: config.issuer().to_owned(),
            client_id: config.client_id.clone(),
        };
        let token = seal(config, PURPOSE, &saved, shared.clock.now())?;
        let url = authorize_url(address, &saved, options);
        Ok(Login { url: url.into(), sign_id: order.sign_id, token })
    }

    /// Takes the callback, exchanges its code and verifies the ID token.
    ///
    /// `token` is what [`Login::to_token`] gave; `callback` the callback's address, or its form.
    ///
    /// # Errors
    /// * [`Code::LoginTokenInvalid`] when `token` was sealed with another key, and
    ///   [`Code::LoginExpired`] when it is older than `login_lifetime`.
    /// * [`Code::LoginStateMismatch`] for a callback of another login: it must be ignored.
    /// * The provider's errors on the redirect ([`Code::AuthorizeAccessDenied`] and the others),
    ///   and at the token endpoint ([`Code::OauthInvalidGrant`] for a replayed callback).
    /// * [`Code::LoginReplayed`] where the store knows the login already.
    /// * [`Code::OutcomeUnknown`] when the answer to the exchange was lost: the code may be used up.
    /// * An ID token's own errors ([`Code::IdTokenSignature`], [`Code::IdTokenExpired`], ...).
    ///
    /// Once `token` is opened, every error carries `sign_id` in its details: what the user signed
    /// can still be downloaded within its window.
    pub async fn finish(
        &self,
        token: &str,
        callback: impl Into<Callback>,
        options: &FinishOptions,
    ) -> Result<Identity> {
        let saved = self.opened(token)?;
        let callback = callback.into();
        let call = self.client.call(&options.call);
        let work = self.finish_saved(&saved, &callback, options, &call);
        let finished = self.client.within(&call, FINISH, work).await;
        finished.map_err(|error| error.with_detail("sign_id", saved.sign_id.as_str()))
    }

    /// What [`Logins::finish`] checks before anything is sent: whether the callback belongs to the
    /// login and carries a code. For hosts that keep a store of finished logins which is not asked
    /// through [`LoginStore`]: they claim the id between this and `finish`.
    ///
    /// # Errors
    /// The first three lines of [`Logins::finish`].
    pub fn check(&self, token: &str, callback: impl Into<Callback>) -> Result<LoginCheck> {
        let saved = self.opened(token)?;
        let checked = self.check_saved(&saved, &callback.into()).map(|_| ());
        checked.map_err(|error| error.with_detail("sign_id", saved.sign_id.as_str()))?;
        Ok(LoginCheck { id: saved.state, sign_id: saved.sign_id })
    }

    fn opened(&self, token: &str) -> Result<Saved> {
        let shared = &self.client.shared;
        open(&shared.config, PURPOSE, token, shared.clock.now())
    }

    /// The callback's code, when it belongs to the login.
    fn check_saved<'a>(&self, saved: &Saved, callback: &'a Callback) -> Result<&'a str> {
        let config = &self.client.shared.config;
        if saved.issuer != config.issuer() || saved.client_id != config.client_id {
            return Err(invalid("it was begun with another issuer or client_id"));
        }
        check_state(callback, &saved.state)?;
        check_issuer(callback, &saved.issuer)?;
        callback.code()
    }

    async fn finish_saved(
        &self,
        saved: &Saved,
        callback: &Callback,
        options: &FinishOptions,
        call: &Call,
    ) -> Result<Identity> {
        let code = self.check_saved(saved, callback)?;
        if let Some(store) = &options.store
            && !store.claim(&saved.state)?
        {
            return Err(replayed());
        }
        let sent = AtomicBool::new(false);
        let exchange = self.exchange(saved, code, &sent, call);
        let (id_token, skew) = spent_once(exchange, &sent, call, EXCHANGE).await?;
        let claims = self.verified(saved, id_token.expose_secret(), skew, call).await?;
        call.trace.event(Level::Info, || "the ID token is verified".to_owned());
        let subject = claims.get("sub").and_then(Value::as_str).unwrap_or_default().to_owned();
        Ok(Identity { sign_id: saved.sign_id.clone(), subject, claims })
    }

    /// The ID token for a code, and how far this machine's clock is ahead of the provider's.
    async fn exchange(
        &self,
        saved: &Saved,
        code: &str,
        sent: &AtomicBool,
        call: &Call,
    ) -> Result<(SecretString, Option<f64>)> {
        let shared = &self.client.shared;
        let metadata = shared.discovery.get(shared, call).await?;
        let url = metadata.url("token_endpoint", "no code can be exchanged")?;
        let fields = [
            ("grant_type", "authorization_code"),
            ("code", code),
            ("redirect_uri", saved.redirect_uri.as_str()),
            ("code_verifier", saved.verifier.as_str()),
        ];
        let attempt = || self.exchange_once(&url, &fields, sent, call);
        shared.repeat_as(Repeat::IfUnsent, call, attempt).await
    }

    async fn exchange_once(
        &self,
        url: &Url,
        fields: &[(&str, &str)],
        sent: &AtomicBool,
        call: &Call,
    ) -> Result<(SecretString, Option<f64>)> {
        let shared = &self.client.shared;
        let asked_at = shared.clock.now();
        let Proof { form, authorization } = prove(&shared.config, fields, url.as_str(), asked_at)?;
        let request = Request {
            what: EXCHANGE,
            method: Method::POST,
            url: url.clone(),
            authorization,
            body: Body::Form(form),
            call,
        };
        sent.store(true, Ordering::SeqCst);
        let mut answer = shared.transport.exchange_once(request).await?;
        let date = answer.date();
        if answer.status() != 200 {
            let error = token_error(answer.into_raw().await, EXCHANGE);
            return Err(with_skew(error, &shared.config, date, asked_at));
        }
        let skew = date.map(|date| seconds(shared.clock.now()) - seconds(date));
        let kind = answer.content_type().to_owned();
        let body = Zeroizing::new(answer.body(ANSWER_CAP).await?);
        Ok((id_token_of(&body, &kind)?, skew))
    }

    async fn verified(
        &self,
        saved: &Saved,
        id_token: &str,
        skew: Option<f64>,
        call: &Call,
    ) -> Result<Map<String, Value>> {
        let shared = &self.client.shared;
        let token = Unverified::parse(id_token)?;
        let key = shared.jwks.key(shared, call, token.kid.as_deref(), token.algorithm).await?;
        let expected = Expected {
            issuer: shared.config.issuer(),
            client_id: &shared.config.client_id,
            nonce: &saved.nonce,
            now: shared.clock.now(),
            skew,
        };
        token.verify(&key, &expected)
    }
}

/// Runs the exchange of a code, which is good for one use: where its answer was lost, or the time
/// ran out while it was on its way, nobody knows whether it was used.
///
/// `sent` says whether the request has left.
pub(crate) async fn spent_once<T>(
    exchange: impl Future<Output = Result<T>>,
    sent: &AtomicBool,
    call: &Call,
    what: &'static str,
) -> Result<T> {
    let ended = tokio::time::timeout_at(call.deadline, exchange).await;
    let error = match ended.unwrap_or_else(|_| Err(deadline_passed(what))) {
        Ok(value) => return Ok(value),
        Err(error) => error,
    };
    if !leaves_doubt(&error) || !sent.load(Ordering::SeqCst) {
        return Err(error);
    }
    let told = format!(
        "{}; it is not known whether the code was used, and it is good for one use: begin a new login",
        error.message()
    );
    let cause = json!({
        "code": error.code().number(), "name": error.name(), "message": error.message(),
    });
    Err(Error::new(Code::OutcomeUnknown, told).with_detail("cause", cause))
}

/// Whether the answer was lost, or is one that something in between may have given.
fn leaves_doubt(error: &Error) -> bool {
    let is_its_own_word = matches!(error.code().number(), 300..=399 | 700..=799);
    match error.code() {
        Code::ConnectionLost
        | Code::ReadTimeout
        | Code::TotalTimeout
        | Code::TruncatedAnswer
        | Code::RequestFailed
        | Code::HtmlAnswer => true,
        // 501, 503 and 505 say that the request was not carried out.
        _ => {
            !is_its_own_word
                && matches!(error.http_status(), Some(300..=399 | 407 | 408 | 500 | 502 | 504))
        }
    }
}

fn seconds(time: SystemTime) -> f64 {
    time.duration_since(UNIX_EPOCH).unwrap_or_default().as_secs_f64()
}

/// 256 random bits as 43 characters: long enough for a code verifier (RFC 7636 section 4.1).
pub(crate) fn random_text() -> Result<String> {
    let mut bytes = Zeroizing::new([0; 32]);
    fill(&mut *bytes)?;
    Ok(URL_SAFE_NO_PAD.encode(*bytes))
}

/// The challenge of a code verifier (RFC 7636 section 4.2, `S256`).
pub(crate) fn challenge_of(verifier: &str) -> String {
    let digest = ring::digest::digest(&ring::digest::SHA256, verifier.as_bytes());
    URL_SAFE_NO_PAD.encode(digest)
}

fn authorize_url(mut address: Url, saved: &Saved, options: &LoginOptions) -> Url {
    let mut scopes = vec![OPENID, SIGN];
    for scope in &options.scopes {
        if !scopes.contains(&scope.as_str()) {
            scopes.push(scope);
        }
    }
    {
        let mut query = address.query_pairs_mut();
        query
            .append_pair("client_id", &saved.client_id)
            .append_pair("response_type", "code")
            .append_pair("scope", &scopes.join(" "))
            .append_pair("redirect_uri", &saved.redirect_uri)
            .append_pair("state", &saved.state)
            .append_pair("nonce", &saved.nonce)
            .append_pair("code_challenge", &challenge_of(&saved.verifier))
            .append_pair("code_challenge_method", "S256")
            .append_pair(QUERY_SIGN_ID, &saved.sign_id);
        if let Some(locales) = &options.ui_locales {
            query.append_pair("ui_locales", locales);
        }
        if let Some(mode) = &options.response_mode {
            query.append_pair("response_mode", mode);
        }
    }
    address
}

/// RFC 6749 section 3.1.2: absolute and without a fragment.
pub(crate) fn check_redirect(redirect_uri: &str) -> Result<()> {
    let why = match Url::parse(redirect_uri) {
        Err(error) => format!("is no absolute address: {error}"),
        Ok(url) if url.fragment().is_some() => "must not have a fragment (#)".to_owned(),
        Ok(_) => return Ok(()),
    };
    Err(Error::new(
        Code::InvalidArgument,
        format!("redirect_uri {why}; pass the address that is registered with the provider"),
    )
    .with_detail("field", "redirect_uri"))
}

pub(crate) fn replayed() -> Error {
    Error::new(
        Code::LoginReplayed,
        "this login was finished already; begin a new one for another identification",
    )
}

fn state_mismatch(why: &str) -> Error {
    Error::new(
        Code::LoginStateMismatch,
        format!("{why}; ignore the callback: it belongs to another login, or was forged"),
    )
}

/// The callback must carry the state of the login that it ends.
pub(crate) fn check_state(callback: &Callback, expected: &str) -> Result<()> {
    match callback.get("state")? {
        None => Err(state_mismatch("the callback has no state")),
        Some(state) if !is_equal(state, expected) => {
            Err(state_mismatch("the callback's state is not the one of this login"))
        }
        Some(_) => Ok(()),
    }
}

/// RFC 9207: a provider that names itself must be the one that was asked.
fn check_issuer(callback: &Callback, asked: &str) -> Result<()> {
    match callback.get("iss")? {
        Some(issuer) if issuer.trim_end_matches('/') != asked => {
            Err(state_mismatch("the callback comes from another issuer"))
        }
        _ => Ok(()),
    }
}

/// The ID token of a token answer. The answer's text is not told: it holds tokens.
fn id_token_of(body: &[u8], content_type: &str) -> Result<SecretString> {
    #[derive(Deserialize)]
    struct TokenAnswer {
        id_token: Option<String>,
    }
    let answer: TokenAnswer = serde_json::from_slice(body).map_err(|_| {
        let raw = RawAnswer::new(200, content_type, body, None);
        let why = match crate::error::ErrorBody::decode(&raw) {
            crate::error::ErrorBody::Html { .. } => "is an HTML page, probably from a proxy",
            crate::error::ErrorBody::Empty => "is empty",
            _ => "is no token answer",
        };
        Error::new(Code::OauthMalformed, format!("{EXCHANGE}: the provider's answer {why}"))
            .with_status(200)
    })?;
    answer.id_token.filter(|token| !token.is_empty()).map(SecretString::from).ok_or_else(|| {
        Error::new(
            Code::IdTokenMalformed,
            format!("{EXCHANGE}: the provider's answer holds no id_token"),
        )
        .with_status(200)
    })
}
