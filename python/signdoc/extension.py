"""Long-term proof: what a signed PDF needs to be valid when its certificates have ended."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, TypeAlias

from signdoc import _native
from signdoc._documents import Document, alone
from signdoc._log import log
from signdoc._operations import Operation, path
from signdoc._options import limits, texts
from signdoc._record import Record
from signdoc.verification import Report, several

if TYPE_CHECKING:
    from datetime import datetime

    from signdoc._options import Seconds, StrPath, Timeout

Files: TypeAlias = Document | Sequence[Document] | None
"""A file, or several."""


class SignatureLevel(Record):
    """A signature and the PAdES baseline level it reaches.

    Attributes:
        field: Name of its field.
        before: Its level before; ``None`` for signatures that are no PAdES ones.
        level: Its level now.
    """

    __slots__ = ("field", "before", "level")
    field: str
    before: str | None
    level: str | None

    def __init__(self, field: str, before: str | None, level: str | None) -> None:
        self._fill(field, before, level)


class Added(Record):
    """Something that was added.

    Attributes:
        kind: ``certificate``, ``ocsp``, ``crl`` or ``timestamp``.
        about: The certificate that it is, or is about; of a timestamp, its field.
        source: The address it came from, ``given``, or ``known`` for what was at hand.
        size: Its size in bytes.
        time: When it was made (RFC 3339, UTC); ``None`` for certificates.
    """

    __slots__ = ("kind", "about", "source", "size", "time")
    kind: str
    about: str
    source: str
    size: int
    time: str | None

    def __init__(self, kind: str, about: str, source: str, size: int, time: str | None) -> None:
        self._fill(kind, about, source, size, time)


class Note(Record):
    """What could not be had, or should be known.

    Attributes:
        about: The certificate or field concerned.
        message: What happened.
        advice: What helps.
    """

    __slots__ = ("about", "message", "advice")
    about: str
    message: str
    advice: str

    def __init__(self, about: str, message: str, advice: str) -> None:
        self._fill(about, message, advice)

    def __str__(self) -> str:
        return f"{self.about}: {self.message}; {self.advice}"


class Extended:
    """An extended PDF, and what was added to it. It can be pickled."""

    __slots__ = ("_made", "_text", "data")

    def __init__(self, text: str, data: bytes | None) -> None:
        self._text = text
        self._made: dict[str, Any] = json.loads(text)
        self.data = data
        """Its bytes where no file was named."""

    @property
    def path(self) -> str | None:
        """The file that was written."""
        return self._made["path"]  # type: ignore[no-any-return]

    @property
    def size(self) -> int:
        """Its size in bytes."""
        return int(self._made["size"])

    @property
    def level(self) -> str | None:
        """The PAdES baseline level that all signatures reach, ``B-B`` to ``B-LTA``.

        ``None`` where one reaches none.
        """
        return self._made["level"]  # type: ignore[no-any-return]

    @property
    def reached(self) -> bool:
        """Whether that is at least the level that was asked for."""
        return self._made["reached"] is True

    @property
    def signatures(self) -> list[SignatureLevel]:
        """Every signature, document timestamps excepted."""
        rows = self._made["signatures"]
        return [SignatureLevel(row["field"], row["before"], row["level"]) for row in rows]

    @property
    def added(self) -> list[Added]:
        """What was added."""
        return [Added(*(row[name] for name in Added.__slots__)) for row in self._made["added"]]

    @property
    def notes(self) -> list[Note]:
        """What could not be had."""
        return [Note(*(row[name] for name in Note.__slots__)) for row in self._made["notes"]]

    @property
    def report(self) -> Report:
        """What the verification of the extended file found."""
        return Report(json.dumps(self._made["report"]))

    def __eq__(self, other: object) -> bool:
        if type(other) is not type(self):
            return NotImplemented
        return (self._text, self.data) == (other._text, other.data)

    def __hash__(self) -> int:
        return hash(self._text)

    def __reduce__(self) -> tuple[Any, ...]:
        return Extended, (self._text, self.data)

    def __repr__(self) -> str:
        where = self.path or f"{self.size} bytes"
        return f"<Extended {where}: {self.level or 'no level'}, {len(self.notes)} notes>"


def operation(
    document: Document,
    *,
    tsa_url: str | None,
    to: StrPath | None,
    overwrite: bool,
    level: str,
    trust: Files,
    timestamp_trust: Files,
    certificates: Files,
    revocations: Files,
    fetch: bool,
    at: datetime | None,
    timeout: Seconds | Timeout | None,
    ca_file: StrPath | None,
    proxy: str | None,
) -> Operation[Extended]:
    """The call that `extend` makes, for both faces to wait for."""
    network = texts({"tsa_url": tsa_url, "ca_file": ca_file, "proxy": proxy})
    options = [("level", level), ("fetch", "true" if fetch else "false")]
    if at is not None:
        options.append(("at", str(int(at.timestamp()))))
    call = _native.extend(
        _native.Engine(network, account=False),
        alone("document", document),
        (
            _files("trust", trust),
            None if timestamp_trust is None else _files("timestamp_trust", timestamp_trust),
            _files("certificates", certificates),
            _files("revocations", revocations),
        ),
        to=path(to),
        overwrite=overwrite,
        options=options,
        timeout=limits(timeout),
    )
    return Operation(call, lambda made: Extended(*made))


def _files(field: str, given: Files) -> list[Any]:
    return [] if given is None else several(field, given)


def extend(
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
    """Adds to a signed PDF what its validation needs when its certificates have ended.

    That is certificates, OCSP answers and revocation lists, fetched by the addresses in the
    certificates, and for ``B-LTA`` a document timestamp. A file that has all that is renewed:
    validation data of the former timestamp, then a new timestamp. No account is needed.

    The file is verified first, and what is made of it before it is handed out. Its bytes stay an
    untouched prefix, so every signature stays valid.

    Args:
        document: The signed PDF: a path, bytes, or a file open in binary mode.
        tsa_url: Address of a timestamp authority (RFC 3161). ``B-LTA`` needs one.
        to: File to write: complete, mode 0600, or not at all. In memory without.
        overwrite: Replace a file that exists; it may be `document` itself.
        level: ``"B-LTA"``, or ``"B-LT"``, which adds a timestamp only where a signature has none.
        trust: Certificates at which chains may end, as PEM or DER. Without any, chains are taken
            to end where they lead, which a note says.
        timestamp_trust: Those for timestamps; those of `trust` when it is not given.
        certificates: Certificates that may stand in chains; they are not trusted.
        revocations: OCSP answers (DER) and revocation lists (DER or PEM), asked before anybody
            else.
        fetch: Whether anything is fetched by the addresses in certificates.
        at: The time of the extension; now when it is not given.
        timeout: Seconds this call may take in all, or a `Timeout`; default: 300.
        ca_file: PEM file with certificates to trust for https besides the system's.
        proxy: Address of an HTTP proxy; default: HTTPS_PROXY and HTTP_PROXY.

    Raises:
        InputError: A file that cannot be read or extended, such as signed data objects, or a
            result that cannot be written where it belongs.
        ConfigError: No `tsa_url` where one is needed, or an option with a value that it cannot
            have.
        VerificationError: The file does not verify: no signature, a broken one, a change after
            signing, a revoked certificate, or a chain that does not lead to `trust`.
        TransportError, ProtocolError: The timestamp authority does not answer as it should.
    """
    return operation(
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
    ).wait(log())
