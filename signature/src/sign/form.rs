//! Signature fields, their widgets, and the form that lists them (ISO 32000-2, 12.7).

use super::prepared::SigningNote;
use crate::pdf::{
    Dict, ObjRef, Object, Page, PdfError, PdfErrorKind, PdfString, Rect, Result, SignatureField,
    Update,
};

/// Print and Locked: PDF/A wants the first, the second keeps viewers from moving the seal.
const WIDGET_FLAGS: i64 = 4 + 128;
/// SignaturesExist and AppendOnly (table 225).
const SIG_FLAGS: i64 = 3;

/// The field a signature goes into.
pub(super) struct Target {
    pub(super) name: String,
    /// The empty field that is there already.
    pub(super) existing: Option<SignatureField>,
}

/// Finds the field of this name, or a free name with this prefix.
pub(super) fn target(update: &Update, name: Option<&str>, prefix: &str) -> Result<Target> {
    let fields = update.document().head().form_fields()?;
    let Some(name) = name else {
        let free = (1..=fields.len() + 1)
            .map(|n| format!("{prefix}{n}"))
            .find(|name| fields.iter().all(|f| &f.name != name));
        return Ok(Target { name: free.unwrap_or_else(|| prefix.to_owned()), existing: None });
    };
    let unusable =
        |why: &str| PdfError::new(PdfErrorKind::FieldUnusable, format!("the field {name:?} {why}"));
    if let Some(field) = fields.iter().find(|f| f.name == name) {
        if field.field_type.as_deref() != Some("Sig") {
            return Err(unusable("is no signature field"));
        }
        let all = update.document().signature_fields()?;
        let found = all.into_iter().find(|f| f.name == name && f.id == field.id);
        let found = found.filter(|f| f.id.is_some()).ok_or_else(|| unusable("is no object"))?;
        if found.value.is_some() {
            return Err(unusable("is signed already; sign in another field"));
        }
        return Ok(Target { name: name.to_owned(), existing: Some(found) });
    }
    let is_parent = |n: &str| n.strip_prefix(name).is_some_and(|rest| rest.starts_with('.'));
    if fields.iter().any(|f| is_parent(&f.name)) {
        return Err(unusable("has fields below it"));
    }
    if name.is_empty() || name.contains('.') {
        return Err(PdfError::new(
            PdfErrorKind::InvalidArgument,
            format!("field_name is {name:?}: a new field's name must not be empty or hold a '.'"),
        ));
    }
    Ok(Target { name: name.to_owned(), existing: None })
}

/// How a signature shows.
pub(super) struct Appearance {
    /// Where on the page, in user space; a rectangle without area for invisible ones.
    pub(super) rect: Rect,
    /// The form XObject that is drawn.
    pub(super) form: ObjRef,
}

/// Adds a field that is its own widget to the page and to the form.
pub(super) fn add_field(
    update: &mut Update,
    name: &str,
    value: ObjRef,
    page: &Page,
    appearance: &Appearance,
) -> Result<ObjRef> {
    let page_id = page.id.ok_or_else(|| {
        PdfError::new(
            PdfErrorKind::PageNotFound,
            "it is no object of its own, against the standard",
        )
    })?;
    let field = Dict::new()
        .with("Type", Object::name("Annot"))
        .with("Subtype", Object::name("Widget"))
        .with("FT", Object::name("Sig"))
        .with("T", PdfString::text(name))
        .with("V", value)
        .with("F", WIDGET_FLAGS)
        .with("P", page_id)
        .with("Rect", rect_array(&appearance.rect))
        .with("AP", Dict::new().with("N", appearance.form));
    let field = update.add(field)?;
    update.push(page_id, "Annots", field.into())?;
    list_field(update, field)?;
    Ok(field)
}

/// A rectangle as an array; coordinates are cut to a thousandth of a point.
pub(super) fn rect_array(rect: &Rect) -> Vec<Object> {
    [rect.x0, rect.y0, rect.x1, rect.y1].map(number).to_vec()
}

