//! Faults on purpose: what may go wrong between a client and the service, by method and path, once
//! or many times. The vocabulary is described in [`crate::control`].

pub(crate) mod apply;
mod check;
mod kinds;

use std::collections::BTreeMap;
use std::sync::Mutex;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde::{Deserialize, Serialize};
use serde_json::Value;

pub use self::kinds::{
    CallbackChange, CscChange, CutAt, CutHow, DownloadChange, IdTokenChange, ResetWhen, Shape,
};
use crate::Error;
use crate::sync::lock;

/// One rule: which requests go wrong, how often, and how.
///
/// ```
/// use signdoc_sandbox::{Fault, Rule};
/// let twice = Rule::new(Fault::status(503)).on("POST", "/signdoc/convert").times(2);
/// ```
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Rule {
    /// Method, or `*` for any.
    #[serde(default = "any")]
    pub method: String,
    /// Exact path, a prefix ending in `*`, or `*` for any. Paths under `/_sandbox` never match.
    #[serde(default = "any")]
    pub path: String,
    /// How many matching requests go wrong; `None` (JSON null) until the rule is removed.
    #[serde(default = "once")]
    pub times: Option<u32>,
    /// How many matching requests pass untouched first.
    #[serde(default)]
    pub skip: u32,
    /// Milliseconds of real time to wait before answering, with every kind of fault.
    #[serde(default)]
    pub delay_ms: u64,
    /// What goes wrong.
    pub fault: Fault,
}

fn any() -> String {
    "*".to_owned()
}

#[expect(clippy::unnecessary_wraps, reason = "serde's default must have the field's type")]
fn once() -> Option<u32> {
    Some(1)
}

/// What goes wrong.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case", deny_unknown_fields)]
#[non_exhaustive]
pub enum Fault {
    /// Answers exactly this instead of the real answer.
    Status {
        /// HTTP status, 200 to 599.
        status: u16,
        /// Further headers, for example `Retry-After`.
        #[serde(default)]
        headers: BTreeMap<String, String>,
        /// Content-Type; default `application/json` with `json`, else `text/plain`.
        #[serde(default)]
        content_type: Option<String>,
        /// The body as text.
        #[serde(default)]
        body: Option<String>,
        /// The body as base64, for exact bytes.
        #[serde(default)]
        body_base64: Option<String>,
        /// The body as JSON.
        #[serde(default)]
        json: Option<Value>,
        /// Answers as soon as the head of the request is read, leaving its body unread.
        #[serde(default)]
        before_body: bool,
        /// Carries the request out first, and then answers this all the same.
        #[serde(default)]
        after_work: bool,
    },
    /// Only the rule's `delay_ms`; then the real answer.
    Delay {},
    /// Connection reset (RST).
    Reset {
        /// At which moment.
        #[serde(default)]
        when: ResetWhen,
        /// With `mid_answer`: after how many bytes of the answer's body.
        #[serde(default)]
        after_bytes: u64,
    },
    /// The real answer, cut off.
    Cut {
        /// After how many bytes of the body.
        after_bytes: u64,
        /// How the answer ends there.
        #[serde(default)]
        how: CutHow,
    },
    /// The real answer in full; then the connection is closed (FIN) without having said so, as it
    /// happens to a connection kept for later. Without effect on chunked answers.
    Close {},
    /// Bytes without meaning.
    Garbage {
        /// How many.
        #[serde(default = "garbage_bytes")]
        bytes: u32,
        /// In place of the whole HTTP answer instead of as its body.
        #[serde(default)]
        on_wire: bool,
    },
    /// A page from a proxy.
    Html {
        /// HTTP status; default 502.
        #[serde(default = "bad_gateway")]
        status: u16,
    },
    /// An answer without a body.
    Empty {
        /// HTTP status; default 200.
        #[serde(default = "ok")]
        status: u16,
    },
    /// Falls silent; the connection stays open.
    Stall {
        /// After how many bytes of the answer's body; absent: before the first byte of the answer.
        #[serde(default)]
        after_bytes: Option<u64>,
        /// Closes after this many milliseconds; absent: never.
        #[serde(default)]
        for_ms: Option<u64>,
    },
    /// An answer that is too long, with status 200 and valid JSON.
    Oversized {
        /// Length of the filler in it.
        bytes: u64,
        /// Where the filler stands.
        #[serde(default)]
        shape: Shape,
    },
    /// The real answer, slowly.
    Slow {
        /// Bytes of one step.
        step_bytes: u32,
        /// Milliseconds between two steps.
        pause_ms: u64,
    },
    /// Lets all access tokens expire first, then handles the request: it is refused with them.
    ExpireTokens {},
    /// The real answer, cut at one of the documents in it (every base64 value counts as one).
    CutDocument {
        /// Which one, from 1.
        #[serde(default = "first")]
        document: u32,
        /// Where.
        #[serde(default)]
        at: CutAt,
        /// How the answer ends there.
        #[serde(default)]
        how: CutHow,
    },
    /// The authorize endpoint sends the browser back with this error.
    AuthorizeError {
        /// The code, for example `temporarily_unavailable`.
        error: String,
        /// `error_description`
        #[serde(default)]
        description: Option<String>,
    },
    /// The signing page's button sends the browser back with something wrong.
    Callback {
        /// What is wrong.
        change: CallbackChange,
    },
    /// The exchange of a code gives an ID token with something wrong.
    IdToken {
        /// What is wrong.
        change: IdTokenChange,
        /// With `skew`: by how many seconds the provider's clock is ahead, negative when behind.
        #[serde(default)]
        seconds: i64,
    },
    /// The download of an order gives something wrong.
    Download {
        /// What is wrong.
        change: DownloadChange,
    },
    /// A CSC endpoint refuses the request with this code, in the service's own body.
    CscError {
        /// One of the 28 codes of the specification.
        code: String,
        /// Whether the service token is used up by it; default false.
        #[serde(default)]
        spends: bool,
    },
    /// `signatures/signHash` gives something wrong.
    Csc {
        /// What is wrong.
        change: CscChange,
    },
    /// Refuses the access token of this request.
    RejectToken {
        /// Also makes it invalid from now on; default true.
        #[serde(default = "yes")]
        revoke: bool,
    },
}

