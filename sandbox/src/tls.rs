//! https: a certificate authority made anew at each start, and the server's side of TLS.
//!
//! The authority's key is random and never leaves the process, so a client that is told to trust it
//! trusts nobody else. Validity is counted on the machine's clock, as every TLS library does, not
//! on the sandbox's.

use std::fmt;
use std::fs;
use std::path::{Path, PathBuf};
use std::str::FromStr;
use std::sync::Arc;
use std::time::{Duration, SystemTime};

use rcgen::{
    BasicConstraints, CertificateParams, CertifiedIssuer, DnType, ExtendedKeyUsagePurpose, IsCa,
    KeyPair, KeyUsagePurpose, date_time_ymd,
};
use rustls::pki_types::{CertificateDer, PrivateKeyDer, PrivatePkcs8KeyDer};
use rustls::server::WebPkiClientVerifier;
use rustls::{RootCertStore, ServerConfig};
use tempfile::TempDir;
use tokio_rustls::TlsAcceptor;

use crate::Error;
use crate::requests::sha256_hex;

const DAY: Duration = Duration::from_secs(24 * 60 * 60);
/// A sandbox that runs longer than this is no throw-away any more.
const VALID_FOR: Duration = Duration::from_secs(30 * 24 * 60 * 60);

/// Which certificate the server shows.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum ServerCertificate {
    /// A valid one for `localhost`, `127.0.0.1` and `::1`.
    #[default]
    Valid,
    /// One that was valid until the year 2002.
    Expired,
    /// One for another host.
    WrongName,
    /// One of an authority that is not the one announced.
    UnknownCa,
}

impl ServerCertificate {
    /// As on the command line: `valid`, `expired`, `wrong-name` or `unknown-ca`.
    pub fn name(self) -> &'static str {
        match self {
            Self::Valid => "valid",
            Self::Expired => "expired",
            Self::WrongName => "wrong-name",
            Self::UnknownCa => "unknown-ca",
        }
    }
}

impl FromStr for ServerCertificate {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self, Error> {
        [Self::Valid, Self::Expired, Self::WrongName, Self::UnknownCa]
            .into_iter()
            .find(|kind| kind.name() == text)
            .ok_or_else(|| {
                Error::Usage(format!(
                    "certificate {text} is unknown, it must be valid, expired, wrong-name or \
                     unknown-ca"
                ))
            })
    }
}

/// What the server's TLS is to be like.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Wanted {
    pub(crate) certificate: ServerCertificate,
    /// A client certificate of the same authority is required.
    pub(crate) client_certificate: bool,
}

/// The server's side of TLS, and what a client needs for its own.
pub(crate) struct Tls {
    pub(crate) wanted: Wanted,
    pub(crate) acceptor: TlsAcceptor,
    /// The authority's certificate.
    pub(crate) ca_pem: String,
    /// A client's certificate and private key, where one is required.
    pub(crate) client_pem: Option<String>,
    /// Holds both as files, readable by their owner only; gone with the sandbox.
    folder: TempDir,
}

impl fmt::Debug for Tls {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Tls").field("wanted", &self.wanted).finish_non_exhaustive()
    }
}

impl Tls {
    /// Makes an authority and what it certifies.
    pub(crate) fn new(wanted: Wanted) -> Result<Self, Error> {
        make(wanted).map_err(|error| Error::Start(format!("TLS: {error}")))
    }

    /// The file with the authority's certificate.
    pub(crate) fn ca_file(&self) -> PathBuf {
        self.folder.path().join("ca.pem")
    }

    /// The file with the client's certificate and key, where one is required.
    pub(crate) fn client_file(&self) -> Option<PathBuf> {
        self.client_pem.as_ref().map(|_| self.folder.path().join("client.pem"))
    }
}

type Failure = Box<dyn std::error::Error + Send + Sync>;
type Authority = CertifiedIssuer<'static, KeyPair>;

