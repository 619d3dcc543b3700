//! Whole PDFs: prepare, have the hash signed, embed.

use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use bytes::Bytes;
use signdoc_signature::cms::{
    Assembly, AttributeOptions, SignedAttributes, assemble, ecdsa_to_der, signed_attributes,
    size_estimate,
};
use signdoc_signature::crypto::{Algorithm, HashAlgorithm};
use signdoc_signature::pdf::{PdfError, SharedSource};
use signdoc_signature::sign::{
    DssContent, PrepareOptions, Prepared, SigningNote, ValidationData, VriKey, add_dss, prepare,
};
use signdoc_signature::verify::check_signed;

use super::checked::CscSession;
use super::level;
use super::login::{Csc, check_description};
use super::model::{Certificates, Credential, Padding};
use super::session::{HashesToSign, Signatures, check_count, time_of};
use crate::client::{CallOptions, Client};
use crate::destination::Namer;
use crate::document::Document;
use crate::error::{Code, Error, Result};
use crate::order::SentDocument;
use crate::output::Output;
use crate::pdf::code_of;
use crate::timestamp;

const SIGN_PDF: &str = "sign pdf";
/// Room for a timestamp token with its certificates.
const TIMESTAMP_ROOM: usize = 16 * 1024;

/// One PDF, how it is signed, and where the signed one goes.
#[derive(Clone, Debug)]
pub struct PdfToSign {
    /// The PDF; it has no size limit here.
    pub document: Document,
    /// Field, reason, place, visible seal. The room for the signature is computed, and the time
    /// and the signer's name are filled in where they are not given.
    pub options: PrepareOptions,
    /// The file to write (complete, mode 0600, or not at all); in memory without.
    pub to: Option<PathBuf>,
    /// Whether an existing file may be replaced.
    pub overwrite: bool,
}

impl PdfToSign {
    /// Gives each document a file in `folder`, called after its input; the folder is made when it
    /// is missing.
    ///
    /// # Errors
    /// [`Code::DestinationFailed`], [`Code::DestinationExists`] unless `overwrite` is set.
    pub fn into_folder(pdfs: &mut [Self], folder: &Path, overwrite: bool) -> Result<()> {
        let mut names = Namer::new(folder, overwrite)?;
        for (index, pdf) in pdfs.iter_mut().enumerate() {
            pdf.to = Some(names.path(index, pdf.document.name.as_deref(), overwrite)?);
            pdf.overwrite = overwrite;
        }
        Ok(())
    }

    /// An invisible signature, the result in memory.
    #[must_use]
    pub fn new(document: Document) -> Self {
        Self { document, options: PrepareOptions::default(), to: None, overwrite: false }
    }

    /// Writes the signed PDF to a file.
    #[must_use]
    pub fn to(mut self, path: impl Into<PathBuf>) -> Self {
        self.to = Some(path.into());
        self
    }
}

/// Settings of [`CscSession::sign_pdfs`].
#[derive(Clone, Debug, Default)]
pub struct SignPdfOptions {
    /// The hash function; SHA-256 without.
    pub hash_algorithm: Option<HashAlgorithm>,
    /// Which credential; the first one without.
    pub credential_id: Option<String>,
    /// How an RSA key is to sign; as the credential offers it without.
    pub padding: Option<Padding>,
    /// What the user is asked to agree to, at most 500 characters.
    pub description: Option<String>,
    /// Certificates and revocation answers to embed besides those that come with the signature.
    pub validation: ValidationData,
    /// Time limit and trace.
    pub call: CallOptions,
}

/// The PAdES baseline level of a signature (ETSI EN 319 142-1).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PdfLevel {
    /// The signature alone.
    B,
    /// With a timestamp: needs the option `tsa_url`.
    T,
    /// With a timestamp, and the certificates and revocation answers to validate both later.
    Lt,
}

impl PdfLevel {
    /// `B-B`, `B-T` or `B-LT`.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::B => "B-B",
            Self::T => "B-T",
            Self::Lt => "B-LT",
        }
    }
}

/// A signed PDF.
#[derive(Clone)]
#[non_exhaustive]
pub struct SignedPdf {
    /// Position in the call.
    pub index: usize,
    /// The signed PDF where no file was named.
    pub data: Option<Bytes>,
    /// The file that was written.
    pub path: Option<PathBuf>,
    /// Size in bytes.
    pub size: u64,
    /// Name of the signature field.
    pub field_name: String,
    /// What was reached with the timestamp authority and the revocation answers there were.
    pub level: PdfLevel,
    /// What a person should know of the document.
    pub notes: Vec<SigningNote>,
}

impl fmt::Debug for SignedPdf {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SignedPdf")
            .field("index", &self.index)
            .field("path", &self.path)
            .field("size", &self.size)
            .field("level", &self.level)
            .finish_non_exhaustive()
    }
}

