//! The scanner against serde_json and base64, on values and spellings made at random.
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
use serde_json::Value;
use signdoc::wire::{Limits, Path, ScanError, Scanner, StringMode, Visitor};
use wire_support::{Event, mode_of, scan_pieces};

/// A JSON value; documents are kept apart from text.
#[derive(Clone, Debug)]
enum Node {
    Null,
    Boolean(bool),
    Number(String),
    Text(String),
    Document(Vec<u8>),
    Array(Vec<Node>),
    Object(Vec<(String, Node)>),
}

fn number() -> impl Strategy<Value = String> {
    prop_oneof![
        any::<i64>().prop_map(|n| n.to_string()),
        any::<f64>().prop_filter("finite", |n| n.is_finite()).prop_map(|n| format!("{n:e}")),
        "-?(0|[1-9][0-9]{0,5})(\\.[0-9]{1,5})?([eE][+-]?[0-9]{1,2})?",
    ]
}

fn text() -> impl Strategy<Value = String> {
    prop_oneof![
        "[a-zæøå \"\\\\/\n\t\u{1}\u{1f600}\u{20ac}]{0,20}",
        prop::collection::vec(any::<char>(), 0..12).prop_map(String::from_iter),
    ]
}

fn node() -> impl Strategy<Value = Node> {
    let leaf = prop_oneof![
        Just(Node::Null),
        any::<bool>().prop_map(Node::Boolean),
        number().prop_map(Node::Number),
        text().prop_map(Node::Text),
    ];
    let member = |node: BoxedStrategy<Node>| {
        let document = prop::collection::vec(any::<u8>(), 0..400).prop_map(Node::Document);
        prop_oneof![
            3 => (text(), node).prop_map(|(name, node)| (format!("n{name}"), node)),
            1 => ("[a-zA-Z]{0,3}", document).prop_map(|(name, node)| (format!("pdf{name}"), node)),
        ]
    };
    leaf.prop_recursive(5, 60, 6, move |node| {
        prop_oneof![
            prop::collection::vec(node.clone(), 0..6).prop_map(Node::Array),
            prop::collection::vec(member(node.boxed()), 0..6).prop_map(without_doubles),
        ]
    })
}

fn without_doubles(members: Vec<(String, Node)>) -> Node {
    let mut seen = std::collections::HashSet::new();
    Node::Object(members.into_iter().filter(|(name, _)| seen.insert(name.clone())).collect())
}

/// Writes JSON in one of its many spellings, as the bytes of `choices` decide.
struct Writer<'a> {
    out: String,
    choices: std::iter::Cycle<std::slice::Iter<'a, u8>>,
}

impl<'a> Writer<'a> {
    fn write(node: &Node, choices: &'a [u8]) -> String {
        let mut writer = Self { out: String::new(), choices: choices.iter().cycle() };
        writer.node(node);
        writer.blank();
        writer.out
    }

    fn choose(&mut self, among: u8) -> u8 {
        self.choices.next().copied().unwrap_or(0) % among
    }

    fn blank(&mut self) {
        let blank = ["", "", "", "", " ", "\n", "\t", "\r\n  "][usize::from(self.choose(8))];
        self.out.push_str(blank);
    }

    fn node(&mut self, node: &Node) {
        self.blank();
        match node {
            Node::Null => self.out.push_str("null"),
            Node::Boolean(value) => self.out.push_str(&value.to_string()),
            Node::Number(text) => self.out.push_str(text),
            Node::Text(text) => self.string(text),
            Node::Document(bytes) => self.document(bytes),
            Node::Array(nodes) => self.list('[', ']', nodes, Self::node),
            Node::Object(members) => self.list('{', '}', members, |writer, (name, node)| {
                writer.blank();
                writer.string(name);
                writer.blank();
                writer.out.push(':');
                writer.node(node);
            }),
        }
        self.blank();
    }

    fn list<T>(&mut self, open: char, close: char, items: &[T], write: fn(&mut Self, &T)) {
        self.out.push(open);
        for (index, item) in items.iter().enumerate() {
            if index > 0 {
                self.out.push(',');
            }
            write(self, item);
        }
        self.blank();
        self.out.push(close);
    }

