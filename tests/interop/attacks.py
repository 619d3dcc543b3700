"""Attacks on signed PDFs. Each one must be caught by ours.

Sources: "1 Trillion Dollar Refund" (universal forgery, incremental saving, signature wrapping;
Mladenov et al., CCS 2019), "Shadow Attacks" (hide, replace; NDSS 2021), "Breaking the
Specification" (certification attacks; IEEE S&P 2021), and the one no validator looks for: content
exchanged between upload and signature.
"""

import hashlib
import io
import re

import pikepdf
import twice_cases
from edits import (
    FORGED,
    PLACE,
    N,
    add_annotation,
    add_page,
    add_resource,
    crop_page,
    drop_page,
    edited,
    open_action,
    overwrite_content,
    page_of,
    replace_content,
    set_field,
    swap_font,
    swap_pages_root,
    unsigned_seal,
)
from forgery import (
    content_number,
    last_startxref,
    raw_update,
    set_range,
    signature_parts,
    stream_body,
    universal,
    wrap,
)
from honest import fill
from kit import PAGE_TEXT, document, sign, update
from pyhanko.pdf_utils import generic
from pyhanko.pdf_utils.incremental_writer import IncrementalPdfFileWriter
from pyhanko.sign import fields


class Attack:
    """One attack: the file, what it is compared with, and the arguments for our program."""

    def __init__(self, group, name, signed, original=None, *arguments):
        self.group, self.name = group, name
        self.signed, self.original = signed, original
        self.arguments = list(arguments)


def before_signing(authority):
    group = "content exchanged between upload and signature"
    kari = authority.signer()
    base, long = document(), document(3)

    def attack(name, change, original=base, *arguments):
        return Attack(group, name, sign(update(original, change), kari), original, *arguments)

    yield attack("content stream replaced", replace_content)
    yield attack("content stream overwritten in place", overwrite_content)
    yield Attack(
        group,
        "content stream replaced in the signature's own revision",
        sign(base, kari, change=replace_content),
        base,
    )
    yield attack("content stream added", add_resource)
    yield attack("free text annotation over the amount", lambda w: add_annotation(w, "/FreeText"))
    yield attack("stamp annotation over the amount", lambda w: add_annotation(w, "/Stamp"))
    yield attack("unsigned signature field with an appearance over the amount", unsigned_seal)
    yield attack("font: the glyph of 1 becomes a 9", swap_font)
    yield attack("page added", add_page, base)
    yield attack("page removed", drop_page, long)
    yield attack("page cropped", crop_page)
    yield attack("page tree exchanged", swap_pages_root)
    yield attack("script at opening", open_action)
    yield Attack(
        group,
        "document written anew",
        sign(
            edited(
                base, lambda pdf: setattr(pdf.pages[0].obj, "Contents", pdf.make_stream(FORGED))
            ),
            kari,
        ),
        base,
    )
    yield Attack(
        group,
        "history replaced: an update without the one before",
        sign(_without_history(base), kari),
        base,
    )
    yield attack(
        "form value that was there changed",
        lambda w: set_field(w, "amount", "900 000"),
        document(form=True),
    )
    yield attack(
        "form field filled that is read-only",
        lambda w: set_field(w, "rate", "19 %"),
        document(form=True),
    )
    yield attack(
        "form field shows something else than its value",
        lambda w: set_field(w, "city", "Oslo", "Amount: 900 000"),
        document(form=True),
    )
    form = document(form=True)
    yield Attack(
        group,
        "empty form field filled in, where that is not allowed",
        sign(fill(form, {"city": "Oslo"}), kari),
        form,
        "--no-filling",
    )


def _without_history(base):
    """A complete second document behind the first one, as if that did not exist."""
    forged = edited(
        base, lambda pdf: setattr(pdf.pages[0].obj, "Contents", pdf.make_stream(FORGED))
    )
    shift = len(base)
    out = bytearray(base + forged)
    table = forged.rindex(b"xref\n", 0, forged.rindex(b"startxref"))
    lines = forged[table:].split(b"\n")
    moved = []
    for line in lines:
        entry = re.fullmatch(rb"(\d{10}) (\d{5}) n\s*", line)
        moved.append(b"%010d %s n " % (int(entry[1]) + shift, entry[2]) if entry else line)
    out[shift + table :] = b"\n".join(moved)
    at = out.rindex(b"startxref")
    out[at:] = b"startxref\n%d\n%%%%EOF\n" % (shift + table)
    return bytes(out)


