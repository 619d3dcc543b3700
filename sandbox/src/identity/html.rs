//! The pages an end user sees: plain HTML that works without scripts, in English and Norwegian,
//! marked up for those who do not see it.

use std::sync::OnceLock;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use http::StatusCode;
use http::header::{
    CACHE_CONTROL, CONTENT_SECURITY_POLICY, REFERRER_POLICY, X_CONTENT_TYPE_OPTIONS,
};

use super::callback::Callback;
use super::persons::Person;
use crate::form as forms;
use crate::http::Answer;
use crate::requests::sha256;

/// Text and background differ by at least 7:1, the border of the focus by more than 3:1 (WCAG 2.2,
/// 1.4.6 and 2.4.13).
const STYLE: &str = "\
body{font:1.125rem/1.5 system-ui,sans-serif;color:#1b1b1b;background:#fff;margin:0;\
overflow-wrap:anywhere}\
main{max-width:42rem;margin:0 auto;padding:1.5rem}\
h1{font-size:1.75rem;line-height:1.2}h2{font-size:1.3rem}\
.note{border-left:.4rem solid #7a4b00;background:#fff4e0;padding:.6rem 1rem}\
.problem{border:2px solid #8c0d0d;background:#fdecec;padding:.6rem 1rem}\
ol{padding-left:1.5rem}li{margin:0 0 1rem}dl{margin:0}dt{font-weight:600}dd{margin:0 0 .5rem}\
a{color:#003d82}label{display:block;margin:1rem 0}\
select,button{font:inherit;padding:.6rem 1.2rem;border:2px solid #1b1b1b;border-radius:.3rem;\
background:#fff;color:#1b1b1b;min-height:3rem}\
select{display:block;margin-top:.3rem;max-width:100%}.check{display:flex;gap:.6rem}\
input{flex:none;width:1.5rem;height:1.5rem;margin:.1rem 0 0}\
.actions{display:flex;flex-wrap:wrap;gap:1rem;margin-top:1.5rem}\
.main{background:#003d82;border-color:#003d82;color:#fff}\
a.main{display:inline-block;padding:.75rem 1.3rem;border-radius:.3rem;text-decoration:none}\
:focus-visible{outline:4px solid #b34700;outline-offset:3px}";

/// The words of the pages.
struct Words {
    lang: &'static str,
    sandbox: &'static str,
    sign_title: &'static str,
    order: &'static str,
    merchant: &'static str,
    documents: &'static str,
    document: &'static str,
    description: &'static str,
    kind: &'static str,
    size: &'static str,
    open: &'static str,
    person: &'static str,
    understood: &'static str,
    not_understood: &'static str,
    sign: &'static str,
    cancel: &'static str,
    fail: &'static str,
    approve_title: &'static str,
    approve: &'static str,
    done_title: &'static str,
    done: &'static str,
    back_title: &'static str,
    back: &'static str,
    problem_title: &'static str,
    problem: &'static str,
}

const ENGLISH: Words = Words {
    lang: "en",
    sandbox: "This is a sandbox. Nothing that is signed here binds anybody.",
    sign_title: "Sign documents",
    order: "Order",
    merchant: "From",
    documents: "Documents",
    document: "Document",
    description: "Description",
    kind: "Type",
    size: "Size",
    open: "Open document",
    person: "Sign as this test person",
    understood: "I have read and understood the documents",
    not_understood: "Confirm that you have read and understood the documents, then sign.",
    sign: "Sign",
    cancel: "Cancel",
    fail: "Let signing fail",
    approve_title: "Approve signing",
    approve: "A certificate is issued in your name, and signs for this session.",
    done_title: "Signing completed",
    done: "The documents are signed.",
    back_title: "Back to the merchant",
    back: "Continue",
    problem_title: "This is not possible",
    problem: "The request cannot be served:",
};

const NORWEGIAN: Words = Words {
    lang: "nb",
    sandbox: "Dette er en sandkasse. Ingenting som signeres her, er bindende.",
    sign_title: "Signer dokumenter",
    order: "Oppdrag",
    merchant: "Fra",
    documents: "Dokumenter",
    document: "Dokument",
    description: "Beskrivelse",
    kind: "Type",
    size: "Størrelse",
    open: "Åpne dokument",
    person: "Signer som denne testpersonen",
    understood: "Jeg har lest og forstått dokumentene",
    not_understood: "Bekreft at du har lest og forstått dokumentene, og signer deretter.",
    sign: "Signer",
    cancel: "Avbryt",
    fail: "La signeringen mislykkes",
    approve_title: "Godkjenn signering",
    approve: "Et sertifikat blir utstedt i ditt navn, og signerer i denne økten.",
    done_title: "Signeringen er fullført",
    done: "Dokumentene er signert.",
    back_title: "Tilbake til brukerstedet",
    back: "Fortsett",
    problem_title: "Dette går ikke",
    problem: "Forespørselen kan ikke utføres:",
};

