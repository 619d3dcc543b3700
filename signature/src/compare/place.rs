//! The places of a document: what an object is for, by the path that leads to it.
//!
//! A path begins at the trailer and goes from key to key, through however many objects. The tables
//! below give each path its place; what no line names is [`Place::Other`]. So an object's places
//! say what every path to it is, from end to end.

use std::collections::BTreeMap;
use std::sync::LazyLock;

/// Declares the places, with the list of all of them.
macro_rules! places {
    ($($(#[$doc:meta])* $name:ident,)*) => {
        /// What a path leads to.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
        #[repr(u8)]
        pub(super) enum Place {
            $($(#[$doc])* $name,)*
        }

        const ALL: &[Place] = &[$(Place::$name),*];
    };
}

places! {
    Trailer,
    Catalog,
    Info,
    Metadata,
    Extensions,
    Permissions,
    /// Output intents.
    Intents,
    /// A page, or a node of the page tree: what a node holds is inherited.
    Page,
    PageKids,
    /// The list of a page's annotations.
    Annotations,
    /// An annotation, a form field, or both.
    Field,
    FieldKids,
    Form,
    FormFields,
    /// Fonts and the like of the form.
    FormResources,
    /// The form's other entries.
    FormStyle,
    /// What a field holds: a signature, a text.
    Value,
    /// What an annotation shows, and all that this needs.
    Appearance,
    /// An annotation's other entries.
    Detail,
    Store,
    /// The `VRI` of the document security store.
    Related,
    RelatedEntry,
    EvidenceList,
    Evidence,
    Structure,
    /// The structure's number and name trees.
    Numbers,
    NumberKids,
    /// Content of pages, and all that this needs.
    Drawn,
    Other,
}

use Place::*;

pub(super) const COUNT: usize = ALL.len();

/// An element of an array, among the keys.
const ITEM: &str = "[]";

/// A key and the place it leads to.
type Line = (&'static str, Option<Place>);

/// What the entries of each place are. `None`: a link that leads to something as a whole (an
/// annotation's page) and takes nothing from it.
const ENTRIES: &[(Place, &[Line])] = &[
    (
        Trailer,
        // No PDF reader looks at LibreOffice's copies of what a document was made from.
        &[("Root", Some(Catalog)), ("Info", Some(Info)), ("AdditionalStreams", None)],
    ),
    (
        Catalog,
        &[
            ("Pages", Some(Page)),
            ("AcroForm", Some(Form)),
            ("DSS", Some(Store)),
            ("Extensions", Some(Extensions)),
            ("Perms", Some(Permissions)),
            ("Metadata", Some(Metadata)),
            ("StructTreeRoot", Some(Structure)),
            ("OCProperties", Some(Drawn)),
            ("OutputIntents", Some(Intents)),
        ],
    ),
    (
        Page,
        &[
            ("Kids", Some(PageKids)),
            ("Parent", Some(Page)),
            ("Annots", Some(Annotations)),
            ("Contents", Some(Drawn)),
            ("Resources", Some(Drawn)),
            ("Group", Some(Drawn)),
            ("MediaBox", Some(Drawn)),
            ("CropBox", Some(Drawn)),
            ("BleedBox", Some(Drawn)),
            ("TrimBox", Some(Drawn)),
            ("ArtBox", Some(Drawn)),
            ("BoxColorInfo", Some(Drawn)),
            ("Rotate", Some(Drawn)),
            ("UserUnit", Some(Drawn)),
            ("OutputIntents", Some(Drawn)),
        ],
    ),
    (PageKids, &[(ITEM, Some(Page))]),
    (Annotations, &[(ITEM, Some(Field))]),
    (
        Field,
        &[
            ("AP", Some(Appearance)),
            ("V", Some(Value)),
            ("Kids", Some(FieldKids)),
            ("Parent", Some(Field)),
            ("Popup", Some(Field)),
            ("IRT", Some(Field)),
            ("P", None),
            ("DR", Some(FormResources)),
            ("OC", Some(Drawn)),
            ("A", Some(Other)),
            ("AA", Some(Other)),
            ("PA", Some(Other)),
            ("Dest", Some(Other)),
        ],
    ),
    (FieldKids, &[(ITEM, Some(Field))]),
    (
        Form,
        &[
            ("Fields", Some(FormFields)),
            ("DR", Some(FormResources)),
            ("CO", Some(Other)),
            ("XFA", Some(Other)),
        ],
    ),
    (FormFields, &[(ITEM, Some(Field))]),
    (Permissions, &[]),
    (
        Store,
        &[
            ("Certs", Some(EvidenceList)),
            ("OCSPs", Some(EvidenceList)),
            ("CRLs", Some(EvidenceList)),
            ("VRI", Some(Related)),
        ],
    ),
    (
        RelatedEntry,
        &[
            ("Cert", Some(EvidenceList)),
            ("OCSP", Some(EvidenceList)),
            ("CRL", Some(EvidenceList)),
            ("TS", Some(Evidence)),
            ("TU", Some(Evidence)),
        ],
    ),
    (EvidenceList, &[(ITEM, Some(Evidence))]),
    (
        Structure,
        &[
            ("K", Some(Structure)),
            ("P", Some(Structure)),
            (ITEM, Some(Structure)),
            ("ParentTree", Some(Numbers)),
            ("IDTree", Some(Numbers)),
            ("Pg", None),
            ("Obj", None),
        ],
    ),
    (
        Numbers,
        &[
            ("Kids", Some(NumberKids)),
            ("Nums", Some(Structure)),
            ("Names", Some(Structure)),
            ("Limits", Some(Numbers)),
            (ITEM, Some(Numbers)),
        ],
    ),
    (NumberKids, &[(ITEM, Some(Numbers))]),
];

impl Place {
    /// What an entry that no line names leads to.
    fn default_entry(self, key: Option<&str>) -> Place {
        match self {
            // What lies below belongs to it, however deep.
            Info | Metadata | Extensions | Intents | FormResources | FormStyle | Value
            | Appearance | Detail | Evidence | Drawn | Other => self,
            Trailer | Catalog | Page | Store | RelatedEntry | Structure | Numbers
                if key != Some(ITEM) =>
            {
                Other
            }
            Form if key != Some(ITEM) => FormStyle,
            Field if key != Some(ITEM) => Detail,
            Permissions if key != Some(ITEM) => Value,
            Related if key != Some(ITEM) => RelatedEntry,
            // Shapes that no reader is bound to read in one way.
            _ => Drawn,
        }
    }

    fn entry(self, key: Option<&str>) -> Option<Place> {
        let entries = ENTRIES.iter().find(|(place, _)| *place == self).map(|(_, list)| *list);
        let line = key.and_then(|key| entries?.iter().find(|(name, _)| *name == key));
        line.map_or(Some(self.default_entry(key)), |(_, place)| *place)
    }

    /// What references from here may link to: a page, a field, an element of the structure.
    /// Nothing is taken from what they lead to. Annotations are drawn from what they hold, so
    /// theirs are links only to what is no list.
    pub(super) fn links(self) -> Places {
        match self {
            Other | Info => Places::of(&[Catalog, Page, Field, Form, Structure, Numbers]),
            Detail | Value => Places::of(&[Catalog, Page, Field]),
            _ => Places::NONE,
        }
    }

    /// In words, behind "also".
    pub(super) fn words(self) -> &'static str {
        match self {
            Trailer | Catalog => "the catalog",
            Info => "the document information",
            Metadata => "metadata",
            Extensions => "developer extensions",
            Permissions => "permissions",
            Intents => "output intents",
            Page | PageKids => "a page",
            Annotations => "the annotations of a page",
            Field | FieldKids => "an annotation or a form field",
            Form | FormFields | FormResources | FormStyle => "a part of the form",
            Value => "the value of a field",
            Appearance => "the appearance of an annotation",
            Detail => "a part of an annotation",
            Store | Related | RelatedEntry | EvidenceList | Evidence => {
                "a part of the document security store"
            }
            Structure | Numbers | NumberKids => "a part of the structure tree",
            Drawn => "a part of what pages show",
            Other => "something outside of what signing needs",
        }
    }
}

/// A set of places.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct Places(u32);

impl Places {
    pub(super) const NONE: Places = Places(0);
    /// What a new object may be for, which nothing knew before: anything that rules look at.
    pub(super) const FOR_NEW: Places = Places(!(Places::of(&[Drawn, Other]).0));

    pub(super) const fn of(places: &[Place]) -> Places {
        let mut bits = 0;
        let mut rest = places;
        while let [place, others @ ..] = rest {
            bits |= 1 << *place as u32;
            rest = others;
        }
        Places(bits)
    }

    pub(super) fn contains(self, place: Place) -> bool {
        self.0 & Places::of(&[place]).0 != 0
    }

    pub(super) fn meets(self, other: Places) -> bool {
        self.0 & other.0 != 0
    }

    pub(super) fn is_empty(self) -> bool {
        self.0 == 0
    }

    pub(super) fn with(self, place: Place) -> Places {
        Places(self.0 | Places::of(&[place]).0)
    }

    pub(super) fn without(self, other: Places) -> Places {
        Places(self.0 & !other.0)
    }

    pub(super) fn iter(self) -> impl Iterator<Item = Place> {
        ALL.iter().copied().filter(move |place| self.contains(*place))
    }
}

/// For each place that a path may begin at, the place where it ends. Many paths have the same.
pub(super) type Path = [Option<Place>; COUNT];

/// The path of no key at all.
pub(super) fn here() -> Path {
    path_of(Some)
}

fn path_of(leads: impl Fn(Place) -> Option<Place>) -> Path {
    std::array::from_fn(|index| ALL.get(index).copied().and_then(&leads))
}

/// Where one key leads from each place, by key; the first is for all keys that no line names.
struct Keys {
    numbers: BTreeMap<&'static [u8], usize>,
    paths: Vec<Path>,
}

static KEYS: LazyLock<Keys> = LazyLock::new(|| {
    let named = ENTRIES.iter().flat_map(|(_, entries)| entries.iter().map(|(key, _)| *key));
    let mut numbers = BTreeMap::new();
    let mut paths = vec![path_of(|place| place.entry(None))];
    for key in std::iter::once(ITEM).chain(named) {
        numbers.entry(key.as_bytes()).or_insert_with(|| {
            paths.push(path_of(|place| place.entry(Some(key))));
            paths.len() - 1
        });
    }
    Keys { numbers, paths }
});

/// The number of a key, the same for all that no line names.
pub(super) fn key_number(key: &[u8]) -> usize {
    // A key may be spelled like the sign for elements; it is none.
    if key == ITEM.as_bytes() { 0 } else { KEYS.numbers.get(key).copied().unwrap_or(0) }
}

/// The number that stands for the elements of an array.
pub(super) fn item_number() -> usize {
    KEYS.numbers.get(ITEM.as_bytes()).copied().unwrap_or(0)
}

/// A path that goes on with one key more.
pub(super) fn longer(path: &Path, key: usize) -> Path {
    let next = KEYS.paths.get(key);
    path.map(|place| place.and_then(|place| next.and_then(|next| place.along(next))))
}

impl Place {
    /// Where a path ends that begins here.
    pub(super) fn along(self, path: &Path) -> Option<Place> {
        path.get(self as usize).copied().flatten()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn place(keys: &[&str]) -> Option<Place> {
        let mut path = here();
        for key in keys {
            let number = if *key == ITEM { item_number() } else { key_number(key.as_bytes()) };
            path = longer(&path, number);
        }
        Trailer.along(&path)
    }

    #[test]
    fn paths_lead_to_their_places() {
        for (path, expected) in [
            ("Root", Some(Catalog)),
            ("Root DSS VRI AB Cert []", Some(Evidence)),
            ("Root DSS VRI AB XObject", Some(Other)),
            ("Root Pages Kids [] Kids [] Resources VRI", Some(Drawn)),
            ("Root Pages Kids [] Parent Resources", Some(Drawn)),
            ("Root Pages Kids [] Annots [] AP N Resources Font F1", Some(Appearance)),
            ("Root Pages Kids [] Annots [] P", None),
            ("Root AcroForm Fields [] Kids [] V", Some(Value)),
            ("Root AcroForm DR Font Helv Encoding", Some(FormResources)),
            ("Root AcroForm NeedAppearances", Some(FormStyle)),
            ("Root Outlines First Dest []", Some(Other)),
            ("Root StructTreeRoot K [] Pg", None),
            ("Root StructTreeRoot ParentTree Kids [] Nums [] K", Some(Structure)),
            ("Info Producer", Some(Info)),
            ("Root OCProperties D", Some(Drawn)),
            // Shapes that readers may take in different ways.
            ("Root Pages Annots [] []", Some(Drawn)),
            ("Root Pages Unheard Of", Some(Other)),
            ("Root DSS []", Some(Drawn)),
        ] {
            let keys: Vec<&str> = path.split(' ').collect();
            assert_eq!(place(&keys), expected, "{path}");
        }
        assert_eq!(place(&["Root", "x"]), Some(Other));
    }

    #[test]
    fn every_place_has_its_number_and_words() {
        for (index, place) in ALL.iter().copied().enumerate() {
            assert_eq!(place as usize, index);
            assert!(!place.words().is_empty());
            assert_eq!(Places::of(&[place]).iter().collect::<Vec<_>>(), [place]);
        }
        assert!(!Places::FOR_NEW.contains(Drawn) && Places::FOR_NEW.contains(Evidence));
        assert_eq!(key_number(b"[]"), key_number(b"unheard of"));
    }
}
