"""The client for event loops: the same calls, awaited."""

from __future__ import annotations

import asyncio
import contextlib
import inspect
import logging
import pickle
import resource
import threading
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

import pytest

import signdoc
from support import CONVERT, PDF, answer, answers, credentials, ran, watching_service

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable, Coroutine, Iterator
    from pathlib import Path

    Run = Callable[[Coroutine[Any, Any, Any]], Any]

LOOPS = ["asyncio", "uvloop"]


@pytest.fixture(params=LOOPS)
def run(request: pytest.FixtureRequest) -> Run:
    if request.param == "asyncio":
        return asyncio.run
    uvloop = pytest.importorskip("uvloop", reason="uvloop is not installed")
    run: Run = uvloop.run
    return run


def test_the_faces_have_the_same_names() -> None:
    def names(kind: type) -> dict[str, Any]:
        return {
            name: value
            for name, value in inspect.getmembers(kind)
            if not name.startswith("_") and name not in {"mro"}
        }

    blocking, awaited = names(signdoc.Client), names(signdoc.AsyncClient)
    assert set(blocking) == set(awaited)
    for name, method in blocking.items():
        if not inspect.isfunction(method) or name == "close":
            continue
        one, other = inspect.signature(method), inspect.signature(awaited[name])
        assert list(one.parameters) == list(other.parameters), name
        for parameter, twin in zip(one.parameters.values(), other.parameters.values(), strict=True):
            assert (parameter.default, parameter.kind) == (twin.default, twin.kind), name
        assert inspect.getdoc(awaited[name]), name
        assert inspect.iscoroutinefunction(awaited[name]) or name == "convert_many"


def test_calls_are_awaited(sandbox: signdoc.Sandbox, run: Run, tmp_path: Path) -> None:
    answers(sandbox, b"%PDF-1.7 one", b"%PDF-1.7 two", times=1)

    async def calls() -> None:
        async with sandbox.async_client() as client:
            assert await client.conversion_specs() == ["PDFA_2B"]
            results = await client.convert([PDF, bytearray(PDF)], to=tmp_path)
            assert [one.path and one.path.read_bytes() for one in results] == [
                b"%PDF-1.7 one",
                b"%PDF-1.7 two",
            ]
            assert client.last_answer is not None
            assert client.last_answer.status == 200
            with pytest.raises(signdoc.InputError, match="is no PDF"):
                await client.convert([b"GIF89a"])
            with pytest.raises(signdoc.InputError, match="brackets"):
                await client.convert(PDF)  # type: ignore[arg-type]
        with pytest.raises(signdoc.InputError, match="closed"):
            await client.conversion_specs()

    run(calls())


def test_errors_and_a_callback_that_fails(sandbox: signdoc.Sandbox, tmp_path: Path) -> None:
    def progress(now: signdoc.Progress) -> None:
        raise LookupError("stop here")

    async def calls() -> None:
        async with sandbox.async_client(max_retries=0) as client:
            sandbox.faults.add("status", path=CONVERT, status=418, body="a teapot")
            with pytest.raises(signdoc.ServiceError, match="teapot"):
                await client.convert([PDF])
            sandbox.faults.add("stall", path=CONVERT)
            with pytest.raises(signdoc.RequestTimeout):
                await client.convert([PDF], timeout=0.2)
            sandbox.faults.add("stall", path=CONVERT)
            with pytest.raises(LookupError, match="stop here"):
                await client.convert([PDF], to=tmp_path, progress=progress)
            assert not list(tmp_path.iterdir())

    asyncio.run(calls())


def test_the_loop_goes_on_and_progress_is_told_by_its_thread(
    sandbox: signdoc.Sandbox, run: Run
) -> None:
    told: list[signdoc.Progress] = []
    threads: set[int] = set()
    turns = 0

    def progress(now: signdoc.Progress) -> None:
        told.append(now)
        threads.add(threading.get_ident())

    async def turn() -> None:
        nonlocal turns
        while True:
            await asyncio.sleep(0.001)
            turns += 1

    async def calls() -> None:
        async with sandbox.async_client() as client:
            turning = asyncio.create_task(turn())
            await client.convert([PDF + b" " * 1_000_000], progress=progress)
            turning.cancel()

    answers(sandbox, b"%PDF-1.7" * 100_000, delay_ms=400)
    run(calls())
    assert told[-1].sent == told[-1].to_send > 1_333_333
    assert told[-1].received > 1_000_000
    assert threads == {threading.get_ident()}
    # A loop that is held for the length of the call turns once or twice.
    assert turns > 20


