//! Lists of points, each good, bad or open, folded to the terminal.

use crate::screen::{Paint, Screen, plain};
use crate::table::fold;

/// How a point came out.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Mark {
    Good,
    Bad,
    /// It was not looked at, or does not count.
    Open,
}

impl Mark {
    fn painted(self, paint: Paint) -> String {
        match self {
            Self::Good => paint.green("✓"),
            Self::Bad => paint.red("✗"),
            Self::Open => paint.dim("-"),
        }
    }
}

/// One line of a list, and what to do about it.
pub(crate) struct Point {
    pub(crate) mark: Mark,
    pub(crate) name: String,
    pub(crate) detail: String,
    pub(crate) remedy: Option<String>,
}

/// Narrower than this, texts are not folded to their column any more.
const NARROWEST: usize = 24;

/// Points below each other: mark, name, what was found; remedies on lines of their own.
pub(crate) fn show(points: &[Point], indent: usize, screen: &mut Screen) {
    let paint = screen.paint();
    let names = points.iter().map(|point| point.name.chars().count()).max().unwrap_or_default();
    let column = indent + 2 + names + 2;
    for point in points {
        let lines = hanging(&plain(&point.detail), column, screen);
        let gap = " ".repeat(names - point.name.chars().count() + 2);
        let (mark, name) = (point.mark.painted(paint), plain(&point.name));
        let first = format!("{}{mark} {name}{gap}{lines}", " ".repeat(indent));
        screen.line(first.trim_end());
        if let Some(remedy) = &point.remedy {
            let label = "remedy: ";
            let text = hanging(&plain(remedy), column + label.len(), screen);
            screen.line(&format!("{}{}{text}", " ".repeat(column), paint.bold(label)));
        }
    }
}

/// `text` folded to what is left of the terminal from `column` on; further lines begin there, too.
pub(crate) fn hanging(text: &str, column: usize, screen: &Screen) -> String {
    let left = screen.width().map(|width| width.saturating_sub(column));
    match left.filter(|left| *left >= NARROWEST) {
        Some(left) => fold(text, left).join(&format!("\n{}", " ".repeat(column))),
        None => text.to_owned(),
    }
}