fn garbage_bytes() -> u32 {
    256
}

fn first() -> u32 {
    1
}

fn bad_gateway() -> u16 {
    502
}

fn ok() -> u16 {
    200
}

fn yes() -> bool {
    true
}

/// A fault that the part of the service carries out whose words it changes.
pub(crate) type Twist = Fault;

impl Fault {
    /// An answer with this status and a short text.
    pub fn status(status: u16) -> Self {
        Self::answer(status, "text/plain", format!("fault on purpose: status {status}"))
    }

    /// An answer with exactly this content.
    pub fn answer(status: u16, content_type: &str, body: impl AsRef<[u8]>) -> Self {
        Self::Status {
            status,
            headers: BTreeMap::new(),
            content_type: Some(content_type.to_owned()),
            body: None,
            body_base64: Some(STANDARD.encode(body)),
            json: None,
            before_body: false,
            after_work: false,
        }
    }

    /// Adds a header to an answer made by [`Fault::status`] or [`Fault::answer`]; without effect
    /// on other kinds.
    pub fn with_header(mut self, name: &str, value: &str) -> Self {
        if let Self::Status { headers, .. } = &mut self {
            headers.insert(name.to_owned(), value.to_owned());
        }
        self
    }

    /// Carries the request out before an answer made by [`Fault::status`] or [`Fault::answer`];
    /// without effect on other kinds.
    pub fn after_work(mut self) -> Self {
        if let Self::Status { after_work, .. } = &mut self {
            *after_work = true;
        }
        self
    }

    /// A reset at this moment.
    pub fn reset(when: ResetWhen) -> Self {
        Self::Reset { when, after_bytes: 0 }
    }

    /// Whether it changes what the service says, and so is carried out where that is said.
    pub(crate) fn is_twist(&self) -> bool {
        matches!(
            self,
            Self::AuthorizeError { .. }
                | Self::Callback { .. }
                | Self::IdToken { .. }
                | Self::Download { .. }
                | Self::CscError { .. }
                | Self::Csc { .. }
        )
    }
}

