"""The conversion job with requests and the fastest JSON and base64 modules there are for it."""

from __future__ import annotations

import job

try:
    import orjson
    import pybase64
    import requests
except ImportError as missing:
    job.not_here(missing)


def prepare(work: job.Job) -> job.Call:
    session = requests.Session()

    def call() -> None:
        documents = [
            {"pdfSpec": "PDFA_2B", "pdf": pybase64.b64encode_as_string(file.read_bytes())}
            for file in work.files
        ]
        answer = session.post(
            f"{work.url}/signdoc/convert",
            data=orjson.dumps({"documents": documents}),
            headers={
                "Authorization": f"Bearer {work.token}",
                "Content-Type": "application/json",
            },
        )
        answer.raise_for_status()
        for item, output in zip(orjson.loads(answer.content), work.outputs, strict=True):
            output.write_bytes(pybase64.b64decode(item["convertedDocument"], validate=True))

    return call


job.run("requests + orjson + pybase64", prepare)
