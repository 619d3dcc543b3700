"""Sign orders: what is asked for, what the service says of them, and what a download brings."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any, Generic, TypeAlias, TypeVar

from signdoc import _native
from signdoc._enums import OpenEnum
from signdoc._record import Record
from signdoc.errors import InputError
from signdoc.results import ConversionResults, as_path, from_rows

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

    from signdoc._documents import Document
    from signdoc._native import Order as NativeOrder
    from signdoc._options import StrPath
    from signdoc.errors import SignDocError

Piece: TypeAlias = tuple[bytes | None, str | None]
DownloadRow: TypeAlias = tuple[str, str, str | None, str | None, str | None, list[Any]]
RecoveryRow: TypeAlias = tuple[
    str,
    str | None,
    str | None,
    float | None,
    DownloadRow | None,
    "SignDocError | None",
    str | None,
    bool,
    str | None,
    str | None,
]


class _OrderState(OpenEnum):
    @property
    def is_final(self) -> bool:
        """Whether the order changes no more; false for a state the specification does not have."""
        return self.value in {"FAILED", "CANCELLED", "SIGN_COMPLETED"}


class PadesState(_OrderState):
    """The state of a PAdES order (specification, "States and transitions")."""

    ORDER_RECEIVED = "ORDER_RECEIVED"
    GRABBED_BY_IDP = "GRABBED_BY_IDP"
    GENERATING_MERCHANT_SEALS = "GENERATING_MERCHANT_SEALS"
    USER_SIGNING = "USER_SIGNING"
    ADD_DOCUMENT_SECURITY_STORE = "ADD_DOCUMENT_SECURITY_STORE"
    FAILED = "FAILED"
    CANCELLED = "CANCELLED"
    SIGN_COMPLETED = "SIGN_COMPLETED"


class SdoState(_OrderState):
    """The state of a SEID-SDO order (specification, "States and transitions")."""

    ORDER_RECEIVED = "ORDER_RECEIVED"
    GRABBED_BY_IDP = "GRABBED_BY_IDP"
    USER_SIGNING = "USER_SIGNING"
    FAILED = "FAILED"
    CANCELLED = "CANCELLED"
    SIGN_COMPLETED = "SIGN_COMPLETED"


class Seal(Record):
    """Where a visual seal goes (specification, "PAdES document item").

    Attributes:
        x: Points from the left edge of the page; may be fractional.
        y: Points from its upper edge; may be fractional.
        page: The page, from 1.
    """

    __slots__ = ("x", "y", "page")
    x: float
    y: float
    page: int

    def __init__(self, x: float, y: float, page: int = 1) -> None:
        self._fill(x, y, page)


class PadesDocument(Record):
    """A PDF to be signed (specification, "PAdES document item").

    Attributes:
        pdf: A path, bytes, or a file open in binary mode; orders have no size limit of their own.
        description: Description; the service makes one where there is none.
        merchant_seal: Where the merchant's seal goes.
        end_user_seal: Where the end user's seal goes.
        pdf_spec: ``"PDFA_2B"`` to have it converted first; see ``Order.conversions``.
        end_user_only: Whether the end user signs alone, without the merchant. Not in the
            specification's tables, but in the service's documentation; sent only when it is set.
    """

    __slots__ = (
        "pdf",
        "description",
        "merchant_seal",
        "end_user_seal",
        "pdf_spec",
        "end_user_only",
    )
    _hidden = frozenset({"pdf"})
    pdf: Document
    description: str | None
    merchant_seal: Seal | None
    end_user_seal: Seal | None
    pdf_spec: str | None
    end_user_only: bool | None

    def __init__(
        self,
        pdf: Document,
        description: str | None = None,
        merchant_seal: Seal | None = None,
        end_user_seal: Seal | None = None,
        pdf_spec: str | None = None,
        end_user_only: bool | None = None,
    ) -> None:
        self._fill(pdf, description, merchant_seal, end_user_seal, pdf_spec, end_user_only)


class SdoDocument(Record):
    """A document to be signed: exactly one of ``pdf``, ``text``, or ``xml`` with ``xls``.

    Attributes:
        pdf: A PDF: a path, bytes, or a file open in binary mode.
        text: Plain text; an empty one is one, too. The service's documentation says that its
            ISO-8859-1 bytes are signed: a text with other characters is sent with a warning in the
            log, and the service may refuse it.
        xml: The text of an XML document; needs ``xls``.
        xls: The XSL stylesheet that shows ``xml`` (the field's name is the specification's).
        description: Description.
    """

    __slots__ = ("pdf", "text", "xml", "xls", "description")
    _hidden = frozenset({"pdf", "text", "xml", "xls"})
    pdf: Document | None
    text: str | None
    xml: str | None
    xls: str | None
    description: str | None

    def __init__(
        self,
        pdf: Document | None = None,
        text: str | None = None,
        xml: str | None = None,
        xls: str | None = None,
        description: str | None = None,
    ) -> None:
        self._fill(pdf, text, xml, xls, description)


class Order:
    """An order the service has accepted.

    It knows its windows, and the digests and names of its documents, none of their bytes. Calls
    take it or its ``sign_id``; with the order itself a download can be compared with what was
    sent. It can be pickled; what was saved counts time by the system's clock.
    """

    __slots__ = ("_native", "conversions")
    _native: NativeOrder
    conversions: ConversionResults
    """Conversion results (PAdES, where ``pdf_spec`` was given), in the order of the documents."""

    def __init__(self, native: NativeOrder) -> None:
        self._native = native
        self.conversions = from_rows(native.conversions())

    @property
    def sign_id(self) -> str:
        """The service's reference of the order."""
        return self._native.sign_id

    @property
    def kind(self) -> str:
        """``"pades"`` or ``"sdo"``."""
        return self._native.kind

    @property
    def expires_in(self) -> float:
        """Seconds the order still lives, as far as it is known here; 0 when its window has passed.

        90 seconds from its creation until signing starts; once this client has seen the user sign,
        the signing time; once it has seen the order completed, 90 seconds from then. An estimate:
        the service's own count decides.
        """
        return self._native.expires_in()

    def to_json(self) -> str:
        """The order as text for another process, see `from_json`; holds no document."""
        return self._native.to_json()

    @classmethod
    def from_json(cls, text: str) -> Order:
        """An order from what `to_json` gave.

        Raises:
            InputError: The text is something else.
        """
        return cls(_native.Order(text))

    def __reduce__(self) -> tuple[Any, ...]:
        return Order.from_json, (self.to_json(),)

    def __repr__(self) -> str:
        return f"<Order {self.sign_id} ({self.kind}), expires in {self.expires_in:.0f} s>"


