//! HTML by construction: tags and attribute names are the program's own, all else is escaped.

use std::fmt::Write as _;

/// Characters of one text that are shown.
const MAX_TEXT: usize = 600;
/// A number that identifies a person is at least as long.
const MIN_NUMBER: usize = 6;
/// Digits of a Norwegian national identity number, the date of birth first.
const NATIONAL: usize = 11;
const BIRTH: usize = 6;

/// A page that is being written.
pub(super) struct Html {
    out: String,
    /// Numbers of persons, which are not shown wherever they stand.
    numbers: Vec<String>,
    /// How many levels headings are moved down.
    depth: usize,
}

impl Html {
    pub(super) fn new(depth: usize) -> Self {
        Self { out: String::new(), numbers: Vec::new(), depth }
    }

    pub(super) fn finish(self) -> String {
        self.out
    }

    /// From now on this number of a person is shown nowhere, with a scheme before it or without.
    pub(super) fn hide(&mut self, number: &str) {
        let bare = number.rsplit(':').next().unwrap_or(number);
        let bare = bare.split_once('-').filter(|(scheme, _)| is_scheme(scheme));
        let bare = bare.map(|(_, rest)| rest);
        for number in [Some(number), bare].into_iter().flatten() {
            if number.chars().count() >= MIN_NUMBER {
                self.numbers.push(number.to_owned());
            }
        }
    }

    /// Markup of the program's own.
    pub(super) fn raw(&mut self, markup: &'static str) -> &mut Self {
        self.out.push_str(markup);
        self
    }

    /// A text from anywhere.
    pub(super) fn text(&mut self, text: &str) -> &mut Self {
        let safe = self.plain(text);
        escape(&safe, &mut self.out);
        self
    }

    /// A text from a file: set apart, so that what it is written in reorders nothing around it.
    pub(super) fn foreign(&mut self, text: &str) -> &mut Self {
        self.raw("<bdi>").text(text).raw("</bdi>")
    }

    /// ` name="value"`.
    pub(super) fn attribute(&mut self, name: &'static str, value: &str) -> &mut Self {
        self.raw(" ").raw(name).raw("=\"").text(value).raw("\"")
    }

    /// ` name="1.5"`, at most two digits behind the point.
    pub(super) fn length(&mut self, name: &'static str, value: f64) -> &mut Self {
        self.raw(" ").raw(name).raw("=\"").number(value).raw("\"")
    }

    pub(super) fn number(&mut self, value: f64) -> &mut Self {
        let value = if value.is_finite() { value } else { 0.0 };
        let digits = format!("{value:.2}");
        self.out.push_str(digits.trim_end_matches('0').trim_end_matches('.'));
        self
    }

    pub(super) fn count(&mut self, value: u64) -> &mut Self {
        let _ = write!(self.out, "{value}");
        self
    }

    /// Bytes as a `data:` address in base64.
    pub(super) fn data(&mut self, kind: &'static str, bytes: &[u8]) -> &mut Self {
        use base64::Engine as _;
        self.raw("data:").raw(kind).raw(";base64,");
        base64::engine::general_purpose::STANDARD.encode_string(bytes, &mut self.out);
        self
    }

    /// A heading, one level below the page's title for 2.
    pub(super) fn heading(&mut self, level: usize, text: &str) -> &mut Self {
        let (open, close) = match level + self.depth {
            0 | 1 => ("<h1>", "</h1>"),
            2 => ("<h2>", "</h2>"),
            3 => ("<h3>", "</h3>"),
            4 => ("<h4>", "</h4>"),
            _ => ("<h5>", "</h5>"),
        };
        self.raw(open).text(text).raw(close)
    }

    /// What is shown of a text: no control character, nothing that reorders or hides, no number
    /// of a person, and not without end.
    pub(super) fn plain(&self, text: &str) -> String {
        let mut hidden = without_national_numbers(text);
        for number in &self.numbers {
            if hidden.contains(number.as_str()) {
                hidden = hidden.replace(number.as_str(), "(number)");
            }
        }
        let mut shown = String::with_capacity(hidden.len());
        for (index, c) in hidden.chars().enumerate() {
            if index >= MAX_TEXT {
                shown.push('…');
                break;
            }
            match c {
                '\n' | '\r' | '\t' | '\u{2028}' | '\u{2029}' => shown.push(' '),
                c if is_unseen(c) => shown.extend(c.escape_unicode()),
                c => shown.push(c),
            }
        }
        shown
    }
}

