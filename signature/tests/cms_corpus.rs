//! Signatures of real PDF files, where they are at hand: read by us and by OpenSSL.
#![allow(clippy::unwrap_used, clippy::indexing_slicing, reason = "helpers of tests")]

mod common;
mod judge;

use judge::Judge;
use signdoc_signature::cms::{ProblemKind, SignedData};
use signdoc_signature::tsp::TimestampToken;

/// One signature cut out of a file by its ByteRange, without a PDF reader.
struct Cut {
    content: Vec<u8>,
    cms: Vec<u8>,
}

fn cut(file: &[u8]) -> Vec<Cut> {
    let mut found = Vec::new();
    let mark = b"/ByteRange";
    for start in (0..file.len()).filter(|at| file[*at..].starts_with(mark)) {
        let text =
            String::from_utf8_lossy(&file[start + mark.len()..(start + 120).min(file.len())])
                .into_owned();
        let Some((numbers, _)) = text.split_once(']') else { continue };
        let numbers: Vec<usize> = numbers
            .trim_start_matches([' ', '[', '\r', '\n'])
            .split_whitespace()
            .filter_map(|n| n.parse().ok())
            .collect();
        let [a, b, c, d] = numbers[..] else { continue };
        let Some(end) = c.checked_add(d).filter(|end| *end <= file.len() && a + b < c) else {
            continue;
        };
        let content = [&file[a..a + b], &file[c..end]].concat();
        let digits: Vec<u8> =
            file[a + b..c].iter().copied().filter(u8::is_ascii_hexdigit).collect();
        let cms = digits
            .chunks_exact(2)
            .map(|pair| u8::from_str_radix(std::str::from_utf8(pair).unwrap(), 16).unwrap())
            .collect();
        found.push(Cut { content, cms });
    }
    found
}

#[test]
fn real_signatures_are_judged_as_openssl_judges_them() {
    let Some(files) = common::corpus() else { return };
    let Some(judge) = Judge::new() else { return };
    let mut compared = 0;
    for path in &files {
        let name = common::name(path);
        for (index, Cut { content, cms }) in cut(&std::fs::read(path).unwrap()).iter().enumerate() {
            let read = match SignedData::parse_padded(cms) {
                Ok(read) => read,
                Err(error) => {
                    println!("{name} [{index}]: not read: {error}");
                    continue;
                }
            };
            if let Ok(token) = TimestampToken::parse_padded(cms) {
                println!("{name} [{index}]: timestamp of {}", token.time());
                continue;
            }
            let ours = read.verify_detached(&mut |hash| Some(hash.digest(content)), &[]);
            judge.write("content", content);
            judge.write("cms.der", &cms[..read.encoded_len()]);
            let theirs = judge.run(
                "cms -verify -noverify -binary -inform DER -in cms.der -content content -out out",
            );
            println!(
                "{name} [{index}]: ours {} {:?} {}; openssl {}",
                ours.is_valid(),
                ours.leniencies,
                ours.describe_problems(),
                theirs.ok
            );
            compared += 1;
            // We refuse sha-1; openssl refuses embedded content beside content from outside.
            let explained = ours.has(ProblemKind::Algorithm) || read.content().is_some();
            assert!(explained || ours.is_valid() == theirs.ok, "{name}: {}", theirs.text);
        }
    }
    println!("{compared} signatures compared");
}
