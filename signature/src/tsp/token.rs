//! Timestamp tokens.

use super::request::read_imprint;
use crate::asn1::{
    BOOLEAN, INTEGER, Malformed, Oid, Reader, SEQUENCE, Time, context, context_primitive, oids,
    small_unsigned,
};
use crate::cms::{SignedData, Verification};
use crate::crypto::{HashAlgorithm, Unsupported};
use crate::x509::{
    Certificate, Chain, ChainFailure, ChainFault, ChainRequest, Purpose, TrustAnchors,
    read_extensions,
};

const WHAT: &str = "timestamp";

/// A TimeStampToken as it was read (RFC 3161, 2.4.2). Nothing in it has been checked yet.
#[derive(Clone, Debug)]
pub struct TimestampToken {
    cms: SignedData,
    hash: Result<HashAlgorithm, Unsupported>,
    imprint: Vec<u8>,
    time: Time,
    accuracy: Option<u64>,
    policy: Oid,
    serial: Vec<u8>,
    nonce: Option<Vec<u8>>,
    unknown_critical: Option<Oid>,
}

/// Whom to trust for timestamps.
#[derive(Clone, Copy, Debug)]
pub struct TimestampTrust<'a> {
    /// Where the authority's chain may end.
    pub anchors: &'a TrustAnchors,
    /// Further certificates, for instance of a document security store.
    pub pool: &'a [Certificate],
    /// When the authority's chain must be valid; nothing for the token's own time.
    pub at: Option<Time>,
}

/// What was found about one timestamp.
#[derive(Clone, Debug)]
pub struct TimestampVerification {
    /// The stamped moment. To be believed only when [`TimestampVerification::is_trusted`].
    pub time: Time,
    /// Half the width of the interval in which the moment lies, in seconds, rounded up.
    pub accuracy: Option<u64>,
    /// The hash function of the imprint, when it is accepted.
    pub hash: Option<HashAlgorithm>,
    /// The imprint is the digest of what was stamped.
    pub imprint_matches: bool,
    /// The check of the token's own signature.
    pub cms: Verification,
    /// The authority's chain, for time-stamping, at the time asked.
    pub chain: Result<Chain, ChainFailure>,
    /// Reasons against the token besides those in `cms` and `chain`.
    pub problems: Vec<String>,
    /// What of the token is not supported, besides what `cms` says of it.
    pub unsupported: Vec<String>,
}

impl TimestampVerification {
    /// True when the token stamps this content and its signature holds.
    #[must_use]
    pub fn is_intact(&self) -> bool {
        self.imprint_matches
            && self.cms.is_valid()
            && self.problems.is_empty()
            && self.unsupported.is_empty()
    }

    /// True when nothing was found to be wrong, but something could not be checked because it is
    /// not supported.
    #[must_use]
    pub fn is_open(&self) -> bool {
        let is_whole = self.cms.is_valid() || self.cms.is_open();
        let is_undecided = self.cms.is_open() || !self.unsupported.is_empty();
        let imprint = self.imprint_matches || self.hash.is_none();
        is_undecided && is_whole && imprint && self.problems.is_empty()
    }

    /// True when it is intact and its authority is trusted.
    #[must_use]
    pub fn is_trusted(&self) -> bool {
        self.is_intact() && self.chain.is_ok()
    }

    /// The authority's certificate.
    #[must_use]
    pub fn signer(&self) -> Option<&Certificate> {
        self.cms.signer.as_ref()
    }

    /// Everything against the token, in one line; empty when it is trusted.
    #[must_use]
    pub fn describe_problems(&self) -> String {
        let mut all = self.problems.clone();
        all.extend(self.unsupported.iter().cloned());
        if !self.imprint_matches && self.hash.is_some() {
            all.push("the timestamp is over other content".into());
        }
        all.extend(self.cms.problems.iter().map(ToString::to_string));
        all.extend(self.chain.as_ref().err().map(ToString::to_string));
        all.join("; ")
    }
}

impl TimestampToken {
    /// Reads a token, in DER or BER; nothing may follow it.
    ///
    /// # Errors
    /// When the bytes are no timestamp token.
    pub fn parse(bytes: &[u8]) -> Result<Self, Malformed> {
        Self::from_cms(SignedData::parse(bytes)?)
    }

    /// The same with zero bytes after it, the padding of a PDF document timestamp.
    ///
    /// # Errors
    /// When the bytes are no timestamp token.
    pub fn parse_padded(bytes: &[u8]) -> Result<Self, Malformed> {
        Self::from_cms(SignedData::parse_padded(bytes)?)
    }

