"""The conversion job with pycurl and the json module."""

from __future__ import annotations

import base64
import io
import json

import job

try:
    import pycurl
except ImportError as missing:
    job.not_here(missing)


def prepare(work: job.Job) -> job.Call:
    curl = pycurl.Curl()
    curl.setopt(pycurl.URL, f"{work.url}/signdoc/convert")
    curl.setopt(
        pycurl.HTTPHEADER,
        [f"Authorization: Bearer {work.token}", "Content-Type: application/json"],
    )

    def call() -> None:
        documents = [
            {"pdfSpec": "PDFA_2B", "pdf": base64.b64encode(file.read_bytes()).decode()}
            for file in work.files
        ]
        received = io.BytesIO()
        curl.setopt(pycurl.POSTFIELDS, json.dumps({"documents": documents}))
        curl.setopt(pycurl.WRITEDATA, received)
        curl.perform()
        status = curl.getinfo(pycurl.RESPONSE_CODE)
        if status != 200:
            raise RuntimeError(f"the answer is {status}: {received.getvalue()[:200]!r}")
        for item, output in zip(json.loads(received.getvalue()), work.outputs, strict=True):
            output.write_bytes(base64.b64decode(item["convertedDocument"]))

    return call


job.run("pycurl", prepare)
