"""Where pages use an object, and by what change of it their picture changes.

The object is always number 10; `{X}` in a body is what is changed, from one token to another.
"""

import dataclasses

TEXT = "BT /F1 24 Tf 72 700 Td (1) Tj ET"
BARE_FORM = "/Type/XObject/Subtype/Form/BBox[0 0 400 60]"
FORM = BARE_FORM + "/Resources<</Font<</F1 5 0 R>>>>"
TEXT9 = "BT /F1 24 Tf 72 500 Td (%d) Tj ET"
NINE = "<</Type/Font/Subtype/Type1/BaseFont/Helvetica/Encoding<</Differences[49/nine]>>>>"
PLAIN = "<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>"


def stream(entries, data):
    data = data.encode("latin-1") if isinstance(data, str) else data
    return f"<<{entries}/Length {len(data)}>>\nstream\n{data.decode('latin-1')}\nendstream"


def drawing(digit):
    return f"BT /F1 24 Tf 5 20 Td ({digit}) Tj ET"


@dataclasses.dataclass
class Parts:
    """What a use or a purpose adds to the document."""

    catalog: str = ""
    trailer: str = ""
    tree: str = ""
    page: str = ""
    resources: str = ""
    content: str = ""
    contents: str = ""
    annots: str = ""
    fields: str = ""
    form: str = ""
    objects: dict = dataclasses.field(default_factory=dict)

    def __add__(self, other):
        pairs = {
            f.name: getattr(self, f.name) + getattr(other, f.name)
            for f in dataclasses.fields(self)
            if f.name != "objects"
        }
        return Parts(**pairs, objects={**self.objects, **other.objects})


@dataclasses.dataclass
class Use:
    """Where a page uses the object. `body` is the inside of a dictionary or array, the whole of
    another value, or the data of a stream whose entries are `entries`."""

    name: str
    kind: str
    body: str
    before: str
    after: str
    parts: Parts
    entries: str = ""
    # Of a dictionary that holds resources by name: what a value looks like.
    value: tuple = ()


XOBJECTS = {20: stream(FORM, drawing(1)), 21: stream(FORM, drawing(9))}
FONTS = {20: PLAIN, 21: NINE}
STATES = {20: "<</ca 1/Type/ExtGState>>", 21: "<</ca 0.1/Type/ExtGState>>"}
SHOW_FONT = " BT /F9 24 Tf 72 500 Td (111) Tj ET "
SHOW_FORM = " q 1 0 0 1 72 400 cm /X9 Do Q "
AREA = " 72 300 200 60 re f "
IMAGE = "/Type/XObject/Subtype/Image/Width 1/Height 1/BitsPerComponent 8"
SHOW_IMAGE = " q 200 0 0 60 72 300 cm /X9 Do Q "
FONT9 = "/Font<</F1 5 0 R/F9 30 0 R>>"
XOBJECT9 = "/Font<</F1 5 0 R>>/XObject<</X9 30 0 R>>"
FUNCTION = "<</FunctionType 2/Domain[0 1]/N 1/C0[0 0 0]/C1[{X}]>>"
LAYER = "/Font<</F1 5 0 R>>/Properties<</L 31 0 R>>/XObject<</X9 30 0 R>>"
SHOW_LAYER = " /OC /L BDC q 1 0 0 1 72 400 cm /X9 Do Q EMC "
LAYERS = {30: XOBJECTS[20], 31: "<</Type/OCG/Name(L)>>"}
ANNOTATION = "/Type/Annot/Rect[72 600 272 640]/F 4"


