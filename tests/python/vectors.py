"""What the runners of test vectors share. The README beside the vectors explains the keys."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

import pytest

from support import REPOSITORY

if TYPE_CHECKING:
    from signdoc import Sandbox


def cases(name: str) -> list[dict[str, Any]]:
    """The cases of a set: those of its own file, and of open.json those that are like it."""
    return _read(name) + [case for case in _read("open") if case["like"] == name]


def _read(name: str) -> list[dict[str, Any]]:
    text = (REPOSITORY / "tests/vectors" / f"{name}.json").read_text()
    found: list[dict[str, Any]] = json.loads(text)["cases"]
    return found


def announced(
    case: dict[str, Any], name: str, face: str, sandbox: Sandbox, capsys: pytest.CaptureFixture[str]
) -> None:
    """Says that the case runs; it is left out where it needs a converter that is not there."""
    with capsys.disabled():
        print(f"\nvector {'open' if 'like' in case else name}/{case['id']} {face}")
    if case.get("needs") == "converter" and sandbox.converter is None:
        pytest.skip(f"{case['id']} needs a converter: {sandbox.converter_reason}")


def prepared(case: dict[str, Any], sandbox: Sandbox) -> None:
    """Puts the sandbox in the state in which the case begins."""
    sandbox.reset()
    if "variants" in case:
        sandbox.set_variants(**case["variants"])
    for rule in json.loads(_with_addresses(json.dumps(case.get("faults", [])), sandbox)):
        sandbox.faults.add(**rule.pop("fault"), **rule)


def _with_addresses(text: str, sandbox: Sandbox) -> str:
    for word, address in (
        ("$ISSUER", sandbox.issuer),
        ("$REALM", urlsplit(sandbox.issuer).path),
        ("$BASE_URL", sandbox.base_url),
        ("$ORDERS_URL", sandbox.orders_url),
    ):
        text = text.replace(word, address)
    return text


def options(case: dict[str, Any], sandbox: Sandbox) -> dict[str, Any]:
    """The client options of a case."""
    given = case.get("options", {})
    # Which address is used without it is what some cases are about.
    found: dict[str, Any] = {"base_url": None}
    return found | {key: _with_addresses(value, sandbox) for key, value in given.items()}


def came_back(case: dict[str, Any], url: str) -> str:
    """What came back from a login, as the case has it: each parameter may come twice."""
    if case.get("callback") == "twice" and "?" in url:
        return f"{url}&{url.split('?', 1)[1]}"
    return url


def check_sent_documents(expected: dict[str, Any], path: str, sandbox: Sandbox) -> None:
    """The documents of the last request to ``path``, as far as the case names them."""
    if "sent_documents" not in expected:
        return
    bodies = [one.body for one in sandbox.requests if (one.method, one.path) == ("POST", path)]
    sent = bodies[-1]["documents"][: len(expected["sent_documents"])]
    shown = [
        {key: one.get(key) for key in wanted}
        for one, wanted in zip(sent, expected["sent_documents"], strict=True)
    ]
    assert shown == expected["sent_documents"]
