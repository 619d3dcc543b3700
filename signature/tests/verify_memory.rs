//! Memory while verifying does not grow with the file.
#![allow(clippy::unwrap_used, reason = "test code; helpers count as outside of tests")]

mod common;
mod verify_kit;

use std::alloc::{GlobalAlloc, Layout, System};
use std::fmt::Write as _;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Instant;

use common::signing::{Level, Signing};
use signdoc_signature::asn1::Time;
use signdoc_signature::pdf::{FileSource, SharedSource};
use signdoc_signature::verify::{VerifyOptions, verify};
use verify_kit::{Kit, NOW as TIME};

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

/// Pages of `page` bytes each, `count` of them: few large objects, or many small ones.
fn document(count: usize, page: usize) -> Vec<u8> {
    let mut out = b"%PDF-1.7\n1 0 obj<</Type/Catalog/Pages 2 0 R>>endobj\n".to_vec();
    let mut offsets = vec![9];
    let mut kids = String::new();
    for index in 0..count {
        let number = 3 + 2 * index;
        write!(kids, "{} 0 R ", number + 1).unwrap();
        let head = format!("{number} 0 obj<</Length {page}>>stream\n");
        let tail = format!(
            "\nendstream endobj\n{} 0 obj<</Type/Page/Parent 2 0 R/MediaBox[0 0 595 842]\
             /Contents {number} 0 R>>endobj\n",
            number + 1
        );
        offsets.push(out.len());
        out.extend(head.bytes());
        out.resize(out.len() + page, b' ');
        offsets.push(out.len() + tail.find(&format!("\n{} 0 obj", number + 1)).unwrap() + 1);
        out.extend(tail.bytes());
    }
    offsets.insert(1, out.len());
    out.extend(format!("2 0 obj<</Type/Pages/Kids[{kids}]/Count {count}>>endobj\n").bytes());
    let at = out.len();
    let mut table = format!("xref\n0 {}\n0000000000 65535 f \n", offsets.len() + 1);
    for offset in &offsets {
        writeln!(table, "{offset:010} 00000 n ").unwrap();
    }
    out.extend(table.bytes());
    let size = offsets.len() + 1;
    out.extend(format!("trailer<</Size {size}/Root 1 0 R>>\nstartxref\n{at}\n%%EOF\n").bytes());
    out
}

/// The most that was allocated at once while `work` ran, beyond what was allocated before.
fn peak(work: impl FnOnce()) -> usize {
    let before = NOW.load(Ordering::Relaxed);
    PEAK.store(before, Ordering::Relaxed);
    work();
    PEAK.load(Ordering::Relaxed).saturating_sub(before)
}

fn file(path: &Path) -> SharedSource {
    Arc::new(FileSource::open(path).unwrap())
}

#[test]
fn verifying_takes_little_memory_for_every_size() {
    let kit = Kit::new(71);
    let folder = tempfile::tempdir().unwrap();
    let (unsigned, signed) = (folder.path().join("unsigned.pdf"), folder.path().join("signed.pdf"));
    let mut large = Vec::new();
    for (count, page) in [(1, 1 << 20), (1, 100 << 20), (10_000, 5_000), (60_000, 100)] {
        std::fs::write(&unsigned, document(count, page)).unwrap();
        let signing = Signing {
            pki: &kit.pki,
            signer: &kit.signer,
            level: Level::Lta,
            at: Time::from_unix(TIME),
        };
        let appended = signing.sign(file(&unsigned), &kit.sealed(20.0, 30.0)).unwrap();
        appended.write_to(&mut std::fs::File::create(&signed).unwrap()).unwrap();
        drop(appended);
        let start = Instant::now();
        let used = peak(|| {
            let options = VerifyOptions { original: Some(file(&unsigned)), ..kit.options() };
            let report = verify(file(&signed), &options);
            assert!(report.ok, "{:#}", report.to_json());
        });
        println!("{count} pages of {page} bytes: {} KiB, {:?}", used >> 10, start.elapsed());
        assert!(used < 32 << 20, "{count} pages of {page} bytes took {used} bytes");
        if count == 1 {
            large.push(used);
        }
    }
    // A hundred times the file takes no more memory than the page content that is looked at.
    assert!(large.iter().all(|used| *used < 8 << 20), "{large:?}");
}
