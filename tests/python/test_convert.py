"""Conversions as an application makes them."""

from __future__ import annotations

import array
import base64
import io
import mmap
import os
import stat
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

import signdoc
from support import CONVERT, PDF, answer, answers

if TYPE_CHECKING:
    from collections.abc import Callable


def test_real_documents(
    client: signdoc.Client, samples: Path, tmp_path: Path, converter: str
) -> None:
    names = ["loan-agreement", "standard-font", "largest"]
    out = tmp_path / "new" / "folder"
    results = client.convert([samples / f"{name}.pdf" for name in names], to=out)
    assert [one.converted for one in results] == [True, True, True]
    assert [one.path for one in results] == [out / f"{name}.pdf" for name in names]
    for one in results:
        assert one.path is not None
        assert one.data is None
        assert one.conversion_id
        assert one.path.read_bytes().startswith(b"%PDF-")
        assert one.path.stat().st_size == one.size
        assert stat.S_IMODE(one.path.stat().st_mode) == 0o600
    assert [str(warning) for warning in results[1].warnings] == ["FONT_SUBST"]
    assert results[1].warnings[0].message == "Font substituted"


def test_every_kind_of_document(
    client: signdoc.Client, sandbox: signdoc.Sandbox, tmp_path: Path
) -> None:
    path = tmp_path / "loan.pdf"
    path.write_bytes(PDF)
    with path.open("rb") as file, path.open("rb", buffering=0) as raw:
        documents: list[Any] = [
            str(path),
            path,
            PDF,
            bytearray(PDF),
            memoryview(PDF),
            memoryview(array.array("B", PDF)),
            io.BytesIO(PDF),
            file,
            raw,
        ]
        answers(sandbox, *(b"%%PDF-1.7 %d" % index for index in range(len(documents))))
        results = client.convert(documents, to=tmp_path / "out")
    assert [one.path.name for one in results if one.path] == [
        "loan.pdf",
        "loan-2.pdf",
        "document-3.pdf",
        "document-4.pdf",
        "document-5.pdf",
        "document-6.pdf",
        "document-7.pdf",
        "loan-8.pdf",
        "loan-9.pdf",
    ]
    sent = next(request for request in sandbox.requests if request.path == CONVERT)
    lengths = {len(document["pdf"]) for document in sent.body["documents"]}
    assert len(lengths) == 1


def test_what_is_sent_is_what_was_given(client: signdoc.Client, sandbox: signdoc.Sandbox) -> None:
    answers(sandbox, b"%PDF-1.7")
    client.convert([PDF[:60]])
    sent = sandbox.requests[-1]
    encoded = base64.b64encode(PDF[:60]).decode()
    assert sent.body == {"documents": [{"pdfSpec": "PDFA_2B", "pdf": encoded}]}
    assert sent.headers["user-agent"].startswith("signdoc/")


def test_results_in_memory(client: signdoc.Client, sandbox: signdoc.Sandbox) -> None:
    documents = [os.urandom(100_000), b"x", b"%PDF-1.7"]
    answers(sandbox, *documents)
    results = client.convert([PDF] * 3)
    assert [one.data for one in results] == documents
    assert [one.size for one in results] == [100_000, 1, 8]
    assert [one.path for one in results] == [None] * 3


