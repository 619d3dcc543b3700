"""Clients in the servers and task queues that people run them in."""

from __future__ import annotations

import asyncio
import multiprocessing
import os
import subprocess
import sys
import textwrap
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
from typing import TYPE_CHECKING

import pytest

import signdoc
from support import PDF, answers, credentials, fetched, served

if TYPE_CHECKING:
    from pathlib import Path


def converted(client: signdoc.AsyncClient) -> bytes | None:
    async def call() -> bytes | None:
        results = await asyncio.gather(*(client.convert([PDF]) for _ in range(3)))
        assert len({one[0].data for one in results}) == 1
        return results[0][0].data

    return asyncio.run(call())


@pytest.mark.parametrize("method", ["fork", "forkserver", "spawn"])
@pytest.mark.parametrize("secrets", ["from the environment", "in the pickle"])
def test_a_pool_of_processes_with_event_loops(
    sandbox: signdoc.Sandbox, monkeypatch: pytest.MonkeyPatch, method: str, secrets: str
) -> None:
    answers(sandbox, b"%PDF-1.7")
    client = signdoc.AsyncClient(
        issuer=sandbox.issuer,
        client_id=sandbox.client_id,
        client_secret=sandbox.client_secret,
        pickle_secrets=secrets == "in the pickle",
    )
    assert converted(client) == b"%PDF-1.7"
    if secrets == "from the environment":
        monkeypatch.setenv("SIGNDOC_CLIENT_SECRET", sandbox.client_secret)
    with ProcessPoolExecutor(2, multiprocessing.get_context(method)) as pool:
        assert list(pool.map(converted, [client] * 4)) == [b"%PDF-1.7"] * 4


def test_a_worker_without_the_secret(
    sandbox: signdoc.Sandbox, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("SIGNDOC_CLIENT_SECRET", raising=False)
    with (
        ProcessPoolExecutor(1, multiprocessing.get_context("spawn")) as pool,
        pytest.raises(signdoc.ConfigError, match="SIGNDOC_CLIENT_SECRET") as caught,
    ):
        pool.submit(converted, sandbox.async_client()).result()
    assert caught.value.name == "missing_secret"
    assert not any(request.path.endswith("/convert") for request in sandbox.requests)


SHOPS = {
    "wsgi": """
        import os, signdoc
        client = signdoc.Client.from_env()
        parent = os.getpid()
        specs = client.conversion_specs()
        def application(environ, start_response):
            data = client.convert([b"%PDF-1.4"])[0].data
            start_response("200 OK", [("Content-Type", "text/plain")])
            return [b"%s %s %d" % (str(specs).encode(), data, os.getpid() != parent)]
    """,
    "wsgi with an event loop for each request": """
        import asyncio, os, signdoc
        client = signdoc.AsyncClient.from_env()
        parent = os.getpid()
        specs = asyncio.run(client.conversion_specs())
        async def page():
            results = await asyncio.gather(*(client.convert([b"%PDF-1.4"]) for _ in range(4)))
            return {one[0].data for one in results}.pop()
        def application(environ, start_response):
            data = asyncio.run(page())
            start_response("200 OK", [("Content-Type", "text/plain")])
            return [b"%s %s %d" % (str(specs).encode(), data, os.getpid() != parent)]
    """,
    "asgi": """
        import asyncio, os, signdoc
        client = signdoc.AsyncClient.from_env()
        parent = os.getpid()
        specs = asyncio.run(client.conversion_specs())
        async def application(scope, receive, send):
            if scope["type"] != "http":
                return
            data = (await client.convert([b"%PDF-1.4"]))[0].data
            body = b"%s %s %d" % (str(specs).encode(), data, os.getpid() != parent)
            headers = [(b"content-type", b"text/plain")]
            await send({"type": "http.response.start", "status": 200, "headers": headers})
            await send({"type": "http.response.body", "body": body})
    """,
}


@pytest.mark.parametrize("kind", SHOPS)
def test_gunicorn_that_loads_the_application_first(
    sandbox: signdoc.Sandbox, tmp_path: Path, kind: str
) -> None:
    pytest.importorskip("gunicorn", reason="gunicorn is not installed")
    answers(sandbox, b"%PDF-1.7")
    (tmp_path / "shop.py").write_text(textwrap.dedent(SHOPS[kind]))
    more = ["--worker-class=asgi", "--asgi-lifespan=off"] if kind == "asgi" else []
    environment = {**credentials(sandbox), "HOME": str(tmp_path)}
    arguments = ["--preload", "--workers=2", *more]
    serving = served(tmp_path, "shop:application", *arguments, environment=environment)
    with serving as (address, process), ThreadPoolExecutor(8) as pool:
        pages = list(pool.map(lambda _: fetched(address, process), range(8)))
    assert pages == ["['PDFA_2B'] %PDF-1.7 1"] * 8


def test_celery_with_forked_workers(sandbox: signdoc.Sandbox, tmp_path: Path) -> None:
    pytest.importorskip("celery", reason="celery is not installed")
    answers(sandbox, b"%PDF-1.7")
    for name in ("queue", "control", "results"):
        (tmp_path / name).mkdir()
    (tmp_path / "shop.py").write_text(
        textwrap.dedent(
            f"""
            import asyncio, os, signdoc
            from celery import Celery
            folder = {str(tmp_path)!r}
            app = Celery("shop", broker="filesystem://", backend="file://" + folder + "/results")
            app.conf.broker_transport_options = {{
                "data_folder_in": folder + "/queue",
                "data_folder_out": folder + "/queue",
                "control_folder": folder + "/control",
            }}
            client = signdoc.Client.from_env()
            awaited = signdoc.AsyncClient.from_env()
            # Used before the workers are forked.
            client.conversion_specs()
            parent = os.getpid()
            @app.task
            def convert(number):
                first = client.convert([b"%PDF-1.4"])[0].data
                second = asyncio.run(awaited.convert([b"%PDF-1.4"]))[0].data
                return [number, first == second == b"%PDF-1.7", os.getpid() != parent]
            @app.task
            def refuse():
                client.convert([b"GIF89a"])
            if __name__ == "__main__":
                waiting = [convert.delay(number) for number in range(8)]
                print([one.get(timeout=60) for one in waiting])
                print(type(refuse.delay().get(timeout=60, propagate=False)).__name__)
            """
        )
    )
    environment = {**os.environ, **credentials(sandbox), "PYTHONPATH": str(tmp_path)}
    quiet = ["--without-gossip", "--without-mingle", "--without-heartbeat"]
    command = [sys.executable, "-m", "celery", "-A", "shop", "worker", *quiet]
    worker = subprocess.Popen(
        [*command, "--pool=prefork", "--concurrency=2"],
        cwd=tmp_path,
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )
    try:
        asked = subprocess.run(
            [sys.executable, "shop.py"],
            cwd=tmp_path,
            env=environment,
            capture_output=True,
            text=True,
            timeout=90,
            check=False,
        )
    finally:
        worker.terminate()
        said, _ = worker.communicate(timeout=120)
    assert asked.returncode == 0, asked.stderr + said
    wanted = [[number, True, True] for number in range(8)]
    assert asked.stdout.splitlines() == [str(wanted), "InputError"], said
