//! Base64 inside of answers: tolerance, windows, and the exact offset of what is wrong.
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "in a test a panic is the report"
)]

mod wire_support;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use proptest::prelude::*;
use signdoc::wire::{Limits, ScanError, WINDOW, encoded_len};
use wire_support::{Event, scan, scan_pieces};

const OPENING: &str = "{\"pdf\":\"";

fn decode(text: &str, piece: usize) -> Result<Vec<u8>, ScanError<String>> {
    let answer = format!("{OPENING}{text}\"}}");
    let (events, result) = scan_pieces(answer.as_bytes().chunks(piece), Limits::default());
    result.map(|()| match &events[1] {
        Event::Bytes(_, bytes) => bytes.clone(),
        other => panic!("{other:?}"),
    })
}

fn noise(len: usize) -> Vec<u8> {
    let mut state = 0x9e37_79b9_u32;
    let next = || {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        (state >> 24) as u8
    };
    std::iter::repeat_with(next).take(len).collect()
}

#[test]
fn lengths_follow_the_standard() {
    for len in 0..200_u64 {
        assert_eq!(encoded_len(len), STANDARD.encode(vec![0; len as usize]).len() as u64);
    }
    assert_eq!(encoded_len(3_750_000), 5_000_000);
    assert_eq!(encoded_len(3_750_001), 5_000_004);
    assert_eq!(encoded_len(u64::MAX), u64::MAX);
}

#[test]
fn every_length_around_a_window_comes_back() {
    let around = |middle: usize| middle.saturating_sub(4)..middle + 5;
    let lengths = (0..140).chain(around(WINDOW)).chain(around(2 * WINDOW)).chain([1_000_000]);
    for len in lengths {
        let bytes = noise(len);
        let text = STANDARD.encode(&bytes);
        for piece in [usize::MAX, 4096, 65_537] {
            assert_eq!(decode(&text, piece).unwrap(), bytes, "{len} bytes in pieces of {piece}");
        }
        assert_eq!(decode(text.trim_end_matches('='), usize::MAX).unwrap(), bytes);
    }
}

#[test]
fn what_writers_do_to_base64_is_tolerated() {
    for text in [
        "QUJDRA==",
        "QUJDRA=",
        "QUJDRA",
        "QUJD\\nRA==",
        "QUJDRA==\\r\\n",
        "\\r\\nQUJDRA\\u003d=",
        " Q U\tJ D R A = = ",
        "QUJD\nRA==\n",
        "QU\r\nJDRA",
        "QUJDRA=\\u0020=",
        "\\u0051UJDRA",
    ] {
        for piece in [usize::MAX, 1, 2, 3] {
            assert_eq!(decode(text, piece).unwrap(), b"ABCD", "{text:?}");
        }
    }
    for text in ["", " ", "\\n"] {
        assert_eq!(decode(text, 1).unwrap(), b"");
    }
}

#[test]
fn what_is_no_base64_is_refused_at_the_exact_byte() {
    // Offsets count from the first character of the text; one past it is the closing quote.
    for (text, at) in [
        ("QUJD*", 4),
        ("*", 0),
        ("QUJDR", 5),
        ("Q", 1),
        ("=", 0),
        ("Q===", 1),
        ("QQ===", 4),
        ("QUJ==", 4),
        ("QUJD=", 4),
        ("QQ==QQ==", 4),
        ("QQ=Q", 3),
        ("QQ==\\nQ", 6),
        ("QR", 1),
        ("QR==", 1),
        ("QUK=", 2),
        ("QUJD\\n\\nR", 9),
        ("QUJD-_", 4),
        ("QUJD\\u00e6", 4),
        ("QUJD\\ud83d\\ude00", 4),
        ("QUJD\\u0000", 4),
        ("QUJD\\\"", 4),
        ("QUJD\0", 4),
        ("QUJD\u{e6}", 4),
        ("QQ\\u003d\\u003d\\u003d", 14),
    ] {
        for piece in [usize::MAX, 1, 2, 3, 5] {
            let offset = (OPENING.len() + at) as u64;
            let refused = Err(ScanError::InvalidBase64 { offset });
            assert_eq!(decode(text, piece), refused, "{text:?} in pieces of {piece}");
        }
    }
}

