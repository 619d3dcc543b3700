//! The control surface: what a test does to the sandbox beside the service's own interface.
//!
//! Everything lives under `/_sandbox/` at the first address, takes and gives JSON, and needs no token. Requests to it
//! are not recorded and meet no faults. A refused control request is answered 400 with
//! `{"error": "..."}`.
//!
//! | method and path | body | answer |
//! |---|---|---|
//! | GET `/_sandbox/` | | the state: addresses, environment, clock, counts, refusals, converter |
//! | POST `/_sandbox/reset` | | forgets clock, tokens, orders, logins, faults, requests, conversions, and variants but those of the start; the state |
//! | GET `/_sandbox/clock` | | `{"now", "offset_seconds", "frozen"}`, `now` in seconds since 1970 |
//! | POST `/_sandbox/clock` | one of `{"advance_seconds": n}`, `{"set": unix}`, `{"frozen": bool}`, `{"reset": true}` | the clock |
//! | GET `/_sandbox/faults` | | `{"faults": [rule with "id", "used", "skipped"]}` |
//! | POST `/_sandbox/faults` | a rule or a list of rules | 201 `{"ids": [n]}` |
//! | DELETE `/_sandbox/faults`, `/_sandbox/faults/<id>` | | `{"removed": n}` |
//! | GET `/_sandbox/requests` (also `?method=`, `?path=`, `?refused=true`) | | `{"requests": [...], "forgotten": n}` |
//! | DELETE `/_sandbox/requests` | | `{"removed": n}` |
//! | POST `/_sandbox/tokens/revoke` | nothing for all tokens, or `{"token": "..."}` | `{"revoked": n}` |
//! | POST `/_sandbox/tokens/expire` | | `{"expired": n}` |
//! | POST `/_sandbox/clients` | `{"client_id", "client_secret"?, "scopes"?, "redirect_uris"?, "jwks"? and/or "public_key_pem"?}`: registers a client or changes what is given; keys replace the earlier ones | `{"clients": [id]}` |
//! | POST `/_sandbox/keys/rotate` | nothing, or `{"keep_previous": bool}` (default true) | `{"kid": "..."}` |
//! | GET, POST `/_sandbox/variants` | the fields to change, see [`crate::Variants`] and `docs/sandbox.md` | all variants |
//! | GET `/_sandbox/orders` | | `{"orders": [order], "gone": {sign_id: reason}}` |
//! | GET `/_sandbox/orders/<sign_id>` | | the order: kind, client, state, seconds left in the open window, signer, documents |
//! | POST `/_sandbox/orders/<sign_id>/sign`, `/cancel`, `/fail` | nothing, or `{"person": "kari"}` (`ola`, `ase`) | `{"order", "callback"}`: the order is brought to its end; when its end user is at the signing page they do it there, and `callback` is the way back |
//! | POST `/_sandbox/orders/<sign_id>/step` | the same | `{"order", "callback": null}`: the order moves one state on |
//! | POST `/_sandbox/visit` | `{"url", "action"?, "person"?}`: an authorize address, of the provider or of the CSC interface, and `sign` (default), `cancel` or `fail` | `{"callback": {"url", "method", "form"}}`: what a browser would send to the merchant |
//! | GET `/_sandbox/csc` | | `{"sessions": [...]}`: the signing sessions, with the endpoint that is next |
//! | POST `/_sandbox/csc/credentials/<credentialID>` | `{"status"}`: `valid`, `not_found`, `locked`, `expired`, `certificate_not_found`, `certificate_expired` or `certificate_revoked` | `{"changed": true}` |
//! | POST `/_sandbox/tsa` | a TimeStampReq (RFC 3161) | a TimeStampResp by the throw-away authority, at the sandbox's time |
//! | GET `/_sandbox/trust.pem` | | the root certificate above every signature, in PEM |
//! | GET `/_sandbox/converter` | | converter, renderer, limits, and the latest conversions with what lies behind their results |
//! | GET `/_sandbox/samples` | | `{"samples": [{"name", "title", "bytes", "errors", "warnings"}]}`, the last two as codes a conversion is expected to give |
//! | GET `/_sandbox/samples/<name>` | | the document, see [`crate::samples`] |
//!
//! # Rules
//! A rule is `{"method", "path", "times", "skip", "delay_ms", "fault"}`; only `fault` is required.
//! `method` and `path` default to `*`; a path may end in `*`. `times` is 1 by default, null for
//! always; `skip` lets that many matching requests pass first; `delay_ms` waits (real time) before
//! the answer. The first rule that matches and is not used up applies, one per request.
//!
//! | `fault` | what happens |
//! |---|---|
//! | `{"kind": "status", "status", "headers"?, "content_type"?, "body"? or "body_base64"? or "json"?, "before_body"?, "after_work"?}` | this answer instead of the real one; with `before_body` before the request's body is read, with `after_work` after the request was carried out |
//! | `{"kind": "delay"}` | only the rule's `delay_ms` |
//! | `{"kind": "reset", "when", "after_bytes"?}` | RST: `accept` (next new connection, method and path do not count), `before_body`, `after_body` (default; not carried out), `after_work` (carried out, not answered), `mid_answer` after `after_bytes` bytes of the body |
//! | `{"kind": "cut", "after_bytes", "how"?}` | the real answer's body ends early: `close` (default) closes the connection before the announced length, `complete` is correct HTTP with a shorter body |
//! | `{"kind": "close"}` | the real answer in full, then the connection is closed without having said so |
//! | `{"kind": "garbage", "bytes"?, "on_wire"?}` | random bytes as a body with status 200, or instead of HTTP |
//! | `{"kind": "html", "status"?}` | a proxy's page, status 502 by default |
//! | `{"kind": "empty", "status"?}` | an empty body without Content-Type, status 200 by default |
//! | `{"kind": "stall", "after_bytes"?, "for_ms"?}` | silence before the answer, or after so many bytes of its body; then the connection is closed, or never |
//! | `{"kind": "oversized", "bytes", "shape"?}` | status 200 with so many bytes of filler, in an `object` (default) or in the `document` of a conversion answer |
//! | `{"kind": "slow", "step_bytes", "pause_ms"}` | the real answer in small steps |
//! | `{"kind": "cut_document", "document"?, "at"?, "how"?}` | the real answer, cut at one of its documents (the first by default): `start`, `middle` (default), `end` or `closed`, which is after the closing quote; `how` may also be `reset` |
//! | `{"kind": "authorize_error", "error", "description"?}` | on the authorize endpoint: the browser is sent back with this error |
//! | `{"kind": "callback", "change"}` | on POST of the signing page (`…/openid-connect/sign`): the browser comes back with another `state`, with `no_state`, with a `code` that was never given, with `no_code` or with `two_codes` |
//! | `{"kind": "id_token", "change", "seconds"?}` | on the token endpoint, with a code: `nonce`, `no_nonce`, `expired`, `issuer`, `audience`, `azp`, `skew` (by `seconds`), `alg_none`, `hs256`, `unknown_kid`, `missing_kid`, `signature`, `rotated_key` |
//! | `{"kind": "download", "change"}` | on DELETE of an order: `signed_sha256`, `unsigned_sha256`, `other_sign_id`, `missing_document`, `other_document` |
//! | `{"kind": "csc_error", "code", "spends"?}` | on a CSC endpoint: refused with one of the 28 codes; with `spends` the service token is used up |
//! | `{"kind": "csc", "change"}` | on `signatures/signHash`: a signature over `other_hash`, `one_less`, `one_more`, or `reversed` |
//! | `{"kind": "expire_tokens"}` | all tokens expire, then the request is handled |
//! | `{"kind": "reject_token", "revoke"?}` | this request's token is refused, and by default revoked |
//!
//! An answer is lost after its order was deleted with `reset` and `"when": "after_work"`, or with
//! `status` and `"after_work": true`, on DELETE.
//!
//! With `reset` and `stall` before the answer, and with `status` (unless `after_work`), `garbage`, `html`, `empty` and
//! `oversized`, the request is not carried out.