class PadesSigned(Record):
    """A signed PDF and what belongs to it (specification, "PAdES download result").

    Attributes:
        index: The document's position in the order, from 0.
        data: The signed PDF, where no folder was named.
        path: The file the signed PDF was written to.
        size: Its size in bytes.
        appendix: What signing appended to the PDF, where no folder was named.
        appendix_path: The file the appendix was written to.
        description: The service's description of the document.
        signed_sha256: SHA-256 of the signed PDF as the service states it, in base64.
        unsigned_sha256: SHA-256 of the PDF before it was signed as the service states it.
        signed_check: Whether the signed PDF has its stated digest: ``"matches"``, ``"differs"`` or
            ``"not_compared"``.
        unsigned_check: The same for what was sent.
    """

    __slots__ = (
        "index",
        "data",
        "path",
        "size",
        "appendix",
        "appendix_path",
        "description",
        "signed_sha256",
        "unsigned_sha256",
        "signed_check",
        "unsigned_check",
    )
    _hidden = frozenset({"data", "appendix"})
    index: int
    data: bytes | None
    path: Path | None
    size: int | None
    appendix: bytes | None
    appendix_path: Path | None
    description: str | None
    signed_sha256: str | None
    unsigned_sha256: str | None
    signed_check: str
    unsigned_check: str

    def __init__(self, *values: Any) -> None:
        self._fill(*values)

    def to_document(self) -> PadesDocument:
        """The signed PDF as a document of the next order (serial signing), with its description.

        Raises:
            InputError: The order was not asked for ``padesSignedPdf``.
        """
        pdf = self.path if self.path is not None else self.data
        if pdf is None:
            raise InputError(
                f"documents[{self.index}] came without its signed PDF; ask for padesSignedPdf in "
                "the first order",
                details={"field": f"documents[{self.index}]"},
            )
        return PadesDocument(pdf, description=self.description)


