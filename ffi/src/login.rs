//! `signdoc_login` and `signdoc_identity`: sending the end user to sign, and who came back.

use std::ffi::{CString, c_char};

use serde_json::Value;
use signdoc_core::{FinishOptions, LoginOptions};

use crate::call::{self, signdoc_call};
use crate::client::signdoc_client;
use crate::error::signdoc_error;
use crate::guard::Entry;
use crate::handle::{self, Handle};
use crate::order::signdoc_order;
use crate::view::{NO_TEXT, text};
use crate::wait;

/// A login that has begun. Its texts belong to it and live as long as it does. Freed with
/// signdoc_login_free.
pub struct signdoc_login {
    _opaque: [u8; 0],
}

/// Who signed, as the identity provider vouches for it. Its texts belong to it and live as long as
/// it does. Freed with signdoc_identity_free.
pub struct signdoc_identity {
    _opaque: [u8; 0],
}

pub(crate) struct Begun {
    url: CString,
    sign_id: CString,
    token: CString,
}

impl Begun {
    pub(crate) fn new(url: &str, sign_id: &str, token: &str) -> Self {
        Self { url: text(url), sign_id: text(sign_id), token: text(token) }
    }
}

pub(crate) struct Person {
    sign_id: CString,
    subject: CString,
    claims: CString,
}

impl Handle for signdoc_login {
    type Value = Begun;
    const TAG: u64 = u64::from_le_bytes(*b"sd-login");
    const KIND: &'static str = "signdoc_login";
}

impl Handle for signdoc_identity {
    type Value = Person;
    const TAG: u64 = u64::from_le_bytes(*b"sd-ident");
    const KIND: &'static str = "signdoc_identity";
}

/// The address to send the end user to, who signs the order there. `*out` is freed with
/// signdoc_login_free.
///
/// `redirect_uri`: where the user comes back to, as it is registered with the provider. The next
/// three may be NULL: `ui_locales`, languages of the provider's pages ("nb en"); `scopes`, more of
/// them for more claims, with blanks between ("profile"); `response_mode`, "query" (the provider's
/// default), "form_post" or "fragment". `timeout_ms` and `call` are as in signdoc_convert.
///
/// SIGNDOC_E_WINDOW_EXPIRED where `order` is the created one and 90 seconds have passed;
/// SIGNDOC_E_INVALID_ARGUMENT for a redirect address that cannot be one; SIGNDOC_E_MISSING_SECRET
/// where there is nothing to seal with; errors of discovery.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn signdoc_login_begin(
    client: *const signdoc_client,
    order: *const signdoc_order,
    redirect_uri: *const c_char,
    ui_locales: *const c_char,
    scopes: *const c_char,
    response_mode: *const c_char,
    timeout_ms: u64,
    call: *const signdoc_call,
    out: *mut *mut signdoc_login,
    error: *mut *mut signdoc_error,
) -> i32 {
    // SAFETY: the caller keeps the rules of the header.
    unsafe { Entry::new("signdoc_login_begin") }.status(error, |entry| {
        let engine = entry.handle(client, "client")?;
        let order = entry.handle(order, "order")?.reference();
        let redirect = entry.text(redirect_uri, "redirect_uri")?.to_owned();
        let owned = |text: Option<&str>| text.map(str::to_owned);
        let ui_locales = owned(entry.optional_text(ui_locales, "ui_locales")?);
        let scopes = entry.optional_text(scopes, "scopes")?.unwrap_or_default();
        let scopes = scopes.split_whitespace().map(str::to_owned).collect();
        let response_mode = owned(entry.optional_text(response_mode, "response_mode")?);
        let watch = entry.optional(call, "call")?;
        let out = entry.place(out, "out")?;
        let call = call::settings(timeout_ms, watch);
        let options = LoginOptions { ui_locales, scopes, response_mode, call };
        let login = wait::run(engine, watch, |client| async move {
            client.login().begin(order, &redirect, &options).await
        })?;
        out.put(handle::new(Begun::new(&login.url, &login.sign_id, &login.to_token())));
        Ok(())
    })
}

/// The address to send the end user to. Never NULL; empty for NULL.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn signdoc_login_url(login: *const signdoc_login) -> *const c_char {
    // SAFETY: the caller keeps the rules of the header.
    unsafe { Entry::new("signdoc_login_url") }
        .get(NO_TEXT, |entry| Ok(entry.handle(login, "login")?.url.as_ptr()))
}

