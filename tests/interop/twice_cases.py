"""Documents in which one object serves twice: a purpose that signing needs, and a use on a page.

Every case is a document, and an update of it that changes the object after signing.
"""

import asyncio
import dataclasses
import hashlib

from forgery import raw_update
from twice_uses import (
    ANNOTATION,
    BARE_FORM,
    NINE,
    PLAIN,
    TEXT,
    TWO_LAYERS,
    Parts,
    show,
    stream,
    uses,
)

# The number of the object.
SHARED = 10
# Every so many cases one is run, unless all are.
STRIDE = 6
# Bytes for the signature.
ROOM = 6000
# The number of the field that is signed.
SIGNED = 50
FIELDS = f"/Fields[{SIGNED} 0 R]"
EMPTY = "/FT/Sig/T(Seller)/Type/Annot/Subtype/Widget/Rect[0 0 0 0]/F 132"


@dataclasses.dataclass
class Purpose:
    """What the object is for besides. `own` are entries that make it look like that."""

    name: str
    kinds: tuple
    parts: Parts
    own: str = ""
    # The catalog's form is the object.
    is_form: bool = False
    # The page's list of annotations is the object.
    is_annots: bool = False


FIELD = "/FT/Sig/T(S)"
WIDGET = "/Type/Annot/Subtype/Widget/Rect[300 600 400 640]/F 4"
TREE = "/StructTreeRoot 40 0 R"


def purposes():
    anything = ("dict", "array", "stream", "string", "number")
    every = [
        ("DSS", "/DSS 10 0 R", "/Certs[]"),
        ("VRI", "/DSS<</VRI 10 0 R>>", ""),
        ("an entry of VRI", "/DSS<</VRI<</AB 10 0 R>>>>", "/Cert[]"),
        ("Certs", "/DSS<</Certs 10 0 R>>", ""),
        ("OCSPs of one signature", "/DSS<</VRI<</AB<</OCSP 10 0 R>>>>>>", ""),
        ("a certificate", "/DSS<</Certs[10 0 R]>>", ""),
        ("a timestamp of VRI", "/DSS<</VRI<</AB<</TS 10 0 R>>>>>>", ""),
        ("a time of VRI", "/DSS<</VRI<</AB<</TU 10 0 R>>>>>>", ""),
        ("Type of DSS", "/DSS<</Type 10 0 R>>", ""),
        ("Extensions", "/Extensions 10 0 R", "/ADBE<</BaseVersion/1.7/ExtensionLevel 8>>"),
        ("an extension", "/Extensions<</ADBE 10 0 R>>", "/BaseVersion/1.7/ExtensionLevel 8"),
        ("Perms", "/Perms 10 0 R", ""),
        ("Metadata", "/Metadata 10 0 R", "/Type/Metadata/Subtype/XML"),
        ("Version", "/Version 10 0 R", ""),
        ("structure tree", "/StructTreeRoot 10 0 R", "/Type/StructTreeRoot"),
    ]
    for name, catalog, own in every:
        yield Purpose(name, anything, Parts(catalog=catalog), own)
    for name, key in (("an element", "/K"), ("elements", "/K"), ("parents", "/ParentTree")):
        yield Purpose(
            name,
            ("dict", "array"),
            Parts(catalog=TREE, objects={40: f"<</Type/StructTreeRoot{key} 10 0 R>>"}),
            "/Type/StructElem/S/P/P 40 0 R" if key == "/K" else "/Nums[]",
        )
    yield Purpose("Info", ("dict",), Parts(trailer="/Info 10 0 R"), "/Producer(one)")
    yield Purpose(
        "Producer", anything, Parts(trailer="/Info 41 0 R", objects={41: "<</Producer 10 0 R>>"})
    )
    yield Purpose("form", ("dict",), Parts(), "/Fields[]", is_form=True)
    for key in ("DR", "DA", "SigFlags", "Fields"):
        yield Purpose(f"{key} of the form", anything, Parts(form=f"/{key} 10 0 R"))
    yield Purpose("fonts of the form", ("dict",), Parts(form="/DR<</Font 10 0 R>>"))
    yield Purpose("a font of the form", ("dict",), Parts(form="/DR<</Font<</Helv 10 0 R>>>>"))
    field = Parts(fields=" 10 0 R")
    yield Purpose("a field", ("dict",), field, FIELD)
    yield Purpose("a text field", ("dict",), field, "/FT/Tx/T(S)")
    for key in ("AP", "MK", "V", "Kids", "F", "M"):
        yield Purpose(
            f"{key} of a field",
            anything,
            Parts(
                fields=" 42 0 R",
                annots=" 42 0 R",
                objects={
                    42: f"<<{WIDGET.replace('/F 4', '') if key == 'F' else WIDGET}"
                    f"{FIELD}/{key} 10 0 R>>"
                },
            ),
        )
    yield Purpose(
        "appearance of a field",
        ("stream", "dict"),
        Parts(
            fields=" 42 0 R",
            annots=" 42 0 R",
            objects={42: f"<<{WIDGET}/FT/Tx/T(S)/AP<</N 10 0 R>>>>"},
        ),
    )
    yield Purpose("annotations", ("array",), Parts(), is_annots=True)


