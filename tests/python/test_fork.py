"""Clients that were made before a fork, and in every kind of child process."""

from __future__ import annotations

import multiprocessing
from concurrent.futures import ProcessPoolExecutor

import pytest

import signdoc
from support import PDF, answers, credentials, ran


def convert(client: signdoc.Client) -> bytes | None:
    return client.convert([PDF])[0].data


def fail(client: signdoc.Client) -> None:
    client.convert([b"GIF89a"])


def test_a_used_client_works_in_the_child_and_in_the_parent(sandbox: signdoc.Sandbox) -> None:
    answers(sandbox, b"%PDF-1.7")
    code = """
        import os, signdoc
        client = signdoc.Client.from_env()
        for _ in range(2):
            assert client.convert([b"%PDF-1.4"])[0].data == b"%PDF-1.7"
        for generation in range(3):
            child = os.fork()
            if child == 0:
                assert client.convert([b"%PDF-1.4"])[0].data == b"%PDF-1.7"
                grandchild = os.fork()
                if grandchild == 0:
                    assert client.convert([b"%PDF-1.4"])[0].data == b"%PDF-1.7"
                    os._exit(7)
                assert os.waitstatus_to_exitcode(os.waitpid(grandchild, 0)[1]) == 7
                raise SystemExit(5)  # through the interpreter's whole end
            assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 5
            assert client.convert([b"%PDF-1.4"])[0].data == b"%PDF-1.7"
        print("well")
    """
    assert ran(code, **credentials(sandbox)) == "well"


def test_a_fork_in_the_middle_of_calls(sandbox: signdoc.Sandbox) -> None:
    answers(sandbox, b"%PDF-1.7", delay_ms=20)
    code = """
        import os, threading, signdoc
        client = signdoc.Client.from_env()
        stop = threading.Event()
        def busy():
            while not stop.is_set():
                assert client.convert([b"%PDF-1.4"])[0].data == b"%PDF-1.7"
        threads = [threading.Thread(target=busy) for _ in range(4)]
        for thread in threads:
            thread.start()
        for _ in range(10):
            child = os.fork()
            if child == 0:
                assert client.convert([b"%PDF-1.4"])[0].data == b"%PDF-1.7"
                os._exit(7)
            assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 7
        stop.set()
        for thread in threads:
            thread.join()
        print("well")
    """
    assert ran(code, **credentials(sandbox)) == "well"


@pytest.mark.parametrize("method", ["fork", "forkserver", "spawn"])
def test_a_pool_of_processes(
    sandbox: signdoc.Sandbox,
    client: signdoc.Client,
    method: str,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    answers(sandbox, b"%PDF-1.7")
    assert convert(client) == b"%PDF-1.7"
    monkeypatch.setenv("SIGNDOC_CLIENT_SECRET", sandbox.client_secret)
    with ProcessPoolExecutor(2, multiprocessing.get_context(method)) as pool:
        assert list(pool.map(convert, [client] * 6)) == [b"%PDF-1.7"] * 6
        with pytest.raises(signdoc.InputError, match="is no PDF") as caught:
            pool.submit(fail, client).result()
    assert caught.value.details["field"] == "documents[0].pdf"
