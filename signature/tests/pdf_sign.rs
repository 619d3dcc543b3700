//! What preparing, embedding and the validation store promise.
#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::panic,
    reason = "test code; helpers count as outside of tests"
)]

use std::sync::Arc;

use bytes::Bytes;
use signdoc_signature::asn1::Time;
use signdoc_signature::crypto::HashAlgorithm;
use signdoc_signature::fixtures::{self, PdfBuilder, Structure};
use signdoc_signature::pdf::{
    Dict, Document, ObjRef, Object, PdfErrorKind, Result, SharedSource, SignatureField,
};
use signdoc_signature::sign::{
    Certification, DssContent, PrepareOptions, Prepared, Seal, SealFit, SigningNote, SubFilter,
    TimestampOptions, ValidationData, VriKey, add_dss, prepare, prepare_timestamp,
};

const CMS: [u8; 4] = [0x30, 2, 5, 0];

fn shared(bytes: &[u8]) -> SharedSource {
    Arc::new(Bytes::copy_from_slice(bytes))
}

fn sign(bytes: &[u8], options: &PrepareOptions) -> Result<Vec<u8>> {
    let mut out = Vec::new();
    prepare(shared(bytes), options)?.embed(&CMS, &mut out)?;
    Ok(out)
}

fn small() -> PrepareOptions {
    PrepareOptions { reserve: 512, ..PrepareOptions::default() }
}

fn in_field(name: &str) -> PrepareOptions {
    PrepareOptions { field_name: Some(name.to_owned()), ..small() }
}

fn open(bytes: &[u8]) -> Document {
    Document::from_bytes(bytes.to_vec()).unwrap()
}

fn only_signature(document: &Document) -> SignatureField {
    let mut all = document.signatures().unwrap();
    assert_eq!(all.len(), 1);
    all.remove(0)
}

fn widget(document: &Document, field: &SignatureField) -> Dict {
    document.get(field.widgets[0]).unwrap().object.as_dict().unwrap().clone()
}

#[test]
fn the_signature_dictionary_says_what_was_asked() {
    let options = PrepareOptions {
        reason: Some("Lån (100 %)".to_owned()),
        location: Some("Tromsø".to_owned()),
        name: Some("Čáhppe Nordmann".to_owned()),
        contact_info: Some("+47".to_owned()),
        time: Some(Time::from_unix(1_700_000_000)),
        ..small()
    };
    let document = open(&sign(&fixtures::simple(), &options).unwrap());
    let value = only_signature(&document).value.unwrap();
    assert_eq!(value.text("Reason").as_deref(), Some("Lån (100 %)"));
    assert_eq!(value.text("Location").as_deref(), Some("Tromsø"));
    assert_eq!(value.text("Name").as_deref(), Some("Čáhppe Nordmann"));
    assert_eq!(value.text("ContactInfo").as_deref(), Some("+47"));
    assert_eq!(value.text("M").as_deref(), Some("D:20231114221320Z"));
    assert_eq!(
        (value.filter.as_str(), value.sub_filter.as_str()),
        ("Adobe.PPKLite", "ETSI.CAdES.detached")
    );
    assert!(!value.is_timestamp() && !value.dict.has_repeated_keys());
    let old = PrepareOptions { sub_filter: SubFilter::AdbePkcs7Detached, ..small() };
    let document = open(&sign(&fixtures::simple(), &old).unwrap());
    let value = only_signature(&document).value.unwrap();
    assert_eq!(value.sub_filter, "adbe.pkcs7.detached");
    assert_eq!(value.text("M"), None);
}