def seals(authority):
    group = "seals"
    kari = authority.signer()
    base = document()
    yield Attack(
        group,
        "seal away from the requested point",
        sign(base, kari, box=(70, 672, 270, 695)),
        base,
        "--seal",
        "300,700,1",
    )
    yield Attack(
        group,
        "seal over the amount, none requested",
        sign(base, kari, box=(70, 672, 270, 695)),
        base,
        "--no-seal",
    )
    yield Attack(group, "seal that covers the page", sign(base, kari, box=(10, 10, 585, 832)), base)
    placed = io.BytesIO()
    writer = IncrementalPdfFileWriter(io.BytesIO(base))
    fields.append_signature_field(writer, fields.SigFieldSpec("Late", box=(70, 672, 270, 695)))
    writer.write(placed)
    yield Attack(
        group,
        "field placed over the amount just before it is signed",
        sign(placed.getvalue(), kari, "Late", existing=True),
        base,
        "--no-seal",
    )
    yield Attack(
        group,
        "second signer, unknown, with a seal over the amount",
        sign(
            sign(base, kari),
            authority.signer(authority.stranger),
            "Signature2",
            box=(70, 672, 270, 695),
        ),
        base,
    )


def prepared(authority):
    """Shadow attacks: the original was laid out for what comes later."""
    group = "documents prepared for an attack"
    kari = authority.signer()

    plain = document()
    number = content_number(plain)
    with pikepdf.open(io.BytesIO(plain)) as pdf:
        page = pdf.pages[0].obj.objgen[0]
        body = pdf.pages[0].obj.unparse(resolved=True)
    body = body.replace(b"/Contents %d 0 R" % number, b"/Contents [%d 0 R 480 0 R]" % number)
    dangling = raw_update(plain, [(page, body)])
    late = b"1 g 70 676 200 16 re f 0 g BT /F1 12 Tf 72 680 Td (Amount: 900 000 NOK) Tj ET"
    yield Attack(
        group,
        "the page names content that is added later",
        sign(raw_update(dangling, [(480, stream_body(late))]), kari),
        dangling,
    )

    hidden = raw_update(
        plain, [(451, stream_body(b"%d 0 obj\n%s\nendobj\n" % (number, stream_body(FORGED))))]
    )
    inside = hidden.rindex(b"%d 0 obj" % number)
    yield Attack(
        group,
        "an object hidden inside another one is brought to light",
        sign(raw_update(hidden, [], table=[(number, inside)]), kari),
        hidden,
    )

    length = raw_update(
        plain,
        [
            (470, b"%d" % len(PAGE_TEXT)),
            (
                number,
                b"<</Length 470 0 R>>\nstream\n%s\nendstream" % (PAGE_TEXT + b"endstream " + late),
            ),
        ],
    )
    yield Attack(
        group,
        "a stream whose length is an object of its own gets longer",
        sign(raw_update(length, [(470, b"%d" % len(PAGE_TEXT + b"endstream " + late))]), kari),
        length,
    )

    layers = document(extra=_add_layers)

    def show(writer):
        config = writer.root["/OCProperties"]["/D"]
        config["/OFF"] = generic.ArrayObject()
        writer.update_root()
        writer.mark_update(config.container_ref)

    yield Attack(group, "a hidden layer is switched on", sign(update(layers, show), kari), layers)

    annotated = document(extra=_add_cover)

    def uncover(writer):
        page = page_of(writer)
        page["/Annots"] = generic.ArrayObject()
        writer.mark_update(page.container_ref)

    yield Attack(
        group,
        "an annotation that covers content is removed",
        sign(update(annotated, uncover), kari),
        annotated,
    )


def _add_layers(pdf, _font):
    layer = pdf.make_indirect(pikepdf.Dictionary(Type=pikepdf.Name.OCG, Name="Draft"))
    pdf.Root.OCProperties = pikepdf.Dictionary(
        OCGs=[layer], D=pikepdf.Dictionary(OFF=[layer], Order=[])
    )
    page = pdf.pages[0].obj
    page.Resources.Properties = pikepdf.Dictionary(L=layer)
    page.Contents = pdf.make_stream(PAGE_TEXT + b"/OC /L BDC " + FORGED + b" EMC")


def _add_cover(pdf, _font):
    stream = pdf.make_stream(b"1 g 0 0 200 20 re f")
    stream.Type, stream.Subtype = pikepdf.Name.XObject, pikepdf.Name.Form
    stream.BBox = [0, 0, 200, 20]
    pdf.pages[0].obj.Annots = [
        pdf.make_indirect(
            pikepdf.Dictionary(
                Type=pikepdf.Name.Annot,
                Subtype=pikepdf.Name.Square,
                Rect=list(PLACE),
                F=4,
                AP=pikepdf.Dictionary(N=stream),
            )
        )
    ]


