//! What several tests share.
#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::panic,
    reason = "test code; helpers count as outside of tests"
)]
#![allow(dead_code, reason = "each test file uses some of it")]

pub mod packed;
pub mod signing;

use std::path::PathBuf;

/// The corpus of real PDFs, where it is at hand.
pub fn corpus() -> Option<Vec<PathBuf>> {
    let folder = std::env::var_os("SIGNDOC_CORPUS")
        .map(PathBuf::from)
        .unwrap_or_else(|| PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../shared/corpus"));
    let Ok(listing) = std::fs::read_dir(&folder) else {
        println!("not run: there is no corpus of PDFs beside the checkout (SIGNDOC_CORPUS)");
        return None;
    };
    let mut files: Vec<PathBuf> = listing
        .filter_map(|entry| Some(entry.ok()?.path()))
        .filter(|path| path.extension().is_some_and(|e| e == "pdf"))
        .collect();
    files.sort();
    Some(files)
}

/// File name without folder, for messages.
pub fn name(path: &std::path::Path) -> String {
    path.file_name().map(|n| n.to_string_lossy().into_owned()).unwrap_or_default()
}