#[test]
fn the_range_covers_everything_but_the_contents() {
    let prepared = prepare(shared(&fixtures::simple()), &small()).unwrap();
    let mut out = Vec::new();
    let len = prepared.embed(&CMS, &mut out).unwrap();
    assert_eq!((len, prepared.signed_len()), (out.len() as u64, out.len() as u64));
    let [start, first, second, last] = prepared.byte_range().map(|v| v as usize);
    assert_eq!((start, second + last), (0, out.len()));
    assert_eq!((out[first], out[second - 1]), (b'<', b'>'));
    assert_eq!(second - first, 2 + 2 * 512);
    let signed = [&out[..first], &out[second..]].concat();
    for hash in [HashAlgorithm::Sha256, HashAlgorithm::Sha384, HashAlgorithm::Sha512] {
        assert_eq!(prepared.digest(hash).unwrap(), hash.digest(&signed));
    }
    assert_eq!(&out[fixtures::simple().len()..], prepared.appendix(&CMS).unwrap());
}

#[test]
fn a_widget_is_printed_locked_and_has_an_appearance() {
    for seal in [None, Some(Seal::default())] {
        let is_visible = seal.is_some();
        let options = PrepareOptions { seal, ..small() };
        let document = open(&sign(&fixtures::simple(), &options).unwrap());
        let field = only_signature(&document);
        let widget = widget(&document, &field);
        assert_eq!(widget.get("F"), Some(&Object::Int(132)));
        let rect = document.head().rect(&widget, "Rect").unwrap();
        assert_eq!(rect.is_empty(), !is_visible);
        let look = document.lookup(&widget, "AP").unwrap();
        let form = document.lookup(look.as_dict().unwrap(), "N").unwrap();
        let stream = form.as_stream().unwrap();
        assert!(stream.dict.is_name("Subtype", "Form"));
        let content = document.stream_data(stream, 1 << 20).unwrap().data;
        assert_eq!(content.is_empty(), !is_visible);
        let resources = document.lookup(&stream.dict, "Resources").unwrap();
        assert!(!resources.as_dict().unwrap().contains("Font"));
        let page = document.pages().next().unwrap().unwrap();
        let annots = document.head().lookup_array(&page.dict, "Annots").unwrap();
        assert_eq!(annots, [Object::Ref(field.id.unwrap())]);
        let form = document.head().lookup_dict(&document.catalog().unwrap(), "AcroForm").unwrap();
        assert_eq!(form.unwrap().get("SigFlags"), Some(&Object::Int(3)));
    }
}

#[test]
fn forms_of_every_shape_take_the_field() {
    let forms = [
        ("direct", "/AcroForm<</Fields[5 0 R]/DA(/H 0 Tf)>>", None),
        ("indirect", "/AcroForm 6 0 R", Some("<</Fields[5 0 R]/SigFlags 1>>")),
        ("direct, fields indirect", "/AcroForm<</Fields 6 0 R>>", Some("[5 0 R]")),
        ("without fields", "/AcroForm<</DR<<>>>>", None),
        ("null", "/AcroForm null", None),
        ("dangling", "/AcroForm 99 0 R", None),
    ];
    for (name, catalog, sixth) in forms {
        for structure in [Structure::Table, Structure::ObjectStreams] {
            let mut pdf = PdfBuilder::new().catalog(catalog).raw();
            pdf.object("<</T(old)/FT/Tx/Type/Annot/Subtype/Widget/Rect[0 0 1 1]>>");
            if let Some(body) = sixth {
                pdf.object(body);
            }
            let file = pdf.build(structure);
            let before = open(&file).head().form_fields().unwrap().len();
            let mut signed = sign(&file, &small()).unwrap();
            signed = sign(&signed, &small()).unwrap();
            let document = open(&signed);
            let names: Vec<String> =
                document.head().form_fields().unwrap().into_iter().map(|f| f.name).collect();
            assert_eq!(names.len(), before + 2, "{name}");
            assert!(names.ends_with(&["Signature1".to_owned(), "Signature2".to_owned()]), "{name}");
            let form = document.head().lookup_dict(&document.catalog().unwrap(), "AcroForm");
            let form = form.unwrap().unwrap();
            assert_eq!(form.get("SigFlags"), Some(&Object::Int(3)), "{name}");
            assert_eq!(form.contains("DA"), name == "direct", "{name}");
        }
    }
}

