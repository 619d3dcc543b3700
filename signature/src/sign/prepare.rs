//! Putting the update together that a signature or a document timestamp goes into.

use std::ops::Range;

use super::form::{self, Appearance, Target};
use super::options::{Certification, PrepareOptions, TimestampOptions};
use super::permissions::{FieldLock, Permissions};
use super::prepared::{Prepared, SigningNote};
use super::redraw;
use super::seal::{self, Seal};
use super::tags;
use crate::asn1::Time;
use crate::pdf::{
    Dict, Document, Limits, ObjRef, Object, Page, PdfError, PdfErrorKind, PdfString, Rect, Result,
    SharedSource, SignatureField, Update, write_entries,
};

/// The smallest and largest room for a CMS.
const RESERVE: Range<usize> = 512..(4 << 20) + 1;
/// Room for a `ByteRange` of four numbers of up to twelve digits.
const BYTE_RANGE_LEN: usize = 56;

/// Prepares a signature. What is prepared is compared with the document as its verification will:
/// a document that cannot be signed so that it verifies is refused before anybody signs.
///
/// # Errors
/// `Encrypted`, `Corrupt`, `NotPdf`, `LimitExceeded`, `Io` as the reader reports them;
/// `ChangesForbidden` and `FieldLocked` where earlier signatures forbid this one; `FieldUnusable`
/// for a field that cannot be signed; `NotVerifiable`; `PageNotFound` and `SealOutsidePage` for the seal;
/// `InvalidArgument`.
pub fn prepare(source: SharedSource, options: &PrepareOptions) -> Result<Prepared> {
    match put_together(source.clone(), options, true)?.checked() {
        // A form whose request is answered may look different to some readers: it stays, then.
        Err(error) if error.kind() == PdfErrorKind::NotVerifiable && options.seal.is_some() => {
            put_together(source, options, false)?.checked()
        }
        done => done,
    }
}

/// Prepares a signature whether it could verify or not: for tests of documents that were laid out
/// for an attack, whose authors do not ask either.
///
/// # Errors
/// As [`prepare`], without `NotVerifiable`.
#[cfg(feature = "fixtures")]
pub fn prepare_unchecked(source: SharedSource, options: &PrepareOptions) -> Result<Prepared> {
    put_together(source, options, true)
}

fn put_together(
    source: SharedSource,
    options: &PrepareOptions,
    may_redraw: bool,
) -> Result<Prepared> {
    check_reserve(options.reserve)?;
    let document = Document::open_shared(source, Limits::default())?;
    let mut update = Update::new(&document)?;
    let permissions = Permissions::read(&document.head())?;
    let target = form::target(&update, options.field_name.as_deref(), "Signature")?;
    permissions.check_signing(&target.name)?;
    if options.certification.is_some() && permissions.is_signed {
        return Err(PdfError::new(
            PdfErrorKind::ChangesForbidden,
            "a certification must be the first signature, and the document is signed already",
        ));
    }
    let mut notes = form::notes(&update, &target)?;
    if permissions.has_usage_rights {
        notes.push(SigningNote::UsageRights);
    }
    let id = update.reserve()?;
    let widget = place(&mut update, &target, id, options, &mut notes)?;
    if let Some((widget, page)) = widget.filter(|_| !permissions.is_signed) {
        tags::tag(&mut update, widget, page)?;
    }
    if options.seal.is_some() {
        redraw::answer(&mut update, may_redraw && !permissions.is_signed, &mut notes)?;
    }
    if options.certification.is_some() {
        certify(&mut update, id)?;
    }
    let dict = signature_dict(options, &references(&update, &target, options)?);
    finish(update, id, &dict, options.reserve, target.name, notes)
}

/// Prepares a document timestamp (`ETSI.RFC3161`): the digest goes to a timestamp authority, its
/// token is what is embedded.
///
/// # Errors
/// As [`prepare`], except that a certification never forbids timestamps (ISO 32000-2, table 257).
pub fn prepare_timestamp(source: SharedSource, options: &TimestampOptions) -> Result<Prepared> {
    check_reserve(options.reserve)?;
    let document = Document::open_shared(source, Limits::default())?;
    let mut update = Update::new(&document)?;
    let target = form::target(&update, options.field_name.as_deref(), "Timestamp")?;
    let mut notes = form::notes(&update, &target)?;
    let permissions = Permissions::read(&document.head())?;
    if permissions.locks.iter().any(|lock| lock.locks(&target.name)) {
        notes.push(SigningNote::LockedFields);
    }
    let id = update.reserve()?;
    let plain = PrepareOptions::default();
    let widget = place(&mut update, &target, id, &plain, &mut notes)?;
    if let Some((widget, page)) = widget.filter(|_| !permissions.is_signed) {
        tags::tag(&mut update, widget, page)?;
    }
    let dict = Dict::new()
        .with("Type", Object::name("DocTimeStamp"))
        .with("Filter", Object::name("Adobe.PPKLite"))
        .with("SubFilter", Object::name("ETSI.RFC3161"));
    finish(update, id, &dict, options.reserve, target.name, notes)?.checked()
}

