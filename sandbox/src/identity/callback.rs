//! The way back to the merchant (RFC 6749 sections 4.1.2 and 4.1.2.1; OAuth 2.0 Multiple Response
//! Type Encoding Practices; OAuth 2.0 Form Post Response Mode).

use http::StatusCode;

use super::html;
use crate::faults::{CallbackChange, Fault, Twist};
use crate::form;
use crate::http::Answer;

/// How the parameters travel back.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) enum Mode {
    #[default]
    Query,
    Fragment,
    FormPost,
}

impl Mode {
    pub(crate) fn from_name(name: &str) -> Option<Self> {
        match name {
            "query" => Some(Self::Query),
            "fragment" => Some(Self::Fragment),
            "form_post" => Some(Self::FormPost),
            _ => None,
        }
    }
}

/// Where the browser goes back to, and with what.
#[derive(Debug, Clone, Default)]
pub(crate) struct Callback {
    pub(crate) redirect_uri: String,
    pub(crate) mode: Mode,
    pub(crate) parameters: Vec<(&'static str, String)>,
}

impl Callback {
    /// A way back that carries `state` when there is one.
    pub(crate) fn new(redirect_uri: String, mode: Mode, state: Option<String>) -> Self {
        let parameters = state.map(|state| ("state", state)).into_iter().collect();
        Self { redirect_uri, mode, parameters }
    }

    /// With a code.
    pub(crate) fn with_code(&self, code: String) -> Self {
        let mut back = self.clone();
        back.parameters.insert(0, ("code", code));
        back
    }

    /// With an error.
    pub(crate) fn with_error(&self, error: &str, description: &str) -> Self {
        let mut back = self.clone();
        let both = [("error", error.to_owned()), ("error_description", description.to_owned())];
        back.parameters.splice(0..0, both);
        back
    }

    /// With what a fault changes.
    pub(crate) fn twisted(mut self, twist: Option<&Twist>) -> Self {
        let Some(Fault::Callback { change }) = twist else { return self };
        match change {
            CallbackChange::State => self.set("state", "a-state-that-nobody-sent"),
            CallbackChange::Code => self.set("code", "a-code-that-was-never-given"),
            CallbackChange::NoState => self.parameters.retain(|(name, _)| *name != "state"),
            CallbackChange::NoCode => self.parameters.retain(|(name, _)| *name != "code"),
            CallbackChange::TwoCodes => self.parameters.push(("code", "another-code".to_owned())),
        }
        self
    }

    fn set(&mut self, name: &'static str, value: &str) {
        self.parameters.retain(|(key, _)| *key != name);
        self.parameters.push((name, value.to_owned()));
    }

    fn encoded(&self) -> String {
        form::write(self.parameters.iter().map(|(name, value)| (*name, value.as_str())))
    }

    /// The address with its parameters; without them in the mode `form_post`.
    pub(crate) fn url(&self) -> String {
        let uri = &self.redirect_uri;
        match self.mode {
            Mode::FormPost => uri.clone(),
            Mode::Fragment => format!("{uri}#{}", self.encoded()),
            Mode::Query => {
                let joint = if uri.contains('?') { '&' } else { '?' };
                format!("{uri}{joint}{}", self.encoded())
            }
        }
    }

    /// The form of the mode `form_post`.
    pub(crate) fn form(&self) -> Option<String> {
        (self.mode == Mode::FormPost).then(|| self.encoded())
    }

    /// The answer to the browser. `seen_other` follows a form that was sent.
    pub(crate) fn answer(&self, seen_other: bool, norwegian: bool) -> Answer {
        if self.mode == Mode::FormPost {
            return html::answer(StatusCode::OK, html::way_back(self, norwegian));
        }
        let status = if seen_other { StatusCode::SEE_OTHER } else { StatusCode::FOUND };
        Answer::redirect(status, &self.url())
            .header(http::header::CACHE_CONTROL, "no-store")
            .header(http::header::REFERRER_POLICY, "no-referrer")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parameters_travel_as_the_mode_says() {
        let back = |uri: &str, mode| Callback::new(uri.into(), mode, Some("s &".into()));
        let url = |uri: &str, mode| back(uri, mode).with_code("c".into()).url();
        assert_eq!(url("https://a/b", Mode::Query), "https://a/b?code=c&state=s%20%26");
        assert_eq!(url("https://a/b?x=y", Mode::Query), "https://a/b?x=y&code=c&state=s%20%26");
        assert_eq!(url("https://a/b", Mode::Fragment), "https://a/b#code=c&state=s%20%26");
        let posted = back("https://a/b", Mode::FormPost).with_error("access_denied", "no");
        assert_eq!(posted.url(), "https://a/b");
        let form = "error=access_denied&error_description=no&state=s%20%26";
        assert_eq!(posted.form().as_deref(), Some(form));
    }
}
