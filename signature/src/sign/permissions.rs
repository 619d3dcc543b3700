//! What earlier signatures allow (ISO 32000-2, 12.8.2).

use crate::pdf::{
    Dict, Object, PdfError, PdfErrorKind, Result, SignatureField, SignatureValue, View,
};

/// The fields that a FieldMDP transform or a `Lock` dictionary locks.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum FieldLock {
    /// All fields.
    All,
    /// These fields.
    Include(Vec<String>),
    /// All fields but these.
    Exclude(Vec<String>),
}

impl FieldLock {
    /// Reads `Action` and `Fields`; `None` for an unknown action.
    ///
    /// # Errors
    /// As [`View::resolve`].
    pub fn read(view: &View<'_>, dict: &Dict) -> Result<Option<FieldLock>> {
        let names = view.lookup_array(dict, "Fields")?;
        let names = names.iter().map(|n| view.resolve(n)).collect::<Result<Vec<_>>>()?;
        let names = names.iter().filter_map(|n| Some(n.as_string()?.to_text())).collect();
        let action = view.lookup(dict, "Action")?.as_name().map(|n| n.to_text());
        Ok(match action.as_deref() {
            Some("All") => Some(FieldLock::All),
            Some("Include") => Some(FieldLock::Include(names)),
            Some("Exclude") => Some(FieldLock::Exclude(names)),
            _ => None,
        })
    }

    /// Number of names it holds.
    pub(crate) fn len(&self) -> usize {
        match self {
            FieldLock::All => 0,
            FieldLock::Include(names) | FieldLock::Exclude(names) => names.len(),
        }
    }

    /// Whether the field of this fully qualified name is locked. A name stands for the fields
    /// below it too.
    pub fn locks(&self, field: &str) -> bool {
        let listed = |names: &[String]| {
            names.iter().any(|name| {
                field
                    .strip_prefix(name.as_str())
                    .is_some_and(|r| r.is_empty() || r.starts_with('.'))
            })
        };
        match self {
            FieldLock::All => true,
            FieldLock::Include(names) => listed(names),
            FieldLock::Exclude(names) => !listed(names),
        }
    }
}

/// What the signatures of a document allow to be changed.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Permissions {
    /// The strictest DocMDP permission (1 to 3), `None` where no signature restricts changes.
    pub doc_mdp: Option<i64>,
    /// The locks of signed fields.
    pub locks: Vec<FieldLock>,
    /// Whether there is a signature at all, timestamps not counted.
    pub is_signed: bool,
    /// Whether the document carries usage rights (`UR`, `UR3`), which any change voids.
    pub has_usage_rights: bool,
}

impl Permissions {
    /// Collects what the signatures of this revision allow.
    ///
    /// # Errors
    /// As [`View::signatures`].
    pub fn read(view: &View<'_>) -> Result<Permissions> {
        let mut found = Permissions::default();
        let perms = view.lookup_dict(&view.catalog()?, "Perms")?.unwrap_or_default();
        found.has_usage_rights = perms.contains("UR3") || perms.contains("UR");
        if let Object::Dict(dict) = view.lookup(&perms, "DocMDP")? {
            found.is_signed = true;
            found.restrict(view.signature_value(None, dict)?.doc_mdp_permission());
        }
        for field in view.signatures()? {
            let Some(value) = field.value else { continue };
            found.is_signed |= !value.is_timestamp();
            for reference in &value.references {
                found.restrict(reference.doc_mdp_permission());
                if reference.method == "FieldMDP" {
                    found.locks.extend(FieldLock::read(view, &reference.params)?);
                }
            }
        }
        Ok(found)
    }

    fn restrict(&mut self, permission: Option<i64>) {
        self.doc_mdp = match (self.doc_mdp, permission) {
            (Some(known), Some(new)) => Some(known.min(new)),
            (known, new) => known.or(new),
        };
    }

    /// Refuses a signature in the field of this name, there already or new, where an earlier
    /// signature forbids it.
    ///
    /// # Errors
    /// `ChangesForbidden`, `FieldLocked`.
    pub fn check_signing(&self, field: &str) -> Result<()> {
        self.check_changes()?;
        if self.locks.iter().any(|lock| lock.locks(field)) {
            return Err(PdfError::new(
                PdfErrorKind::FieldLocked,
                format!(
                    "an earlier signature locks the field {field:?}, and signing it would break \
                     that signature; sign in a field that it leaves open"
                ),
            ));
        }
        Ok(())
    }

    /// Refuses any signature where a certification forbids all changes.
    ///
    /// # Errors
    /// `ChangesForbidden`.
    pub fn check_changes(&self) -> Result<()> {
        if self.doc_mdp.is_some_and(|p| p <= 1) {
            return Err(PdfError::new(
                PdfErrorKind::ChangesForbidden,
                "it was certified with DocMDP permission 1 (no changes); ask its author for a \
                 version that allows signing",
            ));
        }
        Ok(())
    }
}

/// A certification behind an approval signature, in words: it must be the first signature
/// (ISO 32000-2, 12.8.1), and validators disagree about one that is not. The fields stand in the
/// order in which they were signed.
pub(crate) fn late_certification(view: &View<'_>, fields: &[SignatureField]) -> Option<String> {
    let catalog = view.catalog().ok()?;
    let perms = view.lookup_dict(&catalog, "Perms").ok().flatten().unwrap_or_default();
    let named = perms.get("DocMDP").and_then(Object::as_ref);
    let certifies = |field: &SignatureField, value: &SignatureValue| {
        let is_lock = field.lock.as_ref().is_some_and(|lock| lock.contains("P"));
        named.is_some() && value.id == named || value.doc_mdp_permission().is_some() && !is_lock
    };
    let mut approval: Option<&SignatureField> = None;
    for field in fields {
        let Some(value) = field.value.as_ref().filter(|value| !value.is_timestamp()) else {
            continue;
        };
        match approval {
            Some(earlier) if certifies(field, value) => {
                return Some(format!(
                    "{:?} certifies the document after the approval signature {:?}: \
                     a certification must be the first signature",
                    field.name, earlier.name
                ));
            }
            None if !certifies(field, value) => approval = Some(field),
            _ => {}
        }
    }
    None
}
