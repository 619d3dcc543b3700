"""What a crash leaves in a folder, and what somebody else may have put there."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import textwrap
import threading
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

import signdoc
from raw_service import PADES, SIGN_ID, RawService, Reply, head, pades_answer
from support import CONVERT, PDF, answer, started

if TYPE_CHECKING:
    from collections.abc import Iterator

DOCUMENTS = [b"%PDF-1.7 " + os.urandom(50_000) for _ in range(2)]
BODY = json.dumps(pades_answer(*DOCUMENTS)).encode()
# Everything is there, but for a result that was asked for and has another name.
PUZZLING = BODY.replace(b'"unsignedDocumentSha256"', b'"somethingElse"', 1).replace(
    b'"padesSignedPdf"', b'"padesSignedPDF"', 1
)
PATIENCE = 120.0
NOBODY = 65534


@pytest.fixture
def service() -> Iterator[RawService]:
    with RawService() as service:
        yield service


@pytest.fixture
def client(service: RawService) -> Iterator[signdoc.Client]:
    with service.client() as client:
        yield client


def interrupted(service: RawService, client: signdoc.Client, folder: Path) -> tuple[Path, Path]:
    """A journal and a raw answer that are kept."""
    service.hand_out(Reply.of(200, PUZZLING))
    with pytest.raises(signdoc.SignDocError) as caught:
        client.pades.download(SIGN_ID, to=folder)
    return Path(caught.value.details["journal"]), Path(caught.value.details["raw_answer"])


def test_a_raw_answer_without_a_journal_is_found(
    service: RawService, client: signdoc.Client, tmp_path: Path
) -> None:
    journal, kept = interrupted(service, client, tmp_path)
    assert kept.read_bytes() == PUZZLING
    journal.unlink()
    for path in tmp_path.glob("*.pdf"):
        path.unlink()
    kept.write_bytes(BODY)
    (found,) = client.pades.recover(tmp_path)
    assert (found.outcome, found.sign_id) == ("complete", SIGN_ID)
    assert found.download is not None
    files = [one.path for one in found.download.documents]
    assert [path.read_bytes() for path in files if path] == DOCUMENTS
    assert not kept.exists(), "everything that it holds is in files"
    assert client.pades.recover(tmp_path) == []


def test_an_answer_that_was_moved_waits_for_its_journal(
    service: RawService, client: signdoc.Client, tmp_path: Path
) -> None:
    journal, kept = interrupted(service, client, tmp_path)
    moved = tmp_path / f"signdoc-{SIGN_ID}-0123456789abcdef" / f".signdoc-{SIGN_ID}-1.answer.part"
    moved.parent.mkdir(mode=0o700)
    moved.write_bytes(BODY)
    moved.chmod(0o600)
    kept.unlink()
    with journal.open("a") as file:
        file.write(json.dumps({"event": "moved", "answer": str(moved)}) + "\n")
    (found,) = client.pades.recover(moved.parent)
    assert (found.outcome, found.raw_answer) == ("partial", moved)
    assert "recover that folder" in str(found.problem)
    assert moved.read_bytes() == BODY, "only its journal knows what was asked for"
    (found,) = client.pades.recover(tmp_path)
    assert found.outcome == "complete"
    assert not moved.parent.exists() or list(moved.parent.iterdir()) != [moved]
    assert not journal.exists()


def test_an_order_that_was_handed_out_is_not_asked_for_again(
    service: RawService, client: signdoc.Client, tmp_path: Path
) -> None:
    interrupted(service, client, tmp_path)
    (found,) = signdoc.recover(tmp_path)
    assert (found.outcome, found.ask_again) == ("partial", False)
    found.dismiss()
    assert signdoc.recover(tmp_path) == []


def test_each_kind_recovers_its_own(
    service: RawService, client: signdoc.Client, tmp_path: Path
) -> None:
    journal, kept = interrupted(service, client, tmp_path)
    kept.write_bytes(BODY)
    assert client.sdo.recover(tmp_path) == []
    assert kept.read_bytes() == BODY
    journal.unlink()
    assert client.sdo.recover(tmp_path) == []
    assert kept.read_bytes() == BODY
    (found,) = client.pades.recover(tmp_path)
    assert found.outcome == "complete"


def test_a_journal_that_never_began_is_cleared_away(tmp_path: Path) -> None:
    journal = tmp_path / f".signdoc-{SIGN_ID}-1.journal"
    journal.touch(mode=0o600)
    assert signdoc.recover(tmp_path) == []
    assert not journal.exists()


def test_an_answer_that_cannot_be_read_is_told_as_that(
    service: RawService, client: signdoc.Client, tmp_path: Path
) -> None:
    _, kept = interrupted(service, client, tmp_path)
    os.link(kept, tmp_path / "second")
    (found,) = signdoc.recover(tmp_path)
    assert (found.outcome, found.ask_again) == ("unreadable", False)
    assert "more than one name" in str(found.problem)


def test_many_downloads_at_once_leave_nothing_behind(
    service: RawService, client: signdoc.Client, tmp_path: Path
) -> None:
    service.order(PADES)
    # No order is named, so that it fits all of them.
    body = BODY.replace(f'"signId": "{SIGN_ID}", '.encode(), b"")
    assert SIGN_ID.encode() not in body
    service.on("DELETE", PADES, Reply.of(200, body))
    before = len(os.listdir("/proc/self/fd")) if Path("/proc/self/fd").exists() else None

    def work(number: int) -> None:
        for time in range(20):
            client.pades.download(f"{SIGN_ID[:-4]}{number:02}{time:02}", to=tmp_path)

    threads = [threading.Thread(target=work, args=[number]) for number in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(PATIENCE)
    assert list(tmp_path.rglob(".*")) == []
    if before is not None:
        client.close()
        assert len(os.listdir("/proc/self/fd")) <= before


def test_a_raw_answer_without_a_journal_that_puzzles_stays(
    service: RawService, client: signdoc.Client, tmp_path: Path
) -> None:
    journal, kept = interrupted(service, client, tmp_path)
    journal.unlink()
    (found,) = client.pades.recover(tmp_path)
    assert (found.outcome, found.journal, found.raw_answer) == ("partial", None, kept)
    assert kept.read_bytes() == PUZZLING
    found.dismiss()
    assert not kept.exists()
    assert client.pades.recover(tmp_path) == []


@pytest.mark.skipif(os.geteuid() != 0, reason="files of somebody else need root")
def test_a_journal_of_somebody_else_is_not_believed(
    service: RawService, client: signdoc.Client, tmp_path: Path
) -> None:
    journal, kept = interrupted(service, client, tmp_path)
    os.chown(journal, NOBODY, NOBODY)
    before = {path: path.read_bytes() for path in tmp_path.iterdir()}
    found = client.pades.recover(tmp_path)
    assert [one.outcome for one in found if one.journal] == ["unreadable"]
    assert all(path.read_bytes() == data for path, data in before.items())
    os.chown(journal, 0, 0)
    os.chown(kept, NOBODY, NOBODY)
    (found_one,) = client.pades.recover(tmp_path)
    assert found_one.outcome == "unreadable"
    assert found_one.problem is not None
    assert all(path.read_bytes() == data for path, data in before.items())


@pytest.mark.parametrize("mode", [0o666, 0o660, 0o622])
def test_a_journal_that_others_can_write_is_not_believed(
    service: RawService, client: signdoc.Client, tmp_path: Path, mode: int
) -> None:
    journal, kept = interrupted(service, client, tmp_path)
    journal.chmod(mode)
    (found,) = [one for one in client.pades.recover(tmp_path) if one.journal]
    assert found.outcome == "unreadable"
    assert found.problem is not None
    assert journal.exists()
    assert kept.read_bytes() == PUZZLING


@pytest.mark.parametrize("field", ["writing", "writing, relative", "moved", "placing", "folder"])
def test_a_journal_cannot_name_a_file_of_somebody_else(
    service: RawService, client: signdoc.Client, tmp_path: Path, field: str
) -> None:
    """Whatever is written into it: nothing is replaced or removed that is not a download's."""
    folder = tmp_path / "signed"
    journal, kept = interrupted(service, client, folder)
    victim = tmp_path / "victim" / "important.pdf"
    victim.parent.mkdir()
    victim.write_bytes(b"%PDF-1.7 somebody else's")
    if os.geteuid() == 0:
        os.chown(victim, NOBODY, NOBODY)
    lines = journal.read_text().splitlines()
    told = str(victim)
    placed = {"event": "placing", "index": 0, "part": "document", "size": 1, "sha256": "00" * 32}
    more: dict[str, list[dict[str, Any]]] = {
        "writing": [{"event": "writing", "file": told}],
        "writing, relative": [{"event": "writing", "file": "../victim/important.pdf"}],
        "moved": [{"event": "moved", "answer": told}],
        "placing": [{**placed, "file": told}],
        "folder": [],
    }
    lines += [json.dumps(line) for line in more[field]]
    text = "\n".join(lines) + "\n"
    if field == "folder":
        text = text.replace(str(folder), str(victim.parent))
    journal.write_text(text)
    client.pades.recover(folder)
    assert victim.read_bytes() == b"%PDF-1.7 somebody else's"
    assert kept.exists()