def show(name):
    """Content that uses the resource of that name, and the value's two bodies, by category."""
    return {
        "Font": (f" BT /{name} 24 Tf 72 500 Td (111) Tj ET ", "dict", PLAIN, NINE),
        "XObject": (f" q 1 0 0 1 72 400 cm /{name} Do Q ", "stream", XOBJECTS[20], XOBJECTS[21]),
        "ColorSpace": (
            f" q /{name} cs 0 sc{AREA}Q ",
            "array",
            "[/Indexed/DeviceRGB 0<FFFF00>]",
            "[/Indexed/DeviceRGB 0<000000>]",
        ),
        "Pattern": (
            f" q /Pattern cs /{name} scn{AREA}Q ",
            "stream",
            *(
                stream(
                    "/Type/Pattern/PatternType 1/PaintType 1/TilingType 1/BBox[0 0 9 9]/XStep 9"
                    "/YStep 9/Resources<<>>",
                    f"{grey} g 0 0 9 9 re f",
                )
                for grey in (1, 0)
            ),
        ),
        "Shading": (
            f" q 72 300 200 60 re W n /{name} sh Q ",
            "dict",
            *(
                "<</ShadingType 2/ColorSpace/DeviceRGB/Coords[72 0 272 0]/Extend[true true]"
                f"/Function<</FunctionType 2/Domain[0 1]/N 1/C0[1 1 0]/C1[{end}]>>>>"
                for end in ("1 1 0", "0 0 0")
            ),
        ),
        "ExtGState": (f" q /{name} gs{AREA}Q ", "dict", STATES[20], STATES[21]),
        "Properties": (
            f" /OC /{name} BDC{AREA}EMC ",
            "dict",
            "<</Type/OCMD/OCGs 32 0 R>>",
            "<</Type/OCMD/OCGs 33 0 R>>",
        ),
    }


TWO_LAYERS = Parts(
    catalog="/OCProperties<</OCGs[32 0 R 33 0 R]/D<</BaseState/ON/ON[32 0 R]/OFF[33 0 R]>>>>",
    objects={32: "<</Type/OCG/Name(a)>>", 33: "<</Type/OCG/Name(b)>>"},
)


