//! The C header and the list of symbols the library may export.

use std::fmt::Write as _;

use signdoc_spec::{Code, Warning};

use crate::files::{self, Generated};

const COMMAND: &str = "cargo xtask header";

/// `include/signdoc.h` and `include/signdoc.symbols`, from the sources and the `cbindgen.toml` of
/// `ffi/`.
pub fn generate() -> Result<Vec<Generated>, String> {
    let ffi = files::root().join("ffi");
    let mut config = cbindgen::Config::from_root_or_default(&ffi);
    config.language = cbindgen::Language::C;
    config.line_endings = cbindgen::LineEndingStyle::LF;
    let own = config.after_includes.take().unwrap_or_default();
    let blocks = format!("\n{}\n{}", version_block(), constants_block());
    config.after_includes = Some(format!("{}{own}", blocks.trim_end()));
    let bindings = cbindgen::Builder::new()
        .with_crate(&ffi)
        .with_config(config)
        .generate()
        .map_err(|e| format!("no header can be made from ffi/: {e}"))?;

    let mut header = Vec::new();
    bindings.write(&mut header);
    let header = String::from_utf8(header).map_err(|e| e.to_string())?;
    let mut symbols: Vec<&str> = bindings.dynamic_symbols_names().collect();
    symbols.sort_unstable();
    let symbols = symbols.iter().map(|symbol| format!("{symbol}\n")).collect();
    Ok(vec![
        Generated { path: "include/signdoc.h", command: COMMAND, text: header },
        Generated { path: "include/signdoc.symbols", command: COMMAND, text: symbols },
    ])
}

/// The version of this header; all parts of the workspace have the same.
fn version_block() -> String {
    let version = env!("CARGO_PKG_VERSION");
    let major = env!("CARGO_PKG_VERSION_MAJOR");
    let minor = env!("CARGO_PKG_VERSION_MINOR");
    let patch = env!("CARGO_PKG_VERSION_PATCH");
    format!(
        "/** The version of this header; signdoc_version() is that of the library. */\n\
         #define SIGNDOC_VERSION \"{version}\"\n\
         #define SIGNDOC_VERSION_MAJOR {major}\n\
         #define SIGNDOC_VERSION_MINOR {minor}\n\
         #define SIGNDOC_VERSION_PATCH {patch}\n\
         /** One number that rises with every version, for comparisons in the preprocessor. */\n\
         #define SIGNDOC_VERSION_NUMBER \\\n    \
         (SIGNDOC_VERSION_MAJOR * 1000000 + SIGNDOC_VERSION_MINOR * 1000 + SIGNDOC_VERSION_PATCH)\n"
    )
}

/// The error numbers and the warning numbers as C constants.
///
/// Macros and not an enum: the size of a C enum depends on the compiler and the standard, and the
/// functions return `int32_t`.
pub fn constants_block() -> String {
    let mut out = String::from(
        "/* Error numbers, the same in every language; docs/errors.md explains each. */\n",
    );
    let width = Code::ALL.iter().map(|code| code.constant().len()).max().unwrap_or(0);
    for code in Code::ALL {
        constant(&mut out, code.spec().summary, code.constant(), width, code.number());
    }
    out.push_str("\n/* Numbers of the conversion warnings, a table of their own. */\n");
    for warning in Warning::ALL {
        constant(&mut out, warning.summary(), warning.constant(), width, warning.number());
    }
    out
}

fn constant(out: &mut String, summary: &str, name: &str, width: usize, number: i32) {
    // Writing into a String cannot fail.
    let _ = writeln!(out, "/** {summary} */\n#define {name:width$} {number}");
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_block_defines_every_number_once() {
        let block = constants_block();
        let defined: Vec<(&str, i32)> = block
            .lines()
            .filter_map(|line| line.strip_prefix("#define "))
            .map(|line| line.split_once(' ').unwrap())
            .map(|(name, number)| (name, number.trim().parse().unwrap()))
            .collect();
        let codes = Code::ALL.iter().map(|code| (code.constant(), code.number()));
        let warnings = Warning::ALL.iter().map(|w| (w.constant(), w.number()));
        assert_eq!(defined, codes.chain(warnings).collect::<Vec<_>>());
    }

    #[test]
    fn every_function_and_type_of_the_header_is_explained() {
        let files = generate().unwrap();
        let header = files.iter().find(|file| file.path.ends_with(".h")).unwrap();
        let symbols = files.iter().find(|file| file.path.ends_with(".symbols")).unwrap();
        let mut declared = Vec::new();
        let mut before = "";
        for line in header.text.lines() {
            let is_function = line.contains("signdoc_") && line.contains('(');
            if !line.starts_with([' ', '/', '#']) && (is_function || line.starts_with("typedef")) {
                assert_eq!(before, " */", "{line}");
                let name = line.split_once('(').map(|(name, _)| name);
                let name = name.filter(|_| is_function && !line.starts_with("typedef"));
                declared.extend(name.and_then(|name| name.rsplit([' ', '*']).next()));
            }
            before = line;
        }
        declared.sort_unstable();
        assert_eq!(declared, symbols.text.lines().collect::<Vec<_>>());
    }

    #[test]
    fn the_version_is_that_of_the_workspace() {
        let block = version_block();
        let number = |part: &str| {
            let line = block.lines().find(|line| line.contains(&format!("_{part} "))).unwrap();
            line.rsplit(' ').next().unwrap().to_owned()
        };
        let version = ["MAJOR", "MINOR", "PATCH"].map(number).join(".");
        assert_eq!(version, env!("CARGO_PKG_VERSION"));
        assert!(block.contains(&format!("\"{version}\"")));
    }

    #[test]
    fn no_summary_ends_a_comment() {
        for line in constants_block().lines().filter(|line| line.starts_with("/*")) {
            assert_eq!(line.matches("*/").count(), 1, "{line}");
            assert_eq!(line.matches("/*").count(), 1, "{line}");
        }
    }
}
