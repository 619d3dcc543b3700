"""What happens in a process while a call is under way: signals, other threads, exit."""

from __future__ import annotations

import signal
import subprocess
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

import pytest

import signdoc
from support import CONVERT, PDF, answers, credentials, ran, silent_service, started

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

ALLOWED = 0.1
TRIES = 25

CALL = """
    import signal, sys, time, signdoc
    client = signdoc.Client.from_env()
    {more}
    print("calling", flush=True)
    try:
        {call}
    except KeyboardInterrupt:
        print(time.monotonic())
"""


def soon(measure: Callable[[], float]) -> bool:
    """Whether one of some tries is fast enough: on a busy machine a process waits for its turn."""
    return any(measure() < ALLOWED for _ in range(TRIES))


def interrupted_after(code: str, **environment: str) -> float:
    """Seconds from Ctrl-C to its exception."""
    process = started(code, **environment)
    assert process.stdout is not None
    assert process.stdout.readline() == "calling\n"
    time.sleep(0.3)
    pressed = time.monotonic()
    process.send_signal(signal.SIGINT)
    output, errors = process.communicate(timeout=120)
    assert process.returncode == 0, errors
    return float(output) - pressed


@pytest.mark.parametrize(
    "call",
    [
        "client.conversion_specs()",
        "client.convert([b'%PDF-1.4'])",
        "list(client.convert_many([b'%PDF-1.4']))",
    ],
)
def test_ctrl_c_ends_a_call_within_100_ms(call: str) -> None:
    with silent_service() as issuer:
        environment = {
            "SIGNDOC_ISSUER": issuer,
            "SIGNDOC_CLIENT_ID": "a",
            "SIGNDOC_CLIENT_SECRET": "b",
        }
        code = CALL.format(call=call, more="")
        assert soon(lambda: interrupted_after(code, **environment))


def test_ctrl_c_while_the_service_is_silent(sandbox: signdoc.Sandbox, tmp_path: Path) -> None:
    sandbox.faults.add("stall", path=CONVERT, times=None)
    call = f"client.convert([b'%PDF-1.4'], to={str(tmp_path)!r})"
    code = CALL.format(call=call, more="client.conversion_specs()")
    assert soon(lambda: interrupted_after(code, **credentials(sandbox)))
    assert not list(tmp_path.iterdir())


def test_another_signal_is_handled_and_the_call_goes_on(sandbox: signdoc.Sandbox) -> None:
    answers(sandbox, b"%PDF-1.7", delay_ms=500)
    code = """
        import signal, signdoc
        heard = []
        signal.signal(signal.SIGALRM, lambda *_: heard.append(1))
        signal.setitimer(signal.ITIMER_REAL, 0.1)
        with signdoc.Client.from_env() as client:
            print(client.convert([b"%PDF-1.4"])[0].data, heard)
    """
    assert ran(code, **credentials(sandbox)) == "b'%PDF-1.7' [1]"


@pytest.mark.parametrize(("number", "status"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_the_program_ends_too(
    sandbox: signdoc.Sandbox, tmp_path: Path, number: signal.Signals, status: int
) -> None:
    sandbox.faults.add("stall", path=CONVERT, times=None)
    document = tmp_path / "loan.pdf"
    document.write_bytes(PDF)
    command = "import sys; from signdoc._cli import main; sys.exit(main())"

    def interrupted() -> float:
        before = sum(request.path == CONVERT for request in sandbox.requests)
        process = started(
            command, "convert", str(document), "-o", str(tmp_path / "out"), **credentials(sandbox)
        )
        while sum(request.path == CONVERT for request in sandbox.requests) == before:
            time.sleep(0.02)
            assert process.poll() is None
        pressed = time.monotonic()
        process.send_signal(number)
        process.wait(30)
        took = time.monotonic() - pressed
        process.communicate()
        assert process.returncode == status
        return took

    assert soon(interrupted)
    assert not list((tmp_path / "out").glob("*"))


def test_other_threads_run_while_a_call_waits(
    sandbox: signdoc.Sandbox, client: signdoc.Client
) -> None:
    answers(sandbox, b"%PDF-1.7", delay_ms=500)
    counted = 0
    done = threading.Event()

    def count() -> None:
        nonlocal counted
        while not done.is_set():
            counted += 1
            time.sleep(0.001)

    thread = threading.Thread(target=count)
    thread.start()
    client.convert([PDF])
    done.set()
    thread.join()
    # Held for the half second of the call, the lock would let this thread count to one or two.
    assert counted > 50


def test_sixteen_threads_share_a_client(sandbox: signdoc.Sandbox, client: signdoc.Client) -> None:
    token = urlsplit(sandbox.issuer).path + "/protocol/openid-connect/token"
    delay = sandbox.faults.add("delay", method="POST", path=token, delay_ms=100, times=None)
    answers(sandbox, b"%PDF-1.7")
    together = threading.Barrier(16)

    def convert(number: int) -> bytes | None:
        together.wait()
        return client.convert([PDF + b" " * number * 10_000])[0].data

    with ThreadPoolExecutor(16) as pool:
        assert list(pool.map(convert, range(16))) == [b"%PDF-1.7"] * 16
    paths = [request.path.rsplit("/", 1)[1] for request in sandbox.requests]
    assert paths.count("token") == 1
    assert [request.path for request in sandbox.requests if request.fault == delay] == [token]
    assert paths.count("openid-configuration") == 1
    assert paths.count("convert") == 16


@pytest.mark.parametrize("threads", [1, 4])
def test_a_process_ends_while_threads_wait(sandbox: signdoc.Sandbox, threads: int) -> None:
    sandbox.faults.add("stall", path=CONVERT, times=None)
    code = """
        import sys, threading, time, signdoc
        client = signdoc.Client.from_env()
        client.conversion_specs()
        for _ in range(int(sys.argv[1])):
            call = lambda: client.convert([b"%PDF-1.4 " + b" " * 100_000])
            threading.Thread(target=call, daemon=True).start()
        time.sleep(0.3)
        print("end")
    """
    for _ in range(TRIES):
        assert ran(code, str(threads), **credentials(sandbox)) == "end"


def test_a_process_ends_with_a_client_that_was_never_closed(sandbox: signdoc.Sandbox) -> None:
    code = """
        import atexit, signdoc
        client = signdoc.Client.from_env()
        print(client.conversion_specs())
        atexit.register(lambda: print(client.conversion_specs()))
        class Late:
            def __del__(self):
                print(client.conversion_specs())
        late = Late()
        late.itself = late
    """
    output = ran(code, **credentials(sandbox)).splitlines()
    assert set(output) == {"['PDFA_2B']"}
    assert len(output) >= 2


def test_a_signal_ends_the_sandbox_program() -> None:
    for number in (signal.SIGINT, signal.SIGTERM):
        process = subprocess.Popen(
            [sys.executable, "-m", "signdoc", "sandbox", "--keep"], stdout=subprocess.PIPE
        )
        assert process.stdout is not None
        with process.stdout:
            assert process.stdout.readline()
            process.send_signal(number)
            assert process.wait(10) == 0
