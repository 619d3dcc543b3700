//! The end user's login to the interface, and the token that comes of it.

use std::fmt;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use http::Method;
use secrecy::SecretString;
use serde::{Deserialize, Serialize};
use signdoc_spec::endpoints::{PATH_CSC_AUTHORIZE, PATH_CSC_INFO, PATH_CSC_TOKEN};
use signdoc_spec::limits::CSC_DESCRIPTION_MAX;
use url::Url;
use zeroize::Zeroizing;

use super::checked::CscSession;
use super::exchange::{ANSWER_CAP, address, post};
use super::model::CscInfo;
use super::session::{Session, Token};
use crate::client::{Call, CallOptions, Client};
use crate::config::join;
use crate::error::{Code, Error, Result};
use crate::identity::{
    AccessToken, Callback, FinishOptions, challenge_of, check_redirect, check_state, open_login,
    random_text, replayed, seal_login, spent_once, token_error,
};
use crate::trace::Level;
use crate::transport::{Body, Repeat, Request};

const INFO: &str = "csc info";
const FINISH: &str = "finish csc login";
const EXCHANGE: &str = "csc code exchange";
const PURPOSE: &str = "csc";
/// CSC API v2, oauth2/authorize: the scope of a token for all credentials of the user.
const SCOPE: &str = "service";

/// The credential-based signing interface, see [`Client::csc`].
#[derive(Clone, Debug)]
pub struct Csc {
    client: Client,
}

/// Settings of [`Csc::begin`].
#[derive(Clone, Debug, Default)]
pub struct CscLoginOptions {
    /// Language of the login pages: `nb`, `nn` or `en`; the service takes its default for others.
    pub lang: Option<String>,
    /// What the user is asked to agree to, at most 500 characters.
    pub description: Option<String>,
}

/// A login that has begun: where to send the user, and what is needed to finish.
#[derive(Clone)]
pub struct CscLogin {
    /// The address to send the end user to.
    pub url: String,
    token: String,
}

impl CscLogin {
    /// The login as a sealed text for [`Csc::finish`]: safe in JSON, in a session, in a cookie.
    #[must_use]
    pub fn to_token(&self) -> String {
        self.token.clone()
    }
}

impl fmt::Debug for CscLogin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("CscLogin").finish_non_exhaustive()
    }
}

/// What is sealed.
#[derive(Serialize, Deserialize)]
struct Saved {
    state: String,
    verifier: String,
    redirect_uri: String,
    csc_url: String,
    client_id: String,
}

impl Client {
    /// The credential-based signing interface at `csc_url`.
    #[must_use]
    pub fn csc(&self) -> Csc {
        Csc { client: self.clone() }
    }
}

impl Csc {
    /// What the interface says of itself.
    ///
    /// A bearer token is sent along where the client can get one: the specification asks for it
    /// at every endpoint, the interface's public description does not.
    ///
    /// # Errors
    /// [`Code::MissingOption`] without `csc_url`; network, protocol and CSC errors.
    pub async fn info(&self, options: &CallOptions) -> Result<CscInfo> {
        let call = self.client.call(options);
        let config = &self.client.shared.config;
        let work = async {
            address(&self.client)?;
            let bearer = if config.has_secret() {
                Some(self.provider_token(&call).await?.value())
            } else {
                None
            };
            let body = serde_json::json!({});
            let value = post(&self.client, INFO, PATH_CSC_INFO, bearer.as_ref(), &body, &call);
            CscInfo::parse(value.await?)
        };
        self.client.within(&call, INFO, work).await
    }

