//! What appearance streams draw.

use crate::pdf::{Dict, ObjRef, Object, Stream, View};

use super::content::{Operation, Operations};

/// Appearance streams are small; a larger one is not looked into and counts as drawing.
const MAX_CONTENT: usize = 256 << 10;
/// Backgrounds and borders; more rectangles can be put together to figures.
const MAX_RECTANGLES: usize = 4;

/// Whether an appearance stream draws anything at all. What cannot be read counts as drawing.
pub(super) fn draws_something(view: &View<'_>, stream: &Stream) -> bool {
    let Ok(decoded) = view.stream_data(stream, MAX_CONTENT) else { return true };
    if decoded.damaged {
        return true;
    }
    let mut operations = Operations::new(&decoded.data);
    loop {
        match operations.next() {
            Ok(Some(operation)) => {
                if !matches!(operation.name.as_slice(), b"q" | b"Q" | b"n" | b"BMC" | b"EMC") {
                    return true;
                }
            }
            Ok(None) => return false,
            Err(()) => return true,
        }
    }
}

/// Whether the appearance of a text field shows its value and nothing else: white space aside,
/// the strings it draws are the value, in fonts that were in the document before or are standard
/// ones, and apart from text there are only a few rectangles.
pub(super) fn shows_only(
    view: &View<'_>,
    stream: &Stream,
    value: &str,
    is_old_font: &dyn Fn(ObjRef) -> bool,
) -> Result<(), String> {
    let shown = shown_text(view, stream, is_old_font)?;
    if squeezed(&shown) != squeezed(value) && !shown.is_empty() {
        return Err("shows something else than its value".into());
    }
    Ok(())
}

fn shown_text(
    view: &View<'_>,
    stream: &Stream,
    is_old_font: &dyn Fn(ObjRef) -> bool,
) -> Result<String, String> {
    const UNREADABLE: &str = "has an appearance that cannot be read";
    let decoded = view.stream_data(stream, MAX_CONTENT).map_err(|_| UNREADABLE)?;
    if decoded.damaged {
        return Err(UNREADABLE.into());
    }
    let fonts = fonts(view, &stream.dict)?;
    let mut shown = String::new();
    let mut rectangles = 0;
    let mut operations = Operations::new(&decoded.data);
    while let Some(operation) = operations.next().map_err(|()| UNREADABLE)? {
        match operation.name.as_slice() {
            b"re" => rectangles += 1,
            b"Tf" => check_font(view, &operation, &fonts, is_old_font)?,
            b"Tj" | b"TJ" | b"'" | b"\"" => operation.text_into(&mut shown),
            b"Tr" if operation.number(0) != Some(0.0) => {
                return Err("draws its text in an unusual way".into());
            }
            name if is_harmless(name) => {}
            _ => return Err("has an appearance that draws more than text".into()),
        }
    }
    if rectangles > MAX_RECTANGLES {
        return Err("has an appearance that draws more than text".into());
    }
    Ok(shown)
}

fn is_harmless(operator: &[u8]) -> bool {
    matches!(
        operator,
        b"q" | b"Q"
            | b"cm"
            | b"g"
            | b"G"
            | b"rg"
            | b"RG"
            | b"k"
            | b"K"
            | b"w"
            | b"W"
            | b"n"
            | b"f"
            | b"S"
            | b"s"
            | b"BMC"
            | b"EMC"
            | b"BT"
            | b"ET"
            | b"Td"
            | b"TD"
            | b"Tm"
            | b"T*"
            | b"TL"
            | b"Tc"
            | b"Tw"
            | b"Tz"
            | b"Tr"
    )
}

fn squeezed(text: &str) -> String {
    text.chars().filter(|c| !c.is_whitespace() && !c.is_control()).collect()
}

fn fonts(view: &View<'_>, dict: &Dict) -> Result<Dict, String> {
    let read = view.lookup_dict(dict, "Resources").and_then(|resources| match resources {
        Some(resources) => view.lookup_dict(&resources, "Font"),
        None => Ok(None),
    });
    Ok(read.map_err(|error| error.to_string())?.unwrap_or_default())
}

/// A font decides what a character looks like: a new one could show a 9 for a 1.
fn check_font(
    view: &View<'_>,
    operation: &Operation,
    fonts: &Dict,
    is_old_font: &dyn Fn(ObjRef) -> bool,
) -> Result<(), String> {
    let name = operation.operands.first().and_then(Object::as_name).map(|n| n.to_text());
    let font = name.and_then(|name| fonts.get(&name)).cloned().unwrap_or_default();
    if let Object::Ref(id) = font
        && is_old_font(id)
    {
        return Ok(());
    }
    // A name that is not listed falls back on the form's own fonts.
    let Ok(Object::Dict(dict)) = view.resolve(&font) else { return Ok(()) };
    let plain = ["Type", "Subtype", "BaseFont", "Encoding", "Name"];
    let is_plain = dict.is_name("Subtype", "Type1")
        && dict.iter().all(|entry| plain.iter().any(|key| entry.key == *key))
        && dict.get("Encoding").is_none_or(|encoding| encoding.as_name().is_some());
    if is_plain { Ok(()) } else { Err("is drawn in a font that came with the value".into()) }
}
