//! The JSON resources of the interface, field by field.
//!
//! Source: interface specification, Resources and their fields, and Endpoints.

/// What a field's JSON value is.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[non_exhaustive]
pub enum Kind {
    /// A string.
    String,
    /// `true` or `false`.
    Boolean,
    /// A number without a fraction.
    Integer,
    /// A number.
    Number,
    /// An object.
    Object,
    /// An array of strings.
    Strings,
    /// An array of objects.
    Objects,
}

impl Kind {
    /// The kind in the specification's words.
    #[must_use]
    pub const fn label(self) -> &'static str {
        match self {
            Self::String => "string",
            Self::Boolean => "boolean",
            Self::Integer => "integer",
            Self::Number => "number",
            Self::Object => "object",
            Self::Strings => "array of string",
            Self::Objects => "array of object",
        }
    }
}

/// A field of a resource.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Field {
    /// The JSON key.
    pub name: &'static str,
    /// What its value is.
    pub kind: Kind,
    /// Whether it must be present; `None` where the specification does not say.
    pub required: Option<bool>,
}

/// A JSON object of the interface.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Resource {
    /// What the specification calls it.
    pub name: &'static str,
    /// Its fields, in the specification's order.
    pub fields: &'static [Field],
}

impl Resource {
    /// The field with this JSON key.
    #[must_use]
    pub fn field(&self, name: &str) -> Option<&'static Field> {
        self.fields.iter().find(|field| field.name == name)
    }
}

const fn field(name: &'static str, kind: Kind) -> Field {
    Field { name, kind, required: None }
}

const fn required(name: &'static str, kind: Kind) -> Field {
    Field { name, kind, required: Some(true) }
}

const fn optional(name: &'static str, kind: Kind) -> Field {
    Field { name, kind, required: Some(false) }
}

/// The body of a conversion request.
pub const CONVERSION_REQUEST: Resource =
    Resource { name: "conversion request", fields: &[required("documents", Kind::Objects)] };

/// An item of `documents` in a conversion request.
pub const CONVERSION_REQUEST_DOCUMENT: Resource = Resource {
    name: "conversion request document",
    fields: &[
        required("pdfSpec", Kind::String),
        required("pdf", Kind::String),
        optional("allowSigned", Kind::Boolean),
    ],
};

/// What became of one document.
pub const CONVERSION_RESULT: Resource = Resource {
    name: "conversion result",
    fields: &[
        field("conversionId", Kind::String),
        field("description", Kind::String),
        field("converted", Kind::Boolean),
        field("conversionErrors", Kind::Strings),
        field("conversionWarnings", Kind::Strings),
    ],
};

/// An element of the array that answers a conversion request with 200.
pub const CONVERSION_ANSWER_ITEM: Resource = Resource {
    name: "conversion answer item",
    fields: &[field("conversionResult", Kind::Object), field("convertedDocument", Kind::String)],
};

/// The object that answers a conversion request with 400.
pub const CONVERSION_REJECTION: Resource =
    Resource { name: "conversion rejection", fields: &[field("conversionResults", Kind::Objects)] };

/// The answer that lists the supported conversions. The service also sends an array.
pub const PDF_SPECS_ANSWER: Resource =
    Resource { name: "pdf specs answer", fields: &[field("pdfSpecs", Kind::String)] };

/// `signProperties` of both order kinds.
pub const SIGN_PROPERTIES: Resource = Resource {
    name: "sign order properties",
    fields: &[
        field("orderName", Kind::String),
        field("documentDisplayMode", Kind::String),
        field("showConfirmation", Kind::Boolean),
        field("showUnderstanding", Kind::Boolean),
        field("timeoutSeconds", Kind::Integer),
    ],
};

/// A PAdES sign order.
pub const PADES_ORDER: Resource = Resource {
    name: "PAdES sign order",
    fields: &[
        field("signProperties", Kind::Object),
        field("padesSignProperties", Kind::Object),
        field("documents", Kind::Objects),
        field("resultContent", Kind::Strings),
    ],
};

/// `padesSignProperties` of a PAdES sign order.
pub const PADES_SIGN_PROPERTIES: Resource =
    Resource { name: "PAdES sign properties", fields: &[field("addVisualSeals", Kind::Boolean)] };

