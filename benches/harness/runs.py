"""Runs programs against the answer server and checks what they sent and what they wrote."""

from __future__ import annotations

import base64
import hashlib
import json
import os
import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Any

from .inputs import Documents
from .machine import CLIENT_CORE, SERVER_CORE, placed
from .programs import NOT_HERE, RELEASE, Program

LONGEST_RUN_SECONDS = 300


class WrongResult(Exception):
    """A program failed, sent something else than it should, or wrote something else."""


def sha256(path: Path) -> str:
    """Hash of a file, as the reports write it."""
    return hashlib.sha256(path.read_bytes()).hexdigest()


class Server:
    """An answer server; with ``keep`` it stores the request bodies there, with ``ca`` it speaks TLS
    and writes the certificate of its authority to that file."""

    def __init__(self, answers: Path, keep: Path | None = None, ca: Path | None = None) -> None:
        command = [str(RELEASE / "bench-server"), "--answers", str(answers)]
        if keep is not None:
            command += ["--keep", str(keep)]
        if ca is not None:
            command += ["--tls", str(ca)]
        self._process = subprocess.Popen(
            command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            preexec_fn=placed(SERVER_CORE),
        )
        assert self._process.stdout is not None
        scheme = "http" if ca is None else "https"
        self.url = f"{scheme}://127.0.0.1:{json.loads(self._process.stdout.readline())['port']}"
        self.pid = self._process.pid

    def __enter__(self) -> Server:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        assert self._process.stdin is not None
        self._process.stdin.close()
        self._process.wait(timeout=30)


@dataclass(frozen=True)
class Work:
    """One job: what is sent, how often, and the hashes of what must be on disk afterwards."""

    documents: Documents
    repeat: int = 1


def run(
    program: Program, work: Work, url: str, out: Path, expected: list[str] | None = None
) -> dict[str, Any] | None:
    """One fresh process. ``None`` when the program cannot run here: its reason is then set.

    ``expected`` stands in for the hashes of the answers where a program does not convert.
    """
    shutil.rmtree(out, ignore_errors=True)
    out.mkdir()
    command = [*program.command, "--url", program.url or url, "--out", str(out)]
    command += ["--repeat", str(work.repeat), *program.options]
    command += map(str, work.documents.files)
    quiet = {"NO_PROXY": "127.0.0.1", "no_proxy": "127.0.0.1"}
    done = subprocess.run(
        command,
        capture_output=True,
        text=True,
        timeout=LONGEST_RUN_SECONDS,
        env={**os.environ, **quiet, **program.environment},
        preexec_fn=placed(CLIENT_CORE),
    )
    said = done.stderr.strip().splitlines()
    if done.returncode == NOT_HERE:
        program.reason = said[-1] if said else "no reason given"
        return None
    if done.returncode != 0:
        raise WrongResult(f"{program.name} ended with {done.returncode}: {done.stderr.strip()}")
    report: dict[str, Any] = json.loads(done.stdout)
    expected = work.documents.expected if expected is None else expected
    found = [sha256(path) for path in sorted(out.iterdir())]
    # A program in C leaves the hashes of what it wrote to this one.
    if found != expected or report.get("sha256", expected) != expected:
        raise WrongResult(f"{program.name} wrote other documents than it was sent")
    return report


def check_request(program: Program, documents: Documents, work: Path) -> None:
    """Runs the program once and compares the body it sent with the documents."""
    keep = work / "kept"
    shutil.rmtree(keep, ignore_errors=True)
    keep.mkdir()
    with Server(documents.answers, keep) as server:
        if run(program, Work(documents), server.url, work / "out") is None:
            return
    bodies = [path.read_bytes() for path in keep.iterdir()]
    shutil.rmtree(keep)
    if len(bodies) != 1:
        raise WrongResult(f"{program.name} sent {len(bodies)} conversion requests")
    right = [
        {"pdfSpec": "PDFA_2B", "pdf": base64.b64encode(file.read_bytes()).decode()}
        for file in documents.files
    ]
    if json.loads(bodies[0]) != {"documents": right}:
        raise WrongResult(f"{program.name} sent a request that is not the specified one")
