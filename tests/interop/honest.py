"""Honest files of several revisions: nothing in them may raise an alarm."""

import io

from kit import document, sign, update
from PIL import Image
from pyhanko.pdf_utils import generic, text
from pyhanko.pdf_utils.content import RawContent
from pyhanko.pdf_utils.images import PdfImage
from pyhanko.pdf_utils.incremental_writer import IncrementalPdfFileWriter
from pyhanko.pdf_utils.layout import BoxConstraints
from pyhanko.pdf_utils.reader import PdfFileReader
from pyhanko.sign import fields, signers
from pyhanko.stamp import StaticStampStyle, TextStampStyle

N = generic.NameObject


def bases():
    return {
        "table": document(),
        "pages": document(3),
        "streams": document(2, streams=True),
        "linear": document(2, linear=True),
        "tagged": document(tagged=True),
        "form": document(form=True),
        "form-streams": document(form=True, streams=True),
    }


def fill(data, values, *, marks=()):
    """Fills in text fields, each with an appearance of its own, and marks boxes."""

    def change(writer):
        form = writer.root["/AcroForm"]
        font = form["/DR"]["/Font"].raw_get("/Helv")
        for field_ref in form["/Fields"]:
            reference = field_ref if isinstance(field_ref, generic.IndirectObject) else None
            field = field_ref.get_object()
            name = str(field["/T"])
            reference = reference or field.container_ref
            if name in values:
                value = values[name]
                field["/V"] = generic.pdf_string(value)
                stream = generic.StreamObject(
                    {
                        N("/Type"): N("/XObject"),
                        N("/Subtype"): N("/Form"),
                        N("/BBox"): generic.ArrayObject(map(generic.NumberObject, (0, 0, 200, 20))),
                        N("/Resources"): generic.DictionaryObject(
                            {N("/Font"): (generic.DictionaryObject({N("/Helv"): font}))}
                        ),
                    },
                    stream_data=b"/Tx BMC q BT /Helv 11 Tf 0 g 2 5 Td (%s) Tj ET Q EMC"
                    % value.encode("latin-1"),
                )
                field["/AP"] = generic.DictionaryObject({N("/N"): writer.add_object(stream)})
            elif name in marks:
                field["/V"] = field["/AS"] = N("/Yes")
            else:
                continue
            writer.mark_update(field.container_ref)

    return update(data, change)


def files(authority):
    """Name, original (None: nothing to compare with), signed file, further arguments."""
    kari, ola = authority.signer(), authority.signer(authority.ola)
    clock = authority.timestamper()
    evidence = lambda: authority.context(evidence=True)  # noqa: E731
    made = []

    def add(name, original, signed, *arguments):
        made.append((name, original, signed, list(arguments)))

    for name, base in bases().items():
        once = sign(base, kari)
        add(f"{name}: signed", base, once)
        add(
            f"{name}: visible", base, sign(base, kari, box=(72, 80, 252, 130)), "--seal", "72,712,1"
        )
        twice = sign(once, ola, "Signature2", box=(300, 80, 480, 130))
        add(f"{name}: two signers", base, twice)
        add(f"{name}: two signers, from the first", once, twice)
        timed = sign(base, kari, timestamper=clock)
        long = sign(base, kari, timestamper=clock, context=evidence())
        archived = sign(base, kari, timestamper=clock, context=evidence(), archive=True)
        add(f"{name}: timestamp", base, timed)
        add(f"{name}: store", base, long)
        add(f"{name}: archive", base, archived)
        add(
            f"{name}: archive, then a second signer with archive",
            base,
            sign(archived, ola, "Signature2", timestamper=clock, context=evidence(), archive=True),
        )

    base = bases()["form"]
    filled = fill(base, {"city": "Oslo"}, marks=("agree",))
    add("filled before it was sent", filled, sign(filled, kari))
    add("filled before signing", base, sign(filled, kari))
    signed = sign(filled, kari)
    add("filled before signing, then a second signer", base, sign(signed, ola, "Signature2"))
    late = fill(sign(base, kari), {"city": "Oslo"})
    add("signed, filled, signed again", base, sign(late, ola, "Signature2"))
    streams = bases()["form-streams"]
    add(
        "filled before signing, object streams",
        streams,
        sign(fill(streams, {"city": "Bergen"}), kari, timestamper=clock, context=evidence()),
    )

    made.extend(_certified(authority, kari, ola, clock, evidence))
    made.extend(_prepared(kari, ola))
    made.extend(_stamped(kari))
    made.extend(_timestamped(authority, kari, clock, evidence))
    return made