    fn from_cms(cms: SignedData) -> Result<Self, Malformed> {
        if cms.content_type() != oids::TST_INFO {
            let why = format!("has content type {}, not tstinfo", cms.content_type());
            return Err(Malformed::new(WHAT, why));
        }
        let info = cms.content().ok_or_else(|| Malformed::new(WHAT, "has no content"))?.to_vec();
        let mut outer = Reader::new(&info);
        let mut reader = outer.sequence(WHAT)?;
        outer.finish(WHAT)?;
        if reader.unsigned(WHAT)? != 1 {
            return Err(Malformed::new(WHAT, "is of a version other than 1"));
        }
        let policy = reader.oid(WHAT)?;
        let (hash, imprint) = read_imprint(&mut reader)?;
        let serial = reader.integer(WHAT)?.to_vec();
        let time = reader.time(WHAT)?;
        let accuracy = match reader.optional(SEQUENCE, WHAT)? {
            Some(accuracy) => Some(read_accuracy(accuracy.reader())?),
            None => None,
        };
        reader.optional(BOOLEAN, WHAT)?;
        let nonce = reader.optional(INTEGER, WHAT)?.map(|nonce| nonce.content.to_vec());
        reader.optional(context(0), WHAT)?;
        let mut unknown_critical = None;
        if let Some(list) = reader.optional(context(1), WHAT)? {
            let whole = crate::asn1::writer::tlv(SEQUENCE, list.content);
            let critical = read_extensions(&whole)?.into_iter().find(|e| e.critical);
            unknown_critical = critical.map(|extension| extension.oid);
        }
        reader.finish(WHAT)?;
        Ok(Self { cms, hash, imprint, time, accuracy, policy, serial, nonce, unknown_critical })
    }

    /// The stamped moment, not yet proven.
    #[must_use]
    pub fn time(&self) -> Time {
        self.time
    }

    /// The hash function of the imprint, or why it is not accepted.
    ///
    /// # Errors
    /// When it is not accepted.
    pub fn hash(&self) -> Result<HashAlgorithm, Unsupported> {
        self.hash.clone()
    }

    /// The stamped digest.
    #[must_use]
    pub fn imprint(&self) -> &[u8] {
        &self.imprint
    }

    /// The authority's policy.
    #[must_use]
    pub fn policy(&self) -> Oid {
        self.policy
    }

    /// The content of the token's serial number INTEGER.
    #[must_use]
    pub fn serial(&self) -> &[u8] {
        &self.serial
    }

    /// The content of the nonce INTEGER, to be compared with the request's.
    #[must_use]
    pub fn nonce(&self) -> Option<&[u8]> {
        self.nonce.as_deref()
    }

    /// The CMS around it, with certificates and revocation evidence.
    #[must_use]
    pub fn cms(&self) -> &SignedData {
        &self.cms
    }

    /// Checks the token over content with the given digest. `digest` is asked once, with the hash
    /// function of the imprint.
    pub fn verify(
        &self,
        digest: &mut dyn FnMut(HashAlgorithm) -> Option<Vec<u8>>,
        trust: &TimestampTrust<'_>,
    ) -> TimestampVerification {
        let (mut problems, mut unsupported) = (Vec::new(), Vec::new());
        let mut imprint_matches = false;
        match &self.hash {
            Ok(hash) => imprint_matches = digest(*hash).is_some_and(|d| d == self.imprint),
            Err(error) if error.is_open() => unsupported.push(error.to_string()),
            Err(error) => problems.push(error.to_string()),
        }
        if let Some(oid) = self.unknown_critical {
            problems.push(format!("the timestamp has the critical extension {oid}"));
        }
        let cms = self.cms.verify_embedded(trust.pool);
        if cms.is_valid() && !cms.names_certificate {
            problems.push("the timestamp does not name its certificate (rfc 3161, 2.4.1)".into());
        }
        let chain = self.chain(cms.signer.as_ref(), trust);
        TimestampVerification {
            time: self.time,
            accuracy: self.accuracy,
            hash: self.hash.clone().ok(),
            imprint_matches,
            cms,
            chain,
            problems,
            unsupported,
        }
    }

    fn chain(
        &self,
        signer: Option<&Certificate>,
        trust: &TimestampTrust<'_>,
    ) -> Result<Chain, ChainFailure> {
        let Some(signer) = signer else {
            return Err(ChainFailure {
                fault: ChainFault::NoIssuer,
                detail: "the authority's certificate is missing".into(),
                partial: Vec::new(),
            });
        };
        let mut pool = self.cms.certificates().to_vec();
        pool.extend_from_slice(trust.pool);
        Chain::build(
            signer,
            &ChainRequest {
                anchors: trust.anchors,
                pool: &pool,
                at: trust.at.unwrap_or(self.time),
                purpose: Purpose::TimeStamping,
            },
        )
    }
}

/// Accuracy (RFC 3161, 2.4.2) in seconds, rounded up.
fn read_accuracy(mut reader: Reader<'_>) -> Result<u64, Malformed> {
    let what = "timestamp accuracy";
    let mut seconds = match reader.peek() {
        Some(INTEGER) => reader.unsigned(what)?,
        _ => 0,
    };
    let mut fraction = false;
    for n in [0, 1] {
        if let Some(part) = reader.optional(context_primitive(n), what)? {
            fraction |= small_unsigned(part.content, what)? > 0;
        }
    }
    reader.finish(what)?;
    seconds = seconds.saturating_add(u64::from(fraction));
    Ok(seconds)
}
