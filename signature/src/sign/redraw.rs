//! Forms that ask viewers to draw their fields anew (`NeedAppearances`, ISO 32000-2, 12.7.3).
//!
//! Some viewers then draw signature fields anew too, and have nothing to draw: the seal is gone.
//! Where every field is empty, or can be drawn here as simply as a viewer would, the request is
//! answered and taken back.

use super::prepared::SigningNote;
use crate::compare::is_blank;
use crate::pdf::{
    Dict, FormField, ObjRef, Object, PdfString, Result, Update, View, write_entries, write_text,
};

/// Flags of text fields that are drawn in another way: multiple lines, password, file, comb, rich.
const UNUSUAL_TEXT: i64 = 1 << 12 | 1 << 13 | 1 << 20 | 1 << 24 | 1 << 25;
/// How many fields lie above each other at most.
const MAX_DEPTH: usize = 32;
const COMBO: i64 = 1 << 17;
/// Of the text, where the field leaves it to the viewer.
const LARGEST: f64 = 12.0;

/// Answers the request of the document's form, or notes that it stands.
pub(super) fn answer(
    update: &mut Update<'_>,
    may_redraw: bool,
    notes: &mut Vec<SigningNote>,
) -> Result<()> {
    let view = update.document().head();
    let Some(form) = asking_form(&view) else { return Ok(()) };
    let missing = if may_redraw { missing(&view, &form) } else { None };
    let Some(missing) = missing else {
        notes.push(SigningNote::FormRedrawn);
        return Ok(());
    };
    for (widget, (dict, content)) in missing {
        let drawn = update.add_stream(dict, &content)?;
        update.edit(widget, |widget| widget.set("AP", Dict::new().with("N", drawn)))?;
    }
    let root = view.catalog_ref()?;
    let held = update.current(root)?.as_dict().and_then(|c| c.get("AcroForm")).cloned();
    let held = held.unwrap_or_default();
    if let Some(id) = update.holder(&held)? {
        return update.edit(id, |form| form.set("NeedAppearances", false));
    }
    let mut form = held.as_dict().cloned().unwrap_or_default();
    form.set("NeedAppearances", false);
    update.edit(root, |catalog| catalog.set("AcroForm", form))
}

/// The form, when it asks viewers to draw its fields.
pub(crate) fn asking_form(view: &View<'_>) -> Option<Dict> {
    let form = view.lookup_dict(&view.catalog().ok()?, "AcroForm").ok()??;
    let asks = view.lookup(&form, "NeedAppearances").ok()?.as_bool();
    (asks == Some(true)).then_some(form)
}

type Drawn = (Dict, Vec<u8>);

/// The appearances that are missing; `None` where one cannot be drawn here, or where one is there
/// already: it may show something else than what viewers draw.
fn missing(view: &View<'_>, form: &Dict) -> Option<Vec<(ObjRef, Drawn)>> {
    let mut missing = Vec::new();
    for field in view.form_fields().ok()?.into_iter().filter(|field| !is_blank(view, field)) {
        for widget in &field.widgets {
            let value = view.get(*widget).ok()?.object;
            let dict = value.as_dict()?;
            missing.push((*widget, text_appearance(view, form, &field, dict)?));
        }
    }
    Some(missing)
}

/// An entry of a widget, or of the nearest field above that has it.
fn inherited(view: &View<'_>, widget: &Dict, key: &str) -> Option<Object> {
    let mut current = widget.clone();
    for _ in 0..MAX_DEPTH {
        match view.lookup(&current, key) {
            Ok(Object::Null) => {}
            Ok(value) => return Some(value),
            // What cannot be read is not nothing.
            Err(_) => return Some(Object::Bool(false)),
        }
        current = view.lookup_dict(&current, "Parent").ok()??;
    }
    None
}

