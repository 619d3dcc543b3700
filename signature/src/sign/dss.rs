//! The document security store (ETSI EN 319 142-1, 5.4; ISO 32000-2, 12.8.4.3).

use std::collections::HashMap;

use sha1::{Digest, Sha1};

use super::appended::Appended;
use crate::pdf::{
    Dict, Document, Limits, ObjRef, Object, PdfError, PdfErrorKind, Result, SharedSource, Update,
    write_hex,
};

/// Certificates and revocation answers are a few kilobytes, lists of revoked ones more.
const MAX_ITEM: usize = 32 << 20;
/// Stored items that are compared with new ones, so that nothing is stored twice.
const MAX_COMPARED: usize = 2000;

/// Certificates and revocation answers.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ValidationData {
    /// Certificates in DER.
    pub certificates: Vec<Vec<u8>>,
    /// Complete OCSP responses (`OCSPResponse`, not `BasicOCSPResponse`) in DER.
    pub ocsp_responses: Vec<Vec<u8>>,
    /// Certificate revocation lists in DER.
    pub crls: Vec<Vec<u8>>,
}

/// Names a signature in the store: SHA-1 over its `Contents`, padding included.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct VriKey([u8; 20]);

impl VriKey {
    /// The key of the signature with these `Contents`, as they stand in the file.
    pub fn of_contents(contents: &[u8]) -> VriKey {
        VriKey(Sha1::digest(contents).into())
    }

    /// The key as it is written in the store: 40 upper-case hexadecimal digits.
    pub fn to_hex(self) -> String {
        let mut text = Vec::new();
        write_hex(&self.0, &mut text);
        String::from_utf8_lossy(&text).into_owned()
    }
}

/// What is put into the store.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct DssContent {
    /// For the document as a whole.
    pub general: ValidationData,
    /// For single signatures; listed for the document as a whole too.
    pub per_signature: Vec<(VriKey, ValidationData)>,
}

/// The three kinds with their names in the store and in a signature's own entry.
const KINDS: [(&str, &str); 3] = [("Certs", "Cert"), ("OCSPs", "OCSP"), ("CRLs", "CRL")];

impl ValidationData {
    fn lists(&self) -> [&[Vec<u8>]; 3] {
        [&self.certificates, &self.ocsp_responses, &self.crls]
    }

    fn is_empty(&self) -> bool {
        self.lists().iter().all(|list| list.is_empty())
    }
}

/// Appends validation data to the document; what its store holds already stays and is not stored
/// a second time. A certification never forbids this (ISO 32000-2, table 257).
///
/// # Errors
/// As the reader reports; `InvalidArgument` when there is nothing to add or an item is no DER
/// sequence.
pub fn add_dss(source: SharedSource, content: &DssContent) -> Result<Appended> {
    check(content)?;
    let document = Document::open_shared(source.clone(), Limits::default())?;
    let mut update = Update::new(&document)?;
    let store = Store::read(&document)?;
    store.write(&mut update, content)?;
    Ok(Appended::new(source, update.finish()?.bytes))
}

fn check(content: &DssContent) -> Result<()> {
    let all =
        || std::iter::once(&content.general).chain(content.per_signature.iter().map(|s| &s.1));
    if all().all(ValidationData::is_empty) {
        return Err(invalid("there is no validation data to add".to_owned()));
    }
    let wrong = all()
        .flat_map(ValidationData::lists)
        .flatten()
        .find(|item| item.first() != Some(&0x30) || item.len() > MAX_ITEM);
    match wrong {
        Some(item) => Err(invalid(format!(
            "an item of {} bytes is no der sequence of at most {MAX_ITEM} bytes",
            item.len()
        ))),
        None => Ok(()),
    }
}

fn invalid(detail: String) -> PdfError {
    PdfError::new(PdfErrorKind::InvalidArgument, detail)
}

