"""What several tests need: small PDFs, ready answers, a service that says nothing, programs."""

from __future__ import annotations

import base64
import os
import socket
import subprocess
import sys
import textwrap
import threading
import time
import urllib.error
import urllib.request
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterator

    from signdoc import Sandbox

REPOSITORY = Path(__file__).resolve().parents[2]
CONVERT = "/signdoc/convert"
# Through no proxy of this machine's.
STRAIGHT = urllib.request.build_opener(urllib.request.ProxyHandler({}))
PDF = b"%PDF-1.4\n% not more than a beginning\n"


def answer(*documents: bytes | None, **result: Any) -> list[dict[str, Any]]:
    """The answer of the service for these documents; ``None`` for one that was not converted."""
    return [
        {
            "conversionResult": {
                "conversionId": f"c-{index}",
                "description": f"document {index}",
                "converted": document is not None,
                "conversionErrors": [] if document is not None else ["Document is corrupt"],
                "conversionWarnings": [],
                **result,
            },
            **(
                {}
                if document is None
                else {"convertedDocument": base64.b64encode(document).decode()}
            ),
        }
        for index, document in enumerate(documents)
    ]


def answers(
    sandbox: Sandbox, *documents: bytes | None, times: int | None = None, **more: Any
) -> None:
    """Makes the sandbox answer conversions with these documents."""
    sandbox.faults.add(
        "status", path=CONVERT, status=200, json=answer(*documents), times=times, **more
    )


def credentials(sandbox: Sandbox) -> dict[str, str]:
    """The sandbox's client in the environment of a program."""
    return {
        "SIGNDOC_ISSUER": sandbox.issuer,
        "SIGNDOC_CLIENT_ID": sandbox.client_id,
        "SIGNDOC_CLIENT_SECRET": sandbox.client_secret,
    }


@contextmanager
def silent_service() -> Iterator[str]:
    """An address that accepts connections and never answers."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        taken: list[socket.socket] = []

        def accept() -> None:
            while True:
                try:
                    taken.append(server.accept()[0])
                except OSError:
                    return

        thread = threading.Thread(target=accept, daemon=True)
        thread.start()
        yield f"http://127.0.0.1:{server.getsockname()[1]}"
        server.shutdown(socket.SHUT_RDWR)
        thread.join()
        for connection in taken:
            connection.close()


@contextmanager
def watching_service() -> Iterator[tuple[str, threading.Event, threading.Event]]:
    """An address that takes requests and never answers; when it took one, and saw an end."""
    taken, closed = threading.Event(), threading.Event()

    def watch(connection: socket.socket) -> None:
        with connection:
            try:
                while connection.recv(1 << 16):
                    taken.set()
            except OSError:
                pass
            closed.set()

    with socket.create_server(("127.0.0.1", 0)) as server:
        threads: list[threading.Thread] = []

        def accept() -> None:
            while True:
                try:
                    connection = server.accept()[0]
                except OSError:
                    return
                threads.append(threading.Thread(target=watch, args=(connection,), daemon=True))
                threads[-1].start()

        accepting = threading.Thread(target=accept, daemon=True)
        accepting.start()
        yield f"http://127.0.0.1:{server.getsockname()[1]}", taken, closed
        server.shutdown(socket.SHUT_RDWR)
        accepting.join()
        for thread in threads:
            thread.join(30)


def started(code: str, *arguments: str, **environment: str) -> subprocess.Popen[str]:
    """A Python program under way."""
    return subprocess.Popen(
        [sys.executable, "-c", textwrap.dedent(code), *arguments],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env={**os.environ, **environment},
    )


def ran(code: str, *arguments: str, **environment: str) -> str:
    """What a Python program prints; it must end well."""
    process = started(code, *arguments, **environment)
    output, errors = process.communicate(timeout=60)
    assert process.returncode == 0, f"exit status {process.returncode}\n{output}\n{errors}"
    return output.strip()


def listening() -> socket.socket:
    """A socket for ``served`` whose port nobody else can take before the server has it."""
    return socket.create_server(("127.0.0.1", 0))


def port_of(server: socket.socket) -> int:
    """The port that a socket listens on."""
    return int(server.getsockname()[1])


def fetched(address: str, process: subprocess.Popen[str]) -> str:
    """A page of a server that may still be starting."""
    for _ in range(2400):
        try:
            with STRAIGHT.open(address, timeout=60) as answer:
                return str(answer.read().decode())
        except (urllib.error.URLError, ConnectionError, TimeoutError):
            assert process.poll() is None, process.communicate()
            time.sleep(0.05)
    raise AssertionError("the server does not answer")


@contextmanager
def served(
    folder: Path,
    application: str,
    *arguments: str,
    environment: dict[str, str],
    at: socket.socket | None = None,
) -> Iterator[tuple[str, subprocess.Popen[str]]]:
    """An application of ``folder`` under gunicorn: its address and process."""
    # The server has a socket of its own then: with one that is left here, callers of a server that
    # has ended would wait for it.
    with at or listening() as taken:
        port = port_of(taken)
        command = [sys.executable, "-m", "gunicorn", *arguments, f"--bind=fd://{taken.fileno()}"]
        process = subprocess.Popen(
            [*command, "--chdir", str(folder), application],
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            pass_fds=[taken.fileno()],
            env={**os.environ, "PYTHONPATH": str(folder), **environment},
        )
    try:
        yield f"http://127.0.0.1:{port}", process
    finally:
        process.terminate()
        process.communicate(timeout=90)