def _content_uses():
    yield Use(
        "content",
        "stream",
        "BT /F1 24 Tf 72 500 Td {X} Tj ET",
        "(1)",
        "(9)",
        Parts(contents=" 10 0 R"),
    )
    yield Use(
        "list of contents",
        "array",
        "4 0 R {X}",
        "20 0 R",
        "21 0 R",
        Parts(contents="=", objects={20: stream("", TEXT9 % 1), 21: stream("", TEXT9 % 9)}),
    )
    yield Use(
        "resources",
        "dict",
        "/Font<</F1 5 0 R>>/XObject<</X9 {X}>>",
        "20 0 R",
        "21 0 R",
        Parts(resources="10 0 R", content=SHOW_FORM, objects=XOBJECTS),
    )
    yield Use(
        "fonts",
        "dict",
        "/F1 5 0 R/F9 {X}",
        "20 0 R",
        "21 0 R",
        Parts(resources="/Font 10 0 R", content=SHOW_FONT, objects=FONTS),
    )
    yield Use(
        "forms",
        "dict",
        "/X9 {X}",
        "20 0 R",
        "21 0 R",
        Parts(resources="/Font<</F1 5 0 R>>/XObject 10 0 R", content=SHOW_FORM, objects=XOBJECTS),
    )
    yield Use(
        "font",
        "dict",
        "/Type/Font/Subtype/Type1/BaseFont{X}",
        "/Helvetica",
        "/Courier",
        Parts(resources="/Font<</F1 5 0 R/F9 10 0 R>>", content=SHOW_FONT),
    )
    yield Use(
        "encoding",
        "dict",
        "/Type/Encoding/Differences[49{X}]",
        "/one",
        "/nine",
        Parts(
            resources=FONT9,
            content=SHOW_FONT,
            objects={30: "<</Type/Font/Subtype/Type1/BaseFont/Helvetica/Encoding 10 0 R>>"},
        ),
    )
    yield Use(
        "differences",
        "array",
        "49{X}",
        "/one",
        "/nine",
        Parts(
            resources=FONT9,
            content=SHOW_FONT,
            objects={
                30: "<</Type/Font/Subtype/Type1/BaseFont/Helvetica/Encoding"
                "<</Type/Encoding/Differences 10 0 R>>>>"
            },
        ),
    )
    yield Use(
        "widths",
        "array",
        "{X}",
        "556",
        "1556",
        Parts(
            resources=FONT9,
            content=SHOW_FONT,
            objects={
                30: "<</Type/Font/Subtype/TrueType/BaseFont/Helvetica/FirstChar 49/LastChar 49"
                "/Widths 10 0 R/Encoding/WinAnsiEncoding/FontDescriptor 31 0 R>>",
                31: "<</Type/FontDescriptor/FontName/Helvetica/Flags 32/FontBBox[0 0 900 900]"
                "/ItalicAngle 0/Ascent 900/Descent 0/CapHeight 700/StemV 80>>",
            },
        ),
    )
    glyphs = {
        20: stream("", "500 0 d0 0 0 400 700 re f"),
        21: stream("", "500 0 d0 0 0 90 90 re f"),
    }
    type3 = (
        "<</Type/Font/Subtype/Type3/FontBBox[0 0 750 750]/FontMatrix[0.001 0 0 0.001 0 0]"
        "/FirstChar 49/LastChar 49/Widths[500]/Encoding<</Differences[49/g]>>/Resources<<>>"
        "/CharProcs %s>>"
    )
    yield Use(
        "glyphs",
        "dict",
        "/g {X}",
        "20 0 R",
        "21 0 R",
        Parts(resources=FONT9, content=SHOW_FONT, objects={30: type3 % "10 0 R", **glyphs}),
    )
    yield Use(
        "glyph",
        "stream",
        "500 0 d0 0 0 {X} 700 re f",
        "400",
        "100",
        Parts(resources=FONT9, content=SHOW_FONT, objects={30: type3 % "<</g 10 0 R>>"}),
    )
    yield Use(
        "form",
        "stream",
        "BT /F1 24 Tf 5 20 Td {X} Tj ET",
        "(1)",
        "(9)",
        Parts(resources="/Font<</F1 5 0 R>>/XObject<</X9 10 0 R>>", content=SHOW_FORM),
        FORM,
    )
    yield Use(
        "resources of a form",
        "dict",
        "/Font<</F1 {X}>>",
        "20 0 R",
        "21 0 R",
        Parts(
            resources=XOBJECT9,
            content=SHOW_FORM,
            objects={
                30: stream(BARE_FORM + "/Resources 10 0 R", drawing(1)),
                **FONTS,
            },
        ),
    )
    yield Use(
        "image",
        "stream",
        "{X}",
        "\x41",
        "\x20",
        Parts(resources="/Font<</F1 5 0 R>>/XObject<</X9 10 0 R>>", content=SHOW_IMAGE),
        IMAGE + "/ColorSpace/DeviceGray",
    )
    yield Use(
        "mask of an image",
        "stream",
        "{X}",
        "\x41",
        "\x7e",
        Parts(
            resources=XOBJECT9,
            content=SHOW_IMAGE,
            objects={30: stream(IMAGE + "/ColorSpace/DeviceGray/SMask 10 0 R", "\x20")},
        ),
        IMAGE + "/ColorSpace/DeviceGray",
    )
    yield Use(
        "decode of an image",
        "array",
        "{X}",
        "0 1",
        "1 0",
        Parts(
            resources=XOBJECT9,
            content=SHOW_IMAGE,
            objects={30: stream(IMAGE + "/ColorSpace/DeviceGray/Decode 10 0 R", "\x20")},
        ),
    )
    yield Use(
        "colour space of an image",
        "array",
        "/Indexed/DeviceRGB 0 {X}",
        "<FFFF00>",
        "<000000>",
        Parts(
            resources=XOBJECT9,
            content=SHOW_IMAGE,
            objects={30: stream(IMAGE + "/ColorSpace 10 0 R", "\x00")},
        ),
    )
    yield Use(
        "palette",
        "string",
        "{X}",
        "(abc)",
        "(zz0)",
        Parts(
            resources="/Font<</F1 5 0 R>>/ColorSpace<</C[/Indexed/DeviceRGB 0 10 0 R]>>",
            content=f" q /C cs 0 sc{AREA}Q ",
        ),
    )
    yield Use(
        "tint",
        "dict",
        FUNCTION[2:-2],
        "1 1 0",
        "0 0 0",
        Parts(
            resources="/Font<</F1 5 0 R>>/ColorSpace<</C[/Separation/S/DeviceRGB 10 0 R]>>",
            content=f" q /C cs 1 sc{AREA}Q ",
        ),
    )
    yield Use(
        "shading",
        "dict",
        "/ShadingType 2/ColorSpace/DeviceRGB/Coords[72 0 272 0]"
        "/Extend[true true]/Function" + FUNCTION,
        "1 1 0",
        "0 0 0",
        Parts(
            resources="/Font<</F1 5 0 R>>/Shading<</S 10 0 R>>",
            content=" q 72 300 200 60 re W n /S sh Q ",
        ),
    )
    yield Use(
        "pattern",
        "stream",
        "{X} g 0 0 9 9 re f",
        "1",
        "0",
        Parts(
            resources="/Font<</F1 5 0 R>>/Pattern<</P 10 0 R>>",
            content=f" q /Pattern cs /P scn{AREA}Q ",
        ),
        "/PatternType 1/PaintType 1/TilingType 1/BBox[0 0 9 9]/XStep 9/YStep 9/Resources<<>>",
    )
    yield Use(
        "graphics state",
        "dict",
        "/ca {X}",
        "0.875",
        "0.125",
        Parts(resources="/Font<</F1 5 0 R>>/ExtGState<</G 10 0 R>>", content=f" q /G gs{AREA}Q "),
    )
    yield Use(
        "line width",
        "number",
        "{X}",
        "1",
        "3",
        Parts(
            resources="/Font<</F1 5 0 R>>/ExtGState<</G<</LW 10 0 R>>>>",
            content=" q /G gs 72 300 m 300 300 l S Q ",
        ),
    )
    yield Use(
        "length of the content",
        "number",
        "{X}",
        "32",
        "3",
        Parts(
            contents=" 30 0 R",
            objects={30: "<</Length 10 0 R>>\nstream\nBT /F1 24 Tf 72 500 Td (1) Tj ET\nendstream"},
        ),
    )


