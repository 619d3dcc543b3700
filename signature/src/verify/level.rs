//! PAdES baseline levels (ETSI EN 319 142-1, clause 6).

use std::fmt;

use serde::{Serialize, Serializer};

/// A PAdES baseline level; a higher one includes the lower ones.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Level {
    /// B-B: a signature with the attributes of the baseline.
    BB,
    /// B-T: and a trusted timestamp over it.
    BT,
    /// B-LT: and all certificates and revocation answers that later validation needs.
    BLT,
    /// B-LTA: and a document timestamp over all that.
    BLTA,
}

impl Level {
    /// The name of the standard.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Level::BB => "B-B",
            Level::BT => "B-T",
            Level::BLT => "B-LT",
            Level::BLTA => "B-LTA",
        }
    }

    /// The level of this name, case ignored, with or without `PAdES-` before it.
    #[must_use]
    pub fn from_name(name: &str) -> Option<Level> {
        let upper = name.trim().to_ascii_uppercase();
        let short = upper.strip_prefix("PADES-").unwrap_or(&upper);
        [Level::BB, Level::BT, Level::BLT, Level::BLTA].into_iter().find(|l| l.name() == short)
    }
}

impl fmt::Display for Level {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl Serialize for Level {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.name())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_and_order() {
        assert_eq!(Level::from_name("b-lt"), Some(Level::BLT));
        assert_eq!(Level::from_name("PAdES-B-LTA"), Some(Level::BLTA));
        assert_eq!(Level::from_name("LT"), None);
        assert!(Level::BB < Level::BT && Level::BT < Level::BLT && Level::BLT < Level::BLTA);
    }
}
