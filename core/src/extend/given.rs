//! Certificates and revocation answers that the caller gives.

use signdoc_signature::pdf::copy_range;
use signdoc_signature::revocation::{BasicResponse, Crl};
use signdoc_signature::x509::{Certificate, pem_blocks};

use crate::document::Document;
use crate::error::{Code, Error, Result};
use crate::pdf::{anchors, source};

/// More than any list of revoked certificates that a verification reads, in bytes.
const MAX_FILE: u64 = 4 << 20;

/// A revocation answer, with what it was read from.
#[derive(Clone)]
pub(super) enum Answer {
    Ocsp(BasicResponse, Vec<u8>),
    Crl(Crl, Vec<u8>),
}

pub(super) fn certificates(files: &[Document]) -> Result<Vec<Certificate>> {
    Ok(anchors(files, "certificates")?.certificates().to_vec())
}

pub(super) fn revocations(files: &[Document]) -> Result<Vec<Answer>> {
    let mut all = Vec::new();
    for (index, file) in files.iter().enumerate() {
        let field = format!("revocations[{index}]");
        let source = source(file, &field)?;
        let unusable = |why: String| {
            Error::new(Code::InvalidArgument, format!("{field} {why}"))
                .with_detail("field", &*field)
        };
        if source.len() > MAX_FILE {
            let len = source.len();
            return Err(unusable(format!("has {len} bytes; at most {MAX_FILE} are read")));
        }
        let mut bytes = Vec::new();
        copy_range(source.as_ref(), 0, source.len(), &mut bytes)
            .map_err(|error| unusable(format!("cannot be read: {error}")))?;
        all.extend(read(&bytes).map_err(unusable)?);
    }
    Ok(all)
}

fn read(bytes: &[u8]) -> Result<Vec<Answer>, String> {
    let lists = match pem_blocks(bytes, "X509 CRL") {
        Ok(lists) if !lists.is_empty() => lists,
        _ => vec![bytes.to_vec()],
    };
    lists.into_iter().map(one).collect()
}

fn one(der: Vec<u8>) -> Result<Answer, String> {
    let ocsp = match BasicResponse::parse(&der) {
        Ok(answer) => return Ok(Answer::Ocsp(answer, der)),
        Err(error) => error,
    };
    match Crl::parse(&der) {
        Ok(list) => Ok(Answer::Crl(list, der)),
        Err(error) => Err(format!(
            "is neither an OCSP answer in DER ({ocsp}) nor a revocation list in DER or PEM ({error})"
        )),
    }
}
