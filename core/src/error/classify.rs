//! What a failed exchange means: the only reading of transport errors.

use std::error::Error as StdError;

use super::{Code, Error};
use crate::transport::ConnectTimedOut;
use crate::wire::{EncodeError, ScanError, SinkError};

/// Turns a failure of the HTTP stack into our error, without the address (it may hold secrets).
///
/// `proxy` is the address of the proxy that the request goes through, where there is one.
pub(crate) fn failure_of(
    error: reqwest::Error,
    what: &str,
    host: &str,
    proxy: Option<&str>,
) -> Error {
    let error = error.without_url();
    if let Some(cause) = find::<EncodeError>(&error) {
        return of_encoding(cause);
    }
    let reason = innermost(&error);
    let way = proxy.map(|proxy| format!(" through the proxy {proxy}")).unwrap_or_default();
    if let Some(tls) = find::<rustls::Error>(&error) {
        let told = format!("{what}: TLS with {host}{way} failed: {tls}");
        let Some(remedy) = remedy_of(tls) else {
            return Error::new(Code::TlsFailed, told).with_detail("host", host);
        };
        return Error::new(Code::TlsFailed, format!("{told}; {remedy}"))
            .with_detail("host", host)
            .with_detail("remedy", remedy);
    }
    if let Some(timed_out) = find::<ConnectTimedOut>(&error) {
        let limit = timed_out.seconds();
        let told =
            format!("{what}: no connection to {host}{way} within {limit} s (connect_timeout)");
        return Error::new(Code::ConnectTimeout, told)
            .with_detail("host", host)
            .with_detail("limit", limit)
            .with_detail("unit", "seconds");
    }
    let (code, happened) = match () {
        () if error.is_connect() && error.is_timeout() => {
            (Code::ConnectTimeout, "the system gave up connecting")
        }
        () if error.is_connect() && proxy.is_some() => {
            (Code::ProxyFailed, "the proxy gave no connection")
        }
        () if error.is_connect() => (Code::ConnectFailed, "no connection"),
        () if error.is_timeout() => (Code::ReadTimeout, "no answer in time"),
        () if error.is_request() || error.is_body() || error.is_decode() => {
            (Code::ConnectionLost, "the connection was lost")
        }
        () => (Code::RequestFailed, "the request failed"),
    };
    let hint = match reason.contains("proxy authorization required") {
        true => "; it asks for a user and a password: give them in proxy",
        false => "",
    };
    Error::new(code, format!("{what}: {happened} to {host}{way}: {reason}{hint}"))
        .with_detail("host", host)
}

/// What to do about a failed handshake, where more can be said than about all of them.
///
/// A server complains about the client's certificate with an alert (RFC 8446 section 6.2); TLS 1.2
/// has only `handshake_failure` for a missing one.
fn remedy_of(error: &rustls::Error) -> Option<&'static str> {
    use rustls::{AlertDescription as Alert, CertificateError as Bad};
    Some(match error {
        rustls::Error::InvalidCertificate(bad) => match bad {
            Bad::UnknownIssuer => "name the authority that issued its certificate in ca_file",
            Bad::Expired | Bad::ExpiredContext { .. } => {
                "check this machine's clock, and ask the server's owner to renew its certificate"
            }
            Bad::NotValidYet | Bad::NotValidYetContext { .. } => "check this machine's clock",
            Bad::NotValidForName | Bad::NotValidForNameContext { .. } => {
                "check the address: the certificate is another host's"
            }
            _ => return None,
        },
        rustls::Error::AlertReceived(Alert::CertificateRequired | Alert::HandshakeFailure) => {
            "the server may ask for a client certificate: set client_cert"
        }
        rustls::Error::AlertReceived(
            Alert::BadCertificate
            | Alert::UnsupportedCertificate
            | Alert::CertificateRevoked
            | Alert::CertificateExpired
            | Alert::CertificateUnknown
            | Alert::UnknownCA
            | Alert::AccessDenied
            | Alert::DecryptError,
        ) => "the server refuses the client's certificate: check client_cert",
        _ => return None,
    })
}