class SdoSigned(Record):
    """A signed data object and what belongs to it (specification, "SEID-SDO download result").

    Attributes:
        index: The document's position in the order, from 0.
        sdo: The signed data object, where no folder was named.
        path: The file the signed data object was written to.
        size: Its size in bytes.
        merchant_signature: The merchant's signature (CMS), where no folder was named.
        merchant_signature_path: The file it was written to.
        end_user_signature: The end user's signature (CMS), where no folder was named.
        end_user_signature_path: The file it was written to.
        document_hash: SHA-256 of the signed document as the service states it, in base64.
        hash_check: Whether it is that of what was sent: ``"matches"``, ``"differs"`` or
            ``"not_compared"``.
    """

    __slots__ = (
        "index",
        "sdo",
        "path",
        "size",
        "merchant_signature",
        "merchant_signature_path",
        "end_user_signature",
        "end_user_signature_path",
        "document_hash",
        "hash_check",
    )
    _hidden = frozenset({"sdo", "merchant_signature", "end_user_signature"})
    index: int
    sdo: bytes | None
    path: Path | None
    size: int | None
    merchant_signature: bytes | None
    merchant_signature_path: Path | None
    end_user_signature: bytes | None
    end_user_signature_path: Path | None
    document_hash: str | None
    hash_check: str

    def __init__(self, *values: Any) -> None:
        self._fill(*values)


class PadesDownload(Record):
    """A downloaded PAdES order.

    Attributes:
        sign_id: The order.
        order_name: Its name.
        order_state: Its state when it was downloaded.
        documents: Its documents, in the order in which they were sent.
    """

    __slots__ = ("sign_id", "order_name", "order_state", "documents")
    sign_id: str
    order_name: str | None
    order_state: PadesState | None
    documents: list[PadesSigned]

    def __init__(
        self,
        sign_id: str,
        order_name: str | None,
        order_state: PadesState | None,
        documents: Iterable[PadesSigned],
    ) -> None:
        self._fill(sign_id, order_name, order_state, list(documents))

    def without_data(self) -> PadesDownload:
        """The same without the documents' bytes."""
        bare = (one._replace(data=None, appendix=None) for one in self.documents)
        return self._replace(documents=bare)


class SdoDownload(Record):
    """A downloaded SEID-SDO order.

    Attributes:
        sign_id: The order.
        client_id: The client it belongs to.
        order_name: Its name.
        order_state: Its state when it was downloaded.
        documents: Its documents, in the order in which they were sent.
    """

    __slots__ = ("sign_id", "client_id", "order_name", "order_state", "documents")
    sign_id: str
    client_id: str | None
    order_name: str | None
    order_state: SdoState | None
    documents: list[SdoSigned]

    def __init__(
        self,
        sign_id: str,
        client_id: str | None,
        order_name: str | None,
        order_state: SdoState | None,
        documents: Iterable[SdoSigned],
    ) -> None:
        self._fill(sign_id, client_id, order_name, order_state, list(documents))

    def without_data(self) -> SdoDownload:
        """The same without the documents' bytes."""
        nothing = {"sdo": None, "merchant_signature": None, "end_user_signature": None}
        return self._replace(documents=(one._replace(**nothing) for one in self.documents))


D = TypeVar("D", bound=PadesDownload | SdoDownload)


