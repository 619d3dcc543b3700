"""Objects that serve twice: where an update changes a picture, ours must not say ok.

usage: twice.py --program VERIFY [--all] [--keep FOLDER]

Each case is a document in which one object serves a purpose that signing needs and a use on a
page (twice_cases.py). It is signed, an update changes the object, and the pages are drawn before
and after by PDFium and Poppler. Pictures that differ, and a verification that is ok, are a failure.
By default a spread of the cases runs with PDFium, some 30 seconds; --all runs every case and every
variant (inherited resources, numbers that are defined only later, the change before signing) with
both. --keep writes the files of the cases that fail. Exit code 3, with the reason, when something
is not installed.
"""

import argparse
import hashlib
import pathlib
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor

try:
    import judges
    import kit
    import pypdfium2
    from twice_cases import cases
except ImportError as error:
    print(f"not judged: {error.name} is not installed (tests/interop/requirements.txt)")
    sys.exit(3)


def by_pdfium(data):
    """The first page as pixels, with annotations and form fields; `None` when it is not drawn."""
    try:
        pdf = pypdfium2.PdfDocument(data)
        pdf.init_forms()
        bitmap = pdf[0].render(scale=0.5, may_draw_forms=True)
        found = (bitmap.width, bitmap.height, hashlib.sha256(bytes(bitmap.buffer)).digest())
        pdf.close()
        return found
    except (pypdfium2.PdfiumError, ValueError):
        return None


def by_poppler(data):
    try:
        run = subprocess.run(
            ["pdftoppm", "-r", "36", "-l", "1", "-"],
            input=data,
            capture_output=True,
            timeout=60,
            check=False,
        )
    except subprocess.TimeoutExpired:
        return None
    return run.stdout or None


def differ(draw, one, other):
    return None not in (one, other) and draw(one) != draw(other)


def judge(program, listed, keep, with_poppler):
    """The counts, and the names of the cases that fail."""
    authority = kit.Authority()
    signer = authority.signer(authority.ola)
    counts = dict.fromkeys(
        (
            "cases",
            "refused as signed",
            "pictures",
            "PDFium",
            "Poppler",
            "not ok",
            "signatures alone would pass",
        ),
        0,
    )
    failures = []
    with tempfile.TemporaryDirectory() as name, ThreadPoolExecutor(2) as pool:
        folder = pathlib.Path(name)
        (folder / "root.pem").write_bytes(authority.root.pem)
        trust = ["--trust", folder / "root.pem"]
        files, jobs = [], []
        for index, case in enumerate(listed):
            paths = [folder / f"{index}-{part}.pdf" for part in ("o", "signed", "later", "before")]
            made_files = (case.document, *case.files(signer))
            for path, data in zip(paths, made_files, strict=True):
                path.write_bytes(data)
            files.append(made_files)
            jobs += [
                [paths[1], *trust],
                [paths[2], *trust],
                [paths[2], *trust, "--original", paths[0]],
                [paths[3], *trust, "--original", paths[0]],
            ]
        reports = judges.ours(program, jobs, folder)
        poppler = [None] * len(listed)
        if with_poppler:
            poppler = list(pool.map(lambda f: differ(by_poppler, f[1], f[2]), files))
        for index, case in enumerate(listed):
            signed, *others = reports[4 * index : 4 * index + 4]
            accepted = [
                how
                for how, report in zip(
                    ("without original", "with original", "before signing"), others, strict=True
                )
                if report["ok"]
            ]
            pdfium = differ(by_pdfium, files[index][1], files[index][2])
            if accepted and poppler[index] is None:
                poppler[index] = differ(by_poppler, files[index][1], files[index][2])
            pictures = bool(pdfium or poppler[index])
            counts["cases"] += 1
            counts["refused as signed"] += not signed["ok"]
            counts["PDFium"] += bool(pdfium)
            counts["Poppler"] += bool(poppler[index])
            counts["pictures"] += pictures
            counts["not ok"] += not accepted
            counts["signatures alone would pass"] += pictures and naive(others[0])
            if pictures and accepted:
                failures.append(f"{case.name}: the picture changed, and it is ok {accepted}")
                if keep:
                    keep.mkdir(parents=True, exist_ok=True)
                    for part, data in zip(("o", "signed", "later"), files[index], strict=False):
                        (keep / f"{index}-{part}.pdf").write_bytes(data)
    return counts, failures


def naive(report):
    """Whether somebody passes the file who looks at the signatures alone."""
    status = {check["name"]: check["status"] for check in report["checks"]}
    return all(status.get(name) == "passed" for name in ("integrity", "signature", "chain"))


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("--program", required=True)
    parser.add_argument("--all", action="store_true", help="every case and variant, both readers")
    parser.add_argument("--keep", type=pathlib.Path, help="a folder for the files that fail")
    options = parser.parse_args()
    if not options.all:
        print("a spread of the cases; --all runs every one")
    listed = cases(options.all)
    counts, failures = judge(options.program, listed, options.keep, options.all)
    for failure in failures:
        print(f"FAILED {failure}")
    print("objects that serve twice: " + ", ".join(f"{n} {name}" for name, n in counts.items()))
    # So that the check can fail: pictures do change, and what looks at less would pass them.
    is_able = (
        counts["pictures"] >= counts["cases"] // 4
        and counts["signatures alone would pass"] > 0
        and counts["refused as signed"] < counts["cases"] // 3
    )
    if not is_able:
        print("FAILED the cases are no test: too few pictures change, or too few are signed well")
    sys.exit(1 if failures or not is_able else 0)


if __name__ == "__main__":
    main()