/// What a request body reports about the documents in it.
pub(crate) fn of_encoding(error: &EncodeError) -> Error {
    let code = match error {
        EncodeError::Changed { .. } => Code::DocumentChanged,
        EncodeError::Open { source, .. } if source.kind() == std::io::ErrorKind::NotFound => {
            Code::DocumentNotFound
        }
        EncodeError::Open { .. } | EncodeError::NotAFile { .. } | EncodeError::Read { .. } => {
            Code::DocumentUnreadable
        }
        _ => Code::Internal,
    };
    let told = Error::new(code, error.to_string());
    match error {
        EncodeError::Open { path, .. }
        | EncodeError::NotAFile { path }
        | EncodeError::Read { path, .. } => told.with_detail("path", path.display().to_string()),
        EncodeError::Changed { path, expected, actual } => told
            .with_detail("path", path.display().to_string())
            .with_detail("expected", *expected)
            .with_detail("actual", *actual)
            .with_detail("unit", "bytes"),
        _ => told,
    }
}

/// What happened at the place a result should go to.
pub(crate) fn of_sink(error: &SinkError) -> Error {
    let code = match error {
        SinkError::Exists { .. } => Code::DestinationExists,
        SinkError::TooLarge { .. } => Code::AnswerTooLarge,
        _ => Code::DestinationFailed,
    };
    let told = Error::new(code, error.to_string());
    match error.path() {
        Some(path) => told.with_detail("path", path.display().to_string()),
        None => told,
    }
}

/// Why an answer could not be read.
pub(crate) fn of_scan<E: std::fmt::Display>(error: &ScanError<E>, what: &str) -> Error {
    let (code, offset, limit) = match error {
        ScanError::Truncated { offset } => (Code::TruncatedAnswer, Some(*offset), None),
        ScanError::InvalidBase64 { offset } => (Code::InvalidBase64, Some(*offset), None),
        ScanError::TooLarge { limit } => (Code::AnswerTooLarge, None, Some(*limit)),
        ScanError::TooLong { offset, limit } | ScanError::TooDeep { offset, limit } => {
            (Code::MalformedAnswer, Some(*offset), Some(*limit as u64))
        }
        ScanError::Malformed { offset, .. } => (Code::MalformedAnswer, Some(*offset), None),
        _ => (Code::Internal, None, None),
    };
    let mut told = Error::new(code, format!("{what}: {error}"));
    if let Some(offset) = offset {
        told = told.with_detail("offset", offset);
    }
    if let Some(limit) = limit {
        told = told.with_detail("limit", limit);
    }
    told
}

/// The answer stopped before its end.
pub(crate) fn lost(error: reqwest::Error, what: &str, offset: u64) -> Error {
    let error = error.without_url();
    let reason = innermost(&error);
    Error::new(
        Code::TruncatedAnswer,
        format!("{what}: the answer broke off after {offset} bytes: {reason}"),
    )
    .with_detail("offset", offset)
}

fn innermost(error: &reqwest::Error) -> String {
    chain(error).last().map(ToString::to_string).unwrap_or_default()
}

fn chain<'a>(error: &'a reqwest::Error) -> impl Iterator<Item = &'a (dyn StdError + 'static)> {
    let first: &'a (dyn StdError + 'static) = error;
    std::iter::successors(Some(first), next)
}

fn next<'a>(cause: &&'a (dyn StdError + 'static)) -> Option<&'a (dyn StdError + 'static)> {
    let cause: &'a (dyn StdError + 'static) = *cause;
    cause.source()
}

/// Looks for a cause of type `T`, also inside `io::Error`, which hides what it wraps from `source`.
fn find<T: StdError + 'static>(error: &reqwest::Error) -> Option<&T> {
    chain(error).find_map(|cause| inside(cause))
}

/// The cause itself, or what `io::Error`s one inside another wrap.
fn inside<'a, T: StdError + 'static>(cause: &'a (dyn StdError + 'static)) -> Option<&'a T> {
    let mut current = cause;
    loop {
        if let Some(found) = current.downcast_ref::<T>() {
            return Some(found);
        }
        current = match current.downcast_ref::<std::io::Error>() {
            Some(io) => io.get_ref()?,
            None => return current.source()?.downcast_ref::<T>(),
        };
    }
}
