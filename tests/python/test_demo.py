"""The demonstration of signing."""

from __future__ import annotations

import subprocess
import sys
from typing import TYPE_CHECKING

from support import REPOSITORY

if TYPE_CHECKING:
    from pathlib import Path


def test_documents_are_signed_and_verified(tmp_path: Path) -> None:
    ran = subprocess.run(
        [sys.executable, str(REPOSITORY / "examples/demo_signing.py"), str(tmp_path)],
        capture_output=True,
        text=True,
        check=False,
    )
    assert ran.returncode == 0, ran.stdout + ran.stderr
    assert "3 of 3 signed files verified" in ran.stdout
    assert ran.stdout.count("SIGN_COMPLETED") == 2
    assert sorted(path.suffix for path in (tmp_path / "signed").iterdir()) == [
        ".pdf",
        ".pdf",
        ".sdo",
    ]
