//! Memory while signing does not grow with the file.
#![allow(clippy::unwrap_used, reason = "test code; helpers count as outside of tests")]

use std::alloc::{GlobalAlloc, Layout, System};
use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Instant;

use signdoc_signature::crypto::HashAlgorithm;
use signdoc_signature::pdf::{Document, FileSource};
use signdoc_signature::preflight::{PreflightOptions, preflight};
use signdoc_signature::sign::{
    DssContent, PrepareOptions, Prepared, Seal, ValidationData, add_dss, prepare,
};

/// Counts what is allocated.
struct Counting;

static NOW: AtomicUsize = AtomicUsize::new(0);
static PEAK: AtomicUsize = AtomicUsize::new(0);

// SAFETY: every call is handed on to the system allocator unchanged; only counters are added.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        let now = NOW.fetch_add(layout.size(), Ordering::Relaxed) + layout.size();
        PEAK.fetch_max(now, Ordering::Relaxed);
        // SAFETY: the caller's contract is that of the system allocator.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        NOW.fetch_sub(layout.size(), Ordering::Relaxed);
        // SAFETY: the pointer came from `alloc` above with the same layout.
        unsafe { System.dealloc(pointer, layout) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

/// A document whose bulk is one stream of `bulk` bytes.
fn write_document(path: &Path, bulk: usize) {
    let mut out = BufWriter::new(File::create(path).unwrap());
    let mut at = 0;
    let mut offsets = Vec::new();
    let mut put = |out: &mut BufWriter<File>, bytes: &[u8]| {
        out.write_all(bytes).unwrap();
        at += bytes.len();
        at
    };
    let mut behind = put(&mut out, b"%PDF-1.7\n");
    let objects = [
        "1 0 obj<</Type/Catalog/Pages 2 0 R>>endobj\n".to_owned(),
        "2 0 obj<</Type/Pages/Kids[3 0 R]/Count 1>>endobj\n".to_owned(),
        "3 0 obj<</Type/Page/Parent 2 0 R/MediaBox[0 0 595 842]>>endobj\n".to_owned(),
        format!("4 0 obj<</Length {bulk}>>stream\n"),
    ];
    for object in objects {
        offsets.push(behind);
        behind = put(&mut out, object.as_bytes());
    }
    let chunk = [0xA5u8; 8192];
    let mut left = bulk;
    while left > 0 {
        let count = left.min(chunk.len());
        put(&mut out, chunk.get(..count).unwrap());
        left -= count;
    }
    let at = put(&mut out, b"\nendstream endobj\n");
    let mut tail = "xref\n0 5\n0000000000 65535 f \n".to_owned();
    for offset in offsets {
        tail += &format!("{offset:010} 00000 n \n");
    }
    tail += &format!("trailer<</Size 5/Root 1 0 R>>\nstartxref\n{at}\n%%EOF\n");
    put(&mut out, tail.as_bytes());
    out.flush().unwrap();
}

/// The most that was allocated at once while `work` ran, beyond what was allocated before.
fn peak(work: impl FnOnce()) -> usize {
    let before = NOW.load(Ordering::Relaxed);
    PEAK.store(before, Ordering::Relaxed);
    work();
    PEAK.load(Ordering::Relaxed).saturating_sub(before)
}

#[test]
fn signing_takes_the_same_memory_for_every_size() {
    let folder = tempfile::tempdir().unwrap();
    let mut peaks = Vec::new();
    for bulk in [1 << 20, 100 << 20] {
        let (input, output) = (folder.path().join("in.pdf"), folder.path().join("out.pdf"));
        write_document(&input, bulk);
        let start = Instant::now();
        let used = peak(|| {
            let source = Arc::new(FileSource::open(&input).unwrap());
            let options = PrepareOptions { seal: Some(Seal::default()), ..Default::default() };
            let prepared = prepare(source.clone(), &options).unwrap();
            prepared.digest(HashAlgorithm::Sha256).unwrap();
            let state = prepared.to_state().unwrap();
            let prepared = Prepared::from_state(&state, source).unwrap();
            let signed = prepared.signed(&[0x30, 0]).unwrap();
            let data = ValidationData { certificates: vec![vec![0x30, 0]], ..Default::default() };
            let content = DssContent { general: data, per_signature: Vec::new() };
            let with_data = add_dss(Arc::new(signed), &content).unwrap();
            let mut file = File::create(&output).unwrap();
            with_data.write_to(&mut file).unwrap();
            let document = Document::open_path(&output).unwrap();
            assert_eq!(document.signatures().unwrap().len(), 1);
            assert_eq!(document.revisions().len(), 3);
        });
        println!("{} MiB: {} KiB, {:?}", bulk >> 20, used >> 10, start.elapsed());
        peaks.push(used);
        let source = Arc::new(FileSource::open(&input).unwrap());
        let looked = peak(|| drop(preflight(source, &PreflightOptions::default()).unwrap()));
        println!("{} MiB: preflight {} KiB", bulk >> 20, looked >> 10);
        assert!(looked < 1 << 20, "preflight took {looked} bytes");
    }
    for used in &peaks {
        assert!(*used < 2 << 20, "signing took {used} bytes");
    }
}
