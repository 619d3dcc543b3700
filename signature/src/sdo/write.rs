//! Writing a signed data object, in the published structure and on one line.
//!
//! The order of steps follows the format: signatures first, then the seal over what they make up.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;

use super::DocumentKind;
use crate::xml::{DSIG, SDO, XADES, escape};

const PROFILE: &str = "SEID-SDO-Basic-V";
const POLICY: &str = "urn:oid:2.16.578.1.16.4.1";

/// One signature to write.
#[derive(Clone, Copy, Debug)]
pub struct SignatureEntry<'a> {
    /// SHA-256 of what was signed.
    pub digest: &'a [u8],
    /// The detached CMS.
    pub cms: &'a [u8],
    /// The BasicOCSPResponse about the signer; nothing leaves the element out.
    pub ocsp: Option<&'a [u8]>,
}

/// The data part, ready to be sealed.
#[derive(Clone, Debug)]
pub struct SdoData {
    data_part: String,
}

impl SdoData {
    /// The data part with one element for each signature over the document.
    #[must_use]
    pub fn new(kind: &DocumentKind, signatures: &[SignatureEntry<'_>]) -> Self {
        let mut data_part = String::from("<SDODataPart>");
        for entry in signatures {
            data_part.push_str("<SignatureElement>");
            push_signature(&mut data_part, entry, kind.mime());
            data_part.push_str("</SignatureElement>");
        }
        data_part.push_str("</SDODataPart>");
        Self { data_part }
    }

    /// The bytes that the seal signs.
    #[must_use]
    pub fn as_bytes(&self) -> &[u8] {
        self.data_part.as_bytes()
    }

    /// The whole file. `seal` is the signature over [`SdoData::as_bytes`]; `metadata` are pairs of
    /// name and value; without `document` only its digest is in the file.
    #[must_use]
    pub fn finish(
        &self,
        seal: &SignatureEntry<'_>,
        metadata: &[(&str, &str)],
        document: Option<&[u8]>,
    ) -> String {
        let mut out = format!(
            "<?xml version=\"1.0\" encoding=\"utf-8\"?><SDOList xmlns=\"{SDO}\" \
             xmlns:XAdES=\"{XADES}\" xmlns:ds=\"{DSIG}\" \
             xmlns:xsi=\"http://www.w3.org/2001/XMLSchema-instance\"><SDO>\
             <SEIDSDOVersion>1.0</SEIDSDOVersion>"
        );
        out.push_str(&self.data_part);
        out.push_str("<SDOSeal><SDOSignature>");
        push_signature(&mut out, seal, DocumentKind::Text.mime());
        out.push_str("</SDOSignature></SDOSeal>");
        if !metadata.is_empty() {
            out.push_str("<Metadata>");
            for (name, value) in metadata {
                let (name, value) = (escape(name), escape(value));
                out.push_str(&format!(
                    "<ValuePair><Name>{name}</Name><Value>{value}</Value></ValuePair>"
                ));
            }
            out.push_str("</Metadata>");
        }
        if let Some(document) = document {
            out.push_str("<SignedObject><SignersDocument>");
            STANDARD.encode_string(document, &mut out);
            out.push_str("</SignersDocument></SignedObject>");
        }
        out.push_str("</SDO></SDOList>");
        out
    }
}

fn push_signature(out: &mut String, entry: &SignatureEntry<'_>, mime: &str) {
    out.push_str(&format!(
        "<CMSSignatureElement><SDOProfile>{PROFILE}</SDOProfile><SignaturePolicyIdentifier>\
         <SignaturePolicyId><SigPolicyId><XAdES:Identifier>{POLICY}</XAdES:Identifier>\
         </SigPolicyId></SignaturePolicyId></SignaturePolicyIdentifier><SignersDocumentFormat>\
         <MimeType>{}</MimeType></SignersDocumentFormat><HashedData>\
         <ds:DigestMethod Algorithm=\"SHA-256\"/><ds:DigestValue>",
        escape(mime)
    ));
    STANDARD.encode_string(entry.digest, out);
    out.push_str("</ds:DigestValue></HashedData><CMSSignature>");
    STANDARD.encode_string(entry.cms, out);
    out.push_str("</CMSSignature>");
    if let Some(ocsp) = entry.ocsp {
        out.push_str(
            "<UserCertificateAndRevocationData><RevocationValues><XAdES:OCSPValues>\
             <XAdES:EncapsulatedOCSPValue>",
        );
        STANDARD.encode_string(ocsp, out);
        out.push_str(
            "</XAdES:EncapsulatedOCSPValue></XAdES:OCSPValues></RevocationValues>\
             </UserCertificateAndRevocationData>",
        );
    }
    out.push_str("</CMSSignatureElement>");
}

/// The bytes signed for XML with its stylesheet. How the service wraps the two is not published:
/// this is the sandbox's own form.
#[must_use]
pub fn bidxml_document(xml: &str, xsl: &str) -> Vec<u8> {
    format!("<SandboxXML><BIDXML>{xml}</BIDXML><BIDXSL>{xsl}</BIDXSL></SandboxXML>").into_bytes()
}