def _certified(authority, kari, ola, clock, evidence):
    base = document(form=True)
    certified = sign(base, kari, "Author", certify=True)
    yield "certified, then signed", base, sign(certified, ola, "Signature2"), []
    yield (
        "certified, filled, signed",
        base,
        sign(fill(certified, {"city": "Oslo"}), ola, "Signature2"),
        [],
    )
    frozen = sign(
        base,
        kari,
        "Author",
        certify=True,
        permission=fields.MDPPerm.NO_CHANGES,
        timestamper=clock,
        context=evidence(),
        archive=True,
    )
    yield "certified without changes, archive", base, frozen, []


def _prepared(kari, ola):
    """Fields that the sender placed, and fields added before signing."""

    def with_fields(specs):
        writer = IncrementalPdfFileWriter(io.BytesIO(document(2)))
        for spec in specs:
            fields.append_signature_field(writer, spec)
        out = io.BytesIO()
        writer.write(out)
        return out.getvalue()

    placed = with_fields(
        [
            fields.SigFieldSpec("Buyer", box=(72, 80, 252, 130)),
            fields.SigFieldSpec("Seller", box=(300, 80, 480, 130), on_page=1),
        ]
    )
    buyer = sign(placed, kari, "Buyer", existing=True)
    yield "placed field", placed, buyer, ["--no-seal"]
    yield "two placed fields", placed, sign(buyer, ola, "Seller", existing=True), ["--no-seal"]
    base = document(2)
    writer = IncrementalPdfFileWriter(io.BytesIO(base))
    fields.append_signature_field(writer, fields.SigFieldSpec("A"))
    fields.append_signature_field(writer, fields.SigFieldSpec("B"))
    out = io.BytesIO()
    writer.write(out)
    first = sign(out.getvalue(), kari, "A", existing=True)
    yield "fields added in a revision of their own", base, sign(first, ola, "B", existing=True), []
    lock = fields.FieldMDPSpec(fields.FieldMDPAction.INCLUDE, fields=["amount"])
    form = document(form=True)
    writer = IncrementalPdfFileWriter(io.BytesIO(form))
    fields.append_signature_field(
        writer, fields.SigFieldSpec("Buyer", box=(300, 200, 480, 250), field_mdp_spec=lock)
    )
    out = io.BytesIO()
    writer.write(out)
    locking = out.getvalue()
    signed = sign(locking, kari, "Buyer", existing=True)
    yield "a signature that locks a field", locking, signed, []
    yield (
        "another field filled after the lock",
        locking,
        sign(fill(signed, {"city": "Oslo"}), ola, "Signature2"),
        [],
    )
    tree = document(form=True)
    yield "a field below another one", tree, sign(tree, kari, "people.buyer"), []


def _stamped(kari):
    base = document()
    box = (72, 80, 272, 150)
    text_style = TextStampStyle(
        stamp_text="Signed by: %(signer)s\nTime: %(ts)s",
        text_box_style=text.TextBoxStyle(font_size=9),
    )
    yield "text stamp", base, sign(base, kari, box=box, stamp=text_style), ["--seal", "72,692,1"]
    picture = PdfImage(Image.new("RGBA", (40, 20), (20, 60, 120, 128)), writer=None)
    image = TextStampStyle(stamp_text="Signed by: %(signer)s", background=picture)
    yield "image stamp", base, sign(base, kari, box=box, stamp=image), []
    drawn = StaticStampStyle(
        background=RawContent(
            b"q 1 0 0 RG 2 w 0 0 100 40 re S Q", box=BoxConstraints(width=100, height=40)
        ),
        border_width=1,
    )
    yield "drawn stamp", base, sign(base, kari, box=box, stamp=drawn), []
    turned = document(extra=lambda pdf, _: setattr(pdf.pages[0].obj, "Rotate", 90))
    yield "turned page", turned, sign(turned, kari, box=(80, 72, 130, 252)), ["--seal", "72,80,1"]
    yield (
        "adobe form of signature",
        base,
        sign(base, kari, subfilter=fields.SigSeedSubFilter.ADOBE_PKCS7_DETACHED),
        [],
    )


def _timestamped(authority, kari, clock, evidence):
    base = document()
    signed = sign(base, kari, timestamper=clock, context=evidence(), archive=True)
    out = io.BytesIO(signed)
    signers.PdfTimeStamper(clock).update_archival_timestamp_chain(PdfFileReader(out), evidence())
    yield "archive, timestamped once more", base, out.getvalue(), []
    writer = IncrementalPdfFileWriter(io.BytesIO(base))
    stamped = io.BytesIO()
    signers.PdfTimeStamper(clock).timestamp_pdf(writer, "sha256", output=stamped)
    yield "timestamped, then signed", base, sign(stamped.getvalue(), kari), []
