//! Interactive form fields, signature fields above all (ISO 32000-2, 12.7 and 12.8).

use std::collections::HashSet;

use super::error::{PdfError, Result};
use super::object::{Dict, ObjRef, Object, Span};
use super::view::View;

/// Field hierarchies are a few levels deep; this is generous.
const MAX_DEPTH: usize = 32;

/// A terminal form field.
#[derive(Debug, Clone)]
pub struct FormField {
    /// Fully qualified name: the partial names joined by full stops.
    pub name: String,
    /// Its reference; `None` for a field written into the array that lists it.
    pub id: Option<ObjRef>,
    /// The field dictionary as it stands in the file.
    pub dict: Dict,
    /// `FT`, own or inherited: `Btn`, `Tx`, `Ch`, `Sig`.
    pub field_type: Option<String>,
    /// `V`, own or inherited, unresolved.
    pub value: Object,
    /// `Ff`, own or inherited.
    pub flags: i64,
    /// Its widget annotations; the field itself where both are one dictionary.
    pub widgets: Vec<ObjRef>,
}

/// A signature field.
#[derive(Debug, Clone)]
pub struct SignatureField {
    /// Fully qualified name: the partial names joined by full stops.
    pub name: String,
    /// Its reference; `None` for a field written into the array that lists it.
    pub id: Option<ObjRef>,
    /// The field dictionary as it stands in the file.
    pub dict: Dict,
    /// Its widget annotations; the field itself where both are one dictionary.
    pub widgets: Vec<ObjRef>,
    /// The signature, `None` while the field is empty.
    pub value: Option<SignatureValue>,
    /// The field's `Lock` dictionary: what signing it forbids.
    pub lock: Option<Dict>,
    /// The field's `SV` dictionary: what it demands of a signature.
    pub seed_value: Option<Dict>,
}

/// A signature dictionary (ISO 32000-2, table 255).
#[derive(Debug, Clone)]
pub struct SignatureValue {
    /// Its reference; `None` where it is written into the field.
    pub id: Option<ObjRef>,
    /// The dictionary.
    pub dict: Dict,
    /// `Type`: `Sig` or `DocTimeStamp`; `Sig` where it is missing.
    pub type_name: String,
    /// `Filter`.
    pub filter: String,
    /// `SubFilter`, for example `ETSI.CAdES.detached`.
    pub sub_filter: String,
    /// `ByteRange` as it is written, unchecked; empty where it is missing or holds no integers.
    pub byte_range: Vec<i64>,
    /// `Contents`, with the padding that follows the CMS.
    pub contents: Vec<u8>,
    /// Where the `Contents` string stands in the file, its `<` and `>` included.
    pub contents_span: Option<Span>,
    /// The signature references (`Reference`).
    pub references: Vec<SignatureReference>,
}

/// A signature reference dictionary (ISO 32000-2, table 256).
#[derive(Debug, Clone)]
pub struct SignatureReference {
    /// `TransformMethod`: `DocMDP`, `FieldMDP`, `UR` ...
    pub method: String,
    /// `TransformParams`.
    pub params: Dict,
}

impl SignatureReference {
    /// The access permissions of a DocMDP transform: 1, 2 or 3; 2 where they are not given.
    pub fn doc_mdp_permission(&self) -> Option<i64> {
        let given = self.params.get("P").and_then(Object::as_int);
        (self.method == "DocMDP").then(|| given.unwrap_or(2))
    }
}

impl SignatureValue {
    /// Whether this is a document timestamp.
    pub fn is_timestamp(&self) -> bool {
        self.type_name == "DocTimeStamp" || self.sub_filter == "ETSI.RFC3161"
    }

    /// A text entry such as `Name`, `Reason`, `Location`, `ContactInfo` or `M`.
    pub fn text(&self, key: &str) -> Option<String> {
        self.dict.get(key)?.as_string().map(|s| s.to_text())
    }

    /// Offset behind the last byte that the ByteRange claims to cover.
    pub fn covered_end(&self) -> Option<u64> {
        match *self.byte_range {
            [.., start, len] => u64::try_from(start).ok()?.checked_add(u64::try_from(len).ok()?),
            _ => None,
        }
    }

    /// The access permissions that a certification signature grants.
    pub fn doc_mdp_permission(&self) -> Option<i64> {
        self.references.iter().find_map(SignatureReference::doc_mdp_permission)
    }
}

/// What fields inherit.
#[derive(Clone, Default)]
struct Inherited {
    name: String,
    field_type: Option<String>,
    value: Object,
    flags: i64,
}

struct Walk<'v, 'd> {
    view: &'v View<'d>,
    seen: HashSet<u32>,
    left: usize,
    found: Vec<FormField>,
}

impl Walk<'_, '_> {
    fn visit(&mut self, object: &Object, above: &Inherited, depth: usize) -> Result<()> {
        let id = object.as_ref();
        self.left =
            self.left.checked_sub(1).ok_or_else(|| PdfError::limit("there are too many fields"))?;
        // A field met twice is a loop or a slip: it counts once.
        if id.is_some_and(|id| !self.seen.insert(id.number)) || depth > MAX_DEPTH {
            return Ok(());
        }
        let Object::Dict(dict) = self.view.resolve(object)? else { return Ok(()) };
        // Names grow from field to field, and what is inherited is copied.
        self.view.copied(above.name.len() + above.value.weight())?;
        let inherited = self.inherit(&dict, above);
        let kids = self.view.lookup_array(&dict, "Kids")?;
        let (fields, widgets): (Vec<_>, Vec<_>) = kids.iter().partition(|kid| self.is_field(kid));
        if fields.is_empty() {
            let mut widgets: Vec<ObjRef> = widgets.into_iter().filter_map(Object::as_ref).collect();
            if widgets.is_empty() && dict.is_name("Subtype", "Widget") {
                widgets.extend(id);
            }
            let Inherited { name, field_type, value, flags } = inherited;
            self.found.push(FormField { name, id, dict, field_type, value, flags, widgets });
            return Ok(());
        }
        fields.into_iter().try_for_each(|kid| self.visit(kid, &inherited, depth + 1))
    }