# Dictionaries that hold something under a key that signing may touch: they serve as resources.
def holders():
    """Name, the key, what the holder needs besides, and how the document reaches it. The holder
    is number 11 and the object below it 10."""
    yield "DSS", "VRI", "", Parts(catalog="/DSS 11 0 R")
    yield "DSS", "Certs", "", Parts(catalog="/DSS 11 0 R")
    yield "VRI", "AB", "", Parts(catalog="/DSS<</VRI 11 0 R>>")
    yield "an entry of VRI", "Cert", "", Parts(catalog="/DSS<</VRI<</AB 11 0 R>>>>")
    yield "an entry of VRI", "TS", "", Parts(catalog="/DSS<</VRI<</AB 11 0 R>>>>")
    yield "Extensions", "ADBE", "", Parts(catalog="/Extensions 11 0 R")
    yield "Perms", "DocMDP", "", Parts(catalog="/Perms 11 0 R")
    yield "Info", "Producer", "", Parts(trailer="/Info 11 0 R")
    yield "form", "DR", "/Fields[]", Parts(catalog="/AcroForm 11 0 R")
    yield "fonts of the form", "Helv", "", Parts(form="/DR<</Font 11 0 R>>")
    for key in ("V", "AP", "MK"):
        yield "a field", key, FIELD, Parts(fields=" 11 0 R")
    yield "structure tree", "K", "/Type/StructTreeRoot", Parts(catalog="/StructTreeRoot 11 0 R")
    yield (
        "structure tree",
        "ParentTree",
        "/Type/StructTreeRoot",
        Parts(catalog="/StructTreeRoot 11 0 R"),
    )


# Text that is drawn without an appearance of its own, and what an update does to the form.
def styled():
    text = f"{ANNOTATION}/Contents(1)"
    bare = stream(BARE_FORM, "BT /Helv 24 Tf 5 20 Td (1) Tj ET")
    field = f"{ANNOTATION}/Subtype/Widget/T(t)"
    yield "free text", f"<<{text}/Subtype/FreeText/DA(/Helv 12 Tf 0 g)>>", False, {}
    yield "free text, null", f"<<{text}/Subtype/FreeText/DA(/Helv 12 Tf)/AP<</N null>>>>", False, {}
    yield "text field", f"<<{field}/FT/Tx/V(1)/DA(/Helv 12 Tf 0 g)>>", True, {}
    yield "text field, no style", f"<<{field}/FT/Tx/V(1)>>", True, {}
    yield "choice", f"<<{field}/FT/Ch/Ff 131072/V(1)/Opt[(1)]/DA(/Helv 12 Tf 0 g)>>", True, {}
    yield "check box", f"<<{field}/FT/Btn/V/On/AS/On/MK<</CA(1)>>/DA(/Helv 12 Tf 0 g)>>", True, {}
    yield "text field, bare", f"<<{field}/FT/Tx/V(1)/AP<</N 30 0 R>>>>", True, {30: bare}
    yield "free text, bare", f"<<{text}/Subtype/FreeText/AP<</N 30 0 R>>>>", False, {30: bare}
    yield "stamp, bare", f"<<{text}/Subtype/Stamp/AP<</N 30 0 R>>>>", False, {30: bare}


