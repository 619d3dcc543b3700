//! The whole TLS configuration: which roots are trusted, and who we are.

use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};

use rustls::client::WebPkiServerVerifier;
use rustls::client::danger::{HandshakeSignatureValid, ServerCertVerified, ServerCertVerifier};
use rustls::crypto::CryptoProvider;
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, PrivateKeyDer, ServerName, UnixTime};
use rustls::{ClientConfig, DigitallySignedStruct, RootCertStore, SignatureScheme};

use crate::config::Config;
use crate::error::{Code, Error, Result};

/// Builds the client side of TLS from the configuration.
///
/// The system's roots take milliseconds to load, so they are loaded at the first handshake; files
/// that the caller named are read now, so that a wrong name is told at once.
pub(super) fn client_config(config: &Config) -> Result<ClientConfig> {
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let extra = match &config.ca_file {
        Some(path) => certificates("ca_file", path)?,
        None => Vec::new(),
    };
    let verifier = Arc::new(LazyVerifier {
        provider: provider.clone(),
        extra,
        only: config.ca_only,
        ready: OnceLock::new(),
    });
    let builder = ClientConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .map_err(|error| Error::new(Code::Internal, format!("TLS cannot be set up: {error}")))?
        .dangerous()
        .with_custom_certificate_verifier(verifier);
    match &config.client_cert {
        None => Ok(builder.with_no_client_auth()),
        Some(path) => {
            let chain = certificates("client_cert", path)?;
            let key = private_key(path)?;
            builder
                .with_client_auth_cert(chain, key)
                .map_err(|error| bad_file("client_cert", path, &error))
        }
    }
}

fn bad_file(option: &str, path: &Path, why: &dyn std::fmt::Display) -> Error {
    let shown = path.display();
    Error::new(Code::InvalidOption, format!("option {option}: {shown} cannot be used: {why}"))
        .with_detail("field", option)
        .with_detail("path", path.display().to_string())
}

fn certificates(option: &str, path: &PathBuf) -> Result<Vec<CertificateDer<'static>>> {
    let read = CertificateDer::pem_file_iter(path)
        .and_then(Iterator::collect::<std::result::Result<Vec<_>, _>>)
        .map_err(|error| bad_file(option, path, &error))?;
    if read.is_empty() {
        return Err(bad_file(option, path, &"there is no PEM certificate in it"));
    }
    Ok(read)
}

fn private_key(path: &PathBuf) -> Result<PrivateKeyDer<'static>> {
    PrivateKeyDer::from_pem_file(path).map_err(|error| bad_file("client_cert", path, &error))
}

/// Verifies as webpki does, with roots that are loaded when they are needed first.
#[derive(Debug)]
struct LazyVerifier {
    provider: Arc<CryptoProvider>,
    extra: Vec<CertificateDer<'static>>,
    only: bool,
    ready: OnceLock<std::result::Result<Arc<WebPkiServerVerifier>, String>>,
}

impl LazyVerifier {
    fn get(&self) -> std::result::Result<&WebPkiServerVerifier, rustls::Error> {
        match self.ready.get_or_init(|| self.load()) {
            Ok(verifier) => Ok(verifier),
            Err(why) => Err(rustls::Error::General(why.clone())),
        }
    }

    fn load(&self) -> std::result::Result<Arc<WebPkiServerVerifier>, String> {
        let mut roots = RootCertStore::empty();
        if !self.only {
            // Honours SSL_CERT_FILE and SSL_CERT_DIR.
            roots.add_parsable_certificates(rustls_native_certs::load_native_certs().certs);
        }
        for certificate in &self.extra {
            roots.add(certificate.clone()).map_err(|error| format!("ca_file: {error}"))?;
        }
        if roots.is_empty() {
            return Err("no trusted root certificates found; install the system's, or set SSL_CERT_FILE or ca_file".to_owned());
        }
        WebPkiServerVerifier::builder_with_provider(Arc::new(roots), self.provider.clone())
            .build()
            .map_err(|error| error.to_string())
    }
}

impl ServerCertVerifier for LazyVerifier {
    fn verify_server_cert(
        &self,
        end_entity: &CertificateDer<'_>,
        intermediates: &[CertificateDer<'_>],
        server_name: &ServerName<'_>,
        ocsp_response: &[u8],
        now: UnixTime,
    ) -> std::result::Result<ServerCertVerified, rustls::Error> {
        self.get()?.verify_server_cert(end_entity, intermediates, server_name, ocsp_response, now)
    }

    fn verify_tls12_signature(
        &self,
        message: &[u8],
        cert: &CertificateDer<'_>,
        dss: &DigitallySignedStruct,
    ) -> std::result::Result<HandshakeSignatureValid, rustls::Error> {
        self.get()?.verify_tls12_signature(message, cert, dss)
    }

    fn verify_tls13_signature(
        &self,
        message: &[u8],
        cert: &CertificateDer<'_>,
        dss: &DigitallySignedStruct,
    ) -> std::result::Result<HandshakeSignatureValid, rustls::Error> {
        self.get()?.verify_tls13_signature(message, cert, dss)
    }

    fn supported_verify_schemes(&self) -> Vec<SignatureScheme> {
        self.provider.signature_verification_algorithms.supported_schemes()
    }
}