@pytest.mark.parametrize("what", ["fifo", "directory", "symlink", "dangling", "hard link", "empty"])
@pytest.mark.parametrize("which", ["journal", "answer"])
def test_what_is_no_file_of_ours_holds_nobody_up(
    service: RawService, tmp_path: Path, what: str, which: str
) -> None:
    folder = tmp_path / "signed"
    with service.client() as client:
        journal, kept = interrupted(service, client, folder)
    path = journal if which == "journal" else kept
    path.unlink()
    other = tmp_path / "other"
    other.write_bytes(b"of somebody else")
    if what == "fifo":
        os.mkfifo(path)
    elif what == "directory":
        path.mkdir()
    elif what == "symlink":
        path.symlink_to(other)
    elif what == "dangling":
        path.symlink_to(tmp_path / "nowhere")
    elif what == "hard link":
        os.link(other, path)
    else:
        path.touch()
    code = """
        import json, sys
        import signdoc

        client = signdoc.Client(**json.loads(sys.argv[1]))
        print([one.outcome for one in client.pades.recover(sys.argv[2])])
    """
    process = started(code, json.dumps(service.options()), str(folder))
    said, errors = process.communicate(timeout=PATIENCE)
    assert process.returncode == 0, errors
    assert said.startswith("[")
    assert other.read_bytes() == b"of somebody else"
    assert not (tmp_path / "nowhere").exists()


