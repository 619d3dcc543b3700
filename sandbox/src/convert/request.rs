//! Reading a conversion request: exactly what the specification allows, and nothing else.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use bytes::Bytes;

use super::PDFA_2B;
use crate::json::{self, Fields, Json};

/// Most documents of one request.
pub(crate) const MAX_DOCUMENTS: usize = 15;
/// Most characters of one document as base64.
pub(crate) const MAX_PDF_CHARACTERS: usize = 5_000_000;

/// One document of a request.
#[derive(Debug)]
pub(crate) struct Document {
    pub(crate) pdf: Bytes,
    pub(crate) allow_signed: bool,
}

/// Reads the body. The error names the field, the limit and the actual value.
pub(crate) fn read(body: &[u8]) -> Result<Vec<Document>, String> {
    let mut fields = Fields::new(json::parse(body)?, "")?;
    let documents = fields.array("documents")?;
    fields.end()?;
    if documents.is_empty() || documents.len() > MAX_DOCUMENTS {
        return Err(format!(
            "documents has {} items, it must have 1 to {MAX_DOCUMENTS}",
            documents.len()
        ));
    }
    let each = documents.into_iter().enumerate();
    each.map(|(index, value)| document(value, format!("documents[{index}]"))).collect()
}

fn document(value: Json<'_>, path: String) -> Result<Document, String> {
    let mut fields = Fields::new(value, path)?;
    let spec = fields.string("pdfSpec")?;
    if spec != PDFA_2B {
        let path = fields.path_of("pdfSpec");
        return Err(format!("{path} is {}, it must be {PDFA_2B}", json::shown(&spec)));
    }
    let pdf_path = fields.path_of("pdf");
    let pdf = fields.string("pdf")?;
    let allow_signed = fields.optional_bool("allowSigned")?.unwrap_or(false);
    fields.end()?;
    let characters = pdf.chars().count();
    if characters > MAX_PDF_CHARACTERS {
        return Err(format!(
            "{pdf_path} has {characters} characters, it must have at most {MAX_PDF_CHARACTERS}"
        ));
    }
    let pdf =
        STANDARD.decode(pdf.as_bytes()).map_err(|error| format!("{pdf_path}: base64: {error}"))?;
    Ok(Document { pdf: Bytes::from(pdf), allow_signed })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn refused(body: &str) -> String {
        read(body.as_bytes()).unwrap_err()
    }

    #[test]
    fn reads_what_is_allowed() {
        let body = r#"{"documents":[{"pdfSpec":"PDFA_2B","pdf":"JVBERg=="},
            {"allowSigned":true,"pdf":"","pdfSpec":"PDFA_2B"}]}"#;
        let documents = read(body.as_bytes()).unwrap();
        assert_eq!(&documents[0].pdf[..], b"%PDF");
        assert!(!documents[0].allow_signed && documents[1].allow_signed);
    }

    #[test]
    fn refuses_everything_else() {
        let one = |inner: &str| refused(&format!("{{\"documents\":[{inner}]}}"));
        assert!(refused("[]").contains("must be an object"));
        assert!(refused("{}").contains("missing field documents"));
        assert!(refused(r#"{"documents":null}"#).contains("found null"));
        assert!(refused(r#"{"documents":[]}"#).contains("0 items"));
        assert!(refused(r#"{"documents":[1],"x":1}"#).contains("unknown field x"));
        assert!(one("7").contains("documents[0] must be an object"));
        assert!(one(r#"{"pdf":""}"#).contains("documents[0].pdfSpec"));
        assert!(one(r#"{"pdfSpec":"PDFA_2B"}"#).contains("documents[0].pdf"));
        assert!(one(r#"{"pdfSpec":"PDFA_3B","pdf":""}"#).contains("PDFA_3B"));
        assert!(one(r#"{"pdfSpec":"PDFA_2B","pdf":"","name":"x"}"#).contains("unknown field"));
        assert!(one(r#"{"pdfSpec":"PDFA_2B","pdf":"","pdf":""}"#).contains("twice"));
        for flag in ["null", "\"true\"", "1", "[]"] {
            let text = one(&format!(r#"{{"pdfSpec":"PDFA_2B","pdf":"","allowSigned":{flag}}}"#));
            assert!(text.contains("allowSigned must be a boolean"), "{text}");
        }
        for bad in ["JVBERg", "JVBERg=", "JVBERh==", "JVBE\\nRg==", "JVBE Rg==", "JV-_", "===="] {
            let text = one(&format!(r#"{{"pdfSpec":"PDFA_2B","pdf":"{bad}"}}"#));
            assert!(text.contains("documents[0].pdf: base64"), "{bad}: {text}");
        }
    }

    #[test]
    fn limits_are_exact() {
        let documents = |count: usize| {
            let one = r#"{"pdfSpec":"PDFA_2B","pdf":"AAAA"}"#;
            format!("{{\"documents\":[{}]}}", vec![one; count].join(","))
        };
        assert_eq!(read(documents(15).as_bytes()).unwrap().len(), 15);
        assert!(refused(&documents(16)).contains("16 items"));
        let sized = |length: usize| {
            let pdf = "A".repeat(length);
            format!(r#"{{"documents":[{{"pdfSpec":"PDFA_2B","pdf":"{pdf}"}}]}}"#)
        };
        assert_eq!(read(sized(5_000_000).as_bytes()).unwrap()[0].pdf.len(), 3_750_000);
        assert!(refused(&sized(5_000_004)).contains("5000004 characters"));
    }
}
