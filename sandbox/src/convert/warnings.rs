//! Which warnings a conversion earns, from the findings before and after it.
//!
//! | warning | rule | how sure |
//! |---|---|---|
//! | STRUCTURE_REMOVED | a structure tree before, none after | sure |
//! | OCG_REMOVED | fewer optional content groups after | sure |
//! | ACTION_REMOVED | of some type of action (GoTo apart), or some subtype of annotation, fewer after | sure |
//! | XMP_REMOVED | a property of the metadata before that is missing after, or a packet that cannot be read. What every converter writes anew does not count: the PDF/A identification, document and instance identifiers, the date of the metadata | sure |
//! | FONT_SUBST | a font without its program before, and after it an embedded font that the input did not embed | sure |
//! | COLORANTS | one colorant with different alternate spaces or tint transforms before | sure that it was there; that it was resolved is the converter's word |
//! | TRANSP_REMOVED | a soft mask, an opacity below one or a blend mode in a resource before, none after. A resource that no content uses counts too | fair |
//! | VISUAL_DIFF | more than 1 % of the pixels of some page differ by more than 48 of 255 levels at 50 dpi, or a page changed its size. Needs a renderer; without one it is never claimed | fair |
//!
//! Never claimed: anything about pages that were not rendered (see [`super::compare`]).

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
}