/// An item of `documents` in a PAdES sign order.
pub const PADES_DOCUMENT: Resource = Resource {
    name: "PAdES document item",
    fields: &[
        field("description", Kind::String),
        field("pdf", Kind::String),
        optional("pdfSpec", Kind::String),
        field("merchantSealPos", Kind::Object),
        field("endUserSealPos", Kind::Object),
    ],
};

/// A field of [`PADES_DOCUMENT`] the specification promises in words but does not list: the end
/// user's signature alone. Source: the service's documentation of PAdES orders.
pub const PADES_DOCUMENT_END_USER_ONLY: Field = optional("endUserOnly", Kind::Boolean);

/// Where a visual seal goes. The specification leaves units and origin open; the service counts
/// points from the upper left corner, and pages from 1.
pub const SEAL_POSITION: Resource = Resource {
    name: "seal position",
    fields: &[field("x", Kind::Number), field("y", Kind::Number), field("page", Kind::Integer)],
};

/// A SEID-SDO sign order.
pub const SDO_ORDER: Resource = Resource {
    name: "SEID-SDO sign order",
    fields: &[
        field("signProperties", Kind::Object),
        field("documents", Kind::Objects),
        field("resultContent", Kind::Strings),
    ],
};

/// An item of `documents` in a SEID-SDO sign order: `pdf`, or `text`, or `xml` with `xls`.
pub const SDO_DOCUMENT: Resource = Resource {
    name: "SEID-SDO document item",
    fields: &[
        field("description", Kind::String),
        field("pdf", Kind::String),
        field("text", Kind::String),
        field("xml", Kind::String),
        field("xls", Kind::String),
    ],
};

/// The answer to the creation of an order of either kind.
pub const CREATED_ORDER: Resource = Resource {
    name: "create-order response",
    fields: &[field("sign_id", Kind::String), field("conversionResults", Kind::Objects)],
};

/// The download of a PAdES order.
pub const PADES_DOWNLOAD: Resource = Resource {
    name: "PAdES download result",
    fields: &[
        field("signingResults", Kind::Objects),
        field("signId", Kind::String),
        field("orderName", Kind::String),
        field("orderState", Kind::String),
    ],
};

/// An item of `signingResults` in the download of a PAdES order.
pub const PADES_SIGNING_RESULT: Resource = Resource {
    name: "PAdES signing result",
    fields: &[
        field("signedDocumentSha256", Kind::String),
        field("padesSignedPdf", Kind::String),
        field("padesAppendix", Kind::String),
        field("description", Kind::String),
        field("unsignedDocumentSha256", Kind::String),
    ],
};

/// The download of a SEID-SDO order.
pub const SDO_DOWNLOAD: Resource = Resource {
    name: "SEID-SDO download result",
    fields: &[
        field("documentHashes", Kind::Strings),
        field("merchantSignatures", Kind::Strings),
        field("sdos", Kind::Strings),
        field("endUserSignatures", Kind::Strings),
        field("clientId", Kind::String),
        field("signId", Kind::String),
        field("orderState", Kind::String),
        field("orderName", Kind::String),
    ],
};

/// The body of an error of the CSC endpoints.
pub const CSC_ERROR: Resource = Resource {
    name: "CSC error body",
    fields: &[
        field("errorCode", Kind::String),
        field("errorDescription", Kind::String),
        field("errorReference", Kind::String),
    ],
};

/// Every resource.
pub const RESOURCES: &[Resource] = &[
    CONVERSION_REQUEST,
    CONVERSION_REQUEST_DOCUMENT,
    CONVERSION_RESULT,
    CONVERSION_ANSWER_ITEM,
    CONVERSION_REJECTION,
    PDF_SPECS_ANSWER,
    SIGN_PROPERTIES,
    PADES_ORDER,
    PADES_SIGN_PROPERTIES,
    PADES_DOCUMENT,
    SEAL_POSITION,
    SDO_ORDER,
    SDO_DOCUMENT,
    CREATED_ORDER,
    PADES_DOWNLOAD,
    PADES_SIGNING_RESULT,
    SDO_DOWNLOAD,
    CSC_ERROR,
];
