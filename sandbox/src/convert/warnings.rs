#![doc = include_str!("../../../docs/conversion-warnings.md")]
//!
//! Pages are compared by [`super::compare`].

use super::compare::Comparison;
use super::features::Features;
use super::messages::ConversionWarning;

/// Share of differing pixels from which a page looks different.
pub(crate) const VISUAL_LIMIT: f64 = 0.01;

const XMP_MEDIA_MANAGEMENT: &str = "http://ns.adobe.com/xap/1.0/mm/";
const XMP_BASIC: &str = "http://ns.adobe.com/xap/1.0/";
const PDFA_ID: &str = "http://www.aiim.org/pdfa/ns/id/";

/// The warnings of one conversion, in the order of the specification.
pub(crate) fn warnings(
    before: &Features,
    after: &Features,
    comparison: Option<&Comparison>,
) -> Vec<ConversionWarning> {
    ConversionWarning::ALL
        .into_iter()
        .filter(|warning| match warning {
            ConversionWarning::VisualDiff => comparison.is_some_and(looks_different),
            ConversionWarning::Colorants => !before.colliding_colorants.is_empty(),
            ConversionWarning::OcgRemoved => before.layers > after.layers,
            ConversionWarning::TranspRemoved => before.transparency && !after.transparency,
            ConversionWarning::XmpRemoved => xmp_removed(before, after),
            ConversionWarning::FontSubst => font_substituted(before, after),
            ConversionWarning::ActionRemoved => action_removed(before, after),
            ConversionWarning::StructureRemoved => before.structure && !after.structure,
        })
        .collect()
}

/// Whether some page does not look as before.
pub(crate) fn looks_different(comparison: &Comparison) -> bool {
    comparison.size_changed || comparison.worst_share > VISUAL_LIMIT
}

fn xmp_removed(before: &Features, after: &Features) -> bool {
    if matches!(before.xmp, Some(Err(_))) {
        return true;
    }
    let kept = after.xmp_properties();
    before.xmp_properties().into_iter().any(|property| {
        let (namespace, local) = property;
        let written_anew = namespace == PDFA_ID
            || namespace == XMP_MEDIA_MANAGEMENT
                && matches!(local.as_str(), "DocumentID" | "InstanceID")
            || namespace == XMP_BASIC && local == "MetadataDate";
        !written_anew && !kept.contains(property)
    })
}

fn font_substituted(before: &Features, after: &Features) -> bool {
    !before.fonts_missing.is_empty()
        && after.fonts_embedded.iter().any(|name| !before.fonts_embedded.contains(name))
}

