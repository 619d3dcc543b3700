"""The credential-based signing interface (CSC): what goes in and what comes back."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeAlias

from signdoc._record import Record
from signdoc._table import html_table, text_table

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from pathlib import Path

    from signdoc._documents import Document
    from signdoc._options import StrPath

MOST_HASHES = 50
"""Hashes, and so documents, that one session signs."""

PdfRow: TypeAlias = tuple[int, bytes | None, str | None, int, str, str, list[str]]


class CscLogin(Record):
    """A login that has begun: where to send the user, and what is needed to finish.

    Attributes:
        url: The address to send the end user to.
    """

    __slots__ = ("url", "_token")
    # State and challenge are in the address.
    _hidden = frozenset({"url", "_token"})
    url: str
    _token: str

    def __init__(self, url: str, token: str) -> None:
        self._fill(url, token)

    def to_token(self) -> str:
        """The login as a sealed text for ``csc.finish``: safe in JSON, a session, a cookie."""
        return self._token


class CscInfo(Record):
    """What the interface says of itself (CSC API v2, info).

    Attributes:
        name: The name of the service.
        specs: The version of the CSC API it speaks.
        region: Where it is operated (ISO 3166-1 alpha-2).
        lang: The language of its answers.
        description: What it is.
        auth_types: How users log in (``"oauth2code"``, ...).
        methods: The methods it has.
        raw: The whole answer.
    """

    __slots__ = (
        "name",
        "specs",
        "region",
        "lang",
        "description",
        "auth_types",
        "methods",
        "raw",
    )
    _hidden = frozenset({"raw"})
    name: str | None
    specs: str | None
    region: str | None
    lang: str | None
    description: str | None
    auth_types: list[str]
    methods: list[str]
    raw: Mapping[str, Any]

    def __init__(self, *values: Any) -> None:
        self._fill(*values)

    def __hash__(self) -> int:
        return hash((self.name, self.specs))

    def _repr_html_(self) -> str:
        return html_table(("", "value"), [(key, str(value)) for key, value in self.raw.items()])


class Credential(Record):
    """One of the user's credentials (CSC API v2, credentials/list).

    What its certificate names is personal data: it is not in the ``repr``.

    Attributes:
        credential_id: The identifier, for this session.
        description: What it is called.
        key_status: ``"enabled"`` or ``"disabled"``.
        key_algorithms: The identifiers (OIDs) of what the key can do.
        key_length: The length of the key in bits.
        certificate_status: ``"valid"``, ``"expired"``, ``"revoked"`` or ``"suspended"``.
        certificates: The certificate and its issuers, in DER, the user's own first.
        multisign: How many signatures one authorization may cover.
        raw: All that was told.
    """

    __slots__ = (
        "credential_id",
        "description",
        "key_status",
        "key_algorithms",
        "key_length",
        "certificate_status",
        "certificates",
        "multisign",
        "raw",
    )
    _hidden = frozenset({"certificates", "raw"})
    credential_id: str
    description: str | None
    key_status: str | None
    key_algorithms: list[str]
    key_length: int | None
    certificate_status: str | None
    certificates: list[bytes]
    multisign: int | None
    raw: Mapping[str, Any]

    def __init__(self, *values: Any) -> None:
        self._fill(*values)

    def __hash__(self) -> int:
        return hash(self.credential_id)


class Credentials(list[Credential]):
    """Credentials that show themselves as a table."""

    __slots__ = ()

    def _cells(self) -> list[tuple[str, ...]]:
        return [
            (
                one.credential_id,
                one.key_status or "",
                ", ".join(one.key_algorithms),
                "" if one.key_length is None else f"{one.key_length} bits",
                one.certificate_status or "",
                str(len(one.certificates)),
            )
            for one in self
        ]

    def __repr__(self) -> str:
        return text_table(_CREDENTIAL_HEAD, self._cells()) if self else "no credentials"

    def _repr_html_(self) -> str:
        return html_table(_CREDENTIAL_HEAD, self._cells())


_CREDENTIAL_HEAD = ("credential", "key", "algorithms", "length", "certificate", "chain")


class PdfSeal(Record):
    """A visible seal, drawn without fonts so that a PDF/A stays one.

    Attributes:
        x: Points (1/72 inch) from the left edge of the page as it is shown.
        y: Points from its upper edge down to the upper edge of the seal.
        page: Page number from 1.
        width: Width in points.
        height: Height in points.
        lines: Lines of text; none write the signer's name, the reason and the time.
    """

    __slots__ = ("x", "y", "page", "width", "height", "lines")
    x: float
    y: float
    page: int
    width: float
    height: float
    lines: tuple[str, ...]

    def __init__(
        self,
        x: float,
        y: float,
        page: int = 1,
        width: float = 180.0,
        height: float = 48.0,
        lines: Iterable[str] = (),
    ) -> None:
        self._fill(x, y, page, width, height, tuple(lines))


class PdfToSign(Record):
    """One PDF, how it is signed, and where the signed one goes.

    Attributes:
        pdf: A path, bytes, or a file open in binary mode; of any size.
        to: The file to write (complete, mode 0600, or not at all); in memory without.
        overwrite: Whether an existing file may be replaced.
        field_name: An empty signature field to fill; default: a new field.
        reason: Why the document is signed.
        location: Where it is signed.
        contact_info: How to reach the signer.
        name: The signer's name; default: the certificate's.
        seal: A visible seal; default: none.
    """

    __slots__ = (
        "pdf",
        "to",
        "overwrite",
        "field_name",
        "reason",
        "location",
        "contact_info",
        "name",
        "seal",
    )
    _hidden = frozenset({"pdf"})
    pdf: Document
    to: StrPath | None
    overwrite: bool
    field_name: str | None
    reason: str | None
    location: str | None
    contact_info: str | None
    name: str | None
    seal: PdfSeal | None

    def __init__(
        self,
        pdf: Document,
        to: StrPath | None = None,
        overwrite: bool = False,
        field_name: str | None = None,
        reason: str | None = None,
        location: str | None = None,
        contact_info: str | None = None,
        name: str | None = None,
        seal: PdfSeal | None = None,
    ) -> None:
        self._fill(pdf, to, overwrite, field_name, reason, location, contact_info, name, seal)


class SignedPdf(Record):
    """A signed PDF.

    Attributes:
        index: Position in the call, from 0.
        data: The signed PDF where no file was named.
        path: The file that was written.
        size: Size in bytes.
        field_name: Name of the signature field.
        level: The PAdES baseline level reached: ``"B-B"``, ``"B-T"`` (with the option ``tsa_url``)
            or ``"B-LT"`` (and revocation answers).
        notes: What a person should know of the document.
    """

    __slots__ = ("index", "data", "path", "size", "field_name", "level", "notes")
    _hidden = frozenset({"data"})
    index: int
    data: bytes | None
    path: Path | None
    size: int
    field_name: str
    level: str
    notes: tuple[str, ...]

    def __init__(
        self,
        index: int,
        data: bytes | None,
        path: Path | None,
        size: int,
        field_name: str,
        level: str,
        notes: Iterable[str] = (),
    ) -> None:
        self._fill(index, data, path, size, field_name, level, tuple(notes))


def plan(total: int) -> list[range]:
    """Splits ``total`` hashes or documents into sessions of at most 50.

    Each range needs a login of its own.
    """
    return [range(start, min(start + MOST_HASHES, total)) for start in range(0, total, MOST_HASHES)]


def from_pdf_rows(rows: Iterable[PdfRow]) -> list[SignedPdf]:
    """The signed PDFs of what the native module gives."""
    from pathlib import Path

    return [
        SignedPdf(index, data, None if path is None else Path(path), size, field, level, notes)
        for index, data, path, size, field, level, notes in rows
    ]
