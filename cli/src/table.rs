//! Columns of text, aligned by what a terminal shows.

use console::measure_text_width;

/// A table; cells may hold several lines and colours.
pub(crate) struct Table {
    rows: Vec<Vec<String>>,
    right: Vec<usize>,
}

const GAP: &str = "  ";

impl Table {
    /// A table with these headings; columns of `right` are aligned to the right.
    pub(crate) fn new(headings: &[&str], right: &[usize]) -> Self {
        let rows = vec![headings.iter().map(|&heading| heading.to_owned()).collect()];
        Self { rows, right: right.to_vec() }
    }

    pub(crate) fn row(&mut self, cells: Vec<String>) {
        self.rows.push(cells);
    }

    /// Columns the widest line takes.
    pub(crate) fn width(&self) -> usize {
        let widths = self.widths();
        widths.iter().sum::<usize>() + GAP.len() * widths.len().saturating_sub(1)
    }

    /// The table as text without a final line break; `heading` paints the first line.
    pub(crate) fn render(&self, heading: impl Fn(&str) -> String) -> String {
        let widths = self.widths();
        let mut lines = Vec::new();
        for (number, row) in self.rows.iter().enumerate() {
            let height = row.iter().map(|cell| cell.lines().count()).max().unwrap_or(0).max(1);
            for at in 0..height {
                let cells = row.iter().map(|cell| cell.lines().nth(at).unwrap_or(""));
                let line = self.line(cells, &widths);
                lines.push(if number == 0 { heading(&line) } else { line });
            }
        }
        lines.join("\n")
    }

    fn line<'a>(&self, cells: impl Iterator<Item = &'a str>, widths: &[usize]) -> String {
        let mut line = String::new();
        for (column, (cell, &width)) in cells.zip(widths).enumerate() {
            let padding = " ".repeat(width.saturating_sub(measure_text_width(cell)));
            if column > 0 {
                line.push_str(GAP);
            }
            if self.right.contains(&column) {
                line.push_str(&padding);
                line.push_str(cell);
            } else {
                line.push_str(cell);
                line.push_str(&padding);
            }
        }
        line.trim_end().to_owned()
    }

    fn widths(&self) -> Vec<usize> {
        let mut widths = Vec::new();
        for row in &self.rows {
            for (column, cell) in row.iter().enumerate() {
                let width = cell.lines().map(measure_text_width).max().unwrap_or(0);
                match widths.get_mut(column) {
                    Some(known) => *known = width.max(*known),
                    None => widths.push(width),
                }
            }
        }
        widths
    }
}

/// `text` in lines of at most `width` columns, broken at spaces. What stands between backticks
/// is a command for somebody to copy, and is not broken.
pub(crate) fn fold(text: &str, width: usize) -> Vec<String> {
    let mut lines = Vec::new();
    let mut line = String::new();
    for word in words(text) {
        let taken = measure_text_width(&line) + 1 + measure_text_width(&word);
        if !line.is_empty() && taken > width {
            lines.push(std::mem::take(&mut line));
        }
        if !line.is_empty() {
            line.push(' ');
        }
        line.push_str(&word);
    }
    lines.push(line);
    lines
}

/// The words of a text; a whole command counts as one.
fn words(text: &str) -> Vec<String> {
    let mut words: Vec<String> = Vec::new();
    let mut is_open = false;
    for word in text.split_whitespace() {
        match words.last_mut().filter(|_| is_open) {
            Some(command) => {
                command.push(' ');
                command.push_str(word);
            }
            None => words.push(word.to_owned()),
        }
        is_open ^= word.matches('`').count() % 2 == 1;
    }
    words
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_are_as_wide_as_what_is_shown() {
        let mut table = Table::new(&["name", "size"], &[1]);
        table.row(vec!["\x1b[32må\x1b[0m".into(), "7 B".into()]);
        table.row(vec!["文書".into(), "12 B\n+1".into()]);
        assert_eq!(
            table.render(str::to_owned),
            "name  size\n\x1b[32må\x1b[0m      7 B\n文書  12 B\n        +1"
        );
    }

    #[test]
    fn folding_keeps_every_word() {
        assert_eq!(fold("one two three", 7), ["one two", "three"]);
        assert_eq!(fold("unbreakable", 3), ["unbreakable"]);
        assert_eq!(fold("", 3), [""]);
        assert_eq!(fold("type `a b c`, then go", 9), ["type", "`a b c`,", "then go"]);
    }
}
