"""What a caller may give as a document, brought into the forms the native module takes."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from typing import Any, BinaryIO, TypeAlias

from signdoc.errors import InputError

Document: TypeAlias = str | os.PathLike[str] | bytes | bytearray | memoryview | BinaryIO
"""A path, the bytes of a PDF, or a file that is open in binary mode."""

Given: TypeAlias = str | bytes | tuple[BinaryIO, str | None]
"""A path, bytes, or a file with a name for its result."""


def given(documents: Iterable[Document]) -> Iterator[Given]:
    """The documents of a call, as they are asked for; a mistake about all is told at once."""
    if _is_one(documents):
        raise InputError(
            f"documents must be a list, not one {_kind(documents)}; to convert a single one, "
            "put it in brackets: convert([document])",
            details={"field": "documents", "actual": _kind(documents)},
        )
    try:
        numbered = enumerate(documents)
    except TypeError:
        raise InputError(
            f"documents must be a list of paths, bytes or binary files, not {_kind(documents)}",
            details={"field": "documents", "actual": _kind(documents)},
        ) from None
    return (_one(index, document) for index, document in numbered)


def _one(index: int, document: Document) -> Given:
    if isinstance(document, (str, bytes)):
        return document
    if isinstance(document, os.PathLike):
        return os.fsdecode(document)
    if isinstance(document, (bytearray, memoryview)):
        return bytes(document)
    if hasattr(document, "read"):
        return document, _stem(document)
    raise InputError(
        f"documents[{index}] is of type {_kind(document)}; give a path, bytes, or a file that is "
        "open in binary mode",
        details={"field": f"documents[{index}]", "index": index, "actual": _kind(document)},
    )


def _is_one(documents: object) -> bool:
    if type(documents) in (list, tuple):
        return False
    kinds = (str, bytes, bytearray, memoryview, os.PathLike)
    return isinstance(documents, kinds) or hasattr(documents, "read")


def _stem(file: Any) -> str | None:
    """The name of an open file, for the name of its result."""
    name = getattr(file, "name", None)
    if not isinstance(name, str):
        return None
    return os.path.splitext(os.path.basename(name))[0] or None


def _kind(value: object) -> str:
    return type(value).__name__
