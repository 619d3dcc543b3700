//! Words the interface gives a meaning: field values, versions, deprecations.

/// The only conversion there is: PDF/A-2, conformance level B.
/// Source: interface specification, Conversion request document.
pub const PDFA_2B: &str = "PDFA_2B";

/// All values of `pdfSpec`.
pub const PDF_SPECS: &[&str] = &[PDFA_2B];

/// The signed PDF. Source for these: interface specification, PAdES sign order.
pub const PADES_SIGNED_PDF: &str = "padesSignedPdf";

/// What signing appends to the original PDF.
pub const PADES_APPENDIX: &str = "padesAppendix";

/// SHA-256 digests of the documents; a value of both order kinds.
pub const DOCUMENT_HASH: &str = "documentHash";

/// The signatures by themselves, as CMS. Source for these: interface specification, SEID-SDO sign
/// order.
pub const BASIC_SIGNATURE: &str = "basicSignature";

/// The signed data object.
pub const SDO: &str = "sdo";

/// All values of a PAdES order's `resultContent`, in the specification's order.
pub const PADES_RESULTS: &[&str] = &[PADES_SIGNED_PDF, PADES_APPENDIX, DOCUMENT_HASH];

/// Of [`PADES_RESULTS`], those of which an order must ask for at least one. The specification does
/// not say it; the service refuses orders without.
pub const PADES_RESULTS_ONE_OF: &[&str] = &[PADES_SIGNED_PDF, PADES_APPENDIX];

/// All values of a SEID-SDO order's `resultContent`, in the specification's order.
pub const SDO_RESULTS: &[&str] = &[BASIC_SIGNATURE, DOCUMENT_HASH, SDO];

/// Shown inside the signing client; the default, and the one the specification's sample uses.
pub const DISPLAY_INTERIOR: &str = "interior";

/// Shown in a window of its own.
pub const DISPLAY_WINDOW: &str = "window";

/// Laid over the signing client.
pub const DISPLAY_OVERLAY: &str = "overlay";

/// The known values of `documentDisplayMode`. The specification leaves them open; these are in the
/// service's documentation.
pub const DISPLAY_MODES: &[&str] = &[DISPLAY_INTERIOR, DISPLAY_WINDOW, DISPLAY_OVERLAY];

/// Version of the conversion interface description. Source: interface specification, Versioning.
pub const INTERFACE_VERSION: &str = "0.0.0";

/// Title of that version. Source: interface specification, Versioning.
pub const INTERFACE_TITLE: &str = "version 0 of the conversion interface";

/// Discovery key under which the signing base address stands. Source: interface specification,
/// Versioning.
pub const DISCOVERY_BASE_URL: &str = "signdoc-baseurl";

/// A part of the interface that is going away.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Deprecation {
    /// What is deprecated.
    pub what: &'static str,
    /// What to know, in one clause: lower case, no final dot.
    pub notice: &'static str,
}

/// The PAdES order interface.
pub const PADES_DEPRECATION: Deprecation = Deprecation {
    what: "PAdES orders",
    notice: "the PAdES signing interface is marked outdated and scheduled for removal; a newer signing solution replaces it",
};

/// The SEID-SDO order interface.
pub const SDO_DEPRECATION: Deprecation = Deprecation {
    what: "SEID-SDO orders",
    notice: "the SEID-SDO interface is marked deprecated; the newer signing solution has no equivalent",
};

/// The field `allowSigned` of a conversion request document.
pub const ALLOW_SIGNED_DEPRECATION: Deprecation = Deprecation {
    what: "allowSigned",
    notice: "the conversion field allowSigned is deprecated; conversion removes the signatures of documents it lets through",
};

/// All deprecations. Source: interface specification, Versioning.
pub const DEPRECATIONS: &[Deprecation] =
    &[PADES_DEPRECATION, SDO_DEPRECATION, ALLOW_SIGNED_DEPRECATION];