    fn document(&mut self, bytes: &[u8]) {
        let mut text = STANDARD.encode(bytes);
        if self.choose(3) == 0 {
            text.truncate(text.trim_end_matches('=').len());
        }
        if self.choose(3) == 0 {
            let lines: Vec<_> =
                text.as_bytes().chunks(76).map(|line| String::from_utf8_lossy(line)).collect();
            text = lines.join("\r\n");
        }
        self.string(&text);
    }

    fn string(&mut self, text: &str) {
        self.out.push('"');
        for char in text.chars() {
            let must = char < ' ' || char == '"' || char == '\\';
            let how = self.choose(24);
            match char {
                '"' | '\\' if how != 0 => self.out.extend(['\\', char]),
                '/' if how % 2 == 1 => self.out.push_str("\\/"),
                '\n' if how != 0 => self.out.push_str("\\n"),
                '\r' if how != 0 => self.out.push_str("\\r"),
                '\t' if how != 0 => self.out.push_str("\\t"),
                _ if must || how == 0 => {
                    for unit in char.encode_utf16(&mut [0; 2]) {
                        self.out.push_str(&format!("\\u{unit:04X}"));
                    }
                }
                _ => self.out.push(char),
            }
        }
        self.out.push('"');
    }
}

/// What the scanner should tell, from the value alone.
fn expect(node: &Node, path: &str, events: &mut Vec<Event>) {
    let name = || if path.is_empty() { "$".to_owned() } else { path.to_owned() };
    match node {
        Node::Null => events.push(Event::Null(name())),
        Node::Boolean(value) => events.push(Event::Boolean(name(), *value)),
        Node::Number(text) => events.push(Event::Number(name(), text.clone())),
        Node::Text(text) => events.push(Event::Text(name(), text.clone())),
        Node::Document(bytes) => events.push(Event::Bytes(name(), bytes.clone())),
        Node::Array(nodes) => {
            events.push(Event::BeginArray(name()));
            for (index, node) in nodes.iter().enumerate() {
                expect(node, &format!("{path}[{index}]"), events);
            }
            events.push(Event::EndArray(name()));
        }
        Node::Object(members) => {
            events.push(Event::BeginObject(name()));
            for (key, node) in members {
                let dot = if path.is_empty() { "" } else { "." };
                expect(node, &format!("{path}{dot}{key}"), events);
            }
            events.push(Event::EndObject(name()));
        }
    }
}

/// Whether serde_json reads the same value out of the text (guards the writer above).
fn same(node: &Node, value: &Value) -> bool {
    match (node, value) {
        (Node::Null, Value::Null) => true,
        (Node::Boolean(a), Value::Bool(b)) => a == b,
        (Node::Number(a), Value::Number(b)) => close(a.parse().unwrap(), b.as_f64().unwrap()),
        (Node::Text(a), Value::String(b)) => a == b,
        (Node::Document(a), Value::String(b)) => {
            let text: String = b.chars().filter(|c| !"\r\n=".contains(*c)).collect();
            text == STANDARD.encode(a).trim_end_matches('=')
        }
        (Node::Array(a), Value::Array(b)) => {
            a.len() == b.len() && a.iter().zip(b).all(|(a, b)| same(a, b))
        }
        (Node::Object(a), Value::Object(b)) => {
            a.len() == b.len()
                && a.iter().all(|(name, node)| b.get(name).is_some_and(|value| same(node, value)))
        }
        _ => false,
    }
}

/// serde_json rounds the last digit in its own way.
fn close(a: f64, b: f64) -> bool {
    (a - b).abs() <= a.abs() * 1e-12
}

/// `text` cut at the given places.
fn cut<'a>(text: &'a [u8], cuts: &[prop::sample::Index]) -> Vec<&'a [u8]> {
    let mut at: Vec<usize> = cuts.iter().map(|cut| cut.index(text.len() + 1)).collect();
    at.sort_unstable();
    let starts = std::iter::once(0).chain(at.iter().copied());
    let ends = at.iter().copied().chain([text.len()]);
    starts.zip(ends).map(|(start, end)| &text[start..end]).collect()
}

/// Wants nothing: whether the answer is JSON is all that counts.
struct Nobody;
impl Visitor for Nobody {
    type Error = std::convert::Infallible;
}

fn is_json(text: &[u8]) -> Result<(), ScanError<std::convert::Infallible>> {
    let mut scanner = Scanner::new(Nobody, Limits::default(), &Default::default());
    scanner.feed(text).and_then(|()| scanner.finish())
}