use std::sync::{Arc, OnceLock};
use std::time::Duration;

use bytes::Bytes;
use http::{Method, StatusCode};
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value, json};
use signdoc_signature::pki::RevocationReason;

use crate::authority;
use crate::csc::{self, session::Status};
use crate::evidence;
use crate::faults::Rule;
use crate::http::{Answer, Call};
use crate::orders::control as orders;
use crate::samples::{self, Sample};
use crate::state::State;
use crate::sync::lock;
use crate::variants::Variants;

const PREFIX: &str = "/_sandbox";

/// Whether a path belongs to the control surface.
pub(crate) fn owns(path: &str) -> bool {
    path.strip_prefix(PREFIX).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
}

/// Answers a request to the control surface.
pub(crate) async fn answer(state: &Arc<State>, call: &Call) -> Answer {
    let path = call.path.strip_prefix(PREFIX).unwrap_or_default().trim_start_matches('/');
    let outcome = match (&call.method, path) {
        (&Method::GET, "") => Ok(overview(state)),
        (&Method::POST, "reset") => {
            state.reset();
            Ok(overview(state))
        }
        (&Method::GET, "clock") => Ok(clock(state)),
        (&Method::POST, "clock") => body(call).and_then(|change| set_clock(state, &change)),
        (&Method::GET, "faults") => Ok(json!({"faults": state.faults.list()})),
        (&Method::POST, "faults") => return add_faults(state, call),
        (&Method::DELETE, "faults") => {
            let count = state.faults.list().len();
            state.faults.clear();
            Ok(json!({"removed": count}))
        }
        (&Method::GET, "requests") => requests(state, call),
        (&Method::DELETE, "requests") => {
            let count = state.requests.list().len();
            state.requests.clear();
            Ok(json!({"removed": count}))
        }
        (&Method::POST, "tokens/revoke") => optional_body(call).map(|which| revoke(state, which)),
        (&Method::POST, "tokens/expire") => {
            let now = state.clock.now_millis();
            let count = state.tokens.count(now);
            state.tokens.expire_all(now);
            Ok(json!({"expired": count}))
        }
        (&Method::POST, "clients") => body(call)
            .and_then(|wanted| state.clients.register(wanted))
            .map(|()| json!({ "clients": state.clients.ids() })),
        (&Method::POST, "keys/rotate") => {
            optional_body(call).and_then(|change: Option<Rotation>| {
                let keep = change.is_none_or(|change| change.keep_previous);
                let alg = state.variants().id_token_alg;
                Ok(json!({"kid": state.keys.rotate(alg, &state.random, keep)?}))
            })
        }
        (&Method::GET, "orders") => Ok(state.orders.list(state.clock.now_millis())),
        (&Method::POST, "visit") => match body(call) {
            Ok(visit) => {
                let callback = orders::visit(state, &visit).await;
                callback.map(|callback| json!({ "callback": callback }))
            }
            Err(reason) => Err(reason),
        },
        (&Method::GET, "csc") => Ok(json!({"sessions": state.csc.sessions.describe()})),
        (&Method::POST, "tsa") => match timestamp(state, &call.body) {
            Ok(reply) => {
                return Answer::new(StatusCode::OK, "application/timestamp-reply", reply);
            }
            Err(reason) => Err(reason),
        },
        (&Method::POST, path) if path.starts_with("csc/credentials/") => {
            let id = path.strip_prefix("csc/credentials/").unwrap_or_default();
            body(call).and_then(|change| csc_status(state, id, &change))
        }
        (&Method::GET, "trust.pem") => match state.authority.pki(&state.random, &state.clock) {
            Ok(pki) => {
                let pem = Bytes::from(pki.trust_pem());
                return Answer::new(StatusCode::OK, "application/x-pem-file", pem);
            }
            Err(reason) => Err(reason),
        },
        (_, path) if path.starts_with("orders/") => match order(state, call, path).await {
            Some(outcome) => outcome,
            None => return unknown(call),
        },
        (&Method::GET, "variants") => Ok(json!(state.variants())),
        (&Method::POST, "variants") => body(call).and_then(|change| set_variants(state, change)),
        (&Method::GET, "converter") => Ok(state.engine.describe()),
        (&Method::GET, "samples") => Ok(list_samples()),
        (&Method::GET, path) => match path.strip_prefix("samples/").and_then(find_sample) {
            Some(bytes) => return Answer::new(StatusCode::OK, "application/pdf", bytes),
            None => return unknown(call),
        },
        (&Method::DELETE, path) => match path.strip_prefix("faults/").map(str::parse) {
            Some(Ok(id)) if state.faults.remove(id) => Ok(json!({"removed": 1})),
            Some(Ok(_)) => return error(StatusCode::NOT_FOUND, "no rule has this number"),
            _ => return unknown(call),
        },
        _ => return unknown(call),
    };
    match outcome {
        Ok(value) => Answer::json(StatusCode::OK, &value),
        Err(reason) => error(StatusCode::BAD_REQUEST, &reason),
    }
}

