"""The conversion job as the documentation of requests would have it."""

from __future__ import annotations

import base64

import job

try:
    import requests
except ImportError as missing:
    job.not_here(missing)


def prepare(work: job.Job) -> job.Call:
    session = requests.Session()

    def call() -> None:
        documents = [
            {"pdfSpec": "PDFA_2B", "pdf": base64.b64encode(file.read_bytes()).decode()}
            for file in work.files
        ]
        answer = session.post(
            f"{work.url}/signdoc/convert",
            json={"documents": documents},
            headers={"Authorization": f"Bearer {work.token}"},
        )
        answer.raise_for_status()
        for item, output in zip(answer.json(), work.outputs, strict=True):
            output.write_bytes(base64.b64decode(item["convertedDocument"]))

    return call


job.run("requests", prepare)
