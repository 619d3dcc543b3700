//! The scanner on chosen answers: events, cuts, offsets of errors, limits.
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "in a test a panic is the report"
)]

mod wire_support;

use signdoc::wire::{
    BufferPool, Limits, Path, Pattern, ScanError, Scanner, Step, StringMode, Visitor,
};
use wire_support::{Event, Recorder, scan, scan_pieces, scan_with};

/// Answers of every kind, good and bad.
const SAMPLES: &[&[u8]] = &[
    br#"[{"conversionResult":{"conversionId":"c-1","converted":true,"conversionErrors":[],"conversionWarnings":["XMP_REMOVED"]},"pdf":"JVBERi0xLjcK"}]"#,
    br#"{"conversionResults":[{"converted":false,"pdf":null,"conversionErrors":["DISABLED"]}]}"#,
    b"\xef\xbb\xbf { \"pdf\" : \"QUJD\" ,\r\n\t\"n\" : -12.50e+3 , \"skip\" : \"a\\\"b\\\\\" } \n",
    br#"{"pdf":"QUJ\u0044\/\/\/\u002b\nQU\r\nI\u003d","t":"\ud83d\ude00 \u00e6\\\"\b\f\n\r\t\/"}"#,
    "{\"t\":\"bl\u{e5}b\u{e6}r \u{20ac} \u{1f600}\",\"\u{f8}\":1}".as_bytes(),
    br#"{"t":"\ud83d","u":"\ude00x","v":"\ud83d\ud83d\ude00","w":"\ud83d\n","x":"\ud83dx","skip":"\ud83d"}"#,
    b"{\"t\":\"\xc3\x28 \xe2\x82 \xff\",\"pdf\":\"QQ\"}",
    br#"[[],{},[[1,2],[true,false,null]],"x",0,-0,0.5,1e9,{"a":{"b":[{"c":"d"}]}}]"#,
    br#""just a text""#,
    b"12345",
    b"null ",
    // Bad ones.
    b"",
    b"  ",
    b"\xef\xbb",
    b"\xef\xbb\xbf",
    br#"{"pdf":"QUJD*"}"#,
    br#"{"pdf":"QUJDR"}"#,
    br#"{"pdf":"QR=="}"#,
    br#"{"pdf":"QQ==QQ=="}"#,
    br#"{"pdf":"QUJD\u00e6"}"#,
    br#"{"a":1,}"#,
    br#"{"a" 1}"#,
    b"[1,2] x",
    b"[1 2]",
    br#"{"a":"\x"}"#,
    br#"{"a":"\u12g4"}"#,
    b"[01]",
    b"[1.]",
    b"[tru]",
    b"{\"a\":\"unfinished",
    b"<html>",
];

#[test]
fn any_cut_in_two_gives_the_same_events_and_the_same_error() {
    for sample in SAMPLES {
        let whole = scan(sample);
        for cut in 0..=sample.len() {
            let (a, b) = sample.split_at(cut);
            let cut_up = scan_pieces([a, b], Limits::default());
            assert_eq!(cut_up, whole, "cut at {cut}: {}", String::from_utf8_lossy(sample));
        }
    }
}

#[test]
fn any_cut_in_three_and_single_bytes_give_the_same_events() {
    for sample in SAMPLES {
        let whole = scan(sample);
        assert_eq!(scan_pieces(sample.chunks(1), Limits::default()), whole);
        for first in 0..sample.len() {
            for second in first..sample.len().min(first + 12) {
                let pieces = [&sample[..first], &sample[first..second], &sample[second..]];
                assert_eq!(scan_pieces(pieces, Limits::default()), whole);
            }
        }
    }
}

#[test]
fn a_conversion_answer_is_told_with_paths() {
    let (events, result) = scan(SAMPLES[0]);
    assert_eq!(result, Ok(()));
    let text = |path: &str, value: &str| Event::Text(path.into(), value.into());
    assert_eq!(
        events,
        [
            Event::BeginArray("$".into()),
            Event::BeginObject("[0]".into()),
            Event::BeginObject("[0].conversionResult".into()),
            text("[0].conversionResult.conversionId", "c-1"),
            Event::Boolean("[0].conversionResult.converted".into(), true),
            Event::BeginArray("[0].conversionResult.conversionErrors".into()),
            Event::EndArray("[0].conversionResult.conversionErrors".into()),
            Event::BeginArray("[0].conversionResult.conversionWarnings".into()),
            text("[0].conversionResult.conversionWarnings[0]", "XMP_REMOVED"),
            Event::EndArray("[0].conversionResult.conversionWarnings".into()),
            Event::EndObject("[0].conversionResult".into()),
            Event::Bytes("[0].pdf".into(), b"%PDF-1.7\n".to_vec()),
            Event::EndObject("[0]".into()),
            Event::EndArray("$".into()),
        ]
    );
}