#[derive(Clone, Debug)]
enum Change {
    Replace(u8),
    Insert(u8),
    Remove,
    Repeat(usize),
    Truncate,
}

fn change() -> impl Strategy<Value = (prop::sample::Index, Change)> {
    let byte =
        || prop_oneof![any::<u8>(), prop::sample::select(b"\"\\{}[],:0eE+-.utn =/A".to_vec())];
    let change = prop_oneof![
        byte().prop_map(Change::Replace),
        byte().prop_map(Change::Insert),
        Just(Change::Remove),
        (1_usize..30).prop_map(Change::Repeat),
        Just(Change::Truncate),
    ];
    (any::<prop::sample::Index>(), change)
}

fn apply(text: &mut Vec<u8>, at: usize, change: &Change) {
    if at >= text.len() {
        return;
    }
    match change {
        Change::Replace(byte) => text[at] = *byte,
        Change::Insert(byte) => text.insert(at, *byte),
        Change::Remove => drop(text.remove(at)),
        Change::Truncate => text.truncate(at),
        Change::Repeat(len) => {
            let end = text.len().min(at + len);
            let piece = text[at..end].to_vec();
            text.splice(at..at, piece);
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, failure_persistence: None, ..Default::default() })]

    #[test]
    fn values_come_back_however_they_are_spelled_and_cut(
        node in node(),
        choices in prop::collection::vec(any::<u8>(), 1..300),
        cuts in prop::collection::vec(any::<prop::sample::Index>(), 0..12),
    ) {
        let text = Writer::write(&node, &choices);
        let value: Value = serde_json::from_str(&text).unwrap();
        prop_assert!(same(&node, &value), "the writer of this test is wrong: {text}");

        let mut wanted = Vec::new();
        expect(&node, "", &mut wanted);
        let pieces = cut(text.as_bytes(), &cuts);
        let (events, result) = scan_pieces(pieces, Limits::default());
        prop_assert_eq!(result, Ok(()));
        prop_assert_eq!(events, wanted);
    }

    #[test]
    fn damaged_answers_never_panic_and_cuts_never_matter(
        node in node(),
        choices in prop::collection::vec(any::<u8>(), 1..100),
        changes in prop::collection::vec(change(), 1..6),
        cuts in prop::collection::vec(any::<prop::sample::Index>(), 0..12),
    ) {
        let mut text = Writer::write(&node, &choices).into_bytes();
        for (at, change) in &changes {
            let at = at.index(text.len() + 1);
            apply(&mut text, at, change);
        }
        let whole = scan_pieces([text.as_slice()], Limits::default());
        let pieces = cut(&text, &cuts);
        prop_assert_eq!(scan_pieces(pieces, Limits::default()), whole);
        agree_with_serde_json(&text)?;
    }

    #[test]
    fn noise_never_panics(
        text in prop::collection::vec(
            prop_oneof![any::<u8>(), prop::sample::select(b"\"\\{}[],:019eE+-.utrfalsn ".to_vec())],
            0..60,
        ),
        piece in 1_usize..60,
    ) {
        let whole = scan_pieces([text.as_slice()], Limits::default());
        prop_assert_eq!(scan_pieces(text.chunks(piece), Limits::default()), whole);
        agree_with_serde_json(&text)?;
    }
}

/// What serde_json takes, the scanner takes. What serde_json refuses, the scanner refuses too,
/// but for what is tolerated on purpose: a byte order mark, and control characters in strings.
fn agree_with_serde_json(text: &[u8]) -> Result<(), TestCaseError> {
    let theirs = serde_json::from_slice::<serde::de::IgnoredAny>(text).is_ok();
    let ours = is_json(text);
    if theirs {
        prop_assert_eq!(ours, Ok(()), "{}", String::from_utf8_lossy(text));
    } else if !text.starts_with(b"\xef") && !text.iter().any(|byte| *byte < b' ') {
        prop_assert!(ours.is_err(), "{}", String::from_utf8_lossy(text));
    }
    Ok(())
}

#[test]
fn the_recorder_reads_names_as_this_file_expects() {
    assert_eq!(mode_of("pdfX", 1), StringMode::Base64);
    assert_eq!(mode_of("nothing", 1), StringMode::Text { max: 1 });
    let _ = Path::default();
}
