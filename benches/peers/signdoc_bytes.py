"""The conversion job through the Python face of signdoc, bytes in and bytes out.

Inputs are in memory before the measured part, results are written after it.
"""

from __future__ import annotations

import job

try:
    import signdoc
except ImportError as missing:
    job.not_here(missing)

documents: list[bytes] = []
results: list[signdoc.Conversion] = []


def read(work: job.Job) -> None:
    """The documents, as a program has them that got them from elsewhere."""
    documents.extend(path.read_bytes() for path in work.files)


def prepare(work: job.Job) -> job.Call:
    """A client that still has to fetch discovery and a token."""
    client = signdoc.Client(issuer=work.url, client_id="bench", client_secret="bench")

    def call() -> None:
        results[:] = client.convert(documents)

    return call


def write(work: job.Job) -> None:
    """What came back, for the harness to judge."""
    for path, result in zip(work.outputs, results, strict=True):
        assert result.data is not None
        path.write_bytes(result.data)


job.run("signdoc (Python, bytes)", prepare, before=read, after=write)