def _document_uses():
    yield Use(
        "layers",
        "dict",
        "/OCGs[31 0 R]/D<</BaseState{X}>>",
        "/ON",
        "/OFF",
        Parts(catalog="/OCProperties 10 0 R", resources=LAYER, content=SHOW_LAYER, objects=LAYERS),
    )
    yield Use(
        "settings of layers",
        "dict",
        "/BaseState/ON/OFF[{X}]",
        "32 0 R",
        "31 0 R",
        Parts(
            catalog="/OCProperties<</OCGs[31 0 R 32 0 R]/D 10 0 R>>",
            resources=LAYER,
            content=SHOW_LAYER,
            objects={**LAYERS, 32: "<</Type/OCG/Name(M)>>"},
        ),
    )
    yield Use(
        "hidden layers",
        "array",
        "{X}",
        "32 0 R",
        "31 0 R",
        Parts(
            catalog="/OCProperties<</OCGs[31 0 R 32 0 R]/D<</OFF 10 0 R>>>>",
            resources=LAYER,
            content=SHOW_LAYER,
            objects={**LAYERS, 32: "<</Type/OCG/Name(M)>>"},
        ),
    )
    yield Use(
        "membership of layers",
        "dict",
        "/Type/OCMD/OCGs {X}",
        "32 0 R",
        "33 0 R",
        TWO_LAYERS
        + Parts(
            resources=LAYER.replace("31", "10"), content=SHOW_LAYER, objects={30: XOBJECTS[20]}
        ),
    )
    yield Use("page box", "array", "0 0 {X} 842", "595", "400", Parts(page="/MediaBox 10 0 R"))
    yield Use("crop", "array", "0 0 {X} 842", "595", "400", Parts(page="/CropBox 10 0 R"))
    yield Use("inherited box", "array", "0 0 {X} 842", "595", "400", Parts(tree="/CropBox 10 0 R"))
    yield Use("turn", "number", "{X}", "0", "90", Parts(page="/Rotate 10 0 R"))
    yield Use("inherited turn", "number", "{X}", "0", "90", Parts(tree="/Rotate 10 0 R"))
    yield Use(
        "inherited resources",
        "dict",
        "/Font<</F1 5 0 R>>/XObject<</X9 {X}>>",
        "20 0 R",
        "21 0 R",
        Parts(tree="/Resources 10 0 R", resources="-", content=SHOW_FORM, objects=XOBJECTS),
    )


