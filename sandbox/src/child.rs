//! The sandbox as a process of its own, for every language: it says where it is in one line of JSON
//! on standard output, and ends when its standard input closes.

use std::io::{IsTerminal, Read, Write};
use std::path::PathBuf;
use std::time::Duration;

use serde_json::json;

use crate::sandbox::Builder;
use crate::{ConverterChoice, Environment, Error, Sandbox, ServerCertificate};

/// What can be said on the command line.
#[derive(Debug, Clone, Default)]
pub struct Options {
    /// `--port`: port on the loopback address, 0 for a free one.
    pub port: u16,
    /// `--environment`: `test` or `production`.
    pub environment: Environment,
    /// `--seed`: makes tokens, secrets, identifiers and keys repeat.
    pub seed: Option<u64>,
    /// `--client-id`
    pub client_id: Option<String>,
    /// `--client-secret`; a random one when absent.
    pub client_secret: Option<String>,
    /// `--client-jwks`: file with public keys of the client, a JWK set or PEM.
    pub client_jwks: Option<PathBuf>,
    /// `--tls`: https instead of http; the other two turn it on as well.
    pub tls: bool,
    /// `--tls-certificate`: which certificate the server shows.
    pub tls_certificate: Option<ServerCertificate>,
    /// `--tls-client-ca`: clients must show a certificate of the sandbox's authority.
    pub tls_client_ca: bool,
    /// `--two-addresses`: orders have an address of their own.
    pub two_addresses: bool,
    /// `--no-converter`: as if none were installed.
    pub no_converter: bool,
    /// `--keep`: goes on when standard input closes.
    pub keep: bool,
    /// `--log`: one line per request on standard error.
    pub log: bool,
}

/// How to call it.
pub const USAGE: &str = "\
usage: signdoc sandbox [--port N] [--environment test|production] [--seed N]
                       [--client-id ID] [--client-secret SECRET] [--client-jwks FILE]
                       [--tls] [--tls-certificate valid|expired|wrong-name|unknown-ca]
                       [--tls-client-ca] [--two-addresses] [--no-converter] [--keep] [--log]

Runs the whole service on loopback. Prints one line of JSON when ready and ends when standard
input closes, or on Ctrl-C; with --keep only on Ctrl-C. With --tls that line has the certificate
to trust (ca_pem, ca_file), and with --tls-client-ca a client certificate with its key
(client_certificate_pem, client_certificate_file). With --two-addresses orders are served at
orders_url alone, which the discovery document publishes, and everything else at base_url.";

/// What a command line asks for.
#[derive(Debug, Clone)]
pub enum Command {
    /// Run with these options.
    Run(Options),
    /// Print [`USAGE`].
    Help,
}

impl Options {
    /// Reads the arguments after `signdoc sandbox`.
    ///
    /// # Errors
    /// When an argument is unknown, misses its value or has a bad one; the text names it.
    pub fn parse<I>(arguments: I) -> Result<Command, Error>
    where
        I: IntoIterator<Item = String>,
    {
        let mut options = Self::default();
        let mut arguments = arguments.into_iter();
        while let Some(argument) = arguments.next() {
            let (name, mut inline) = match argument.split_once('=') {
                Some((name, value)) => (name.to_owned(), Some(value.to_owned())),
                None => (argument, None),
            };
            let flag = match name.as_str() {
                "--help" | "-h" => return Ok(Command::Help),
                "--keep" => Some(&mut options.keep),
                "--log" => Some(&mut options.log),
                "--tls" => Some(&mut options.tls),
                "--tls-client-ca" => Some(&mut options.tls_client_ca),
                "--two-addresses" => Some(&mut options.two_addresses),
                "--no-converter" => Some(&mut options.no_converter),
                _ => None,
            };
            if let Some(flag) = flag {
                if inline.is_some() {
                    return Err(Error::Usage(format!("{name} takes no value")));
                }
                *flag = true;
                continue;
            }
            let mut value = || {
                let given = inline.take().or_else(|| arguments.next());
                given.ok_or_else(|| Error::Usage(format!("{name} needs a value")))
            };
            match name.as_str() {
                "--port" => options.port = number(&name, &value()?)?,
                "--seed" => options.seed = Some(number(&name, &value()?)?),
                "--environment" => options.environment = value()?.parse()?,
                "--client-id" => options.client_id = Some(value()?),
                "--client-jwks" => options.client_jwks = Some(value()?.into()),
                "--tls-certificate" => options.tls_certificate = Some(value()?.parse()?),
                "--client-secret" => options.client_secret = Some(value()?),
                _ => return Err(Error::Usage(format!("unknown argument {name}"))),
            }
        }
        Ok(Command::Run(options))
    }

