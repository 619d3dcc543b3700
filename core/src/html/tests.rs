use super::*;
use serde_json::json;

#[test]
fn a_page_about_nothing_is_not_good() {
    let page = report_html(&json!({}), &HtmlOptions::default());
    assert!(page.contains("Not verified") && page.contains("Nothing was looked at."));
}

/// No size of a page and no place on it is too odd to be drawn.
#[test]
fn places_of_any_size_are_drawn() {
    let odd = [-1e308, -1.0, 0.0, 1e-9, 0.5, 595.0, 1e12, 1e308];
    for (index, first) in odd.iter().enumerate() {
        for second in odd {
            let third = odd[(index * 3 + 1) % odd.len()];
            let place = json!({
                "page": u64::MAX, "x": first, "y": second, "width": third, "height": first,
            });
            let report = json!({
                "pages": [{"page": u64::MAX, "width": second, "height": third}],
                "signatures": [{"place": place, "in_original": true}],
                "changes": {"base_len": 1, "forbidden": [{"place_before": place}]},
            });
            let page = report_html(&report, &HtmlOptions::default());
            assert!(!page.contains("inf") && !page.contains("NaN"), "{page}");
            assert_eq!(page.matches("<circle").count(), 4, "the verdict's, and one for each box");
            let seal = json!({"pages": report["pages"], "seals": [{"place": place}]});
            assert!(preview_html(&seal, &HtmlOptions::default()).contains("1 seal on 0 pages"));
        }
    }
}

#[test]
fn what_is_no_report_is_not_good() {
    for told in [json!(null), json!([]), json!("x"), json!({"ok": "yes"}), json!({"links": []})] {
        let page = report_html(&told, &HtmlOptions::default());
        assert!(page.contains(">Not verified<"), "{told}");
    }
}
