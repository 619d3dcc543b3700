//! `signdoc explain`: the error table, for a person.

use clap::ArgMatches;
use serde_json::{Value, json};
use signdoc::spec::{Code, Warning};

use crate::exit;
use crate::screen::{Paint, Screen};
use crate::table::{Table, fold};

/// How alike (Jaro-Winkler, 0 to 1) a name must be to be offered in place of an unknown word.
const ALIKE: f64 = 0.84;
const OFFERED: usize = 6;
const LABEL: usize = 15;
const WIDTH: usize = 100;

pub(crate) fn run(matches: &ArgMatches, screen: &mut Screen) -> i32 {
    let words: Vec<&str> =
        matches.get_many::<String>("word").into_iter().flatten().map(String::as_str).collect();
    let word = words.join(" ");
    let as_json = matches.get_flag("json");
    let (codes, warnings) = if words.is_empty() {
        (Code::ALL.to_vec(), Warning::ALL.to_vec())
    } else {
        (codes_of(&word), warnings_of(&word))
    };
    if codes.is_empty() && warnings.is_empty() {
        return unknown(&word, screen);
    }
    if as_json {
        let codes: Vec<_> = codes.into_iter().map(code_json).collect();
        let warnings: Vec<_> = warnings.into_iter().map(warning_json).collect();
        screen.line(&format!("{:#}", json!({"codes": codes, "warnings": warnings})));
    } else if words.is_empty() {
        let listed = list(screen.paint());
        screen.line(&listed);
    } else {
        let (paint, width) = (screen.paint(), screen.width().unwrap_or(WIDTH).clamp(40, WIDTH));
        let errors = codes.into_iter().map(|code| code_text(code, paint, width));
        let warnings = warnings.into_iter().map(|warning| warning_text(warning, paint, width));
        let blocks: Vec<_> = errors.chain(warnings).collect();
        screen.line(&blocks.join("\n\n"));
    }
    exit::OK
}

fn codes_of(word: &str) -> Vec<Code> {
    let mut codes = Code::find(word);
    if codes.is_empty() {
        codes.extend(Code::conversion_error(word));
    }
    codes
}

fn warnings_of(word: &str) -> Vec<Warning> {
    let constant = || {
        let same = |warning: &&Warning| warning.constant().eq_ignore_ascii_case(word);
        Warning::ALL.iter().find(same).copied()
    };
    let found = Warning::from_name(word).or_else(|| Warning::from_message(word)).or_else(constant);
    found.into_iter().collect()
}

fn unknown(word: &str, screen: &mut Screen) -> i32 {
    screen.problem(&format!("there is no error or warning called {word:?}"));
    let near = near(word);
    if near.is_empty() {
        screen.note("advice: `signdoc explain` without a word lists them all");
    } else {
        screen.note(&format!("advice: perhaps one of these: {}", near.join(", ")));
    }
    exit::USAGE
}

/// Names that resemble the word, the most alike first; for a number, those next to it.
fn near(word: &str) -> Vec<String> {
    if let Ok(number) = word.trim().parse::<i64>() {
        let mut codes: Vec<_> = Code::ALL.iter().map(|code| code.number()).collect();
        codes.sort_by_key(|&code| (number - i64::from(code)).abs());
        return codes.into_iter().take(3).map(|code| code.to_string()).collect();
    }
    let word = word.trim().to_lowercase().replace([' ', '-'], "_");
    if word.is_empty() {
        return Vec::new();
    }
    let names = Code::ALL.iter().map(|code| code.name());
    let names = names.chain(Warning::ALL.iter().map(|warning| warning.name()));
    let mut found: Vec<(f64, &str)> = names
        .map(|name| {
            let lower = name.to_lowercase();
            let inside = word.len() > 2 && lower.contains(&word);
            let alike = strsim::jaro_winkler(&lower, &word);
            (if inside { alike.max(ALIKE) } else { alike }, name)
        })
        .filter(|(alike, _)| *alike >= ALIKE)
        .collect();
    found.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(b.1)));
    found.dedup_by_key(|(_, name)| *name);
    found.into_iter().take(OFFERED).map(|(_, name)| name.to_owned()).collect()
}

