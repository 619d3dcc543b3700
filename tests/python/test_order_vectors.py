"""The order cases that every language must pass."""

from __future__ import annotations

import asyncio
import inspect
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

import signdoc
import vectors

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

CASES = vectors.cases("orders")
PATHS = {"pades": "/signdoc/pades", "sdo": "/signdoc"}
ORDER_KEYS = (
    "results",
    "display_mode",
    "show_confirmation",
    "show_understanding",
    "timeout_seconds",
    "visual_seals",
    "strict",
)


@pytest.fixture(scope="module")
def sandboxes() -> Iterator[dict[str, signdoc.Sandbox]]:
    with signdoc.Sandbox("production") as production, signdoc.Sandbox("test") as test:
        yield {"production": production, "test": test}


def document(kind: str, spec: dict[str, Any], samples: Path) -> Any:
    if "sample" in spec:
        pdf: Any = samples / spec["sample"]
    else:
        pdf = spec["bytes"].encode() if "bytes" in spec else None
    if kind == "sdo":
        rest = {key: spec.get(key) for key in ("text", "xml", "xls", "description")}
        return signdoc.SdoDocument(pdf, **rest)
    seals: dict[str, Any] = {
        key: signdoc.Seal(**spec[key]) for key in ("merchant_seal", "end_user_seal") if key in spec
    }
    rest = {key: spec.get(key) for key in ("description", "pdf_spec", "end_user_only")}
    return signdoc.PadesDocument(pdf, **seals, **rest)


class Run:
    """One case through one face."""

    def __init__(self, case: dict[str, Any], sandbox: signdoc.Sandbox, face: str) -> None:
        self.case = case
        self.sandbox = sandbox
        make: Any = sandbox.client if face == "Client" else sandbox.async_client
        self.client: Any = make(**vectors.options(case, sandbox))
        self.found: dict[str, Any] = {}

    def do(self, call: Callable[[Any], Any]) -> Any:
        made = call(self.client)
        return asyncio.run(made) if inspect.iscoroutine(made) else made

    def go(self, samples: Path, out: Path) -> None:
        kind, wanted = self.case["kind"], self.case["order"]
        documents = [document(kind, spec, samples) for spec in wanted["documents"]]
        how = {key: wanted[key] for key in ORDER_KEYS if key in wanted}
        order = self.do(lambda c: getattr(c, kind).create(wanted["name"], documents, **how))
        self.found["conversions"] = order.conversions
        if "user" in self.case:
            getattr(self.sandbox, self.case["user"])(order)
        if "advance" in self.case:
            self.sandbox.clock.advance(seconds=self.case["advance"])
        given = order.sign_id if self.case.get("by") == "sign_id" else order
        match self.case.get("then"):
            case "state":
                self.found["state"] = self.do(lambda c: getattr(c, kind).state(given))
            case "wait":
                until = self.case.get("until")
                state = self.do(lambda c: getattr(c, kind).wait(given, until=until))
                self.found["state"] = state
            case "download":
                to, force = None if self.case.get("memory") else out, self.case.get("force", False)
                result = self.do(lambda c: getattr(c, kind).download(given, to=to, force=force))
                self.downloaded(result)
            case "discard":
                self.downloaded(self.do(lambda c: getattr(c, kind).discard(given)))
            case "login":
                self.login(given)

    def login(self, order: Any) -> None:
        address = self.case["redirect_uri"]
        login = self.do(lambda c: c.login.begin(order, address))
        back = self.sandbox.visit(login, action=self.case["action"])
        callback = vectors.came_back(self.case, back.url)
        identity = self.do(lambda c: c.login.finish(login.to_token(), callback))
        self.found["identity"] = identity.sign_id == login.sign_id and bool(identity.subject)

    def downloaded(self, result: Any) -> None:
        self.found["order_name"] = result.order_name
        self.found["order_state"] = result.order_state
        self.found["documents"] = result.documents
        for one in result.documents:
            assert one.path is None or one.path.exists()


def part(wanted: dict[str, Any], found: Any) -> dict[str, Any]:
    """What is wanted of a result, as it is."""
    shown = {key: getattr(found, key) for key in wanted}
    if "errors" in wanted:
        shown["errors"] = [error.code for error in found.errors]
    return shown


def check_sent(expected: dict[str, Any], case: dict[str, Any], sandbox: signdoc.Sandbox) -> None:
    path = PATHS[case["kind"]]
    vectors.check_sent_documents(expected, path, sandbox)
    if "sent" in expected:
        seen = sandbox.requests
        body = next(one.body for one in seen if (one.method, one.path) == ("POST", path))
        assert {key: body[key] for key in body if key != "documents"} == expected["sent"]


def check_error(expected: dict[str, Any], error: signdoc.SignDocError) -> None:
    wanted = dict(expected["error"])
    if "class" in wanted:
        assert type(error).__name__ == wanted.pop("class")
    assert {key: getattr(error, key) for key in wanted} == wanted
    details = expected.get("details", {})
    assert {key: error.details.get(key) for key in details} == details
    for text in expected.get("message", []):
        assert text in error.message


def check_kept(expected: dict[str, Any], error: signdoc.SignDocError) -> None:
    """What a failure has kept: the order, and the answer that could not be taken apart."""
    if "error_order" in expected:
        assert bool(error.order and error.order.sign_id) == expected["error_order"]
    if "raw_answer" in expected:
        path = error.details.get("raw_answer")
        is_kept = error.raw_answer is not None or (path is not None and Path(path).exists())
        assert is_kept == expected["raw_answer"]


def check_found(expected: dict[str, Any], everything: dict[str, Any]) -> None:
    for key in ("state", "identity", "order_name", "order_state"):
        if key in expected:
            assert everything[key] == expected[key]
    for key in ("conversions", "documents"):
        if key in expected:
            found = everything[key]
            assert len(found) == len(expected[key])
            shown = [part(*pair) for pair in zip(expected[key], found, strict=True)]
            assert shown == expected[key]


def check_requests(expected: dict[str, int], sandbox: signdoc.Sandbox) -> None:
    counts: dict[str, int] = {}
    for request in sandbox.requests:
        if "/auth/realms/" not in request.path:
            key = f"{request.method} {request.path}"
            counts[key] = counts.get(key, 0) + 1
    assert counts == expected


@pytest.mark.parametrize("face", ["Client", "AsyncClient"])
@pytest.mark.parametrize("case", CASES, ids=lambda case: case["id"])
def test_vector(
    case: dict[str, Any],
    face: str,
    sandboxes: dict[str, signdoc.Sandbox],
    samples: Path,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    own_sandbox = sandboxes[case.get("environment", "production")]
    vectors.announced(case, "orders", face, own_sandbox, capsys)
    vectors.prepared(case, own_sandbox)
    expected = case["expect"]
    run = Run(case, own_sandbox, face)
    if "error" in expected:
        with pytest.raises(signdoc.SignDocError) as caught:
            run.go(samples, tmp_path / "out")
        error = caught.value
        check_error(expected, error)
        check_kept(expected, error)
        if error.results:
            run.found["conversions"] = error.results
        if error.download is not None:
            run.downloaded(error.download)
    else:
        run.go(samples, tmp_path / "out")
    check_found(expected, run.found)
    check_sent(expected, case, own_sandbox)
    if "requests" in expected:
        check_requests(expected["requests"], own_sandbox)
