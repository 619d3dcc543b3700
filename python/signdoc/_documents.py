"""What a caller may give as a document, brought into the forms the native module takes."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Any, BinaryIO, TypeAlias, Union

from signdoc.errors import InputError

if TYPE_CHECKING:
    from _typeshed import ReadableBuffer

Document: TypeAlias = Union[str, os.PathLike[str], "ReadableBuffer", BinaryIO]
"""A path, the bytes of a PDF (anything with the buffer protocol, which is not copied and must not
be changed meanwhile), or a file that is open in binary mode."""

Given: TypeAlias = Union[str, "ReadableBuffer", tuple[BinaryIO, str | None]]
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
    return (one(index, document) for index, document in numbered)


def one(index: int, document: Document) -> Given:
    """One document of a call."""
    field = f"documents[{index}]"
    return _brought(field, document, {"field": field, "index": index})


def alone(field: str, document: Document) -> Given:
    """A document that stands for itself; `field` is what an error calls it."""
    # Work on it may outlast an interrupted call: what could change meanwhile is copied.
    memory: Any = document
    view = None if isinstance(document, bytes) else _view(memory)
    return _brought(field, document if view is None else view.tobytes(), {"field": field})


def _brought(field: str, document: Document, known: dict[str, Any]) -> Given:
    if isinstance(document, (str, bytes)):
        return document
    if isinstance(document, os.PathLike):
        return os.fsdecode(document)
    memory: Any = document
    view = _view(memory)
    if view is not None:
        return memory if view.c_contiguous else view.tobytes()
    if hasattr(document, "read"):
        return memory, _stem(document)
    raise InputError(
        f"{field} is of type {_kind(document)}; give a path, bytes, or a file that is open in "
        "binary mode",
        details={**known, "actual": _kind(document)},
    )


def _is_one(documents: object) -> bool:
    if type(documents) in (list, tuple):
        return False
    if isinstance(documents, (str, os.PathLike)) or hasattr(documents, "read"):
        return True
    return _view(documents) is not None


def _view(value: Any) -> memoryview | None:
    """The memory of an object with the buffer protocol."""
    try:
        return memoryview(value)
    except TypeError:
        return None


def _stem(file: Any) -> str | None:
    """The name of an open file, for the name of its result."""
    name = getattr(file, "name", None)
    if not isinstance(name, str):
        return None
    return os.path.splitext(os.path.basename(name))[0] or None


def _kind(value: object) -> str:
    return type(value).__name__
