//! The order endpoints of both kinds, PAdES and SEID-SDO.
//!
//! What the specification leaves open is settled like this:
//! - Requests are judged in this order: method, access token, form (400 with every problem),
//!   conversion, PDFs that cannot be signed (400).
//! - When a document with a `pdfSpec` is not converted, there is no order in production (400 with
//!   `conversionResults`). In the testing environment no conversion succeeds, and orders must be
//!   possible all the same: there the order is created with the documents as they were sent, and the
//!   answer says why they were not converted. The variant `failed_conversion` decides otherwise.
//! - `signProperties` with `orderName`, `padesSignProperties` with `addVisualSeals`, `documents` and
//!   `resultContent` are required, as the service's public documentation says.
//! - `conversionResults` has one element for every document as soon as one document has a `pdfSpec`;
//!   those of the others say `converted: false` without an error, or are left out by the variant
//!   `create_results`.
//! - An order belongs to the client that made it; to others it is unknown.
//! - An order that is unknown, of the other kind, out of its window or fetched already is answered
//!   404; the variant `unknown_order` has other statuses.
//! - The first window ends 90 seconds after the order was made; the end user's arrival at the
//!   authorize endpoint closes it. From then on `timeoutSeconds` count: when they are over the order
//!   is FAILED. 90 seconds after a final state the order is gone.
//! - A text is signed as ISO-8859-1, and as UTF-8 when it has other characters; an empty one is
//!   refused. A stylesheet may be called `xls` or `xsl`.
//! - DELETE always deletes. An order that is not completed gives its state and no documents. The
//!   variant `unfinished_delete` has other answers.
//! - Seals with a position stand there. Those without one stand side by side at the lower edge of
//!   the first page, smaller where there is little room, and never over another seal.

pub(crate) mod answer;
pub(crate) mod control;
pub(crate) mod order;
pub(crate) mod pades;
pub(crate) mod request;
pub(crate) mod sdo;
mod seals;
pub(crate) mod steps;
pub(crate) mod store;

use std::sync::Arc;

use http::{Method, StatusCode};
use serde_json::json;
use tokio::task::spawn_blocking;

pub(crate) use self::order::Kind;
use self::order::{Order, OrderState};
use self::request::Wanted;
use crate::Environment;
use crate::convert::disabled;
use crate::convert::engine::{self, Job, Outcome};
use crate::faults::Twist;
use crate::http::{Answer, Call};
use crate::identity::tokens::SIGNDOC_SCOPES;
use crate::state::State;
use crate::variants::{CreateResults, OrderStateForm, UnfinishedDelete, UnknownOrder, Variants};

/// Path of PAdES orders.
pub(crate) const PADES_PATH: &str = "/signdoc/pades";
/// Path of SEID-SDO orders.
pub(crate) const SDO_PATH: &str = "/signdoc";

/// Answers a request to one of the two paths.
pub(crate) async fn answer(state: &Arc<State>, call: Call, kind: Kind) -> Answer {
    let variants = state.variants();
    let unasked = variants.order_state == OrderStateForm::MethodNotAllowed;
    if unasked && call.method == Method::GET {
        return Answer::method_not_allowed(&call.method, "POST, DELETE");
    }
    if ![Method::POST, Method::GET, Method::DELETE].contains(&call.method) {
        return Answer::method_not_allowed(&call.method, "POST, GET, DELETE");
    }
    let client = match state.authorize(&call, &SIGNDOC_SCOPES) {
        Ok(grant) => grant.client_id,
        Err(reason) => return state.token_refusal(reason),
    };
    if call.method == Method::POST {
        return create(state, call, kind, client).await;
    }
    let id = match sign_id(&call) {
        Ok(id) => id,
        Err(problem) => return refused(state, StatusCode::BAD_REQUEST, vec![problem]),
    };
    let own = (id.as_str(), kind, client.as_str());
    let now = state.clock.now_millis();
    let outcome = if call.method == Method::GET {
        state.orders.with_own(own, now, |order| Ok(answer::state(order, &variants)))
    } else {
        delete(state, own, now, &variants, call.twist.as_ref())
    };
    // a stranger learns only that there is no such order; the reason stays with the sandbox
    outcome.unwrap_or_else(|reason| {
        let status = match variants.unknown_order {
            UnknownOrder::NotFound => StatusCode::NOT_FOUND,
            UnknownOrder::Gone => StatusCode::GONE,
            UnknownOrder::BadRequest => StatusCode::BAD_REQUEST,
        };
        refused(state, status, vec!["Unknown 'sign_id'".to_owned()]).refused(reason)
    })
}

fn delete(
    state: &State,
    own: (&str, Kind, &str),
    now: u64,
    variants: &Variants,
    twist: Option<&Twist>,
) -> Result<Answer, String> {
    if variants.unfinished_delete == UnfinishedDelete::Refused {
        let current = state.orders.with_own(own, now, |order| Ok(order.state))?;
        if !current.is_final() {
            let problem = format!("The order is {}", current.name());
            return Ok(refused(state, StatusCode::BAD_REQUEST, vec![problem]));
        }
    }
    let order = state.orders.take(own, now)?;
    let unfinished = order.state != OrderState::Completed;
    Ok(match variants.unfinished_delete {
        UnfinishedDelete::Empty if unfinished => Answer::json(StatusCode::OK, &json!({})),
        UnfinishedDelete::NoContent if unfinished => Answer::no_content(),
        _ => answer::download(&order, variants, twist),
    })
}

