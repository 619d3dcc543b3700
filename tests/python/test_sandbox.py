"""The sandbox as a child process."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from typing import TYPE_CHECKING

import pytest

import signdoc
from support import CONVERT, PDF, answers, ran

if TYPE_CHECKING:
    from pathlib import Path


def is_running(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return True


def ends(pid: int) -> bool:
    deadline = time.monotonic() + 60
    while is_running(pid) and time.monotonic() < deadline:
        time.sleep(0.02)
    return not is_running(pid)


def pid_of(sandbox: signdoc.Sandbox) -> int:
    return int(sandbox._process.ready["pid"])


def test_it_says_where_it_is(sandbox: signdoc.Sandbox) -> None:
    assert sandbox.issuer.startswith("http://127.0.0.1:")
    assert sandbox.base_url.startswith("http://127.0.0.1:")
    assert sandbox.state["environment"] == sandbox.environment == "production"
    assert repr(sandbox) == f"<Sandbox production at {sandbox.base_url}>"
    assert (sandbox.converter is None) == bool(sandbox.converter_reason)


def test_it_ends_with_its_block() -> None:
    with signdoc.Sandbox(converter=False) as sandbox:
        pid = pid_of(sandbox)
        assert sandbox.converter is None
        assert sandbox.converter_reason
    assert ends(pid)
    sandbox.close()
    with pytest.raises(signdoc.SignDocError, match="does not answer") as caught:
        sandbox.reset()
    assert caught.value.name == "sandbox_failed"


def test_it_ends_when_it_is_forgotten() -> None:
    sandbox = signdoc.Sandbox()
    pid = pid_of(sandbox)
    del sandbox
    assert ends(pid)


@pytest.mark.parametrize(
    "end", ["", "import os; os._exit(0)", "import os; os.kill(os.getpid(), 9)"]
)
def test_it_ends_with_its_creator(end: str) -> None:
    code = (
        f"import signdoc; s = signdoc.Sandbox(); print(s._process.ready['pid'], flush=True); {end}"
    )
    output = subprocess.run(
        [sys.executable, "-c", code], stdout=subprocess.PIPE, check=False
    ).stdout
    assert ends(int(output))


def test_a_forked_child_uses_it_and_does_not_end_it() -> None:
    with signdoc.Sandbox() as sandbox:
        child = os.fork()
        if child == 0:
            status = 1
            try:
                with sandbox, sandbox.client() as client:
                    status = 0 if client.conversion_specs() == ["PDFA_2B"] else 2
            finally:
                os._exit(status)
        assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
        with sandbox.client() as client:
            assert client.conversion_specs() == ["PDFA_2B"]


def test_a_forked_child_that_lives_on_does_not_keep_it() -> None:
    sandbox = signdoc.Sandbox()
    pid = pid_of(sandbox)
    child = os.fork()
    if child == 0:
        time.sleep(600)
        os._exit(0)
    sandbox.close()
    assert ends(pid)
    os.kill(child, signal.SIGKILL)
    os.waitpid(child, 0)


def test_why_it_did_not_start_is_told() -> None:
    with pytest.raises(signdoc.SignDocError, match="did not start") as caught:
        signdoc.Sandbox("staging")  # type: ignore[arg-type]
    assert caught.value.name == "sandbox_failed"
    assert "staging" in caught.value.details["output"]


def test_a_taken_port_is_told(sandbox: signdoc.Sandbox) -> None:
    port = int(sandbox.base_url.rsplit(":", 1)[1])
    with pytest.raises(signdoc.SignDocError, match=str(port)):
        signdoc.Sandbox(port=port)


def test_time_moves_for_it_and_for_its_clients(
    sandbox: signdoc.Sandbox, client: signdoc.Client
) -> None:
    def token_requests() -> int:
        return sum(request.path.endswith("/token") for request in sandbox.requests)

    client.conversion_specs()
    client.conversion_specs()
    assert token_requests() == 1
    before = sandbox.clock.now
    sandbox.clock.advance(seconds=3600)
    assert sandbox.clock.now - before >= 3600
    assert sandbox.clock.offset == 3600
    client.conversion_specs()
    assert token_requests() == 2, "the client knows that its token is too old"
    assert not any(request.refused for request in sandbox.requests)
    sandbox.clock.reset()
    assert sandbox.clock.offset == 0


@pytest.mark.parametrize("seconds", [-1, 0.5])
def test_time_moves_forward_in_whole_seconds(sandbox: signdoc.Sandbox, seconds: int) -> None:
    with pytest.raises(signdoc.InputError, match="whole number"):
        sandbox.clock.advance(seconds=seconds)


def test_faults_are_added_listed_and_removed(
    sandbox: signdoc.Sandbox, client: signdoc.Client
) -> None:
    answers(sandbox, b"%PDF-1.7")
    first = sandbox.faults.add("status", method="GET", status=500, times=None)
    assert [fault["id"] for fault in sandbox.faults.list()][-1] == first
    with sandbox.client(max_retries=0) as other, pytest.raises(signdoc.ServiceError):
        other.conversion_specs()
    sandbox.faults.remove(first)
    client.convert([PDF])
    assert sandbox.faults.list()[0]["used"] == 1
    sandbox.faults.clear()
    assert sandbox.faults.list() == []
    with pytest.raises(signdoc.InputError, match="status 99"):
        sandbox.faults.add("status", status=99)


def test_requests_are_told_without_secrets(
    sandbox: signdoc.Sandbox, client: signdoc.Client
) -> None:
    answers(sandbox, b"%PDF-1.7")
    client.convert([PDF])
    assert [
        (request.method, request.path.rsplit("/", 1)[1], request.status)
        for request in sandbox.requests
    ] == [
        ("GET", "openid-configuration", 200),
        ("POST", "token", 200),
        ("POST", "convert", 200),
    ]
    convert = sandbox.requests[-1]
    assert convert.path == CONVERT
    assert convert.headers["content-type"] == "application/json"
    assert convert.fault is not None
    assert sandbox.client_secret not in repr(sandbox.requests)


def test_tokens_can_be_taken_away(sandbox: signdoc.Sandbox, client: signdoc.Client) -> None:
    client.conversion_specs()
    for take_away in (sandbox.revoke_tokens, sandbox.expire_tokens):
        take_away()
        assert client.conversion_specs() == ["PDFA_2B"]


def test_variants_can_be_chosen(sandbox: signdoc.Sandbox, client: signdoc.Client) -> None:
    sandbox.set_variants(pdf_specs="array")
    assert client.conversion_specs() == ["PDFA_2B"]
    assert sandbox.state["variants"]["pdf_specs"] == "array"


def test_unknown_variants_are_refused(sandbox: signdoc.Sandbox) -> None:
    for unknown in ({"no_such_variant": True}, {"digests": "octal"}):
        with pytest.raises(signdoc.InputError, match="variants"):
            sandbox.set_variants(**unknown)


def addresses(sandbox: signdoc.Sandbox) -> dict[str, set[str]]:
    """At which addresses requests to the service arrived, by their paths."""
    seen: dict[str, set[str]] = {}
    for request in sandbox.requests:
        if request.path.startswith("/signdoc"):
            seen.setdefault(request.path, set()).add(request.address)
    return seen


def test_orders_may_have_an_address_of_their_own() -> None:
    with signdoc.Sandbox("test", two_addresses=True) as sandbox, sandbox.client() as client:
        assert sandbox.orders_url != sandbox.base_url
        assert client.conversion_specs() == ["PDFA_2B"]
        order = client.sdo.create("Loan", [signdoc.SdoDocument(text="Hei")])
        sandbox.sign(order)
        assert client.sdo.download(order).documents
        assert addresses(sandbox) == {
            "/signdoc/convert/pdf/specs": {"base"},
            "/signdoc": {"orders"},
        }
        assert not any(request.refused for request in sandbox.requests)
        sandbox.set_variants(two_addresses=False)
        sandbox.reset()
        assert sandbox.state["variants"]["two_addresses"] is True


def test_addresses_can_be_kept_apart_later(sandbox: signdoc.Sandbox) -> None:
    sandbox.set_variants(two_addresses=True)
    with sandbox.client() as client:
        client.conversion_specs()
        client.sdo.create("Loan", [signdoc.SdoDocument(text="Hei")])
    assert addresses(sandbox) == {"/signdoc/convert/pdf/specs": {"base"}, "/signdoc": {"orders"}}


def test_a_folder_called_signdoc_is_not_the_package(tmp_path: Path) -> None:
    (tmp_path / "signdoc").mkdir()
    (tmp_path / "signdoc" / "__init__.py").write_text("raise SystemExit('wrong package')")
    code = f"""
        import os, signdoc
        os.chdir({str(tmp_path)!r})
        with signdoc.Sandbox() as sandbox:
            print(sandbox.environment)
    """
    assert ran(code) == "production"


def test_an_interpreter_without_a_name_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "executable", "")
    with pytest.raises(signdoc.SignDocError, match=r"sys\.executable"):
        signdoc.Sandbox()
    monkeypatch.setattr(sys, "executable", "/nowhere/python")
    with pytest.raises(signdoc.SignDocError, match="cannot be started"):
        signdoc.Sandbox()