fn words(norwegian: bool) -> &'static Words {
    if norwegian { &NORWEGIAN } else { &ENGLISH }
}

/// What the signing page shows of an order.
pub(crate) struct Shown<'a> {
    pub(crate) session: &'a str,
    pub(crate) norwegian: bool,
    pub(crate) order_name: &'a str,
    pub(crate) merchant: &'a str,
    pub(crate) documents: Vec<ShownDocument>,
    pub(crate) asks_understanding: bool,
    /// The end user pressed sign without confirming.
    pub(crate) not_understood: bool,
}

/// One document on the signing page.
pub(crate) struct ShownDocument {
    pub(crate) description: String,
    pub(crate) kind: String,
    pub(crate) bytes: usize,
}

/// The answer with a page: never stored, without scripts, in nobody's frame.
pub(crate) fn answer(status: StatusCode, page: String) -> Answer {
    static POLICY: OnceLock<String> = OnceLock::new();
    let policy = POLICY.get_or_init(|| {
        let hash = STANDARD.encode(sha256(STYLE.as_bytes()));
        format!(
            "default-src 'none'; style-src 'sha256-{hash}'; base-uri 'none'; \
             frame-ancestors 'none'"
        )
    });
    Answer::html(status, page)
        .header(CACHE_CONTROL, "no-store")
        .header(CONTENT_SECURITY_POLICY, policy.as_str())
        .header(REFERRER_POLICY, "no-referrer")
        .header(X_CONTENT_TYPE_OPTIONS, "nosniff")
}

/// Text as it may stand in an element or a quoted attribute.
fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for character in text.chars() {
        match character {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\'' => out.push_str("&#39;"),
            other => out.push(other),
        }
    }
    out
}

fn page(words: &Words, title: &str, content: &str) -> String {
    let (lang, sandbox) = (words.lang, words.sandbox);
    format!(
        "<!DOCTYPE html>\n<html lang=\"{lang}\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta name=\"viewport\" content=\"width=device-width,initial-scale=1\">\n\
         <title>{title}</title>\n<style>{STYLE}</style>\n</head>\n<body>\n<main>\n\
         <h1>{title}</h1>\n<p class=\"note\">{sandbox}</p>\n{content}</main>\n</body>\n</html>\n"
    )
}

/// The signing page.
pub(crate) fn signing(shown: &Shown<'_>) -> String {
    let w = words(shown.norwegian);
    let session = escaped(shown.session);
    let mut out = String::new();
    if shown.not_understood {
        out.push_str(&format!(
            "<p class=\"problem\" role=\"alert\" id=\"problem\">{}</p>\n",
            w.not_understood
        ));
    }
    out.push_str(&format!(
        "<dl>\n<dt>{}</dt><dd id=\"order\">{}</dd>\n<dt>{}</dt><dd id=\"merchant\">{}</dd>\n\
         </dl>\n<h2 id=\"documents\">{}</h2>\n<ol aria-labelledby=\"documents\">\n",
        w.order,
        escaped(shown.order_name),
        w.merchant,
        escaped(shown.merchant),
        w.documents
    ));
    for (index, document) in shown.documents.iter().enumerate() {
        let number = index + 1;
        let description = escaped(&document.description);
        out.push_str(&format!(
            "<li>\n<dl>\n<dt>{}</dt><dd>{description}</dd>\n<dt>{}</dt><dd>{}</dd>\n\
             <dt>{}</dt><dd>{}</dd>\n</dl>\n\
             <a href=\"sign/document?session={session}&amp;number={number}\" \
             target=\"_blank\" rel=\"noopener\">{} {number}: {description}</a>\n</li>\n",
            w.description,
            w.kind,
            escaped(&document.kind),
            w.size,
            size(document.bytes, shown.norwegian),
            w.open
        ));
    }
    out.push_str("</ol>\n");
    out.push_str(&form(w, "sign", &session, shown.asks_understanding, shown.not_understood));
    page(w, w.sign_title, &out)
}

/// The page on which an end user lets a merchant sign with a certificate in their name.
pub(crate) fn approving(
    session: &str,
    merchant: &str,
    description: Option<&str>,
    norwegian: bool,
) -> String {
    let w = words(norwegian);
    let mut out = format!(
        "<p>{}</p>\n<dl>\n<dt>{}</dt><dd id=\"merchant\">{}</dd>\n",
        w.approve,
        w.merchant,
        escaped(merchant)
    );
    if let Some(text) = description {
        out.push_str(&format!("<dt>{}</dt><dd>{}</dd>\n", w.description, escaped(text)));
    }
    out.push_str("</dl>\n");
    out.push_str(&form(w, "page", &escaped(session), false, false));
    page(w, w.approve_title, &out)
}

