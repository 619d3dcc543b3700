//! The authorities and those they certify.

use std::collections::HashMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};

use sha2::{Digest, Sha256};

use super::PkiError;
use super::issue::issue;
use super::key::SigningKey;
use super::profile::{Profile, Subject};
use super::revocation::RevocationReason;
use crate::asn1::Time;
use crate::crypto::{Algorithm, HashAlgorithm, KeyKind};
use crate::x509::{Certificate, TrustAnchors};

/// How RSA keys are reused: with so many different ones for signers, further signers share.
const RSA_KEYS: u64 = 4;
/// How long a time-stamping authority works with one certificate, in seconds.
const RENEWAL: i64 = 4 * 365 * 86_400;

/// What the infrastructure is made from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PkiOptions {
    /// The seed of all keys and serial numbers.
    pub seed: u64,
    /// When the certificates are issued; they are valid from the day before.
    pub issued: Time,
    /// The kind of key of authorities and services.
    pub key: KeyKind,
}

impl Default for PkiOptions {
    fn default() -> Self {
        Self { seed: 0, issued: Time::now(), key: KeyKind::P256 }
    }
}

/// A key with its certificate and those above it.
#[derive(Clone, Debug)]
pub struct Identity {
    pub(super) key: SigningKey,
    pub(super) certificate: Certificate,
    pub(super) issuers: Vec<Certificate>,
}

impl Identity {
    /// The certificate.
    #[must_use]
    pub fn certificate(&self) -> &Certificate {
        &self.certificate
    }

    /// The authorities above it, the nearest first, the root last.
    #[must_use]
    pub fn issuers(&self) -> &[Certificate] {
        &self.issuers
    }

    /// The authorities above it without the root: what is put into a signature.
    #[must_use]
    pub fn intermediates(&self) -> &[Certificate] {
        self.issuers.split_last().map_or(&[], |(_, rest)| rest)
    }

    /// The private key.
    #[must_use]
    pub fn key(&self) -> &SigningKey {
        &self.key
    }

    /// The algorithm used when nothing else is asked.
    #[must_use]
    pub fn algorithm(&self, hash: HashAlgorithm) -> Algorithm {
        self.key.algorithm(hash)
    }

    /// Signs a digest: RSA as it is, ECDSA in DER.
    ///
    /// # Errors
    /// When algorithm, key and digest do not fit together.
    pub fn sign_hash(&self, algorithm: Algorithm, digest: &[u8]) -> Result<Vec<u8>, PkiError> {
        self.key.sign_hash(algorithm, digest)
    }
}

/// Root, issuing authority, responder and time-stamping authority, and the list of what they
/// revoked. Can be shared between threads.
#[derive(Debug)]
pub struct Pki {
    options: PkiOptions,
    /// Where evidence is published; nowhere that can be reached without.
    address: Option<String>,
    root: Identity,
    issuing: Identity,
    responder: Identity,
    timestamping: Identity,
    pub(super) counter: AtomicU64,
    pub(super) revoked: Mutex<HashMap<Vec<u8>, (Time, RevocationReason)>>,
}

impl Pki {
    /// An infrastructure from a seed, issued now, with P-256 keys.
    ///
    /// # Errors
    /// None in practice; the type says so because issuing can fail.
    pub fn new(seed: u64) -> Result<Self, PkiError> {
        Self::with_options(PkiOptions { seed, ..PkiOptions::default() })
    }

    /// An infrastructure from a seed, a time and a kind of key.
    ///
    /// # Errors
    /// When the kind of key cannot be made.
    pub fn with_options(options: PkiOptions) -> Result<Self, PkiError> {
        Self::published_at(options, None)
    }

    /// The same; the certificates name `address` as the place where evidence about them is, see
    /// [`Pki::published`]. It has no slash at its end.
    ///
    /// # Errors
    /// When the kind of key cannot be made.
    pub fn published_at(options: PkiOptions, address: Option<&str>) -> Result<Self, PkiError> {
        let PkiOptions { seed, issued, key } = options;
        let named = |role: &str| Subject::service(&format!("Sandbox {role} {seed} (test)"));
        let make = |role: &str, profile: Profile, issuer: Option<&Identity>| {
            let key = SigningKey::derive(profile.key, &format!("{seed} {role}"))?;
            let serial = serial(seed, role);
            let above = issuer.map(|issuer| (&issuer.certificate, &issuer.key));
            let certificate = issue(&profile, &key, &serial, above, address)?;
            Ok::<_, PkiError>(Identity { key, certificate, issuers: above_of(issuer) })
        };
        let root_profile = Profile::authority(named("Root CA"), key, issued, None);
        let root = make("root", root_profile, None)?;
        let issuing_profile = Profile::authority(named("Issuing CA"), key, issued, Some(0));
        let issuing = make("issuing", issuing_profile, Some(&root))?;
        let responder_profile = Profile::responder(named("OCSP Responder"), key, issued);
        let responder = make("responder", responder_profile, Some(&issuing))?;
        let stamping_profile = Profile::timestamping(named("Timestamping"), key, issued);
        let timestamping = make("timestamping", stamping_profile, Some(&issuing))?;
        Ok(Self {
            options,
            address: address.map(str::to_owned),
            root,
            issuing,
            responder,
            timestamping,
            counter: AtomicU64::new(1),
            revoked: Mutex::default(),
        })
    }

