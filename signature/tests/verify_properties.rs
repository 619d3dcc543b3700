//! Whatever is done to a signed file: no panic, and never a good verdict for something else.
#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    reason = "test code; helpers count as outside of tests"
)]

mod common;
mod verify_kit;

use std::sync::LazyLock;

use common::signing::Level;
use proptest::prelude::*;
use signdoc_signature::fixtures::{self, PdfBuilder};
use signdoc_signature::pdf::Document;
use signdoc_signature::verify::{VerifyOptions, verify_bytes};
use verify_kit::{Kit, arc};

struct World {
    options: VerifyOptions,
    /// Signed files of one original.
    signed: Vec<Vec<u8>>,
    /// A signed file of another one.
    other: Vec<u8>,
}

static WORLD: LazyLock<World> = LazyLock::new(|| {
    let kit = Kit::new(91);
    let original = PdfBuilder::new().pages(2).text_field("amount").build();
    let small = verify_kit::reserve(kit.sealed(20.0, 20.0), 4096);
    let signed = [Level::B, Level::Lt].map(|level| kit.sign(&original, level, &small));
    let other = kit.sign(&fixtures::simple(), Level::B, &small);
    let options = VerifyOptions { original: Some(arc(&original)), ..kit.options() };
    for file in &signed {
        assert!(verify_bytes(file.clone(), &options).ok);
    }
    World { options, signed: signed.to_vec(), other }
});

/// Verifies a changed file. It may pass only when nothing before the end of the signature's
/// revision differs outside of `Contents`.
fn judge(file: &[u8], before: &[u8]) -> Result<(), TestCaseError> {
    let report = verify_bytes(file.to_vec(), &WORLD.options);
    let _ = report.to_json();
    if report.ok {
        let document = Document::from_bytes(before.to_vec()).unwrap();
        let value = document.signatures().unwrap().remove(0).value.unwrap();
        let (span, end) = (value.contents_span.unwrap(), value.covered_end().unwrap() as usize);
        let (start, behind) = (span.start as usize, span.end as usize);
        prop_assert!(file.len() >= end && file[..start] == before[..start]);
        prop_assert!(file[behind..end] == before[behind..end]);
    }
    Ok(())
}

fn pick(index: usize) -> &'static [u8] {
    &WORLD.signed[index % WORLD.signed.len()]
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 96, failure_persistence: None, ..Default::default() })]

    #[test]
    fn changed_bytes(
        which in 0usize..2,
        changes in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..20),
    ) {
        let before = pick(which);
        let mut file = before.to_vec();
        for (at, byte) in changes {
            let at = at.index(file.len());
            file[at] = byte;
        }
        judge(&file, before)?;
    }

    #[test]
    fn cut_and_pasted(
        which in 0usize..2,
        from in any::<prop::sample::Index>(),
        to in any::<prop::sample::Index>(),
        place in any::<prop::sample::Index>(),
        is_removed in any::<bool>(),
    ) {
        let before = pick(which);
        let (from, to) = (from.index(before.len()), to.index(before.len()));
        let (from, to) = (from.min(to), from.max(to));
        let mut file = before.to_vec();
        let piece = before[from..to].to_vec();
        if is_removed {
            file.drain(from..to);
        } else {
            let place = place.index(file.len() + 1);
            file.splice(place..place, piece);
        }
        judge(&file, before)?;
    }

    #[test]
    fn grafted_onto_another(
        which in 0usize..2,
        cut in any::<prop::sample::Index>(),
        from in any::<prop::sample::Index>(),
    ) {
        let before = pick(which);
        let mut file = before[..cut.index(before.len() + 1)].to_vec();
        file.extend(&WORLD.other[from.index(WORLD.other.len())..]);
        judge(&file, before)?;
    }

    #[test]
    fn anything_appended(which in 0usize..2, tail in prop::collection::vec(any::<u8>(), 0..200)) {
        let before = pick(which);
        let mut file = before.to_vec();
        file.extend(tail);
        judge(&file, before)?;
    }

    #[test]
    fn tokens_appended(
        which in 0usize..2,
        tokens in prop::collection::vec(prop::sample::select(vec![
            "4 0 obj", "endobj", "<</Type/Page>>", "xref\n", "0 1\n", "trailer", "<</Root 1 0 R",
            ">>", "startxref\n", "0\n", "%%EOF\n", "stream\n", "endstream", "/Prev 9", "[", "]", "(",
            "0000000009 00000 n \n", "\n", " ",
        ]), 0..30),
    ) {
        let before = pick(which);
        let mut file = before.to_vec();
        file.extend(tokens.concat().bytes());
        judge(&file, before)?;
    }

    #[test]
    fn nothing_of_a_pdf(bytes in prop::collection::vec(any::<u8>(), 0..400)) {
        prop_assert!(!verify_bytes(bytes, &WORLD.options).ok);
    }
}
