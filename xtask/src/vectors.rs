//! The cases every language must pass, and the proof that each runner ran all of them.
//!
//! A set is a file `tests/vectors/<set>.json`: an array of cases, or an object with an array
//! `cases`; each case has a text `id`. A runner prints `vector <set>/<id>` for each case it ran.
//! `errors.json` is a table and no set. A log may be named with the sets that it is about, where
//! these are not all: `go.log=conversion,orders`.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use serde_json::Value;

use crate::files;

const WORD: &str = "vector ";

/// Prints every case.
pub fn list() -> Result<(), String> {
    for id in cases(&files::root().join("tests/vectors"))? {
        println!("{WORD}{id}");
    }
    Ok(())
}

/// Fails when a log lacks a case or names one that does not exist.
pub fn compare(logs: &[&str]) -> Result<(), String> {
    let cases = cases(&files::root().join("tests/vectors"))?;
    let mut wrong = Vec::new();
    for named in logs {
        let (log, sets) = match named.split_once('=') {
            Some((log, sets)) => (log, Some(sets.split(',').collect::<Vec<_>>())),
            None => (*named, None),
        };
        let is_meant = |id: &&String| {
            let set = id.split('/').next().unwrap_or_default();
            sets.as_ref().is_none_or(|sets| sets.contains(&set))
        };
        let bytes = fs::read(log).map_err(|e| format!("{log} cannot be read: {e}"))?;
        let ran = ran(&String::from_utf8_lossy(&bytes));
        let missing = cases.difference(&ran).filter(is_meant);
        wrong.extend(missing.map(|id| format!("{log} did not run {id}")));
        wrong.extend(ran.difference(&cases).map(|id| format!("{log} ran {id}, which is no case")));
    }
    if wrong.is_empty() {
        println!("{} runners ran all that they should of {} cases", logs.len(), cases.len());
        return Ok(());
    }
    Err(wrong.join("\n"))
}

fn cases(folder: &Path) -> Result<BTreeSet<String>, String> {
    let mut all = BTreeSet::new();
    let entries = fs::read_dir(folder).map_err(|e| format!("{}: {e}", folder.display()))?;
    for entry in entries {
        let path = entry.map_err(|e| e.to_string())?.path();
        let set = path.file_stem().and_then(|stem| stem.to_str()).unwrap_or_default();
        if path.extension().is_none_or(|end| end != "json") || set == "errors" {
            continue;
        }
        let text = fs::read_to_string(&path).map_err(|e| format!("{set}.json: {e}"))?;
        for id in ids(&text).map_err(|e| format!("{set}.json: {e}"))? {
            if !all.insert(format!("{set}/{id}")) {
                return Err(format!("{set}.json has the case {id} twice"));
            }
        }
    }
    Ok(all)
}

fn ids(text: &str) -> Result<Vec<String>, String> {
    let json: Value = serde_json::from_str(text).map_err(|e| e.to_string())?;
    let cases = json.as_array().or_else(|| json.get("cases")?.as_array());
    let cases = cases.ok_or("neither an array of cases nor an object with `cases`")?;
    let id = |case: &Value| case.get("id")?.as_str().map(str::to_owned);
    let numbered = cases.iter().enumerate();
    numbered.map(|(at, case)| id(case).ok_or(format!("case {at} has no `id`"))).collect()
}

/// The cases a log names, wherever in a line the word begins.
fn ran(log: &str) -> BTreeSet<String> {
    let id = |line: &str| {
        let (_, rest) = line.split_once(WORD)?;
        let id = rest.split_whitespace().next()?;
        id.contains('/').then(|| id.to_owned())
    };
    log.lines().filter_map(id).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_are_read_from_both_shapes() {
        assert_eq!(ids(r#"[{"id": "a"}, {"id": "b"}]"#).unwrap(), ["a", "b"]);
        assert_eq!(ids(r#"{"about": "x", "cases": [{"id": "a"}]}"#).unwrap(), ["a"]);
        assert!(ids(r#"[{"id": 1}]"#).is_err());
        assert!(ids(r#"{"codes": []}"#).is_err());
    }

    #[test]
    fn logs_may_have_other_lines() {
        let log = "starting\nvector wire/empty\n  vector wire/bom ok\nno vector here\n";
        let expected: BTreeSet<_> = ["wire/empty", "wire/bom"].map(str::to_owned).into();
        assert_eq!(ran(log), expected);
    }
}
