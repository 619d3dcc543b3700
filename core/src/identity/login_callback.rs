//! What comes back on the redirect (RFC 6749 section 4.1.2, OpenID Connect form_post).

use std::fmt;

use crate::error::{Code, Error, Result};

/// Longest text of the provider's that a message repeats, in characters.
const SHOWN: usize = 200;

/// The parameters of a callback: from its address, or from its form.
#[derive(Clone)]
pub struct Callback {
    pairs: Vec<(String, String)>,
}

impl Callback {
    /// The parameters in an address: the whole one, its path and query, or its query alone.
    #[must_use]
    pub fn from_url(url: &str) -> Self {
        let (before, fragment) = url.split_once('#').unwrap_or((url, ""));
        let query = match before.split_once('?') {
            Some((_, query)) => query,
            // response_mode=fragment, passed on by a script of the page.
            None if !fragment.is_empty() => fragment,
            None => before,
        };
        let pairs = url::form_urlencoded::parse(query.as_bytes());
        Self { pairs: pairs.into_owned().collect() }
    }

    /// The fields of a form (`response_mode=form_post`), decoded.
    pub fn from_pairs<K: Into<String>, V: Into<String>>(
        pairs: impl IntoIterator<Item = (K, V)>,
    ) -> Self {
        Self { pairs: pairs.into_iter().map(|(key, value)| (key.into(), value.into())).collect() }
    }

    /// A parameter that may be there once (RFC 6749 section 3.1).
    pub(crate) fn get(&self, name: &str) -> Result<Option<&str>> {
        let mut values = self.pairs.iter().filter(|(key, _)| key == name).map(|(_, value)| value);
        let first = values.next();
        if values.next().is_some() {
            return Err(Error::new(
                Code::LoginCallbackIncomplete,
                format!("the callback names {name} more than once; ignore it"),
            )
            .with_detail("field", name));
        }
        Ok(first.map(String::as_str).filter(|value| !value.is_empty()))
    }

    /// The code, or the error the provider tells (RFC 6749 section 4.1.2.1).
    pub(crate) fn code(&self) -> Result<&str> {
        if let Some(name) = self.get("error")? {
            return Err(provider_error(name, self.get("error_description")?));
        }
        self.get("code")?.ok_or_else(|| {
            Error::new(
                Code::LoginCallbackIncomplete,
                "the callback carries neither a code nor an error; pass the whole address with its query, or all fields of the form",
            )
        })
    }
}

impl From<&str> for Callback {
    fn from(url: &str) -> Self {
        Self::from_url(url)
    }
}

impl From<&String> for Callback {
    fn from(url: &String) -> Self {
        Self::from_url(url)
    }
}

/// Shows names only: code and state are secrets.
impl fmt::Debug for Callback {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_set().entries(self.pairs.iter().map(|(key, _)| key)).finish()
    }
}

fn provider_error(name: &str, description: Option<&str>) -> Error {
    let name = printable(name);
    let code = Code::authorize(&name).unwrap_or(Code::AuthorizeUnknown);
    let said = description.map(printable);
    let message = match &said {
        Some(said) => format!("the login ended with {name}: {said}"),
        None => format!("the login ended with {name}"),
    };
    let error = Error::of_provider(code, message).with_name(name);
    match said {
        Some(said) => error.with_detail("error_description", said),
        None => error,
    }
}

/// Whoever made the address could write anything into it.
fn printable(text: &str) -> String {
    text.chars().map(|c| if c.is_control() { ' ' } else { c }).take(SHOWN).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parameters_are_found_in_every_form_of_a_callback() {
        for text in [
            "https://shop.example/cb?code=a%2Bb&state=s",
            "/cb?state=s&code=a%2Bb#top",
            "code=a%2Bb&state=s",
            "https://shop.example/cb#code=a%2Bb&state=s",
        ] {
            let callback = Callback::from_url(text);
            assert_eq!(callback.code().unwrap(), "a+b", "{text}");
            assert_eq!(callback.get("state").unwrap(), Some("s"), "{text}");
        }
        let form = Callback::from_pairs([("code", "a+b")]);
        assert_eq!(form.code().unwrap(), "a+b");
        assert!(!format!("{form:?}").contains("a+b"));
    }

    #[test]
    fn each_error_of_the_provider_is_typed() {
        for (name, code) in [
            ("invalid_request", Code::AuthorizeInvalidRequest),
            ("access_denied", Code::AuthorizeAccessDenied),
            ("unsupported_response_type", Code::AuthorizeUnsupportedResponseType),
            ("invalid_scope", Code::AuthorizeInvalidScope),
            ("server_error", Code::AuthorizeServerError),
            ("temporarily_unavailable", Code::AuthorizeTemporarilyUnavailable),
            ("moon_phase", Code::AuthorizeUnknown),
        ] {
            let callback = Callback::from_pairs([("error", name), ("error_description", "a\nb")]);
            let error = callback.code().unwrap_err();
            assert_eq!((error.code(), error.name()), (code, name));
            assert_eq!(error.details()["error_description"], "a b");
            assert_eq!(error.origin(), crate::Origin::Service);
        }
    }

    #[test]
    fn a_callback_with_nothing_or_too_much_is_refused() {
        for text in ["https://shop.example/cb", "state=s", "code=&state=s", "code=a&code=b"] {
            let error = Callback::from_url(text).code().unwrap_err();
            assert_eq!(error.code(), Code::LoginCallbackIncomplete, "{text}");
        }
    }
}
