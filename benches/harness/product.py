"""What is measured without the server: import time and sizes."""

from __future__ import annotations

import json
import shutil
import statistics
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

from .machine import CLIENT_CORE, placed
from .programs import RELEASE, ROOT

BASE = "import typing, enum, dataclasses"
OURS = "import signdoc"
_TIMED = """
import time
wall, cpu = time.perf_counter(), time.process_time()
{statement}
print(f"[{{(time.perf_counter() - wall) * 1e3}}, {{(time.process_time() - cpu) * 1e3}}]")
"""


@dataclass(frozen=True)
class Figure:
    """A figure, or why there is none."""

    what: str
    value: float | None
    shown: str


def _import_ms(statement: str) -> tuple[float, float] | str:
    code = _TIMED.format(statement=statement)
    done = subprocess.run(
        [sys.executable, "-I", "-c", code],
        capture_output=True,
        text=True,
        preexec_fn=placed(CLIENT_CORE),
    )
    if done.returncode != 0:
        return done.stderr.strip().splitlines()[-1]
    wall, cpu = json.loads(done.stdout)
    return wall, cpu


def import_time(rounds: int) -> list[Figure]:
    """``import signdoc`` over its yardstick; fresh interpreters in turn, the first not counted."""
    times: dict[str, list[tuple[float, float]]] = {BASE: [], OURS: []}
    for number in range(rounds + 1):
        for statement, found in times.items():
            result = _import_ms(statement)
            if isinstance(result, str):
                return [Figure(f"`{OURS}` over `{BASE}`", None, f"not run: {result}")]
            if number > 0:
                found.append(result)
    figures = []
    for column, label in ((0, "wall"), (1, "CPU")):
        base, ours = ([t[column] for t in times[statement]] for statement in (BASE, OURS))
        over = statistics.median(ours) - statistics.median(base)
        figures.append(
            Figure(
                f"`{OURS}` over `{BASE}`, {label}",
                over,
                f"{over:.1f} ms ({statistics.median(ours):.1f} against "
                f"{statistics.median(base):.1f}; {min(ours):.1f}–{max(ours):.1f})",
            )
        )
    return figures


def _size(what: str, path: Path | None, missing: str) -> Figure:
    if path is None or not path.exists():
        return Figure(what, None, f"not run: {missing}")
    megabytes = path.stat().st_size / 1e6
    return Figure(what, megabytes, f"{megabytes:.2f} MB")


def sizes(work: Path) -> list[Figure]:
    """The stripped C library and the newest wheel."""
    library = RELEASE / "libsigndoc.so"
    if library.exists() and (strip := shutil.which("strip")):
        stripped = work / library.name
        subprocess.run([strip, "--strip-unneeded", "-o", str(stripped), str(library)], check=True)
        library = stripped
    wheels = [*ROOT.glob("dist/*.whl"), *RELEASE.parent.glob("wheels/*.whl")]
    wheel = max(wheels, key=lambda path: path.stat().st_mtime, default=None)
    return [
        _size("C library, stripped", library, "libsigndoc.so is not built"),
        _size("wheel", wheel, "no wheel in dist/"),
    ]