fn make(wanted: Wanted) -> Result<Tls, Failure> {
    let authority = authority("Sandbox CA (throw-away)")?;
    let (certificate, key) = match wanted.certificate {
        ServerCertificate::UnknownCa => server(&self::authority("Another CA")?, wanted)?,
        _ => server(&authority, wanted)?,
    };
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let builder = ServerConfig::builder_with_provider(Arc::clone(&provider))
        .with_safe_default_protocol_versions()?;
    let builder = if wanted.client_certificate {
        let mut roots = RootCertStore::empty();
        roots.add(authority.der().clone())?;
        let verifier = WebPkiClientVerifier::builder_with_provider(Arc::new(roots), provider);
        builder.with_client_cert_verifier(verifier.build()?)
    } else {
        builder.with_no_client_auth()
    };
    let mut config = builder.with_single_cert(vec![certificate], key)?;
    config.alpn_protocols = vec![b"http/1.1".to_vec()];
    let client_pem = wanted.client_certificate.then(|| client(&authority)).transpose()?;
    let folder = tempfile::Builder::new().prefix("signdoc-sandbox-").tempdir()?;
    let ca_pem = authority.pem();
    let tls = Tls { wanted, acceptor: Arc::new(config).into(), ca_pem, client_pem, folder };
    write_private(&tls.ca_file(), &tls.ca_pem)?;
    if let (Some(path), Some(pem)) = (tls.client_file(), &tls.client_pem) {
        write_private(&path, pem)?;
    }
    Ok(tls)
}

fn write_private(path: &Path, text: &str) -> std::io::Result<()> {
    let mut options = fs::OpenOptions::new();
    options.write(true).create_new(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    std::io::Write::write_all(&mut options.open(path)?, text.as_bytes())
}

fn parameters(name: &str, hosts: &[&str]) -> Result<CertificateParams, rcgen::Error> {
    let hosts: Vec<String> = hosts.iter().map(|host| (*host).to_owned()).collect();
    let mut parameters = CertificateParams::new(hosts)?;
    parameters.distinguished_name.push(DnType::CommonName, name);
    parameters.not_before = (SystemTime::now() - DAY).into();
    parameters.not_after = (SystemTime::now() + VALID_FOR).into();
    Ok(parameters)
}

fn authority(name: &str) -> Result<Authority, rcgen::Error> {
    let key = KeyPair::generate()?;
    // names differ, or a client that trusts another one would find a bad signature, not a stranger
    let mark: String = sha256_hex(key.public_key_raw()).chars().take(12).collect();
    let mut parameters = parameters(&format!("{name} {mark}"), &[])?;
    parameters.is_ca = IsCa::Ca(BasicConstraints::Constrained(0));
    parameters.key_usages = vec![KeyUsagePurpose::KeyCertSign, KeyUsagePurpose::CrlSign];
    CertifiedIssuer::self_signed(parameters, key)
}

/// The server's certificate and key.
fn server(
    authority: &Authority,
    wanted: Wanted,
) -> Result<(CertificateDer<'static>, PrivateKeyDer<'static>), rcgen::Error> {
    let hosts: &[&str] = match wanted.certificate {
        ServerCertificate::WrongName => &["elsewhere.invalid"],
        _ => &["localhost", "127.0.0.1", "::1"],
    };
    let mut parameters = parameters("sandbox", hosts)?;
    if wanted.certificate == ServerCertificate::Expired {
        parameters.not_before = date_time_ymd(2001, 1, 1);
        parameters.not_after = date_time_ymd(2002, 1, 1);
    }
    let (certificate, key) = leaf(authority, parameters, ExtendedKeyUsagePurpose::ServerAuth)?;
    Ok((certificate.der().clone(), PrivatePkcs8KeyDer::from(key.serialize_der()).into()))
}

/// A client's certificate and key in PEM.
fn client(authority: &Authority) -> Result<String, rcgen::Error> {
    let parameters = parameters("sandbox client", &[])?;
    let (certificate, key) = leaf(authority, parameters, ExtendedKeyUsagePurpose::ClientAuth)?;
    Ok(format!("{}{}", certificate.pem(), key.serialize_pem()))
}

fn leaf(
    authority: &Authority,
    mut parameters: CertificateParams,
    purpose: ExtendedKeyUsagePurpose,
) -> Result<(rcgen::Certificate, KeyPair), rcgen::Error> {
    let key = KeyPair::generate()?;
    parameters.is_ca = IsCa::ExplicitNoCa;
    parameters.use_authority_key_identifier_extension = true;
    parameters.key_usages = vec![KeyUsagePurpose::DigitalSignature];
    parameters.extended_key_usages = vec![purpose];
    Ok((parameters.signed_by(&key, authority)?, key))
}