fn check_reserve(reserve: usize) -> Result<()> {
    if RESERVE.contains(&reserve) {
        return Ok(());
    }
    Err(PdfError::new(
        PdfErrorKind::InvalidArgument,
        format!("reserve is {reserve} bytes; it must be 512 to {} bytes", RESERVE.end - 1),
    ))
}

/// Puts the signature `id` into its field. Gives a new widget, and the page it is on.
fn place(
    update: &mut Update,
    target: &Target,
    id: ObjRef,
    options: &PrepareOptions,
    notes: &mut Vec<SigningNote>,
) -> Result<Option<(ObjRef, ObjRef)>> {
    if let Some(field) = &target.existing {
        form::fill_field(update, field, id)?;
        return dress_existing(update, field, options, notes).map(|()| None);
    }
    let page = page(update, options.seal.as_ref())?;
    let appearance = match &options.seal {
        Some(seal) => {
            let placed = seal::place(seal, &page)?;
            let form = seal_form(update, seal, options, &placed)?;
            Appearance { rect: placed.rect, form }
        }
        None => Appearance {
            rect: Rect { x0: 0.0, y0: 0.0, x1: 0.0, y1: 0.0 },
            form: update.add_stream(seal::empty_form(), b"")?,
        },
    };
    let widget = form::add_field(update, &target.name, id, &page, &appearance)?;
    Ok(page.id.map(|page| (widget, page)))
}

/// The page of the seal; invisible signatures go to the first page.
fn page(update: &Update, seal: Option<&Seal>) -> Result<Page> {
    let wanted = seal.map_or(0, |s| s.page.saturating_sub(1)) as usize;
    let mut count = 0;
    for page in update.document().pages() {
        let page = page?;
        count = page.index + 1;
        if page.index == wanted {
            return Ok(page);
        }
    }
    Err(PdfError::new(
        PdfErrorKind::PageNotFound,
        format!("page {} was asked for, the document has {count}", wanted + 1),
    ))
}

fn seal_form(
    update: &mut Update,
    seal: &Seal,
    options: &PrepareOptions,
    placed: &seal::Placed,
) -> Result<ObjRef> {
    let lines = seal::lines(seal, options.name.as_deref(), options.reason.as_deref(), options.time);
    let (dict, content) = seal::form(seal, &lines, placed);
    update.add_stream(dict, &content)
}

/// A field that is there keeps its place and its size.
fn dress_existing(
    update: &mut Update,
    field: &SignatureField,
    options: &PrepareOptions,
    notes: &mut Vec<SigningNote>,
) -> Result<()> {
    let Some((widget, rect)) = form::widget_rect(update, field) else {
        if options.seal.is_some() {
            notes.push(SigningNote::SealNotShown);
        }
        return Ok(());
    };
    let form = match &options.seal {
        Some(seal) if !rect.is_empty() => {
            let placed = seal::Placed::in_rect(rect, rotation_of(update, widget));
            seal_form(update, seal, options, &placed)?
        }
        seal => {
            if seal.is_some() {
                notes.push(SigningNote::SealNotShown);
            }
            let has_appearance =
                update.current(widget)?.as_dict().is_some_and(|d| d.contains("AP"));
            if has_appearance {
                return Ok(());
            }
            update.add_stream(seal::empty_form(), b"")?
        }
    };
    form::set_appearance(update, widget, form)
}

/// By how much the page of a widget is turned.
fn rotation_of(update: &Update, widget: ObjRef) -> u16 {
    let view = update.document().head();
    let named = update.current(widget).ok();
    let named = named.as_ref().and_then(|w| w.as_dict()?.get("P")?.as_ref());
    let holds = |page: &Page| match named {
        Some(id) => page.id == Some(id),
        None => view
            .lookup_array(&page.dict, "Annots")
            .is_ok_and(|annots| annots.iter().any(|a| a.as_ref() == Some(widget))),
    };
    view.pages().filter_map(Result::ok).find(holds).map_or(0, |page| page.rotate)
}

fn certify(update: &mut Update, id: ObjRef) -> Result<()> {
    let root = update.document().head().catalog_ref()?;
    let catalog = update.current(root)?;
    let held = catalog.as_dict().and_then(|c| c.get("Perms")).cloned().unwrap_or_default();
    if let Some(perms) = update.holder(&held)?
        && matches!(update.current(perms)?, Object::Dict(_))
    {
        return update.edit(perms, |perms| perms.set("DocMDP", id));
    }
    let mut perms = update.resolve(&held)?.as_dict().cloned().unwrap_or_default();
    perms.set("DocMDP", id);
    update.edit(root, |catalog| catalog.set("Perms", perms))
}

