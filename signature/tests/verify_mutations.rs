//! One byte of a signed file is changed, and everything is verified again: at least 100,000 times
//! where the code is optimised, fewer in debug builds (`SIGNDOC_MUTATIONS` sets the number).
//!
//! A mutation may only survive as "valid and unchanged" when it changed nothing that is signed.
//! Each such class is named in [`Class`] and asserted, not assumed.
#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::panic,
    reason = "test code; helpers count as outside of tests"
)]

mod common;
mod verify_kit;

use std::collections::BTreeMap;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

use common::signing::Level;
use signdoc_signature::cms::SignedData;
use signdoc_signature::crypto::KeyKind;
use signdoc_signature::fixtures::{self, PdfBuilder, Structure};
use signdoc_signature::pdf::Document;
use signdoc_signature::verify::{
    self, Requirement, SealPosition, SignatureReport, VerifyOptions, VerifyReport, verify_bytes,
};
use verify_kit::{Kit, arc};

/// Why a mutation may survive.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Class {
    /// A hexadecimal digit of `Contents` in the other case: the same bytes.
    DigitCase,
    /// A part of the CMS that no signature covers, and that says nothing about document, signer
    /// or time: version numbers, parameters of algorithms, and certificates of which the file
    /// holds another, intact copy. Signed attributes, signature value and content are the same,
    /// and the report names the same certificates, times and levels.
    UnsignedPart,
    /// The name of the attribute that holds the timestamp, which no signature covers: the
    /// timestamp is lost, as if somebody had taken it out. What is left is a valid signature at
    /// level B-B, and whoever requires a timestamp is told.
    TimestampLost,
}

/// A signed file and what its verification is held against.
struct Sample {
    name: &'static str,
    signed: Vec<u8>,
    options: VerifyOptions,
    /// `Contents` of each signature: where it stands, and its CMS.
    contents: Vec<(std::ops::Range<usize>, Vec<u8>)>,
    /// What the unchanged file's report says about signers, times and levels.
    facts: Vec<String>,
}

fn facts(report: &VerifyReport) -> Vec<String> {
    let of = |s: &SignatureReport| {
        let signer = s.signer.as_ref().map(|signer| &signer.certificate_sha256);
        format!("{} {signer:?} {:?} {:?}", s.field, s.proven_time, s.level)
    };
    report.signatures.iter().map(of).collect()
}

impl Sample {
    fn new(name: &'static str, kit: &Kit, original: &[u8], level: Level) -> Sample {
        let seal = SealPosition { x: 20.0, y: 30.0, page: 1 };
        let mut sealed = kit.sealed(seal.x, seal.y);
        sealed.reserve = if level >= Level::T { 6144 } else { 3072 };
        let signed = kit.sign(original, level, &sealed);
        let mut options = VerifyOptions { original: Some(arc(original)), ..kit.options() };
        options.seals.positions = Some(vec![seal]);
        let report = verify_bytes(signed.clone(), &options);
        assert!(report.ok, "{name}: {:#}", report.to_json());
        let document = Document::from_bytes(signed.clone()).unwrap();
        let contents = document.signatures().unwrap().into_iter().map(|field| {
            let value = field.value.unwrap();
            let span = value.contents_span.unwrap();
            (span.start as usize..span.end as usize, value.contents)
        });
        let contents = contents.collect();
        Sample { name, signed, options, contents, facts: facts(&report) }
    }

    /// Verifies with one byte changed; `Ok` with the class of a survivor.
    fn survives(&self, at: usize, byte: u8) -> Option<Result<Class, String>> {
        let mut mutated = self.signed.clone();
        mutated[at] = byte;
        let report = verify_bytes(mutated.clone(), &self.options);
        report.ok.then(|| match facts(&report) == self.facts {
            true => self.class(at, &mutated),
            false if self.lost_its_timestamp(&report, &mutated) => Ok(Class::TimestampLost),
            false => Err(format!("{} byte {at}: {:?}", self.name, facts(&report))),
        })
    }

    fn lost_its_timestamp(&self, report: &VerifyReport, mutated: &[u8]) -> bool {
        let require = vec![Requirement::Timestamp];
        let strict = VerifyOptions { require, ..self.options.clone() };
        let [signature] = report.signatures.as_slice() else { return false };
        signature.proven_time.is_none()
            && signature.level == Some(verify::Level::BB)
            && self.contents.len() == 1
            && !verify_bytes(mutated.to_vec(), &strict).ok
    }