    fn builder(&self) -> Result<Builder, Error> {
        let mut builder = Sandbox::builder()
            .port(self.port)
            .environment(self.environment)
            .seed(self.seed)
            .two_addresses(self.two_addresses)
            .log(self.log);
        if self.no_converter {
            builder = builder.converter(ConverterChoice::Missing);
        }
        if let Some(id) = &self.client_id {
            builder = builder.client_id(id);
        }
        if let Some(secret) = &self.client_secret {
            builder = builder.client_secret(secret);
        }
        if let Some(path) = &self.client_jwks {
            let keys = std::fs::read_to_string(path)
                .map_err(|error| Error::Key(format!("{}: {error}", path.display())))?;
            builder = builder.client_keys(keys);
        }
        builder = builder.tls(self.tls);
        if let Some(certificate) = self.tls_certificate {
            builder = builder.tls_certificate(certificate);
        }
        if self.tls_client_ca {
            builder = builder.tls_client_certificate(true);
        }
        Ok(builder)
    }
}

fn number<N: std::str::FromStr>(name: &str, value: &str) -> Result<N, Error> {
    value.parse().map_err(|_| Error::Usage(format!("{name} {value} is not a number in range")))
}

/// Reads the arguments after `signdoc sandbox` and runs; returns the exit code: 0 when it ended as
/// asked, 1 when it could not start, 2 for a bad command line.
pub fn run_child<I>(arguments: I) -> i32
where
    I: IntoIterator<Item = String>,
{
    match Options::parse(arguments) {
        Ok(Command::Run(options)) => run(&options),
        Ok(Command::Help) => {
            println!("{USAGE}");
            0
        }
        Err(error) => {
            eprintln!("signdoc sandbox: {error}\n{USAGE}");
            2
        }
    }
}

/// Runs until standard input closes, Ctrl-C or a request to terminate; returns the exit code as
/// [`run_child`] does.
pub fn run(options: &Options) -> i32 {
    let outcome = options.builder().and_then(Builder::start).and_then(|sandbox| {
        let ending = Ending::watch(options.keep)?;
        announce(&sandbox)?;
        ending.wait();
        sandbox.shutdown();
        Ok(())
    });
    match outcome {
        Ok(()) => 0,
        Err(error) => {
            eprintln!("signdoc sandbox: {error}");
            1
        }
    }
}

fn announce(sandbox: &Sandbox) -> Result<(), Error> {
    let converter = sandbox.converter();
    if let Err(reason) = &converter {
        sandbox.log_note(&format!("no converter: {reason}"));
    }
    let line = json!({
        "issuer": sandbox.issuer(),
        "base_url": sandbox.base_url(),
        "orders_url": sandbox.orders_url(),
        "client_id": sandbox.client_id(),
        "client_secret": sandbox.client_secret(),
        "control_url": sandbox.control_url(),
        "csc_url": sandbox.csc_url(),
        "tsa_url": sandbox.tsa_url(),
        "environment": sandbox.environment().name(),
        "ca_pem": sandbox.ca_pem(),
        "ca_file": sandbox.ca_file(),
        "client_certificate_pem": sandbox.client_certificate_pem(),
        "client_certificate_file": sandbox.client_certificate_file(),
        "converter": converter.as_ref().ok(),
        "converter_reason": converter.as_ref().err(),
        "pid": std::process::id(),
    });
    let mut output = std::io::stdout().lock();
    writeln!(output, "{line}")
        .and_then(|()| output.flush())
        .map_err(|error| Error::Start(format!("standard output: {error}")))?;
    if output.is_terminal() {
        // Somebody watches: what to type into another terminal. The line above is for programs.
        let _ = write!(std::io::stderr().lock(), "\n{}\n", exports(sandbox));
    }
    Ok(())
}

/// How a shell is told where the sandbox is.
fn exports(sandbox: &Sandbox) -> String {
    let issuer = sandbox.issuer();
    // the issuer publishes the address of orders, and with two addresses that is not the one of the
    // conversion
    let mut variables = vec![
        ("ISSUER", issuer),
        ("BASE_URL", sandbox.base_url().to_owned()),
        ("CLIENT_ID", sandbox.client_id().to_owned()),
        ("CLIENT_SECRET", sandbox.client_secret().to_owned()),
    ];
    let files =
        [("CA_FILE", sandbox.ca_file()), ("CLIENT_CERT", sandbox.client_certificate_file())];
    for (name, path) in files {
        variables.extend(path.map(|path| (name, path.display().to_string())));
    }
    let line =
        |(name, value): &(&str, String)| format!("export SIGNDOC_{name}={}\n", quoted(value));
    variables.iter().map(line).collect()
}

/// A word of a shell; quoted where it must be.
fn quoted(text: &str) -> String {
    let harmless = |c: char| c.is_ascii_alphanumeric() || "-_./:@".contains(c);
    if !text.is_empty() && text.chars().all(harmless) {
        return text.to_owned();
    }
    format!("'{}'", text.replace('\'', r"'\''"))
}