fn refused(state: &State, status: StatusCode, problems: Vec<String>) -> Answer {
    answer::refusal(status, &problems, &state.variants())
}

/// The order a query or download is about.
fn sign_id(call: &Call) -> Result<String, String> {
    call.require_accepts("application/json")?;
    if !call.body.is_empty() {
        return Err("this request has no body".to_owned());
    }
    let mut found = None;
    for (name, value) in call.query_pairs()? {
        if name != "sign_id" {
            return Err(format!("Unknown query parameter {}", crate::json::shown(&name)));
        }
        if found.replace(value).is_some() {
            return Err("Query parameter 'sign_id' stands twice".to_owned());
        }
    }
    found.filter(|id| !id.is_empty()).ok_or_else(|| "Missing query parameter: 'sign_id'".to_owned())
}

async fn create(state: &Arc<State>, call: Call, kind: Kind, client: String) -> Answer {
    let variants = state.variants();
    let texts = variants.texts;
    let read = spawn_blocking(move || {
        let form = call
            .require_no_query()
            .and_then(|()| call.require_content_type("application/json"))
            .and_then(|()| call.require_accepts("application/json"));
        form.map_err(|problem| vec![problem])?;
        request::read(&call.body, kind, texts)
    });
    let mut wanted = match read.await {
        Ok(Ok(wanted)) => wanted,
        Ok(Err(problems)) => return refused(state, StatusCode::BAD_REQUEST, problems),
        Err(_) => return broken_off(),
    };
    let outcomes = if wanted.documents.iter().any(|document| document.convert) {
        let outcomes = convert(state, &mut wanted, &variants).await;
        let failed = outcomes.iter().any(Outcome::is_failed);
        if failed && !variants.failed_conversion.creates(state.environment) {
            return answer::not_converted(&outcomes, &variants);
        }
        Some(outcomes)
    } else {
        None
    };
    if kind == Kind::Pades {
        let (seals, documents) = (wanted.visual_seals, wanted.documents.clone());
        let checked = spawn_blocking(move || {
            let each = documents.iter().enumerate();
            each.filter_map(|(index, document)| {
                let error = pades::check(document, seals).err()?;
                Some(format!("documents[{index}].pdf cannot be signed: {error}"))
            })
            .collect::<Vec<_>>()
        });
        match checked.await {
            Ok(problems) if problems.is_empty() => {}
            Ok(problems) => return refused(state, StatusCode::BAD_REQUEST, problems),
            Err(_) => return broken_off(),
        }
    }
    let id = state.random.uuid();
    state.orders.add(order(state, &id, kind, client, wanted));
    answer::created(&id, outcomes.as_deref(), &variants)
}

fn broken_off() -> Answer {
    Answer::text(StatusCode::INTERNAL_SERVER_ERROR, "internal error")
        .refused("reading the request failed")
}

fn order(state: &State, id: &str, kind: Kind, client_id: String, wanted: Wanted) -> Order {
    Order {
        id: id.to_owned(),
        client_id,
        kind,
        properties: wanted.properties,
        visual_seals: wanted.visual_seals,
        documents: Arc::new(wanted.documents),
        results: wanted.results,
        state: OrderState::Received,
        created_ms: state.clock.now_millis(),
        started_ms: None,
        ended_ms: None,
        busy: false,
        signer: None,
        note: None,
        progress: Arc::default(),
        signed: Arc::default(),
    }
}

/// Converts the documents that ask for it; they are replaced by what came out.
async fn convert(state: &Arc<State>, wanted: &mut Wanted, variants: &Variants) -> Vec<Outcome> {
    let name = wanted.properties.name.clone();
    let job = |(index, document): (usize, &request::Document)| Job {
        id: state.random.uuid(),
        description: request::description(&name, index),
        pdf: document.content.bytes.clone(),
        allow_signed: false,
    };
    let jobs: Vec<Job> = wanted.documents.iter().enumerate().map(job).collect();
    let asked = wanted.documents.iter().map(|document| document.convert);
    let (asked_for, others): (Vec<_>, Vec<_>) =
        jobs.into_iter().zip(asked).enumerate().partition(|(_, (_, asked))| *asked);
    let places: Vec<usize> = asked_for.iter().map(|(index, _)| *index).collect();
    let jobs: Vec<Job> = asked_for.into_iter().map(|(_, (job, _))| job).collect();
    let converted = match state.environment {
        Environment::Test => jobs.into_iter().map(disabled).collect(),
        Environment::Production => engine::convert(state, jobs).await,
    };
    let mut outcomes: Vec<(usize, Outcome)> = places.into_iter().zip(converted).collect();
    for (index, outcome) in &outcomes {
        if let (Some(document), Some(bytes)) = (wanted.documents.get_mut(*index), &outcome.document)
        {
            document.content.bytes = bytes.clone();
            document.content.shown = bytes.clone();
        }
    }
    if variants.create_results == CreateResults::EveryDocument {
        outcomes.extend(others.into_iter().map(|(index, (job, _))| (index, Outcome::of(job))));
    }
    outcomes.sort_by_key(|(index, _)| *index);
    outcomes.into_iter().map(|(_, outcome)| outcome).collect()
}
