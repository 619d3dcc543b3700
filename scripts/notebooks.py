"""Runs the notebooks of ``examples/`` against the sandbox and writes what they show into them.

    python scripts/notebooks.py [--check] [NOTEBOOK ...]

What differs from run to run (ports, folders, identifiers, sizes of signatures) is replaced, so that
the same notebook gives the same text everywhere. With ``--check`` nothing is written: exit status 1
when what a notebook shows is no longer what is committed.
"""

from __future__ import annotations

import argparse
import os
import re
import sys
import tempfile
from difflib import unified_diff
from pathlib import Path
from typing import Any

import nbformat
from nbclient import NotebookClient

EXAMPLES = Path(__file__).resolve().parents[1] / "examples"
LIMIT = 300

UUID = r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}"
UNSTABLE = [
    (re.compile(r"http://127\.0\.0\.1:\d+"), "http://127.0.0.1:8080"),
    (re.compile(UUID), "4d0f7f0e-0000-4000-8000-000000000000"),
    (re.compile(r"(?<![A-Za-z0-9+/])[A-Za-z0-9+/]{43}="), "(SHA-256)"),
    (re.compile(r"(?<![A-Za-z0-9_-])[A-Za-z0-9_-]{40,}"), "(random)"),
    (re.compile(r"\b\d{1,3}(?:,\d{3})+ bytes"), "… bytes"),
    (re.compile(r"\b\d+\.\d+ s\b"), "… s"),
]


def main() -> int:
    """Runs the notebooks that are named, or all."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--check", action="store_true")
    parser.add_argument("notebooks", nargs="*", type=Path)
    given = parser.parse_args()
    stale = []
    for path in given.notebooks or sorted(EXAMPLES.glob("*.ipynb")):
        text, kept = executed(path), path.read_text()
        if text != kept:
            stale.append(path.name)
            sys.stdout.writelines(unified_diff(kept.splitlines(True), text.splitlines(True), n=0))
            if not given.check:
                path.write_text(text)
    if given.check and stale:
        print(f"these show something else now: {', '.join(stale)}; run scripts/notebooks.py")
        return 1
    return 0


def executed(path: Path) -> str:
    """The notebook with what it shows when it is run in an empty folder."""
    notebook = nbformat.read(path, as_version=4)
    with tempfile.TemporaryDirectory() as folder:
        os.environ.setdefault("PYDEVD_DISABLE_FILE_VALIDATION", "1")
        client = NotebookClient(
            notebook, timeout=LIMIT, kernel_name="python3", resources={"metadata": {"path": folder}}
        )
        client.execute()
        for cell in notebook.cells:
            cell.metadata.clear()
            if cell.cell_type == "code":
                cell.outputs = [stable(output, folder) for output in joined(cell.outputs)]
    notebook.metadata = {
        "kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"},
        "language_info": {"name": "python"},
    }
    text: str = nbformat.writes(notebook)
    return text + "\n"


def joined(outputs: list[Any]) -> list[Any]:
    """The outputs, and what was printed in one piece, not in as many as the kernel sent."""
    kept: list[Any] = []
    for output in outputs:
        last = kept[-1] if kept else {}
        if output["output_type"] == "stream" and output["name"] == last.get("name"):
            last["text"] += output["text"]
        else:
            kept.append(output)
    return kept


def stable(output: Any, folder: str) -> Any:
    """The output without what is of this run alone."""
    if isinstance(output, dict):
        return type(output)({key: stable(value, folder) for key, value in output.items()})
    if isinstance(output, list):
        return [stable(one, folder) for one in output]
    if not isinstance(output, str):
        return output
    for place in (os.path.realpath(folder), folder):
        output = output.replace(place + os.sep, "")
    for pattern, replacement in UNSTABLE:
        output = pattern.sub(replacement, output)
    return output


if __name__ == "__main__":
    sys.exit(main())