#[test]
fn lines_of_any_length_are_joined() {
    let bytes = noise(300_000);
    let text = STANDARD.encode(&bytes);
    for length in [1, 2, 3, 5, 64, 70, 76, 1000] {
        for ending in ["\r\n", "\\r\\n", "\\n", " "] {
            let lines: Vec<&str> =
                text.as_bytes().chunks(length).map(|l| std::str::from_utf8(l).unwrap()).collect();
            let text = lines.join(ending);
            assert_eq!(decode(&text, 10_007).unwrap(), bytes, "lines of {length}");
        }
    }
}

#[test]
fn hostile_texts_come_to_an_end() {
    // Each of these makes the fast path give up again and again; `wire::base64` counts its work.
    let size = 4_000_000;
    let blanks = " ".repeat(size);
    assert_eq!(decode(&blanks, usize::MAX).unwrap(), b"");
    let spread = "Q ".repeat(size / 2);
    assert_eq!(decode(&spread, usize::MAX).unwrap().len(), size / 2 / 4 * 3);
    let quads = "QUJD\n".repeat(size / 5);
    assert_eq!(decode(&quads, usize::MAX).unwrap().len(), size / 5 * 3);
    let escapes = "\\u0051".repeat(size / 6 / 4 * 4);
    assert!(decode(&escapes, usize::MAX).is_ok());
    let padded = format!("{}=", "Q".repeat(WINDOW / 3 * 4 - 1)).repeat(20);
    assert!(matches!(decode(&padded, usize::MAX), Err(ScanError::InvalidBase64 { .. })));
}

#[test]
fn documents_follow_each_other() {
    let bytes = noise(WINDOW + 1);
    let text = STANDARD.encode(&bytes);
    let answer = format!("[{{\"pdf\":\"{text}\"}},{{\"pdf\":\"\"}},{{\"pdf\":\"{text}\"}}]");
    let (events, result) = scan(answer.as_bytes());
    assert_eq!(result, Ok(()));
    let documents: Vec<_> = events
        .into_iter()
        .filter_map(|event| match event {
            Event::Bytes(path, bytes) => Some((path, bytes)),
            _ => None,
        })
        .collect();
    let wanted =
        [("[0].pdf".into(), bytes.clone()), ("[1].pdf".into(), vec![]), ("[2].pdf".into(), bytes)];
    assert_eq!(documents, wanted);
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 300, failure_persistence: None, ..Default::default() })]

    #[test]
    fn a_bad_byte_anywhere_is_found(
        len in 0_usize..200_000,
        at in any::<prop::sample::Index>(),
        bad in prop::sample::select(b"*-_.,\0\x0b\x7f\x80\xff%&".to_vec()),
        piece in 1_usize..150_000,
    ) {
        let mut text = STANDARD.encode(noise(len)).trim_end_matches('=').as_bytes().to_vec();
        let at = at.index(text.len() + 1);
        text.insert(at, bad);
        let answer = [OPENING.as_bytes(), &text, b"\"}"].concat();
        let (_, result) = scan_pieces(answer.chunks(piece), Limits::default());
        let offset = (OPENING.len() + at) as u64;
        prop_assert_eq!(result, Err(ScanError::InvalidBase64 { offset }));
    }

    #[test]
    fn blanks_anywhere_change_nothing(
        bytes in prop::collection::vec(any::<u8>(), 0..3000),
        blanks in prop::collection::vec(
            (any::<prop::sample::Index>(), prop::sample::select(vec![" ", "\n", "\\r", "\t", "\\u000a"])),
            0..20,
        ),
        padded in any::<bool>(),
        piece in 1_usize..500,
    ) {
        let text = STANDARD.encode(&bytes);
        let text = if padded { text.as_str() } else { text.trim_end_matches('=') };
        let mut pieces: Vec<String> = text.chars().map(String::from).collect();
        for (at, blank) in blanks {
            pieces.insert(at.index(pieces.len() + 1), blank.to_owned());
        }
        prop_assert_eq!(decode(&pieces.concat(), piece).unwrap(), bytes);
    }
}