fn list(paint: Paint) -> String {
    let mut errors = Table::new(&["number", "name", "category", "what happened"], &[0]);
    for code in Code::ALL {
        let spec = code.spec();
        errors.row(vec![
            code.number().to_string(),
            spec.name.to_owned(),
            spec.category.label().to_owned(),
            spec.summary.to_owned(),
        ]);
    }
    let mut warnings = Table::new(&["conversion warning", "what happened"], &[]);
    for warning in Warning::ALL {
        warnings.row(vec![warning.name().to_owned(), warning.summary().to_owned()]);
    }
    let heading = |text: &str| paint.bold(text);
    format!(
        "{}\n\n{}\n\n{}",
        errors.render(heading),
        warnings.render(heading),
        paint.dim("more about one of them: signdoc explain NAME|NUMBER")
    )
}

fn code_text(code: Code, paint: Paint, width: usize) -> String {
    let spec = code.spec();
    let title = format!("{}  {}", code.number(), spec.name);
    let mut text = format!("{}  {}\n", paint.bold(&title), paint.dim(spec.constant));
    if let Some(message) = code.conversion_message() {
        field(&mut text, "service's text", message, width);
    }
    field(&mut text, "what happened", spec.summary, width);
    field(&mut text, "what to do", spec.advice, width);
    field(&mut text, "category", spec.category.label(), width);
    if let Some(status) = spec.http_status {
        field(&mut text, "HTTP status", &status.to_string(), width);
    }
    let retry = if spec.retryable { "may succeed after a short delay" } else { "does not help" };
    if code != Code::Ok {
        field(&mut text, "calling again", retry, width);
        field(&mut text, "Python class", spec.class, width);
        field(&mut text, "exit status", &exit::of(code).to_string(), width);
    }
    field(&mut text, "source", spec.source, width);
    text.trim_end().to_owned()
}

fn warning_text(warning: Warning, paint: Paint, width: usize) -> String {
    let title = format!("{}  (conversion warning)", warning.name());
    let mut text = format!("{}  {}\n", paint.bold(&title), paint.dim(warning.constant()));
    field(&mut text, "service's text", warning.message(), width);
    field(&mut text, "what happened", warning.summary(), width);
    field(&mut text, "what to do", warning.advice(), width);
    field(&mut text, "source", warning.source(), width);
    text.trim_end().to_owned()
}

fn field(text: &mut String, label: &str, value: &str, width: usize) {
    let indent = LABEL + 4;
    for (number, line) in fold(value, width.saturating_sub(indent)).iter().enumerate() {
        let label = if number == 0 { label } else { "" };
        text.push_str(&format!("  {label:LABEL$}  {line}\n"));
    }
}

fn code_json(code: Code) -> Value {
    let spec = code.spec();
    let known = (code != Code::Ok).then_some(());
    json!({
        "number": code.number(),
        "constant": spec.constant,
        "name": spec.name,
        "category": known.map(|()| spec.category.label()),
        "class": known.map(|()| spec.class),
        "http_status": spec.http_status,
        "retryable": spec.retryable,
        "message": code.conversion_message(),
        "summary": spec.summary,
        "advice": spec.advice,
        "source": spec.source,
        "exit_status": exit::of(code),
    })
}

fn warning_json(warning: Warning) -> Value {
    json!({
        "number": warning.number(),
        "constant": warning.constant(),
        "name": warning.name(),
        "message": warning.message(),
        "summary": warning.summary(),
        "advice": warning.advice(),
        "source": warning.source(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slips_of_the_finger_are_understood() {
        assert_eq!(near("doc_singed").first().map(String::as_str), Some("DOC_SIGNED"));
        assert!(near("invalid-requst").contains(&"invalid_request".to_owned()));
        assert!(near("timeout").iter().any(|name| name == "read_timeout"));
        assert_eq!(near("506"), ["506", "505", "504"]);
        assert!(near("zzzz").is_empty());
        assert!(near("").is_empty());
    }

    #[test]
    fn everything_can_be_found_by_every_name_it_has() {
        for &code in Code::ALL {
            for word in [code.name(), code.constant(), &code.number().to_string()] {
                assert!(codes_of(word).contains(&code), "{word}");
            }
            assert!(code.conversion_message().is_none_or(|text| codes_of(text) == [code]));
        }
        for &warning in Warning::ALL {
            for word in [warning.name(), warning.constant(), warning.message()] {
                assert_eq!(warnings_of(word), [warning], "{word}");
            }
        }
    }
}