    fn class(&self, at: usize, mutated: &[u8]) -> Result<Class, String> {
        let unexplained = |why: &str| {
            let from = at.saturating_sub(30);
            let context = String::from_utf8_lossy(&mutated[from..(at + 30).min(mutated.len())]);
            Err(format!("{} byte {at}: {why}: {context:?}", self.name))
        };
        let Some((range, before)) = self.contents.iter().find(|(range, _)| range.contains(&at))
        else {
            return unexplained("outside of contents");
        };
        let digits = &mutated[range.start + 1..range.end - 1];
        let after: Option<Vec<u8>> = digits
            .as_chunks::<2>()
            .0
            .iter()
            .map(|pair| u8::from_str_radix(std::str::from_utf8(pair).ok()?, 16).ok())
            .collect();
        let Some(after) = after else { return unexplained("no hexadecimal string") };
        if after == *before {
            return Ok(Class::DigitCase);
        }
        let (Ok(old), Ok(new)) =
            (SignedData::parse_padded(before), SignedData::parse_padded(&after))
        else {
            return unexplained("no cms");
        };
        let signed = |cms: &SignedData| {
            let signer = cms.signers()[0].clone();
            (
                signer.signed_attributes().cloned(),
                signer.signature().to_vec(),
                cms.content().map(<[u8]>::to_vec),
            )
        };
        if signed(&old) != signed(&new) {
            return unexplained("what is signed is another");
        }
        Ok(Class::UnsignedPart)
    }
}

fn count() -> usize {
    let default = if cfg!(debug_assertions) { 4_000 } else { 105_000 };
    match std::env::var("SIGNDOC_MUTATIONS") {
        Ok(text) => text.parse().unwrap(),
        Err(_) => default,
    }
}

/// A sequence that is the same in every run.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0
    }
}

/// Mutations spread evenly over a file: every byte before any byte twice.
fn mutations(sample: &Sample, count: usize) -> Vec<(usize, u8)> {
    let len = sample.signed.len();
    let mut random = Random(0x9E37_79B9_7F4A_7C15 ^ len as u64);
    let step = (len / 2 + 1..).find(|step| gcd(*step, len) == 1).unwrap();
    (0..count)
        .map(|n| {
            let at = n * step % len;
            let old = sample.signed[at];
            // Bits, letter case, white space and anything else.
            let byte = match n / len % 4 {
                0 => old ^ (1 << (random.next() % 8)),
                1 => old ^ 0x20,
                2 => [b' ', b'0', b'\n', b'%'][random.next() as usize % 4],
                _ => random.next() as u8,
            };
            (at, if byte == old { old.wrapping_add(1) } else { byte })
        })
        .collect()
}

fn gcd(a: usize, b: usize) -> usize {
    if b == 0 { a } else { gcd(b, a % b) }
}

#[test]
fn no_changed_byte_passes_as_valid_and_unchanged() {
    let kit = Kit::with_key(61, KeyKind::Rsa(2048));
    let compressed = PdfBuilder::new().structure(Structure::ObjectStreams).build();
    let samples = [
        Sample::new("b", &kit, &fixtures::simple(), Level::B),
        Sample::new("object streams", &kit, &compressed, Level::B),
        Sample::new("timestamp", &kit, &fixtures::simple(), Level::T),
        Sample::new("archive", &kit, &fixtures::simple(), Level::Lta),
    ];
    let total = count();
    let mut work = Vec::new();
    for (index, sample) in samples.iter().enumerate() {
        // Most of them where files are small, so that every byte is changed several times.
        let share = if sample.name == "archive" { total / 5 } else { total * 4 / 15 + 1 };
        work.extend(mutations(sample, share).into_iter().map(|(at, byte)| (index, at, byte)));
    }
    let next = AtomicUsize::new(0);
    let survivors = Mutex::new(Vec::new());
    std::thread::scope(|scope| {
        for _ in 0..std::thread::available_parallelism().map_or(1, usize::from) {
            scope.spawn(|| {
                while let Some(&(index, at, byte)) = work.get(next.fetch_add(1, Ordering::Relaxed))
                {
                    if let Some(class) = samples[index].survives(at, byte) {
                        survivors.lock().unwrap().push(class);
                    }
                }
            });
        }
    });
    let survivors = survivors.into_inner().unwrap();
    let unexplained: Vec<_> = survivors.iter().filter_map(|s| s.as_ref().err()).collect();
    let mut classes: BTreeMap<Class, usize> = BTreeMap::new();
    for class in survivors.iter().flatten() {
        *classes.entry(*class).or_default() += 1;
    }
    println!("{} mutations, survivors by class: {classes:?}", work.len());
    for sample in &samples {
        println!("{}: {} bytes", sample.name, sample.signed.len());
    }
    assert!(unexplained.is_empty(), "{} unexplained\n{unexplained:#?}", unexplained.len());
    if !cfg!(debug_assertions) && std::env::var_os("SIGNDOC_MUTATIONS").is_none() {
        assert!(work.len() >= 100_000);
    }
}