    /// A kid with a partial name is a field, one without is a widget of its parent (12.7.4.2).
    fn is_field(&self, kid: &Object) -> bool {
        let dict = self.view.resolve(kid).ok();
        dict.as_ref()
            .and_then(Object::as_dict)
            .is_some_and(|d| d.contains("T") || d.contains("Kids"))
    }

    fn inherit(&self, dict: &Dict, above: &Inherited) -> Inherited {
        let get = |key| self.view.lookup(dict, key).unwrap_or_default();
        let name = match get("T") {
            Object::String(part) if above.name.is_empty() => part.to_text(),
            Object::String(part) => format!("{}.{}", above.name, part.to_text()),
            _ => above.name.clone(),
        };
        let field_type = get("FT").as_name().map(|n| n.to_text());
        Inherited {
            name,
            field_type: field_type.or_else(|| above.field_type.clone()),
            value: dict.get("V").unwrap_or(&above.value).clone(),
            flags: get("Ff").as_int().unwrap_or(above.flags),
        }
    }
}

impl<'d> View<'d> {
    /// The terminal fields of the document's form, in the order of the file.
    ///
    /// # Errors
    /// `Corrupt` where the form cannot be read, `Encrypted`, `LimitExceeded`, `Io`.
    pub fn form_fields(&self) -> Result<Vec<FormField>> {
        let Some(form) = self.lookup_dict(&self.catalog()?, "AcroForm")? else {
            return Ok(Vec::new());
        };
        let left = self.inner.raw.limits.fields;
        let mut walk = Walk { view: self, seen: HashSet::new(), left, found: Vec::new() };
        for field in self.lookup_array(&form, "Fields")? {
            walk.visit(&field, &Inherited::default(), 0)?;
        }
        Ok(walk.found)
    }

    /// The signature fields, signed and empty ones, in the order of the file.
    ///
    /// # Errors
    /// As [`View::form_fields`].
    pub fn signature_fields(&self) -> Result<Vec<SignatureField>> {
        let fields = self.form_fields()?.into_iter();
        fields
            .filter(|f| f.field_type.as_deref() == Some("Sig"))
            .map(|f| self.signature(f))
            .collect()
    }

    /// The signature fields that hold a signature, by the end of what each one covers.
    ///
    /// # Errors
    /// As [`View::form_fields`].
    pub fn signatures(&self) -> Result<Vec<SignatureField>> {
        let mut fields = self.signature_fields()?;
        fields.retain(|f| f.value.is_some());
        fields.sort_by_key(|f| f.value.as_ref().and_then(SignatureValue::covered_end));
        Ok(fields)
    }

    fn signature(&self, field: FormField) -> Result<SignatureField> {
        let value = match self.resolve(&field.value)? {
            Object::Dict(dict) => Some(self.signature_value(field.value.as_ref(), dict)?),
            _ => None,
        };
        Ok(SignatureField {
            lock: self.lookup_dict(&field.dict, "Lock")?,
            seed_value: self.lookup_dict(&field.dict, "SV")?,
            name: field.name,
            id: field.id,
            dict: field.dict,
            widgets: field.widgets,
            value,
        })
    }

    /// Reads a signature dictionary that was found by other means than a field.
    ///
    /// # Errors
    /// As [`View::resolve`].
    pub fn signature_value(&self, id: Option<ObjRef>, dict: Dict) -> Result<SignatureValue> {
        let name = |key: &str| -> Result<Option<String>> {
            Ok(self.lookup(&dict, key)?.as_name().map(|n| n.to_text()))
        };
        let range = self.lookup_array(&dict, "ByteRange")?;
        let byte_range: Option<Vec<i64>> = range
            .iter()
            .map(|v| if let Object::Int(value) = v { Some(*value) } else { None })
            .collect();
        let contents = self.lookup(&dict, "Contents")?;
        let is_direct = dict.get("Contents").is_some_and(|c| c.as_string().is_some());
        let span = dict.entry("Contents").and_then(|e| e.span).filter(|_| is_direct);
        Ok(SignatureValue {
            id,
            type_name: name("Type")?.unwrap_or_else(|| "Sig".to_owned()),
            filter: name("Filter")?.unwrap_or_default(),
            sub_filter: name("SubFilter")?.unwrap_or_default(),
            byte_range: byte_range.unwrap_or_default(),
            contents: contents.as_string().map(|s| s.bytes.clone()).unwrap_or_default(),
            contents_span: span,
            references: self.references(&dict)?,
            dict,
        })
    }

    fn references(&self, dict: &Dict) -> Result<Vec<SignatureReference>> {
        let mut references = Vec::new();
        for value in self.lookup_array(dict, "Reference")? {
            let value = self.resolve(&value)?;
            let Some(reference) = value.as_dict() else { continue };
            let method = self.lookup(reference, "TransformMethod")?;
            references.push(SignatureReference {
                method: method.as_name().map(|n| n.to_text()).unwrap_or_default(),
                params: self.lookup_dict(reference, "TransformParams")?.unwrap_or_default(),
            });
        }
        Ok(references)
    }
}
