//! Faults that cannot be carried out are refused when they are added.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use http::{HeaderName, HeaderValue};

use super::{CutHow, Fault};

impl Fault {
    /// What is wrong with a fault, before it is taken.
    pub(super) fn check(&self) -> Result<(), String> {
        match self {
            Self::Cut { how: CutHow::Reset, .. } => {
                Err("a cut cannot be a reset, use the kind reset with mid_answer".to_owned())
            }
            Self::CutDocument { document: 0, .. } => Err("document must be at least 1".to_owned()),
            Self::CscError { code, .. } if !crate::csc::errors::is_known(code) => {
                Err(format!("code {code} is none of the specification's"))
            }
            Self::AuthorizeError { error, .. } if error.is_empty() => {
                Err("error must not be empty".to_owned())
            }
            Self::Status { before_body: true, after_work: true, .. } => {
                Err("before_body and after_work exclude one another".to_owned())
            }
            Self::Status { status, headers, content_type, body, body_base64, json, .. } => {
                check_status(*status)?;
                for (name, value) in headers {
                    check_header(name, value)?;
                }
                if let Some(value) = content_type {
                    check_header("content-type", value)?;
                }
                let bodies = [body.is_some(), body_base64.is_some(), json.is_some()];
                if bodies.iter().filter(|given| **given).count() > 1 {
                    return Err("only one of body, body_base64 and json may be given".to_owned());
                }
                if let Some(text) = body_base64 {
                    STANDARD.decode(text).map_err(|error| format!("body_base64: {error}"))?;
                }
                Ok(())
            }
            Self::Html { status } | Self::Empty { status } => check_status(*status),
            Self::Slow { step_bytes: 0, .. } => Err("step_bytes must be at least 1".to_owned()),
            _ => Ok(()),
        }
    }
}

fn check_status(status: u16) -> Result<(), String> {
    if (200..=599).contains(&status) {
        Ok(())
    } else {
        Err(format!("status {status} is out of range, it must be 200 to 599"))
    }
}

fn check_header(name: &str, value: &str) -> Result<(), String> {
    let name = HeaderName::from_bytes(name.as_bytes())
        .map_err(|_| format!("{name:?} is not a header name"))?;
    if matches!(name.as_str(), "content-length" | "transfer-encoding") {
        return Err(format!("header {name} cannot be set, use the kinds cut and oversized"));
    }
    HeaderValue::from_str(value).map_err(|_| format!("{value:?} is not a header value"))?;
    Ok(())
}