/// The signature references: what this signature forbids.
fn references(update: &Update, target: &Target, options: &PrepareOptions) -> Result<Vec<Object>> {
    let mut references = Vec::new();
    let mut permission = options.certification.map(Certification::permission);
    if let Some(lock) = target.existing.as_ref().and_then(|f| f.lock.as_ref()) {
        let view = update.document().head();
        if let Some(lock) = FieldLock::read(&view, lock)? {
            references.push(reference("FieldMDP", field_mdp(&lock)));
        }
        permission = permission.or(lock.get("P").and_then(Object::as_int));
    }
    if let Some(permission) = permission {
        let params = Dict::new()
            .with("Type", Object::name("TransformParams"))
            .with("P", permission)
            .with("V", Object::name("1.2"));
        references.push(reference("DocMDP", params));
    }
    Ok(references)
}

fn reference(method: &str, params: Dict) -> Object {
    Object::Dict(
        Dict::new()
            .with("Type", Object::name("SigRef"))
            .with("TransformMethod", Object::name(method))
            .with("TransformParams", params),
    )
}

fn field_mdp(lock: &FieldLock) -> Dict {
    let (action, names) = match lock {
        FieldLock::All => ("All", None),
        FieldLock::Include(names) => ("Include", Some(names)),
        FieldLock::Exclude(names) => ("Exclude", Some(names)),
    };
    let mut params = Dict::new()
        .with("Type", Object::name("TransformParams"))
        .with("Action", Object::name(action))
        .with("V", Object::name("1.2"));
    if let Some(names) = names {
        let names = names.iter().map(|n| Object::String(PdfString::text(n)));
        params.set("Fields", names.collect::<Vec<_>>());
    }
    params
}

fn signature_dict(options: &PrepareOptions, references: &[Object]) -> Dict {
    let mut dict = Dict::new()
        .with("Type", Object::name("Sig"))
        .with("Filter", Object::name("Adobe.PPKLite"))
        .with("SubFilter", Object::name(options.sub_filter.name()));
    let texts = [
        ("Name", &options.name),
        ("Reason", &options.reason),
        ("Location", &options.location),
        ("ContactInfo", &options.contact_info),
    ];
    for (key, text) in texts {
        if let Some(text) = text {
            dict.set(key, PdfString::text(text));
        }
    }
    if let Some(time) = options.time {
        dict.set("M", PdfString::literal(date(time)));
    }
    if !references.is_empty() {
        dict.set("Reference", references.to_vec());
    }
    dict
}

/// A date string (ISO 32000-2, 7.9.4) in UTC.
fn date(time: Time) -> String {
    let (year, month, day, hour, minute, second) = time.civil();
    format!("D:{year:04}{month:02}{day:02}{hour:02}{minute:02}{second:02}Z")
}

/// Writes the update with its placeholder and sets the `ByteRange`.
fn finish(
    mut update: Update,
    id: ObjRef,
    dict: &Dict,
    reserve: usize,
    field_name: String,
    notes: Vec<SigningNote>,
) -> Result<Prepared> {
    let mut body = b"<<".to_vec();
    write_entries(dict, &mut body);
    body.extend(b"/ByteRange ");
    let range_at = body.len();
    body.resize(range_at + BYTE_RANGE_LEN, b' ');
    body.extend(b"/Contents ");
    let contents_at = body.len();
    body.push(b'<');
    body.resize(body.len() + reserve * 2, b'0');
    body.push(b'>');
    let contents_end = body.len();
    body.extend(b">>");
    update.set_bytes(id, body);
    let document = update.document();
    let appendix = update.finish()?;
    let start = *appendix
        .bodies
        .get(&id.number)
        .ok_or_else(|| PdfError::corrupt("the signature was not written"))?;
    let contents = start + contents_at..start + contents_end;
    let mut bytes = appendix.bytes;
    let range = byte_range(document.len(), bytes.len(), &contents);
    let text = format!("[{} {} {} {}]", range[0], range[1], range[2], range[3]);
    let place = bytes.get_mut(start + range_at..start + range_at + text.len());
    match place {
        Some(place) if text.len() <= BYTE_RANGE_LEN => place.copy_from_slice(text.as_bytes()),
        _ => return Err(PdfError::limit("the file is too large for a ByteRange")),
    }
    Prepared::new(document.source().clone(), bytes, contents, field_name, notes)
}

/// What a signature covers: everything but the `Contents` string.
pub(super) fn byte_range(base: u64, tail: usize, contents: &Range<usize>) -> [u64; 4] {
    let before = base + contents.start as u64;
    let after = base + contents.end as u64;
    [0, before, after, base + tail as u64 - after]
}