impl Rule {
    /// A rule that makes the next request go wrong, whatever it is.
    pub fn new(fault: Fault) -> Self {
        Self { method: any(), path: any(), times: once(), skip: 0, delay_ms: 0, fault }
    }

    /// Limits the rule to a method (`*` for any) and a path (exact, or a prefix ending in `*`).
    pub fn on(mut self, method: &str, path: &str) -> Self {
        self.method = method.to_owned();
        self.path = path.to_owned();
        self
    }

    /// Makes this many requests go wrong.
    pub fn times(mut self, times: u32) -> Self {
        self.times = Some(times);
        self
    }

    /// Makes every matching request go wrong until the rule is removed.
    pub fn forever(mut self) -> Self {
        self.times = None;
        self
    }

    /// Lets this many matching requests pass first.
    pub fn skip(mut self, skip: u32) -> Self {
        self.skip = skip;
        self
    }

    /// Waits before answering.
    pub fn delay_ms(mut self, milliseconds: u64) -> Self {
        self.delay_ms = milliseconds;
        self
    }

    fn matches(&self, method: &str, path: &str) -> bool {
        let path_matches = match self.path.strip_suffix('*') {
            Some(prefix) => path.starts_with(prefix),
            None => self.path == path,
        };
        (self.method == "*" || self.method.eq_ignore_ascii_case(method)) && path_matches
    }

    /// A rule that could never meet a request would let a test pass without its fault.
    fn check_path(&self) -> Result<(), String> {
        let fixed = self.path.strip_suffix('*').unwrap_or(&self.path);
        let is_path = fixed.starts_with('/') && !fixed.contains('*');
        match is_path || self.path == "*" {
            true => Ok(()),
            false => Err(format!(
                "path {:?} meets no request: give a whole path, the beginning of one with * behind it, or * for any",
                self.path
            )),
        }
    }

    fn is_for_accept(&self) -> bool {
        matches!(self.fault, Fault::Reset { when: ResetWhen::Accept, .. })
    }
}

/// A rule that was added, with its use so far.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ActiveRule {
    /// Number of the rule in this sandbox, from 1.
    pub id: u64,
    /// How many requests went wrong by it.
    pub used: u32,
    /// How many it let pass because of `skip`.
    pub skipped: u32,
    /// The rule.
    #[serde(flatten)]
    pub rule: Rule,
}

/// The rules of one sandbox, asked in the order they were added.
#[derive(Debug, Default)]
pub struct Faults {
    rules: Mutex<(u64, Vec<ActiveRule>)>,
}

impl Faults {
    /// Adds a rule and returns its number.
    ///
    /// # Errors
    /// When the rule says something that cannot be carried out; the text names the field.
    pub fn add(&self, rule: Rule) -> Result<u64, Error> {
        rule.fault.check().map_err(Error::Rule)?;
        rule.check_path().map_err(Error::Rule)?;
        if rule.times == Some(0) {
            return Err(Error::Rule("times must be at least 1, or null for always".to_owned()));
        }
        let mut rules = lock(&self.rules);
        rules.0 += 1;
        let id = rules.0;
        rules.1.push(ActiveRule { id, used: 0, skipped: 0, rule });
        Ok(id)
    }

    /// All rules, the used-up ones too.
    pub fn list(&self) -> Vec<ActiveRule> {
        lock(&self.rules).1.clone()
    }

    /// Removes one rule; false when there is none with this number.
    pub fn remove(&self, id: u64) -> bool {
        let mut rules = lock(&self.rules);
        let before = rules.1.len();
        rules.1.retain(|active| active.id != id);
        rules.1.len() != before
    }

    /// Removes all rules.
    pub fn clear(&self) {
        lock(&self.rules).1.clear();
    }

    pub(crate) fn take(&self, method: &str, path: &str) -> Option<(u64, Rule)> {
        self.take_where(|rule| !rule.is_for_accept() && rule.matches(method, path))
    }

