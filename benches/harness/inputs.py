"""Deterministic PDF files: the same bytes on every machine."""

from __future__ import annotations

import hashlib
import random
from dataclasses import dataclass
from pathlib import Path

BIG = 3_750_000
"""Bytes of a document of job A: its base64 has exactly the 5,000,000 characters allowed."""
SMALL = 100_000
"""Bytes of the document of job B and of those of job C."""
BIG_COUNT = 15
MANY_COUNT = 200
"""Documents of job C."""
PACK = 15
"""Documents that one call takes."""


def pdf(size: int, seed: int) -> bytes:
    """A one-page PDF of exactly ``size`` bytes, filled with a stream that does not compress."""
    start = b"%PDF-1.7\n%\xe2\xe3\xcf\xd3\n"
    pages = [
        b"1 0 obj\n<</Type/Catalog/Pages 2 0 R>>\nendobj\n",
        b"2 0 obj\n<</Type/Pages/Kids[3 0 R]/Count 1>>\nendobj\n",
        b"3 0 obj\n<</Type/Page/Parent 2 0 R/MediaBox[0 0 595 842]/Resources<<>>>>\nendobj\n",
    ]
    # Numbers are padded to a fixed width, so the size of all but the stream is known at once.
    fixed = len(_assemble(start, pages, b""))
    return _assemble(start, pages, random.Random(seed).randbytes(size - fixed))


def _assemble(start: bytes, pages: list[bytes], filling: bytes) -> bytes:
    stream = b"4 0 obj\n<</Length %010d>>\nstream\n" % len(filling)
    objects = [*pages, stream + filling + b"\nendstream\nendobj\n"]
    body = start
    table = b"xref\n0 5\n0000000000 65535 f \n"
    for item in objects:
        table += b"%010d 00000 n \n" % len(body)
        body += item
    trailer = b"trailer\n<</Size 5/Root 1 0 R>>\nstartxref\n%010d\n%%%%EOF\n" % len(body)
    return body + table + trailer


@dataclass(frozen=True)
class Documents:
    """The documents of one job, and what must come back for them."""

    files: list[Path]
    answers: Path
    expected: list[str]

    def first(self) -> Documents:
        """The same with the first document only."""
        return Documents(self.files[:1], self.answers, self.expected[:1])


def write(folder: Path, name: str, count: int, size: int, seed: int) -> Documents:
    """Writes ``count`` documents to send and different ones to get back.

    The server answers each call with its answers from the first on, so documents beyond the first
    pack get those of the first again.
    """
    inputs, answers = folder / f"{name}-in", folder / f"{name}-answers"
    inputs.mkdir()
    answers.mkdir()
    files, expected = [], []
    for index in range(count):
        file = inputs / f"document-{index:03}.pdf"
        file.write_bytes(pdf(size, seed + index))
        files.append(file)
        if index >= PACK:
            expected.append(expected[index - PACK])
            continue
        answer = pdf(size, seed + 1000 + index)
        (answers / file.name).write_bytes(answer)
        expected.append(hashlib.sha256(answer).hexdigest())
    return Documents(files, answers, expected)
