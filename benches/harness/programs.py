"""The programs that are compared, and how each is started."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from dataclasses import dataclass, field, replace
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
BYTES = "signdoc (Python, bytes)"
CURL = "curl, ready-made body"
TLS = " over TLS"
"""Stands behind the name of a program that speaks TLS in a table of programs that do not."""


@dataclass
class Program:
    """One row of the tables; ``reason`` says why there is none."""

    name: str
    command: list[str]
    environment: dict[str, str] = field(default_factory=dict)
    reason: str | None = None
    options: list[str] = field(default_factory=list)
    url: str | None = None
    """The server to use instead of that of the other rows."""

    def over_tls(self, url: str, ca: Path) -> Program:
        """The same program against a server that speaks TLS."""
        options = [*self.options, "--ca", str(ca)]
        return replace(self, name=self.name + TLS, options=options, url=url)


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
        _go_client(work),
        _compiled("C libcurl", "with_libcurl.c", work, ["-lcurl"], Path("curl/curl.h")),
    ]


def bytes_programs() -> list[Program]:
    """Job A with the documents in memory."""
    return [_python(BYTES, "signdoc_bytes.py")]


def tls_programs(url: str, ca: Path) -> list[Program]:
    """Job A over TLS: the faces, and curl for which the body lies ready."""
    rust = Program(RUST, [str(RELEASE / "bench-client"), "convert"])
    rows = [rust, _python(PYTHON, "signdoc_client.py"), _python(CURL, "with_curl.py")]
    return [row.over_tls(url, ca) for row in rows]


def many_programs(jobs: int) -> list[Program]:
    """Job C."""
    rows = [
        Program(FLOOR, [str(RELEASE / "bench-floor"), "many"]),
        Program(RUST, [str(RELEASE / "bench-client"), "many"]),
        _python(PYTHON, "signdoc_client.py", "many"),
    ]
    return [replace(row, options=["--jobs", str(jobs)]) for row in rows]


def part(name: str) -> Program:
    """One of the parts the floor cannot do without."""
    return Program(name, [str(RELEASE / "bench-floor"), name])


def _python(name: str, script: str, what: str = "convert") -> Program:
    path = BENCHES / "peers" / script
    reason = None if path.exists() else f"{script} is not there yet"
    return Program(name, [sys.executable, str(path), what], reason=reason)


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
        # What it looks for when it runs is the name with the interface's number.
        (work / "libsigndoc.so.0").symlink_to(library)
        program.environment["LD_LIBRARY_PATH"] = str(work)
    return program


def _compiled(name: str, source: str, work: Path, libraries: list[str], header: Path) -> Program:
    """A peer in C; left out where there is no compiler or its library's header is missing."""
    program = Program(name, [str(work / Path(source).stem), "convert"])
    compiler = shutil.which("cc")
    if compiler is None:
        program.reason = "no C compiler (cc)"
        return program
    command = [compiler, "-O2", "-o", program.command[0], str(BENCHES / "peers" / source)]
    built = subprocess.run([*command, *libraries], capture_output=True, text=True)
    if built.returncode != 0:
        missing = f"{header}: No such file" in built.stderr
        program.reason = f"{header} is missing" if missing else built.stderr.strip()[:200]
    return program


def _go_client(work: Path) -> Program:
    program = Program("Go net/http", [str(work / "with-nethttp"), "convert"])
    go = shutil.which("go")
    if go is None:
        program.reason = "go is not installed"
        return program
    source = str(BENCHES / "peers" / "with_nethttp.go")
    command = [go, "build", "-o", program.command[0], source]
    built = subprocess.run(command, cwd=work, capture_output=True, text=True)
    if built.returncode != 0:
        program.reason = built.stderr.strip()[:200]
    return program
