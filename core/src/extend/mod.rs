//! Long-term proof for signed PDFs: validation data and document timestamps, added when the
//! document is signed already, and renewed before the last timestamp's certificate ends.
//!
//! Source: ETSI EN 319 142-1, 5.4, 5.5 and 6.3 (levels B-LT and B-LTA); RFC 3161, RFC 5280,
//! RFC 6960.
//!
//! ```no_run
//! # async fn run() -> signdoc::Result<()> {
//! use signdoc::{Client, Config, Document, extend::ExtendOptions};
//!
//! let mut config = Config::builder();
//! config.set("tsa_url", "http://tsa.example.com")?;
//! let client = Client::new(config.build_without_account()?)?;
//! let options = ExtendOptions {
//!     trust: vec![Document::from_path("roots.pem")],
//!     to: Some("loan-archived.pdf".into()),
//!     ..ExtendOptions::default()
//! };
//! let extended = client.extend_pdf(&Document::from_path("loan-signed.pdf"), &options).await?;
//! for note in &extended.notes {
//!     println!("{}: {}; {}", note.about, note.message, note.advice);
//! }
//! # Ok(())
//! # }
//! ```

mod fetch;
mod gather;
mod given;
mod model;
mod outcome;

use std::sync::Arc;

use signdoc_signature::asn1::Time;
use signdoc_signature::crypto::HashAlgorithm;
use signdoc_signature::pdf::{PdfError, SharedSource};
use signdoc_signature::sign::{Appended, TimestampOptions, prepare_timestamp};
use signdoc_signature::tsp::TimestampToken;
use signdoc_signature::verify::{
    FileReport, Level, SignatureKind, VerifyOptions, VerifyReport, check_appended, check_field,
    is_sdo, survey,
};
use url::Url;

use crate::client::Client;
use crate::document::Document;
use crate::error::{Code, Error, Result};
use crate::output::Output;
use crate::pdf::{anchors, code_of, problem_among, source};
use crate::timestamp;
use fetch::Fetcher;
use gather::Gathering;

pub use model::{Added, AddedKind, ExtendNote, ExtendOptions, Extended, SignatureLevel, level_of};

const EXTEND: &str = "extend pdf";
const HASH: HashAlgorithm = HashAlgorithm::Sha256;
/// By how much a timestamp may be larger than the one before it.
const MORE: usize = 1024;

impl Client {
    /// Adds to a signed PDF what its validation needs when certificates have expired and nobody
    /// answers for them any more: certificates, OCSP answers, revocation lists, and for B-LTA a
    /// document timestamp by the authority of the option `tsa_url`. A file that has all that is
    /// renewed: validation data of the former timestamp, then a new timestamp.
    ///
    /// The file is verified first, and what is made of it before it is handed out. Its bytes stay
    /// an untouched prefix. What cannot be had is told in [`Extended::notes`]; it ends nothing.
    /// Answers are fetched over http and https by the addresses that certificates name: at most
    /// 100 requests, 30 seconds, 3 redirects, and 4 MiB each.
    ///
    /// # Errors
    /// [`Code::MissingOption`] without `tsa_url` where a timestamp is needed;
    /// [`Code::InvalidOption`] for another level; [`Code::ContentKind`] for signed data objects;
    /// [`Code::SignatureMissing`] for an unsigned PDF; the codes of a verification for a broken
    /// signature, a change after signing, or a revoked certificate, and with `trust` for a chain
    /// that does not lead to it; document and destination errors; those of the timestamp authority.
    pub async fn extend_pdf(
        &self,
        document: &Document,
        options: &ExtendOptions,
    ) -> Result<Extended> {
        let call = self.call(&options.call);
        self.within(&call, EXTEND, self.extend_within(document, options)).await
    }

