"""The programs that are compared, and how each is started."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from dataclasses import dataclass, field
from pathlib import Path

BENCHES = Path(__file__).resolve().parent.parent
ROOT = BENCHES.parent
TARGET = Path(os.environ.get("CARGO_TARGET_DIR", ROOT / "target")).resolve()
RELEASE = TARGET / "release"
NOT_HERE = 77

FLOOR = "floor"
RUST, C, PYTHON = "signdoc (Rust)", "signdoc (C)", "signdoc (Python)"
OURS = (RUST, C, PYTHON)
NAIVE = "reqwest + serde_json + base64"


@dataclass
class Program:
    """One row of the tables; ``reason`` says why there is none."""

    name: str
    command: list[str]
    environment: dict[str, str] = field(default_factory=dict)
    reason: str | None = None


def build() -> None:
    """Builds the Rust programs, each alone: together, cargo would unite their features."""
    for package in ("bench-floor", "bench-server", "bench-naive", "bench-client", "signdoc-ffi"):
        subprocess.run(
            ["cargo", "build", "--release", "--quiet", "-p", package], cwd=ROOT, check=True
        )


def all_programs(work: Path) -> list[Program]:
    """Every client, in the order of the tables."""
    peers = [
        ("requests + orjson + pybase64", "with_requests_orjson.py"),
        ("aiohttp", "with_aiohttp.py"),
        ("requests", "with_requests.py"),
        ("pycurl", "with_pycurl.py"),
        ("httpx", "with_httpx.py"),
    ]
    return [
        Program(FLOOR, [str(RELEASE / "bench-floor"), "convert"]),
        Program(RUST, [str(RELEASE / "bench-client"), "convert"]),
        _c_client(work),
        _python(PYTHON, "signdoc_client.py"),
        Program(NAIVE, [str(RELEASE / "bench-naive"), "convert"]),
        *(_python(name, script) for name, script in peers),
    ]


def part(name: str) -> Program:
    """One of the parts the floor cannot do without."""
    return Program(name, [str(RELEASE / "bench-floor"), name])


def _python(name: str, script: str) -> Program:
    path = BENCHES / "peers" / script
    reason = None if path.exists() else f"{script} is not there yet"
    return Program(name, [sys.executable, str(path), "convert"], reason=reason)


def _c_client(work: Path) -> Program:
    source = BENCHES / "peers" / "signdoc_client.c"
    program = Program(C, [str(work / "signdoc-c"), "convert"])
    compiler = shutil.which("cc")
    library = RELEASE / "libsigndoc.so"
    if not source.exists():
        program.reason = f"{source.name} is not there yet"
    elif compiler is None:
        program.reason = "no C compiler (cc)"
    elif not library.exists():
        program.reason = "libsigndoc.so is not built"
    else:
        flags = ["-O2", "-I", str(ROOT / "include"), "-o", program.command[0], str(source)]
        subprocess.run([compiler, *flags, f"-L{RELEASE}", "-lsigndoc"], check=True)
        program.environment["LD_LIBRARY_PATH"] = str(RELEASE)
    return program
