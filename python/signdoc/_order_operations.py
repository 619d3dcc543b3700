"""The calls of orders and logins: each checked and made in one place, for both faces."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from signdoc import _native
from signdoc._documents import given, one
from signdoc._forms import came_back
from signdoc._operations import Operation, path
from signdoc._options import limits
from signdoc._receptions import arm
from signdoc.errors import InputError, LoginError
from signdoc.logins import Identity, Login
from signdoc.orders import (
    Order,
    PadesDocument,
    PadesDownload,
    PadesState,
    Recovery,
    SdoDocument,
    SdoDownload,
    SdoState,
    from_order,
    from_recovery,
    pades_download,
    sdo_download,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from signdoc._documents import Document, Given
    from signdoc._forms import Callback
    from signdoc._native import Engine
    from signdoc._operations import Progress
    from signdoc._options import Seconds, StrPath, Timeout
    from signdoc.orders import DownloadRow, Seal

S = TypeVar("S", bound=PadesState | SdoState)
D = TypeVar("D", bound=PadesDownload | SdoDownload)
T = TypeVar("T")

MOST_SECONDS = 2**32
LOGIN_REPLAYED = 463


class Kind(Generic[S, D]):
    """What differs between the kinds of orders once they are created."""

    def __init__(
        self, name: str, state: Callable[[str], S], download: Callable[[DownloadRow], D]
    ) -> None:
        self.name = name
        self.state = state
        self.download = download


PADES: Kind[PadesState, PadesDownload] = Kind("pades", PadesState, pades_download)
SDO: Kind[SdoState, SdoDownload] = Kind("sdo", SdoState, sdo_download)


def create_pades(
    engine: Engine,
    name: str,
    documents: Iterable[PadesDocument],
    *,
    results: Iterable[str] | None,
    display_mode: str | None,
    show_confirmation: bool | None,
    show_understanding: bool | None,
    timeout_seconds: int | None,
    visual_seals: bool,
    strict: bool,
    timeout: Seconds | Timeout | None,
    progress: Callable[[Progress], object] | None,
) -> Operation[Order]:
    """As ``client.pades.create``."""
    call = _native.pades_create(
        engine,
        _properties(name, display_mode, show_confirmation, show_understanding, timeout_seconds),
        [
            (
                one(index, document.pdf),
                document.description,
                document.pdf_spec,
                _seal(f"documents[{index}].merchantSealPos", document.merchant_seal),
                _seal(f"documents[{index}].endUserSealPos", document.end_user_seal),
                document.end_user_only,
            )
            for index, document in _documents(documents, PadesDocument)
        ],
        _results(results),
        visual_seals=visual_seals,
        strict=strict,
        timeout=limits(timeout),
    )
    return Operation(call, from_order, progress=progress)


def create_sdo(
    engine: Engine,
    name: str,
    documents: Iterable[SdoDocument],
    *,
    results: Iterable[str] | None,
    display_mode: str | None,
    show_confirmation: bool | None,
    show_understanding: bool | None,
    timeout_seconds: int | None,
    timeout: Seconds | Timeout | None,
    progress: Callable[[Progress], object] | None,
) -> Operation[Order]:
    """As ``client.sdo.create``."""

    def pdf(index: int, document: SdoDocument) -> Given | None:
        return None if document.pdf is None else one(index, document.pdf)

    call = _native.sdo_create(
        engine,
        _properties(name, display_mode, show_confirmation, show_understanding, timeout_seconds),
        [
            (
                pdf(index, document),
                _text(f"documents[{index}].text", document.text),
                _text(f"documents[{index}].xml", document.xml),
                _text(f"documents[{index}].xls", document.xls),
                document.description,
            )
            for index, document in _documents(documents, SdoDocument)
        ],
        _results(results),
        timeout=limits(timeout),
    )
    return Operation(call, from_order, progress=progress)


def state(
    engine: Engine, kind: Kind[S, D], order: Order | str, *, timeout: Seconds | Timeout | None
) -> Operation[S]:
    """As ``state`` of a kind of orders."""
    call = _native.order_state(engine, kind.name, _reference(order), timeout=limits(timeout))
    return Operation(call, kind.state)


def wait(
    engine: Engine,
    kind: Kind[S, D],
    order: Order | str,
    *,
    until: str | Iterable[str] | None,
    timeout: Seconds | Timeout | None,
    on_state: Callable[[S], object] | None,
) -> Operation[S]:
    """As ``wait`` of a kind of orders."""
    if until is None:
        until = ()
    wanted = [until] if isinstance(until, str) else list(until)
    for text in wanted:
        _text("until", text)
    call = _native.order_wait(
        engine, kind.name, _reference(order), list(map(str, wanted)), timeout=limits(timeout)
    )
    told = None if on_state is None else lambda text: on_state(kind.state(text))
    return Operation(call, kind.state, on_state=told)


def download(
    engine: Engine,
    kind: Kind[S, D],
    order: Order | str,
    *,
    to: StrPath | None,
    overwrite: bool,
    force: bool,
    originals: Iterable[Document],
    timeout: Seconds | Timeout | None,
    progress: Callable[[Progress], object] | None,
) -> Operation[D]:
    """As ``download`` of a kind of orders."""
    arm()
    call = _native.order_download(
        engine,
        kind.name,
        _reference(order),
        to=path(to),
        overwrite=overwrite,
        force=force,
        originals=list(given(originals)),
        timeout=limits(timeout),
    )
    return Operation(call, kind.download, progress=progress)


def discard(
    engine: Engine, kind: Kind[S, D], order: Order | str, *, timeout: Seconds | Timeout | None
) -> Operation[D]:
    """As ``discard`` of a kind of orders."""
    call = _native.order_discard(engine, kind.name, _reference(order), timeout=limits(timeout))
    return Operation(call, kind.download)


def recover(
    engine: Engine, kind: Kind[S, D], directory: StrPath, *, timeout: Seconds | Timeout | None
) -> Operation[list[Recovery[D]]]:
    """As ``recover`` of a kind of orders."""
    call = _native.order_recover(engine, kind.name, os.fsdecode(directory), timeout=limits(timeout))
    return Operation(call, lambda rows: [from_recovery(row) for row in rows])


def begin_login(
    engine: Engine,
    order: Order | str,
    redirect_uri: str,
    *,
    ui_locales: str | None,
    scopes: Iterable[str],
    response_mode: str | None,
    timeout: Seconds | Timeout | None,
) -> Operation[Login]:
    """As ``client.login.begin``."""
    call = _native.login_begin(
        engine,
        _reference(order),
        redirect_uri,
        ui_locales=ui_locales,
        scopes=_texts("scopes", scopes),
        response_mode=response_mode,
        timeout=limits(timeout),
    )
    return Operation(call, lambda login: Login(*login))


def finish_login(
    engine: Engine,
    token: str,
    callback: Callback,
    *,
    timeout: Seconds | Timeout | None,
) -> Operation[Identity]:
    """As ``client.login.finish``."""
    call = _native.login_finish(engine, token, *came_back(callback), timeout=limits(timeout))
    return Operation(call, lambda identity: Identity(*identity))


def check_login(engine: Engine, token: str, callback: Callback) -> Operation[tuple[str, str]]:
    """The identifier that a store of finished logins remembers, and the order."""
    return Operation(_native.login_check(engine, token, *came_back(callback)), tuple)


def refuse_replay(sign_id: str, *, claimed: object) -> None:
    """Refuses a login that was finished before."""
    if claimed is not True:
        raise LoginError(
            "this login was finished already; begin a new one for another identification",
            code=LOGIN_REPLAYED,
            details={"sign_id": sign_id},
        )


def _properties(
    name: str,
    display_mode: str | None,
    show_confirmation: bool | None,
    show_understanding: bool | None,
    timeout_seconds: int | None,
) -> tuple[str, str | None, bool | None, bool | None, int | None]:
    _text("signProperties.orderName", name)
    seconds: Any = timeout_seconds
    if seconds is not None and (type(seconds) is not int or not 0 <= seconds < MOST_SECONDS):
        field = "signProperties.timeoutSeconds"
        raise _wrong(field, "a whole number of seconds above zero", seconds)
    return name, display_mode, show_confirmation, show_understanding, seconds


def _documents(documents: Iterable[T], kind: type[T]) -> list[tuple[int, T]]:
    single: Any = documents
    if isinstance(single, kind):
        raise _wrong("documents", f"a list of {kind.__name__}", single)
    numbered = list(enumerate(documents))
    for index, document in numbered:
        if not isinstance(document, kind):
            raise _wrong(f"documents[{index}]", f"a {kind.__name__}", document)
    return numbered


def _results(results: Iterable[str] | None) -> list[str] | None:
    return None if results is None else _texts("results", results)


def _texts(field: str, given: Iterable[str]) -> list[str]:
    if isinstance(given, str):
        raise _wrong(field, "a list of texts", given)
    return [str(text) for text in given]


def _text(field: str, given: str | None) -> str | None:
    value: Any = given
    if value is not None and not isinstance(value, str):
        raise _wrong(field, "a text", value)
    return given


def _seal(field: str, seal: Seal | None) -> tuple[float, float, int] | None:
    if seal is None:
        return None
    numbers: list[Any] = [seal.x, seal.y]
    if any(isinstance(one, bool) or not isinstance(one, (int, float)) for one in numbers):
        raise _wrong(field, "a Seal of numbers", seal)
    page: Any = seal.page
    if type(page) is not int:
        raise _wrong(f"{field}.page", "a whole number", page)
    return float(seal.x), float(seal.y), page


def _reference(order: Order | str) -> Any:
    if isinstance(order, Order):
        return order._native
    value: Any = order
    if not isinstance(value, str):
        raise _wrong("order", "an Order or its sign_id", value)
    return value


def _wrong(field: str, wanted: str, given: object) -> InputError:
    return InputError(
        f"{field} must be {wanted}, not of type {type(given).__name__}"
        if not isinstance(given, (int, float))
        else f"{field} must be {wanted}, not {given!r}",
        details={"field": field, "actual": type(given).__name__},
    )
