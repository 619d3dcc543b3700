//! The error table in itself: complete, unique, in its ranges, and written in one style.

#![allow(clippy::expect_used, clippy::indexing_slicing, clippy::panic, reason = "helpers of tests")]

use std::collections::HashSet;

use signdoc_spec::{Category, Code, PadesState, SdoState, Spec, Warning, limits, values};

/// The ranges of numbers and the prefix their constants carry after `SIGNDOC_E_`.
const RANGES: &[(i32, i32, &[&str])] = &[
    (0, 99, &[""]),
    (100, 199, &[""]),
    (200, 299, &[""]),
    (300, 399, &["OAUTH_"]),
    (400, 449, &["AUTHORIZE_"]),
    (450, 499, &["LOGIN_", "ID_TOKEN_"]),
    (500, 599, &["CONVERSION_"]),
    (600, 699, &["WINDOW_", "ORDER_"]),
    (700, 799, &["CSC_"]),
    (800, 899, &[""]),
    (900, 999, &[""]),
];

/// The Python exception classes there are.
const CLASSES: &[&str] = &[
    "SignDocError",
    "ConfigError",
    "InputError",
    "Cancelled",
    "TransportError",
    "RequestTimeout",
    "ProtocolError",
    "OutcomeUnknown",
    "OAuthError",
    "LoginError",
    "IdTokenError",
    "ServiceError",
    "CscError",
    "CscRequestError",
    "CscTokenError",
    "CscAuthenticationError",
    "CscAuthorizationError",
    "CscCredentialError",
    "CscSigningBackendError",
    "CscSigningError",
    "CscServiceError",
    "CscInternalError",
    "ConversionError",
    "OrderError",
    "WindowExpired",
    "OrderFailed",
    "OrderCancelled",
    "OrderNotFound",
    "OrderNotReady",
    "VerificationError",
    "InternalError",
];

fn failures() -> impl Iterator<Item = (Code, Spec)> {
    Code::ALL.iter().filter(|code| **code != Code::Ok).map(|code| (*code, code.spec()))
}

fn range_of(number: i32) -> usize {
    let holds = |(first, last, _): &(i32, i32, &[&str])| (*first..=*last).contains(&number);
    RANGES.iter().position(holds).unwrap_or_else(|| panic!("{number} is in no range"))
}

/// `CscInvalidSad` to `CSC_INVALID_SAD`.
fn screaming(variant: &str) -> String {
    let mut out = String::new();
    for letter in variant.chars() {
        if letter.is_ascii_uppercase() && !out.is_empty() {
            out.push('_');
        }
        out.push(letter.to_ascii_uppercase());
    }
    out
}

/// The variants with their numbers, read from the source text: an independent count of what
/// `Code::ALL` must hold.
fn written_variants() -> Vec<(String, i32)> {
    let source = include_str!("../src/code.rs");
    let body = source.split("pub enum Code {").nth(1).expect("the enum");
    let body = body.split("\n}").next().expect("its end");
    let lines = body.lines().map(str::trim).filter(|line| !line.starts_with("//"));
    let variant = |line: &str| {
        let (name, number) = line.trim_end_matches(',').split_once(" = ")?;
        Some((name.to_owned(), number.parse().expect("an explicit number")))
    };
    lines.filter(|line| !line.is_empty()).map(|line| variant(line).expect(line)).collect()
}

#[test]
fn all_holds_every_variant_in_order() {
    let written = written_variants();
    let all: Vec<_> = Code::ALL.iter().map(|c| (format!("{c:?}"), c.number())).collect();
    assert_eq!(all, written);
    assert!(all.windows(2).all(|pair| pair[0].1 < pair[1].1), "numbers rise");
}

#[test]
fn numbers_lead_back_to_their_codes_and_others_to_none() {
    for number in -10..2000 {
        let expected = Code::ALL.iter().copied().find(|code| code.number() == number);
        assert_eq!(Code::from_number(number), expected);
    }
    assert_eq!(Code::from_number(i32::MIN), None);
    assert_eq!(Code::from_number(i32::MAX), None);
}

#[test]
fn constants_are_the_variants_in_capitals_and_carry_their_range() {
    assert_eq!(Code::Ok.constant(), "SIGNDOC_OK");
    let mut seen = HashSet::new();
    for (code, spec) in failures() {
        let capitals = screaming(&format!("{code:?}"));
        assert_eq!(spec.constant, format!("SIGNDOC_E_{capitals}"));
        assert!(seen.insert(spec.constant), "{} twice", spec.constant);
        let (_, _, prefixes) = RANGES[range_of(code.number())];
        let fits = prefixes.iter().any(|prefix| capitals.starts_with(prefix));
        assert!(fits, "{} lacks one of {prefixes:?}", spec.constant);
    }
}