    async fn extend_within(
        &self,
        document: &Document,
        options: &ExtendOptions,
    ) -> Result<Extended> {
        let tsa = self.config().tsa_url.clone();
        check_asked(options.level, tsa.as_ref())?;
        let output = Output::new(options.to.as_deref(), options.overwrite)?;
        let (document, own, now) = (document.clone(), options.clone(), self.now(options));
        let (mut gathering, before) = blocking(move || begin(&document, &own, now)).await?;
        if options.fetch {
            gathering.fetcher = Some(Fetcher::new(self.clone(), &self.call(&options.call)));
        }
        let named_trust = !gathering.assumes;
        let (stamp, found) = self.gather(&mut gathering, options, tsa).await?;
        refuse(&found, named_trust)?;
        let unstamped = Arc::new(gathering.document()?);
        let (made, field) = match stamp {
            Some(stamp) => self.stamped(unstamped, &stamp, &mut gathering, options).await?,
            None => ((*unstamped).clone(), None),
        };
        gathering.verify.at = Some(self.now(options));
        let asked = options.level;
        blocking(move || {
            let report = verified(&made, &gathering, field.as_deref())?;
            refuse(&report, named_trust)?;
            // Levels before and after are told for the same trust.
            let before = match named_trust {
                true => before,
                false => {
                    signdoc_signature::verify::verify(gathering.base.clone(), &gathering.verify)
                }
            };
            let written = output.write(&made, of_pdf)?;
            Ok(outcome::of(gathering, &before, report, written, asked))
        })
        .await
    }

    fn now(&self, options: &ExtendOptions) -> Time {
        let clock = || {
            let now = self.shared.clock.now().duration_since(std::time::UNIX_EPOCH);
            Time::from_unix(i64::try_from(now.unwrap_or_default().as_secs()).unwrap_or(i64::MAX))
        };
        options.at.unwrap_or_else(clock)
    }

    /// Gathers validation data, also of the authority that is going to stamp the document.
    async fn gather(
        &self,
        gathering: &mut Gathering,
        options: &ExtendOptions,
        tsa: Option<Url>,
    ) -> Result<(Option<Stamp>, VerifyReport)> {
        let now = self.now(options);
        if options.level == Level::BLT {
            let found = gathering.run(&[], now).await?.report;
            let is_timed = found
                .signatures
                .iter()
                .filter(|one| one.kind == SignatureKind::Signature)
                .all(|one| one.proven_time.is_some());
            if is_timed {
                return Ok((None, found));
            }
        }
        let Some(url) = tsa else {
            let found = gathering.run(&[], now).await?.report;
            return Ok((None, found));
        };
        let token = timestamp::try_out(self, &url, HASH, &options.call).await?;
        let expected = TimestampToken::parse(&token)
            .map_err(|error| Error::new(Code::MalformedAnswer, format!("{EXTEND}: {error}")))?;
        let found = gathering.run(&[expected], self.now(options)).await?.report;
        Ok((Some(Stamp { url, reserve: token.len() + MORE }), found))
    }

    /// The document with a timestamp over all of it.
    async fn stamped(
        &self,
        unstamped: Arc<Appended>,
        stamp: &Stamp,
        gathering: &mut Gathering,
        options: &ExtendOptions,
    ) -> Result<(Appended, Option<String>)> {
        let reserve = TimestampOptions { reserve: stamp.reserve, ..TimestampOptions::default() };
        let (prepared, digest) = blocking(move || {
            let prepared = prepare_timestamp(unstamped, &reserve).map_err(|e| of_pdf(&e))?;
            let digest = prepared.digest(HASH).map_err(|error| of_pdf(&error))?;
            Ok((prepared, digest))
        })
        .await?;
        let token = timestamp::over(self, &stamp.url, &digest, HASH, &options.call).await?;
        let field = prepared.field_name().to_owned();
        let made = prepared.signed(&token).map_err(|error| of_pdf(&error))?;
        outcome::tell_notes(gathering, &field, prepared.notes());
        outcome::tell_stamp(gathering, &field, &stamp.url, &token);
        Ok((made, Some(field)))
    }
}

/// The authority of the timestamp, and the room that its tokens need.
struct Stamp {
    url: Url,
    reserve: usize,
}

fn check_asked(level: Level, tsa: Option<&Url>) -> Result<()> {
    level_of(level.name())?;
    if level == Level::BLTA && tsa.is_none() {
        let message = "tsa_url is missing: B-LTA needs a timestamp authority (RFC 3161); name one, \
                       or ask for B-LT";
        return Err(Error::new(Code::MissingOption, message).with_detail("field", "tsa_url"));
    }
    Ok(())
}

