//! Writes the committed files that are made from others, and says whether they are current.

mod errors;
mod files;
mod go;
mod header;
mod vectors;

use std::process::ExitCode;

use files::Generated;

const HELP: &str = "\
usage: cargo xtask <command>

  errors          write docs/errors.md, tests/vectors/errors.json and go/codes.go from the error
                  table
  header          write include/signdoc.h and include/signdoc.symbols from ffi/ and the error table
  vectors         list the cases of tests/vectors/*.json, one `vector <set>/<id>` a line
  vectors LOG...  compare the cases with those the test runners printed into these files
  check           say whether every generated file is current, write nothing (exit 1 if not)
  check errors    the same for what `errors` writes
  check header    the same for what `header` writes
";

fn main() -> ExitCode {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    match run(&words) {
        Ok(()) => ExitCode::SUCCESS,
        Err(message) => {
            eprintln!("{message}");
            ExitCode::FAILURE
        }
    }
}

fn run(words: &[&str]) -> Result<(), String> {
    match words {
        ["errors"] => files::write(&errors::generate()?),
        ["header"] => files::write(&header::generate()?),
        ["vectors"] => vectors::list(),
        ["vectors", logs @ ..] => vectors::compare(logs),
        ["check"] => files::check(&everything()?),
        ["check", "errors"] => files::check(&errors::generate()?),
        ["check", "header"] => files::check(&header::generate()?),
        ["help" | "--help" | "-h"] => {
            print!("{HELP}");
            Ok(())
        }
        _ => Err(HELP.to_owned()),
    }
}

fn everything() -> Result<Vec<Generated>, String> {
    let mut all = errors::generate()?;
    all.extend(header::generate()?);
    Ok(all)
}