#[test]
fn names_are_unique_in_their_range() {
    let mut seen = HashSet::new();
    for code in Code::ALL {
        assert!(seen.insert((range_of(code.number()), code.name())), "{} twice", code.name());
    }
}

#[test]
fn names_of_our_own_are_snake_case() {
    let service = ["CORRUPT", "DOC_SIGNED", "EF_REMOVED", "GENERIC_ERROR", "DISABLED"];
    for (code, spec) in failures() {
        let snake =
            spec.name.chars().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_');
        assert!(snake || service.contains(&spec.name), "{code:?}: {}", spec.name);
    }
}

#[test]
fn classes_are_known_and_each_is_used() {
    assert_eq!(Code::Ok.spec().class, "");
    let used: HashSet<_> = failures().map(|(_, spec)| spec.class).collect();
    for class in &used {
        assert!(CLASSES.contains(class), "{class} is unknown");
    }
    for class in CLASSES {
        assert!(used.contains(class), "{class} has no code");
    }
}

#[test]
fn csc_classes_follow_the_category() {
    for (code, spec) in failures().filter(|(code, _)| code.number() / 100 == 7) {
        let class = match spec.category {
            Category::RequestValidation => "CscRequestError",
            Category::TokenLifecycle => "CscTokenError",
            Category::Authentication => "CscAuthenticationError",
            Category::Authorization => "CscAuthorizationError",
            Category::Credential => "CscCredentialError",
            Category::SigningBackend => "CscSigningBackendError",
            Category::Signing => "CscSigningError",
            Category::Service => "CscServiceError",
            Category::Internal => "CscInternalError",
            _ => "CscError",
        };
        assert_eq!(spec.class, class, "{code:?}");
    }
}

#[test]
fn retryable_is_what_passes_by_itself() {
    let transient = [
        Code::ConnectFailed,
        Code::ConnectTimeout,
        Code::ReadTimeout,
        Code::TotalTimeout,
        Code::ConnectionLost,
        Code::TruncatedAnswer,
    ];
    for code in Code::ALL {
        let spec = code.spec();
        let expected = spec.category.is_retryable() || transient.contains(code);
        assert_eq!(spec.retryable, expected, "{code:?}");
    }
    assert!(!Code::OutcomeUnknown.spec().retryable, "an unknown outcome is never repeated blindly");
}

#[test]
fn the_three_categories_without_advice_say_to_contact_support() {
    for (code, spec) in failures() {
        let silent = [Category::Signing, Category::SigningBackend, Category::Internal];
        if silent.contains(&spec.category) {
            let advice = spec.advice;
            assert!(advice.contains("contact support with the reference"), "{code:?}: {advice}");
        }
    }
}

fn assert_style(place: &str, text: &str) {
    assert!(!text.trim().is_empty(), "{place} is empty");
    assert_eq!(text.trim(), text, "{place} has white space around it");
    assert!(!text.ends_with(['.', '!', ';', ',', ':']), "{place} ends with a mark: {text}");
    assert!(!text.contains("  ") && !text.contains('\n'), "{place} has stray white space: {text}");
    assert!(text.is_ascii(), "{place} is not plain ASCII: {text}");
}

fn assert_sentence(place: &str, text: &str) {
    assert_style(place, text);
    let mut word = text.chars().take_while(|c| c.is_ascii_alphabetic());
    let first = word.next().unwrap_or('?');
    let acronym = word.next().is_some_and(|c| c.is_ascii_uppercase());
    assert!(first.is_ascii_lowercase() || acronym, "{place} starts with a capital: {text}");
    assert!(text.len() <= 260, "{place} is too long to read in one breath: {text}");
}

#[test]
fn texts_are_written_in_one_style() {
    for code in Code::ALL {
        let spec = code.spec();
        assert_sentence(&format!("{code:?} summary"), spec.summary);
        assert_sentence(&format!("{code:?} advice"), spec.advice);
        assert_style(&format!("{code:?} source"), spec.source);
        assert_style(&format!("{code:?} name"), spec.name);
        assert_ne!(spec.summary, spec.advice, "{code:?}");
    }
    for warning in Warning::ALL {
        assert_sentence(&format!("{warning:?} summary"), warning.summary());
        assert_sentence(&format!("{warning:?} advice"), warning.advice());
        assert_style(&format!("{warning:?} message"), warning.message());
        assert_eq!(
            warning.constant(),
            format!("SIGNDOC_WARNING_{}", screaming(&format!("{warning:?}")))
        );
        assert!(warning.constant().ends_with(warning.name()));
    }
    for category in Category::ALL {
        assert_sentence(category.label(), category.handling());
    }
    for deprecation in values::DEPRECATIONS {
        assert_sentence(deprecation.what, deprecation.notice);
    }
}

