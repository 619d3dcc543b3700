use super::*;
use serde_json::json;

#[test]
fn a_page_about_nothing_is_not_good() {
    let page = report_html(&json!({}), &HtmlOptions::default());
    assert!(page.contains("Not verified") && page.contains("Nothing was looked at."));
}
