//! The messages of the conversion. The text itself is what travels: errors and warnings have no
//! code of their own in an answer.

/// Why a document could not be converted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
#[non_exhaustive]
pub enum ConversionError {
    /// CORRUPT
    Corrupt,
    /// DOC_SIGNED
    DocSigned,
    /// EF_REMOVED
    EfRemoved,
    /// GENERIC_ERROR
    GenericError,
    /// DISABLED
    Disabled,
}

impl ConversionError {
    /// All of them, in the order of the specification.
    pub const ALL: [Self; 5] =
        [Self::Corrupt, Self::DocSigned, Self::EfRemoved, Self::GenericError, Self::Disabled];

    /// The code of the specification.
    pub fn code(self) -> &'static str {
        match self {
            Self::Corrupt => "CORRUPT",
            Self::DocSigned => "DOC_SIGNED",
            Self::EfRemoved => "EF_REMOVED",
            Self::GenericError => "GENERIC_ERROR",
            Self::Disabled => "DISABLED",
        }
    }

    /// The text that travels.
    pub fn message(self) -> &'static str {
        match self {
            Self::Corrupt => "Document is corrupt",
            Self::DocSigned => "Document contains signatures",
            Self::EfRemoved => "Embedded files removed",
            Self::GenericError => "Unknown error",
            Self::Disabled => "PDF conversion is disabled",
        }
    }
}

/// What a conversion changed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
#[non_exhaustive]
pub enum ConversionWarning {
    /// VISUAL_DIFF
    VisualDiff,
    /// COLORANTS
    Colorants,
    /// OCG_REMOVED
    OcgRemoved,
    /// TRANSP_REMOVED
    TranspRemoved,
    /// XMP_REMOVED
    XmpRemoved,
    /// FONT_SUBST
    FontSubst,
    /// ACTION_REMOVED
    ActionRemoved,
    /// STRUCTURE_REMOVED
    StructureRemoved,
}

impl ConversionWarning {
    /// All of them, in the order of the specification.
    pub const ALL: [Self; 8] = [
        Self::VisualDiff,
        Self::Colorants,
        Self::OcgRemoved,
        Self::TranspRemoved,
        Self::XmpRemoved,
        Self::FontSubst,
        Self::ActionRemoved,
        Self::StructureRemoved,
    ];

    /// The code of the specification.
    pub fn code(self) -> &'static str {
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

    /// The text that travels.
    pub fn message(self) -> &'static str {
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
}