/// A number with at most three decimals, as an integer where it is one.
pub(super) fn number(value: f64) -> Object {
    let rounded = (value * 1000.0).round() / 1000.0;
    if rounded.fract() == 0.0 { Object::Int(rounded as i64) } else { Object::Real(rounded) }
}

/// Puts the signature into a field that is there.
pub(super) fn fill_field(update: &mut Update, field: &SignatureField, value: ObjRef) -> Result<()> {
    let id = field.id.ok_or_else(|| PdfError::corrupt("the signature field is no object"))?;
    update.edit(id, |dict| dict.set("V", value))?;
    set_flags(update, None)
}

/// The first widget of a field with its rectangle, where it has one with an area.
pub(super) fn widget_rect(update: &Update, field: &SignatureField) -> Option<(ObjRef, Rect)> {
    let id = *field.widgets.first()?;
    let widget = update.current(id).ok()?;
    let rect = update.document().head().rect(widget.as_dict()?, "Rect")?;
    Some((id, rect))
}

/// Gives a widget its appearance.
pub(super) fn set_appearance(update: &mut Update, widget: ObjRef, form: ObjRef) -> Result<()> {
    update.edit(widget, |dict| dict.set("AP", Dict::new().with("N", form)))
}

/// Adds the field to the form's list, making the form where there is none.
fn list_field(update: &mut Update, field: ObjRef) -> Result<()> {
    set_flags(update, Some(field))
}

fn set_flags(update: &mut Update, new_field: Option<ObjRef>) -> Result<()> {
    let root = update.document().head().catalog_ref()?;
    let catalog = update.current(root)?;
    let held = catalog.as_dict().and_then(|d| d.get("AcroForm")).cloned().unwrap_or_default();
    let form = match update.resolve(&held)? {
        Object::Dict(form) => form,
        _ => {
            let fields: Vec<Object> = new_field.into_iter().map(Object::Ref).collect();
            let form = Dict::new().with("Fields", fields).with("SigFlags", SIG_FLAGS);
            let form = update.add(form)?;
            return update.edit(root, |catalog| catalog.set("AcroForm", form));
        }
    };
    let flags = form.get("SigFlags").map(|f| update.resolve(f)).transpose()?;
    let flags = flags.and_then(|f| f.as_int()).unwrap_or(0);
    let wanted = flags | SIG_FLAGS;
    if let Some(id) = update.holder(&held)? {
        if let Some(field) = new_field {
            update.push(id, "Fields", field.into())?;
        }
        if flags != wanted {
            update.edit(id, |form| form.set("SigFlags", wanted))?;
        }
        return Ok(());
    }
    in_catalog(update, root, form, new_field, wanted)
}

/// The form is written into the catalog: changes it there.
fn in_catalog(
    update: &mut Update,
    root: ObjRef,
    mut form: Dict,
    new_field: Option<ObjRef>,
    flags: i64,
) -> Result<()> {
    form.set("SigFlags", flags);
    if let Some(field) = new_field {
        let held = form.get("Fields").cloned().unwrap_or_default();
        let values = update.resolve(&held)?;
        let mut values = values.as_array().map(<[Object]>::to_vec).unwrap_or_default();
        values.push(field.into());
        match update.holder(&held)? {
            Some(id) => update.set(id, Object::Array(values)),
            None => form.set("Fields", values),
        }
    }
    update.edit(root, |catalog| catalog.set("AcroForm", form))
}

/// What a person should know about the document's form.
pub(super) fn notes(update: &Update, target: &Target) -> Result<Vec<SigningNote>> {
    let view = update.document().head();
    let mut notes = Vec::new();
    if let Some(form) = view.lookup_dict(&view.catalog()?, "AcroForm")?
        && form.contains("XFA")
    {
        notes.push(SigningNote::Xfa);
    }
    if target.existing.as_ref().is_some_and(|f| f.seed_value.is_some()) {
        notes.push(SigningNote::SeedValues);
    }
    Ok(notes)
}
