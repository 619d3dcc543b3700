//! One pass over the objects that the comparison starts from.
//!
//! It finds out what a look at the changed objects alone cannot tell: whether an object of the base
//! reads bytes that were appended later, where the base refers to numbers that an update defines,
//! and by which paths each object is reached. That unmasks documents that were laid out for an
//! attack: a page whose content names an object that does not exist yet, or a content stream that
//! is listed as metadata too, so that replacing it seems harmless.

use std::cell::Cell;
use std::collections::{BTreeMap, HashMap, HashSet};

use super::place::{Place, Places};
use super::reach::Reach;
use crate::pdf::{
    Dict, DictEntry, Location, ObjRef, Object, PdfError, PdfErrorKind, Result, Stream, View,
};

/// Uses of one number beyond this are not kept; their number is.
const MAX_USES: usize = 32;
const MAX_DEPTH: usize = 100;
/// Beyond this the style of the form counts as in use.
const MAX_LOOKS: usize = 20_000;

/// What readers draw from.
const SHOWN: Places = Places::of(&[
    Place::Page,
    Place::PageKids,
    Place::Annotations,
    Place::Field,
    Place::Appearance,
    Place::Detail,
    Place::FormResources,
    Place::Drawn,
]);

/// Where a number is referred to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Use {
    /// The object that holds the reference; `None` for the trailer.
    pub(super) from: Option<ObjRef>,
    /// Keys from that object down to the reference, arrays left out: `AP/N`.
    pub(super) path: String,
}

/// Uses of the numbers of interest.
#[derive(Debug, Default)]
pub(super) struct Uses {
    interest: HashSet<u32>,
    found: HashMap<u32, Vec<Use>>,
    /// Object streams that objects of the base lie in, or are said to lie in.
    containers: HashSet<u32>,
    reach: Reach,
    /// What updates defined and nothing reaches so far.
    pub(super) idle: BTreeMap<u32, (ObjRef, Object)>,
    /// Objects that hold something which readers may draw in the form's style.
    styled: Vec<u32>,
    /// Objects that cannot be read; other readers may manage to.
    unread: Vec<u32>,
    /// Appearances and objects that were looked into for the form's style, in all revisions.
    looks: Cell<usize>,
}

impl Uses {
    pub(super) fn new(interest: HashSet<u32>) -> Self {
        Uses { interest, ..Uses::default() }
    }

    /// The known uses of a number.
    pub(super) fn of(&self, number: u32) -> &[Use] {
        self.found.get(&number).map_or(&[], Vec::as_slice)
    }

    /// Whether objects are said to lie in the object stream of this number.
    pub(super) fn is_container(&self, number: u32) -> bool {
        self.containers.contains(&number)
    }

    /// Whether every use of the number is acceptable to `accept`.
    pub(super) fn all(&self, number: u32, accept: impl Fn(&Use) -> bool) -> bool {
        let uses = self.of(number);
        uses.len() < MAX_USES && uses.iter().all(accept)
    }

    /// Notes the references inside a value.
    pub(super) fn add(&mut self, from: Option<ObjRef>, object: &Object) {
        if self.interest.is_empty() {
            return;
        }
        let mut path = Vec::new();
        self.walk(from, object, &mut path);
        self.reach.add(from.map(|id| id.number), object);
    }

    pub(super) fn add_dict(&mut self, from: Option<ObjRef>, dict: &Dict) {
        if self.interest.is_empty() {
            return;
        }
        let mut path = Vec::new();
        self.walk_dict(from, dict, &mut path);
        self.reach.add_dict(from.map(|id| id.number), dict);
    }

    /// To be called when all objects of a revision were noted.
    pub(super) fn settle(&mut self) {
        self.reach.settle();
    }

    /// What every path to an object leads to.
    pub(super) fn places(&self, number: u32) -> Places {
        self.reach.places(number)
    }

    /// Whether more references were met than are kept.
    pub(super) fn is_overfull(&self) -> bool {
        self.reach.is_overfull()
    }

    /// Whether something that is drawn cannot be read: what it refers to is unknown.
    pub(super) fn is_blind(&self) -> bool {
        self.unread.iter().any(|number| self.places(*number).meets(SHOWN))
    }

    /// Counts a look into something for the form's style; `false` when there were too many.
    pub(super) fn may_look(&self) -> bool {
        self.looks.set(self.looks.get() + 1);
        self.looks.get() <= MAX_LOOKS
    }

    /// Objects that are in use and hold something which readers may draw in the form's style.
    pub(super) fn styled(&self) -> impl Iterator<Item = u32> {
        self.styled.iter().copied().filter(|number| !self.places(*number).is_empty())
    }

    pub(super) fn add_location(&mut self, location: Location) {
        if let Location::InStream { container, .. } = location {
            self.containers.insert(container);
        }
    }