def after_signing(authority):
    group = "changes after the signature"
    kari = authority.signer()
    base = document()
    signed = sign(base, kari)
    for name, change in [
        ("content stream replaced", replace_content),
        ("content stream overwritten in place", overwrite_content),
        ("annotation over the amount", lambda w: add_annotation(w, "/FreeText")),
        ("unsigned signature field with an appearance", unsigned_seal),
        ("font swapped", swap_font),
        ("page tree exchanged", swap_pages_root),
        ("page added", add_page),
    ]:
        yield Attack(group, name, update(signed, change))
    yield Attack(
        group,
        "content replaced, then signed by a second signer",
        sign(update(signed, replace_content), authority.signer(authority.ola), "Signature2"),
    )
    archived = sign(
        base,
        kari,
        timestamper=authority.timestamper(),
        context=authority.context(evidence=True),
        archive=True,
    )
    yield Attack(
        group, "content replaced behind an archive timestamp", update(archived, replace_content)
    )
    form = document(form=True)
    yield Attack(
        group,
        "form value changed",
        update(sign(form, kari), lambda w: set_field(w, "amount", "900 000")),
    )
    yield Attack(
        group, "empty form field filled, signed by nobody", fill(sign(form, kari), {"city": "Oslo"})
    )

    def unsign(writer):
        overwrite_content(writer)
        writer.root["/AcroForm"] = generic.DictionaryObject({N("/Fields"): generic.ArrayObject()})
        writer.update_root()

    yield Attack(group, "signature removed and content replaced", update(signed, unsign))
    yield Attack(
        group,
        "signature removed, then signed by somebody unknown",
        sign(update(signed, unsign), authority.signer(authority.stranger), "Signature9"),
        base,
    )
    yield Attack(
        group,
        "put back to the state before the second signature",
        sign(base, kari),
        None,
        "--signer",
        "Ola Hansen",
    )
    yield Attack(
        group,
        "another signed document handed out",
        sign(document(content=FORGED), kari),
        None,
        "--signed-sha256",
        hashlib.sha256(signed).hexdigest(),
    )


def certified(authority):
    group = "certified documents"
    kari = authority.signer()
    form = document(form=True)
    frozen = sign(form, kari, "Author", certify=True, permission=fields.MDPPerm.NO_CHANGES)
    yield Attack(
        group,
        "no changes permitted, field filled and signed",
        sign(
            fill(frozen, {"city": "Oslo"}),
            authority.signer(authority.ola),
            "Signature2",
            careless=True,
        ),
    )
    notes = sign(form, kari, "Author", certify=True, permission=fields.MDPPerm.ANNOTATE)
    yield Attack(
        group,
        "annotations permitted: one over the amount (evil annotation)",
        update(notes, lambda w: add_annotation(w, "/FreeText")),
    )
    filling = sign(form, kari, "Author", certify=True)
    yield Attack(
        group,
        "signing permitted: an unsigned field over the amount (sneaky signature)",
        update(filling, unsigned_seal),
    )
    lock = fields.FieldMDPSpec(fields.FieldMDPAction.INCLUDE, fields=["city"])
    writer = IncrementalPdfFileWriter(io.BytesIO(form))
    fields.append_signature_field(writer, fields.SigFieldSpec("Buyer", field_mdp_spec=lock))
    out = io.BytesIO()
    writer.write(out)
    locked = sign(out.getvalue(), kari, "Buyer", existing=True)
    yield Attack(
        group,
        "locked field filled",
        sign(fill(locked, {"city": "Oslo"}), authority.signer(authority.ola), "Signature2"),
    )