/// The order it is for. Never NULL; empty for NULL.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn signdoc_login_sign_id(login: *const signdoc_login) -> *const c_char {
    // SAFETY: the caller keeps the rules of the header.
    unsafe { Entry::new("signdoc_login_sign_id") }
        .get(NO_TEXT, |entry| Ok(entry.handle(login, "login")?.sign_id.as_ptr()))
}

/// The login as a sealed text for signdoc_login_finish, also in another process, host or language:
/// safe in JSON, in a session, in a cookie. Never NULL; empty for NULL.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn signdoc_login_token(login: *const signdoc_login) -> *const c_char {
    // SAFETY: the caller keeps the rules of the header.
    unsafe { Entry::new("signdoc_login_token") }
        .get(NO_TEXT, |entry| Ok(entry.handle(login, "login")?.token.as_ptr()))
}

/// Takes what came back on the redirect, exchanges its code and verifies the ID token. `*out` is
/// freed with signdoc_identity_free.
///
/// `token` is what signdoc_login_token gave; `callback` is the whole address of the callback, or
/// the form it posted (application/x-www-form-urlencoded). `timeout_ms` and `call` are as in
/// signdoc_convert.
///
/// SIGNDOC_E_LOGIN_TOKEN_INVALID, SIGNDOC_E_LOGIN_STATE_MISMATCH (ignore such a callback), the
/// provider's own errors (SIGNDOC_E_AUTHORIZE_ACCESS_DENIED and the others,
/// SIGNDOC_E_OAUTH_INVALID_GRANT for a callback that was used before), and those of the ID token
/// (SIGNDOC_E_ID_TOKEN_...). Once `token` is opened, the details of every error have "sign_id":
/// what the user signed can still be downloaded.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn signdoc_login_finish(
    client: *const signdoc_client,
    token: *const c_char,
    callback: *const c_char,
    timeout_ms: u64,
    call: *const signdoc_call,
    out: *mut *mut signdoc_identity,
    error: *mut *mut signdoc_error,
) -> i32 {
    // SAFETY: the caller keeps the rules of the header.
    unsafe { Entry::new("signdoc_login_finish") }.status(error, |entry| {
        let engine = entry.handle(client, "client")?;
        let token = entry.text(token, "token")?.to_owned();
        let callback = entry.text(callback, "callback")?.to_owned();
        let watch = entry.optional(call, "call")?;
        let out = entry.place(out, "out")?;
        let options =
            FinishOptions { call: call::settings(timeout_ms, watch), ..Default::default() };
        let identity = wait::run(engine, watch, |client| async move {
            client.login().finish(&token, callback.as_str(), &options).await
        })?;
        out.put(handle::new(Person {
            sign_id: text(&identity.sign_id),
            subject: text(&identity.subject),
            claims: text(&Value::Object(identity.claims).to_string()),
        }));
        Ok(())
    })
}

/// The order that was signed. Never NULL; empty for NULL.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn signdoc_identity_sign_id(
    identity: *const signdoc_identity,
) -> *const c_char {
    // SAFETY: the caller keeps the rules of the header.
    unsafe { Entry::new("signdoc_identity_sign_id") }
        .get(NO_TEXT, |entry| Ok(entry.handle(identity, "identity")?.sign_id.as_ptr()))
}

/// The user at the provider ("sub"). Never NULL; empty for NULL.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn signdoc_identity_subject(
    identity: *const signdoc_identity,
) -> *const c_char {
    // SAFETY: the caller keeps the rules of the header.
    unsafe { Entry::new("signdoc_identity_subject") }
        .get(NO_TEXT, |entry| Ok(entry.handle(identity, "identity")?.subject.as_ptr()))
}

/// All claims of the verified ID token as a JSON object: personal data. Never NULL; empty for NULL.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn signdoc_identity_claims_json(
    identity: *const signdoc_identity,
) -> *const c_char {
    // SAFETY: the caller keeps the rules of the header.
    unsafe { Entry::new("signdoc_identity_claims_json") }
        .get(NO_TEXT, |entry| Ok(entry.handle(identity, "identity")?.claims.as_ptr()))
}

/// Frees a login; it can still be finished with its token. NULL is fine.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn signdoc_login_free(login: *mut signdoc_login) {
    // SAFETY: the caller keeps the rules of the header.
    unsafe { Entry::new("signdoc_login_free") }.get((), |entry| {
        entry.free(login);
        Ok(())
    });
}

/// Frees an identity with its texts. NULL is fine.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn signdoc_identity_free(identity: *mut signdoc_identity) {
    // SAFETY: the caller keeps the rules of the header.
    unsafe { Entry::new("signdoc_identity_free") }.get((), |entry| {
        entry.free(identity);
        Ok(())
    });
}
