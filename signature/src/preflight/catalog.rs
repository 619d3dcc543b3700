//! What the catalog tells: signatures, attachments, layers, tags, metadata, forms.

use super::walk::Walk;
use super::{FindingCode, xmp};
use crate::pdf::{Dict, Object};
use crate::sign::{Permissions, late_certification};

/// Metadata larger than this is not looked at.
const MAX_XMP: usize = 4 << 20;
/// Nodes of a name tree that are looked at.
const MAX_NAME_NODES: usize = 2000;

impl Walk<'_> {
    pub(super) fn catalog(&mut self) {
        let catalog = match self.view.catalog() {
            Ok(catalog) => catalog,
            Err(error) => return self.note(FindingCode::Corrupt, error.to_string()),
        };
        self.signatures();
        let names = self.dict(&catalog, "Names");
        if self.has_names(&names, "EmbeddedFiles") {
            self.note(FindingCode::EfRemoved, "listed for the document");
        }
        if names.get("Renditions").is_some_and(|tree| self.holds_file(tree)) {
            self.note(FindingCode::EfRemoved, "played by the document");
        }
        if self.has_names(&names, "JavaScript") {
            self.note(FindingCode::ActionRemoved, "document scripts");
        }
        if !self.array(&catalog, "AF").is_empty() {
            self.note(FindingCode::EfRemoved, "associated with the document");
        }
        if catalog.contains("Collection") {
            self.note(FindingCode::EfRemoved, "the document is a portfolio");
        }
        self.layers(&catalog);
        if self.get(&catalog, "StructTreeRoot").as_dict().is_some() {
            self.note(FindingCode::StructureRemoved, "the document is tagged");
        }
        self.metadata(&catalog);
        self.form(&catalog);
        self.open_action(&catalog);
        self.actions(&catalog, "the document");
    }

    fn signatures(&mut self) {
        match self.view.signatures() {
            Ok(fields) => {
                let late = late_certification(&self.view, &fields);
                for field in &fields {
                    let value = field.value.as_ref();
                    let kind = value.map_or("", |v| v.sub_filter.as_str());
                    self.note(FindingCode::DocSigned, format!("{:?} ({kind})", field.name));
                }
                if let Some(late) = late {
                    self.note(FindingCode::DocSigned, late);
                }
            }
            Err(error) => self.damage(&error),
        }
        let Ok(permissions) = Permissions::read(&self.view) else { return };
        if permissions.is_signed {
            // A certification that no field holds still counts.
            self.note_signed_without_field();
        }
        if permissions.check_changes().is_err() {
            self.note(
                FindingCode::ChangesForbidden,
                "the document was certified and no changes are allowed, not even signing",
            );
        }
    }

    fn note_signed_without_field(&mut self) {
        let empty = self.view.signatures().is_ok_and(|fields| fields.is_empty());
        if empty {
            self.note(FindingCode::DocSigned, "a certification without a field");
        }
    }

    fn layers(&mut self, catalog: &Dict) {
        let layers = self.dict(catalog, "OCProperties");
        let count = self.array(&layers, "OCGs").len();
        if count > 0 {
            let plural = if count == 1 { "" } else { "s" };
            self.note(FindingCode::OcgRemoved, format!("{count} layer{plural}"));
        }
    }

    fn metadata(&mut self, catalog: &Dict) {
        let Object::Stream(stream) = self.get(catalog, "Metadata") else { return };
        let Ok(decoded) = self.view.stream_data(&stream, MAX_XMP) else {
            return self.note(FindingCode::XmpRemoved, "it cannot be read");
        };
        let text = xmp::text(&decoded.data);
        if let Some(claim) = xmp::pdfa_claim(&text) {
            self.note(FindingCode::PdfaClaimed, claim);
        }
        for namespace in xmp::foreign_namespaces(&text) {
            self.note(FindingCode::XmpRemoved, namespace);
        }
    }

    fn form(&mut self, catalog: &Dict) {
        let form = self.dict(catalog, "AcroForm");
        if !self.get(&form, "XFA").is_null() {
            self.note(FindingCode::Xfa, "the document holds an XFA form");
        }
        let fields = match self.view.form_fields() {
            Ok(fields) => fields,
            Err(error) => return self.damage(&error),
        };
        let count = fields.iter().filter(|f| f.field_type.as_deref() != Some("Sig")).count();
        if count > 0 {
            let plural = if count == 1 { "" } else { "s" };
            self.note(FindingCode::ActionRemoved, format!("{count} form field{plural}"));
        }
        for field in &fields {
            self.actions(&field.dict, "a form field");
        }
    }

    fn open_action(&mut self, catalog: &Dict) {
        let action = self.get(catalog, "OpenAction");
        // A destination (an array) or GoTo only chooses what shows first.
        if let Object::Dict(action) = action {
            self.action(&action, "opening the document", 0);
        }
    }

    /// Whether a name tree holds anything.
    fn has_names(&mut self, names: &Dict, key: &str) -> bool {
        let mut left = MAX_NAME_NODES;
        let mut stack: Vec<Object> = names.get(key).cloned().into_iter().collect();
        while let Some(node) = stack.pop() {
            left -= 1;
            if left == 0 {
                self.note(FindingCode::Incomplete, "a name tree is too large");
                return true;
            }
            let Object::Dict(dict) = self.resolve(&node) else { continue };
            if !self.array(&dict, "Names").is_empty() {
                return true;
            }
            let kids = self.array(&dict, "Kids");
            stack.extend(kids.into_iter().take(left));
        }
        false
    }
}
