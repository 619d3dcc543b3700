//! What a person sees: standard output and standard error, with colours only where they belong.

use std::io::{ErrorKind, IsTerminal, Write};
use std::path::Path;

use signdoc::Error;

use crate::exit;
use crate::table::fold;

/// Both outputs.
///
/// A reader that has gone away (`signdoc explain | head`) is no failure; a full disk is one.
pub(crate) struct Screen {
    out: Paint,
    err: Paint,
    lost: Option<std::io::Error>,
}

/// How text may be emphasised on one output.
#[derive(Clone, Copy)]
pub(crate) struct Paint(bool);

impl Paint {
    fn new(terminal: bool) -> Self {
        let set = |name: &str| std::env::var_os(name).filter(|value| !value.is_empty());
        let dumb = set("TERM").is_some_and(|term| term == "dumb");
        Self(terminal && !dumb && set("NO_COLOR").is_none())
    }

    fn wrap(self, sequence: &str, text: &str) -> String {
        if self.0 { format!("\x1b[{sequence}m{text}\x1b[0m") } else { text.to_owned() }
    }

    pub(crate) fn bold(self, text: &str) -> String {
        self.wrap("1", text)
    }

    pub(crate) fn dim(self, text: &str) -> String {
        self.wrap("2", text)
    }

    pub(crate) fn green(self, text: &str) -> String {
        self.wrap("32", text)
    }

    pub(crate) fn yellow(self, text: &str) -> String {
        self.wrap("33", text)
    }

    pub(crate) fn red(self, text: &str) -> String {
        self.wrap("1;31", text)
    }
}

impl Screen {
    pub(crate) fn new() -> Self {
        Self {
            out: Paint::new(std::io::stdout().is_terminal()),
            err: Paint::new(std::io::stderr().is_terminal()),
            lost: None,
        }
    }

    /// Emphasis on standard output.
    pub(crate) fn paint(&self) -> Paint {
        self.out
    }

    /// The width lines are folded to; `None` where standard output is no terminal.
    pub(crate) fn width(&self) -> Option<usize> {
        if !std::io::stdout().is_terminal() {
            return None;
        }
        console::Term::stdout().size_checked().map(|(_, columns)| usize::from(columns))
    }

    /// One line (or several) on standard output.
    pub(crate) fn line(&mut self, text: &str) {
        let mut out = std::io::stdout().lock();
        let written = out
            .write_all(text.as_bytes())
            .and_then(|()| out.write_all(b"\n"))
            .and_then(|()| out.flush());
        if let Err(error) = written
            && error.kind() != ErrorKind::BrokenPipe
        {
            self.lost.get_or_insert(error);
        }
    }

    /// The exit status once everything is said: a success that could not be told is none.
    pub(crate) fn close(mut self, status: i32) -> i32 {
        match self.lost.take() {
            Some(error) if status == exit::OK => {
                self.problem(&format!("standard output cannot be written: {error}"));
                exit::FAILED
            }
            _ => status,
        }
    }

    /// One line on standard error.
    pub(crate) fn note(&mut self, text: &str) {
        note(text);
    }

    /// A sentence on standard error, broken at spaces where that is a terminal.
    pub(crate) fn say(&mut self, text: &str) {
        self.told("", text);
    }

    /// Something that is no failure, on standard error.
    pub(crate) fn warning(&mut self, text: &str) {
        self.told(&self.err.yellow("warning:"), &plain(text));
    }

    /// A question on standard error; the answer is typed behind it.
    pub(crate) fn ask(&mut self, text: &str) {
        let mut err = std::io::stderr().lock();
        let _ = write!(err, "{text}").and_then(|()| err.flush());
    }

    /// A problem in our own words, on standard error.
    pub(crate) fn problem(&mut self, text: &str) {
        self.told(&self.err.red("error:"), text);
    }

    /// An error of the table: what happened, what to do, and the reference for support.
    pub(crate) fn error(&mut self, error: &Error) {
        self.error_advised(error, error.advice());
    }

    /// As [`Screen::error`], with advice for somebody who uses this program.
    pub(crate) fn error_advised(&mut self, error: &Error, advice: &str) {
        let word = format!("error {} ({}):", error.code().number(), plain(error.name()));
        self.told(&self.err.red(&word), &plain(error.message()));
        self.told(&self.err.bold("advice:"), advice);
        if let Some(reference) = error.reference() {
            self.note(&format!("{} {}", self.err.bold("reference:"), plain(reference)));
        }
    }
}

impl Screen {
    /// A label and a text on standard error, broken at spaces where that is a terminal.
    fn told(&self, label: &str, text: &str) {
        let whole = format!("{label} {text}").trim_start().to_owned();
        let terminal = std::io::stderr().is_terminal();
        let size = terminal.then(|| console::Term::stderr().size_checked()).flatten();
        match size {
            Some((_, columns)) => note(&fold(&whole, usize::from(columns)).join("\n")),
            None => note(&whole),
        }
    }
}

/// Text from elsewhere, made safe for a terminal: control characters are written out.
pub(crate) fn plain(text: &str) -> String {
    let mut safe = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '\n' | '\r' | '\t' => safe.push(' '),
            // Besides the control characters, those that reorder the text around them.
            c if c.is_control()
                || ('\u{202a}'..='\u{202e}').contains(&c)
                || ('\u{2066}'..='\u{2069}').contains(&c) =>
            {
                safe.extend(c.escape_unicode());
            }
            c => safe.push(c),
        }
    }
    safe
}

fn note(text: &str) {
    let _ = writeln!(std::io::stderr().lock(), "{text}");
}

/// A path as a shell takes it, for commands that are shown.
pub(crate) fn quoted(path: &Path) -> String {
    let text = plain(&path.display().to_string());
    let is_plain = |c: char| c.is_alphanumeric() || "-_./:@%+=,".contains(c);
    match !text.is_empty() && !text.starts_with('-') && text.chars().all(is_plain) {
        true => text,
        false => format!("'{}'", text.replace('\'', "'\\''")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_from_elsewhere_cannot_steer_the_terminal() {
        assert_eq!(plain("a\x1b[2Jb\nc"), "a\\u{1b}[2Jb c");
        assert_eq!(plain("invoice\u{202e}fdp.exe"), "invoice\\u{202e}fdp.exe");
        assert_eq!(plain("Kjøpekontrakt – №7"), "Kjøpekontrakt – №7");
    }

    #[test]
    fn a_path_is_shown_as_a_shell_takes_it() {
        for (path, shown) in
            [("signed/4711", "signed/4711"), ("my files", "'my files'"), ("it's", "'it'\\''s'")]
        {
            assert_eq!(quoted(Path::new(path)), shown);
        }
    }

    #[test]
    fn without_a_terminal_nothing_is_painted() {
        assert_eq!(Paint(false).red("x"), "x");
        assert_eq!(Paint(true).red("x"), "\x1b[1;31mx\x1b[0m");
    }
}