class Recovery(Record, Generic[D]):
    """What was found of a download that a crash interrupted.

    Attributes:
        outcome: ``"complete"``: everything had arrived, and is in the folder now; ``"partial"``:
            the documents that were whole are in the folder now; ``"nothing_arrived"``: the request
            had left, the order may or may not be deleted; ``"not_sent"``: the order was not
            touched; ``"in_progress"``: another process is at it; ``"unreadable"``: the journal
            cannot be used.
        sign_id: The order, where the journal tells.
        started: When the download began, in seconds since 1970.
        download: The documents that are in the folder.
        problem: Why it is not complete, or what is wrong with a document.
        order_state: The order's state at the service, where it was asked for; ``"gone"`` when it
            does not know the order any more.
        ask_again: Whether downloading the order again may bring what is missing.
        journal: The journal, as long as it is kept; ``None`` where only a raw answer was found.
        raw_answer: The raw answer, as long as it is kept.
    """

    __slots__ = (
        "outcome",
        "sign_id",
        "started",
        "download",
        "problem",
        "order_state",
        "ask_again",
        "journal",
        "raw_answer",
    )
    outcome: str
    sign_id: str | None
    started: float | None
    download: D | None
    problem: SignDocError | None
    order_state: str | None
    ask_again: bool
    journal: Path | None
    raw_answer: Path | None

    def __init__(self, *values: Any) -> None:
        self._fill(*values)

    def dismiss(self) -> None:
        """Removes journal and raw answer for good; documents that were made of them stay.

        Raises:
            SignDocError: Another process is at it, or they cannot be removed.
        """
        journal, raw_answer = (
            None if one is None else str(one) for one in (self.journal, self.raw_answer)
        )
        _native.dismiss(journal, raw_answer)


def recover(directory: StrPath) -> list[Recovery[Any]]:
    """Lists and finishes the downloads into ``directory`` that broke off, of both kinds of orders.

    As ``client.pades.recover`` and ``client.sdo.recover``, without asking the service: no client is
    needed. Every document that had arrived whole is in the folder afterwards. Calling it again is
    safe.

    Raises:
        SignDocError: The folder cannot be read. Trouble with one download is told in its own
            `Recovery`.
    """
    return [from_recovery(row) for row in _native.recover(os.fsdecode(directory))]


def from_order(native: NativeOrder) -> Order:
    """The order of what the native module gives."""
    return Order(native)


def from_download(row: DownloadRow) -> PadesDownload | SdoDownload:
    """The download of what the native module gives."""
    if row[0] == "pades":
        return pades_download(row)
    return sdo_download(row)


def pades_download(row: DownloadRow) -> PadesDownload:
    """As `from_download`, for a PAdES order."""
    _, sign_id, _, name, state, documents = row
    signed = (
        PadesSigned(index, *_piece(document), size, *_piece(appendix), text, *digests, *checks)
        for index, document, size, appendix, text, digests, checks in documents
    )
    return PadesDownload(sign_id, name, None if state is None else PadesState(state), signed)


def sdo_download(row: DownloadRow) -> SdoDownload:
    """As `from_download`, for a SEID-SDO order."""
    _, sign_id, client_id, name, state, documents = row
    signed = (
        SdoSigned(index, *_piece(sdo), size, *_piece(merchant), *_piece(end_user), digest, check)
        for index, sdo, size, merchant, end_user, digest, check in documents
    )
    state = None if state is None else SdoState(state)
    return SdoDownload(sign_id, client_id, name, state, signed)


def from_recovery(row: RecoveryRow) -> Recovery[Any]:
    """The recovery of what the native module gives."""
    outcome, _, sign_id, started, download, problem, state, again, journal, raw = row
    return Recovery(
        outcome,
        sign_id,
        started,
        None if download is None else from_download(download),
        problem,
        state,
        again,
        as_path(journal),
        as_path(raw),
    )


def _piece(piece: Piece) -> tuple[bytes | None, Path | None]:
    data, path = piece
    return data, as_path(path)
