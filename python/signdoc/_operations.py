"""The calls of the client: each checked and made in one place, for both faces to wait for."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Generic, TypeVar

from signdoc._documents import given
from signdoc._options import limits
from signdoc._record import Record
from signdoc.results import from_rows

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from typing import Any

    from signdoc._documents import Document
    from signdoc._log import Log
    from signdoc._native import Batch, Call, Engine
    from signdoc._options import Seconds, StrPath, Timeout
    from signdoc.results import ConversionResults

R = TypeVar("R")


class Progress(Record):
    """How far a call is.

    Attributes:
        sent: Bytes of the request sent so far; starts again when the request is repeated.
        to_send: Bytes of the request in all; zero until it starts.
        received: Bytes of the answer received so far.
    """

    __slots__ = ("sent", "to_send", "received")
    sent: int
    to_send: int
    received: int

    def __init__(self, sent: int, to_send: int, received: int) -> None:
        self._fill(sent, to_send, received)

    @property
    def fraction_sent(self) -> float:
        """How much of the request is sent, from 0 to 1."""
        return self.sent / self.to_send if self.to_send else 0.0


class Operation(Generic[R]):
    """A call that is ready to be made, who is told of it, and what becomes of its result."""

    __slots__ = ("call", "finish", "on_state", "progress")

    def __init__(
        self,
        call: Call[Any],
        finish: Callable[[Any], R],
        *,
        progress: Callable[[Progress], object] | None = None,
        on_state: Callable[[str], object] | None = None,
    ) -> None:
        self.call = call
        self.finish = finish
        self.progress = None if progress is None else lambda *counts: progress(Progress(*counts))
        self.on_state = on_state

    def wait(self, log: Log | None) -> R:
        """Makes the call and waits for it, on this thread."""
        waited = self.call.wait(progress=self.progress, on_state=self.on_state, log=log)
        return self.finish(waited)

    def tell(self, log: Log | None) -> None:
        """Tells what is new of a call under way."""
        self.call.tell(progress=self.progress, on_state=self.on_state, log=log)


def conversion_specs(engine: Engine, *, timeout: Seconds | Timeout | None) -> Operation[list[str]]:
    """As `Client.conversion_specs`."""
    return Operation(engine.conversion_specs(timeout=limits(timeout)), list)


def convert(
    engine: Engine,
    documents: Iterable[Document],
    *,
    to: StrPath | None,
    strict: bool,
    overwrite: bool,
    allow_signed: bool,
    pdf_spec: str,
    timeout: Seconds | Timeout | None,
    progress: Callable[[Progress], object] | None,
) -> Operation[ConversionResults]:
    """As `Client.convert`."""
    if allow_signed:
        _warn_of_allow_signed()
    call = engine.convert(
        list(given(documents)),
        to=path(to),
        strict=strict,
        overwrite=overwrite,
        allow_signed=allow_signed,
        pdf_spec=pdf_spec,
        timeout=limits(timeout),
    )
    return Operation(call, from_rows, progress=progress)


def convert_many(
    engine: Engine,
    *,
    concurrency: int,
    to: StrPath | None,
    overwrite: bool,
    allow_signed: bool,
    pdf_spec: str,
    resume: StrPath | None,
    timeout: Seconds | Timeout | None,
) -> Batch:
    """The batch of `Client.convert_many`, to be given its documents."""
    if allow_signed:
        _warn_of_allow_signed()
    return engine.batch(
        to=path(to),
        overwrite=overwrite,
        allow_signed=allow_signed,
        pdf_spec=pdf_spec,
        concurrency=concurrency,
        resume=path(resume),
        timeout=limits(timeout),
    )


def path(given: StrPath | None) -> str | None:
    """A path as text."""
    return None if given is None else os.fsdecode(given)


def _warn_of_allow_signed() -> None:
    import warnings

    warnings.warn(
        "allow_signed is deprecated by the service: the conversion removes the signatures",
        DeprecationWarning,
        stacklevel=4,
    )
