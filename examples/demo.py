"""Converts sample documents through the Python package, on a sandbox of the service.

    python examples/demo.py [FOLDER]

Nothing leaves this machine. Samples and results stay in FOLDER (default: ``demo``).
"""

from __future__ import annotations

import json
import subprocess
import sys
from itertools import zip_longest
from pathlib import Path

import signdoc

HEAD = ("document", "size", "converted", "warnings", "errors", "result")
WIDTHS = (20, 7, 9, 17, 10, 27)


def main() -> int:
    """Makes the samples, converts each of them, and shows what came of it."""
    folder = Path(sys.argv[1] if len(sys.argv) > 1 else "demo")
    with signdoc.Sandbox() as sandbox, sandbox.client() as client:
        print(f"Python {sys.version.split()[0]} with signdoc {signdoc.__version__}")
        print(f"service:    a sandbox on this machine, {sandbox.base_url}")
        print(f"converter:  {sandbox.converter or f'none ({sandbox.converter_reason})'}\n")
        table_row(*HEAD)
        table_row(*("-" * width for width in WIDTHS))
        results = []
        for path in samples(folder / "samples"):
            result = convert(client, path, folder / "python")
            show(path, result, folder, has_converter=sandbox.converter is not None)
            results.append(result)
    done = sum(result.converted for result in results)
    print(f"\n{done} of {len(results)} converted, results in {folder / 'python'}")
    return 0


def samples(folder: Path) -> list[Path]:
    """Generated PDFs that look like life, three of which cannot be converted."""
    command = [sys.executable, "-m", "signdoc", "samples", "-o", str(folder), "--overwrite"]
    written = subprocess.run([*command, "--json"], check=True, stdout=subprocess.PIPE)
    return [Path(sample["path"]) for sample in json.loads(written.stdout)["samples"]]


def convert(client: signdoc.Client, path: Path, to: Path) -> signdoc.Conversion:
    """Converts one document; that the service refuses it is a result, too."""
    return client.convert([path], to=to, strict=False, overwrite=True)[0]


def show(path: Path, result: signdoc.Conversion, folder: Path, *, has_converter: bool) -> None:
    """Prints what came of one document."""
    warnings = [str(warning) for warning in result.warnings] or ["-"]
    errors = [str(error) for error in result.errors] or ["-"]
    where = str(result.path.relative_to(folder)) if result.path else "-"
    if not has_converter:
        errors, where = ["-"], "not converted: no converter"
    converted = "yes" if result.converted else "no"
    first = (path.name, size(path), converted, warnings[0], errors[0], where)
    table_row(*first)
    for warning, error in zip_longest(warnings[1:], errors[1:], fillvalue=""):
        table_row("", "", "", warning, error, "")


def table_row(*cells: str) -> None:
    """Prints cells in columns, sizes to the right."""
    padded = [cell.ljust(width) for cell, width in zip(cells, WIDTHS, strict=True)]
    padded[1] = cells[1].rjust(WIDTHS[1])
    print("  ".join(padded).rstrip())


def size(path: Path) -> str:
    """The size of a file, for people."""
    count = path.stat().st_size
    for unit, amount in (("MB", 1_000_000), ("kB", 1_000)):
        if count >= amount:
            return f"{count / amount:.2f} {unit}"
    return f"{count} B"


if __name__ == "__main__":
    sys.exit(main())
