//! What a verification found: a list of named checks, each passed, failed or not checked.

use serde::Serialize;

/// How one check ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Status {
    /// The check was made and holds.
    Passed,
    /// The check was made and does not hold.
    Failed,
    /// The check was not made; the detail says why.
    NotChecked,
}

impl Status {
    /// The word used in reports: `passed`, `failed` or `not_checked`.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Passed => "passed",
            Self::Failed => "failed",
            Self::NotChecked => "not_checked",
        }
    }
}

impl std::fmt::Display for Status {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.as_str())
    }
}

/// One named check with its outcome.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Check {
    /// A stable name, for instance `digest` or `signature[0].chain`.
    pub name: String,
    /// How it ended.
    pub status: Status,
    /// What was found, in words for a person.
    pub detail: String,
}

impl Check {
    /// A check with the given outcome.
    pub fn new(name: impl Into<String>, status: Status, detail: impl Into<String>) -> Self {
        Self { name: name.into(), status, detail: detail.into() }
    }

    /// A check that holds.
    pub fn passed(name: impl Into<String>, detail: impl Into<String>) -> Self {
        Self::new(name, Status::Passed, detail)
    }

    /// A check that does not hold.
    pub fn failed(name: impl Into<String>, detail: impl Into<String>) -> Self {
        Self::new(name, Status::Failed, detail)
    }

    /// A check that was not made, with the reason.
    pub fn not_checked(name: impl Into<String>, reason: impl Into<String>) -> Self {
        Self::new(name, Status::NotChecked, reason)
    }

    /// The check as a JSON object with `name`, `status` and `detail`.
    #[must_use]
    pub fn to_json(&self) -> serde_json::Value {
        serde_json::json!({
            "name": self.name, "status": self.status.as_str(), "detail": self.detail,
        })
    }
}

/// The checks of one verification, in the order they were made.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(transparent)]
pub struct Checks(Vec<Check>);

impl Checks {
    /// An empty list. An empty list never counts as good: see [`Checks::all_passed`].
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Appends a check.
    pub fn push(&mut self, check: Check) {
        self.0.push(check);
    }

    /// Appends a check that passed.
    pub fn passed(&mut self, name: impl Into<String>, detail: impl Into<String>) {
        self.push(Check::passed(name, detail));
    }

    /// Appends a check that failed.
    pub fn failed(&mut self, name: impl Into<String>, detail: impl Into<String>) {
        self.push(Check::failed(name, detail));
    }

    /// Appends a check that was not made.
    pub fn not_checked(&mut self, name: impl Into<String>, reason: impl Into<String>) {
        self.push(Check::not_checked(name, reason));
    }

    /// All checks, in order.
    #[must_use]
    pub fn as_slice(&self) -> &[Check] {
        &self.0
    }

    /// The checks, in order.
    pub fn iter(&self) -> std::slice::Iter<'_, Check> {
        self.0.iter()
    }

    /// The first check with this name.
    #[must_use]
    pub fn get(&self, name: &str) -> Option<&Check> {
        self.0.iter().find(|check| check.name == name)
    }

    /// The outcome of the named check; a check that is absent was not made.
    #[must_use]
    pub fn status(&self, name: &str) -> Status {
        self.get(name).map_or(Status::NotChecked, |check| check.status)
    }

    /// True when at least one check failed.
    #[must_use]
    pub fn any_failed(&self) -> bool {
        self.0.iter().any(|check| check.status == Status::Failed)
    }

    /// True when there are checks and every one passed.
    #[must_use]
    pub fn all_passed(&self) -> bool {
        !self.0.is_empty() && self.0.iter().all(|check| check.status == Status::Passed)
    }

    /// True when every named check is present and passed, and no check at all failed.
    #[must_use]
    pub fn required_passed(&self, names: &[&str]) -> bool {
        !self.any_failed() && names.iter().all(|name| self.status(name) == Status::Passed)
    }

    /// The checks as a JSON array of objects with `name`, `status` and `detail`.
    #[must_use]
    pub fn to_json(&self) -> serde_json::Value {
        serde_json::Value::Array(self.0.iter().map(Check::to_json).collect())
    }
}

impl Extend<Check> for Checks {
    fn extend<T: IntoIterator<Item = Check>>(&mut self, iter: T) {
        self.0.extend(iter);
    }
}

impl IntoIterator for Checks {
    type Item = Check;
    type IntoIter = std::vec::IntoIter<Check>;

    fn into_iter(self) -> Self::IntoIter {
        self.0.into_iter()
    }
}

impl<'a> IntoIterator for &'a Checks {
    type Item = &'a Check;
    type IntoIter = std::slice::Iter<'a, Check>;

    fn into_iter(self) -> Self::IntoIter {
        self.iter()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_checked_is_never_good() {
        let checks = Checks::new();
        assert!(!checks.all_passed());
        assert!(!checks.required_passed(&["digest"]));
        assert_eq!(checks.status("digest"), Status::NotChecked);
    }

    #[test]
    fn one_failure_spoils_required_checks() {
        let mut checks = Checks::new();
        checks.passed("digest", "equal");
        assert!(checks.required_passed(&["digest"]));
        checks.failed("other", "no");
        assert!(!checks.required_passed(&["digest"]));
        assert!(checks.any_failed());
        assert_eq!(
            checks.to_json().to_string(),
            r#"[{"detail":"equal","name":"digest","status":"passed"},{"detail":"no","name":"other","status":"failed"}]"#
        );
    }
}