def test_memory_is_lent_and_not_copied(
    client: signdoc.Client, sandbox: signdoc.Sandbox, tmp_path: Path
) -> None:
    path = tmp_path / "loan.pdf"
    path.write_bytes(PDF)
    with path.open("rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as mapped:
        every_second = bytes(2 * len(PDF))
        twice = memoryview(bytearray(every_second))
        twice[::2] = PDF
        words = array.array("H", PDF + b" " * (len(PDF) % 2))
        answers(sandbox, b"1", b"2", b"3", times=1)
        results = client.convert([mapped, twice[::2], words])
    assert [one.data for one in results] == [b"1", b"2", b"3"]
    sent = sandbox.requests[-1].body["documents"]
    assert sent[0]["pdf"] == sent[1]["pdf"] == base64.b64encode(PDF).decode()

    document = bytearray(PDF)
    refused: list[BufferError] = []

    def progress(now: signdoc.Progress) -> None:
        try:
            document.extend(b"more")
        except BufferError as error:
            refused.append(error)

    answers(sandbox, b"%PDF-1.7", delay_ms=200, times=1)
    client.convert([document], progress=progress)
    assert refused, "memory that is lent cannot be moved"
    document.clear()


def test_memory_is_given_back_at_once_when_a_call_fails(sandbox: signdoc.Sandbox) -> None:
    sandbox.faults.add("reset", path=CONVERT, when="before_body", times=None)
    client = sandbox.client(max_retries=0)
    for _ in range(20):
        document = bytearray(PDF + b" " * 1_000_000)
        with pytest.raises(signdoc.TransportError):
            client.convert([document])
        document.clear()


def test_bytes_are_given_back(client: signdoc.Client, sandbox: signdoc.Sandbox) -> None:
    import sys

    document = PDF + os.urandom(1000)
    before = sys.getrefcount(document)
    answers(sandbox, b"%PDF-1.7")
    for _ in range(5):
        client.convert([document] * 1)
    client.convert([PDF])
    assert sys.getrefcount(document) == before


def test_one_document_that_fails_raises_and_keeps_the_others(
    client: signdoc.Client, sandbox: signdoc.Sandbox, tmp_path: Path
) -> None:
    answers(sandbox, b"%PDF-1.7 good", None)
    with pytest.raises(signdoc.ConversionError) as caught:
        client.convert([PDF, PDF], to=tmp_path)
    error = caught.value
    assert (error.code, error.name) == (501, "CORRUPT")
    assert [one.converted for one in error.results] == [True, False]
    assert isinstance(error.results, signdoc.ConversionResults)
    assert (tmp_path / "document-1.pdf").read_bytes() == b"%PDF-1.7 good"
    results = client.convert([PDF, PDF], to=tmp_path, strict=False, overwrite=True)
    assert results[1].errors == [
        signdoc.ConversionFault(signdoc.FaultCode.CORRUPT, "Document is corrupt")
    ]


def test_texts_that_nobody_knows_survive(client: signdoc.Client, sandbox: signdoc.Sandbox) -> None:
    body = answer(b"%PDF-1.7", conversionWarnings=["Font substituted", "Glyphs improved"])
    sandbox.faults.add("status", path=CONVERT, status=200, json=body)
    warnings = client.convert([PDF])[0].warnings
    assert [warning.code for warning in warnings] == ["FONT_SUBST", "Glyphs improved"]
    assert [warning.code.is_known for warning in warnings] == [True, False]
    assert warnings[1].message == "Glyphs improved"


def test_files_are_not_overwritten_unless_told_to(
    client: signdoc.Client, sandbox: signdoc.Sandbox, tmp_path: Path
) -> None:
    answers(sandbox, b"%PDF-1.7 new")
    there = tmp_path / "document-1.pdf"
    there.write_bytes(b"old")
    with pytest.raises(signdoc.InputError, match=r"document-1\.pdf exists already"):
        client.convert([PDF], to=tmp_path)
    assert there.read_bytes() == b"old"
    client.convert([PDF], to=tmp_path, overwrite=True)
    assert there.read_bytes() == b"%PDF-1.7 new"


def test_allow_signed_works_and_warns(client: signdoc.Client, sandbox: signdoc.Sandbox) -> None:
    answers(sandbox, b"%PDF-1.7")
    with pytest.warns(DeprecationWarning, match="allow_signed") as caught:
        client.convert([PDF], allow_signed=True)
    assert caught[0].filename == __file__
    assert sandbox.requests[-1].body["documents"][0]["allowSigned"] is True


SINGLES: list[Callable[[Path], object]] = [
    str,
    Path,
    lambda _: PDF,
    lambda _: bytearray(PDF),
    lambda _: memoryview(PDF),
    lambda _: io.BytesIO(PDF),
]


@pytest.mark.parametrize("single", SINGLES)
def test_a_single_document_is_a_mistake_that_is_explained(
    client: signdoc.Client, single: Callable[[Path], Any], tmp_path: Path
) -> None:
    with pytest.raises(
        signdoc.InputError, match=r"put it in brackets: convert\(\[document\]\)"
    ) as caught:
        client.convert(single(tmp_path))
    assert caught.value.details["field"] == "documents"


@pytest.mark.parametrize(
    ("documents", "message"),
    [
        (3, "documents must be a list"),
        ([PDF, 3], r"documents\[1\] is of type int"),
        ([None], r"documents\[0\] is of type NoneType"),
        ([io.StringIO("%PDF-1.4")], r"documents\[0\] is open as text"),
        ([b"GIF89a"], r"documents\[0\] is no PDF"),
        ([b""], r"documents\[0\] is empty"),
        ([io.BytesIO(b"")], "is empty"),
        ([], "documents has 0 items"),
        ([PDF] * 16, "documents has 16 items"),
    ],
)
def test_what_cannot_be_sent_is_refused_here(
    client: signdoc.Client, sandbox: signdoc.Sandbox, documents: Any, message: str
) -> None:
    with pytest.raises(signdoc.InputError, match=message) as caught:
        client.convert(documents)
    assert caught.value.origin == "local"
    assert not sandbox.requests


def test_an_endless_file_is_refused_at_the_limit(client: signdoc.Client) -> None:
    class Endless(io.RawIOBase):
        taken = 0

        def read(self, size: int = -1) -> bytes:
            self.taken += size
            return b" " * size

    endless: Any = Endless()
    with pytest.raises(signdoc.InputError) as caught:
        client.convert([PDF, endless])
    assert caught.value.name == "document_too_large"
    assert caught.value.details["field"] == "documents[1].pdf"
    assert endless.taken < 5_000_000


def test_an_exception_of_a_file_comes_through(client: signdoc.Client) -> None:
    class Broken(io.RawIOBase):
        def read(self, size: int = -1) -> bytes:
            raise RuntimeError(f"no {size} bytes here")

    broken: Any = Broken()
    with pytest.raises(RuntimeError, match=r"no \d+ bytes here"):
        client.convert([broken])


@pytest.mark.parametrize("timeout", [0, -1, float("nan"), "soon", True])
def test_a_timeout_that_is_none_is_refused(client: signdoc.Client, timeout: Any) -> None:
    with pytest.raises(signdoc.InputError, match="timeout") as caught:
        client.convert([PDF], timeout=timeout)
    assert caught.value.details["field"] == "timeout"
    with pytest.raises(signdoc.InputError, match=r"timeout\.read") as caught:
        client.convert([PDF], timeout=signdoc.Timeout(read=timeout))
    assert caught.value.details["field"] == "timeout.read"


def test_a_call_may_have_a_timeout_of_its_own(
    client: signdoc.Client, sandbox: signdoc.Sandbox
) -> None:
    sandbox.faults.add("stall", path=CONVERT)
    with pytest.raises(TimeoutError) as caught:
        client.convert([PDF], timeout=0.2)
    assert isinstance(caught.value, signdoc.RequestTimeout)
    assert caught.value.name == "total_timeout"
    sandbox.faults.add("stall", path=CONVERT, times=None)
    with pytest.raises(signdoc.RequestTimeout) as caught:
        sandbox.client(max_retries=0).convert([PDF], timeout=signdoc.Timeout(60, read=0.2))
    assert caught.value.name == "read_timeout"


def test_progress_is_told_by_the_calling_thread(
    client: signdoc.Client, sandbox: signdoc.Sandbox
) -> None:
    import threading

    told: list[signdoc.Progress] = []
    threads: set[int] = set()

    def progress(now: signdoc.Progress) -> None:
        told.append(now)
        threads.add(threading.get_ident())

    answers(sandbox, b"%PDF-1.7" * 100_000, delay_ms=200)
    client.convert([PDF + b" " * 1_000_000], progress=progress)
    last = told[-1]
    assert last.sent == last.to_send > 1_333_333
    assert last.received > 1_000_000
    assert threads == {threading.get_ident()}


def test_an_exception_of_progress_ends_the_call(
    client: signdoc.Client, sandbox: signdoc.Sandbox, tmp_path: Path
) -> None:
    def progress(now: signdoc.Progress) -> None:
        raise LookupError("stop here")

    sandbox.faults.add("stall", path=CONVERT)
    with pytest.raises(LookupError, match="stop here"):
        client.convert([PDF], to=tmp_path, progress=progress)
    assert not list(tmp_path.iterdir())


def test_errors_of_the_service_keep_what_it_said(
    client: signdoc.Client, sandbox: signdoc.Sandbox
) -> None:
    sandbox.faults.add(
        "status", path=CONVERT, status=503, headers={"Retry-After": "7"}, body="later", times=None
    )
    impatient = sandbox.client(max_retries=0)
    with pytest.raises(signdoc.ServiceError, match="later") as caught:
        impatient.convert([PDF])
    error = caught.value
    assert (error.http_status, error.origin, error.retryable) == (503, "service", True)
    assert error.retry_after == 7
    assert "later" in error.details["body"]


def test_the_test_environment_never_converts() -> None:
    with (
        signdoc.Sandbox("test") as sandbox,
        sandbox.client() as client,
        pytest.raises(signdoc.ConversionError) as caught,
    ):
        client.convert([PDF])
    assert (caught.value.name, caught.value.http_status) == ("DISABLED", 400)
    assert caught.value.results[0].errors[0].code is signdoc.FaultCode.DISABLED