/// Opens everything and verifies the document; sends nothing.
fn begin(
    document: &Document,
    options: &ExtendOptions,
    now: Time,
) -> Result<(Gathering, VerifyReport)> {
    let verify = VerifyOptions {
        trust: anchors(&options.trust, "trust")?,
        timestamp_trust: match &options.timestamp_trust {
            Some(stamps) => Some(anchors(stamps, "timestamp_trust")?),
            None => None,
        },
        certificates: given::certificates(&options.certificates)?,
        at: Some(now),
        ..VerifyOptions::default()
    };
    let revocations = given::revocations(&options.revocations)?;
    let base = source(document, "document")?;
    check_kind(&base)?;
    let found = survey(base.clone(), &verify, &[]).map_err(|error| of_pdf(&error))?;
    // Whether chains lead to somebody trusted is known when their certificates are at hand.
    refuse(&found.report, false)?;
    let mut gathering = Gathering::new(base, verify);
    gathering.given = revocations;
    Ok((gathering, found.report))
}

fn check_kind(base: &SharedSource) -> Result<()> {
    if base.is_empty() {
        let error = Error::new(Code::DocumentEmpty, "document is empty");
        return Err(error.with_detail("field", "document"));
    }
    if !is_sdo(base) {
        return Ok(());
    }
    let message = "document is an XML file, as signed data objects (SEID-SDO) are; only signed PDFs \
                   can be extended";
    Err(Error::new(Code::ContentKind, message).with_detail("field", "document"))
}

/// Refuses a document of which something is wrong, not one of which something is not known.
fn refuse(report: &VerifyReport, with_trust: bool) -> Result<()> {
    let counts = |code| match code {
        Code::PdfMalformed
        | Code::SignatureMissing
        | Code::IntegrityFailed
        | Code::SignatureInvalid
        | Code::ContentChanged
        | Code::ChangedAfterSigning
        | Code::CertificateRevoked
        | Code::TimestampInvalid => true,
        Code::ChainUntrusted | Code::CertificateExpired | Code::CertificateNotYetValid => {
            with_trust
        }
        _ => false,
    };
    match problem_among(&FileReport::Pdf(Box::new(report.clone())), counts) {
        Some(error) => Err(error.with_detail("field", "document")),
        None => Ok(()),
    }
}

/// Nothing leaves that would not verify.
fn verified(made: &Appended, gathering: &Gathering, field: Option<&str>) -> Result<VerifyReport> {
    let made: SharedSource = Arc::new(made.clone());
    check_appended(made.clone(), &gathering.base).map_err(|error| of_pdf(&error))?;
    let report = signdoc_signature::verify::verify(made, &gathering.verify);
    if let Some(field) = field {
        check_field(&report, field).map_err(|error| of_pdf(&error))?;
    }
    Ok(report)
}

/// Runs work that reads and hashes whole documents on a thread of its own.
async fn blocking<T: Send + 'static>(
    work: impl FnOnce() -> Result<T> + Send + 'static,
) -> Result<T> {
    let failed = |_| Err(Error::new(Code::Internal, format!("{EXTEND}: a thread failed")));
    tokio::task::spawn_blocking(work).await.unwrap_or_else(failed)
}

fn of_pdf(error: &PdfError) -> Error {
    Error::new(code_of(error), format!("document: {error}")).with_detail("field", "document")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn levels_by_name() {
        assert_eq!(level_of("b-lta").unwrap(), Level::BLTA);
        assert_eq!(level_of("B-LT").unwrap(), Level::BLT);
        let error = level_of("B-T").unwrap_err();
        assert_eq!(error.code(), Code::InvalidOption);
        assert!(error.message().contains("document timestamp"), "{error}");
        assert!(level_of("B-XL").is_err());
    }

    #[test]
    fn without_an_authority_nothing_is_sent() {
        let error = check_asked(Level::BLTA, None).unwrap_err();
        assert_eq!(
            (error.code(), &error.details()["field"]),
            (Code::MissingOption, &"tsa_url".into())
        );
        assert!(check_asked(Level::BLT, None).is_ok());
    }
}