def test_cancelling_a_task_closes_its_connection(sandbox: signdoc.Sandbox, run: Run) -> None:
    async def calls(address: str, closed: threading.Event, taken: threading.Event) -> None:
        async with sandbox.async_client(base_url=address) as client:
            task = asyncio.create_task(client.convert([PDF]))
            await asyncio.to_thread(taken.wait, 30)
            assert not closed.is_set()
            task.cancel()
            with pytest.raises(asyncio.CancelledError):
                await task
            assert await asyncio.to_thread(closed.wait, 30)
            # The client is as good as before.
            assert "PDFA_2B" in await sandbox.async_client().conversion_specs()

    with watching_service() as (address, taken, closed):
        run(calls(address, closed, taken))


STAGES: dict[str, dict[str, Any]] = {
    "metadata": {"path": "$REALM/.well-known/*", "kind": "stall"},
    "token": {"path": "$REALM/protocol/*", "kind": "stall"},
    "answer": {"path": CONVERT, "kind": "stall"},
    "the answer's body": {"path": CONVERT, "kind": "slow", "step_bytes": 8, "pause_ms": 200},
    "pause before a repetition": {
        "path": CONVERT,
        "kind": "status",
        "status": 503,
        "headers": {"Retry-After": "60"},
    },
}


@pytest.mark.parametrize("stage", STAGES)
def test_a_call_is_cancelled_at_every_stage(
    sandbox: signdoc.Sandbox, tmp_path: Path, stage: str
) -> None:
    fault = dict(STAGES[stage])
    fault["path"] = fault["path"].replace("$REALM", urlsplit(sandbox.issuer).path)
    path = tmp_path / "loan.pdf"
    path.write_bytes(PDF)

    async def calls() -> None:
        for pause in (0.0, 0.05, 0.3):
            sandbox.faults.clear()
            sandbox.faults.add(**fault, times=None)
            async with sandbox.async_client() as client:
                with pytest.raises(TimeoutError):
                    await asyncio.wait_for(client.convert([path], to=tmp_path / "out"), pause)
                assert not list(tmp_path.glob("out/*"))
                assert pause < 0.3 or sandbox.faults.list()[0]["used"] > 0
                sandbox.faults.clear()
                answers(sandbox, b"%PDF-1.7 good", times=1)
                assert (await client.convert([path]))[0].data == b"%PDF-1.7 good"

    asyncio.run(calls())


def test_event_loops_one_after_another_and_at_once(sandbox: signdoc.Sandbox, run: Run) -> None:
    client = sandbox.async_client()

    async def calls() -> list[list[str]]:
        return await asyncio.gather(*(client.conversion_specs() for _ in range(5)))

    wanted = [["PDFA_2B"]] * 5
    assert [run(calls()) for _ in range(3)] == [wanted] * 3
    found: list[Any] = []
    threads = [threading.Thread(target=lambda: found.append(run(calls()))) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert found == [wanted] * 4


def test_a_loop_that_is_left_in_the_middle(sandbox: signdoc.Sandbox) -> None:
    sandbox.faults.add("stall", path=CONVERT, times=1)
    client = sandbox.async_client()
    loop = asyncio.new_event_loop()
    left = loop.create_task(client.convert([PDF]))
    assert loop.run_until_complete(client.conversion_specs()) == ["PDFA_2B"]
    left.cancel()
    with contextlib.suppress(asyncio.CancelledError):
        loop.run_until_complete(left)
    loop.close()
    assert asyncio.run(client.conversion_specs()) == ["PDFA_2B"]


@pytest.fixture
def many_files() -> Iterator[None]:
    """Enough open files for a thousand connections, here and in a sandbox that is started."""
    wanted = 4096
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if hard != resource.RLIM_INFINITY and hard < wanted:
        pytest.skip(f"a thousand connections need {wanted} open files; the limit is {hard}")
    resource.setrlimit(resource.RLIMIT_NOFILE, (max(soft, wanted), hard))
    yield
    resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))


@pytest.mark.usefixtures("many_files")
def test_a_thousand_calls_at_once(run: Run) -> None:
    async def calls(sandbox: signdoc.Sandbox) -> None:
        async with sandbox.async_client() as client:
            waiting = [client.convert([PDF + b"%d" % number]) for number in range(1000)]
            results = await asyncio.gather(*waiting)
            assert {one[0].data for one in results} == {b"%PDF-1.7 done"}

    with signdoc.Sandbox() as sandbox:
        answers(sandbox, b"%PDF-1.7 done")
        run(calls(sandbox))
        paths = [request.path.rsplit("/", 1)[1] for request in sandbox.requests]
        assert paths.count("token") == 1


