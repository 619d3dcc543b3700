"""Every field of both download answers deleted, renamed, null, nested, in a list, of another type
and doubled: afterwards all documents are there, or the answer itself."""

from __future__ import annotations

import copy
import json
import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

import signdoc
from raw_service import PADES, SDO, SIGN_ID, RawService, Reply, pades_answer, sdo_answer
from signdoc import PadesDocument, SdoDocument

if TYPE_CHECKING:
    from collections.abc import Iterator

DOCUMENTS = [b"%PDF-1.7 " + os.urandom(900) for _ in range(3)]
DATA_OBJECTS = [b"<SDOList>" + os.urandom(900) for _ in range(3)]
SENT = b"%PDF-1.4 what was sent"
RENAMED = "somethingElse"
DOUBLED = "\u0000"
"""Marks a key that is written a second time."""

CHANGES = (
    "deleted",
    "renamed",
    "null",
    "nested",
    "in a list",
    "a number",
    "a text",
    "true",
    "false",
    "an object",
    "empty",
    "doubled",
    "doubled with another value",
    "cut",
)


def places(value: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """Every key and every element."""
    items = value.items() if isinstance(value, dict) else enumerate(value)
    for key, inner in items:
        yield (*path, key)
        if isinstance(inner, (dict, list)):
            yield from places(inner, (*path, key))


def changed(answer: Any, path: tuple[Any, ...], change: str) -> bytes:
    """The answer as it is sent with one place changed."""
    answer = copy.deepcopy(answer)
    inside: Any = answer
    for step in path[:-1]:
        inside = inside[step]
    key, value = path[-1], inside[path[-1]]
    if change == "deleted":
        del inside[key]
    elif change == "renamed":
        inside[key] = {RENAMED: value} if isinstance(inside, list) else value
        if isinstance(inside, dict):
            inside[RENAMED] = inside.pop(key)
    elif change.startswith("doubled"):
        second = value if change == "doubled" else "c29tZXRoaW5nIGVsc2U="
        if isinstance(inside, list):
            inside.insert(key, second)
        else:
            inside[key + DOUBLED] = second
    else:
        inside[key] = {
            "null": None,
            "nested": {"value": value},
            "in a list": [value],
            "a number": 4711,
            "a text": "something",
            "true": True,
            "false": False,
            "lines": lines(value),
            "numbers": list(value.encode()) if isinstance(value, str) else value,
            "an object": {},
            "empty": "",
            "cut": value[: len(value) // 2] if isinstance(value, str) else value,
        }[change]
    return json.dumps(answer).replace(json.dumps(DOUBLED)[1:-1], "").encode()


def cases() -> Iterator[tuple[str, tuple[Any, ...], str]]:
    for kind, answer in (("pades", pades_answer(*DOCUMENTS)), ("sdo", sdo_answer(*DATA_OBJECTS))):
        for path in places(answer):
            for change in CHANGES:
                # Nothing tells that a signature is only half of one; a PDF has its digest.
                if kind == "pades" or change != "cut":
                    yield kind, path, change


def found(download: Any, kind: str) -> list[list[bytes]]:
    """All parts of the documents that are in memory or in files."""
    parts = (
        (("data", "path"),)
        if kind == "pades"
        else (
            ("sdo", "path"),
            ("merchant_signature", "merchant_signature_path"),
            ("end_user_signature", "end_user_signature_path"),
        )
    )
    documents: list[list[bytes]] = []
    for one in download.documents:
        had = [(getattr(one, data), getattr(one, path)) for data, path in parts]
        documents.append(
            [
                data if data is not None else path.read_bytes()
                for data, path in had
                if data is not None or path is not None
            ]
        )
    return documents


WHOLE = {
    "pades": [[document] for document in DOCUMENTS],
    "sdo": [[one, b"merchant " + one, b"end user " + one] for one in DATA_OBJECTS],
}


@pytest.mark.parametrize("kind", ["pades", "sdo"])
def test_an_answer_as_it_should_be_leaves_nothing_behind(kind: str, tmp_path: Path) -> None:
    with RawService() as service, service.client(max_retries=0) as client:
        path, answer = (PADES, pades_answer) if kind == "pades" else (SDO, sdo_answer)
        service.order(path)
        body = json.dumps(answer(*(DOCUMENTS if kind == "pades" else DATA_OBJECTS))).encode()
        service.on("DELETE", path, Reply.of(200, body))
        order, group = created(client, kind)
        assert found(group.download(order, to=tmp_path), kind) == WHOLE[kind]
        assert not [name for name in tmp_path.iterdir() if name.name.startswith(".")]


@pytest.mark.parametrize("into", ["folder", "memory"])
def test_nothing_of_a_changed_answer_is_lost(into: str, tmp_path: Path) -> None:
    count = 0
    wrong = []
    with RawService() as service, service.client(max_retries=0) as client:
        service.order(PADES)
        service.order(SDO)
        for number, (kind, path, change) in enumerate(cases()):
            count += 1
            body = changed(
                pades_answer(*DOCUMENTS) if kind == "pades" else sdo_answer(*DATA_OBJECTS),
                path,
                change,
            )
            service.on("DELETE", PADES if kind == "pades" else SDO, Reply.of(200, body))
            folder = tmp_path / str(number)
            why = lost(client, kind, body, folder if into == "folder" else None)
            if why:
                wrong.append(f"{kind} {path} {change}: {why}")
    print(f"{count} changed answers, into {into}")
    assert count > 500
    assert not wrong, "\n".join(wrong)


# What leaves the content in the answer, in another form.
FORMS = ("renamed", "nested", "in a list", "lines", "numbers", "doubled with another value")


@pytest.mark.parametrize("kind", ["pades", "sdo"])
def test_nothing_is_lost_where_only_the_number_of_the_order_is_known(
    kind: str, tmp_path: Path
) -> None:
    count = 0
    wrong = []
    with RawService() as service, service.client(max_retries=0) as client:
        path, answer, contents, group = (
            (PADES, pades_answer, DOCUMENTS, client.pades)
            if kind == "pades"
            else (SDO, sdo_answer, DATA_OBJECTS, client.sdo)
        )
        service.order(path)
        expected = {part for document in WHOLE[kind] for part in document}
        for place in places(answer(*contents)):
            for form in FORMS:
                count += 1
                body = changed(answer(*contents), place, form)
                service.on("DELETE", path, Reply.of(200, body))
                folder = tmp_path / str(count)
                try:
                    download = group.download(SIGN_ID, to=folder)
                except signdoc.SignDocError as error:
                    if not is_kept(error, group, body, folder):
                        wrong.append(f"{place} {form}: the answer is not kept: {error!r}")
                    continue
                there = {part for document in found(download, kind) for part in document}
                if not expected <= there:
                    wrong.append(f"{place} {form}: success without everything: {download!r}")
    print(f"{count} changed answers of a {kind} order of which only the number is known")
    assert count > 80
    assert not wrong, "\n".join(wrong)


def lines(value: Any) -> Any:
    """A text in lines, as base64 is often written."""
    if not isinstance(value, str):
        return [value]
    return [value[at : at + 76] for at in range(0, len(value), 76)]


def lost(client: signdoc.Client, kind: str, body: bytes, folder: Path | None) -> str | None:
    """Why something is lost of one answer."""
    order, group = created(client, kind)
    try:
        download = group.download(order, to=folder)
    except signdoc.SignDocError as error:
        return None if is_kept(error, group, body, folder) else f"the answer is not kept: {error!r}"
    if found(download, kind) != WHOLE[kind]:
        return f"success without everything: {download!r}"
    if folder is not None and any(name.name.startswith(".") for name in folder.iterdir()):
        return "something is left in the folder"
    return None


def created(client: signdoc.Client, kind: str) -> tuple[signdoc.Order, Any]:
    if kind == "pades":
        order = client.pades.create("Loan", [PadesDocument(SENT)] * 3)
        return order, client.pades
    results = ["sdo", "basicSignature", "documentHash"]
    return client.sdo.create("Loan", [SdoDocument(SENT)] * 3, results=results), client.sdo


def is_kept(error: signdoc.SignDocError, group: Any, body: bytes, folder: Path | None) -> bool:
    """Whether the answer itself is there, and found again."""
    if folder is None:
        return error.raw_answer == body
    kept = error.details.get("raw_answer")
    if kept is None or Path(kept).read_bytes() != body:
        return False
    (recovery,) = group.recover(folder)
    return bool(recovery.sign_id == SIGN_ID and str(recovery.raw_answer) == kept)
