//! One pass over the pages and what they use.

use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::io::Read;

use super::colorants::Colorants;
use super::{Finding, FindingCode, Severity};
use crate::pdf::{
    Dict, Document, Object, Page, PdfError, PdfErrorKind, Stream, StructureNote, View,
};

/// Objects looked at; a document with more is not looked at completely.
const MAX_OBJECTS: usize = 300_000;
/// Resources nest in forms and patterns; this is generous.
const MAX_DEPTH: usize = 24;
/// Decoded content of all pages together.
const MAX_CONTENT: u64 = 64 << 20;
/// Decoded bytes of one image, and of all together. Damage shows early, and nothing else is looked
/// for in them.
const MAX_IMAGE: u64 = 4 << 20;
const MAX_IMAGES: u64 = 32 << 20;
/// Details named in one message.
const MAX_NAMED: usize = 5;

pub(super) struct Walk<'d> {
    pub(super) document: &'d Document,
    pub(super) view: View<'d>,
    /// Objects that were looked at already.
    seen: HashSet<u32>,
    budget: usize,
    content_left: u64,
    images_left: u64,
    pub(super) colorants: Colorants,
    /// Details by code, each one once.
    details: BTreeMap<FindingCode, BTreeSet<String>>,
    /// Parts that cannot be read, of a document that can.
    damage: BTreeSet<String>,
}

impl<'d> Walk<'d> {
    pub(super) fn new(document: &'d Document) -> Self {
        Walk {
            document,
            view: document.head(),
            seen: HashSet::new(),
            budget: MAX_OBJECTS,
            content_left: MAX_CONTENT,
            images_left: MAX_IMAGES,
            colorants: Colorants::default(),
            details: BTreeMap::new(),
            damage: BTreeSet::new(),
        }
    }

    pub(super) fn note(&mut self, code: FindingCode, detail: impl Into<String>) {
        self.details.entry(code).or_default().insert(detail.into());
    }

    /// Notes a part that cannot be read.
    pub(super) fn damage(&mut self, error: &PdfError) {
        match error.kind() {
            PdfErrorKind::LimitExceeded => self.note(FindingCode::Incomplete, error.to_string()),
            _ => self.note_damage(error.to_string()),
        }
    }

    fn note_damage(&mut self, detail: String) {
        // A hostile file has any number of damaged parts; a few are enough to know.
        if self.damage.len() < 1000 {
            self.damage.insert(detail);
        }
    }

    /// The resolved value; an unreadable one counts as null and is noted.
    pub(super) fn resolve(&mut self, object: &Object) -> Object {
        match self.view.resolve(object) {
            Ok(found) => found,
            Err(error) => {
                self.damage(&error);
                Object::Null
            }
        }
    }

    pub(super) fn get(&mut self, dict: &Dict, key: &str) -> Object {
        dict.get(key).map(|value| self.resolve(value)).unwrap_or_default()
    }

    pub(super) fn dict(&mut self, dict: &Dict, key: &str) -> Dict {
        self.get(dict, key).as_dict().cloned().unwrap_or_default()
    }

    pub(super) fn array(&mut self, dict: &Dict, key: &str) -> Vec<Object> {
        self.get(dict, key).as_array().map(<[Object]>::to_vec).unwrap_or_default()
    }

    pub(super) fn name(&mut self, dict: &Dict, key: &str) -> String {
        self.get(dict, key).as_name().map(|n| n.to_text()).unwrap_or_default()
    }

    /// Whether to look at this object: not twice, and not without end.
    pub(super) fn enter(&mut self, object: &Object, depth: usize) -> bool {
        if let Some(id) = object.as_ref()
            && !self.seen.insert(id.number)
        {
            return false;
        }
        if depth > MAX_DEPTH {
            self.note(FindingCode::Incomplete, "its objects are nested too deeply");
            return false;
        }
        self.spend()
    }

    /// Whether this object was looked at before.
    pub(super) fn was_seen(&self, object: &Object) -> bool {
        object.as_ref().is_some_and(|id| self.seen.contains(&id.number))
    }

    /// Takes one from the number of objects that are looked at.
    pub(super) fn spend(&mut self) -> bool {
        match self.budget.checked_sub(1) {
            Some(left) => {
                self.budget = left;
                true
            }
            None => {
                self.note(FindingCode::Incomplete, "it has more objects than are looked at");
                false
            }
        }
    }

    pub(super) fn run(&mut self) {
        if let Some(encryption) = self.document.encryption() {
            let detail = format!("handler {:?}, version {}", encryption.filter, encryption.version);
            return self.note(FindingCode::Encrypted, detail);
        }
        for note in self.document.structure_notes() {
            if let StructureNote::Rebuilt { reason } = note {
                self.note(FindingCode::Rebuilt, reason.detail().to_owned());
            }
        }
        self.catalog();
        self.pages();
        for name in self.colorants.collisions() {
            self.note(FindingCode::Colorants, format!("{name:?} has different definitions"));
        }
    }

