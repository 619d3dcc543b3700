//! Output intents (ISO 32000-2, 14.11.5), which say what colours are meant for.

use super::change::ChangeKind;
use super::place::Place;
use super::srgb::{MAX_PROFILE, is_srgb};
use super::step::{Step, resolve};
use crate::pdf::{Dict, Object, Stream};

const WHAT: &str = "the output intent of a seal's colours";
const WORDS: [&str; 6] =
    ["Type", "S", "OutputCondition", "OutputConditionIdentifier", "RegistryName", "Info"];

/// Whether a document without output intents got some that mean sRGB, which readers take colours
/// for anyhow. What makes them up is explained then.
pub(super) fn is_srgb_added(step: &mut Step<'_>, before: &Dict, after: &Dict) -> bool {
    let entry = step.entry(before, after, "OutputIntents");
    let Object::Array(intents) = &entry.after else { return false };
    let are_right = entry.before.is_null()
        && intents.iter().all(|intent| match resolve(&step.after, Some(intent)).0 {
            Object::Dict(dict) => is_srgb_intent(step, &dict),
            _ => false,
        });
    if are_right {
        step.claim_entry(&entry, Place::Intents, ChangeKind::Declaration, WHAT);
        step.cover_new(&entry.after, ChangeKind::Declaration, WHAT, true);
    }
    are_right
}

fn is_srgb_intent(step: &Step<'_>, dict: &Dict) -> bool {
    let is_word = |value: &Object| matches!(value, Object::Name(_) | Object::String(_));
    let is_known = |key: &str, value: &Object| match key {
        "DestOutputProfile" => match resolve(&step.after, Some(value)).0 {
            Object::Stream(stream) => is_srgb_stream(step, &stream),
            _ => false,
        },
        key => WORDS.contains(&key) && is_word(&resolve(&step.after, Some(value)).0),
    };
    !dict.has_repeated_keys()
        && dict.contains("DestOutputProfile")
        && dict.iter().all(|e| is_known(&e.key.to_text(), &e.value))
}

fn is_srgb_stream(step: &Step<'_>, stream: &Stream) -> bool {
    let decoded = step.after.stream_data(stream, MAX_PROFILE);
    decoded.is_ok_and(|decoded| !decoded.damaged && is_srgb(&decoded.data))
}