    /// The same among the rules whose fault is `wanted`.
    pub(crate) fn take_if(
        &self,
        method: &str,
        path: &str,
        wanted: impl Fn(&Fault) -> bool,
    ) -> Option<(u64, Rule)> {
        self.take_where(|rule| wanted(&rule.fault) && rule.matches(method, path))
    }

    pub(crate) fn take_for_accept(&self) -> bool {
        self.take_where(Rule::is_for_accept).is_some()
    }

    fn take_where(&self, wanted: impl Fn(&Rule) -> bool) -> Option<(u64, Rule)> {
        let mut rules = lock(&self.rules);
        for active in &mut rules.1 {
            let spent = active.rule.times.is_some_and(|times| active.used >= times);
            if spent || !wanted(&active.rule) {
                continue;
            }
            if active.skipped < active.rule.skip {
                active.skipped += 1;
                continue;
            }
            active.used += 1;
            return Some((active.id, active.rule.clone()));
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rules_match_skip_and_run_out() {
        let faults = Faults::default();
        let rule = Rule::new(Fault::status(503)).on("post", "/signdoc/*").skip(1).times(2);
        let id = faults.add(rule).unwrap();
        assert!(faults.take("GET", "/signdoc/convert").is_none());
        assert!(faults.take("POST", "/other").is_none());
        assert!(faults.take("POST", "/signdoc/convert").is_none(), "skipped");
        assert_eq!(faults.take("POST", "/signdoc/convert").unwrap().0, id);
        assert_eq!(faults.take("POST", "/signdoc/").unwrap().0, id);
        assert!(faults.take("POST", "/signdoc/convert").is_none(), "used up");
        let listed = &faults.list()[0];
        assert_eq!((listed.used, listed.skipped), (2, 1));
        assert!(faults.remove(id));
        assert!(!faults.remove(id));
    }

    #[test]
    fn paths_that_meet_no_request_are_refused() {
        let faults = Faults::default();
        let add = |path| faults.add(Rule::new(Fault::status(503)).on("*", path));
        for path in ["*/token", "/a/*/token", "token", "", "/a**"] {
            assert!(matches!(add(path), Err(Error::Rule(told)) if told.contains("path")), "{path}");
        }
        for path in ["*", "/*", "/a*", "/token"] {
            assert!(add(path).is_ok(), "{path}");
        }
    }

    #[test]
    fn accept_rules_never_meet_requests() {
        let faults = Faults::default();
        faults.add(Rule::new(Fault::reset(ResetWhen::Accept))).unwrap();
        assert!(faults.take("GET", "/").is_none());
        assert!(faults.take_for_accept());
        assert!(!faults.take_for_accept());
    }

    #[test]
    fn reads_json_and_refuses_nonsense() {
        let rule: Rule = serde_json::from_str(
            r#"{"path":"/a","times":null,"fault":{"kind":"status","status":503,"headers":{"Retry-After":"2"}}}"#,
        )
        .unwrap();
        assert_eq!(rule.times, None);
        assert_eq!(rule.method, "*");
        let once: Rule = serde_json::from_str(r#"{"fault":{"kind":"delay"}}"#).unwrap();
        assert_eq!(once.times, Some(1));

        for bad in [
            r#"{"fault":{"kind":"status","status":503,"typo":1}}"#,
            r#"{"fault":{"kind":"delay","bytes":1}}"#,
            r#"{"fault":{"kind":"nonsense"}}"#,
            r#"{"fault":{"kind":"delay"},"typo":1}"#,
        ] {
            assert!(serde_json::from_str::<Rule>(bad).is_err(), "{bad}");
        }
        let faults = Faults::default();
        let refused = [
            Fault::status(99),
            Fault::status(200).with_header("content-length", "7"),
            Fault::status(200).with_header("bad name", "7"),
            Fault::Slow { step_bytes: 0, pause_ms: 1 },
        ];
        for fault in refused {
            assert!(faults.add(Rule::new(fault.clone())).is_err(), "{fault:?}");
        }
        assert!(faults.add(Rule::new(Fault::Delay {}).times(0)).is_err());
    }
}