/// A document on its way through the steps.
struct Job {
    index: usize,
    source: SharedSource,
    options: PrepareOptions,
    output: Output,
}

/// A document whose hash is known.
struct Ready {
    job: Job,
    prepared: Prepared,
    attributes: SignedAttributes,
}

impl Csc {
    /// Looks documents and destinations over as [`CscSession::sign_pdfs`] does first: before
    /// anybody is sent to log in. Sends nothing.
    ///
    /// # Errors
    /// As [`CscSession::sign_pdfs`] where the token is not used yet.
    pub async fn check_pdfs(&self, pdfs: &[PdfToSign], options: &SignPdfOptions) -> Result<()> {
        check_description(options.description.as_deref())?;
        checked(pdfs).await.map(drop)
    }
}

/// The documents, each of which can be signed and has a place to go.
async fn checked(pdfs: &[PdfToSign]) -> Result<Vec<Job>> {
    check_count(pdfs.len())?;
    let jobs = pdfs.iter().enumerate().map(|(index, pdf)| Job::new(index, pdf));
    let jobs: Vec<_> = jobs.collect::<Result<_>>()?;
    blocking(move || {
        for job in &jobs {
            prepare(job.source.clone(), &job.options).map_err(|e| of_pdf(job.index, &e))?;
        }
        Ok(jobs)
    })
    .await
}

impl CscSession {
    /// Signs PDFs: up to 50 in one session.
    ///
    /// Documents and destinations are checked before the session's token is used, and a timestamp
    /// authority is asked for a token that is dropped. Each signature and each timestamp is
    /// verified before it is embedded, and each signed document before it is handed out. The bytes
    /// of a document stay an untouched prefix of the
    /// signed one, so earlier signatures stay valid; memory does not grow with its size.
    ///
    /// # Errors
    /// [`Code::CscInvalidParameters`] for 0 or more than 50 documents; [`Code::PdfEncrypted`],
    /// [`Code::PdfNotSignable`], [`Code::SealPage`] and the other document errors, naming the
    /// document; [`Code::DestinationExists`], [`Code::DestinationFailed`]; those of
    /// [`CscSession::sign_hashes`]; those of the timestamp authority. Where documents were written
    /// before one failed, the error names them in its detail `written`.
    pub async fn sign_pdfs(
        &self,
        pdfs: &[PdfToSign],
        options: &SignPdfOptions,
    ) -> Result<Vec<SignedPdf>> {
        // What cannot be signed is found before the token is used.
        check_description(options.description.as_deref())?;
        let jobs = checked(pdfs).await?;
        let hash = options.hash_algorithm.unwrap_or(HashAlgorithm::Sha256);
        let tsa = self.client().config().tsa_url.clone();
        if let Some(tsa) = &tsa {
            timestamp::try_out(self.client(), tsa, hash, &options.call).await?;
        }
        let credentials = self.credentials(&options.call).await?;
        let credential = Credential::chosen(&credentials, options.credential_id.as_deref())?;
        let certificates = Arc::new(credential.certificates()?);
        let stamped = tsa.is_some();
        let now = time_of(self.client().shared.clock.now());
        let own = certificates.clone();
        let ready = blocking(move || {
            jobs.into_iter()
                .map(|job| job.ready(&own, hash, stamped, now))
                .collect::<Result<Vec<_>>>()
        })
        .await?;
        let request = HashesToSign {
            hashes: ready.iter().map(|ready| ready.attributes.hash_to_sign()).collect(),
            hash_algorithm: hash,
            credential_id: Some(credential.credential_id.clone()),
            padding: options.padding,
            description: options.description.clone(),
        };
        let signed = self.sign_hashes(request, &options.call).await?;
        self.embed(ready, &certificates, signed, options).await
    }

    async fn embed(
        &self,
        ready: Vec<Ready>,
        certificates: &Arc<Certificates>,
        signed: Signatures,
        options: &SignPdfOptions,
    ) -> Result<Vec<SignedPdf>> {
        let validation = Arc::new(validation(&signed, certificates, &options.validation));
        let mut results: Vec<SignedPdf> = Vec::with_capacity(ready.len());
        for (ready, value) in ready.into_iter().zip(signed.signatures) {
            let written: Vec<_> = results
                .iter()
                .filter_map(|r| Some(r.path.as_ref()?.display().to_string()))
                .collect();
            let one = finish(
                self.client(),
                ready,
                certificates.clone(),
                signed.algorithm,
                value,
                validation.clone(),
                options,
            );
            results.push(one.await.map_err(|error| error.with_detail("written", written))?);
        }
        Ok(results)
    }
}

impl Job {
    fn new(index: usize, pdf: &PdfToSign) -> Result<Self> {
        let source = pdf.document.open_unlimited(index)?;
        let output = Output::new(pdf.to.as_deref(), pdf.overwrite)?;
        let options = pdf.options.clone();
        Ok(Self { index, source: Arc::new(SentDocument(source)), options, output })
    }

