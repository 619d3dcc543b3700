"""Documents as people send them, made with the programs that people use.

usage: inputs.py FOLDER

Each program that is installed adds files named KIND-NAME.pdf: LibreOffice (`soffice`), Chromium,
pdfTeX and LuaTeX, and img2pdf, reportlab and Pillow for what scanners write. What they hold is made
up here.
"""

import io
import pathlib
import random
import shutil
import subprocess
import sys
import tempfile

WORDS = [
    "loan",
    "agreement",
    "borrower",
    "lender",
    "amount",
    "interest",
    "payable",
    "month",
    "bank",
    "customer",
    "notice",
    "term",
    "security",
    "åpen",
    "ære",
    "øvre",
    "consent",
    "signature",
    "witness",
    "date",
    "place",
    "instalment",
    "fee",
    "account",
]


def text(rng, count):
    return " ".join(rng.choice(WORDS) for _ in range(count)).capitalize() + "."


def part(rng, name):
    """One block of HTML."""
    items = "".join(f"<li>{text(rng, 9)}</li>" for _ in range(5))
    rows = "".join(
        f"<tr><td>{text(rng, 2)}</td><td>{rng.randrange(10**6)}</td></tr>" for _ in range(6)
    )
    width = rng.randrange(90)
    return {
        "heading": f"<h2>{text(rng, 4)}</h2>",
        "list": f"<ul>{items}</ul>",
        "table": f"<table border='1'><tr><th>What</th><th>NOK</th></tr>{rows}</table>",
        "link": f"<p><a href='https://example.test/{width}'>{text(rng, 3)}</a></p>",
        "image": f"<svg width='90' height='40'><rect width='{width}' height='30'/></svg>",
        "field": "<form><input name='name' value=''> <input type='checkbox' name='agree'></form>",
        "break": "<p style='page-break-before: always'>Next page</p>",
        "text": f"<p>{text(rng, 60)}</p>",
    }[name]


PARTS = ("text", "heading", "list", "table", "link", "image", "field", "break")


def pages(count=12):
    """Name and HTML of documents that differ in what they hold."""
    for index in range(count):
        rng = random.Random(index)
        chosen = ["heading", "text", *rng.sample(PARTS, 1 + index % len(PARTS)), "text"]
        body = "".join(part(rng, name) for name in chosen * (1 + index % 3))
        head = f"<meta charset='utf-8'><title>{text(rng, 3)}</title>"
        yield (
            f"{index:02}",
            f"<!doctype html><html lang='nb'><head>{head}</head><body>{body}</body></html>",
        )


def run(*command):
    subprocess.run(command, check=False, capture_output=True, timeout=300)


def chrome(folder, work):
    program = shutil.which("chromium") or shutil.which("google-chrome")
    for name, html in pages() if program else ():
        source = work / f"{name}.html"
        source.write_text(html, encoding="utf-8")
        run(
            program,
            "--headless",
            "--no-sandbox",
            "--disable-gpu",
            f"--user-data-dir={work / 'profile'}",
            "--no-pdf-header-footer",
            f"--print-to-pdf={folder / f'Chrome-{name}.pdf'}",
            source.as_uri(),
        )


# Filter settings of LibreOffice: tagged, PDF/A, without forms, with bookmarks.
FILTERS = (
    "",
    '{"UseTaggedPDF":{"type":"boolean","value":"true"}}',
    '{"SelectPdfVersion":{"type":"long","value":"2"}}',
    '{"PDFUACompliance":{"type":"boolean","value":"true"}}',
    '{"ExportFormFields":{"type":"boolean","value":"false"}}',
    '{"SelectPdfVersion":{"type":"long","value":"17"}}',
)


def libreoffice(folder, work):
    program = shutil.which("soffice")
    groups = {}
    for index, (name, html) in enumerate(pages() if program else ()):
        groups.setdefault(index % len(FILTERS), []).append((name, html))
    for number, group in groups.items():
        place = work / f"office-{number}"
        place.mkdir()
        for name, html in group:
            (place / f"{name}.html").write_text(html, encoding="utf-8")
        setting = FILTERS[number]
        run(
            program,
            "--headless",
            f"-env:UserInstallation={(work / 'office').as_uri()}",
            "--convert-to",
            "pdf:writer_web_pdf_Export" + (f":{setting}" if setting else ""),
            "--outdir",
            place,
            *sorted(place.glob("*.html")),
        )
        for made in place.glob("*.pdf"):
            shutil.move(made, folder / f"LibreOffice-{made.name}")


def tex(folder, work):
    for program in ("pdflatex", "lualatex"):
        if not shutil.which(program):
            continue
        for index in range(6):
            rng = random.Random(index)
            package = "\\usepackage{hyperref}" if index % 2 else ""
            first = "\\pdfobjcompresslevel=0 " if program == "pdflatex" and index % 3 == 2 else ""
            body = "\\newpage ".join(
                f"\\section{{{rng.choice(WORDS[:10])}}} $a^2+{rng.randrange(99)}$ loan {number}"
                for number in range(1 + index)
            )
            name = f"TeX-{program}-{index}"
            (work / f"{name}.tex").write_text(
                f"{first}\\documentclass{{article}}{package}\\begin{{document}}{body}"
                "\\end{document}"
            )
            run(
                program, "-interaction=batchmode", f"-output-directory={work}", work / f"{name}.tex"
            )
            made = work / f"{name}.pdf"
            if made.is_file():
                shutil.move(made, folder / made.name)


def scanner(folder, _):
    """Pages that are pictures, some with the invisible text that recognition adds."""
    try:
        import img2pdf
        from PIL import Image, ImageDraw
        from reportlab.pdfgen import canvas
    except ImportError as error:
        print(f"no scanner outputs: {error.name} is not installed")
        return

    def picture(index, mode):
        image = Image.new(mode, (620, 877), "white")
        ImageDraw.Draw(image).text((60, 60 + 10 * index), "LOAN 100 000 NOK", fill="black")
        return image

    for index in range(6):
        out = io.BytesIO()
        form = "JPEG" if index % 2 else "PNG"
        picture(index, "L" if index % 3 else "1").convert("L").save(out, form)
        many = [out.getvalue()] * (1 + index % 3)
        (folder / f"scanner-img2pdf-{index}.pdf").write_bytes(img2pdf.convert(many))
        shots = [picture(index + n, "RGB") for n in range(1 + index % 2)]
        shots[0].save(
            folder / f"scanner-pillow-{index}.pdf", save_all=True, append_images=shots[1:]
        )
        drawn = canvas.Canvas(str(folder / f"scanner-text-{index}.pdf"), pageCompression=index % 2)
        for shot in shots:
            drawn.drawInlineImage(shot, 0, 0, 595, 842)
            words = drawn.beginText(60, 700)
            words.setTextRenderMode(3)
            words.setFont("Helvetica", 10)
            words.textLine("LOAN 100 000 NOK")
            drawn.drawText(words)
            drawn.showPage()
        drawn.save()


def make(folder):
    folder.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as name:
        for program in (chrome, libreoffice, tex, scanner):
            program(folder, pathlib.Path(name))
    return sorted(folder.glob("*.pdf"))


if __name__ == "__main__":
    made = make(pathlib.Path(sys.argv[1]))
    print(f"{len(made)} documents")
