//! The structure of a signed data object.

use std::ops::Range;

use super::DocumentKind;
use super::base64::{decode, decode_chunks};
use crate::asn1::Malformed;
use crate::xml::{Document, Namespace};

const WHAT: &str = "sdo";
const MAX_SIGNATURES: usize = 64;
const MAX_VALUES: usize = 16;

/// A signed data object as it was read. Nothing in it has been checked yet.
#[derive(Clone, Debug)]
pub struct Sdo<'a> {
    source: &'a str,
    version: Option<String>,
    data_part: Range<usize>,
    signatures: Vec<SdoSignature>,
    seal: Option<SdoSignature>,
    metadata: Vec<(String, String)>,
    document: Option<Range<usize>>,
    uninterpreted: Vec<String>,
}

/// One CMSSignatureElement.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SdoSignature {
    /// SDOProfile, usually `SEID-SDO-Basic-V`.
    pub profile: Option<String>,
    /// The identifier of the signature policy.
    pub policy: Option<String>,
    /// The MIME type of what was signed.
    pub mime_type: Option<String>,
    /// The name of the hash function of HashedData.
    pub digest_algorithm: String,
    /// The digest in HashedData.
    pub digest: Vec<u8>,
    /// The CMS.
    pub cms: Vec<u8>,
    /// OCSP answers, each a BasicOCSPResponse or an OCSPResponse.
    pub ocsp: Vec<Vec<u8>>,
    /// Revocation lists.
    pub crls: Vec<Vec<u8>>,
}

impl<'a> Sdo<'a> {
    /// Reads a file with exactly one signed data object.
    ///
    /// # Errors
    /// When the bytes are no such file, are larger than [`super::MAX_SIZE`], or use XML features
    /// that are not accepted: document types, entities, CDATA, processing instructions.
    pub fn parse(bytes: &'a [u8]) -> Result<Self, Malformed> {
        let mut all = Self::parse_all(bytes)?;
        match (all.pop(), all.len()) {
            (Some(only), 0) => Ok(only),
            (_, more) => {
                Err(Malformed::new(WHAT, format!("list has {} objects, not one", more + 1)))
            }
        }
    }

    /// Reads every signed data object of a file; at least one.
    ///
    /// # Errors
    /// As [`Sdo::parse`].
    pub fn parse_all(bytes: &'a [u8]) -> Result<Vec<Self>, Malformed> {
        let xml = Document::scan(bytes)?;
        // The scanner accepted the bytes as UTF-8 already.
        let source = std::str::from_utf8(bytes).unwrap_or_default();
        let root = xml.element(0)?;
        let objects = match (root.namespace, root.local) {
            (Namespace::Sdo, "SDOList") => xml.children(0, Namespace::Sdo, "SDO")?,
            (Namespace::Sdo, "SDO") => vec![0],
            _ => {
                let why = format!("root element {} is no SDOList", root.local);
                return Err(Malformed::new(WHAT, why));
            }
        };
        if objects.is_empty() {
            return Err(Malformed::new(WHAT, "list is empty"));
        }
        objects.into_iter().map(|object| Self::read(source, &xml, object)).collect()
    }

    fn read(source: &'a str, xml: &Document<'a>, object: usize) -> Result<Self, Malformed> {
        use Namespace::Sdo;
        let data_part = xml
            .child(object, Sdo, "SDODataPart")?
            .ok_or_else(|| Malformed::new(WHAT, "has no SDODataPart"))?;
        let elements = xml.children(data_part, Sdo, "SignatureElement")?;
        if elements.is_empty() || elements.len() > MAX_SIGNATURES {
            let why = format!("has {} signatures, not 1 to {MAX_SIGNATURES}", elements.len());
            return Err(Malformed::new(WHAT, why));
        }
        let mut signatures = Vec::new();
        for element in elements {
            signatures.push(read_signature(xml, element)?);
        }
        let seal = match xml.path(object, &[(Sdo, "SDOSeal"), (Sdo, "SDOSignature")])? {
            Some(element) => Some(read_signature(xml, element)?),
            None => None,
        };
        let version = match xml.child(object, Sdo, "SEIDSDOVersion")? {
            Some(element) => Some(xml.text(element)?.trim().to_owned()),
            None => None,
        };
        let document = xml.path(object, &[(Sdo, "SignedObject"), (Sdo, "SignersDocument")])?;
        let document = match document {
            Some(element) => {
                xml.raw_text(element)?;
                Some(xml.element(element)?.content.clone())
            }
            None => None,
        };
        let known = ["SEIDSDOVersion", "SDODataPart", "SDOSeal", "Metadata", "SignedObject"];
        let mut uninterpreted = Vec::new();
        for child in &xml.element(object)?.children {
            let child = xml.element(*child)?;
            if child.namespace != Sdo || !known.contains(&child.local) {
                uninterpreted.push(child.local.to_owned());
            }
        }
        Ok(Self {
            source,
            version,
            data_part: xml.element(data_part)?.span.clone(),
            signatures,
            seal,
            metadata: read_metadata(xml, object)?,
            document,
            uninterpreted,
        })
    }

    /// SEIDSDOVersion, usually `1.0`.
    #[must_use]
    pub fn version(&self) -> Option<&str> {
        self.version.as_deref()
    }