def _annotation_uses():
    yield Use(
        "appearance",
        "stream",
        "BT /F1 24 Tf 5 20 Td {X} Tj ET",
        "(1)",
        "(9)",
        Parts(annots=" 30 0 R", objects={30: f"<<{ANNOTATION}/Subtype/Stamp/AP<</N 10 0 R>>>>"}),
        FORM,
    )
    yield Use(
        "appearances",
        "dict",
        "/N {X}",
        "20 0 R",
        "21 0 R",
        Parts(
            annots=" 30 0 R", objects={30: f"<<{ANNOTATION}/Subtype/Stamp/AP 10 0 R>>", **XOBJECTS}
        ),
    )
    yield Use(
        "states",
        "dict",
        "/On {X}",
        "20 0 R",
        "21 0 R",
        Parts(
            annots=" 30 0 R",
            objects={30: f"<<{ANNOTATION}/Subtype/Stamp/AS/On/AP<</N 10 0 R>>>>", **XOBJECTS},
        ),
    )
    yield Use(
        "annotation",
        "dict",
        ANNOTATION + "/Subtype/Stamp/AP<</N {X}>>",
        "20 0 R",
        "21 0 R",
        Parts(annots=" 10 0 R", objects=XOBJECTS),
    )
    yield Use(
        "hidden annotation",
        "dict",
        ANNOTATION.replace("/F 4", "/F {X}") + "/Subtype/Stamp/AP<</N 20 0 R>>",
        "2",
        "4",
        Parts(annots=" 10 0 R", objects=XOBJECTS),
    )
    yield Use(
        "state of an annotation",
        "dict",
        ANNOTATION + "/Subtype/Stamp/AS{X}/AP<</N<</a 20 0 R/b 21 0 R>>>>",
        "/a",
        "/b",
        Parts(annots=" 10 0 R", objects=XOBJECTS),
    )
    yield Use(
        "free text",
        "dict",
        ANNOTATION + "/Subtype/FreeText/Contents(1)/DA {X}",
        "(/Helv 12 Tf 1 g)",
        "(/Helv 12 Tf 0 g)",
        Parts(annots=" 10 0 R"),
    )
    yield Use(
        "style of a free text",
        "string",
        "{X}",
        "(/Helv 12 Tf 1 g)",
        "(/Helv 12 Tf 0 g)",
        Parts(
            annots=" 30 0 R",
            objects={30: f"<<{ANNOTATION}/Subtype/FreeText/Contents(1)/DA 10 0 R>>"},
        ),
    )
    yield Use(
        "text of a free text",
        "string",
        "{X}",
        "(1)",
        "(9)",
        Parts(
            annots=" 30 0 R",
            objects={30: f"<<{ANNOTATION}/Subtype/FreeText/DA(/Helv 12 Tf 0 g)/Contents 10 0 R>>"},
        ),
    )
    yield Use(
        "square", "dict", ANNOTATION + "/Subtype/Square/IC[{X}]", "1", "0", Parts(annots=" 10 0 R")
    )
    yield Use(
        "colour of a square",
        "array",
        "{X}",
        "1",
        "0",
        Parts(annots=" 30 0 R", objects={30: f"<<{ANNOTATION}/Subtype/Square/IC 10 0 R>>"}),
    )
    yield Use(
        "longer colour of a square",
        "array",
        "0 0{X}",
        "",
        " 0",
        Parts(annots=" 30 0 R", objects={30: f"<<{ANNOTATION}/Subtype/Square/IC 10 0 R>>"}),
    )
    yield Use(
        "place of an annotation",
        "array",
        "72 {X} 272 640",
        "600",
        "550",
        Parts(
            annots=" 30 0 R",
            objects={
                30: "<</Type/Annot/F 4/Subtype/Stamp/Rect 10 0 R/AP<</N 20 0 R>>>>",
                **XOBJECTS,
            },
        ),
    )
    yield Use(
        "list of annotations",
        "array",
        "{X}",
        "30 0 R",
        "31 0 R",
        Parts(
            page="/Annots 10 0 R",
            objects={
                30: f"<<{ANNOTATION}/Subtype/Stamp/AP<</N 20 0 R>>>>",
                31: f"<<{ANNOTATION}/Subtype/Stamp/AP<</N 21 0 R>>>>",
                **XOBJECTS,
            },
        ),
    )


def uses():
    yield from _content_uses()
    yield from _document_uses()
    yield from _annotation_uses()
