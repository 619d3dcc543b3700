"""The conversion job through the Python face of signdoc."""

from __future__ import annotations

import job

try:
    import signdoc
except ImportError as missing:
    job.not_here(missing)


def prepare(work: job.Job) -> job.Call:
    """A client that still has to fetch discovery and a token."""
    client = signdoc.Client(
        issuer=work.url,
        client_id="bench",
        client_secret="bench",
        ca_file=work.ca,
        ca_only=None if work.ca is None else True,
    )

    def one() -> None:
        client.convert(work.files, to=work.out, overwrite=True)

    def many() -> None:
        results = client.convert_many(
            work.files, concurrency=work.jobs, to=work.out, overwrite=True
        )
        for result in results:
            if result.failure is not None:
                raise result.failure

    return many if work.what == "many" else one


job.run("signdoc (Python)", prepare)
