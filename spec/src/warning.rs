//! The conversion warnings: what conversion did to a document that it did convert.

use core::fmt;

use crate::code::same_text;

/// A warning of the specification. The service sends its message text; the number is ours and
/// belongs to a table of its own, apart from the error codes.
///
/// Source: interface specification, Conversion warnings.
#[repr(i32)]
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[non_exhaustive]
pub enum Warning {
    /// The converted document looks different.
    VisualDiff = 1,
    /// Colorants with the same name were told apart.
    Colorants = 2,
    /// Layers were removed.
    OcgRemoved = 3,
    /// Transparency was removed.
    TranspRemoved = 4,
    /// Metadata that has no place in PDF/A was removed.
    XmpRemoved = 5,
    /// A font was replaced by another.
    FontSubst = 6,
    /// Interactive elements were removed.
    ActionRemoved = 7,
    /// The logical structure was removed.
    StructureRemoved = 8,
}

impl Warning {
    /// Every warning, in the specification's order.
    pub const ALL: &'static [Self] = &[
        Self::VisualDiff,
        Self::Colorants,
        Self::OcgRemoved,
        Self::TranspRemoved,
        Self::XmpRemoved,
        Self::FontSubst,
        Self::ActionRemoved,
        Self::StructureRemoved,
    ];

    /// The number, 1 to 8.
    #[must_use]
    pub const fn number(self) -> i32 {
        self as i32
    }

    /// The warning with this number.
    #[must_use]
    pub fn from_number(number: i32) -> Option<Self> {
        Self::ALL.iter().find(|warning| warning.number() == number).copied()
    }

    /// The specification's code, such as `VISUAL_DIFF`.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::VisualDiff => "VISUAL_DIFF",
            Self::Colorants => "COLORANTS",
            Self::OcgRemoved => "OCG_REMOVED",
            Self::TranspRemoved => "TRANSP_REMOVED",
            Self::XmpRemoved => "XMP_REMOVED",
            Self::FontSubst => "FONT_SUBST",
            Self::ActionRemoved => "ACTION_REMOVED",
            Self::StructureRemoved => "STRUCTURE_REMOVED",
        }
    }

    /// The name of the constant in C, such as `SIGNDOC_WARNING_VISUAL_DIFF`.
    #[must_use]
    pub const fn constant(self) -> &'static str {
        match self {
            Self::VisualDiff => "SIGNDOC_WARNING_VISUAL_DIFF",
            Self::Colorants => "SIGNDOC_WARNING_COLORANTS",
            Self::OcgRemoved => "SIGNDOC_WARNING_OCG_REMOVED",
            Self::TranspRemoved => "SIGNDOC_WARNING_TRANSP_REMOVED",
            Self::XmpRemoved => "SIGNDOC_WARNING_XMP_REMOVED",
            Self::FontSubst => "SIGNDOC_WARNING_FONT_SUBST",
            Self::ActionRemoved => "SIGNDOC_WARNING_ACTION_REMOVED",
            Self::StructureRemoved => "SIGNDOC_WARNING_STRUCTURE_REMOVED",
        }
    }

    /// The message text by which the service names the warning.
    #[must_use]
    pub const fn message(self) -> &'static str {
        match self {
            Self::VisualDiff => "Visual differences in output PDF",
            Self::Colorants => "Resolve name collisions of colorants",
            Self::OcgRemoved => "Removed optional content groups (layers)",
            Self::TranspRemoved => "Transparency removed",
            Self::XmpRemoved => "Removed non convertible XMP metadata",
            Self::FontSubst => "Font substituted",
            Self::ActionRemoved => "Removed interactive elements such as actions or annotations",
            Self::StructureRemoved => "Structure removed",
        }
    }

    /// What happened, in one clause.
    #[must_use]
    pub const fn summary(self) -> &'static str {
        match self {
            Self::VisualDiff => "the converted document looks different from the original",
            Self::Colorants => "colorants with the same name were told apart",
            Self::OcgRemoved => "optional content groups (layers) were removed",
            Self::TranspRemoved => "transparency was removed",
            Self::XmpRemoved => "metadata that could not be converted was removed",
            Self::FontSubst => "a font was replaced by another",
            Self::ActionRemoved => {
                "interactive elements such as actions or annotations were removed"
            }
            Self::StructureRemoved => "the document's logical structure was removed",
        }
    }

    /// What to do about it.
    #[must_use]
    pub const fn advice(self) -> &'static str {
        match self {
            Self::VisualDiff => "compare both documents by eye before having the new one signed",
            Self::Colorants => "compare the colours if they matter; text is not affected",
            Self::OcgRemoved => {
                "check that what should be seen is seen; flatten layers before conversion to decide it yourself"
            }
            Self::TranspRemoved => "compare pages with shadows, watermarks or overlaid pictures",
            Self::XmpRemoved => {
                "nothing on the pages changed; keep the metadata elsewhere if you need it"
            }
            Self::FontSubst => {
                "embed all fonts in the original, then convert again; else compare the text"
            }
            Self::ActionRemoved => {
                "check that no form entry or note of importance is gone; flatten forms before conversion"
            }
            Self::StructureRemoved => {
                "nothing on the pages changed; keep the original where accessibility tags are needed"
            }
        }
    }

    /// The section this table comes from.
    #[must_use]
    pub const fn source(self) -> &'static str {
        "interface specification, Conversion warnings"
    }

    /// The warning for a text of `conversionWarnings`: the message, or the code, tolerant of case,
    /// surrounding white space and a final dot. `None` for any other text, which should be kept as
    /// it is.
    #[must_use]
    pub fn from_message(text: &str) -> Option<Self> {
        let same =
            |warning: &&Self| same_text(warning.message(), text) || same_text(warning.name(), text);
        Self::ALL.iter().find(same).copied()
    }

    /// The warning with this code, in any case.
    #[must_use]
    pub fn from_name(name: &str) -> Option<Self> {
        let name = name.trim();
        Self::ALL.iter().find(|warning| warning.name().eq_ignore_ascii_case(name)).copied()
    }
}

impl fmt::Display for Warning {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.name(), self.summary())
    }
}
