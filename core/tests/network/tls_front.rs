//! TLS in front of a plain server: a proxy that is reached over TLS, a provider over https.

use std::net::SocketAddr;
use std::path::PathBuf;
use std::sync::Arc;

use rcgen::{BasicConstraints, CertificateParams, CertifiedIssuer, DnType, IsCa, KeyPair};
use rustls::ServerConfig;
use rustls::pki_types::PrivatePkcs8KeyDer;
use tempfile::TempDir;
use tokio::net::{TcpListener, TcpStream};
use tokio_rustls::TlsAcceptor;

/// Ends TLS, with an authority of its own, and passes the bytes on.
pub struct TlsFront {
    pub address: SocketAddr,
    folder: TempDir,
}

impl TlsFront {
    pub async fn start(upstream: SocketAddr) -> Self {
        let listener = Self::listener().await;
        Self::on(listener, upstream)
    }

    pub async fn listener() -> TcpListener {
        TcpListener::bind("127.0.0.1:0").await.unwrap()
    }

    /// On a listener whose address had to be known before the server behind it.
    pub fn on(listener: TcpListener, upstream: SocketAddr) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let (config, ca) = server_config();
        std::fs::write(folder.path().join("ca.pem"), ca).unwrap();
        let address = listener.local_addr().unwrap();
        let acceptor = TlsAcceptor::from(config);
        // ends with the test's runtime
        tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                let acceptor = acceptor.clone();
                tokio::spawn(async move {
                    let Ok(mut tls) = acceptor.accept(stream).await else { return };
                    let Ok(mut server) = TcpStream::connect(upstream).await else { return };
                    let _ = tokio::io::copy_bidirectional(&mut tls, &mut server).await;
                });
            }
        });
        Self { address, folder }
    }

    pub fn url(&self) -> String {
        format!("https://{}", self.address)
    }

    /// The file with the authority of its certificate.
    pub fn ca_file(&self) -> PathBuf {
        self.folder.path().join("ca.pem")
    }
}

fn server_config() -> (Arc<ServerConfig>, String) {
    let key = KeyPair::generate().unwrap();
    let mut authority = CertificateParams::new(Vec::new()).unwrap();
    authority.is_ca = IsCa::Ca(BasicConstraints::Constrained(0));
    // a name of its own, so that a stranger is one
    let mark: String = key.public_key_raw()[1..9].iter().map(|b| format!("{b:02x}")).collect();
    authority.distinguished_name.push(DnType::CommonName, format!("front {mark}"));
    let authority = CertifiedIssuer::self_signed(authority, key).unwrap();
    let own = KeyPair::generate().unwrap();
    let hosts = CertificateParams::new(vec!["127.0.0.1".to_owned()]).unwrap();
    let certificate = hosts.signed_by(&own, &authority).unwrap();
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let builder = ServerConfig::builder_with_provider(provider);
    let builder = builder.with_safe_default_protocol_versions().unwrap().with_no_client_auth();
    let key = PrivatePkcs8KeyDer::from(own.serialize_der()).into();
    let mut config = builder.with_single_cert(vec![certificate.der().clone()], key).unwrap();
    config.alpn_protocols = vec![b"http/1.1".to_vec()];
    (Arc::new(config), authority.pem())
}