#[test]
fn an_indirect_list_is_changed_in_place_and_generations_are_kept() {
    let mut pdf = PdfBuilder::new().page_entries("/MediaBox[0 0 300 300]/Annots 5 0 R").raw();
    pdf.object("[]");
    let signed = sign(&pdf.build(Structure::Table), &small()).unwrap();
    let document = open(&signed);
    let changes: Vec<u32> =
        document.changes(&document.revisions()[1]).map(|c| c.id.number).collect();
    // Catalog (new form), list of annotations; neither the page nor its content.
    assert_eq!(changes.iter().filter(|n| **n <= 5).copied().collect::<Vec<_>>(), [1, 5]);

    let plain = String::from_utf8_lossy(&fixtures::simple()).into_owned();
    assert!(plain.contains("0 obj"));
    let bytes = fixtures::simple();
    let text: Vec<u8> = replace(&bytes, b"3 0 obj", b"3 7 obj");
    let text = replace(&text, b"3 0 R", b"3 7 R");
    let at = memchr::memmem::find(&text, b"xref\n0").unwrap();
    let row = at + "xref\n0 5\n".len() + 3 * 20 + 11;
    let mut file = text.clone();
    file[row..row + 5].copy_from_slice(b"00007");
    let document = open(&sign(&file, &small()).unwrap());
    assert!(!document.is_rebuilt());
    let page = document.pages().next().unwrap().unwrap();
    assert_eq!(page.id, Some(ObjRef::new(3, 7)));
    assert!(page.dict.contains("Annots"));
}

fn replace(bytes: &[u8], from: &[u8], to: &[u8]) -> Vec<u8> {
    let at = memchr::memmem::find(bytes, from).unwrap();
    [&bytes[..at], to, &bytes[at + from.len()..]].concat()
}

#[test]
fn an_empty_field_is_filled_in_place() {
    let rect = [50.0, 100.0, 250.0, 160.0];
    let base = PdfBuilder::new().signature_field("Buyer", rect, "").build();
    let options = PrepareOptions { seal: Some(Seal::default()), ..in_field("Buyer") };
    let prepared = prepare(shared(&base), &options).unwrap();
    assert!(prepared.notes().is_empty());
    let document = open(&sign(&base, &options).unwrap());
    let field = only_signature(&document);
    let widget = widget(&document, &field);
    assert_eq!(document.head().rect(&widget, "Rect").unwrap().x0, 50.0);
    assert!(widget.contains("AP"));
    assert_eq!(document.head().form_fields().unwrap().len(), 1);

    // Without an area there is nothing to draw in.
    let flat = PdfBuilder::new().signature_field("Buyer", [0.0; 4], "").build();
    let prepared = prepare(shared(&flat), &options).unwrap();
    assert_eq!(prepared.notes(), [SigningNote::SealNotShown]);
}

#[test]
fn unusable_field_names_are_refused() {
    let base = PdfBuilder::new()
        .text_field("amount")
        .signature_field("Buyer", [0.0, 0.0, 9.0, 9.0], "")
        .build();
    let signed = sign(&base, &in_field("Buyer")).unwrap();
    for (file, name, kind) in [
        (&base, "amount", PdfErrorKind::FieldUnusable),
        (&signed, "Buyer", PdfErrorKind::FieldUnusable),
        (&base, "a.b", PdfErrorKind::InvalidArgument),
        (&base, "", PdfErrorKind::InvalidArgument),
    ] {
        let error = sign(file, &in_field(name)).unwrap_err();
        assert_eq!(error.kind(), kind, "{name}: {error}");
    }
    assert!(sign(&base, &in_field("Æ (new)")).is_ok());
}

