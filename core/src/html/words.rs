//! What checks are about, and what to do where one was not made, for somebody who is no expert.

/// The question that a check answers.
pub(super) fn question(part: &str, is_sdo: bool) -> &'static str {
    match part {
        "document" if is_sdo => "Is every signature over this document?",
        "structure" if is_sdo => "Is the file what its format demands?",
        "document" => "Can the file be read?",
        "structure" => "Do all programs agree on what the file holds?",
        "integrity" | "digest" => "Are the bytes those that were signed?",
        "signature" | "cms" => "Does the signature hold?",
        "certificate" | "signing_certificate" => "Is the certificate the signer's?",
        "chain" => "Is the signer's certificate trusted?",
        "changes" => "Was nothing else changed?",
        "original" => "Is it the document that was sent?",
        "unsigned_digest" => "Is it the document that the service signed?",
        "signed_digest" => "Is it the file that the service delivered?",
        "seals" => "Do the visible seals stand where they should?",
        "signer" => "Was it signed by whom it was expected?",
        "purpose" => "Are the certificates for signing documents?",
        "content_commitment" => "Do the keys commit their owners to what they sign?",
        "conformance" => "Does everything follow the standards?",
        "timestamp" | "time" => "Is it proven when it was signed?",
        "revocation" => "Was no certificate revoked?",
        "level" => "Which level do the signatures reach?",
        "validation_data" => "Is there everything to verify it later?",
        "container" => "Is the bundle of evidence whole?",
        "manifest" => "Does its list name all that it holds?",
        "contents" => "Are its files those that were listed?",
        "container_timestamp" => "Is it proven since when the bundle exists?",
        "order" => "Is it what the service reported of the order?",
        "identity" => "Did the one who logged in sign?",
        "evidence" => "Can all evidence in the bundle be read?",
        "options" => "Could everything be answered that was asked?",
        _ => "",
    }
}

/// What to do where a check was not made.
pub(super) fn when_open(part: &str) -> &'static str {
    match part {
        "chain" => "Say which issuers of certificates you trust: nobody's name is proven without.",
        "original" => "Give the document as it was sent, and it is compared with this one.",
        "seals" => "Give the document as it was sent, and say where seals were asked for.",
        "timestamp" | "time" => "The time is the signer's word alone; nothing proves it.",
        "revocation" => "Ask the issuer, or have documents signed with their validation data.",
        "container_timestamp" => "Nothing proves since when the bundle exists.",
        "level" => "No standard level: how long the signature can be verified is not known.",
        "signature" | "cms" | "digest" | "integrity" => {
            "It rests on something that is not supported here; have it looked at elsewhere."
        }
        _ => "",
    }
}

/// What a change is.
pub(super) fn change(kind: &str) -> &'static str {
    match kind {
        "signature_field" => "signature field",
        "signature" => "signature",
        "document_timestamp" => "document timestamp",
        "seal" => "appearance of a signature",
        "listing" => "where a signature is listed",
        "form_value" => "form field filled in",
        "validation_data" => "validation data",
        "metadata" => "metadata",
        "declaration" => "declaration about the file",
        "restated" => "written again as it was",
        "file_structure" => "file structure",
        _ => "other change",
    }
}

/// What lies below a seal.
pub(super) fn below(word: &str) -> &'static str {
    match word {
        "text" => "text",
        "image" => "an image",
        "drawing" => "a drawing",
        "annotation" => "an annotation or form field",
        _ => "it is not known what",
    }
}

/// What is wrong with a seal's place.
pub(super) fn seal_problem(kind: &str) -> &'static str {
    match kind {
        "no_such_page" => "No such page",
        "off_page" => "Off the page",
        "too_large" => "Too large",
        "over_seal" => "Over another seal",
        "over_text" => "Over text",
        "over_image" => "Over an image",
        "over_annotation" => "Over an annotation or form field",
        "over_drawing" => "Over a drawing",
        _ => "Not known",
    }
}

/// A text as a sentence.
pub(super) fn sentence(text: &str) -> String {
    let mut letters = text.chars();
    let Some(first) = letters.next() else { return String::new() };
    let mut sentence: String = first.to_uppercase().chain(letters).collect();
    if !sentence.ends_with(['.', '?', '!']) {
        sentence.push('.');
    }
    sentence
}
