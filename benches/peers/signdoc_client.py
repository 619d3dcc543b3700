"""The conversion job through the Python face of signdoc."""

from __future__ import annotations

import job

try:
    import signdoc
except ImportError as missing:
    job.not_here(missing)


def prepare(work: job.Job) -> job.Call:
    """A client that still has to fetch discovery and a token."""
    client = signdoc.Client(issuer=work.url, client_id="bench", client_secret="bench")

    def call() -> None:
        client.convert(work.files, to=work.out, overwrite=True)

    return call


job.run("signdoc (Python)", prepare)