    /// Prepares with room that is sure to be enough, and hashes.
    fn ready(
        mut self,
        certificates: &Certificates,
        hash: HashAlgorithm,
        stamped: bool,
        now: signdoc_signature::asn1::Time,
    ) -> Result<Ready> {
        let Certificates { signer, issuers } = certificates;
        let plain = AttributeOptions::default();
        let room = if stamped { TIMESTAMP_ROOM } else { 0 };
        self.options.reserve = size_estimate(signer, issuers, hash, &plain, room) + 512;
        self.options.time = self.options.time.or(Some(now));
        if self.options.name.is_none() {
            self.options.name = signer.subject().common_name().map(str::to_owned);
        }
        let told = |error: &PdfError| of_pdf(self.index, error);
        let prepared = prepare(self.source.clone(), &self.options).map_err(|e| told(&e))?;
        let digest = prepared.digest(hash).map_err(|e| told(&e))?;
        let attributes = signed_attributes(&digest, hash, signer, &plain)
            .map_err(|error| Error::new(Code::Internal, format!("{SIGN_PDF}: {error}")))?;
        Ok(Ready { job: self, prepared, attributes })
    }
}

/// What is embedded for later validation; empty without revocation answers.
fn validation(
    signed: &Signatures,
    certificates: &Certificates,
    given: &ValidationData,
) -> ValidationData {
    let mut all = given.clone();
    all.ocsp_responses.extend(signed.ocsp_responses.iter().cloned());
    all.crls.extend(signed.crls.iter().cloned());
    if all.ocsp_responses.is_empty() && all.crls.is_empty() {
        return ValidationData::default();
    }
    all.certificates.push(certificates.signer.as_der().to_vec());
    all.certificates.extend(certificates.issuers.iter().map(|c| c.as_der().to_vec()));
    all
}

async fn finish(
    client: &Client,
    ready: Ready,
    certificates: Arc<Certificates>,
    algorithm: Algorithm,
    value: Vec<u8>,
    validation: Arc<ValidationData>,
    options: &SignPdfOptions,
) -> Result<SignedPdf> {
    // As it will stand in the CMS, because that is what a timestamp covers.
    let value = match algorithm {
        Algorithm::EcdsaP256(_) => ecdsa_to_der(&value, 32),
        Algorithm::EcdsaP384(_) => ecdsa_to_der(&value, 48),
        _ => value,
    };
    let token = match &client.config().tsa_url {
        Some(tsa) => {
            let hash = algorithm.hash();
            let digest = hash.digest(&value);
            Some(timestamp::over(client, tsa, &digest, hash, &options.call).await?)
        }
        None => None,
    };
    blocking(move || {
        let Ready { job, prepared, attributes } = ready;
        let assembly = Assembly {
            attributes: &attributes,
            algorithm,
            signature: &value,
            signer: &certificates.signer,
            others: &certificates.issuers,
            timestamp: token.as_deref(),
            content: None,
        };
        let cms = assemble(&assembly).map_err(|error| {
            Error::new(Code::CscSignatureMismatch, format!("{SIGN_PDF}: {error}"))
        })?;
        let told = |error: PdfError| of_pdf(job.index, &error);
        let mut signed = prepared.signed(&cms).map_err(told)?;
        let with_store = *validation != ValidationData::default();
        if with_store {
            let mut contents = cms.clone();
            contents.resize(prepared.reserve(), 0);
            let own = (VriKey::of_contents(&contents), (*validation).clone());
            let content = DssContent { per_signature: vec![own], ..DssContent::default() };
            signed = add_dss(Arc::new(signed), &content).map_err(told)?;
        }
        let (signed, field_name) = (Arc::new(signed), prepared.field_name().to_owned());
        // Nothing leaves that would not verify, with whoever is trusted.
        check_signed(signed.clone(), job.source.clone(), &field_name).map_err(told)?;
        let level = level::reached(token.as_deref(), &certificates, &validation);
        let index = job.index;
        let written = job.output.write(&signed, |error| of_pdf(index, error))?;
        let notes = prepared.notes().to_vec();
        let (data, path, size) = (written.data, written.path, written.size);
        Ok(SignedPdf { index, data, path, size, field_name, level, notes })
    })
    .await
}

/// Runs work that reads and hashes whole documents on a thread of its own.
async fn blocking<T: Send + 'static>(
    work: impl FnOnce() -> Result<T> + Send + 'static,
) -> Result<T> {
    tokio::task::spawn_blocking(work)
        .await
        .unwrap_or_else(|_| Err(Error::new(Code::Internal, format!("{SIGN_PDF}: a thread failed"))))
}

/// What the PDF writer reports, in the terms of the error table.
fn of_pdf(index: usize, error: &PdfError) -> Error {
    Error::new(code_of(error), format!("documents[{index}]: {error}"))
        .with_detail("field", format!("documents[{index}]"))
        .with_detail("index", index)
}
