"""The order cases that every language must pass."""

from __future__ import annotations

import asyncio
import inspect
import json
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

import pytest

import signdoc
from support import REPOSITORY

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

CASES: list[dict[str, Any]] = json.loads((REPOSITORY / "tests/vectors/orders.json").read_text())[
    "cases"
]
PATHS = {"pades": "/signdoc/pades", "sdo": "/signdoc"}
ORDER_KEYS = (
    "results",
    "display_mode",
    "show_confirmation",
    "show_understanding",
    "timeout_seconds",
    "visual_seals",
)


@pytest.fixture(scope="module")
def own_sandbox() -> Iterator[signdoc.Sandbox]:
    with signdoc.Sandbox() as sandbox:
        yield sandbox


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
        client: Any = sandbox.client() if face == "Client" else sandbox.async_client()
        self.client = client
        self.found: dict[str, Any] = {}

    def do(self, call: Callable[[Any], Any]) -> Any:
        made = call(self.client)
        return asyncio.run(made) if inspect.iscoroutine(made) else made

    def set_up(self) -> None:
        self.sandbox.reset()
        if "variants" in self.case:
            self.sandbox.set_variants(**self.case["variants"])
        realm = urlsplit(self.sandbox.issuer).path
        told = json.dumps(self.case.get("faults", [])).replace("$REALM", realm)
        for rule in json.loads(told):
            self.sandbox.faults.add(**rule.pop("fault"), **rule)

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
                result = self.do(lambda c: getattr(c, kind).download(given, to=out))
                self.downloaded(result)
            case "discard":
                self.do(lambda c: getattr(c, kind).discard(given))
            case "login":
                self.login(given)

    def login(self, order: Any) -> None:
        address = self.case["redirect_uri"]
        login = self.do(lambda c: c.login.begin(order, address))
        back = self.sandbox.visit(login, action=self.case["action"])
        identity = self.do(lambda c: c.login.finish(login.to_token(), back.url))
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
    body = next(one.body for one in sandbox.requests if (one.method, one.path) == ("POST", path))
    documents = body.pop("documents")
    if "sent" in expected:
        assert body == expected["sent"]
    for wanted, sent in zip(expected.get("sent_documents", []), documents, strict=False):
        assert {key: sent.get(key) for key in wanted} == wanted


def check_error(expected: dict[str, Any], error: signdoc.SignDocError) -> None:
    wanted = dict(expected["error"])
    if "class" in wanted:
        assert type(error).__name__ == wanted.pop("class")
    assert {key: getattr(error, key) for key in wanted} == wanted
    details = expected.get("details", {})
    assert {key: error.details.get(key) for key in details} == details
    for text in expected.get("message", []):
        assert text in error.message


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
    own_sandbox: signdoc.Sandbox,
    samples: Path,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    with capsys.disabled():
        print(f"\nvector orders/{case['id']} {face}")
    if case.get("needs") == "converter" and own_sandbox.converter is None:
        pytest.skip(f"{case['id']} needs a converter: {own_sandbox.converter_reason}")
    expected = case["expect"]
    run = Run(case, own_sandbox, face)
    run.set_up()
    if "error" in expected:
        with pytest.raises(signdoc.SignDocError) as caught:
            run.go(samples, tmp_path / "out")
        error = caught.value
        check_error(expected, error)
        if error.results:
            run.found["conversions"] = error.results
        if error.download is not None:
            run.downloaded(error.download)
    else:
        run.go(samples, tmp_path / "out")
    check_found(expected, run.found)
    if "sent" in expected or "sent_documents" in expected:
        check_sent(expected, case, own_sandbox)
    if "requests" in expected:
        check_requests(expected["requests"], own_sandbox)
