"""The notebooks of ``examples/`` show what they show when they are run now."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from typing import TYPE_CHECKING, Any

import pytest

from support import REPOSITORY

if TYPE_CHECKING:
    from pathlib import Path

NOTEBOOKS = sorted((REPOSITORY / "examples").glob("*.ipynb"))


def test_there_are_two() -> None:
    assert [path.name for path in NOTEBOOKS] == ["conversion.ipynb", "signing.ipynb"]


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_nothing_of_a_machine_is_in_it(path: Path) -> None:
    cells: list[dict[str, Any]] = json.loads(path.read_text())["cells"]
    shown = [cell["outputs"] for cell in cells if cell["cell_type"] == "code"]
    assert sum(map(bool, shown)) > 5, "it was run"
    assert not re.search(r"/(tmp|home|root|work|Users)/|127\.0\.0\.1:(?!8080)", json.dumps(shown))
    assert not any(output["output_type"] == "error" for outputs in shown for output in outputs)


@pytest.mark.usefixtures("converter")
@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_it_shows_what_it_shows_now(path: Path) -> None:
    pytest.importorskip("nbclient", reason="nbclient is not installed")
    pytest.importorskip("ipykernel", reason="ipykernel is not installed")
    ran = subprocess.run(
        [sys.executable, "scripts/notebooks.py", "--check", str(path)],
        cwd=REPOSITORY,
        capture_output=True,
        text=True,
        check=False,
    )
    assert ran.returncode == 0, ran.stdout + ran.stderr
