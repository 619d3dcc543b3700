"""Results on a disk that is full, cannot be written, or goes away: on real file systems."""

from __future__ import annotations

import os
import subprocess
from typing import TYPE_CHECKING

import pytest

import signdoc
from support import PDF, answers

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

MEGABYTE = 1 << 20


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """A file system of its own with room for three megabytes."""
    if os.geteuid() != 0:
        pytest.skip("no full disk: mounting a small file system needs root")
    disk = tmp_path / "disk"
    disk.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", "size=3m", "tmpfs", str(disk)]
    try:
        mounted = subprocess.run(mount, capture_output=True, text=True, check=False)
    except FileNotFoundError:
        pytest.skip("no full disk: there is no program called mount")
    if mounted.returncode != 0:
        pytest.skip(f"no full disk: {mounted.stderr.strip()}")
    try:
        yield disk
    finally:
        subprocess.run(["umount", str(disk)], check=True)


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
