"""The conversion job with aiohttp; one event loop, one session."""

from __future__ import annotations

import asyncio
import base64

import job

try:
    import aiohttp
except ImportError as missing:
    job.not_here(missing)


def prepare(work: job.Job) -> job.Call:
    loop = asyncio.new_event_loop()

    async def open_session() -> aiohttp.ClientSession:
        return aiohttp.ClientSession()

    session = loop.run_until_complete(open_session())

    async def convert() -> None:
        documents = [
            {"pdfSpec": "PDFA_2B", "pdf": base64.b64encode(file.read_bytes()).decode()}
            for file in work.files
        ]
        async with session.post(
            f"{work.url}/signdoc/convert",
            json={"documents": documents},
            headers={"Authorization": f"Bearer {work.token}"},
        ) as answer:
            answer.raise_for_status()
            items = await answer.json()
        for item, output in zip(items, work.outputs, strict=True):
            output.write_bytes(base64.b64decode(item["convertedDocument"]))

    left = work.repeat

    def call() -> None:
        nonlocal left
        loop.run_until_complete(convert())
        left -= 1
        if left == 0:
            loop.run_until_complete(session.close())
            loop.close()

    return call


job.run("aiohttp", prepare)
