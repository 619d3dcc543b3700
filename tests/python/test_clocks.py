"""Once the request that deletes an order has left, no caller's clock ends the reception; and before
it leaves, no answer to the question for the state uses up the order's time."""

from __future__ import annotations

import asyncio
import json
import os
import signal
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, Any

import pytest

import signdoc
from raw_service import PADES, SIGN_ID, RawService, Reply, head, pades_answer
from support import started

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

DOCUMENTS = [b"%PDF-1.7 " + os.urandom(300_000) for _ in range(2)]
BODY = json.dumps(pades_answer(*DOCUMENTS)).encode()
PATIENCE = 120.0
RECEPTION_CONTINUES = 109


class Slow(RawService):
    """A service that hands out the first half of the results, and the rest when it is told to."""

    def __init__(self) -> None:
        super().__init__()
        self.left = threading.Event()
        self.go_on = threading.Event()
        self.order(PADES)
        half = len(BODY) // 2
        self.on(
            "DELETE",
            PADES,
            Reply(head(200, BODY), BODY[:half], self.left.set, self._wait, BODY[half:]),
        )

    def _wait(self) -> None:
        self.go_on.wait(PATIENCE)

    def __exit__(self, *about: object) -> None:
        self.go_on.set()
        super().__exit__(*about)


@pytest.fixture
def slow() -> Iterator[Slow]:
    with Slow() as service:
        yield service


def finished(folder: Path) -> None:
    """All documents are there, and nothing besides."""
    assert signdoc.finish_downloads(PATIENCE) == 0
    names = [f"{SIGN_ID}-{number}.pdf" for number in (1, 2)]
    assert sorted(path.name for path in folder.iterdir()) == names
    assert [(folder / name).read_bytes() for name in names] == DOCUMENTS


def rescued(client: signdoc.Client, fallback: Path) -> None:
    """The answer that went to memory lies in the fallback folder, to be recovered."""
    assert signdoc.finish_downloads(PATIENCE) == 0
    # The last thing that a reception does comes right after it has ended.
    deadline = time.monotonic() + PATIENCE
    while not list(fallback.glob("*/.signdoc-*.journal")):
        assert time.monotonic() < deadline, list(fallback.rglob("*"))
        time.sleep(0.01)
    (folder,) = fallback.iterdir()
    assert folder.stat().st_mode & 0o077 == 0
    (recovery,) = client.pades.recover(folder)
    assert recovery.outcome == "complete"
    assert recovery.download is not None
    files = [one.path for one in recovery.download.documents]
    assert [path.read_bytes() for path in files if path] == DOCUMENTS


def limited(slow: Slow, client: signdoc.Client, to: Path | None) -> signdoc.OutcomeUnknown:
    """What is told when the time is over."""
    # On a machine that is very busy the limit may be over before the request leaves.
    for limit in (2, 20, 100):
        try:
            client.pades.download(SIGN_ID, to=to, timeout=limit)
        except signdoc.OutcomeUnknown as error:
            return error
        except signdoc.RequestTimeout:
            assert slow.count("DELETE", PADES) == 0
    raise AssertionError("the request never left")


def test_a_time_limit_ends_the_waiting_alone(slow: Slow, tmp_path: Path) -> None:
    with slow.client() as client:
        told = limited(slow, client, tmp_path / "signed")
    assert told.code == RECEPTION_CONTINUES
    assert not told.retryable
    assert told.details["reception"] == {"sign_id": SIGN_ID, "folder": str(tmp_path / "signed")}
    assert str(tmp_path / "signed") in told.message
    assert "recover" in told.message
    # The client is closed, and the time limit long over.
    slow.go_on.set()
    finished(tmp_path / "signed")


def test_a_time_limit_of_results_for_memory(slow: Slow, tmp_path: Path) -> None:
    with slow.client(fallback_folder=tmp_path) as client:
        told = limited(slow, client, None)
        assert told.code == RECEPTION_CONTINUES
        slow.go_on.set()
        rescued(client, tmp_path)
        assert told.details["reception"]["folder"] == str(next(tmp_path.iterdir()))


