//! The end user's redirect, for the Python side.

use pyo3::prelude::*;
use serde_json::Value;
use signdoc::{Callback, Client, FinishOptions, Login, LoginOptions};

use crate::buffer::next_number;
use crate::call::Call;
use crate::engine::{Engine, Limits, given, told};
use crate::errors::json_to_python;
use crate::orders::order_ref;

/// Gives `(url, sign_id, token)`.
#[pyfunction]
#[pyo3(signature = (engine, order, redirect_uri, *, ui_locales, scopes, response_mode, timeout))]
pub(crate) fn login_begin(
    engine: &Bound<'_, Engine>,
    order: &Bound<'_, PyAny>,
    redirect_uri: String,
    ui_locales: Option<String>,
    scopes: Vec<String>,
    response_mode: Option<String>,
    timeout: Limits,
) -> PyResult<Call> {
    let order = order_ref(order)?;
    let told = told(timeout);
    let options = LoginOptions { ui_locales, scopes, response_mode, call: told.options.clone() };
    let make = move |client: Client| async move {
        client.login().begin(order, &redirect_uri, &options).await
    };
    let give = |py: Python<'_>, login: Login| {
        let token = login.to_token();
        given(py, (login.url, login.sign_id, token))
    };
    Ok(engine.get().call(told, next_number(), make, give))
}

/// Gives `(sign_id, subject, claims)`. The callback is its address, or the fields of its form.
#[pyfunction]
#[pyo3(signature = (engine, token, url, form, *, timeout))]
pub(crate) fn login_finish(
    engine: &Bound<'_, Engine>,
    token: String,
    url: Option<String>,
    form: Option<Vec<(String, String)>>,
    timeout: Limits,
) -> Call {
    let callback = callback(url, form);
    let told = told(timeout);
    let options = FinishOptions { call: told.options.clone(), ..FinishOptions::default() };
    let make = move |client: Client| async move {
        client.login().finish(&token, callback, &options).await
    };
    let give = |py: Python<'_>, identity: signdoc::Identity| {
        let claims = json_to_python(py, &Value::Object(identity.claims))?;
        given(py, (identity.sign_id, identity.subject, claims))
    };
    engine.get().call(told, next_number(), make, give)
}

/// Gives `(id, sign_id)` of a callback that belongs to the login; nothing is sent.
#[pyfunction]
pub(crate) fn login_check(
    engine: &Bound<'_, Engine>,
    token: String,
    url: Option<String>,
    form: Option<Vec<(String, String)>>,
) -> Call {
    let callback = callback(url, form);
    let told = told((None, None, None));
    let make = move |client: Client| async move { client.login().check(&token, callback) };
    let give = |py: Python<'_>, check: signdoc::LoginCheck| given(py, (check.id, check.sign_id));
    engine.get().call(told, next_number(), make, give)
}

fn callback(url: Option<String>, form: Option<Vec<(String, String)>>) -> Callback {
    match form {
        Some(form) => Callback::from_pairs(form),
        None => Callback::from_url(&url.unwrap_or_default()),
    }
}