#[test]
fn locks_of_earlier_signatures_hold() {
    let lock = "/Lock<</Type/SigFieldLock/Action/Include/Fields[(Seller)(amount)]>>";
    let base = PdfBuilder::new()
        .text_field("amount")
        .signature_field("Buyer", [0.0, 0.0, 9.0, 9.0], lock)
        .signature_field("Seller", [0.0, 0.0, 9.0, 9.0], "")
        .signature_field("Witness", [0.0, 0.0, 9.0, 9.0], "")
        .build();
    let signed = sign(&base, &in_field("Buyer")).unwrap();
    let value = only_signature(&open(&signed)).value.unwrap();
    assert_eq!(value.references[0].method, "FieldMDP");
    let error = sign(&signed, &in_field("Seller")).unwrap_err();
    assert_eq!(error.kind(), PdfErrorKind::FieldLocked);
    assert!(sign(&signed, &in_field("Witness")).is_ok());
    assert!(prepare(shared(&signed), &small()).unwrap().notes().is_empty());

    let all = PdfBuilder::new()
        .signature_field("Buyer", [0.0, 0.0, 9.0, 9.0], "/Lock<</Action/All>>")
        .build();
    let signed = sign(&all, &in_field("Buyer")).unwrap();
    assert_eq!(sign(&signed, &small()).unwrap_err().kind(), PdfErrorKind::FieldLocked);
    let stamp = prepare_timestamp(shared(&signed), &TimestampOptions::default()).unwrap();
    assert_eq!(stamp.notes(), [SigningNote::LockedFields]);

    let last = "/Lock<</Action/All/P 1>>";
    let base = PdfBuilder::new().signature_field("Buyer", [0.0, 0.0, 9.0, 9.0], last).build();
    let signed = sign(&base, &in_field("Buyer")).unwrap();
    let error = sign(&signed, &small()).unwrap_err();
    assert_eq!(error.kind(), PdfErrorKind::ChangesForbidden);
}

#[test]
fn certifications_are_first_and_are_obeyed() {
    let certify = |certification| PrepareOptions { certification: Some(certification), ..small() };
    for (level, permission) in [
        (Certification::NoChanges, 1),
        (Certification::FormFilling, 2),
        (Certification::Annotations, 3),
    ] {
        let signed = sign(&fixtures::simple(), &certify(level)).unwrap();
        let document = open(&signed);
        let value = only_signature(&document).value.unwrap();
        assert_eq!(value.doc_mdp_permission(), Some(permission));
        let catalog = document.catalog().unwrap();
        let perms = document.head().lookup_dict(&catalog, "Perms").unwrap().unwrap();
        assert_eq!(perms.get("DocMDP").and_then(Object::as_ref), value.id);
        let second = sign(&signed, &small());
        match level {
            Certification::NoChanges => {
                assert_eq!(second.unwrap_err().kind(), PdfErrorKind::ChangesForbidden);
            }
            _ => assert!(second.is_ok()),
        }
        let again = sign(&signed, &certify(level)).unwrap_err();
        assert_eq!(again.kind(), PdfErrorKind::ChangesForbidden);
        // Validation data and timestamps are always allowed.
        let data = ValidationData { certificates: vec![CMS.to_vec()], ..Default::default() };
        let content = DssContent { general: data, per_signature: Vec::new() };
        assert!(add_dss(shared(&signed), &content).is_ok());
        assert!(prepare_timestamp(shared(&signed), &TimestampOptions::default()).is_ok());
    }
    let signed = sign(&fixtures::simple(), &small()).unwrap();
    let late = sign(&signed, &certify(Certification::FormFilling)).unwrap_err();
    assert_eq!(late.kind(), PdfErrorKind::ChangesForbidden);
}

#[test]
fn the_room_for_the_signature_is_kept() {
    let prepared = prepare(shared(&fixtures::simple()), &small()).unwrap();
    assert_eq!(prepared.reserve(), 512);
    assert!(prepared.appendix(&[0x30; 512]).is_ok());
    let error = prepared.appendix(&[0x30; 513]).unwrap_err();
    assert_eq!(error.kind(), PdfErrorKind::PlaceholderTooSmall);
    assert!(error.to_string().contains("513") && error.to_string().contains("512"), "{error}");
    assert_eq!(prepared.appendix(&[]).unwrap_err().kind(), PdfErrorKind::InvalidArgument);
    for reserve in [0, 511, (4 << 20) + 1] {
        let error = sign(&fixtures::simple(), &PrepareOptions { reserve, ..small() }).unwrap_err();
        assert_eq!(error.kind(), PdfErrorKind::InvalidArgument);
    }
}