@pytest.mark.parametrize("into", ["folder", "memory"])
def test_a_cancelled_task(
    slow: Slow, tmp_path: Path, into: str, caplog: pytest.LogCaptureFixture
) -> None:
    folder = tmp_path / "signed" if into == "folder" else None

    async def cancelled() -> asyncio.CancelledError:
        options = slow.options(fallback_folder=tmp_path / "fallback")
        async with signdoc.AsyncClient(**options) as client:
            task = asyncio.create_task(client.pades.download(SIGN_ID, to=folder))
            await asyncio.to_thread(slow.left.wait, PATIENCE)
            task.cancel()
            try:
                await task
            except asyncio.CancelledError as stopped:
                return stopped
            raise AssertionError("the task was not cancelled")

    stopped = asyncio.run(cancelled())
    (note,) = stopped.__notes__
    assert "still being received" in note
    assert note in caplog.text
    slow.go_on.set()
    if folder:
        assert str(folder) in note
        finished(folder)
    else:
        with slow.client() as client:
            rescued(client, tmp_path / "fallback")


def test_a_listener_that_fails(slow: Slow, tmp_path: Path) -> None:
    def listen(progress: signdoc.Progress) -> None:
        if progress.received:
            raise KeyError("the listener's own")

    with slow.client() as client:
        with pytest.raises(KeyError) as caught:
            client.pades.download(SIGN_ID, to=tmp_path / "signed", progress=listen)
        assert "still being received" in caught.value.__notes__[0]
        slow.go_on.set()
        finished(tmp_path / "signed")


def test_a_result_that_its_listener_drops_is_put_aside(tmp_path: Path) -> None:
    """The listener fails when everything is there already."""
    with RawService() as service, service.client(fallback_folder=tmp_path) as client:
        service.order(PADES)
        service.on("DELETE", PADES, Reply.of(200, BODY))

        def listen(progress: signdoc.Progress) -> None:
            if progress.received >= len(BODY):
                # Meanwhile the result comes.
                time.sleep(1)
                raise KeyError("the listener's own")

        with pytest.raises(KeyError) as caught:
            client.pades.download(SIGN_ID, progress=listen)
        (note,) = caught.value.__notes__
        assert str(tmp_path) in note
        rescued(client, tmp_path)


PROGRAM = """
    import json, sys
    import signdoc

    options, folder = json.loads(sys.argv[1]), sys.argv[2]
    client = signdoc.Client(**options)
    print("ready", flush=True)
    try:
        client.pades.download(sys.argv[3], to=folder or None)
    except BaseException as stopped:
        print(type(stopped).__name__, getattr(stopped, "__notes__", None), flush=True)
"""


@pytest.mark.parametrize("into", ["folder", "memory"])
def test_ctrl_c_ends_the_waiting_and_the_process_waits(
    slow: Slow, tmp_path: Path, into: str
) -> None:
    folder = tmp_path / "signed"
    options = slow.options(fallback_folder=str(tmp_path / "fallback"))
    argument = str(folder) if into == "folder" else ""
    process = started(PROGRAM, json.dumps(options), argument, SIGN_ID)
    assert process.stdout is not None
    assert process.stderr is not None
    assert process.stdout.readline() == "ready\n"
    assert slow.left.wait(PATIENCE)
    process.send_signal(signal.SIGINT)
    said = process.stdout.readline()
    assert said.startswith("KeyboardInterrupt ")
    assert "still being received" in said
    # The program is at its end now, and says what it waits for.
    waiting = process.stderr.readline()
    while "receiving the results of 1 order" not in waiting:
        assert waiting, process.communicate()
        waiting = process.stderr.readline()
    slow.go_on.set()
    assert process.wait(PATIENCE) == 0
    process.communicate()
    if into == "folder":
        finished(folder)
    else:
        with slow.client() as client:
            rescued(client, tmp_path / "fallback")


