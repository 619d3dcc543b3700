"""The client of the service, for code that runs in an event loop (asyncio or uvloop)."""

from __future__ import annotations

from collections.abc import AsyncIterable
from typing import TYPE_CHECKING, Any, Self

from signdoc import _operations
from signdoc._aio_groups import AsyncLogins, AsyncPades, AsyncSdo
from signdoc._base import ClientBase
from signdoc._bridge import awaited, drained
from signdoc._documents import given, one

if TYPE_CHECKING:
    from collections.abc import (
        AsyncGenerator,
        AsyncIterator,
        Callable,
        Iterable,
        Mapping,
        Sequence,
    )
    from datetime import datetime
    from types import TracebackType

    from signdoc._aio_csc import AsyncCsc
    from signdoc._documents import Document, Given
    from signdoc._operations import Progress
    from signdoc._options import Seconds, StrPath, Timeout
    from signdoc.bundles import Bundle, Download, Signed
    from signdoc.extension import Extended, Files
    from signdoc.results import Conversion, ConversionResults
    from signdoc.verification import Claimant

__all__ = ["AsyncClient", "bundle", "extend"]


class AsyncClient(ClientBase):
    """A client of the service whose calls are awaited.

        async with signdoc.AsyncClient.from_env() as client:
            for result in await client.convert(["loan.pdf", "terms.pdf"], to="converted/"):
                print(result.converted, result.warnings, result.path)

    Names, arguments, results and errors are those of `Client`. It belongs to no event loop: several
    may use it, one after another or at once, and it works on in a forked child. Cancelling a task
    that awaits a call ends the call: its connection is closed, nothing more is sent or written.
    Callbacks are called by the loop's thread, which also reads documents that are given as files;
    paths are read by the client's own threads.

    Args:
        options: As for `Client`.

    Raises:
        ConfigError: An option is missing or cannot be used.
    """

    async def convert(
        self,
        documents: Iterable[Document],
        *,
        to: StrPath | None = None,
        strict: bool = True,
        overwrite: bool = False,
        allow_signed: bool = False,
        pdf_spec: str = "PDFA_2B",
        timeout: Seconds | Timeout | None = None,
        progress: Callable[[Progress], object] | None = None,
    ) -> ConversionResults:
        """Converts 1 to 15 PDFs to PDF/A-2B; arguments, result and errors as `Client.convert`."""
        operation = _operations.convert(
            self._engine,
            documents,
            to=to,
            strict=strict,
            overwrite=overwrite,
            allow_signed=allow_signed,
            pdf_spec=pdf_spec,
            timeout=timeout,
            progress=progress,
        )
        return await awaited(operation)

    def convert_many(
        self,
        documents: Iterable[Document] | AsyncIterable[Document],
        *,
        concurrency: int = 4,
        to: StrPath | None = None,
        overwrite: bool = False,
        allow_signed: bool = False,
        pdf_spec: str = "PDFA_2B",
        resume: StrPath | None = None,
        timeout: Seconds | Timeout | None = None,
    ) -> AsyncGenerator[Conversion, None]:
        """Converts any number of PDFs, in calls of up to fifteen, as `Client.convert_many`.

        The documents may also come from an asynchronous iterable. Closing the generator, or
        cancelling the task that draws from it, ends the calls under way.

        Returns:
            An asynchronous generator of `Conversion`, to be used with ``async for``.

        Raises:
            InputError: An argument cannot be used, or something in ``documents`` is no document.
        """
        pulled = _pulled(documents)
        batch = _operations.convert_many(
            self._engine,
            concurrency=concurrency,
            to=to,
            overwrite=overwrite,
            allow_signed=allow_signed,
            pdf_spec=pdf_spec,
            resume=resume,
            timeout=timeout,
        )
        return drained(batch, pulled)

    async def conversion_specs(self, *, timeout: Seconds | Timeout | None = None) -> list[str]:
        """The conversions the service supports, as `Client.conversion_specs`."""
        return await awaited(_operations.conversion_specs(self._engine, timeout=timeout))

    @property
    def pades(self) -> AsyncPades:
        """PAdES orders: PDFs signed for long-term validation. Outdated, says the specification."""
        return AsyncPades(self)

    @property
    def sdo(self) -> AsyncSdo:
        """SEID-SDO orders: signed data objects. Deprecated, says the specification."""
        return AsyncSdo(self)

    @property
    def login(self) -> AsyncLogins:
        """Logins of end users who come to sign."""
        return AsyncLogins(self)

    @property
    def csc(self) -> AsyncCsc:
        """The credential-based signing interface at the option ``csc_url``."""
        from signdoc._aio_csc import AsyncCsc

        return AsyncCsc(self)

    async def close(self) -> None:
        """Refuses further calls; calls under way in other tasks end as they would have."""
        self._close()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self,
        exc_type: type[BaseException] | None,
        exc: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        await self.close()


async def bundle(
    to: StrPath | None,
    signed: Signed,
    original: Document | None = None,
    *,
    order: Mapping[str, Any] | Download | None = None,
    identity: Mapping[str, Any] | Claimant | None = None,
    numbers: bool = False,
    evidence: Iterable[Document] = (),
    trust: Document | Sequence[Document] | None = None,
    timestamp_trust: Document | Sequence[Document] | None = None,
    tsa_url: str | None = None,
    overwrite: bool = False,
    timeout: Seconds | Timeout | None = None,
    options: Mapping[str, Any] | None = None,
) -> Bundle:
    """As `signdoc.bundle`, for asyncio."""
    from signdoc import bundles

    operation = bundles.operation(
        to,
        signed,
        original,
        order=order,
        identity=identity,
        numbers=numbers,
        evidence=evidence,
        trust=trust,
        timestamp_trust=timestamp_trust,
        tsa_url=tsa_url,
        overwrite=overwrite,
        timeout=timeout,
        options=options,
    )
    return await awaited(operation)


def _pulled(documents: Iterable[Document] | AsyncIterable[Document]) -> AsyncIterator[Given]:
    """The documents as they are asked for; a mistake about all is told at once."""
    if isinstance(documents, AsyncIterable):
        return _from_async(documents)
    return _from_sync(given(documents))


async def _from_async(documents: AsyncIterable[Document]) -> AsyncIterator[Given]:
    number = 0
    async for document in documents:
        yield one(number, document)
        number += 1


async def _from_sync(documents: Iterable[Given]) -> AsyncIterator[Given]:
    for document in documents:
        yield document


async def extend(
    document: Document,
    *,
    tsa_url: str | None = None,
    to: StrPath | None = None,
    overwrite: bool = False,
    level: str = "B-LTA",
    trust: Files = None,
    timestamp_trust: Files = None,
    certificates: Files = None,
    revocations: Files = None,
    fetch: bool = True,
    at: datetime | None = None,
    timeout: Seconds | Timeout | None = None,
    ca_file: StrPath | None = None,
    proxy: str | None = None,
) -> Extended:
    """Adds to a signed PDF what its validation needs later; all as `signdoc.extend`."""
    from signdoc import extension

    return await awaited(
        extension.operation(
            document,
            tsa_url=tsa_url,
            to=to,
            overwrite=overwrite,
            level=level,
            trust=trust,
            timestamp_trust=timestamp_trust,
            certificates=certificates,
            revocations=revocations,
            fetch=fetch,
            at=at,
            timeout=timeout,
            ca_file=ca_file,
            proxy=proxy,
        )
    )
