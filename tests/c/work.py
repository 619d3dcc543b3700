"""What the driver of the C tests is made of: the report, processes, builds, and sandboxes."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent.parent
TARGET = Path(os.environ.get("CARGO_TARGET_DIR") or ROOT / "target").resolve()
VECTORS = ROOT / "tests" / "vectors"
DATA = ROOT / "tests" / "data" / "verification"
HOST = "x86_64-unknown-linux-gnu"
PATIENCE = 900


@dataclass
class Report:
    """Says how each step went, and remembers what failed and what was left out."""

    failed: list[str] = field(default_factory=list)
    left_out: list[str] = field(default_factory=list)
    passed: int = 0

    def ok(self, what: str, detail: str = "") -> None:
        self.passed += 1
        print(f"ok: {what}{': ' if detail else ''}{detail}", flush=True)

    def fail(self, what: str, detail: str) -> None:
        self.failed.append(what)
        print(f"FAILED: {what}\n{detail}", flush=True)

    def omit(self, what: str, why: str) -> None:
        line = f"{what}: {why}"
        if line not in self.left_out:
            self.left_out.append(line)
        print(f"left out: {line}", flush=True)

    def check(self, what: str, problem: str) -> None:
        """Passed when there is no problem."""
        if problem:
            self.fail(what, problem)
        else:
            self.ok(what)

    def end(self) -> int:
        print(f"\n{self.passed} steps passed, {len(self.failed)} failed")
        for line in self.left_out:
            print(f"left out: {line}")
        for line in self.failed:
            print(f"FAILED: {line}")
        return 1 if self.failed or not self.passed else 0


def run(command: list[str], **more: object) -> subprocess.CompletedProcess[str]:
    """Runs a command to its end; standard error goes where standard output goes."""
    options: dict[str, object] = {
        "cwd": ROOT,
        "text": True,
        "errors": "replace",
        "stdout": subprocess.PIPE,
        "stderr": subprocess.STDOUT,
        "timeout": PATIENCE,
    } | more
    try:
        return subprocess.run(command, check=False, **options)  # type: ignore[call-overload,no-any-return]
    except subprocess.TimeoutExpired as late:
        said = late.stdout.decode(errors="replace") if isinstance(late.stdout, bytes) else ""
        return subprocess.CompletedProcess(command, 124, f"{said}\nno end after {PATIENCE} s")


def must(command: list[str], **more: object) -> str:
    """Runs a command without which nothing else makes sense."""
    done = run(command, **more)
    if done.returncode != 0:
        sys.exit(f"{' '.join(command)}\n{done.stdout}")
    return done.stdout


@dataclass
class Libraries:
    """The libraries under test, out of the reach of other builds."""

    prefix: Path
    panicking: Path
    native_libs: str
    address: Path | None = None


def build(folder: Path, report: Report, *, sanitized: bool) -> Libraries:
    """Builds libsigndoc in each form there is to test, and the program with the sandbox."""
    environment = os.environ | {"CARGO_TARGET_DIR": str(TARGET)}
    cargo = ["cargo", "build", "--quiet", "--locked"]
    must([*cargo, "--release", "-p", "signdoc-ffi"], env=environment)
    prefix = folder / "prefix"
    must([str(ROOT / "ffi/install.sh"), str(prefix), str(TARGET / "release")])
    must([*cargo, "-p", "signdoc-cli"], env=environment)

    must([*cargo, "-p", "signdoc-ffi", "--features", "panic-hook"], env=environment)
    panicking = folder / "panicking"
    _copy_library(TARGET / "debug", panicking)
    note = ["--crate-type", "staticlib", "--", "--print", "native-static-libs"]
    hooked = ["cargo", "rustc", "--locked", "-p", "signdoc-ffi", "--features", "panic-hook", *note]
    told = must(hooked, env=environment)
    native = [line.split(": ", 2)[2] for line in told.splitlines() if "native-static-libs:" in line]
    libraries = Libraries(prefix, panicking, native[-1].strip() if native else "")
    if sanitized:
        libraries.address = _build_address(folder, environment, report)
    return libraries


def _build_address(folder: Path, environment: dict[str, str], report: Report) -> Path | None:
    """The library with AddressSanitizer inside, which takes a nightly compiler."""
    what = "the library itself with AddressSanitizer"
    if run(["cargo", "+nightly", "--version"]).returncode != 0:
        report.omit(what, "there is no nightly toolchain; the C side is checked all the same")
        return None
    built = TARGET / "address"
    environment = environment | {
        "RUSTFLAGS": "-Zsanitizer=address",
        "CARGO_TARGET_DIR": str(built),
    }
    command = ["cargo", "+nightly", "build", "--quiet", "--locked", "-p", "signdoc-ffi"]
    done = run([*command, "--features", "panic-hook", "--target", HOST], env=environment)
    if done.returncode != 0:
        last = done.stdout.strip().splitlines()[-1:] or ["no reason given"]
        report.omit(what, f"the nightly toolchain does not build it: {last[0]}")
        return None
    address = folder / "address"
    _copy_library(built / HOST / "debug", address)
    return address


def _copy_library(built: Path, to: Path) -> None:
    to.mkdir()
    shutil.copy(built / "libsigndoc.so", to / "libsigndoc.so.0")
    (to / "libsigndoc.so").symlink_to("libsigndoc.so.0")


@contextmanager
def sandbox(environment: str) -> Iterator[dict[str, str]]:
    """A sandbox as a child process; it ends with its standard input."""
    program = TARGET / "debug" / "signdoc"
    child = subprocess.Popen(
        [str(program), "sandbox", "--environment", environment],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    assert child.stdin is not None
    assert child.stdout is not None
    try:
        yield json.loads(child.stdout.readline())
    finally:
        child.stdin.close()
        child.stdout.close()
        child.wait()


def settings(production: dict[str, str], test: dict[str, str], samples: Path) -> dict[str, str]:
    """What the test programs read from their environment."""
    found = {"SAMPLES": str(samples), "VERIFICATION": str(DATA)}
    found["SANDBOX_CONVERTER"] = production["converter"] or ""
    for name, ready in (("PRODUCTION", production), ("TEST", test)):
        for key in ("issuer", "client_id", "client_secret"):
            found[f"SANDBOX_{name}_{key.upper()}"] = ready[key]
        found[f"SANDBOX_{name}_CONTROL"] = ready["control_url"]
        for key in ("csc_url", "base_url", "orders_url"):
            found[f"SANDBOX_{name}_{key.upper()}"] = ready[key]
    return found


class Programs:
    """Compiles test programs and runs them."""

    def __init__(self, folder: Path, sandboxes: dict[str, str], report: Report) -> None:
        self.folder = folder
        self.report = report
        # What a person has set for signdoc must not reach the tests.
        clean = {k: v for k, v in os.environ.items() if not k.startswith("SIGNDOC_")}
        self.environment = clean | sandboxes | {"RUST_BACKTRACE": "0"}

    def compile(self, source: Path, name: str, libraries: Path, flags: list[str]) -> Path | None:
        """The program, or nothing when the compiler objects."""
        program = self.folder / name
        compiler, *flags = flags
        sources = [str(source), str(HERE / "harness.c")]
        warnings = ["-std=c11", "-D_GNU_SOURCE", "-Wall", "-Wextra", "-Werror", "-g", "-O1"]
        paths = [f"-I{ROOT / 'include'}", f"-I{HERE}", f"-L{libraries}"]
        link = ["-lsigndoc", f"-Wl,-rpath,{libraries}", "-lpthread", "-lm"]
        parses_json = {"<cjson/cJSON.h>", '"cases.h"'} & set(source.read_text().split())
        more = ["-lcjson"] if parses_json else []
        done = run(
            [compiler, *warnings, *paths, *sources, "-o", str(program), *more, *flags, *link]
        )
        if done.returncode != 0:
            self.report.fail(f"compiling {name}", done.stdout)
            return None
        return program

    def run(
        self,
        what: str,
        program: Path,
        *,
        tool: str | None = None,
        wrapper: list[str] | None = None,
        arguments: list[str] | None = None,
        more: dict[str, str] | None = None,
    ) -> str | None:
        """Runs a program; what it said when all went well, else nothing."""
        environment = self.environment | (more or {})
        if tool:
            environment["TEST_TOOL"] = tool
        began = time.monotonic()
        with tempfile.TemporaryDirectory(dir=self.folder) as temporary:
            environment["TMPDIR"] = temporary
            command = [*(wrapper or []), str(program), *(arguments or [])]
            done = run(command, env=environment)
        lines = done.stdout.strip().splitlines()
        if done.returncode != 0:
            self.report.fail(what, f"exit status {done.returncode}\n" + "\n".join(lines[-80:]))
            return None
        for line in lines:
            if line.startswith("left out: "):
                self.report.omit(*line.removeprefix("left out: ").split(": ", 1))
        told = next((line for line in reversed(lines) if " checks, " in line), "")
        self.report.ok(what, f"{told} ({time.monotonic() - began:.1f} s)")
        return done.stdout
