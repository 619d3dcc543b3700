"""The program ``curl`` sending a body that lies ready on the disk: no base64, no JSON.

The body is made before the measured part, the answer is taken apart after it. CPU is that of curl.
"""

from __future__ import annotations

import base64
import json
import resource
import shutil
import subprocess

import job

curl = shutil.which("curl")
if curl is None:
    job.not_here("curl is not installed")


def body(work: job.Job) -> None:
    """Writes the request as it goes over the wire."""
    documents = [
        {"pdfSpec": "PDFA_2B", "pdf": base64.b64encode(path.read_bytes()).decode()}
        for path in work.files
    ]
    text = json.dumps({"documents": documents}, separators=(",", ":"))
    work.out.with_suffix(".request").write_text(text)


def prepare(work: job.Job) -> job.Call:
    """One process for each call."""
    command = [str(curl), "--silent", "--show-error", "--fail", "--http1.1"]
    command += ["--header", f"Authorization: Bearer {work.token}", "--header", "Expect:"]
    command += ["--header", "Content-Type: application/json"]
    command += ["--data-binary", f"@{work.out.with_suffix('.request')}"]
    command += ["--output", str(work.out.with_suffix(".answer")), f"{work.url}/signdoc/convert"]
    if work.ca is not None:
        command += ["--cacert", str(work.ca)]

    def call() -> None:
        subprocess.run(command, check=True)

    return call


def write(work: job.Job) -> None:
    """The documents of the answer, for the harness to judge."""
    answer = work.out.with_suffix(".answer")
    for path, one in zip(work.outputs, json.loads(answer.read_text()), strict=True):
        path.write_bytes(base64.b64decode(one["convertedDocument"]))
    answer.unlink()
    work.out.with_suffix(".request").unlink()


def children() -> float:
    """User and system time of the processes that have ended, in seconds."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


job.run("curl, ready-made body", prepare, before=body, after=write, clock=children)