    /// When the authorities' certificates were issued.
    #[must_use]
    pub fn issued(&self) -> Time {
        self.options.issued
    }

    /// The root authority.
    #[must_use]
    pub fn root(&self) -> &Identity {
        &self.root
    }

    /// The issuing authority.
    #[must_use]
    pub fn issuing(&self) -> &Identity {
        &self.issuing
    }

    /// The OCSP responder of the issuing authority.
    #[must_use]
    pub fn responder(&self) -> &Identity {
        &self.responder
    }

    /// The time-stamping authority.
    #[must_use]
    pub fn timestamping(&self) -> &Identity {
        &self.timestamping
    }

    /// The root as the only trust anchor.
    #[must_use]
    pub fn anchors(&self) -> TrustAnchors {
        TrustAnchors::new(vec![self.root.certificate.clone()])
    }

    /// The root in PEM.
    #[must_use]
    pub fn trust_pem(&self) -> String {
        self.anchors().to_pem()
    }

    /// A new certificate and key by the issuing authority. Each call gives another serial number.
    ///
    /// # Errors
    /// When the kind of key cannot be made.
    pub fn issue(&self, profile: &Profile) -> Result<Identity, PkiError> {
        self.issue_by(profile, &self.issuing)
    }

    /// The same by another authority, for instance one made with [`Profile::authority`].
    ///
    /// # Errors
    /// When the kind of key cannot be made.
    pub fn issue_by(&self, profile: &Profile, issuer: &Identity) -> Result<Identity, PkiError> {
        let number = self.counter.fetch_add(1, Ordering::Relaxed);
        let seed = self.options.seed;
        let label = match profile.key {
            KeyKind::Rsa(_) => format!("signer {}", number % RSA_KEYS),
            _ => format!("{seed} signer {number}"),
        };
        let key = SigningKey::derive(profile.key, &label)?;
        let serial = serial(seed, &format!("signer {number}"));
        self.certified(profile, key, &serial, issuer)
    }

    fn certified(
        &self,
        profile: &Profile,
        key: SigningKey,
        serial: &[u8],
        issuer: &Identity,
    ) -> Result<Identity, PkiError> {
        let above = Some((&issuer.certificate, &issuer.key));
        let certificate = issue(profile, &key, serial, above, self.address.as_deref())?;
        Ok(Identity { key, certificate, issuers: above_of(Some(issuer)) })
    }

    /// The time-stamping authority as it is at a time: it gets a new key and certificate every four
    /// years, because a certificate lives for five.
    ///
    /// # Errors
    /// When the kind of key cannot be made.
    pub fn timestamping_at(&self, at: Time) -> Result<Identity, PkiError> {
        let PkiOptions { seed, issued, key } = self.options;
        let turn = at.seconds_since(issued) / RENEWAL;
        if turn < 1 {
            return Ok(self.timestamping.clone());
        }
        let subject = Subject::service(&format!("Sandbox Timestamping {seed}-{turn} (test)"));
        let profile = Profile::timestamping(subject, key, issued.plus_seconds(turn * RENEWAL));
        let label = format!("timestamping {turn}");
        let key = SigningKey::derive(key, &format!("{seed} {label}"))?;
        self.certified(&profile, key, &serial(seed, &label), &self.issuing)
    }

    /// A person with a certificate for signing.
    ///
    /// # Errors
    /// When the kind of key cannot be made.
    pub fn person(
        &self,
        given_name: &str,
        surname: &str,
        number: u32,
        key: KeyKind,
    ) -> Result<Identity, PkiError> {
        let subject = Subject::person(given_name, surname, number);
        self.issue(&Profile::person(subject, key, self.options.issued))
    }

    /// A merchant with a certificate for signing.
    ///
    /// # Errors
    /// When the kind of key cannot be made.
    pub fn merchant(
        &self,
        name: &str,
        organisation_number: &str,
        key: KeyKind,
    ) -> Result<Identity, PkiError> {
        let subject = Subject::merchant(name, organisation_number);
        self.issue(&Profile::merchant(subject, key, self.options.issued))
    }

    /// Revokes a certificate from a time on.
    pub fn revoke(&self, certificate: &Certificate, at: Time, reason: RevocationReason) {
        let mut revoked = self.revoked.lock().unwrap_or_else(PoisonError::into_inner);
        revoked.insert(certificate.serial().to_vec(), (at, reason));
    }
}

fn above_of(issuer: Option<&Identity>) -> Vec<Certificate> {
    let Some(issuer) = issuer else { return Vec::new() };
    let mut all = vec![issuer.certificate.clone()];
    all.extend(issuer.issuers.iter().cloned());
    all
}

/// 16 bytes that follow from seed and label, positive and without leading zero.
fn serial(seed: u64, label: &str) -> Vec<u8> {
    let digest = Sha256::digest(format!("serial {seed} {label}").as_bytes());
    let mut serial: Vec<u8> = digest.iter().copied().take(16).collect();
    if let Some(first) = serial.first_mut() {
        *first = (*first & 0x3f) | 0x40;
    }
    serial
}
