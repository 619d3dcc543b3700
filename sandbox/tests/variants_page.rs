//! The page that lists the variants, against the code.
// helpers outside of test functions are test code as well
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing)]

mod common;

use std::collections::BTreeMap;
use std::path::Path;

use common::*;
use serde_json::{Map, Value, json};
use signdoc_sandbox::Variants;

/// What stands between backticks.
fn quoted(text: &str) -> Vec<String> {
    text.split('`').skip(1).step_by(2).map(str::to_owned).collect()
}

/// The variants of the page with their values.
fn listed() -> BTreeMap<String, Vec<String>> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs/sandbox.md");
    let page = std::fs::read_to_string(path).unwrap();
    let rows = page.lines().filter(|line| line.starts_with("| `"));
    let mut found = BTreeMap::new();
    for row in rows {
        let cells: Vec<_> = row.split('|').collect();
        let [_, name, values, text, _] = cells.as_slice() else { panic!("{row}") };
        assert!(text.trim().len() > 10, "{row}");
        let twice = found.insert(quoted(name).remove(0), quoted(values));
        assert!(twice.is_none(), "{row}");
    }
    found
}

#[test]
fn the_page_has_every_variant_with_all_its_values() {
    let sandbox = test_environment();
    let Value::Object(defaults) = json!(Variants::default()) else { panic!() };
    let listed = listed();
    assert_eq!(
        listed.keys().collect::<Vec<_>>(),
        defaults.keys().collect::<std::collections::BTreeSet<_>>().into_iter().collect::<Vec<_>>()
    );
    for (name, values) in &listed {
        let default = match &defaults[name] {
            Value::Bool(value) => value.to_string(),
            Value::String(value) => value.clone(),
            other => panic!("{name} is {other}"),
        };
        assert_eq!(values[0], default, "{name}: the first value is the default");
        let is_bool = defaults[name].is_boolean();
        for value in values {
            let value = if is_bool { json!(value == "true") } else { json!(value) };
            let change: Map<String, Value> = [(name.clone(), value)].into_iter().collect();
            choose(&sandbox, &Value::Object(change));
        }
        let change: Map<String, Value> =
            [(name.clone(), json!("no such value"))].into_iter().collect();
        let reply = control(&sandbox, "POST", "variants", &Value::Object(change));
        assert_eq!(reply.status, 400, "{name}");
        let said = reply.json()["error"].as_str().unwrap().to_owned();
        let (_, known) = said.split_once("expected ").unwrap();
        let mut known = if is_bool { vec!["true".into(), "false".into()] } else { quoted(known) };
        let mut values = values.clone();
        known.sort();
        values.sort();
        assert_eq!(values, known, "{name}");
    }
}