def forgeries(authority):
    kari = authority.signer()
    signed = sign(document(), kari)
    number = content_number(signed)
    group = "incremental saving"
    body = b"%d 0 obj\n%s\nendobj\n" % (number, stream_body(FORGED))
    trailer = b"trailer\n<</Size 500/Root %s 0 R/Prev %d>>\n" % (
        re.findall(rb"/Root (\d+) 0 R", signed)[-1],
        last_startxref(signed),
    )
    yield Attack(
        group, "update with table and trailer", raw_update(signed, [(number, stream_body(FORGED))])
    )
    yield Attack(group, "objects without table", signed + b"\n" + body)
    yield Attack(group, "objects and trailer without table", signed + b"\n" + body + trailer)
    yield Attack(
        group,
        "table that leads nowhere",
        signed + b"\n" + body + trailer + b"startxref\n0\n%%EOF\n",
    )
    yield Attack(
        group,
        "object that the table does not list",
        raw_update(
            signed, [(number, stream_body(FORGED)), (490, b"<</Type/DSS>>")], forget=(number,)
        ),
    )
    yield Attack(group, "number listed twice in one table", _listed_twice(signed, number))
    yield Attack(group, "object that ends in later bytes", *_overlong(kari))

    group = "signature wrapping"
    yield Attack(group, "second range moved, forged update in the gap", wrap(signed))
    _found, (_a, b, c, d) = signature_parts(signed)
    yield Attack(
        group, "gap larger than the contents", set_range(signed, b"[0 %d %d %d]" % (b - 30, c, d))
    )
    yield Attack(group, "ranges overlap", set_range(signed, b"[0 %d %d %d]" % (c, b, d)))
    yield Attack(
        group, "range starts behind the header", set_range(signed, b"[9 %d %d %d]" % (b - 9, c, d))
    )
    yield Attack(
        group, "end of the file not covered", set_range(signed, b"[0 %d %d %d]" % (b, c, d - 60))
    )
    yield Attack(group, "six numbers", set_range(signed, b"[0 %d %d 0 %d %d]" % (b, c, c, d)))

    group = "universal forgery"
    for how in (
        "no contents",
        "empty contents",
        "zero contents",
        "null contents",
        "no range",
        "zero range",
        "negative range",
        "null range",
        "short range",
        "huge range",
    ):
        yield Attack(group, how, universal(signed, how))
    other = sign(document(content=FORGED), kari)
    _, (_, b2, c2, _) = signature_parts(other)
    yield Attack(
        group,
        "signature of another document",
        other[:b2] + signed[b:c].ljust(c2 - b2)[: c2 - b2] + other[c2:],
    )


def _listed_twice(signed, number):
    """The first entry is as it was, the second one forged: readers differ in which they take."""
    old = signed.rindex(b"\n%d 0 obj" % number) + 1
    out = bytearray(signed)
    forged = len(out)
    out += b"%d 0 obj\n%s\nendobj\n" % (number, stream_body(FORGED))
    at = len(out)
    out += b"xref\n%d 1\n%010d 00000 n \n%d 1\n%010d 00000 n \n" % (number, old, number, forged)
    out += b"trailer\n<</Size 500/Root %s 0 R/Prev %d>>\nstartxref\n%d\n%%%%EOF\n" % (
        re.findall(rb"/Root (\d+) 0 R", signed)[-1],
        last_startxref(signed),
        at,
    )
    return bytes(out)


def _overlong(kari):
    """A content stream that says to be longer than its revision: what follows becomes part."""
    plain = document()
    number = content_number(plain)
    claimed = len(PAGE_TEXT) + 4000
    body = b"<</Length %d>>\nstream\n%s\nendstream" % (claimed, PAGE_TEXT)
    original = raw_update(plain, [(number, body)])
    end = original.rindex(b"stream\n" + PAGE_TEXT) + 7 + claimed
    grown = (original + b"\n" + FORGED).ljust(end) + b"\nendstream endobj\n"
    return sign(raw_update(grown, [(490, b"<</Type/DSS>>")]), kari), original


def serving_twice(authority):
    """An update claims an object for a permitted purpose; the page uses it for another."""
    signer = authority.signer(authority.ola)
    known = {case.name: case for case in twice_cases.cases(True)}
    for name in TWICE:
        _, later, _ = known[name].files(signer)
        yield Attack("objects that serve twice", name, later)


def attacks(authority):
    for make in (
        before_signing,
        seals,
        prepared,
        serving_twice,
        after_signing,
        certified,
        forgeries,
    ):
        yield from make(authority)


_TOO = "the object is used for something else too"
_STYLE = "in whose style readers draw what has no appearance of its own"
# Cases of twice_cases.py, and why ours refuses each.
TWICE = {
    "VRI = forms": _TOO,
    "VRI = encoding": _TOO,
    "VRI = settings of layers": _TOO,
    "Certs = colour space of an image": _TOO,
    "an entry of VRI = fonts, inherited": "holds something else",
    "Extensions = resources": "the developer extensions hold something else",
    "Extensions = encoding": "the developer extensions hold something else",
    "form = free text": "the form entry DA was changed",
    "a field/MK = ExtGState, added": _TOO,
    "free text: fonts added": _STYLE,
    "free text, bare: font added": _STYLE,
    "text field: style exchanged": _STYLE,
}


