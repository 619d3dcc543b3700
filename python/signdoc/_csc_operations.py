"""The calls of the CSC interface: each checked and made in one place, for both faces."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeAlias

from signdoc import _native
from signdoc._documents import one
from signdoc._forms import came_back
from signdoc._operations import Operation, path
from signdoc._options import limits
from signdoc.csc import (
    Credential,
    Credentials,
    CscInfo,
    CscLogin,
    PdfToSign,
    SignedPdf,
    from_pdf_rows,
)
from signdoc.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from signdoc._forms import Callback
    from signdoc._native import CscSession, Engine
    from signdoc._options import Seconds, Timeout

Choice: TypeAlias = tuple[str, str | None, str | None, str | None]


def info(engine: Engine, *, timeout: Seconds | Timeout | None) -> Operation[CscInfo]:
    """As ``client.csc.info``."""
    call = _native.csc_info(engine, timeout=limits(timeout))
    return Operation(call, lambda row: CscInfo(*row))


def begin(
    engine: Engine, redirect_uri: str, *, lang: str | None, description: str | None
) -> Operation[CscLogin]:
    """As ``client.csc.begin``."""
    call = _native.csc_begin(engine, redirect_uri, lang=lang, description=description)
    return Operation(call, lambda made: CscLogin(*made))


def finish(
    engine: Engine,
    token: str,
    callback: Callback,
    made: Callable[[CscSession], Any],
    *,
    timeout: Seconds | Timeout | None,
) -> Operation[Any]:
    """As ``client.csc.finish``."""
    call = _native.csc_finish(engine, token, *came_back(callback), timeout=limits(timeout))
    return Operation(call, made)


def credentials(
    engine: Engine, session: CscSession, *, timeout: Seconds | Timeout | None
) -> Operation[Credentials]:
    """As ``session.credentials``."""
    call = _native.csc_credentials(engine, session, timeout=limits(timeout))
    return Operation(call, lambda rows: Credentials(Credential(*row) for row in rows))


def credential_info(
    engine: Engine,
    session: CscSession,
    credential_id: str,
    *,
    timeout: Seconds | Timeout | None,
) -> Operation[Credential]:
    """As ``session.credential_info``."""
    call = _native.csc_credential_info(engine, session, credential_id, timeout=limits(timeout))
    return Operation(call, lambda row: Credential(*row))


def sign_hashes(
    engine: Engine,
    session: CscSession,
    step: str,
    hashes: Iterable[bytes],
    choice: Choice,
    *,
    timeout: Seconds | Timeout | None,
) -> Operation[list[bytes]]:
    """As ``session.sign_hashes`` and ``session.authorize``."""
    algorithm, *rest = choice
    given = (_hashes(hashes), algorithm, *rest)
    call = _native.csc_sign_hashes(engine, session, step, given, timeout=limits(timeout))
    return Operation(call, list)


def sign_hash(
    engine: Engine, session: CscSession, *, timeout: Seconds | Timeout | None
) -> Operation[list[bytes]]:
    """As ``session.sign_hash``."""
    call = _native.csc_sign_hashes(engine, session, "sign", None, timeout=limits(timeout))
    return Operation(call, list)


def sign_pdfs(
    engine: Engine,
    session: CscSession | None,
    pdfs: Iterable[PdfToSign],
    choice: Choice,
    *,
    timeout: Seconds | Timeout | None,
) -> Operation[list[SignedPdf]]:
    """As ``session.sign_pdfs``; without a session the documents are only looked over."""
    rows = [_row(index, pdf) for index, pdf in enumerate(_pdfs(pdfs))]
    call = _native.csc_sign_pdfs(engine, session, rows, choice, timeout=limits(timeout))
    return Operation(call, from_pdf_rows)


def _row(index: int, pdf: PdfToSign) -> tuple[Any, ...]:
    seal = pdf.seal
    texts = [pdf.field_name, pdf.reason, pdf.location, pdf.contact_info, pdf.name]
    placed = seal and (seal.x, seal.y, seal.page, seal.width, seal.height, list(seal.lines))
    return one(index, pdf.pdf), path(pdf.to), pdf.overwrite, texts, placed


def _pdfs(pdfs: Iterable[PdfToSign]) -> Iterable[PdfToSign]:
    single: Any = pdfs
    if isinstance(single, PdfToSign):
        raise _wrong("documents", "a list of PdfToSign", single)
    for index, pdf in enumerate(pdfs):
        if not isinstance(pdf, PdfToSign):
            raise _wrong(f"documents[{index}]", "a PdfToSign", pdf)
        yield pdf


def _hashes(hashes: Iterable[bytes]) -> list[bytes]:
    single: Any = hashes
    if isinstance(single, (bytes, bytearray, memoryview, str)):
        raise _wrong("hashes", "a list of digests", single)
    taken = []
    for index, digest in enumerate(hashes):
        if not isinstance(digest, (bytes, bytearray, memoryview)):
            raise _wrong(f"hashes[{index}]", "bytes", digest)
        taken.append(bytes(digest))
    return taken


def _wrong(field: str, wanted: str, given: object) -> InputError:
    actual = type(given).__name__
    return InputError(
        f"{field} must be {wanted}, not of type {actual}",
        details={"field": field, "actual": actual},
    )
