"""Writes tests/data/signers: small documents of our own, signed by others.

usage: samples.py

Needs what inputs.py and matrix.py need. The keys are made for one run and thrown away.
"""

import json
import pathlib
import shutil
import subprocess
import tempfile

import foreign
import inputs
import kit
import matrix

FOLDER = pathlib.Path(__file__).resolve().parents[1] / "data" / "signers"
SERIAL = (
    ("PDFBox", "iText"),
    ("iText", "PDFBox"),
    ("OpenPDF", "DSS"),
    ("DSS", "pyHanko"),
    ("pyHanko", "OpenPDF"),
)
HTML = (
    "<!doctype html><html lang='nb'><head><meta charset='utf-8'><title>Lån</title></head>"
    "<body><h2>Lån</h2><p>100 000 NOK</p></body></html>"
)
TEX = (
    "\\documentclass{article}\\usepackage{hyperref}\\begin{document}\\section{Loan}100 000 NOK"
    "\\end{document}"
)


def documents(folder):
    """One document of each program."""
    page = folder / "page.html"
    page.write_text(HTML, encoding="utf-8")
    inputs.run(
        "chromium",
        "--headless",
        "--no-sandbox",
        f"--user-data-dir={folder / 'profile'}",
        "--no-pdf-header-footer",
        f"--print-to-pdf={folder / 'chrome.pdf'}",
        page.as_uri(),
    )
    inputs.run(
        "soffice",
        "--headless",
        f"-env:UserInstallation={(folder / 'office').as_uri()}",
        "--convert-to",
        "pdf:writer_web_pdf_Export:" + inputs.FILTERS[3],
        "--outdir",
        folder / "office-out",
        page,
    )
    shutil.move(folder / "office-out" / "page.pdf", folder / "libreoffice.pdf")
    (folder / "tex.tex").write_text(TEX)
    for _ in range(2):
        inputs.run(
            "pdflatex", "-interaction=batchmode", f"-output-directory={folder}", folder / "tex.tex"
        )
    scans = folder / "scans"
    scans.mkdir()
    inputs.scanner(scans, folder)
    shutil.move(scans / "scanner-img2pdf-0.pdf", folder / "scanner.pdf")
    return [folder / f"{name}.pdf" for name in ("chrome", "libreoffice", "tex", "scanner")]


def main():
    path = foreign.class_path(fetch=True)
    authority = kit.Authority()
    shutil.rmtree(FOLDER, ignore_errors=True)
    FOLDER.mkdir(parents=True)
    with tempfile.TemporaryDirectory() as name:
        work = pathlib.Path(name)
        once, twice, cases = [], [], []
        for document in documents(work):
            shutil.copy(document, FOLDER)
            original = FOLDER / document.name
            for who in matrix.SIGNERS:
                target = FOLDER / f"{document.stem}-{who.lower()}.pdf"
                # What shows in one document does not in the next; EU DSS embeds a large font.
                is_seen = (len(once) + len(once) // 5) % 2
                if who == "DSS":
                    is_seen = document.stem == "scanner"
                box = matrix.FIRST_BOX if is_seen else None
                once.append((who, "Signature1", box, original, target))
                cases.append((original.name, target.name, 1))
        for first, second in SERIAL:
            for stem in ("chrome", "tex"):
                source = FOLDER / f"{stem}-{first.lower()}.pdf"
                target = FOLDER / f"{stem}-{first.lower()}-{second.lower()}.pdf"
                box = None if second == "DSS" else matrix.SECOND_BOX
                twice.append((second, "Signature2", box, source, target))
                cases.append((f"{stem}.pdf", target.name, 2))
        for jobs in (once, twice):
            answers = matrix.sign_all(authority, path, jobs, work)
            assert set(answers) == {"ok"}, answers
    (FOLDER / "roots.pem").write_bytes(authority.root.pem)
    listed = [{"original": a, "signed": b, "signatures": n} for a, b, n in cases]
    manifest = {"at": int(kit.NOW.timestamp()) + 3600, "cases": listed}
    (FOLDER / "manifest.json").write_text(json.dumps(manifest, indent=1) + "\n")
    subprocess.run(["du", "-sh", FOLDER], check=True)


if __name__ == "__main__":
    main()