/// Waits for whichever reason to end comes first.
struct Ending {
    heard: std::sync::mpsc::Receiver<()>,
    // dropping it stops listening for signals
    _signals: tokio::runtime::Runtime,
}

impl Ending {
    /// Starts watching; done before the sandbox announces itself, so that nothing is missed.
    fn watch(keep: bool) -> Result<Self, Error> {
        let started = |error: std::io::Error| Error::Start(error.to_string());
        let (tell, heard) = std::sync::mpsc::channel();
        let signals = tokio::runtime::Builder::new_multi_thread()
            .worker_threads(1)
            .enable_all()
            .build()
            .map_err(started)?;
        let interrupted = {
            let _inside = signals.enter();
            interruption().map_err(started)?
        };
        let on_signal = tell.clone();
        signals.spawn(async move {
            interrupted.await;
            let _ = on_signal.send(());
        });
        if !keep {
            std::thread::Builder::new()
                .name("stdin".to_owned())
                .spawn(move || {
                    wait_for_end_of_input();
                    let _ = tell.send(());
                })
                .map_err(started)?;
        }
        Ok(Self { heard, _signals: signals })
    }

    fn wait(&self) {
        // an error means that nobody can tell any more, which is a reason to end as well
        let _ = self.heard.recv();
    }
}

fn wait_for_end_of_input() {
    let mut input = std::io::stdin().lock();
    let mut ignored = [0_u8; 1024];
    loop {
        match input.read(&mut ignored) {
            Ok(0) => return,
            Ok(_) => {}
            Err(error) if error.kind() == std::io::ErrorKind::Interrupted => {}
            Err(error) if error.kind() == std::io::ErrorKind::WouldBlock => {
                std::thread::sleep(Duration::from_millis(50));
            }
            Err(_) => return,
        }
    }
}

#[cfg(unix)]
fn interruption() -> std::io::Result<impl Future<Output = ()> + Send + 'static> {
    use tokio::signal::unix::{SignalKind, signal};
    let mut interrupt = signal(SignalKind::interrupt())?;
    let mut terminate = signal(SignalKind::terminate())?;
    Ok(async move {
        tokio::select! {
            _ = interrupt.recv() => {}
            _ = terminate.recv() => {}
        }
    })
}

#[cfg(not(unix))]
fn interruption() -> std::io::Result<impl Future<Output = ()> + Send + 'static> {
    Ok(async {
        let _ = tokio::signal::ctrl_c().await;
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(arguments: &[&str]) -> Result<Command, Error> {
        Options::parse(arguments.iter().map(|text| (*text).to_owned()))
    }

    #[test]
    fn reads_all_options_in_both_forms() {
        let arguments = [
            "--port=8080",
            "--environment",
            "test",
            "--seed",
            "7",
            "--client-id=a",
            "--client-secret",
            "b=c",
            "--client-jwks=keys.json",
            "--tls",
            "--tls-certificate=wrong-name",
            "--tls-client-ca",
            "--two-addresses",
            "--keep",
            "--log",
            "--no-converter",
        ];
        let Ok(Command::Run(options)) = parse(&arguments) else { panic!() };
        assert_eq!((options.port, options.seed), (8080, Some(7)));
        assert_eq!(options.environment, Environment::Test);
        assert_eq!(options.client_id.as_deref(), Some("a"));
        assert_eq!(options.client_secret.as_deref(), Some("b=c"));
        assert_eq!(options.client_jwks, Some("keys.json".into()));
        assert_eq!(options.tls_certificate, Some(ServerCertificate::WrongName));
        assert!(options.tls && options.tls_client_ca);
        assert!(options.keep && options.log && options.no_converter && options.two_addresses);
        assert!(matches!(parse(&["-h"]), Ok(Command::Help)));
    }

    #[test]
    fn a_secret_survives_the_shell() {
        assert_eq!(quoted("http://127.0.0.1:8400/auth"), "http://127.0.0.1:8400/auth");
        assert_eq!(quoted("it's $HOME"), r"'it'\''s $HOME'");
        assert_eq!(quoted(""), "''");
    }

    #[test]
    fn names_what_is_wrong() {
        let cases: [(&[&str], &str); 7] = [
            (&["--port"], "--port needs a value"),
            (&["--port", "70000"], "70000"),
            (&["--seed", "x"], "--seed x"),
            (&["--environment", "staging"], "staging"),
            (&["--tls-certificate", "old"], "old"),
            (&["--keep=1"], "--keep takes no value"),
            (&["file.pdf"], "unknown argument file.pdf"),
        ];
        for (arguments, part) in cases {
            let text = parse(arguments).unwrap_err().to_string();
            assert!(text.contains(part), "{text}");
        }
    }
}
