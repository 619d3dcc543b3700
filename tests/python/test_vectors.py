"""The conversion cases that every language must pass."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any

import pytest

import signdoc
import vectors

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from pathlib import Path

CASES = vectors.cases("conversion")
ERROR_KEYS = {"code", "name", "origin", "http_status", "reference", "retryable", "retry_after"}


@pytest.fixture(scope="module")
def sandboxes() -> Iterator[dict[str, signdoc.Sandbox]]:
    with signdoc.Sandbox("production") as production, signdoc.Sandbox("test") as test:
        yield {"production": production, "test": test}


def documents(case: dict[str, Any], samples: Path, empty: Path) -> list[Any]:
    made: list[Any] = []
    for one in case.get("documents", []):
        if "sample" in one:
            made.append(samples / one["sample"])
        elif "path" in one:
            made.append(empty / one["path"])
        else:
            content = one["bytes"].encode()
            made.append(content.ljust(one.get("size", len(content))))
    count: int = case.get("count", 1)
    return made * count


def in_order(results: Iterable[signdoc.Conversion]) -> signdoc.ConversionResults:
    return signdoc.ConversionResults(sorted(results, key=lambda one: one.index))


def blocking(case: dict[str, Any], sandbox: signdoc.Sandbox, given: list[Any], **how: Any) -> Any:
    with sandbox.client(**vectors.options(case, sandbox)) as client:
        if case["call"] == "specs":
            return client.conversion_specs()
        if case["call"] == "convert_many":
            return in_order(client.convert_many(given, **how))
        return client.convert(given, **how)


def awaited(case: dict[str, Any], sandbox: signdoc.Sandbox, given: list[Any], **how: Any) -> Any:
    async def call() -> Any:
        async with sandbox.async_client(**vectors.options(case, sandbox)) as client:
            if case["call"] == "specs":
                return await client.conversion_specs()
            if case["call"] == "convert_many":
                return in_order([one async for one in client.convert_many(given, **how)])
            return await client.convert(given, **how)

    return asyncio.run(call())


FACES = {"Client": blocking, "AsyncClient": awaited}


def check_error(expected: dict[str, Any], error: signdoc.SignDocError) -> None:
    wanted = dict(expected.get("error", {}))
    if "class" in wanted:
        assert type(error).__name__ == wanted.pop("class")
    assert set(wanted) <= ERROR_KEYS
    assert {key: getattr(error, key) for key in wanted} == wanted
    details = expected.get("details", {})
    assert {key: error.details.get(key) for key in details} == details
    for text in expected.get("message", []):
        assert text in error.message


def seen(one: signdoc.Conversion) -> dict[str, Any]:
    start = one.path.read_bytes()[:5] if one.path else (one.data or b"")[:5]
    return {
        "index": one.index,
        "conversion_id": one.conversion_id,
        "description": one.description,
        "converted": one.converted,
        "warnings": [warning.code for warning in one.warnings],
        "errors": [error.code for error in one.errors],
        "bytes": start == b"%PDF-",
    }


def check_results(expected: list[dict[str, Any]], results: signdoc.ConversionResults) -> None:
    found = [seen(one) for one in results]
    assert len(found) == len(expected)
    wanted = [{key: one[key] for key in keys} for one, keys in zip(found, expected, strict=True)]
    assert wanted == expected


def check_requests(expected: dict[str, int], sandbox: signdoc.Sandbox) -> None:
    counts: dict[str, int] = {}
    for request in sandbox.requests:
        key = f"{request.method} {request.path}"
        if key in expected or "/auth/realms/" not in request.path:
            counts[key] = counts.get(key, 0) + 1
    assert counts == expected


@pytest.mark.parametrize("face", FACES)
@pytest.mark.parametrize("case", CASES, ids=lambda case: case["id"])
@pytest.mark.filterwarnings("ignore:allow_signed:DeprecationWarning")
def test_vector(
    case: dict[str, Any],
    face: str,
    sandboxes: dict[str, signdoc.Sandbox],
    samples: Path,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    sandbox = sandboxes[case.get("environment", "production")]
    vectors.announced(case, "conversion", face, sandbox, capsys)
    empty = tmp_path / "empty"
    empty.mkdir()
    vectors.prepared(case, sandbox)
    expected = case["expect"]
    given = documents(case, samples, empty)
    how: dict[str, Any] = {
        key: case[key] for key in ("strict", "allow_signed", "pdf_spec") if key in case
    }
    how["to"] = tmp_path / "out" if case.get("to") == "folder" else None
    if "error" in expected:
        with pytest.raises(signdoc.SignDocError) as caught:
            FACES[face](case, sandbox, given, **how)
        check_error(expected, caught.value)
        results: Any = caught.value.results
    else:
        results = FACES[face](case, sandbox, given, **how)
    if "specs" in expected:
        assert results == expected["specs"]
    if "results" in expected:
        check_results(expected["results"], results)
    if "requests" in expected:
        check_requests(expected["requests"], sandbox)
    vectors.check_sent_documents(expected, "/signdoc/convert", sandbox)