/// The store as it is in the document.
struct Store {
    /// The object that holds it; `None` where it is written into the catalog or absent.
    holder: Option<ObjRef>,
    dict: Dict,
    lists: [Vec<Object>; 3],
    known: [HashMap<[u8; 20], ObjRef>; 3],
}

impl Store {
    fn read(document: &Document) -> Result<Store> {
        let view = document.head();
        let catalog = view.catalog()?;
        let dict = view.lookup_dict(&catalog, "DSS")?;
        let holder = catalog.get("DSS").and_then(Object::as_ref).filter(|_| dict.is_some());
        let dict = dict.unwrap_or_default();
        let mut store =
            Store { holder, dict, lists: Default::default(), known: Default::default() };
        let mut compared = MAX_COMPARED;
        for (index, (key, _)) in KINDS.iter().enumerate() {
            let list = view.lookup_array(&store.dict, key)?;
            for item in list.iter().filter_map(Object::as_ref).take(compared) {
                compared -= 1;
                let Ok(Object::Stream(stream)) = view.resolve(&Object::Ref(item)) else { continue };
                let Ok(data) = view.stream_data(&stream, MAX_ITEM) else { continue };
                if let Some(known) = store.known.get_mut(index) {
                    known.insert(Sha1::digest(&data.data).into(), item);
                }
            }
            if let Some(place) = store.lists.get_mut(index) {
                *place = list;
            }
        }
        Ok(store)
    }

    fn write(mut self, update: &mut Update, content: &DssContent) -> Result<()> {
        self.add(update, &content.general)?;
        let mut vri = match self.dict.get("VRI") {
            Some(held) => update.resolve(held)?.as_dict().cloned().unwrap_or_default(),
            None => Dict::new(),
        };
        for (key, data) in &content.per_signature {
            let lists = self.add(update, data)?;
            let held = vri.get(&key.to_hex()).cloned().unwrap_or_default();
            let mut entry = update.resolve(&held)?.as_dict().cloned().unwrap_or_default();
            for ((_, name), list) in KINDS.iter().zip(lists) {
                merge(update, &mut entry, name, list)?;
            }
            let entry = update.add(entry)?;
            vri.set(&key.to_hex(), entry);
        }
        if !vri.is_empty() {
            self.dict.set("VRI", vri);
        }
        for ((key, _), list) in KINDS.iter().zip(self.lists) {
            if !list.is_empty() {
                self.dict.set(key, list);
            }
        }
        match self.holder {
            Some(holder) => update.set(holder, Object::Dict(self.dict)),
            None => {
                let store = update.add(self.dict.with("Type", Object::name("DSS")))?;
                let root = update.document().head().catalog_ref()?;
                update.edit(root, |catalog| catalog.set("DSS", store))?;
            }
        }
        Ok(())
    }

    /// Stores what is new; returns references to all of it.
    fn add(&mut self, update: &mut Update, data: &ValidationData) -> Result<[Vec<Object>; 3]> {
        let mut references: [Vec<Object>; 3] = Default::default();
        let kinds = self.lists.iter_mut().zip(&mut self.known).zip(&mut references);
        for (((list, known), references), items) in kinds.zip(data.lists()) {
            for item in items {
                let digest = Sha1::digest(item).into();
                let id = match known.get(&digest) {
                    Some(id) => *id,
                    None => {
                        let id = update.add_stream(Dict::new(), item)?;
                        list.push(id.into());
                        known.insert(digest, id);
                        id
                    }
                };
                references.push(id.into());
            }
        }
        Ok(references)
    }
}

/// Adds references to a list of an entry, each one once.
fn merge(update: &Update, entry: &mut Dict, name: &str, new: Vec<Object>) -> Result<()> {
    if new.is_empty() {
        return Ok(());
    }
    let held = entry.get(name).map(|h| update.resolve(h)).transpose()?.unwrap_or_default();
    let mut list = held.as_array().map(<[Object]>::to_vec).unwrap_or_default();
    for item in new {
        if !list.contains(&item) {
            list.push(item);
        }
    }
    entry.set(name, list);
    Ok(())
}
