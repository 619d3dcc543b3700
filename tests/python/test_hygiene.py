"""The package as type checkers and linters see it."""

from __future__ import annotations

import importlib.util
import subprocess
import sys

import pytest

from support import REPOSITORY

CHECKS = {
    "mypy": ["mypy", "--strict", "python/signdoc", "tests/python", "examples"],
    "stubtest": ["mypy.stubtest", "signdoc"],
    "ruff check": ["ruff", "check", "python", "tests/python", "examples"],
    "ruff format": ["ruff", "format", "--check", "python", "tests/python", "examples"],
}


@pytest.mark.parametrize("check", CHECKS)
def test_nothing_to_complain_about(check: str) -> None:
    module, *arguments = CHECKS[check]
    tool = module.partition(".")[0]
    if importlib.util.find_spec(tool) is None:
        pytest.skip(f"{tool} is not installed")
    result = subprocess.run(
        [sys.executable, "-m", module, *arguments],
        cwd=REPOSITORY,
        capture_output=True,
        text=True,
        check=False,
    )
    assert result.returncode == 0, result.stdout + result.stderr