fn action_removed(before: &Features, after: &Features) -> bool {
    let fewer = |before: &std::collections::BTreeMap<String, usize>,
                 after: &std::collections::BTreeMap<String, usize>| {
        before.iter().any(|(kind, count)| after.get(kind).unwrap_or(&0) < count)
    };
    fewer(&before.actions, &after.actions) || fewer(&before.annotations, &after.annotations)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::convert::xmp::Xmp;

    fn with(change: impl FnOnce(&mut Features)) -> Features {
        let mut features = Features { pages: 1, ..Features::default() };
        change(&mut features);
        features
    }

    fn xmp(properties: &[(&str, &str)]) -> Option<Result<Xmp, String>> {
        let list = properties.iter().map(|(n, l)| ((n.to_string(), l.to_string()), String::new()));
        Some(Ok(Xmp { properties: list.collect() }))
    }

    #[test]
    fn nothing_changed_nothing_warned() {
        let rich = || {
            with(|f| {
                f.structure = true;
                f.layers = 2;
                f.transparency = true;
                f.actions.insert("URI".into(), 1);
                f.annotations.insert("Link".into(), 1);
                f.fonts_embedded.insert("A".into());
                f.xmp = xmp(&[("ns", "a")]);
            })
        };
        let same = Comparison { pages: 1, worst_share: 0.01, ..Comparison::default() };
        assert_eq!(warnings(&rich(), &rich(), Some(&same)), []);
    }

    #[test]
    fn each_rule_alone() {
        use ConversionWarning as W;
        let none = Features::default();
        let cases: Vec<(Features, Features, W)> = vec![
            (with(|f| f.structure = true), with(|_| {}), W::StructureRemoved),
            (with(|f| f.layers = 2), with(|f| f.layers = 1), W::OcgRemoved),
            (with(|f| f.transparency = true), with(|_| {}), W::TranspRemoved),
            (
                with(|f| {
                    f.actions.insert("URI".into(), 2);
                }),
                with(|f| {
                    f.actions.insert("URI".into(), 1);
                }),
                W::ActionRemoved,
            ),
            (
                with(|f| {
                    f.annotations.insert("Widget".into(), 1);
                }),
                with(|_| {}),
                W::ActionRemoved,
            ),
            (with(|f| f.xmp = xmp(&[("ns", "a")])), with(|f| f.xmp = xmp(&[])), W::XmpRemoved),
            (with(|f| f.xmp = Some(Err("bad".into()))), with(|_| {}), W::XmpRemoved),
            (
                with(|f| {
                    f.fonts_missing.insert("A".into());
                }),
                with(|f| {
                    f.fonts_embedded.insert("A".into());
                }),
                W::FontSubst,
            ),
            (
                with(|f| {
                    f.colliding_colorants.insert("Spot".into());
                }),
                with(|_| {}),
                W::Colorants,
            ),
        ];
        for (before, after, warning) in cases {
            assert_eq!(warnings(&before, &after, None), [warning]);
        }
        let different = Comparison { worst_share: 0.0101, ..Comparison::default() };
        assert_eq!(warnings(&none, &none, Some(&different)), [W::VisualDiff]);
        let resized = Comparison { size_changed: true, ..Comparison::default() };
        assert_eq!(warnings(&none, &none, Some(&resized)), [W::VisualDiff]);
    }

    #[test]
    fn what_every_converter_writes_anew_does_not_count() {
        let before = with(|f| {
            f.xmp = xmp(&[
                (PDFA_ID, "part"),
                (XMP_MEDIA_MANAGEMENT, "InstanceID"),
                (XMP_BASIC, "MetadataDate"),
            ]);
        });
        assert_eq!(warnings(&before, &with(|_| {}), None), []);
        // a font that is missing but that no page shows is not substituted
        let unused = with(|f| {
            f.fonts_missing.insert("Zapf".into());
            f.fonts_embedded.insert("A".into());
        });
        let out = with(|f| {
            f.fonts_embedded.insert("A".into());
        });
        assert_eq!(warnings(&unused, &out, None), []);
    }

    #[test]
    fn the_documentation_names_every_warning_and_samples_that_show_it() {
        use crate::samples;
        const TABLE: &str = include_str!("../../../docs/conversion-warnings.md");
        let row = |warning: ConversionWarning| {
            let start = format!("| `{}` |", warning.code());
            let mut rows = TABLE.lines().filter(|line| line.starts_with(&start));
            let row = rows.next().unwrap_or_else(|| panic!("{start} is missing"));
            assert!(rows.next().is_none(), "{start} stands twice");
            row.split('|').map(|cell| cell.trim().trim_matches('`')).collect::<Vec<_>>()
        };
        let samples: Vec<_> =
            [samples::all(1), samples::each_warning(), samples::near_misses()].concat();
        let expected = |name: &str| {
            let sample = samples.iter().find(|sample| sample.name == name);
            sample.unwrap_or_else(|| panic!("no sample {name}")).expectation.clone()
        };
        for warning in ConversionWarning::ALL {
            let [_, _, _, sure, raised, spared, _] = row(warning)[..] else {
                panic!("{warning:?} has another number of columns")
            };
            assert!(sure.starts_with("sure") || sure.starts_with("fair"), "{warning:?}: {sure}");
            assert!(expected(raised).warnings.contains(&warning), "{warning:?} by {raised}");
            assert_eq!(expected(spared), samples::Expectation::default(), "{spared}");
        }
        assert_eq!(
            samples::near_misses().len(),
            ConversionWarning::ALL.len(),
            "one for each warning"
        );
    }
}
