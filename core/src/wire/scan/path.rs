//! Where in an answer the scanner stands.

use std::fmt;

/// One level of a [`Path`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Step<'a> {
    /// A member of an object.
    Key(&'a str),
    /// An element of an array, counted from 0.
    Index(usize),
}

/// One level of what [`Path::matches`] looks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Pattern<'a> {
    /// Exactly this member.
    Key(&'a str),
    /// Any element of an array.
    Item,
}

/// The way from the top of the answer to a value. Displayed as `[3].conversionResult.converted`;
/// the top itself as `$`.
///
/// Levels are used again when containers close, so that keeping the path allocates only while it
/// grows.
#[derive(Clone, Debug, Default)]
pub struct Path {
    levels: Vec<Level>,
    depth: usize,
}

#[derive(Clone, Debug, Default)]
struct Level {
    array: bool,
    key: String,
    index: usize,
}

impl Path {
    /// Number of containers around the value; 0 for the top.
    pub fn depth(&self) -> usize {
        self.depth
    }

    /// The levels, outermost first.
    pub fn steps(&self) -> impl Iterator<Item = Step<'_>> {
        self.levels.iter().take(self.depth).map(Level::step)
    }

    /// The member name at `depth` (0 is outermost); `None` for an array level.
    pub fn key_at(&self, depth: usize) -> Option<&str> {
        match self.steps().nth(depth)? {
            Step::Key(key) => Some(key),
            Step::Index(_) => None,
        }
    }

    /// The element number at `depth` (0 is outermost); `None` for an object level.
    pub fn index_at(&self, depth: usize) -> Option<usize> {
        match self.steps().nth(depth)? {
            Step::Key(_) => None,
            Step::Index(index) => Some(index),
        }
    }

    /// The member name of the innermost level.
    pub fn last_key(&self) -> Option<&str> {
        self.depth.checked_sub(1).and_then(|depth| self.key_at(depth))
    }

    /// Whether the path has exactly these levels.
    pub fn matches(&self, pattern: &[Pattern<'_>]) -> bool {
        self.depth == pattern.len() && self.starts_with(pattern)
    }

    /// Whether the path begins with these levels.
    pub fn starts_with(&self, pattern: &[Pattern<'_>]) -> bool {
        self.depth >= pattern.len()
            && pattern.iter().zip(self.steps()).all(|pair| match pair {
                (Pattern::Key(wanted), Step::Key(key)) => *wanted == key,
                (Pattern::Item, Step::Index(_)) => true,
                _ => false,
            })
    }

    pub(super) fn open(&mut self, array: bool) {
        if self.levels.len() == self.depth {
            self.levels.push(Level::default());
        }
        if let Some(level) = self.levels.get_mut(self.depth) {
            level.array = array;
            level.key.clear();
            level.index = 0;
        }
        self.depth += 1;
    }

    pub(super) fn close(&mut self) {
        self.depth = self.depth.saturating_sub(1);
    }

    pub(super) fn set_key(&mut self, key: &str) {
        if let Some(level) = self.innermost() {
            level.key.clear();
            level.key.push_str(key);
        }
    }

    pub(super) fn next_index(&mut self) {
        if let Some(level) = self.innermost() {
            level.index += 1;
        }
    }

    /// Whether the innermost container is an array; `None` at the top.
    pub(super) fn in_array(&self) -> Option<bool> {
        let innermost = self.depth.checked_sub(1)?;
        self.levels.get(innermost).map(|level| level.array)
    }

    fn innermost(&mut self) -> Option<&mut Level> {
        self.depth.checked_sub(1).and_then(|innermost| self.levels.get_mut(innermost))
    }
}

impl Level {
    fn step(&self) -> Step<'_> {
        if self.array { Step::Index(self.index) } else { Step::Key(&self.key) }
    }
}

impl fmt::Display for Path {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.depth == 0 {
            return f.write_str("$");
        }
        for (depth, step) in self.steps().enumerate() {
            match step {
                Step::Index(index) => write!(f, "[{index}]")?,
                Step::Key(key) if depth == 0 => f.write_str(key)?,
                Step::Key(key) => write!(f, ".{key}")?,
            }
        }
        Ok(())
    }
}