/// `UN:NO`, `PNONO` and the like, as they stand before a number in certificates.
fn is_scheme(text: &str) -> bool {
    !text.is_empty() && text.len() <= 5 && text.bytes().all(|byte| byte.is_ascii_uppercase())
}

/// Control characters, and those that reorder, join or hide what is around them.
fn is_unseen(c: char) -> bool {
    c.is_control()
        || matches!(c,
            '\u{ad}' | '\u{61c}' | '\u{180e}' | '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}'
            | '\u{2060}'..='\u{206f}' | '\u{feff}' | '\u{fff9}'..='\u{fffb}'
            | '\u{e0000}'..='\u{e007f}')
}

/// Eleven digits that stand for themselves, maybe with a gap behind the date of birth.
fn without_national_numbers(text: &str) -> String {
    let mut shown = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(start) = rest.find(|c: char| c.is_ascii_digit()) {
        let (before, run) = rest.split_at(start);
        shown.push_str(before);
        let (digits, len) = digits_of(run);
        let (taken, after) = run.split_at(len);
        let alone = !before.ends_with(char::is_alphanumeric)
            && !after.starts_with(|c: char| c.is_alphanumeric());
        shown.push_str(if digits == NATIONAL && alone { "(number)" } else { taken });
        rest = after;
    }
    shown.push_str(rest);
    shown
}

/// How many digits the text begins with, and over how many bytes; one gap is passed over.
fn digits_of(text: &str) -> (usize, usize) {
    let run = |text: &str| text.bytes().take_while(u8::is_ascii_digit).count();
    let first = run(text);
    let behind = text.get(first..).unwrap_or_default();
    if first == BIRTH
        && let Some(gap) = behind.chars().next().filter(|c| " -.\u{a0}".contains(*c))
    {
        let second = run(behind.get(gap.len_utf8()..).unwrap_or_default());
        if first + second == NATIONAL {
            return (NATIONAL, first + gap.len_utf8() + second);
        }
    }
    (first, first)
}

fn escape(text: &str, out: &mut String) {
    for c in text.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\'' => out.push_str("&#39;"),
            c => out.push(c),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(text: &str) -> String {
        let mut html = Html::new(0);
        html.text(text);
        html.finish()
    }

    #[test]
    fn nothing_from_elsewhere_is_markup() {
        assert_eq!(
            shown("<script>alert('x')</script> & \"y\""),
            "&lt;script&gt;alert(&#39;x&#39;)&lt;/script&gt; &amp; &quot;y&quot;"
        );
        assert_eq!(shown("loan\u{202e}fdp\u{0}\n\u{200b}"), "loan\\u{202e}fdp\\u{0} \\u{200b}");
        assert_eq!(shown(&"a".repeat(5000)).chars().count(), MAX_TEXT + 1);
    }

    #[test]
    fn numbers_of_persons_are_not_shown() {
        for number in ["01010112345", "010101 12345", "010101-12345"] {
            assert_eq!(shown(&format!("of {number}, born")), "of (number), born");
        }
        for other in ["123456789012", "a01010112345", "2026-01-01T00:00:00Z", "1010.11", "123456 7"]
        {
            assert_eq!(shown(other), other);
        }
        let mut html = Html::new(0);
        html.hide("UN:NO-9578-5999-4-1234567");
        html.hide("PNONO-98765");
        html.text("9578-5999-4-1234567 and UN:NO-9578-5999-4-1234567");
        html.text(" PNONO-98765");
        assert_eq!(html.finish(), "(number) and (number) (number)");
    }

    #[test]
    fn lengths_are_short_and_finite() {
        let mut html = Html::new(0);
        html.length("x", 72.0).length("y", 1.505).length("z", f64::NAN);
        assert_eq!(html.finish(), " x=\"72\" y=\"1.50\" z=\"0\"".replace("1.50", "1.5"));
    }
}
