"""Results on a disk that is full, cannot be written, or goes away: on real file systems."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from contextlib import contextmanager
from typing import TYPE_CHECKING

import pytest

import signdoc
from raw_service import PADES, SIGN_ID, RawService, Reply, pades_answer
from support import PDF, answers

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

MEGABYTE = 1 << 20


@contextmanager
def disk_of(folder: Path, size: int) -> Iterator[Path]:
    """A file system of its own with room for so many bytes."""
    if os.geteuid() != 0:
        pytest.skip("no full disk: mounting a small file system needs root")
    folder.mkdir(exist_ok=True)
    mount = ["mount", "-t", "tmpfs", "-o", f"size={size}", "tmpfs", str(folder)]
    try:
        mounted = subprocess.run(mount, capture_output=True, text=True, check=False)
    except FileNotFoundError:
        pytest.skip("no full disk: there is no program called mount")
    if mounted.returncode != 0:
        pytest.skip(f"no full disk: {mounted.stderr.strip()}")
    try:
        yield folder
    finally:
        subprocess.run(["umount", str(folder)], check=True)


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """A file system of its own with room for three megabytes."""
    with disk_of(tmp_path / "disk", 3 * MEGABYTE) as disk:
        yield disk


def test_a_full_disk_keeps_what_was_written(
    small_disk: Path, sandbox: signdoc.Sandbox, client: signdoc.Client
) -> None:
    documents = [b"%PDF-1.7 " + os.urandom(MEGABYTE) for _ in range(4)]
    answers(sandbox, *documents)
    out = small_disk / "converted"
    with pytest.raises(signdoc.SignDocError, match="No space left") as caught:
        client.convert([PDF] * 4, to=out)
    error = caught.value
    assert error.name == "destination_failed"
    assert "converted" in error.details["path"]
    written = [one for one in error.results if one.path is not None]
    assert len(written) == 2
    for one in written:
        assert one.path is not None
        assert one.path.read_bytes() == documents[one.index]
    assert sorted(out.iterdir()) == [one.path for one in written], "nothing half-written is left"


def test_a_full_disk_for_copies_of_readers(
    small_disk: Path, client: signdoc.Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    (small_disk / "filler").write_bytes(b" " * (2 * MEGABYTE + MEGABYTE // 2))
    document = small_disk.parent / "document.pdf"
    document.write_bytes(PDF + b" " * 2 * MEGABYTE)
    monkeypatch.setenv("TMPDIR", str(small_disk))
    with document.open("rb") as file, pytest.raises(signdoc.InputError) as caught:
        client.convert([file])
    assert caught.value.details["field"] == "documents[0].pdf"
    assert "No space left" in caught.value.message


def test_a_destination_that_is_a_file(client: signdoc.Client, tmp_path: Path) -> None:
    (tmp_path / "out").write_text("a file")
    with pytest.raises(signdoc.SignDocError) as caught:
        client.convert([PDF], to=tmp_path / "out")
    assert caught.value.name == "destination_failed"
    assert caught.value.details["path"] == str(tmp_path / "out")


def test_a_name_that_is_no_text(
    client: signdoc.Client, sandbox: signdoc.Sandbox, tmp_path: Path
) -> None:
    answers(sandbox, b"%PDF-1.7")
    odd = os.path.join(os.fsencode(tmp_path), b"l\xe5n.pdf")
    try:
        with open(odd, "wb") as file:
            file.write(PDF)
    except OSError as error:
        pytest.skip(f"this file system takes no such name: {error}")
    result = client.convert([os.fsdecode(odd)], to=tmp_path / "out")[0]
    assert result.path is not None
    assert result.path.read_bytes() == b"%PDF-1.7"


SIZES = [8, 16, 32, 64, 128, 192, 256, 320, 384, 512, 640, 704, 768, 832, 896, 1024, 2048]
"""Kibibytes. The answer has 586, its documents 439."""
DOCUMENTS = [b"%PDF-1.7 " + os.urandom(150_000) for _ in range(3)]
BODY = json.dumps(pades_answer(*DOCUMENTS)).encode()


def handing_out(service: RawService) -> None:
    service.hand_out(Reply.of(200, BODY))


def missing(error: signdoc.SignDocError, *folders: Path) -> list[int]:
    """The documents that are neither in a file nor in the error."""
    kept = [path.read_bytes() for folder in folders for path in folder.rglob("*") if path.is_file()]
    kept.append(error.raw_answer or b"")
    if isinstance(error.download, signdoc.PadesDownload):
        kept += [one.data for one in error.download.documents if one.data is not None]
    if BODY in kept:
        return []
    return [number for number, document in enumerate(DOCUMENTS) if document not in kept]


@pytest.mark.parametrize("second", ["a second folder", "no second folder"])
def test_a_disk_of_any_size_loses_nothing(tmp_path: Path, second: str) -> None:
    """The request leaves only where there seems to be room for what was sent; what comes may be
    more. It is told what was kept, and where."""
    outcomes = []
    for kibibytes in SIZES:
        disk, other = tmp_path / "disk", tmp_path / f"other-{kibibytes}"
        other.mkdir()
        with disk_of(disk, kibibytes << 10) as disk, RawService() as service:
            handing_out(service)
            fallback = other if second == "a second folder" else disk / "full"
            with service.client(fallback_folder=fallback) as client:
                failure = None
                try:
                    got = client.pades.download(SIGN_ID, to=disk / "signed")
                    files = [one.path for one in got.documents]
                    assert [path.read_bytes() for path in files if path] == DOCUMENTS
                except signdoc.SignDocError as error:
                    failure = error
                deleted = service.count("DELETE", PADES)
                lost = missing(failure, disk, other) if failure and deleted else []
                assert not lost, f"{kibibytes} KiB: {lost} lost: {failure!r}"
                outcomes.append(f"{failure.name}, {deleted} deleted" if failure else "everything")
    print(second, dict(zip(SIZES, outcomes, strict=True)))
    assert outcomes[-1] == "everything"


def test_a_disk_without_room_is_told_before_anything_is_deleted(tmp_path: Path) -> None:
    """The order tells how much was sent."""
    with disk_of(tmp_path / "disk", 512 << 10) as disk, RawService() as service:
        handing_out(service)
        with service.client() as client:
            sent = signdoc.PadesDocument(PDF + b" " * MEGABYTE)
            order = client.pades.create("Loan", [sent])
            with pytest.raises(signdoc.SignDocError) as caught:
                client.pades.download(order, to=disk / "signed")
    assert caught.value.name == "destination_failed"
    assert caught.value.details["free"] < caught.value.details["needed"]
    assert caught.value.details["unit"] == "bytes"
    assert service.count("DELETE", PADES) == 0


@pytest.mark.parametrize("second", ["a second folder", "no second folder"])
def test_the_program_on_a_disk_of_any_size(tmp_path: Path, second: str) -> None:
    """The program writes what it holds to wherever there is room."""
    for kibibytes in SIZES:
        disk, home = tmp_path / "disk", tmp_path / f"home-{kibibytes}"
        home.mkdir()
        with disk_of(disk, kibibytes << 10) as disk, RawService() as service:
            handing_out(service)
            options = service.options()
            environment = {f"SIGNDOC_{key.upper()}": value for key, value in options.items()}
            fallback = home / "second" if second == "a second folder" else disk / "full"
            environment |= {
                "SIGNDOC_FALLBACK_FOLDER": str(fallback),
                "HOME": str(home),
                "TMPDIR": str(disk),
            }
            command = [sys.executable, "-m", "signdoc", "download", SIGN_ID]
            done = subprocess.run(
                [*command, "-o", str(disk / "signed")],
                env={**os.environ, **environment},
                cwd=home,
                capture_output=True,
                text=True,
                check=False,
            )
            kept = [
                path.read_bytes()
                for folder in (disk, home)
                for path in folder.rglob("*")
                if path.is_file()
            ]
            lost = [document for document in DOCUMENTS if document not in kept]
            if service.count("DELETE", PADES):
                assert not lost or BODY in kept, (kibibytes, done)
            assert (done.returncode == 0) <= (not lost), (kibibytes, done)


def test_an_endless_answer_ends_at_a_cap(tmp_path: Path) -> None:
    """Neither the folder nor memory takes more than they should."""
    import resource
    import threading

    from raw_service import head

    ended = threading.Event()

    def endless() -> Reply:
        begin = BODY[: BODY.index(b"padesSignedPdf") + len(b'padesSignedPdf": "')]
        more = b"QUJD" * (1 << 18)
        return Reply(head(200, None), begin, *[more] * 400, ended.set)

    with RawService() as service:
        service.hand_out(endless())
        with service.client(max_answer_size=8 * MEGABYTE) as client:
            order = client.pades.create("Loan", [signdoc.PadesDocument(PDF)])
            before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
            with pytest.raises(signdoc.ProtocolError) as caught:
                client.pades.download(order)
            grown = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before
            assert caught.value.name == "answer_too_large"
            assert caught.value.raw_answer is not None
            assert len(caught.value.raw_answer) <= 9 * MEGABYTE
            assert grown < 100 * 1024, f"{grown} KiB"
            service.hand_out(endless())
            with pytest.raises(signdoc.ProtocolError) as caught:
                client.pades.download(order, to=tmp_path)
            # Sixteen times what was sent, and some room besides.
            size = (tmp_path / caught.value.details["raw_answer"]).stat().st_size
            assert 64 * MEGABYTE <= size <= 80 * MEGABYTE
    assert not ended.is_set()


def test_a_stream_of_tiny_documents_ends_at_a_cap(tmp_path: Path) -> None:
    with RawService() as service:
        one = {"padesSignedPdf": "QQ==", "description": "d"}
        service.hand_out(Reply.of(200, {"signingResults": [one] * 50_000}))
        with service.client() as client:
            with pytest.raises(signdoc.ProtocolError) as caught:
                client.pades.download(SIGN_ID, to=tmp_path)
            assert caught.value.details["limit"] == 1000
            assert len(list(tmp_path.glob("*.pdf"))) == 1000
            service.hand_out(Reply.of(200, {"signingResults": [one] * 50_000}))
            order = client.pades.create("Loan", [signdoc.PadesDocument(PDF)])
            with pytest.raises(signdoc.ProtocolError) as caught:
                client.pades.download(order)
            assert caught.value.details["limit"] == 17
            assert caught.value.raw_answer is not None