    /// The sealed bytes, `<SDODataPart>…</SDODataPart>` exactly as they stand in the file.
    #[must_use]
    pub fn data_part(&self) -> &'a [u8] {
        self.source.as_bytes().get(self.data_part.clone()).unwrap_or(&[])
    }

    /// The signatures over the document.
    #[must_use]
    pub fn signatures(&self) -> &[SdoSignature] {
        &self.signatures
    }

    /// The seal over the data part.
    #[must_use]
    pub fn seal(&self) -> Option<&SdoSignature> {
        self.seal.as_ref()
    }

    /// Names and values of the metadata. The seal does not cover them.
    #[must_use]
    pub fn metadata(&self) -> &[(String, String)] {
        &self.metadata
    }

    /// Names of elements beside the known ones, which are not interpreted.
    #[must_use]
    pub fn uninterpreted(&self) -> &[String] {
        &self.uninterpreted
    }

    /// What kind of document was signed, as the first signature says.
    #[must_use]
    pub fn kind(&self) -> Option<DocumentKind> {
        let mime = self.signatures.first()?.mime_type.as_deref()?;
        Some(DocumentKind::from_mime(mime))
    }

    /// True when the document is inside.
    #[must_use]
    pub fn has_document(&self) -> bool {
        self.document.is_some()
    }

    /// The document inside, decoded; nothing when only its digest is there.
    ///
    /// # Errors
    /// When it is no base64.
    pub fn document(&self) -> Result<Option<Vec<u8>>, Malformed> {
        let Some(text) = self.document_text() else { return Ok(None) };
        decode(text, "sdo document").map(Some)
    }

    /// Decodes the document piece by piece.
    ///
    /// # Errors
    /// When it is no base64.
    pub fn read_document(&self, sink: &mut dyn FnMut(&[u8])) -> Result<(), Malformed> {
        match self.document_text() {
            Some(text) => decode_chunks(text, "sdo document", sink),
            None => Ok(()),
        }
    }

    fn document_text(&self) -> Option<&'a str> {
        self.source.get(self.document.clone()?)
    }
}

fn read_metadata(xml: &Document<'_>, object: usize) -> Result<Vec<(String, String)>, Malformed> {
    use Namespace::Sdo;
    let Some(metadata) = xml.child(object, Sdo, "Metadata")? else { return Ok(Vec::new()) };
    let mut pairs = Vec::new();
    for pair in xml.children(metadata, Sdo, "ValuePair")? {
        let text = |local| -> Result<String, Malformed> {
            match xml.child(pair, Sdo, local)? {
                Some(element) => Ok(xml.text(element)?.into_owned()),
                None => Ok(String::new()),
            }
        };
        pairs.push((text("Name")?, text("Value")?));
    }
    Ok(pairs)
}

fn read_signature(xml: &Document<'_>, parent: usize) -> Result<SdoSignature, Malformed> {
    use Namespace::{Dsig, Sdo, Xades};
    let missing = |name: &str| Malformed::new("sdo signature", format!("has no {name}"));
    let element = xml
        .child(parent, Sdo, "CMSSignatureElement")?
        .ok_or_else(|| missing("CMSSignatureElement"))?;
    let text = |steps: &[(Namespace, &str)]| -> Result<Option<String>, Malformed> {
        match xml.path(element, steps)? {
            Some(found) => Ok(Some(xml.text(found)?.trim().to_owned())),
            None => Ok(None),
        }
    };
    let required = |steps: &[(Namespace, &str)], name: &str| {
        xml.path(element, steps)?.ok_or_else(|| missing(name))
    };
    let method = required(&[(Sdo, "HashedData"), (Dsig, "DigestMethod")], "DigestMethod")?;
    let method = xml.element(method)?;
    let algorithm = method.attributes.iter().find(|(name, _)| *name == "Algorithm");
    let value = required(&[(Sdo, "HashedData"), (Dsig, "DigestValue")], "DigestValue")?;
    let cms = required(&[(Sdo, "CMSSignature")], "CMSSignature")?;
    let revocation = [(Sdo, "UserCertificateAndRevocationData"), (Sdo, "RevocationValues")];
    let values = |list: &str, item: &str| -> Result<Vec<Vec<u8>>, Malformed> {
        let Some(parent) = xml.path(element, &revocation)? else { return Ok(Vec::new()) };
        let Some(list) = xml.child(parent, Xades, list)? else { return Ok(Vec::new()) };
        let found = xml.children(list, Xades, item)?;
        if found.len() > MAX_VALUES {
            let why = format!("has {} revocation values, at most {MAX_VALUES}", found.len());
            return Err(Malformed::new("sdo signature", why));
        }
        found.into_iter().map(|value| decode(xml.raw_text(value)?, "revocation value")).collect()
    };
    let policy = [
        (Sdo, "SignaturePolicyIdentifier"),
        (Sdo, "SignaturePolicyId"),
        (Sdo, "SigPolicyId"),
        (Xades, "Identifier"),
    ];
    Ok(SdoSignature {
        profile: text(&[(Sdo, "SDOProfile")])?,
        policy: text(&policy)?,
        mime_type: text(&[(Sdo, "SignersDocumentFormat"), (Sdo, "MimeType")])?,
        digest_algorithm: algorithm.map(|(_, value)| (*value).to_owned()).unwrap_or_default(),
        digest: decode(xml.raw_text(value)?, "sdo digest value")?,
        cms: decode(xml.raw_text(cms)?, "sdo cms signature")?,
        ocsp: values("OCSPValues", "EncapsulatedOCSPValue")?,
        crls: values("CRLValues", "EncapsulatedCRLValue")?,
    })
}
