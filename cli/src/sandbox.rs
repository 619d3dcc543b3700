//! `signdoc sandbox`: the whole service on loopback, as a process of its own.

use clap::ArgMatches;
use signdoc_sandbox::{Environment, Options, ServerCertificate};

/// Runs until standard input closes or a signal comes; the sandbox listens for both itself.
pub(crate) fn run(matches: &ArgMatches) -> i32 {
    let text = |name: &str| matches.get_one::<String>(name).cloned();
    let environment = match text("environment").as_deref() {
        Some("test") => Environment::Test,
        _ => Environment::Production,
    };
    signdoc_sandbox::run(&Options {
        port: matches.get_one("port").copied().unwrap_or_default(),
        environment,
        seed: matches.get_one("seed").copied(),
        client_id: text("client_id"),
        client_secret: text("client_secret"),
        two_addresses: matches.get_flag("two_addresses"),
        no_converter: matches.get_flag("no_converter"),
        keep: matches.get_flag("keep"),
        log: matches.get_flag("log"),
        client_jwks: matches.get_one("client_jwks").cloned(),
        tls: matches.get_flag("tls"),
        tls_certificate: matches.get_one::<ServerCertificate>("tls_certificate").copied(),
        tls_client_ca: matches.get_flag("tls_client_ca"),
    })
}
