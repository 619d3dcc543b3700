//! TLS of the answer server: an authority made anew at each start.

use std::net::TcpStream;
use std::path::Path;
use std::sync::Arc;

use rcgen::{BasicConstraints, CertificateParams, CertifiedIssuer, DnType, IsCa, KeyPair};
use rustls::pki_types::PrivatePkcs8KeyDer;
use rustls::{ServerConfig, ServerConnection, StreamOwned};

use crate::Fallible;

/// Makes an authority, writes its certificate to `ca`, and lets it certify this server.
pub fn prepare(ca: &Path) -> Fallible<Arc<ServerConfig>> {
    let mut parameters = CertificateParams::new(Vec::new())?;
    parameters.distinguished_name.push(DnType::CommonName, "bench authority");
    parameters.is_ca = IsCa::Ca(BasicConstraints::Constrained(0));
    let authority = CertifiedIssuer::self_signed(parameters, KeyPair::generate()?)?;
    let key = KeyPair::generate()?;
    let mut own = CertificateParams::new(vec!["127.0.0.1".to_owned()])?;
    own.distinguished_name.push(DnType::CommonName, "bench server");
    let certificate = own.signed_by(&key, &authority)?;
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let builder = ServerConfig::builder_with_provider(provider);
    let builder = builder.with_safe_default_protocol_versions()?.with_no_client_auth();
    let key = PrivatePkcs8KeyDer::from(key.serialize_der()).into();
    let mut config = builder.with_single_cert(vec![certificate.der().clone()], key)?;
    config.alpn_protocols = vec![b"http/1.1".to_vec()];
    std::fs::write(ca, authority.pem())?;
    Ok(Arc::new(config))
}

/// The server's side of a connection; the handshake is made with its first bytes.
pub fn accept(
    config: Arc<ServerConfig>,
    stream: TcpStream,
) -> Fallible<StreamOwned<ServerConnection, TcpStream>> {
    Ok(StreamOwned::new(ServerConnection::new(config)?, stream))
}