def test_a_child_of_a_killed_parent_holds_nothing(service: RawService, tmp_path: Path) -> None:
    """A forked worker lives on with the parent's open files."""
    left = threading.Event()
    go_on = threading.Event()
    half = len(BODY) // 2
    parts = (head(200, BODY), BODY[:half], left.set, lambda: go_on.wait(PATIENCE), BODY[half:])
    service.hand_out(Reply(*parts))
    code = """
        import json, os, sys, threading
        import signdoc

        client = signdoc.Client(**json.loads(sys.argv[1]))
        work = threading.Thread(
            target=client.pades.download, args=(sys.argv[3],), kwargs={"to": sys.argv[2]}
        )
        work.start()
        sys.stdin.readline()
        child = os.fork()
        if child == 0:
            # It does nothing but live, until its input ends.
            print("child", flush=True)
            sys.stdin.read()
            os._exit(0)
        work.join()
    """
    process = subprocess.Popen(
        [
            sys.executable,
            "-c",
            textwrap.dedent(code),
            json.dumps(service.options()),
            str(tmp_path),
            SIGN_ID,
        ],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert process.stdin is not None
    assert process.stdout is not None
    assert left.wait(PATIENCE)
    process.stdin.write("go\n")
    process.stdin.flush()
    assert process.stdout.readline() == "child\n"
    with service.client() as client:
        (found,) = client.pades.recover(tmp_path)
        assert found.outcome == "in_progress"
        process.send_signal(signal.SIGKILL)
        process.wait(PATIENCE)
        try:
            (found,) = client.pades.recover(tmp_path)
            assert found.outcome in ("partial", "nothing_arrived")
            assert found.raw_answer is not None
            assert BODY.startswith(found.raw_answer.read_bytes())
        finally:
            go_on.set()
            process.communicate()


def test_a_killed_batch_leaves_nothing_that_a_resume_does_not_clear(tmp_path: Path) -> None:
    converted = [b"%PDF-1.7 " + os.urandom(200_000)]
    with RawService() as service:
        left = threading.Event()
        body = json.dumps(answer(*converted)).encode()
        begin = body[: len(body) // 2]
        service.on("POST", CONVERT, Reply(head(200, body), begin, left.set, PATIENCE))
        code = """
            import json, sys
            import signdoc

            client = signdoc.Client(**json.loads(sys.argv[1]))
            list(client.convert_many([sys.argv[2]], to=sys.argv[3], resume=sys.argv[4]))
        """
        document = tmp_path / "loan.pdf"
        document.write_bytes(PDF)
        out, manifest = tmp_path / "out", tmp_path / "manifest.jsonl"
        arguments = [json.dumps(service.options()), str(document), str(out), str(manifest)]
        process = started(code, *arguments)
        assert left.wait(PATIENCE)
        while not list(out.glob(".*")):
            assert process.poll() is None
        process.kill()
        process.communicate()
        assert list(out.glob(".*")), "a part of a result"
        service.on("POST", CONVERT, Reply.of(200, body))
        with service.client() as client:
            (result,) = client.convert_many([document], to=out, resume=manifest)
        assert result.path is not None
        assert result.path.read_bytes() == converted[0]
        assert [path.name for path in out.iterdir()] == ["loan.pdf"]


def test_recovery_is_the_same_in_the_program(
    service: RawService, client: signdoc.Client, tmp_path: Path
) -> None:
    interrupted(service, client, tmp_path)
    done = subprocess.run(
        [sys.executable, "-m", "signdoc", "recover", str(tmp_path), "--json"],
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, **environment(service)},
    )
    (found,) = json.loads(done.stdout)["recovered"]
    assert found["outcome"] == "partial"
    assert done.returncode != 0


def environment(service: RawService) -> dict[str, str]:
    return {f"SIGNDOC_{key.upper()}": value for key, value in service.options().items()}
