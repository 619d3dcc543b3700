//! Which part of the service answers which path.

use std::sync::Arc;

use crate::convert;
use crate::csc;
use crate::evidence;
use crate::http::{Answer, Call};
use crate::identity;
use crate::orders;
use crate::state::State;

/// Answers one call.
pub(crate) async fn route(state: &Arc<State>, call: Call) -> Answer {
    let served = match call.path.as_str() {
        orders::PADES_PATH | orders::SDO_PATH => state.serves_orders(call.address),
        _ => state.serves_all_but_orders(call.address),
    };
    if !served {
        let reason = format!("{} is served at the other address", call.path);
        return Answer::not_found(&call.path).refused(reason);
    }
    if let Some(rest) = call.path.strip_prefix(identity::ISSUER_PATH) {
        return identity::answer(state, &call, rest).await;
    }
    if let Some(rest) = call.path.strip_prefix(csc::PATH) {
        return csc::answer(state, &call, rest).await;
    }
    if let Some(rest) = call.path.strip_prefix(evidence::PATH) {
        return evidence::answer(state, &call, rest);
    }
    match call.path.as_str() {
        convert::SPECS_PATH => convert::specs(state, &call),
        convert::CONVERT_PATH => convert::answer(state, call).await,
        orders::PADES_PATH => orders::answer(state, call, orders::Kind::Pades).await,
        orders::SDO_PATH => orders::answer(state, call, orders::Kind::Sdo).await,
        path => Answer::not_found(path),
    }
}