def test_a_second_ctrl_c_gives_up(slow: Slow, tmp_path: Path) -> None:
    process = started(PROGRAM, json.dumps(slow.options()), str(tmp_path / "signed"), SIGN_ID)
    assert process.stdout is not None
    assert process.stderr is not None
    assert slow.left.wait(PATIENCE)
    process.send_signal(signal.SIGINT)
    while "receiving the results" not in process.stderr.readline():
        assert process.poll() is None
    process.send_signal(signal.SIGINT)
    _, errors = process.communicate(timeout=PATIENCE)
    assert "gave up on 1 download" in errors
    # What had come is on the disk.
    with slow.client() as client:
        slow.on("GET", PADES, Reply.of(404, {"message": "no such order"}))
        (recovery,) = client.pades.recover(tmp_path / "signed")
    assert recovery.outcome in ("partial", "nothing_arrived")
    assert recovery.raw_answer is not None
    kept = recovery.raw_answer.read_bytes()
    assert BODY.startswith(kept)
    assert len(kept) > 100_000


def test_a_worker_of_multiprocessing_waits_at_its_end(slow: Slow, tmp_path: Path) -> None:
    code = """
        import json, multiprocessing, sys
        import signdoc

        def work(options, folder, sign_id):
            for limit in (2, 20, 100):
                try:
                    signdoc.Client(**options).pades.download(sign_id, to=folder, timeout=limit)
                except signdoc.OutcomeUnknown as told:
                    print(told.name, flush=True)
                    break
                except signdoc.RequestTimeout:
                    pass

        if __name__ == "__main__":
            context = multiprocessing.get_context("fork")
            process = context.Process(target=work, args=(json.loads(sys.argv[1]), *sys.argv[2:]))
            process.start()
            process.join()
            sys.exit(process.exitcode)
    """
    process = started(code, json.dumps(slow.options()), str(tmp_path / "signed"), SIGN_ID)
    assert process.stdout is not None
    assert slow.left.wait(PATIENCE)
    assert process.stdout.readline() == "reception_continues\n"
    slow.go_on.set()
    assert process.wait(PATIENCE) == 0
    process.communicate()
    finished(tmp_path / "signed")


STATE_ANSWERS: dict[str, Any] = {
    "silence": Reply(PATIENCE),
    "silence in the middle": Reply(head(200, 100), b'{"orderSt', PATIENCE),
    "429, come back in 95 s": Reply.of(429, "slowly", [("Retry-After", "95")]),
    "503, come back in 120 s": Reply.of(503, "later", [("Retry-After", "120")]),
    "500": Reply.of(500, "broken"),
    "405": Reply.of(405, "not here"),
    "a page": Reply.of(200, "<html><body>a gateway</body></html>", [("Content-Type", "text/html")]),
    "no field": Reply.of(200, {}),
    "nothing": Reply.of(200, b""),
    "a redirect": Reply.of(302, b"", [("Location", "/elsewhere")]),
    "a proxy that wants a password": Reply.of(407, b""),
    "closed": Reply(),
}
MOST_UNTIL_DELETE = 15.0


def test_no_answer_about_the_state_uses_up_the_window(tmp_path: Path) -> None:
    """With all defaults, the DELETE leaves within 15 seconds of the call, and everything comes."""

    def tried(number: int, answer: Reply) -> tuple[float, list[bytes]]:
        with RawService() as service, service.client() as client:
            service.order(PADES)
            service.on("GET", PADES, answer)
            service.on("DELETE", PADES, Reply.of(200, BODY))
            begun = time.monotonic()
            got = client.pades.download(SIGN_ID, to=tmp_path / str(number))
            (left,) = [one.at for one in service.requests if one.method == "DELETE"]
            return left - begun, [one.path.read_bytes() for one in got.documents if one.path]

    with ThreadPoolExecutor(len(STATE_ANSWERS)) as pool:
        came = list(pool.map(tried, range(len(STATE_ANSWERS)), STATE_ANSWERS.values()))
    for name, (seconds, documents) in zip(STATE_ANSWERS, came, strict=True):
        print(f"{name}: the request left after {seconds:.1f} s")
        assert documents == DOCUMENTS, name
        assert seconds < MOST_UNTIL_DELETE, name