    fn walk<'o>(&mut self, from: Option<ObjRef>, object: &'o Object, path: &mut Vec<&'o [u8]>) {
        match object {
            Object::Ref(target) if self.interest.contains(&target.number) => {
                let parts: Vec<_> = path.iter().map(|part| String::from_utf8_lossy(part)).collect();
                let found = Use { from, path: parts.join("/") };
                let uses = self.found.entry(target.number).or_default();
                if uses.len() < MAX_USES && !uses.contains(&found) {
                    uses.push(found);
                }
            }
            Object::Array(values) if path.len() < MAX_DEPTH => {
                values.iter().for_each(|value| self.walk(from, value, path));
            }
            Object::Dict(dict) => self.walk_dict(from, dict, path),
            Object::Stream(stream) => self.walk_dict(from, &stream.dict, path),
            _ => {}
        }
    }

    fn walk_dict<'o>(&mut self, from: Option<ObjRef>, dict: &'o Dict, path: &mut Vec<&'o [u8]>) {
        if path.len() >= MAX_DEPTH {
            return;
        }
        for entry in dict.iter() {
            if takes_style(entry)
                && let Some(id) = from
                && self.styled.last() != Some(&id.number)
            {
                self.styled.push(id.number);
            }
            path.push(entry.key.as_bytes());
            self.walk(from, &entry.value, path);
            path.pop();
        }
    }
}

/// Whether an entry says that its dictionary may be drawn with fonts and settings of the form: it
/// is a field, or has text of its own.
pub(super) fn takes_style(entry: &DictEntry) -> bool {
    match entry.key.as_bytes() {
        b"DA" => true,
        b"FT" => entry.value.as_name().is_none_or(|kind| *kind != "Sig"),
        b"Subtype" => match &entry.value {
            Object::Name(kind) => ["Widget", "FreeText", "Redact"].iter().any(|k| *kind == *k),
            _ => true,
        },
        _ => false,
    }
}

/// What the pass found wrong.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Reaching {
    pub(super) id: ObjRef,
    pub(super) detail: String,
}

/// Reads every object of `view`, which ends at `end`, and notes uses. `is_of_base` says whether
/// an object stands as it did in the base.
///
/// # Errors
/// `LimitExceeded` or `Io`; objects that cannot be read for another reason are passed over, as
/// they were unreadable before too.
pub(super) fn scan(
    view: &View<'_>,
    end: u64,
    is_of_base: &dyn Fn(ObjRef, Location) -> bool,
    uses: &mut Uses,
) -> Result<Vec<Reaching>> {
    let mut reaching = Vec::new();
    let mut note = |id, detail: &str| {
        if reaching.len() < MAX_USES {
            reaching.push(Reaching { id, detail: detail.to_owned() });
        }
    };
    uses.add_dict(None, view.trailer());
    for (id, location) in view.locations_as_stored() {
        if location == Location::Free || !is_of_base(id, location) {
            continue;
        }
        uses.add_location(location);
        if matches!(location, Location::At { offset } if offset >= end) {
            note(id, "the cross-reference puts it behind the end of its revision");
            continue;
        }
        let found = match view.get(id) {
            Ok(found) => found,
            Err(error) if error.kind() == PdfErrorKind::LimitExceeded => return Err(error),
            Err(error) if error.kind() == PdfErrorKind::Io => return Err(error),
            Err(error) => {
                uses.unread.push(id.number);
                if has_no_end(location, &error) {
                    note(id, "it has no end within its revision: readers go on in later bytes");
                }
                continue;
            }
        };
        if found.span.is_some_and(|span| span.end > end) || claims_more(view, &found.object, end) {
            note(id, "it reaches behind the end of its revision, into bytes added later");
        }
        uses.add(Some(id), &found.object);
    }
    Ok(reaching)
}

/// Whether an object begins where it should, but does not end: some readers take what follows for
/// a part of it, even when that was appended later.
fn has_no_end(location: Location, error: &PdfError) -> bool {
    let begins = !error.detail().contains("no object begins here")
        && !error.detail().contains("is not where the cross-reference puts it");
    matches!(location, Location::At { .. }) && begins
}

/// Whether a stream says to be longer than its revision. Our reader does not follow it there,
/// others do.
pub(super) fn claims_more(view: &View<'_>, object: &Object, end: u64) -> bool {
    let Some(stream) = object.as_stream() else { return false };
    claimed_length(view, stream)
        .is_some_and(|length| stream.data.start.saturating_add(length) > end)
}

/// Whether a stream is as long as it says.
pub(super) fn says_its_length(view: &View<'_>, object: &Object) -> bool {
    object.as_stream().is_none_or(|s| claimed_length(view, s) == Some(s.data.len()))
}

fn claimed_length(view: &View<'_>, stream: &Stream) -> Option<u64> {
    let length = view.lookup(&stream.dict, "Length").ok()?.as_int()?;
    u64::try_from(length).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn uses_name_the_path_to_the_reference() {
        let target = Object::Ref(ObjRef::new(7, 0));
        let inner = Dict::new().with("N", vec![target.clone()]).with("D", ObjRef::new(8, 0));
        let dict = Dict::new().with("AP", inner).with("Metadata", target);
        let mut uses = Uses::new(HashSet::from([7]));
        uses.add(Some(ObjRef::new(1, 0)), &Object::Dict(dict));
        let paths: Vec<&str> = uses.of(7).iter().map(|u| u.path.as_str()).collect();
        assert_eq!(paths, ["AP/N", "Metadata"]);
        assert!(uses.of(8).is_empty());
        assert!(uses.all(7, |u| u.from == Some(ObjRef::new(1, 0))));
        assert!(!uses.all(7, |u| u.path == "AP/N"));
    }

    #[test]
    fn too_many_uses_are_never_acceptable() {
        let mut uses = Uses::new(HashSet::from([7]));
        for number in 1..40 {
            uses.add(Some(ObjRef::new(number, 0)), &Object::Ref(ObjRef::new(7, 0)));
        }
        assert!(!uses.all(7, |_| true));
    }
}
