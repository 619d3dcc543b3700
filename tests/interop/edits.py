"""What an attacker changes in a document, through pyHanko's incremental writer or pikepdf."""

import io

import pikepdf
from kit import PAGE_TEXT
from pyhanko.pdf_utils import generic

N = generic.NameObject
FORGED = PAGE_TEXT.replace(b"100 000", b"900 000")


def numbers(*values):
    return generic.ArrayObject(generic.FloatObject(v) for v in values)


def page_of(writer):
    return writer.root["/Pages"]["/Kids"][0]


def replace_content(writer, content=FORGED):
    page = page_of(writer)
    page["/Contents"] = writer.add_object(generic.StreamObject(stream_data=content))
    writer.mark_update(page.container_ref)


def overwrite_content(writer, content=FORGED):
    """The same, in place: the object number stays."""
    stream = page_of(writer)["/Contents"]
    stream._data = content
    stream._encoded_data = None
    writer.mark_update(stream.container_ref)


def form_xobject(writer, content, width=200, height=20, **entries):
    return writer.add_object(
        generic.StreamObject(
            {
                N("/Type"): N("/XObject"),
                N("/Subtype"): N("/Form"),
                N("/BBox"): numbers(0, 0, width, height),
                N("/Resources"): generic.DictionaryObject(
                    {
                        N("/Font"): generic.DictionaryObject(
                            {N("/F1"): page_of(writer)["/Resources"]["/Font"].raw_get("/F1")}
                        )
                    }
                ),
                **{N(k): v for k, v in entries.items()},
            },
            stream_data=content,
        )
    )


OVERLAY = b"1 g 0 0 200 20 re f 0 g BT /F1 12 Tf 2 5 Td (Amount: 900 000 NOK) Tj ET"
PLACE = (70, 676, 270, 692)


def add_annotation(writer, subtype, **entries):
    page = page_of(writer)
    annotation = writer.add_object(
        generic.DictionaryObject(
            {
                N("/Type"): N("/Annot"),
                N("/Subtype"): N(subtype),
                N("/Rect"): numbers(*PLACE),
                N("/F"): generic.NumberObject(4),
                N("/AP"): generic.DictionaryObject({N("/N"): form_xobject(writer, OVERLAY)}),
                **{N(k): v for k, v in entries.items()},
            }
        )
    )
    # Not `get`: it does not follow references.
    old = page["/Annots"] if "/Annots" in page else ()  # noqa: SIM401
    page["/Annots"] = generic.ArrayObject([*old, annotation])
    writer.mark_update(page.container_ref)
    return annotation


def unsigned_seal(writer):
    """A signature field that nobody signed, with an appearance over the amount."""
    widget = add_annotation(
        writer, "/Widget", **{"/FT": N("/Sig"), "/T": generic.pdf_string("Overlay")}
    )
    form = writer.root["/AcroForm"] if "/AcroForm" in writer.root else None  # noqa: SIM401
    if form is None:
        form = generic.DictionaryObject({N("/Fields"): generic.ArrayObject()})
        writer.root["/AcroForm"] = writer.add_object(form)
        writer.update_root()
    else:
        writer.mark_update(form.container_ref)
    form["/Fields"] = generic.ArrayObject([*(form["/Fields"]), widget])


def swap_font(writer):
    font = page_of(writer)["/Resources"]["/Font"]["/F1"]
    font["/Encoding"] = generic.DictionaryObject(
        {
            N("/Type"): N("/Encoding"),
            N("/Differences"): generic.ArrayObject([generic.NumberObject(0x31), N("/nine")]),
        }
    )
    writer.mark_update(font.container_ref)


def add_page(writer):
    pages = writer.root["/Pages"]
    page = writer.add_object(
        generic.DictionaryObject(
            {
                N("/Type"): N("/Page"),
                N("/Parent"): writer.root.raw_get("/Pages"),
                N("/MediaBox"): numbers(0, 0, 595, 842),
                N("/Contents"): writer.add_object(generic.StreamObject(stream_data=FORGED)),
            }
        )
    )
    pages["/Kids"] = generic.ArrayObject([*(pages.raw_get("/Kids")), page])
    pages["/Count"] = generic.NumberObject(len(pages["/Kids"]))
    writer.mark_update(pages.container_ref)


def drop_page(writer):
    pages = writer.root["/Pages"]
    pages["/Kids"] = generic.ArrayObject(list(pages.raw_get("/Kids"))[:1])
    pages["/Count"] = generic.NumberObject(1)
    writer.mark_update(pages.container_ref)


def crop_page(writer):
    page = page_of(writer)
    page["/CropBox"] = numbers(0, 0, 595, 670)
    writer.mark_update(page.container_ref)


def add_resource(writer):
    """A content stream behind the old one, which paints over the amount."""
    page = page_of(writer)
    new = writer.add_object(
        generic.StreamObject(
            stream_data=(
                b"1 g 70 676 200 16 re f 0 g BT /F1 12 Tf 72 680 Td (Amount: 900 000 NOK) Tj ET"
            )
        )
    )
    page["/Contents"] = generic.ArrayObject([page.raw_get("/Contents"), new])
    writer.mark_update(page.container_ref)


def open_action(writer):
    writer.root["/OpenAction"] = generic.DictionaryObject(
        {N("/S"): N("/JavaScript"), N("/JS"): generic.pdf_string("app.alert('900 000')")}
    )
    writer.update_root()


def swap_pages_root(writer):
    old = writer.root["/Pages"]
    page = generic.DictionaryObject(
        {
            N("/Type"): N("/Page"),
            N("/MediaBox"): numbers(0, 0, 595, 842),
            N("/Resources"): page_of(writer)["/Resources"],
            N("/Contents"): writer.add_object(generic.StreamObject(stream_data=FORGED)),
        }
    )
    reference = writer.add_object(page)
    pages = writer.add_object(
        generic.DictionaryObject(
            {
                N("/Type"): N("/Pages"),
                N("/Kids"): generic.ArrayObject([reference]),
                N("/Count"): old["/Count"],
            }
        )
    )
    page["/Parent"] = pages
    writer.root["/Pages"] = pages
    writer.update_root()


def set_field(writer, name, value, shown=None):
    """Sets a text field, and shows something else when asked to."""
    shown = value if shown is None else shown
    for reference in writer.root["/AcroForm"]["/Fields"]:
        field = reference.get_object()
        if field["/T"] == name:
            field["/V"] = generic.pdf_string(value)
            font = writer.root["/AcroForm"]["/DR"]["/Font"].raw_get("/Helv")
            stream = generic.StreamObject(
                {
                    N("/Type"): N("/XObject"),
                    N("/Subtype"): N("/Form"),
                    N("/BBox"): numbers(0, 0, 200, 20),
                    N("/Resources"): generic.DictionaryObject(
                        {N("/Font"): (generic.DictionaryObject({N("/Helv"): font}))}
                    ),
                },
                stream_data=b"/Tx BMC q BT /Helv 11 Tf 0 g 2 5 Td (%s) Tj ET Q EMC"
                % shown.encode(),
            )
            field["/AP"] = generic.DictionaryObject({N("/N"): writer.add_object(stream)})
            writer.mark_update(field.container_ref)


def edited(data, change):
    """A rewritten file: pikepdf knows no incremental updates."""
    with pikepdf.open(io.BytesIO(data)) as pdf:
        change(pdf)
        out = io.BytesIO()
        pdf.save(out)
    return out.getvalue()