    /// The address to send the end user to, and the sealed text to finish with. Sends nothing.
    ///
    /// Source: CSC API v2, oauth2/authorize; RFC 7636.
    ///
    /// # Errors
    /// [`Code::MissingOption`] without `csc_url`; [`Code::InvalidArgument`] for a redirect address
    /// that cannot be one or too long a description; [`Code::MissingSecret`] where there is
    /// nothing to seal with.
    pub fn begin(&self, redirect_uri: &str, options: &CscLoginOptions) -> Result<CscLogin> {
        check_redirect(redirect_uri)?;
        check_description(options.description.as_deref())?;
        let config = &self.client.shared.config;
        let base = address(&self.client)?;
        let saved = Saved {
            state: random_text()?,
            verifier: random_text()?,
            redirect_uri: redirect_uri.to_owned(),
            csc_url: base.to_string(),
            client_id: config.client_id.clone(),
        };
        let token = seal_login(config, PURPOSE, &saved, self.client.shared.clock.now())?;
        let url = authorize_url(base, &saved, options);
        Ok(CscLogin { url: url.into(), token })
    }

    /// Takes the callback and exchanges its code for a session, whose steps are types.
    ///
    /// # Errors
    /// As [`Csc::finish`].
    pub async fn finish_steps(
        &self,
        token: &str,
        callback: impl Into<Callback>,
        options: &FinishOptions,
    ) -> Result<Session> {
        let shared = &self.client.shared;
        let saved: Saved = open_login(&shared.config, PURPOSE, token, shared.clock.now())?;
        let callback = callback.into();
        let call = self.client.call(&options.call);
        let work = self.finish_saved(&saved, &callback, options, &call);
        let token = self.client.within(&call, FINISH, work).await?;
        Ok(Session::new(self.client.clone(), token))
    }

    /// Takes the callback and exchanges its code for a session.
    ///
    /// `token` is what [`CscLogin::to_token`] gave; `callback` the callback's address, or its form.
    ///
    /// # Errors
    /// * [`Code::LoginTokenInvalid`] when `token` was sealed with another key, or for another
    ///   `csc_url`; [`Code::LoginExpired`] when it is older than `login_lifetime`.
    /// * [`Code::LoginStateMismatch`] for a callback of another login: it must be ignored.
    /// * The errors on the redirect ([`Code::AuthorizeAccessDenied`] and the others), and at the
    ///   token endpoint ([`Code::OauthInvalidGrant`] for a replayed callback).
    /// * [`Code::LoginReplayed`] where the store knows the login already.
    /// * [`Code::OutcomeUnknown`] when the answer to the exchange was lost: the code may be used up.
    ///   The exchange is sent once, also where the provider's token was refused.
    pub async fn finish(
        &self,
        token: &str,
        callback: impl Into<Callback>,
        options: &FinishOptions,
    ) -> Result<CscSession> {
        self.finish_steps(token, callback, options).await.map(CscSession::new)
    }

    async fn finish_saved(
        &self,
        saved: &Saved,
        callback: &Callback,
        options: &FinishOptions,
        call: &Call,
    ) -> Result<Token> {
        let config = &self.client.shared.config;
        if saved.csc_url != address(&self.client)?.as_str() || saved.client_id != config.client_id {
            return Err(Error::new(
                Code::LoginTokenInvalid,
                "the saved login was begun with another csc_url or client_id",
            ));
        }
        check_state(callback, &saved.state)?;
        let code = callback.code()?;
        if let Some(store) = &options.store
            && !store.claim(&saved.state)?
        {
            return Err(replayed());
        }
        let sent = AtomicBool::new(false);
        let exchange = self.exchange(saved, code, &sent, call);
        let token = spent_once(exchange, &sent, call, EXCHANGE).await;
        let token = token.map_err(|error| match error.code() {
            Code::OutcomeUnknown => error.with_detail("session_over", true),
            _ => error,
        })?;
        call.trace.event(Level::Info, || "a csc session begins".to_owned());
        Ok(token)
    }

    /// Exchanges the code. A provider's token that was refused serves no other login.
    async fn exchange(
        &self,
        saved: &Saved,
        code: &str,
        sent: &AtomicBool,
        call: &Call,
    ) -> Result<Token> {
        let shared = &self.client.shared;
        let bearer = self.provider_token(call).await?;
        let url = join(address(&self.client)?, PATH_CSC_TOKEN);
        let form = exchange_form(saved, code);
        let attempt = || self.exchange_once(&url, &form, &bearer, sent, call);
        let exchanged = shared.repeat_as(Repeat::IfUnsent, call, attempt).await;
        exchanged.map_err(|error| {
            if error.http_status() != Some(401) {
                return error;
            }
            shared.tokens.reject(&shared.config.csc_scope, &bearer);
            let told =
                format!("{}; the code is not sent again: begin a new login", error.message());
            error.with_message(told)
        })
    }