def test_a_child_process_uses_the_client_of_its_parent(sandbox: signdoc.Sandbox) -> None:
    answers(sandbox, b"%PDF-1.7")
    code = """
        import asyncio, os, signdoc
        client = signdoc.AsyncClient.from_env()
        async def call():
            results = await asyncio.gather(*(client.convert([b"%PDF-1.4"]) for _ in range(3)))
            return {one[0].data for one in results}
        assert asyncio.run(call()) == {b"%PDF-1.7"}
        loop = asyncio.new_event_loop()
        assert loop.run_until_complete(call()) == {b"%PDF-1.7"}
        child = os.fork()
        if child == 0:
            assert asyncio.run(call()) == {b"%PDF-1.7"}
            raise SystemExit(5)
        assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 5
        assert loop.run_until_complete(call()) == {b"%PDF-1.7"}
        loop.close()
        print("well")
    """
    assert ran(code, **credentials(sandbox)) == "well"


def test_a_pickled_client(sandbox: signdoc.Sandbox, monkeypatch: pytest.MonkeyPatch) -> None:
    client = pickle.loads(pickle.dumps(sandbox.async_client()))
    with pytest.raises(signdoc.ConfigError, match="SIGNDOC_CLIENT_SECRET"):
        asyncio.run(client.conversion_specs())
    monkeypatch.setenv("SIGNDOC_CLIENT_SECRET", sandbox.client_secret)
    assert asyncio.run(client.conversion_specs()) == ["PDFA_2B"]


def test_many_documents_as_they_finish(sandbox: signdoc.Sandbox, run: Run) -> None:
    sandbox.faults.add(
        "status", path=CONVERT, status=200, json=answer(*[b"%PDF-1.7"] * 15), times=2
    )
    answers(sandbox, *[b"%PDF-1.7 last"] * 2)

    async def documents() -> AsyncIterator[bytes]:
        for _ in range(32):
            await asyncio.sleep(0)
            yield PDF

    async def calls(given: Any) -> list[signdoc.Conversion]:
        async with sandbox.async_client() as client:
            return [one async for one in client.convert_many(given, concurrency=1)]

    for given in (documents(), [PDF] * 32):
        sandbox.reset()
        sandbox.faults.add(
            "status", path=CONVERT, status=200, json=answer(*[b"%PDF-1.7"] * 15), times=2
        )
        answers(sandbox, *[b"%PDF-1.7 last"] * 2)
        results = run(calls(given))
        assert sorted(one.index for one in results) == list(range(32))
        assert all(one.failure is None for one in results)


def test_many_documents_with_bounded_concurrency(sandbox: signdoc.Sandbox) -> None:
    answers(sandbox, *[b"%PDF-1.7"] * 15, delay_ms=100)
    taken = 0

    def documents() -> Iterator[bytes]:
        nonlocal taken
        for _ in range(15 * 8):
            taken += 1
            yield PDF

    async def calls() -> None:
        async with sandbox.async_client() as client:
            drawn = client.convert_many(documents(), concurrency=2)
            assert taken == 0
            await anext(drawn)
            # Two calls were under way, and no more was asked for than they took.
            assert taken <= 45
            await drawn.aclose()
            with pytest.raises(StopAsyncIteration):
                await anext(drawn)

    asyncio.run(calls())
    assert sum(request.path == CONVERT for request in sandbox.requests) <= 3


def test_documents_that_fail_half_way(sandbox: signdoc.Sandbox) -> None:
    answers(sandbox, *[b"%PDF-1.7"] * 15, delay_ms=50)

    def documents() -> Iterator[bytes]:
        yield from [PDF] * 40
        raise LookupError("the archive is gone")

    async def from_async() -> AsyncIterator[bytes]:
        for one in documents():
            yield one

    async def calls(given: Any) -> None:
        async with sandbox.async_client() as client:
            done: list[int] = []

            async def draw() -> None:
                async for one in client.convert_many(given, concurrency=1):
                    done.append(one.index)

            with pytest.raises(LookupError, match="the archive is gone"):
                await draw()
            assert sorted(done) == list(range(len(done)))
            assert await client.conversion_specs() == ["PDFA_2B"]

    asyncio.run(calls(documents()))
    asyncio.run(calls(from_async()))


def test_a_task_that_draws_from_a_batch_is_cancelled(
    sandbox: signdoc.Sandbox, tmp_path: Path
) -> None:
    async def calls(address: str, taken: threading.Event, closed: threading.Event) -> None:
        async def draw() -> None:
            async with sandbox.async_client(base_url=address) as client:
                async for _ in client.convert_many([PDF] * 20, to=tmp_path):
                    pass

        task = asyncio.create_task(draw())
        await asyncio.to_thread(taken.wait, 30)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        assert await asyncio.to_thread(closed.wait, 30)
        assert not list(tmp_path.iterdir())

    with watching_service() as (address, taken, closed):
        asyncio.run(calls(address, taken, closed))