def form_styles():
    """The form's entries before and after."""
    nine = f"/DR<</Font<</Helv {NINE}>>>>"
    plain = f"/DR<</Font<</Helv {PLAIN}>>>>"
    yield "fonts added", "", nine
    yield "font added", "/DR<</Font<<>>>>", nine
    yield "font exchanged", plain, nine
    yield "style added", "", "/DA(/Helv 24 Tf 0 g)"
    yield "style exchanged", "/DA(/Helv 12 Tf 0 g)" + plain, "/DA(/Helv 24 Tf 1 0 0 rg)" + plain
    yield "all drawn anew", plain, plain + "/NeedAppearances true"
    yield "all drawn anew in another style", plain, nine + "/NeedAppearances true"


class Case:
    """A document, signed, and changed afterwards."""

    def __init__(self, name, parts, before, after, *, bare=False):
        self.name = name
        self.document = build(parts, {} if bare else before)
        self.before, self.after = before, after

    def files(self, signer):
        """The document, signed; the signed one changed; the changed one signed."""
        signed = sign(self.document, signer)
        changes = [(n, body.encode("latin-1")) for n, body in self.after.items()]
        return signed, raw_update(signed, changes), sign(raw_update(self.document, changes), signer)


def build(parts, shared):
    resources = parts.resources
    if resources.startswith("/"):
        resources = f"/Resources<<{resources}>>"
    elif resources == "-":
        resources = ""
    else:
        resources = f"/Resources {resources or '<</Font<</F1 5 0 R>>>>'}"
    contents = "10 0 R" if parts.contents == "=" else f"[4 0 R{parts.contents}]"
    annots = "" if "/Annots" in parts.page or not parts.annots else f"/Annots[{parts.annots}]"
    box = "" if "/MediaBox" in parts.page else "/MediaBox[0 0 595 842]"
    fields = f"/Fields[{SIGNED} 0 R{parts.fields}]"
    form = parts.form if "/Fields" in parts.form else fields + parts.form
    form = "" if "/AcroForm" in parts.catalog else f"/AcroForm<<{form}>>"
    objects = {
        1: f"<</Type/Catalog/Pages 2 0 R{form}{parts.catalog}>>",
        2: f"<</Type/Pages/Kids[3 0 R]/Count 1{parts.tree}>>",
        3: f"<</Type/Page/Parent 2 0 R{box}/Contents {contents}{resources}{annots}{parts.page}>>",
        4: stream("", TEXT + parts.content),
        5: PLAIN,
        SIGNED: f"<<{EMPTY}>>",
        **parts.objects,
        **shared,
    }
    out = bytearray(b"%PDF-1.7\n%\xe2\xe3\xcf\xd3\n")
    table = [b"0000000000 65535 f \n"] + [b"0000000000 00000 f \n"] * max(objects)
    for number, body in sorted(objects.items()):
        table[number] = b"%010d 00000 n \n" % len(out)
        text = body.replace("/Fields[]", fields).encode("latin-1")
        out += b"%d 0 obj\n%s\nendobj\n" % (number, text)
    at = len(out)
    out += b"xref\n0 %d\n%s" % (len(table), b"".join(table))
    trailer = f"trailer\n<</Size {len(table)}/Root 1 0 R{parts.trailer}>>\nstartxref\n{at}\n%%EOF\n"
    return bytes(out) + trailer.encode()


