"""The cases of the credential-based interface that every language must pass."""

from __future__ import annotations

import asyncio
import inspect
from typing import TYPE_CHECKING, Any

import pytest

import signdoc
import vectors

if TYPE_CHECKING:
    from collections.abc import Iterator

CASES = vectors.cases("csc")
BACK = "https://shop.example/callback"
# What every case counts; other requests only where it names them.
COUNTED = ("POST /csc/v2/credentials/", "POST /csc/v2/signatures/")
LENGTHS = {"sha384": 48, "sha512": 64}
CHOICES = ("hash_algorithm", "credential_id", "padding", "description")


@pytest.fixture(scope="module")
def own_sandbox() -> Iterator[signdoc.Sandbox]:
    with signdoc.Sandbox() as sandbox:
        yield sandbox


class Run:
    """One case through one face."""

    def __init__(self, case: dict[str, Any], sandbox: signdoc.Sandbox, face: str) -> None:
        self.case = case
        self.sandbox = sandbox
        options: dict[str, Any] = {"max_retries": 0, **vectors.options(case, sandbox)}
        make = sandbox.client if face == "Client" else sandbox.async_client
        self.client: Any = make(**options)

    def do(self, made: Any) -> Any:
        return asyncio.run(made) if inspect.iscoroutine(made) else made

    def login(self) -> Any:
        login = self.do(self.client.csc.begin(BACK))
        back = self.sandbox.visit(login, action=self.case.get("action", "sign"))
        callback = vectors.came_back(self.case, back.url)
        for _ in range(1, self.case.get("finish", 1)):
            self.do(self.client.csc.finish(login.to_token(), callback))
        return self.do(self.client.csc.finish(login.to_token(), callback))

    def sign(self, step: dict[str, Any], session: Any) -> int:
        """How many signatures came."""
        if "advance" in step:
            self.sandbox.clock.advance(seconds=step["advance"])
        if "sign" not in step:
            return 0
        given = step["sign"]
        length = given.get("length", LENGTHS.get(given.get("hash_algorithm", ""), 32))
        hashes = [bytes([number]) * length for number in range(1, given["count"] + 1)]
        choice = {key: given[key] for key in CHOICES if key in given}
        return len(self.do(session.sign_hashes(hashes, **choice)))

    def check(self, step: dict[str, Any], session: Any) -> Any:
        """Takes a step, whose outcome must be the expected one; gives the session."""
        expected = step["expect"]
        try:
            session = session or self.login()
            count = self.sign(step, session)
        except signdoc.SignDocError as error:
            check_error(expected, error)
        else:
            assert "error" not in expected, "no error came"
            assert count == expected.get("signatures", 0)
        self.check_requests(expected)
        return session

    def check_requests(self, expected: dict[str, Any]) -> None:
        if "requests" not in expected:
            return
        counts = dict.fromkeys(expected["requests"], 0)
        for request in self.sandbox.requests:
            key = f"{request.method} {request.path}"
            if key in counts or key.startswith(COUNTED):
                counts[key] = counts.get(key, 0) + 1
        assert counts == expected["requests"]


def check_error(expected: dict[str, Any], error: signdoc.SignDocError) -> None:
    assert "error" in expected, repr(error)
    wanted = dict(expected["error"])
    assert type(error).__name__ == wanted.pop("class")
    assert {key: getattr(error, key) for key in wanted} == wanted
    details = expected.get("details", {})
    assert {key: error.details.get(key) for key in details} == details
    for text in expected.get("message", []):
        assert text in error.message
    if "reference" in expected:
        assert (error.reference is not None) == expected["reference"]


@pytest.mark.parametrize("face", ["Client", "AsyncClient"])
@pytest.mark.parametrize("case", CASES, ids=lambda case: case["id"])
def test_vector(
    case: dict[str, Any],
    face: str,
    own_sandbox: signdoc.Sandbox,
    capsys: pytest.CaptureFixture[str],
) -> None:
    vectors.announced(case, "csc", face, own_sandbox, capsys)
    vectors.prepared(case, own_sandbox)
    run = Run(case, own_sandbox, face)
    session = run.check(case, None)
    if "then" in case:
        assert session is not None
        run.check(case["then"], session)
    run.do(run.client.close())