/// Who acts, and the buttons; `session` is escaped already.
fn form(w: &Words, action: &str, session: &str, asks: bool, not_understood: bool) -> String {
    let mut out = format!(
        "<form method=\"post\" action=\"{action}\">\n\
         <input type=\"hidden\" name=\"session\" value=\"{session}\">\n\
         <label for=\"person\">{}\n<select id=\"person\" name=\"person\">\n",
        w.person
    );
    for person in Person::ALL {
        let name = escaped(&person.name());
        out.push_str(&format!("<option value=\"{}\">{name}</option>\n", person.key()));
    }
    out.push_str("</select></label>\n");
    if asks {
        let described =
            if not_understood { " aria-invalid=\"true\" aria-describedby=\"problem\"" } else { "" };
        out.push_str(&format!(
            "<label class=\"check\" for=\"understood\"><input type=\"checkbox\" id=\"understood\" \
             name=\"understood\" value=\"yes\"{described}> {}</label>\n",
            w.understood
        ));
    }
    out.push_str(&format!(
        "<div class=\"actions\">\n\
         <button class=\"main\" type=\"submit\" name=\"action\" value=\"sign\">{}</button>\n\
         <button type=\"submit\" name=\"action\" value=\"cancel\">{}</button>\n\
         <button type=\"submit\" name=\"action\" value=\"fail\">{}</button>\n</div>\n</form>\n",
        w.sign, w.cancel, w.fail
    ));
    out
}

fn size(bytes: usize, norwegian: bool) -> String {
    let (unit, divisor) = match bytes {
        0..1000 => return format!("{bytes} B"),
        1000..1_000_000 => ("kB", 1e3),
        _ => ("MB", 1e6),
    };
    let number = format!("{:.1}", bytes as f64 / divisor);
    format!("{} {unit}", if norwegian { number.replace('.', ",") } else { number })
}

/// The page after signing, when the order asks for a confirmation.
pub(crate) fn confirmation(back: &Callback, norwegian: bool) -> String {
    let w = words(norwegian);
    let done = format!("<p role=\"status\">{}</p>\n{}", w.done, link(back, w));
    page(w, w.done_title, &done)
}

/// The page that takes the browser back by a form.
pub(crate) fn way_back(back: &Callback, norwegian: bool) -> String {
    let w = words(norwegian);
    page(w, w.back_title, &link(back, w))
}

fn link(back: &Callback, w: &Words) -> String {
    let url = escaped(&back.url());
    let Some(fields) = back.form() else {
        return format!("<p><a class=\"main\" id=\"continue\" href=\"{url}\">{}</a></p>\n", w.back);
    };
    let mut out = format!("<form method=\"post\" action=\"{url}\" id=\"continue\">\n");
    // written by ourselves a moment ago
    for (name, value) in forms::parse(&fields).unwrap_or_default() {
        out.push_str(&format!(
            "<input type=\"hidden\" name=\"{}\" value=\"{}\">\n",
            escaped(&name),
            escaped(&value)
        ));
    }
    out.push_str(&format!("<button class=\"main\" type=\"submit\">{}</button>\n</form>\n", w.back));
    out
}

/// A page that says what is wrong.
pub(crate) fn problem(reason: &str, norwegian: bool) -> String {
    let w = words(norwegian);
    let text =
        format!("<p class=\"problem\" role=\"alert\">{} {}</p>\n", w.problem, escaped(reason));
    page(w, w.problem_title, &text)
}

/// What a document without a description of its own is called on the page.
pub(crate) fn document_name(number: usize, norwegian: bool) -> String {
    format!("{} {number}", words(norwegian).document)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_from_a_request_becomes_markup() {
        let hostile = "<script>'\"&";
        let shown = Shown {
            session: hostile,
            norwegian: false,
            order_name: hostile,
            merchant: hostile,
            documents: vec![ShownDocument {
                description: hostile.to_owned(),
                kind: hostile.to_owned(),
                bytes: 1,
            }],
            asks_understanding: true,
            not_understood: true,
        };
        let back = Callback::new(format!("https://a/{hostile}"), Default::default(), None);
        for page in [
            signing(&shown),
            problem(hostile, true),
            confirmation(&back, false),
            way_back(&back, true),
        ] {
            assert!(!page.contains("<script"), "{page}");
            assert!(!page.contains("'\"&<"), "{page}");
        }
    }

    #[test]
    fn sizes_are_readable() {
        assert_eq!(size(999, false), "999 B");
        assert_eq!(size(1500, false), "1.5 kB");
        assert_eq!(size(3_700_000, true), "3,7 MB");
    }
}
