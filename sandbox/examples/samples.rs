//! Writes the sample documents into a folder: `cargo run --example samples -- FOLDER [SEED]`.

use std::path::PathBuf;
use std::process::ExitCode;

use signdoc_sandbox::samples;

fn main() -> ExitCode {
    let mut arguments = std::env::args().skip(1);
    let Some(folder) = arguments.next().map(PathBuf::from) else {
        eprintln!("usage: samples FOLDER [SEED]");
        return ExitCode::from(2);
    };
    let seed = arguments.next().and_then(|text| text.parse().ok()).unwrap_or(1);
    for sample in
        samples::all(seed).into_iter().chain(samples::each_warning()).chain(samples::near_misses())
    {
        let path = folder.join(sample.name);
        if let Err(error) = std::fs::write(&path, &sample.bytes) {
            eprintln!("{}: {error}", path.display());
            return ExitCode::FAILURE;
        }
        println!("{} ({} bytes): {}", path.display(), sample.bytes.len(), sample.title);
    }
    ExitCode::SUCCESS
}