#[test]
fn summaries_are_told_apart_within_a_range() {
    let mut seen = HashSet::new();
    for (code, spec) in failures() {
        assert!(seen.insert((range_of(code.number()), spec.summary)), "{code:?}: {}", spec.summary);
    }
}

#[test]
fn a_word_finds_every_row_it_may_mean() {
    let rows = [Code::OauthInvalidRequest, Code::AuthorizeInvalidRequest, Code::CscInvalidRequest];
    assert_eq!(Code::find("invalid_request"), rows);
    assert_eq!(Code::find(" Invalid_Request "), rows);
    assert_eq!(Code::find("SIGNDOC_E_CSC_INVALID_REQUEST"), [Code::CscInvalidRequest]);
    assert_eq!(Code::find("csc_invalid_request"), [Code::CscInvalidRequest]);
    assert_eq!(Code::find("708"), [Code::CscTokenAlreadyUsed]);
    assert_eq!(Code::find("doc_signed"), [Code::ConversionDocSigned]);
    assert_eq!(Code::find("ok"), [Code::Ok]);
    for nothing in ["", "99999", "-1", "no_such_word", "SIGNDOC_E_"] {
        assert_eq!(Code::find(nothing), [], "{nothing:?}");
    }
    for code in Code::ALL {
        for word in [code.name(), code.constant(), &code.number().to_string()] {
            assert!(Code::find(word).contains(code), "{word} does not find {code:?}");
        }
    }
}

#[test]
fn lookups_stay_in_their_own_range() {
    assert_eq!(Code::csc("access_denied"), None);
    assert_eq!(Code::csc("unknown_csc_error"), None, "our own words are not the service's");
    assert_eq!(Code::csc("signature_mismatch"), None);
    assert_eq!(Code::csc("INVALID_REQUEST"), None);
    assert_eq!(Code::oauth_token("access_denied"), None);
    assert_eq!(Code::oauth_token("unknown_oauth_error"), None);
    assert_eq!(Code::oauth_token("invalid_scope"), Some(Code::OauthInvalidScope));
    assert_eq!(Code::authorize("invalid_scope"), Some(Code::AuthorizeInvalidScope));
    assert_eq!(Code::authorize("invalid_client"), None);
    assert_eq!(Code::authorize(""), None);
}

#[test]
fn messages_are_recognised_in_spite_of_small_differences() {
    for text in ["Document is corrupt", " document IS corrupt. ", "DOCUMENT IS CORRUPT ."] {
        assert_eq!(Code::conversion_error(text), Some(Code::ConversionCorrupt), "{text:?}");
    }
    for text in ["", ".", "Document", "Document is corrupt..", "Document is corrupt, sorry"] {
        assert_eq!(Code::conversion_error(text), None, "{text:?}");
    }
    assert_eq!(Warning::from_message("\tfont substituted.\n"), Some(Warning::FontSubst));
    assert_eq!(Warning::from_message("Font"), None);
    assert_eq!(Warning::from_name("font_subst"), Some(Warning::FontSubst));
    assert_eq!(Warning::from_name("Font substituted"), None);
    assert_eq!(Warning::from_number(0), None);
    assert_eq!(Warning::from_number(9), None);
    for warning in Warning::ALL {
        assert_eq!(Warning::from_number(warning.number()), Some(*warning));
        assert_eq!(Code::conversion_error(warning.message()), None, "a warning is no error");
    }
}

#[test]
fn unknown_states_survive_and_are_not_final() {
    let text = "RESTING_A_WHILE";
    assert_eq!(PadesState::from_text(text), PadesState::Unknown(text.to_owned()));
    assert_eq!(SdoState::from("GENERATING_MERCHANT_SEALS").as_str(), "GENERATING_MERCHANT_SEALS");
    assert!(!SdoState::from("GENERATING_MERCHANT_SEALS").is_known());
    assert!(!PadesState::from_text(text).is_final());
    assert_eq!(PadesState::from_text(" sign_completed\n"), PadesState::SignCompleted);
    assert_eq!(PadesState::from_text("").as_str(), "");
    let ends: Vec<_> = PadesState::KNOWN.iter().filter(|state| state.is_final()).collect();
    assert_eq!(ends, [&PadesState::Failed, &PadesState::Cancelled, &PadesState::SignCompleted]);
    let done: Vec<_> = SdoState::KNOWN.iter().filter(|state| state.is_completed()).collect();
    assert_eq!(done, [&SdoState::SignCompleted]);
}

#[test]
fn base64_lengths_are_exact() {
    for (bytes, length) in [(0, 0), (1, 4), (2, 4), (3, 4), (4, 8), (3_750_000, 5_000_000)] {
        assert_eq!(limits::base64_length(bytes), Some(length));
    }
    assert_eq!(limits::base64_length(u64::MAX), None);
}