def test_a_leftover_batch_is_ended_with_its_loop(sandbox: signdoc.Sandbox) -> None:
    async def calls(address: str) -> None:
        client = sandbox.async_client(base_url=address)
        drawn = client.convert_many([PDF] * 20)
        waiting = asyncio.ensure_future(anext(drawn))
        await asyncio.sleep(0.1)
        waiting.cancel()

    with watching_service() as (address, _, closed):
        asyncio.run(calls(address))
        assert closed.wait(30)


def test_nothing_loads_asyncio_that_does_not_need_it(sandbox: signdoc.Sandbox) -> None:
    answers(sandbox, b"%PDF-1.7")
    code = """
        import sys, signdoc
        assert "asyncio" not in sys.modules
        with signdoc.Client.from_env() as client:
            client.convert([b"%PDF-1.4"])
            list(client.convert_many([b"%PDF-1.4"]))
        assert "asyncio" not in sys.modules
        signdoc.AsyncClient
        print("asyncio" in sys.modules)
    """
    assert ran(code, **credentials(sandbox)) == "True"


@pytest.mark.parametrize("face", ["Client", "AsyncClient"])
def test_two_hundred_processes_end_with_calls_under_way(
    sandbox: signdoc.Sandbox, face: str
) -> None:
    """The children of one process each, so that a run takes no longer than a fork does."""
    sandbox.faults.add("stall", path=CONVERT, times=None)
    code = """
        import asyncio, os, sys, threading, time, signdoc

        def in_threads(seconds):
            client = signdoc.Client.from_env()
            for size in (1, 100_000):
                call = lambda: client.convert([b"%PDF-1.4" + b" " * size])
                threading.Thread(target=call, daemon=True).start()
            time.sleep(seconds)

        async def in_tasks(seconds):
            client = signdoc.AsyncClient.from_env()
            for size in (1, 100_000):
                call = client.convert([b"%PDF-1.4" + b" " * size])
                tasks.append(asyncio.ensure_future(call))
            await asyncio.sleep(seconds)
            os.environ.get("HARD") and sys.exit(7)

        tasks = []
        for number in range(100):
            child = os.fork()
            if child == 0:
                seconds = number * 0.0005
                if sys.argv[1] == "Client":
                    in_threads(seconds)
                else:
                    asyncio.run(in_tasks(seconds))
                raise SystemExit(7)
            assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 7, number
        print("well")
    """
    assert ran(code, face, **credentials(sandbox)) == "well"
    if face == "AsyncClient":
        assert ran(code, face, HARD="yes", **credentials(sandbox)) == "well"


def test_a_loop_is_not_kept_alive(sandbox: signdoc.Sandbox) -> None:
    import gc
    import weakref

    client = sandbox.async_client()
    loop = asyncio.new_event_loop()
    assert loop.run_until_complete(client.conversion_specs()) == ["PDFA_2B"]
    loop.close()
    kept = weakref.ref(loop)
    del loop
    gc.collect()
    assert kept() is None


def test_events_of_awaited_calls_go_to_the_logger(
    sandbox: signdoc.Sandbox, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG, "signdoc")
    sandbox.faults.add("status", path=CONVERT, status=503, headers={"Retry-After": "0"}, times=2)
    answers(sandbox, b"%PDF-1.7")

    async def calls() -> None:
        async with sandbox.async_client() as client:
            await asyncio.gather(client.convert([PDF]), client.convert([PDF]))
            async for _ in client.convert_many([PDF]):
                pass

    asyncio.run(calls())
    records = [record for record in caplog.records if record.name == "signdoc"]
    assert {record.levelname for record in records} >= {"DEBUG", "WARNING"}
    assert len({vars(record)["correlation_id"] for record in records}) == 3
    assert {record.thread for record in records} == {threading.get_ident()}
    assert sandbox.client_secret not in caplog.text


def test_ctrl_c_ends_an_awaited_call(sandbox: signdoc.Sandbox, tmp_path: Path) -> None:
    sandbox.faults.add("stall", path=CONVERT, times=None)
    code = """
        import asyncio, os, signal, sys, threading, signdoc
        async def call():
            async with signdoc.AsyncClient.from_env() as client:
                await client.conversion_specs()
                threading.Timer(0.2, os.kill, (os.getpid(), signal.SIGINT)).start()
                await client.convert([b"%PDF-1.4"], to=sys.argv[1])
        try:
            asyncio.run(call())
        except KeyboardInterrupt:
            print("interrupted")
    """
    assert ran(code, str(tmp_path), **credentials(sandbox)) == "interrupted"
    assert not list(tmp_path.iterdir())