    async fn exchange_once(
        &self,
        url: &Url,
        form: &SecretString,
        bearer: &AccessToken,
        sent: &AtomicBool,
        call: &Call,
    ) -> Result<Token> {
        let shared = &self.client.shared;
        let request = Request {
            what: EXCHANGE,
            method: Method::POST,
            url: url.clone(),
            authorization: Some(bearer.header()),
            body: Body::Form(form.clone()),
            call,
        };
        let asked_at = shared.clock.now();
        sent.store(true, Ordering::SeqCst);
        let mut answer = shared.transport.exchange_once(request).await?;
        if answer.status() != 200 {
            return Err(token_error(answer.into_raw().await, EXCHANGE));
        }
        let body = Zeroizing::new(answer.body(ANSWER_CAP).await?);
        let (value, lifetime) = read_token(&body)?;
        Ok(Token { value, expires_at: lifetime.map(|lifetime| asked_at + lifetime) })
    }

    async fn provider_token(&self, call: &Call) -> Result<AccessToken> {
        let shared = &self.client.shared;
        shared.tokens.get(shared, &shared.config.csc_scope, call).await
    }
}

fn exchange_form(saved: &Saved, code: &str) -> SecretString {
    let mut form = url::form_urlencoded::Serializer::new(String::new());
    form.extend_pairs([
        ("grant_type", "authorization_code"),
        ("code", code),
        ("client_id", saved.client_id.as_str()),
        ("redirect_uri", saved.redirect_uri.as_str()),
        ("code_verifier", saved.verifier.as_str()),
    ]);
    SecretString::from(form.finish())
}

fn authorize_url(base: &Url, saved: &Saved, options: &CscLoginOptions) -> Url {
    let mut url = join(base, PATH_CSC_AUTHORIZE);
    {
        let mut query = url.query_pairs_mut();
        query
            .append_pair("response_type", "code")
            .append_pair("client_id", &saved.client_id)
            .append_pair("redirect_uri", &saved.redirect_uri)
            .append_pair("scope", SCOPE)
            .append_pair("code_challenge", &challenge_of(&saved.verifier))
            .append_pair("code_challenge_method", "S256")
            .append_pair("state", &saved.state);
        if let Some(lang) = &options.lang {
            query.append_pair("lang", lang);
        }
        if let Some(description) = &options.description {
            query.append_pair("description", description);
        }
    }
    url
}

/// CSC API v2: a description has at most 500 characters.
pub(super) fn check_description(description: Option<&str>) -> Result<()> {
    let length = description.map_or(0, |text| text.chars().count());
    if length <= CSC_DESCRIPTION_MAX {
        return Ok(());
    }
    Err(Error::new(
        Code::InvalidArgument,
        format!("description has {length} characters; the limit is {CSC_DESCRIPTION_MAX}"),
    )
    .with_detail("field", "description")
    .with_detail("limit", CSC_DESCRIPTION_MAX)
    .with_detail("actual", length))
}

/// The session's token and its lifetime where the answer tells it. Its text is not told.
fn read_token(body: &[u8]) -> Result<(SecretString, Option<Duration>)> {
    #[derive(Deserialize)]
    struct Answer {
        access_token: String,
        #[serde(default, deserialize_with = "crate::identity::seconds")]
        expires_in: Option<f64>,
    }
    let malformed = |why: &str| {
        Error::new(Code::OauthMalformed, format!("{EXCHANGE}: the answer {why}")).with_status(200)
    };
    let answer: Answer =
        serde_json::from_slice(body).map_err(|_| malformed("is no token answer"))?;
    if answer.access_token.is_empty() {
        return Err(malformed("has an empty access_token"));
    }
    let lifetime = answer.expires_in.and_then(|s| Duration::try_from_secs_f64(s).ok());
    Ok((SecretString::from(answer.access_token), lifetime))
}