    fn pages(&mut self) {
        let mut count = 0;
        for page in self.view.pages() {
            match page {
                Ok(page) => {
                    count += 1;
                    self.page(&page);
                }
                Err(error) => self.damage(&error),
            }
        }
        match count {
            0 => self.note(FindingCode::Corrupt, "there is no page"),
            1 => self.note(FindingCode::Pages, "1 page"),
            _ => self.note(FindingCode::Pages, format!("{count} pages")),
        }
    }

    fn page(&mut self, page: &Page) {
        let label = format!("page {}", page.index + 1);
        self.resources(&page.resources.clone(), 0);
        self.actions(&page.dict, &label);
        self.annotations(&page.dict, &label);
        let contents = match self.get(&page.dict, "Contents") {
            Object::Array(parts) => parts,
            Object::Null => Vec::new(),
            _ => page.dict.get("Contents").cloned().into_iter().collect(),
        };
        for part in contents {
            self.content(&part, &label);
        }
    }

    /// Decodes a content stream to its end.
    fn content(&mut self, part: &Object, label: &str) {
        if !self.enter(part, 0) {
            return;
        }
        let Object::Stream(stream) = self.resolve(part) else {
            return self.note_damage(format!("the content of {label} is missing"));
        };
        self.decode(&stream, &format!("the content of {label}"));
    }

    /// Decodes a content stream to its end.
    pub(super) fn decode(&mut self, stream: &Stream, what: &str) {
        let read = self.decode_some(stream, what, self.content_left, true);
        self.content_left = self.content_left.saturating_sub(read);
        if self.content_left == 0 {
            self.note(FindingCode::Incomplete, "it holds more content than is looked at");
        }
    }

    /// Decodes the beginning of an image.
    pub(super) fn decode_image(&mut self, stream: &Stream) {
        let most = self.images_left.min(MAX_IMAGE);
        let read = self.decode_some(stream, "an image", most, false);
        self.images_left = self.images_left.saturating_sub(read);
    }

    /// Decodes at most so many bytes. Image filters are nothing a document has to be able to do.
    fn decode_some(&mut self, stream: &Stream, what: &str, most: u64, is_required: bool) -> u64 {
        let reader = match self.view.stream_reader(stream) {
            Ok(reader) => reader,
            Err(error) => {
                if is_required || error.kind() != PdfErrorKind::Unsupported {
                    self.note_damage(format!("{what}: {error}"));
                }
                return 0;
            }
        };
        match std::io::copy(&mut reader.take(most), &mut std::io::sink()) {
            Ok(read) => read,
            Err(error) => {
                match PdfError::from(error) {
                    limit if limit.kind() == PdfErrorKind::LimitExceeded => self.damage(&limit),
                    _ => self.note_damage(format!("{what} is damaged")),
                }
                0
            }
        }
    }

    /// One finding for each code.
    pub(super) fn findings(self) -> Vec<Finding> {
        let details = self.details.into_iter();
        let mut findings: Vec<Finding> =
            details.map(|(code, details)| Finding::new(code, message(code, &details))).collect();
        if !self.damage.is_empty() {
            let text = format!("parts cannot be read: {}", list(&self.damage));
            let finding = Finding::new(FindingCode::Corrupt, text);
            findings.push(Finding { severity: Severity::Warning, ..finding });
        }
        findings
    }
}

fn message(code: FindingCode, details: &BTreeSet<String>) -> String {
    let text = list(details);
    match headline(code) {
        "" => text,
        headline => format!("{headline}: {text}"),
    }
}

/// The first few details, and how many more there are.
fn list(details: &BTreeSet<String>) -> String {
    let named: Vec<&str> = details.iter().take(MAX_NAMED).map(String::as_str).collect();
    let mut text = named.join(", ");
    if details.len() > MAX_NAMED {
        text.push_str(&format!(" and {} more", details.len() - MAX_NAMED));
    }
    text
}

fn headline(code: FindingCode) -> &'static str {
    match code {
        FindingCode::Encrypted => "the document is encrypted",
        FindingCode::DocSigned => "the document is signed",
        FindingCode::EfRemoved => "files are embedded",
        FindingCode::FontSubst => "fonts are not embedded",
        FindingCode::ActionRemoved => "there are interactive elements",
        FindingCode::OcgRemoved => "there is optional content",
        FindingCode::TranspRemoved => "something is transparent",
        FindingCode::XmpRemoved => "the metadata holds schemas of its own",
        FindingCode::Colorants => "colorants collide",
        FindingCode::Rebuilt => "the cross-reference is damaged",
        FindingCode::PdfaClaimed => "the metadata claims",
        FindingCode::Incomplete => "the document was not looked at completely",
        _ => "",
    }
}
