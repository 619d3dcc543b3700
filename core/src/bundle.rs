//! Evidence bundles: a signed document with everything that belongs to it, in one file that
//! [`crate::pdf::verify::verify_file`] checks in one call.
//!
//! A bundle is a container (ASiC-E, ETSI EN 319 162-1) with these files:
//!
//! | file | holds |
//! |---|---|
//! | `signed.pdf` or `signed.sdo` | the signed document |
//! | `original.pdf`, `.xml` or `.txt` | what was sent |
//! | `order.json` | what the service said of the order, as the caller tells it |
//! | `identity.json` | the claims of the ID token, without numbers of persons unless they are asked for |
//! | `report.json` | what a verification found when the bundle was made |
//! | `evidence/` | certificates and revocation answers |
//!
//! and a timestamp over the digests of them all, where there is an authority to ask.
//!
//! ```no_run
//! # async fn run() -> signdoc::Result<()> {
//! use signdoc::bundle::BundleRequest;
//! use signdoc::{CallOptions, Client, Document};
//!
//! let client = Client::from_env()?; // asks the authority of tsa_url
//! let request = BundleRequest {
//!     original: Some(Document::from_path("loan.pdf")),
//!     trust: vec![Document::from_path("roots.pem")],
//!     to: Some("loan.asice".into()),
//!     ..BundleRequest::of(Document::from_path("signed.pdf"))
//! };
//! let bundle = client.bundle(request, &CallOptions::default()).await?;
//! assert!(bundle.report.is_ok());
//! # Ok(())
//! # }
//! ```

mod evidence;
mod told;

use std::path::PathBuf;
use std::sync::Arc;

use bytes::Bytes;
use serde_json::{Value, json};
use signdoc_signature::asic::{Files, IDENTITY, ORDER, ORIGINAL, REPORT, SIGNED_PDF, SIGNED_SDO};
use signdoc_signature::asn1::Time;
use signdoc_signature::crypto::HashAlgorithm;
use signdoc_signature::pdf::{FileSource, SharedSource};
use signdoc_signature::verify::{self, FileReport, VerifyOptions};

use crate::client::{CallOptions, Client};
use crate::config::{Config, ConfigBuilder, NETWORK};
use crate::destination::failed;
use crate::document::Document;
use crate::error::{Code, Error, Result};
use crate::output::{appear, make_way};
use crate::pdf::{Question, report_json, source, typed};
use crate::timestamp;

/// What goes into a bundle, and where that goes.
#[derive(Clone, Debug)]
pub struct BundleRequest {
    /// The signed document, PDF or SEID-SDO.
    pub signed: Document,
    /// What was sent.
    pub original: Option<Document>,
    /// What the service said of the order, as the text of a JSON object. `signed_sha256` and
    /// `unsigned_sha256` (base64 or hexadecimal) are compared with the documents, and `converted`
    /// says that the service converted the original first; other members are kept as they are.
    pub order: Option<String>,
    /// The claims of the ID token, as the text of a JSON object: compared with the signer.
    pub identity: Option<String>,
    /// Whether numbers of persons are kept: all claims, and what certificates say of their
    /// subjects in the report. Without, claims stay that tell names, times and the login's level.
    /// The signed document has its certificates anyway.
    pub with_numbers: bool,
    /// Certificates (PEM or DER), OCSP answers and lists of revoked certificates (DER), told by
    /// what they are.
    pub evidence: Vec<Document>,
    /// Certificates at which chains may end, for the report.
    pub trust: Vec<Document>,
    /// Those for timestamps; the same when it is not given.
    pub timestamp_trust: Option<Vec<Document>>,
    /// Options of the verification by name, see [`VerifyOptions::set`].
    pub options: Vec<(String, String)>,
    /// The file, which appears complete and with mode 0600; memory when there is none.
    pub to: Option<PathBuf>,
    /// Whether an existing file may be replaced.
    pub overwrite: bool,
    /// How the timestamp authority is reached, for [`BundleRequest::config`]; a client that is
    /// there already has settings of its own.
    pub settings: ConfigBuilder,
}