#[test]
fn escapes_are_undone_in_text_names_and_documents() {
    let (events, result) = scan(SAMPLES[3]);
    assert_eq!(result, Ok(()));
    assert!(events.contains(&Event::Bytes("pdf".into(), b"ABC\xff\xff\xfeAB".to_vec())));
    assert!(events.contains(&Event::Text("t".into(), "\u{1f600} æ\\\"\u{8}\u{c}\n\r\t/".into())));

    let (events, result) = scan(br#"{"\u0070df":"QQ==","\ud83d\ude00":1}"#);
    assert_eq!(result, Ok(()));
    assert_eq!(events[1], Event::Bytes("pdf".into(), b"A".to_vec()));
    assert_eq!(events[2], Event::Number("\u{1f600}".into(), "1".into()));
}

#[test]
fn text_that_is_no_unicode_is_replaced_and_never_lost() {
    let (events, result) = scan(SAMPLES[5]);
    assert_eq!(result, Ok(()));
    let text = |path: &str, value: &str| Event::Text(path.into(), value.into());
    assert_eq!(
        events[1..6],
        [
            text("t", "\u{fffd}"),
            text("u", "\u{fffd}x"),
            text("v", "\u{fffd}\u{1f600}"),
            text("w", "\u{fffd}\n"),
            text("x", "\u{fffd}x"),
        ]
    );
    let (events, result) = scan(SAMPLES[6]);
    assert_eq!(result, Ok(()));
    assert_eq!(events[1], text("t", "\u{fffd}( \u{fffd} \u{fffd}"));
    assert_eq!(events[2], Event::Bytes("pdf".into(), b"A".to_vec()));
    let (events, result) = scan(b"\"tab\there\"");
    assert_eq!(result, Ok(()));
    assert_eq!(events, [text("$", "tab\there")]);
}

#[test]
fn every_beginning_of_an_answer_is_truncated_and_nothing_else() {
    for sample in SAMPLES.iter().filter(|sample| scan(sample).1.is_ok()) {
        let end = sample.iter().rposition(|byte| !byte.is_ascii_whitespace()).unwrap() + 1;
        let number = sample[0].is_ascii_digit();
        for len in 0..end {
            let (_, result) = scan(&sample[..len]);
            if number && len > 0 {
                assert_eq!(result, Ok(()), "digits are a number at any length");
            } else {
                assert_eq!(result, Err(ScanError::Truncated { offset: len as u64 }));
            }
        }
    }
    assert_eq!(scan(b"-").1, Err(ScanError::Truncated { offset: 1 }));
    assert_eq!(scan(b"1.").1, Err(ScanError::Truncated { offset: 2 }));
    // A number that is cut off may be another number: nothing is told of it.
    let cut_off = (vec![Event::BeginArray("$".into())], Err(ScanError::Truncated { offset: 2 }));
    assert_eq!(scan(b"[1"), cut_off);
}

#[test]
fn malformed_answers_are_refused_at_the_exact_byte() {
    let cases: &[(&[u8], u64, &str)] = &[
        (b"<html>", 0, "expected a value"),
        (b"\xef1", 1, "expected a byte order mark"),
        (b"\xef\xbbx", 2, "expected a byte order mark"),
        (b"\xef\xbb\xbf\xef\xbb\xbf1", 3, "expected a value"),
        (b"[1,2] x", 6, "something follows the end of the value"),
        (b"nullx", 4, "something follows the end of the value"),
        (b"1 2", 2, "something follows the end of the value"),
        (b"[1,]", 3, "expected a value"),
        (b"[,1]", 1, "expected a value"),
        (b"[1 2]", 3, "expected ',' or ']'"),
        (b"[1}", 2, "expected ',' or ']'"),
        (b"{]", 1, "expected a member name or '}'"),
        (b"{1:2}", 1, "expected a member name or '}'"),
        (br#"{"a":1,}"#, 7, "expected a member name"),
        (br#"{"a" 1}"#, 5, "expected ':'"),
        (br#"{"a":}"#, 5, "expected a value"),
        (br#"{"a":1 "b":2}"#, 7, "expected ',' or '}'"),
        (br#"{"a":1]"#, 6, "expected ',' or '}'"),
        (br#"["\x"]"#, 3, "no such escape"),
        (br#"["\u12g4"]"#, 6, "no such escape"),
        (br#"["\u+123"]"#, 4, "no such escape"),
        (b"[01]", 2, "expected ',' or ']'"),
        (b"[1.]", 3, "expected a digit"),
        (b"[-]", 2, "expected a digit"),
        (b"[1e]", 3, "expected a digit"),
        (b"[+1]", 1, "expected a value"),
        (b"[.5]", 1, "expected a value"),
        (b"[tru]", 4, "expected true, false or null"),
        (b"[NaN]", 1, "expected a value"),
        (b"]", 0, "expected a value"),
        (b"\"a\"\"b\"", 3, "something follows the end of the value"),
        (b"\0", 0, "expected a value"),
        (b"[1\x0c]", 2, "expected ',' or ']'"),
    ];
    for (text, offset, what) in cases {
        let (_, result) = scan(text);
        let wanted = ScanError::Malformed { offset: *offset, what };
        assert_eq!(result, Err(wanted), "{}", String::from_utf8_lossy(text));
    }
}

#[test]
fn limits_are_kept_to_the_byte() {
    let limits = Limits { max_bytes: 20, max_depth: 3, max_key: 4 };
    let scan = |text: &[u8]| {
        let whole = scan_pieces([text], limits);
        assert_eq!(scan_pieces(text.chunks(1), limits), whole);
        whole.1
    };
    assert_eq!(scan(b"[[[1]]]"), Ok(()));
    assert_eq!(scan(b"[[[[1]]]]"), Err(ScanError::TooDeep { offset: 3, limit: 3 }));
    assert_eq!(scan(br#"{"abcd":1}"#), Ok(()));
    assert_eq!(scan(br#"{"abcde":1}"#), Err(ScanError::TooLong { offset: 6, limit: 4 }));
    assert_eq!(scan(br#"{"abc\u00e6":1}"#), Err(ScanError::TooLong { offset: 5, limit: 4 }));
    assert_eq!(scan(b"\"aaaaaaaaaaaaaaaaaa\""), Ok(()));
    assert_eq!(scan(b"\"aaaaaaaaaaaaaaaaaaa\""), Err(ScanError::TooLarge { limit: 20 }));
    assert_eq!(scan(b"1                    "), Err(ScanError::TooLarge { limit: 20 }));

    let short = || Recorder { max_text: 3, ..Recorder::default() };
    let ok = scan_with(short(), [b"\"abc\"".as_slice()], Limits::default());
    assert_eq!(ok.1, Ok(()));
    let long = scan_with(short(), [b"\"abcd\"".as_slice()], Limits::default());
    assert_eq!(long.1, Err(ScanError::TooLong { offset: 4, limit: 3 }));

    let digits = vec![b'7'; 5000];
    let (_, result) = scan_pieces([digits.as_slice()], Limits::default());
    assert_eq!(result, Err(ScanError::TooLong { offset: 1024, limit: 1024 }));
    let deep = vec![b'['; 100_000];
    let (_, result) = scan_pieces([deep.as_slice()], Limits::default());
    assert_eq!(result, Err(ScanError::TooDeep { offset: 64, limit: 64 }));
}

#[test]
fn an_error_of_the_visitor_ends_the_scan() {
    let refusing = Recorder { refuse_bytes: true, ..Recorder::default() };
    let mut scanner = Scanner::new(refusing, Limits::default(), &BufferPool::new());
    let error = scanner.feed(br#"{"pdf":"QUJD","b":1}"#).unwrap_err();
    assert_eq!(error, ScanError::Visitor("no".to_owned()));
    assert!(matches!(scanner.feed(b" "), Err(ScanError::Malformed { .. })));
    assert!(matches!(scanner.finish(), Err(ScanError::Malformed { .. })));
    assert_eq!(scanner.flush_partial(), Ok(()), "refused bytes are not offered again");
}

#[test]
fn what_arrived_of_a_document_can_be_had() {
    let mut scanner = Scanner::new(Recorder::default(), Limits::default(), &BufferPool::new());
    scanner.feed(br#"{"pdf":"QUJDREVG"#).unwrap();
    assert_eq!(scanner.visitor().open_document(), b"");
    scanner.flush_partial().unwrap();
    assert_eq!(scanner.visitor().open_document(), b"ABCDEF");
    assert_eq!(scanner.offset(), 16);
    assert_eq!(scanner.finish(), Err(ScanError::Truncated { offset: 16 }));
    assert_eq!(scanner.into_visitor().events, [Event::BeginObject("$".into())]);
}

#[test]
fn paths_answer_questions() {
    struct Watch(usize);
    impl Visitor for Watch {
        type Error = ();
        fn string(&mut self, path: &Path) -> Result<StringMode, ()> {
            assert!(path.matches(&[Pattern::Key("a"), Pattern::Item, Pattern::Key("b")]));
            assert!(path.starts_with(&[Pattern::Key("a"), Pattern::Item]));
            assert!(!path.starts_with(&[Pattern::Item]));
            assert!(!path.matches(&[Pattern::Key("a"), Pattern::Item, Pattern::Key("c")]));
            assert!(!path.matches(&[Pattern::Key("a"), Pattern::Item]));
            assert_eq!(path.depth(), 3);
            assert_eq!((path.key_at(0), path.index_at(0)), (Some("a"), None));
            assert_eq!((path.key_at(1), path.index_at(1)), (None, Some(1)));
            assert_eq!(path.last_key(), Some("b"));
            assert_eq!(path.steps().last(), Some(Step::Key("b")));
            assert_eq!(path.to_string(), "a[1].b");
            self.0 += 1;
            Ok(StringMode::Skip)
        }
    }
    let mut scanner = Scanner::new(Watch(0), Limits::default(), &BufferPool::new());
    scanner.feed(br#"{"x":{"y":[]},"a":[0,{"b":"c"}]}"#).unwrap();
    scanner.finish().unwrap();
    assert_eq!(scanner.into_visitor().0, 1);
}