def sign(data, signer):
    """An update that signs the empty field; it touches nothing else."""
    gap = b"<" + b"0" * (2 * ROOM) + b">"
    room = b"[0 %010d %010d %010d]" % (0, 0, 0)
    value = (
        b"<</Type/Sig/Filter/Adobe.PPKLite/SubFilter/adbe.pkcs7.detached/M(D:20261120120000Z)"
        b"/ByteRange" + room + b"/Contents" + gap + b">>"
    )
    field = f"<<{EMPTY}/V {SIGNED + 1} 0 R>>".encode()
    out = bytearray(raw_update(data, [(SIGNED, field), (SIGNED + 1, value)]))
    start = out.rindex(gap)
    end = start + len(gap)
    range_at = out.rindex(room)
    numbers = b"[0 %010d %010d %010d]" % (start, end, len(out) - end)
    out[range_at : range_at + len(numbers)] = numbers
    digest = hashlib.sha256(out[:start] + out[end:]).digest()
    cms = asyncio.run(signer.async_sign(digest, "sha256")).dump().hex().encode()
    assert len(cms) <= 2 * ROOM, len(cms)
    out[start + 1 : start + 1 + len(cms)] = cms
    return bytes(out)


def shared_body(use, purpose, token):
    """The object that serves both."""
    text = use.body.replace("{X}", token)
    taken = use.entries + use.body
    own = "" if any(key in taken for key in purpose.own.split("/")[1:2] if key) else purpose.own
    if use.kind == "dict":
        return f"<<{own}{text}>>"
    if use.kind == "stream":
        return stream(own + use.entries, text)
    if use.kind == "array":
        return f"[{text}{' 50 0 R' if purpose.name == 'Fields of the form' else ''}]"
    return text


def pairs(every):
    """Every purpose with every use."""
    for purpose in purposes():
        for use in uses():
            if use.kind not in purpose.kinds or (purpose.is_annots and "/Annots" in use.parts.page):
                continue
            parts = use.parts + purpose.parts
            if purpose.is_form:
                parts = parts + Parts(catalog="/AcroForm 10 0 R")
            if purpose.is_annots:
                parts = parts + Parts(page="/Annots 10 0 R", annots="")
            before, after = (
                {SHARED: shared_body(use, purpose, token).replace("/Fields[]", FIELDS)}
                for token in (use.before, use.after)
            )
            name = f"{purpose.name} = {use.name}"
            yield Case(name, parts, before, after)
            if every and purpose.name not in ("form", "Fields of the form"):
                yield Case(f"{name}, defined later", parts, before, after, bare=True)
            if every and parts.resources.startswith("/"):
                lifted = Parts(tree=f"/Resources<<{parts.resources}>>", resources="-")
                rest = Parts(**{**vars(parts), "resources": ""})
                yield Case(f"{name}, inherited", rest + lifted, before, after)


def held(every):
    """Dictionaries whose entry is a resource by its name."""
    for holder, key, own, reach in holders():
        for category, (content, _kind, before, after) in show(key).items():
            needs = TWO_LAYERS if category == "Properties" else Parts()
            font = "" if category == "Font" else "/Font<</F1 5 0 R>>"
            parts = (
                reach
                + needs
                + Parts(
                    resources=f"{font}/{category} 11 0 R",
                    content=content,
                    objects={11: f"<<{own}/F1 5 0 R/{key} 10 0 R>>".replace("/Fields[]", FIELDS)},
                )
            )
            yield Case(f"{holder}/{key} = {category}", parts, {10: before}, {10: after})
            if every:
                # The entry comes only with the update.
                empty = {11: f"<<{own}/F1 5 0 R>>".replace("/Fields[]", FIELDS), 10: before}
                yield Case(
                    f"{holder}/{key} = {category}, added",
                    parts,
                    empty,
                    {11: parts.objects[11], 10: after},
                )


def styles(every):
    """Text without an appearance, and the style of the form."""
    del every
    for text, body, is_field, objects in styled():
        fields = " 31 0 R" if is_field else ""
        for name, before, after in form_styles():
            parts = Parts(
                annots=" 31 0 R", catalog="/AcroForm 12 0 R", objects={31: body, **objects}
            )
            form = f"<</Fields[{SIGNED} 0 R{fields}]%s>>"
            yield Case(f"{text}: {name}", parts, {12: form % before}, {12: form % after})


def cases(every):
    listed = [case for make in (pairs, held, styles) for case in make(every)]
    return listed if every else listed[::STRIDE] + list(styles(every))