/// A bundle that was made.
#[derive(Debug)]
#[non_exhaustive]
pub struct Bundle {
    /// What the verification of the bundle finds. The bundle is made whatever it says.
    pub report: FileReport,
    /// The bundle, when it was to go to memory.
    pub data: Option<Bytes>,
    /// Its file otherwise.
    pub path: Option<PathBuf>,
    /// Its size in bytes.
    pub size: u64,
    /// Whether it has a timestamp: whether there was an authority to ask.
    pub is_stamped: bool,
}

impl BundleRequest {
    /// A bundle of a signed document and its report, in memory.
    #[must_use]
    pub fn of(signed: Document) -> Self {
        Self {
            signed,
            original: None,
            order: None,
            identity: None,
            with_numbers: false,
            evidence: Vec::new(),
            trust: Vec::new(),
            timestamp_trust: None,
            options: Vec::new(),
            to: None,
            overwrite: false,
            settings: ConfigBuilder::default(),
        }
    }

    /// Sets an option from a text: `order`, `identity` (JSON), `with_numbers`, `overwrite`
    /// (`true` or `false`), `to`, one of [`NETWORK`], or one of a verification.
    ///
    /// # Errors
    /// [`Code::InvalidOption`] for another name, and for a value that it cannot have.
    pub fn set(&mut self, name: &str, value: &str) -> Result<()> {
        match name {
            "order" => self.order = Some(value.to_owned()),
            "identity" => self.identity = Some(value.to_owned()),
            "to" => self.to = Some(value.into()),
            "with_numbers" => self.with_numbers = is_true(name, value)?,
            "overwrite" => self.overwrite = is_true(name, value)?,
            _ if NETWORK.contains(&name) => drop(self.settings.set(name, value)?),
            _ => {
                let mut options = self.options.clone();
                options.push((name.to_owned(), value.to_owned()));
                typed(&options)?;
                self.options = options;
            }
        }
        Ok(())
    }

    /// The configuration of a client for this bundle alone, which asks the authority of `tsa_url`
    /// or nobody.
    ///
    /// # Errors
    /// As [`ConfigBuilder::build_without_account`].
    pub fn config(&self) -> Result<Config> {
        self.settings.build_without_account()
    }
}

fn is_true(name: &str, value: &str) -> Result<bool> {
    match value {
        "true" | "1" => Ok(true),
        "false" | "0" => Ok(false),
        _ => {
            let message = format!("{name} is {value:?}; say true or false");
            Err(Error::new(Code::InvalidOption, message).with_detail("field", name))
        }
    }
}

impl Client {
    /// Makes an evidence bundle, with a timestamp of the authority of `tsa_url` where the client
    /// has one. Without, the bundle says that nothing proves since when it exists.
    ///
    /// # Errors
    /// Files that cannot be read; [`Code::InvalidArgument`] for an order or identity that is no
    /// JSON object, for evidence that is none, and for a signed document that is a bundle
    /// already; [`Code::InvalidOption`]; [`Code::TrustUnusable`]; errors of the authority;
    /// [`Code::DestinationExists`], [`Code::DestinationFailed`].
    pub async fn bundle(&self, request: BundleRequest, options: &CallOptions) -> Result<Bundle> {
        let (request, asked, files) = blocking(move || prepare(request)).await?;
        let manifest = files.manifest();
        let token = match self.shared.config.tsa_url.clone() {
            Some(url) => {
                let hash = HashAlgorithm::Sha256;
                let digest = hash.digest(&manifest);
                Some(timestamp::over(self, &url, &digest, hash, options).await?)
            }
            None => None,
        };
        blocking(move || write(&request, &asked, &files, token.as_deref())).await
    }
}

async fn blocking<T: Send + 'static>(
    work: impl FnOnce() -> Result<T> + Send + 'static,
) -> Result<T> {
    let failed = |_| Err(Error::new(Code::Internal, "bundle: a thread failed"));
    tokio::task::spawn_blocking(work).await.unwrap_or_else(failed)
}