# Why ours refuses each one: a piece of the failed check's or the forbidden change's words, so that
# none is caught by accident.
BECAUSE = {
    **TWICE,
    "content stream replaced": "a page was changed: Contents",
    "content stream overwritten in place": "the content of a stream was changed",
    "content stream replaced in the signature's own revision": "Annots, Contents",
    "content stream added": "a page was changed: Contents",
    "free text annotation over the amount": "an annotation (FreeText) was put on a page",
    "stamp annotation over the amount": "an annotation (Stamp) was put on a page",
    "unsigned signature field with an appearance over the amount": (
        "the field Overlay is not signed by anybody, but shows something"
    ),
    "font: the glyph of 1 becomes a 9": "a font was changed: Encoding",
    "page added": "a node of the page tree was changed",
    "page removed": "a node of the page tree was changed",
    "page cropped": "a page was changed: CropBox",
    "page tree exchanged": "the catalog entry Pages was changed",
    "script at opening": "the catalog entry OpenAction was changed",
    "document written anew": "they differ from byte",
    "history replaced: an update without the one before": "its history was replaced",
    "form value that was there changed": "the form field amount had a value, which was changed",
    "form field filled that is read-only": "the form field rate is read-only",
    "form field shows something else than its value": "shows something else than its value",
    "empty form field filled in, where that is not allowed": "not allowed here",
    "seal away from the requested point": "where none was asked for",
    "seal over the amount, none requested": "where none was asked for",
    "seal that covers the page": "at most 300 by 150 are allowed",
    "field placed over the amount just before it is signed": "where none was asked for",
    "second signer, unknown, with a seal over the amount": "is not among the trust anchors",
    "the page names content that is added later": "referred to before it existed",
    "an object hidden inside another one is brought to light": "takes it from elsewhere",
    "a stream whose length is an object of its own gets longer": "a number was changed",
    "a hidden layer is switched on": "the catalog entry OCProperties was changed",
    "an annotation that covers content is removed": "annotations of a page were removed",
    "annotation over the amount": "an annotation (FreeText) was put on a page",
    "unsigned signature field with an appearance": "is not signed by anybody, but shows",
    "font swapped": "a font was changed: Encoding",
    "content replaced, then signed by a second signer": "a page was changed: Contents",
    "content replaced behind an archive timestamp": "a page was changed: Contents",
    "form value changed": "the form field amount had a value, which was changed",
    "empty form field filled, signed by nobody": "filled in after the last signature",
    "signature removed and content replaced": "the document holds no signature",
    "signature removed, then signed by somebody unknown": "is not among the trust anchors",
    "put back to the state before the second signature": "name does not agree",
    "another signed document handed out": "another sha-256 than was reported",
    "no changes permitted, field filled and signed": "the certification in Author forbids",
    "annotations permitted: one over the amount (evil annotation)": "(FreeText) was put on a page",
    "signing permitted: an unsigned field over the amount (sneaky signature)": (
        "is not signed by anybody, but shows"
    ),
    "locked field filled": "the field city is locked by the signature in Buyer",
    "update with table and trailer": "a stream was changed",
    "objects without table": "covered by no signature and belong to no update",
    "objects and trailer without table": "covered by no signature and belong to no update",
    "table that leads nowhere": "the cross-reference is unusable",
    "object that the table does not list": "an object that the cross-reference does not list",
    "number listed twice in one table": "an object that the cross-reference does not list",
    "object that ends in later bytes": "reaches behind the end of its revision",
    "second range moved, forged update in the gap": "the range leaves out bytes",
    "gap larger than the contents": "the range leaves out bytes",
    "ranges overlap": "the range leaves out bytes",
    "range starts behind the header": "starts at byte 9",
    "end of the file not covered": "the range ends at byte",
    "six numbers": "the byte range has 6 numbers",
    "no contents": "there is no byte range",
    "empty contents": "the range leaves out bytes",
    "zero contents": "ber:",
    "null contents": "contents are missing",
    "no range": "the byte range has 0 numbers",
    "zero range": "the range leaves out bytes 0 to 0",
    "negative range": "no offset or length",
    "null range": "not written into the signature dictionary",
    "short range": "the byte range has 2 numbers",
    "huge range": "the range leaves out bytes",
    "signature of another document": "does not have the signed digest",
}