#[test]
fn a_saved_state_belongs_to_its_document() {
    let prepared = prepare(shared(&fixtures::simple()), &small()).unwrap();
    let state = prepared.to_state().unwrap();
    let json: serde_json::Value = serde_json::from_str(&state).unwrap();
    assert_eq!(json["version"], 1);
    let again = Prepared::from_state(&state, shared(&fixtures::simple())).unwrap();
    assert_eq!(again.appendix(&CMS).unwrap(), prepared.appendix(&CMS).unwrap());
    let mut other = fixtures::simple();
    other[20] ^= 1;
    let longer = PdfBuilder::new().pages(2).build();
    for file in [other, longer] {
        let error = Prepared::from_state(&state, shared(&file)).unwrap_err();
        assert_eq!(error.kind(), PdfErrorKind::StateMismatch);
    }
    for (from, to) in [
        ("\"version\":1", "\"version\":2"),
        ("\"start\":", "\"start\":1"),
        ("\"end\":", "\"end\":9"),
        ("\"update\":\"", "\"update\":\"!"),
        ("{", ""),
    ] {
        let changed = state.replacen(from, to, 1);
        assert_ne!(changed, state);
        let result = Prepared::from_state(&changed, shared(&fixtures::simple()));
        assert_eq!(result.unwrap_err().kind(), PdfErrorKind::StateMismatch, "{from}");
    }
}

#[test]
fn seals_outside_the_page_and_missing_pages_are_refused() {
    let with =
        |seal: Seal| sign(&fixtures::simple(), &PrepareOptions { seal: Some(seal), ..small() });
    let outside = Seal { x: 500.0, ..Seal::default() };
    assert_eq!(with(outside.clone()).unwrap_err().kind(), PdfErrorKind::SealOutsidePage);
    assert!(with(Seal { fit: SealFit::Move, ..outside }).is_ok());
    assert!(with(Seal { page: 0, ..Seal::default() }).is_ok());
    let error = with(Seal { page: 2, ..Seal::default() }).unwrap_err();
    assert_eq!(error.kind(), PdfErrorKind::PageNotFound);
    assert!(error.to_string().contains("page 2"), "{error}");
}

#[test]
fn the_seal_goes_to_the_page_asked_for() {
    let file = PdfBuilder::new().pages(4).build();
    let options = PrepareOptions { seal: Some(Seal { page: 3, ..Seal::default() }), ..small() };
    let document = open(&sign(&file, &options).unwrap());
    let with_annots: Vec<usize> = document
        .pages()
        .map(Result::unwrap)
        .filter(|page| page.dict.contains("Annots"))
        .map(|page| page.index)
        .collect();
    assert_eq!(with_annots, [2]);
}

#[test]
fn xfa_and_usage_rights_are_pointed_out() {
    let xfa = PdfBuilder::new().xfa().build();
    assert_eq!(prepare(shared(&xfa), &small()).unwrap().notes(), [SigningNote::Xfa]);
    let rights = PdfBuilder::new().catalog("/Perms<</UR3<</Type/Sig>>>>").build();
    assert_eq!(prepare(shared(&rights), &small()).unwrap().notes(), [SigningNote::UsageRights]);
}

