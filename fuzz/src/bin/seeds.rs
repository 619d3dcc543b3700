//! Writes what libFuzzer begins with, in the folder it is started in: `corpus/TARGET/seed-N` and
//! `dictionaries/TARGET.dict`.

use std::fmt::Write as _;
use std::path::Path;
use std::{fs, io};

use signdoc_fuzz::targets::{TARGETS, Target};
use signdoc_fuzz::wire_scan;

fn main() -> io::Result<()> {
    let wire = Target {
        name: "wire_scan",
        seeds: wire_scan::seeds,
        words: wire_scan::WORDS,
        run: wire_scan::run,
    };
    for target in TARGETS.iter().chain([&wire]) {
        let folder = Path::new("corpus").join(target.name);
        fs::create_dir_all(&folder)?;
        for (index, seed) in (target.seeds)().iter().enumerate() {
            fs::write(folder.join(format!("seed-{index:02}")), seed)?;
        }
        fs::create_dir_all("dictionaries")?;
        fs::write(format!("dictionaries/{}.dict", target.name), dictionary(target.words))?;
    }
    Ok(())
}

/// One quoted word on a line, every byte in hexadecimal.
fn dictionary(words: &[&[u8]]) -> String {
    let mut text = String::new();
    for word in words {
        let digits = word.iter().fold(String::new(), |mut digits, byte| {
            // Writing into a String cannot fail.
            let _ = write!(digits, "\\x{byte:02x}");
            digits
        });
        text.push_str(&format!("\"{digits}\"\n"));
    }
    text
}
