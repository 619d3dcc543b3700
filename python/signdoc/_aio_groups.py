"""The groups of `AsyncClient`; arguments, results and errors are those of `Client`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Generic

from signdoc import _order_operations as operations
from signdoc._bridge import awaited
from signdoc._order_operations import D, S
from signdoc.orders import PadesDownload, PadesState, SdoDownload, SdoState

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Iterable

    from signdoc._base import ClientBase
    from signdoc._documents import Document
    from signdoc._forms import Callback
    from signdoc._operations import Progress
    from signdoc._options import Seconds, StrPath, Timeout
    from signdoc.logins import Identity, Login
    from signdoc.orders import Order, PadesDocument, Recovery, SdoDocument


class _Group:
    def __init__(self, client: ClientBase) -> None:
        self._client = client


class _Orders(_Group, Generic[S, D]):
    _kind: operations.Kind[S, D]

    async def state(self, order: Order | str, *, timeout: Seconds | Timeout | None = None) -> S:
        """The order's state.

        As ``client.pades.state`` and ``client.sdo.state`` of `Client`.
        """
        engine = self._client._engine
        return await awaited(operations.state(engine, self._kind, order, timeout=timeout))

    async def wait(
        self,
        order: Order | str,
        *,
        until: str | Iterable[str] | None = None,
        timeout: Seconds | Timeout | None = None,
        on_state: Callable[[S], object] | None = None,
    ) -> S:
        """Asks for the state until it is one of ``until``, or final.

        As ``client.pades.wait`` and ``client.sdo.wait`` of `Client`.
        """
        operation = operations.wait(
            self._client._engine,
            self._kind,
            order,
            until=until,
            timeout=timeout,
            on_state=on_state,
        )
        return await awaited(operation)

    async def download(
        self,
        order: Order | str,
        *,
        to: StrPath | None = None,
        overwrite: bool = False,
        force: bool = False,
        originals: Iterable[Document] = (),
        timeout: Seconds | Timeout | None = None,
        progress: Callable[[Progress], object] | None = None,
    ) -> D:
        """Downloads the results, which deletes the order: they can be had only once.

        As ``client.pades.download`` and ``client.sdo.download`` of `Client`.
        """
        operation = operations.download(
            self._client._engine,
            self._kind,
            order,
            to=to,
            overwrite=overwrite,
            force=force,
            originals=originals,
            timeout=timeout,
            progress=progress,
        )
        return await awaited(operation)

    async def recover(
        self, directory: StrPath, *, timeout: Seconds | Timeout | None = None
    ) -> list[Recovery[D]]:
        """Lists and finishes the downloads into ``directory`` that a crash interrupted.

        As ``client.pades.recover`` and ``client.sdo.recover`` of `Client`.
        """
        engine = self._client._engine
        return await awaited(operations.recover(engine, self._kind, directory, timeout=timeout))

    async def discard(self, order: Order | str, *, timeout: Seconds | Timeout | None = None) -> D:
        """Ends an order on purpose, in whatever state it is.

        As ``client.pades.discard`` and ``client.sdo.discard`` of `Client`.
        """
        engine = self._client._engine
        return await awaited(operations.discard(engine, self._kind, order, timeout=timeout))


class AsyncPades(_Orders[PadesState, PadesDownload]):
    """PAdES orders: PDFs signed for long-term validation.

    The specification marks this interface as outdated and scheduled for removal; a newer signing
    solution replaces it.
    """

    _kind = operations.PADES

    async def create(
        self,
        name: str,
        documents: Iterable[PadesDocument],
        *,
        results: Iterable[str] | None = None,
        display_mode: str | None = None,
        show_confirmation: bool | None = None,
        show_understanding: bool | None = None,
        timeout_seconds: int | None = None,
        visual_seals: bool = False,
        strict: bool = False,
        timeout: Seconds | Timeout | None = None,
        progress: Callable[[Progress], object] | None = None,
    ) -> Order:
        """Creates an order. The end user must come to sign within 90 seconds.

        As ``client.pades.create`` of `Client`.
        """
        operation = operations.create_pades(
            self._client._engine,
            name,
            documents,
            results=results,
            display_mode=display_mode,
            show_confirmation=show_confirmation,
            show_understanding=show_understanding,
            timeout_seconds=timeout_seconds,
            visual_seals=visual_seals,
            strict=strict,
            timeout=timeout,
            progress=progress,
        )
        return await awaited(operation)


class AsyncSdo(_Orders[SdoState, SdoDownload]):
    """SEID-SDO orders: signed data objects for PDFs, texts and XML.

    The specification marks this interface as deprecated; the newer signing solution has no
    equivalent.
    """

    _kind = operations.SDO

    async def create(
        self,
        name: str,
        documents: Iterable[SdoDocument],
        *,
        results: Iterable[str] | None = None,
        display_mode: str | None = None,
        show_confirmation: bool | None = None,
        show_understanding: bool | None = None,
        timeout_seconds: int | None = None,
        timeout: Seconds | Timeout | None = None,
        progress: Callable[[Progress], object] | None = None,
    ) -> Order:
        """Creates an order. The end user must come to sign within 90 seconds.

        As ``client.sdo.create`` of `Client`.
        """
        operation = operations.create_sdo(
            self._client._engine,
            name,
            documents,
            results=results,
            display_mode=display_mode,
            show_confirmation=show_confirmation,
            show_understanding=show_understanding,
            timeout_seconds=timeout_seconds,
            timeout=timeout,
            progress=progress,
        )
        return await awaited(operation)


class AsyncLogins(_Group):
    """Logins of end users who come to sign. The client keeps no state of them."""

    async def begin(
        self,
        order: Order | str,
        redirect_uri: str,
        *,
        ui_locales: str | None = None,
        scopes: Iterable[str] = (),
        response_mode: str | None = None,
        timeout: Seconds | Timeout | None = None,
    ) -> Login:
        """The address to send the end user to, who signs the order there.

        As ``client.login.begin`` of `Client`.
        """
        operation = operations.begin_login(
            self._client._engine,
            order,
            redirect_uri,
            ui_locales=ui_locales,
            scopes=scopes,
            response_mode=response_mode,
            timeout=timeout,
        )
        return await awaited(operation)

    async def finish(
        self,
        token: str,
        callback: Callback,
        *,
        claim: Callable[[str], bool | Awaitable[bool]] | None = None,
        timeout: Seconds | Timeout | None = None,
    ) -> Identity:
        """Checks the callback, exchanges its code and verifies the ID token.

        As ``client.login.finish`` of `Client`; ``claim`` may be a coroutine function.
        """
        engine = self._client._engine
        if claim is not None:
            number, sign_id = await awaited(operations.check_login(engine, token, callback))
            claimed = claim(number)
            if not isinstance(claimed, bool):
                claimed = await claimed
            operations.refuse_replay(sign_id, claimed=claimed)
        return await awaited(operations.finish_login(engine, token, callback, timeout=timeout))