#[test]
fn the_store_grows_and_keeps_each_item_once() {
    let item = |n: u8| vec![0x30, 1, n];
    let signed = sign(&fixtures::simple(), &small()).unwrap();
    let contents = only_signature(&open(&signed)).value.unwrap().contents;
    assert_eq!(contents.len(), 512);
    let key = VriKey::of_contents(&contents);
    let first = DssContent {
        general: ValidationData { certificates: vec![item(1)], ..Default::default() },
        per_signature: vec![(
            key,
            ValidationData {
                certificates: vec![item(1), item(2)],
                ocsp_responses: vec![item(3)],
                crls: vec![item(4)],
            },
        )],
    };
    let once = add_dss(shared(&signed), &first).unwrap();
    let second = DssContent {
        general: ValidationData { certificates: vec![item(2), item(5)], ..Default::default() },
        per_signature: vec![(
            key,
            ValidationData { ocsp_responses: vec![item(3), item(6)], ..Default::default() },
        )],
    };
    let twice = add_dss(Arc::new(once.clone()), &second).unwrap();
    let mut bytes = Vec::new();
    twice.write_to(&mut bytes).unwrap();
    assert!(bytes.starts_with(&signed));
    assert!(bytes.ends_with(twice.appendix()));
    let document = open(&bytes);
    let view = document.head();
    let store = view.lookup_dict(&view.catalog().unwrap(), "DSS").unwrap().unwrap();
    let items = |dict: &Dict, key: &str| -> Vec<u8> {
        let list = view.lookup_array(dict, key).unwrap();
        list.iter()
            .map(|item| {
                let object = view.resolve(item).unwrap();
                view.stream_data(object.as_stream().unwrap(), 99).unwrap().data[2]
            })
            .collect()
    };
    assert_eq!(items(&store, "Certs"), [1, 2, 5]);
    assert_eq!(items(&store, "OCSPs"), [3, 6]);
    assert_eq!(items(&store, "CRLs"), [4]);
    let vri = view.lookup_dict(&store, "VRI").unwrap().unwrap();
    assert_eq!(vri.len(), 1);
    let entry = view.lookup_dict(&vri, &key.to_hex()).unwrap().unwrap();
    assert_eq!(items(&entry, "Cert"), [1, 2]);
    assert_eq!(items(&entry, "OCSP"), [3, 6]);
    assert_eq!(items(&entry, "CRL"), [4]);
    // The signature is still where it was.
    assert_eq!(only_signature(&document).value.unwrap().contents, contents);
}

#[test]
fn the_store_refuses_nothing_and_nonsense() {
    let nothing = add_dss(shared(&fixtures::simple()), &DssContent::default()).unwrap_err();
    assert_eq!(nothing.kind(), PdfErrorKind::InvalidArgument);
    let data = ValidationData { crls: vec![b"-----BEGIN".to_vec()], ..Default::default() };
    let content = DssContent { general: data, per_signature: Vec::new() };
    let error = add_dss(shared(&fixtures::simple()), &content).unwrap_err();
    assert_eq!(error.kind(), PdfErrorKind::InvalidArgument);
}

#[test]
fn objects_before_the_header_are_listed_too() {
    let file = fixtures::simple();
    let find = |what: &[u8]| file.windows(what.len()).position(|part| part == what).unwrap();
    // The page tree, which signing leaves as it is.
    let (start, end) = (find(b"2 0 obj"), find(b"3 0 obj"));
    let moved = |before: &[u8]| [before, &file[start..end], &file[..start], &file[end..]].concat();
    assert!(open(&moved(b"\n")).is_rebuilt());
    let signed = open(&sign(&moved(b"\n"), &small()).unwrap());
    assert!(!signed.is_rebuilt(), "{:?}", signed.structure_notes());
    assert!(!signed.get(ObjRef::new(2, 0)).unwrap().object.is_null());
    only_signature(&signed);
    // No cross-reference can say that an object begins at 0.
    let error = sign(&moved(b""), &small()).unwrap_err();
    assert!(error.to_string().contains("begins with the file"), "{error}");
}

#[test]
fn files_appear_whole_or_not_at_all() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("signed.pdf");
    let prepared = prepare(shared(&fixtures::simple()), &small()).unwrap();
    assert!(prepared.embed_to_path(&[0x30; 600], &path).is_err());
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0);
    let len = prepared.embed_to_path(&CMS, &path).unwrap();
    assert_eq!(std::fs::metadata(&path).unwrap().len(), len);
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 1);
}