/// Everything that needs nobody: the files with their digests.
fn prepare(request: BundleRequest) -> Result<(BundleRequest, VerifyOptions, Files)> {
    if let Some(path) = &request.to {
        make_way(path, request.overwrite)?;
    }
    let signed = source(&request.signed, "signed")?;
    let order = request.order.as_deref().map(|text| told::object("order", text)).transpose()?;
    let claims = request.identity.as_deref().map(|text| told::object("identity", text));
    let claims = claims.transpose()?;
    let asked = Question {
        signed: Vec::new(),
        original: None,
        trust: request.trust.clone(),
        timestamp_trust: request.timestamp_trust.clone(),
        options: request.options.clone(),
    };
    let asked = asked.typed()?;
    let original = request.original.as_ref().map(|one| source(one, "original")).transpose()?;
    let mut own = VerifyOptions { original: original.clone(), ..asked.clone() };
    let evidence = evidence::read(&request.evidence)?;
    own.certificates.extend(evidence.certificates());
    let is_pdf = told::kind(&signed).0 == "pdf";
    told::ask(order.as_ref(), claims.as_ref(), is_pdf, &mut own);
    // All claims are compared here, also those that are not kept.
    let report = verify::verify_file(&signed, &own);
    let claims = claims.map(|claims| told::kept(claims, request.with_numbers));
    let (name, mime) = match &report {
        FileReport::Pdf(_) => (SIGNED_PDF, "application/pdf"),
        FileReport::Sdo(_) => (SIGNED_SDO, "application/xml"),
        _ => {
            let message = "signed is a container already; name the signed document itself";
            return Err(refused("signed", message));
        }
    };
    let mut files = Files::new();
    let mut add = |name: &str, mime: &str, content: SharedSource| {
        files.add(name, mime, content).map_err(|error| {
            Error::new(Code::DocumentUnreadable, format!("{name} cannot be read: {error}"))
        })
    };
    add(name, mime, signed)?;
    if let Some(original) = original {
        let (extension, mime) = told::kind(&original);
        add(&format!("{ORIGINAL}.{extension}"), mime, original)?;
    }
    let texts = [(ORDER, order), (IDENTITY, claims)];
    for (name, fields) in texts.into_iter().filter_map(|(name, fields)| Some((name, fields?))) {
        add(name, "application/json", shown(&Value::Object(fields)))?;
    }
    add(REPORT, "application/json", shown(&made(&report, request.with_numbers)))?;
    for item in evidence.with_chains(&report).named() {
        add(&item.0, item.1, Arc::new(item.2))?;
    }
    Ok((request, asked, files))
}

fn refused(field: &str, message: &str) -> Error {
    Error::new(Code::InvalidArgument, message).with_detail("field", field)
}

fn shown(value: &Value) -> SharedSource {
    Arc::new(format!("{value:#}\n").into_bytes())
}

/// The report with its time and who made it.
fn made(report: &FileReport, with_numbers: bool) -> Value {
    let mut report = report_json(report);
    if !with_numbers {
        told::without_numbers(&mut report);
    }
    let version = env!("CARGO_PKG_VERSION");
    json!({
        "made_at": Time::now().to_string(), "made_by": format!("signdoc {version}"),
        "report": report,
    })
}

fn write(
    request: &BundleRequest,
    asked: &VerifyOptions,
    files: &Files,
    token: Option<&[u8]>,
) -> Result<Bundle> {
    let (source, data): (SharedSource, _) = match &request.to {
        Some(path) => {
            let lost = |error| failed(path, &format!("writing failed: {error}"));
            appear(path, request.overwrite, |out| files.write(token, out).map_err(lost))?;
            (Arc::new(FileSource::open(path).map_err(lost)?), None)
        }
        None => {
            let mut bytes = Vec::new();
            files.write(token, &mut bytes).map_err(|error| {
                Error::new(Code::DocumentUnreadable, format!("bundle: {error}"))
            })?;
            let bytes = Bytes::from(bytes);
            (Arc::new(bytes.clone()), Some(bytes))
        }
    };
    Ok(Bundle {
        report: verify::verify_file(&source, asked),
        size: source.len(),
        data,
        path: request.to.clone(),
        is_stamped: token.is_some(),
    })
}