/// What a text field or a combo box shows, in one line from the left, in the form's own font.
/// `None` where it would take more than that.
pub(crate) fn text_appearance(
    view: &View<'_>,
    form: &Dict,
    field: &FormField,
    widget: &Dict,
) -> Option<Drawn> {
    let is_plain = match field.field_type.as_deref() {
        Some("Tx") => field.flags & UNUSUAL_TEXT == 0,
        Some("Ch") => field.flags & COMBO != 0,
        _ => false,
    };
    let entry = |key: &str| inherited(view, widget, key).or_else(|| view.lookup(form, key).ok());
    let is_drawn_otherwise = view.lookup_dict(widget, "MK").ok()?.is_some_and(|mk| {
        ["R", "BG", "BC"].iter().any(|key| mk.get(key).is_some_and(|value| !value.is_null()))
    });
    // Texts that stand for others, are formatted by scripts, or are rich.
    let is_derived = ["Opt", "AA", "RV"].iter().any(|key| inherited(view, widget, key).is_some());
    let is_left = entry("Q").unwrap_or_default().as_int().unwrap_or(0) == 0;
    if !is_plain || widget.contains("AP") || is_drawn_otherwise || is_derived || !is_left {
        return None;
    }
    let value = view.resolve(&field.value).ok()?.as_string()?.to_text();
    // Letters that every encoding of the standard fonts has in the same place.
    if !value.chars().all(|c| (' '..='~').contains(&c)) {
        return None;
    }
    let rect = view.rect(widget, "Rect")?;
    let (width, height) = (rect.x1 - rect.x0, rect.y1 - rect.y0);
    let style = entry("DA")?.as_string()?.to_text();
    let (style, size) = with_size(&style, height)?;
    let resources = view.lookup_dict(form, "DR").ok()??;
    let fonts = resources.get("Font")?.clone();
    let dict = Dict::new()
        .with("Type", Object::name("XObject"))
        .with("Subtype", Object::name("Form"))
        .with("BBox", [0.0, 0.0, width, height].map(super::form::number).to_vec())
        .with("Resources", Dict::new().with("Font", fonts));
    let mut text = Vec::new();
    write_entries(&Dict::new().with("V", PdfString::literal(value.as_bytes())), &mut text);
    let text = text.strip_prefix(b"/V")?.trim_ascii_start();
    let baseline = (height - size) / 2.0 + size * 0.22;
    let mut out = b"/Tx BMC\nq\n".to_vec();
    write_text(&mut out, format_args!("BT\n{style}\n2 {baseline:.3} Td\n"));
    out.extend(text);
    out.extend(b" Tj\nET\nQ\nEMC\n");
    Some((dict, out))
}

/// The style with its size: as large as the field allows where it is 0. `None` for a style that
/// does more than choose font and colour.
fn with_size(style: &str, height: f64) -> Option<(String, f64)> {
    let mut parts: Vec<String> = style.split_ascii_whitespace().map(str::to_owned).collect();
    let at = parts.iter().position(|part| part == "Tf")?.checked_sub(1)?;
    let is_known = |part: &String| {
        part.parse::<f64>().is_ok()
            || ["Tf", "g", "rg", "k"].contains(&part.as_str())
            || part.strip_prefix('/').is_some_and(|n| n.chars().all(|c| c.is_ascii_alphanumeric()))
    };
    if !parts.iter().all(is_known) {
        return None;
    }
    let given: f64 = parts.get(at)?.parse().ok()?;
    let size = if given > 0.0 { given } else { (height * 0.7).clamp(4.0, LARGEST) };
    *parts.get_mut(at)? = format!("{size:.3}");
    Some((parts.join(" "), size))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_style_gets_a_size_and_may_do_no_more() {
        assert_eq!(with_size("/Helv 9 Tf 0 g", 20.0), Some(("/Helv 9.000 Tf 0 g".into(), 9.0)));
        assert_eq!(with_size("0 g /F1 0 Tf", 10.0), Some(("0 g /F1 7.000 Tf".into(), 7.0)));
        for style in ["", "Tf", "/Helv Tf", "/Helv 9 Tf 3 Tr", "/He(lv 9 Tf", "/H 9 Tf ET"] {
            assert_eq!(with_size(style, 20.0), None, "{style}");
        }
    }
}
