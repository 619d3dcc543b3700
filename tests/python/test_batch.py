"""Any number of documents, in calls of up to fifteen."""

from __future__ import annotations

import io
import threading
from typing import TYPE_CHECKING, Any

import pytest

import signdoc
from support import CONVERT, PDF, answer, answers

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path


def calls(sandbox: signdoc.Sandbox) -> list[int]:
    """How many documents each call had."""
    return [
        len(request.body["documents"]) for request in sandbox.requests if request.path == CONVERT
    ]


def test_documents_go_in_packs(client: signdoc.Client, sandbox: signdoc.Sandbox) -> None:
    sandbox.faults.add(
        "status", path=CONVERT, status=200, json=answer(*[b"%PDF-1.7"] * 15), times=2
    )
    answers(sandbox, *[b"%PDF-1.7 last"] * 2)
    results = list(client.convert_many([PDF] * 32, concurrency=1))
    assert sorted(one.index for one in results) == list(range(32))
    assert calls(sandbox) == [15, 15, 2]
    assert all(one.failure is None for one in results)
    assert {one.data for one in results} == {b"%PDF-1.7", b"%PDF-1.7 last"}


def test_every_document_is_told_of(
    client: signdoc.Client, sandbox: signdoc.Sandbox, tmp_path: Path
) -> None:
    documents: list[Any] = [PDF, b"GIF89a", tmp_path / "missing.pdf", io.BytesIO(PDF)]
    sandbox.faults.add(
        "status", path=CONVERT, status=400, json={"conversionResults": refusal(True, False)}
    )
    answers(sandbox, b"%PDF-1.7 good")
    results = signdoc.ConversionResults(
        sorted(client.convert_many(documents), key=lambda one: one.index)
    )
    assert [type(one.failure) for one in results] == [
        type(None),
        signdoc.InputError,
        signdoc.InputError,
        type(None),
    ]
    assert [one.failure.name for one in results if one.failure] == [
        "not_a_pdf",
        "document_not_found",
    ]
    assert results[0].data == b"%PDF-1.7 good", "the survivor is sent once more"
    assert results[3].errors[0].code is signdoc.FaultCode.CORRUPT
    assert calls(sandbox) == [2, 1]
    assert "not_a_pdf" in repr(results)


def refusal(*converted: bool) -> list[dict[str, Any]]:
    made = answer(*(b"" if good else None for good in converted))
    return [one["conversionResult"] for one in made]


def test_results_come_before_the_documents_end(
    client: signdoc.Client, sandbox: signdoc.Sandbox
) -> None:
    answers(sandbox, *[b"%PDF-1.7"] * 15)
    taken = 0
    threads = set()

    def endless() -> Iterator[bytes]:
        nonlocal taken
        while True:
            taken += 1
            threads.add(threading.get_ident())
            yield PDF

    results = client.convert_many(endless(), concurrency=2)
    assert [next(results).converted for _ in range(40)] == [True] * 40
    results.close()
    assert taken <= 15 * 6
    assert threads == {threading.get_ident()}


def test_closing_ends_the_calls(
    client: signdoc.Client, sandbox: signdoc.Sandbox, tmp_path: Path
) -> None:
    sandbox.faults.add("stall", path=CONVERT, times=None)
    results = client.convert_many([*[PDF] * 15, b"GIF89a"], concurrency=2, to=tmp_path)
    assert next(results).failure is not None
    # The calls are stalled for good: that it comes back is what is shown.
    results.close()
    assert not list(tmp_path.iterdir())


def test_what_goes_wrong_in_the_iterable_comes_through(
    client: signdoc.Client, sandbox: signdoc.Sandbox
) -> None:
    def broken() -> Iterator[bytes]:
        yield PDF
        raise LookupError("no more here")

    answers(sandbox, b"%PDF-1.7")
    with pytest.raises(LookupError, match="no more here"):
        list(client.convert_many(broken()))
    with pytest.raises(signdoc.InputError, match=r"documents\[1\] is of type int"):
        list(client.convert_many([PDF, 3]))  # type: ignore[list-item]


@pytest.mark.parametrize(
    ("arguments", "field"),
    [({"concurrency": 0}, "concurrency"), ({"resume": "manifest"}, "resume")],
)
def test_wrong_arguments_are_told_at_once(
    client: signdoc.Client, arguments: dict[str, Any], field: str
) -> None:
    with pytest.raises(signdoc.InputError) as caught:
        client.convert_many([PDF], **arguments)
    assert caught.value.details["field"] == field
    with pytest.raises(signdoc.InputError, match="put it in brackets"):
        client.convert_many(PDF)  # type: ignore[arg-type]


def test_a_batch_goes_on_where_it_stopped(
    client: signdoc.Client, sandbox: signdoc.Sandbox, tmp_path: Path
) -> None:
    paths = []
    for number in range(3):
        paths.append(tmp_path / f"{number}.pdf")
        paths[-1].write_bytes(PDF + b"%d" % number)
    out, manifest = tmp_path / "out", tmp_path / "manifest"
    answers(sandbox, b"%PDF-1.7", b"%PDF-1.7", times=1)
    list(client.convert_many(paths[:2], to=out, resume=manifest))
    answers(sandbox, b"%PDF-1.7")
    results = list(client.convert_many(paths, to=out, resume=manifest))
    results.sort(key=lambda one: one.index)
    assert [one.converted for one in results] == [True] * 3
    assert [one.resumed for one in results] == [True, True, False]
    assert calls(sandbox) == [2, 1]
    assert len(list(out.iterdir())) == 3


def test_allow_signed_warns(client: signdoc.Client, sandbox: signdoc.Sandbox) -> None:
    answers(sandbox, b"%PDF-1.7")
    with pytest.warns(DeprecationWarning, match="allow_signed") as caught:
        list(client.convert_many([PDF], allow_signed=True))
    assert caught[0].filename == __file__
    assert sandbox.requests[-1].body["documents"][0]["allowSigned"] is True