fn timestamp(state: &State, request: &[u8]) -> Result<Bytes, String> {
    let pki = state.authority.pki(&state.random, &state.clock)?;
    let reply = pki.timestamp_response(request, authority::time(state.clock.now_unix()));
    reply.map(Bytes::from).map_err(|error| error.to_string())
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct CredentialChange {
    status: Status,
}

fn csc_status(state: &State, id: &str, change: &CredentialChange) -> Result<Value, String> {
    if change.status == Status::CertificateRevoked
        && let Some(credential) = state.csc.sessions.find(id)
    {
        let pki = state.authority.pki(&state.random, &state.clock)?;
        let now = authority::time(state.clock.now_unix());
        pki.revoke(credential.identity.certificate(), now, RevocationReason::Unspecified);
    }
    match state.csc.sessions.set_status(id, change.status) {
        true => Ok(json!({"changed": true})),
        false => Err("no session lists this credential".to_owned()),
    }
}

/// A request about one order; `None` when there is no such request.
async fn order(state: &Arc<State>, call: &Call, path: &str) -> Option<Result<Value, String>> {
    let rest = path.strip_prefix("orders/")?;
    match (&call.method, rest.split_once('/')) {
        (&Method::GET, None) => Some(orders::describe(state, rest)),
        (&Method::POST, Some((id, verb))) => match optional_body(call) {
            Ok(who) => Some(orders::act(state, id, verb, who).await),
            Err(reason) => Some(Err(reason)),
        },
        _ => None,
    }
}

fn error(status: StatusCode, reason: &str) -> Answer {
    Answer::json(status, &json!({ "error": reason }))
}

fn unknown(call: &Call) -> Answer {
    let text = format!("the control surface does not know {} {}", call.method, call.path);
    error(StatusCode::NOT_FOUND, &text)
}

fn body<T: DeserializeOwned>(call: &Call) -> Result<T, String> {
    serde_json::from_slice(&call.body).map_err(|error| error.to_string())
}

fn optional_body<T: DeserializeOwned>(call: &Call) -> Result<Option<T>, String> {
    if call.body.is_empty() { Ok(None) } else { body(call).map(Some) }
}

/// The state in one document.
pub(crate) fn overview(state: &State) -> Value {
    let requests = state.requests.list();
    let refused: Vec<Value> = requests
        .iter()
        .filter_map(|seen| {
            let reason = seen.refused.as_ref()?;
            Some(json!({
                "id": seen.id, "at_ms": seen.at_ms, "method": seen.method, "path": seen.path,
                "status": seen.status, "reason": reason,
            }))
        })
        .collect();
    let tls = state.tls.as_ref().map(|tls| {
        json!({
            "certificate": tls.wanted.certificate.name(),
            "ca_pem": tls.ca_pem,
            "ca_file": tls.ca_file(),
            "client_certificate_pem": tls.client_pem,
            "client_certificate_file": tls.client_file(),
        })
    });
    json!({
        "version": env!("CARGO_PKG_VERSION"),
        "environment": state.environment.name(),
        "base_url": state.base_url,
        "orders_url": state.orders_url,
        "issuer": state.issuer(),
        "csc_url": format!("{}{}", state.base_url, csc::PATH),
        "tsa_url": format!("{}{}/tsa", state.base_url, evidence::PATH),
        "clients": state.clients.ids(),
        "tls": tls,
        "clock": clock(state),
        "tokens": state.tokens.count(state.clock.now_millis()),
        "faults": state.faults.list().len(),
        "requests": requests.len(),
        "refused": refused,
        "variants": state.variants(),
        "converter": state.engine.name().ok(),
        "converter_reason": state.engine.name().err(),
    })
}

fn clock(state: &State) -> Value {
    json!({
        "now": state.clock.now_unix(),
        "offset_seconds": state.clock.offset_seconds(),
        "frozen": state.clock.is_frozen(),
    })
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct ClockChange {
    advance_seconds: Option<u64>,
    set: Option<u64>,
    frozen: Option<bool>,
    #[serde(default)]
    reset: bool,
}

fn set_clock(state: &State, change: &ClockChange) -> Result<Value, String> {
    match (change.advance_seconds, change.set, change.frozen, change.reset) {
        (Some(seconds), None, None, false) => state.clock.advance(Duration::from_secs(seconds)),
        (None, Some(unix), None, false) => state.clock.set(unix),
        (None, None, Some(true), false) => state.clock.freeze(),
        (None, None, Some(false), false) => state.clock.unfreeze(),
        (None, None, None, true) => state.clock.reset(),
        _ => {
            return Err("give exactly one of advance_seconds, set, frozen and reset".to_owned());
        }
    }
    Ok(clock(state))
}

fn add_faults(state: &State, call: &Call) -> Answer {
    #[derive(Deserialize)]
    #[serde(untagged)]
    enum Given {
        Many(Vec<Value>),
        One(Value),
    }
    let added = body(call).and_then(|given| {
        let values = match given {
            Given::Many(values) => values,
            Given::One(value) => vec![value],
        };
        let rules = values
            .into_iter()
            .map(|value| serde_json::from_value::<Rule>(value).map_err(|error| error.to_string()))
            .collect::<Result<Vec<_>, _>>()?;
        let add = |rule| state.faults.add(rule).map_err(|error| error.to_string());
        rules.into_iter().map(add).collect::<Result<Vec<u64>, _>>()
    });
    match added {
        Ok(ids) => Answer::json(StatusCode::CREATED, &json!({ "ids": ids })),
        Err(reason) => error(StatusCode::BAD_REQUEST, &reason),
    }
}

fn requests(state: &State, call: &Call) -> Result<Value, String> {
    let mut list = state.requests.list();
    for (name, value) in call.query_pairs()? {
        match name.as_str() {
            "method" => list.retain(|seen| seen.method == value),
            "path" => list.retain(|seen| seen.path == value),
            "refused" if value == "true" => list.retain(|seen| seen.refused.is_some()),
            _ => return Err(format!("unknown query parameter {name}={value}")),
        }
    }
    Ok(json!({"requests": list, "forgotten": state.requests.forgotten()}))
}

/// The samples, made when first asked for. They always have the same bytes.
fn sample_list() -> &'static [Sample] {
    static SAMPLES: OnceLock<Vec<Sample>> = OnceLock::new();
    SAMPLES
        .get_or_init(|| [samples::all(1), samples::each_warning(), samples::near_misses()].concat())
}

fn list_samples() -> Value {
    let list: Vec<Value> = sample_list()
        .iter()
        .map(|sample| {
            let errors = sample.expectation.errors.iter().map(|error| error.code());
            let warnings = sample.expectation.warnings.iter().map(|warning| warning.code());
            json!({
                "name": sample.name,
                "title": sample.title,
                "bytes": sample.bytes.len(),
                "errors": errors.collect::<Vec<_>>(),
                "warnings": warnings.collect::<Vec<_>>(),
            })
        })
        .collect();
    json!({ "samples": list })
}

fn find_sample(name: &str) -> Option<Bytes> {
    let sample = sample_list().iter().find(|sample| sample.name == name)?;
    Some(Bytes::from_static(&sample.bytes))
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct WhichToken {
    token: String,
}

fn revoke(state: &State, which: Option<WhichToken>) -> Value {
    let count = match which {
        None => state.tokens.revoke_all(),
        Some(which) => usize::from(state.tokens.revoke(&which.token)),
    };
    json!({ "revoked": count })
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Rotation {
    keep_previous: bool,
}

/// Changes the given fields; the others stay.
fn set_variants(state: &State, change: Map<String, Value>) -> Result<Value, String> {
    let mut variants = lock(&state.variants);
    let mut whole = json!(*variants);
    if let Some(fields) = whole.as_object_mut() {
        fields.extend(change);
    }
    let changed: Variants = serde_json::from_value(whole).map_err(|error| error.to_string())?;
    *variants = changed;
    Ok(json!(*variants))
}
