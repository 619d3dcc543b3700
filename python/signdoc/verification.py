"""Is what came back what was sent, signed by whom it was expected, and nothing else?"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, Protocol, TypeAlias

from signdoc import _native
from signdoc._documents import Document, alone
from signdoc._enums import OpenEnum
from signdoc._record import Record
from signdoc.errors import InputError, VerificationError

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from datetime import datetime

    from signdoc._documents import Given

Place: TypeAlias = tuple[float, float] | tuple[float, float, int]
"""Where a seal was asked for: points from the upper left corner of the page, and the page."""


class Status(OpenEnum):
    """How a check ended."""

    PASSED = "passed"
    FAILED = "failed"
    NOT_CHECKED = "not_checked"


class Claimant(Protocol):
    """Who logged in, as `client.login.finish` tells."""

    @property
    def claims(self) -> Mapping[str, Any]:
        """The claims of the ID token."""


class Placed(Protocol):
    """A seal with its place."""

    @property
    def x(self) -> float:
        """Points from the left edge of the page."""

    @property
    def y(self) -> float:
        """Points from the upper edge of the page."""

    @property
    def page(self) -> int:
        """The page, from 1."""


class Check(Record):
    """One thing that was looked at.

    Attributes:
        name: A stable name: ``integrity``, ``chain``, ``original`` and so on.
        status: ``passed``, ``failed`` or ``not_checked``.
        detail: What was found, or why it was not looked at.
    """

    __slots__ = ("name", "status", "detail")
    name: str
    status: Status
    detail: str

    def __init__(self, name: str, status: str, detail: str) -> None:
        self._fill(name, Status(status), detail)

    def __str__(self) -> str:
        return f"{self.name}: {self.status}: {self.detail}"


class Signer(Record):
    """Who signed, as the certificate says; whether it is trusted, the checks tell.

    Attributes:
        name: Common name.
        given_name: Given name.
        surname: Surname.
        serial_number: The subject's serial number, which identifies a person; not in the repr.
        organization: Organization.
        country: Country.
        certificate_sha256: SHA-256 of the certificate, in hexadecimal.
    """

    __slots__ = (
        "name",
        "given_name",
        "surname",
        "serial_number",
        "organization",
        "country",
        "certificate_sha256",
    )
    _hidden = frozenset({"serial_number"})
    name: str | None
    given_name: str | None
    surname: str | None
    serial_number: str | None
    organization: str | None
    country: str | None
    certificate_sha256: str | None

    def __init__(
        self,
        name: str | None = None,
        given_name: str | None = None,
        surname: str | None = None,
        serial_number: str | None = None,
        organization: str | None = None,
        country: str | None = None,
        certificate_sha256: str | None = None,
    ) -> None:
        self._fill(
            name, given_name, surname, serial_number, organization, country, certificate_sha256
        )


class Signature(Record):
    """One signature, document timestamp, or seal of a signed data object.

    Attributes:
        kind: ``signature``, ``timestamp`` or ``seal``.
        field: Name of the PDF's field; ``None`` in signed data objects.
        signer: Who made it; ``None`` where no certificate can be read.
        level: The PAdES level it reaches (``B-B`` to ``B-LTA``); ``None`` for none.
        claimed_time: When it was made, as the signer says (RFC 3339, UTC).
        proven_time: When it was made at the latest, as a trusted timestamp proves.
        coverage: ``whole_file``, ``revision`` or ``invalid``; ``None`` in signed data objects.
        checks: The checks of this signature alone.
        judged_at: The time that its certificate and revocation were judged at; ``None`` where they
            were not.
        proof: What proves that time: ``signature_timestamp``, ``document_timestamp``,
            ``container_timestamp`` (of an evidence bundle), or ``verification`` where nothing does
            and it is that of the verification.
    """

    __slots__ = (
        "kind",
        "field",
        "signer",
        "level",
        "claimed_time",
        "proven_time",
        "coverage",
        "checks",
        "judged_at",
        "proof",
    )
    kind: str
    field: str | None
    signer: Signer | None
    level: str | None
    claimed_time: str | None
    proven_time: str | None
    coverage: str | None
    checks: list[Check]
    judged_at: str | None
    proof: str | None

    def __init__(
        self,
        kind: str,
        field: str | None = None,
        signer: Signer | None = None,
        level: str | None = None,
        claimed_time: str | None = None,
        proven_time: str | None = None,
        coverage: str | None = None,
        checks: Iterable[Check] = (),
        judged_at: str | None = None,
        proof: str | None = None,
    ) -> None:
        self._fill(
            kind,
            field,
            signer,
            level,
            claimed_time,
            proven_time,
            coverage,
            list(checks),
            judged_at,
            proof,
        )


class Change(Record):
    """A change between what was sent and what came back.

    Attributes:
        permitted: Whether signing needs it.
        kind: What kind of change it is.
        detail: What was changed.
        reference: The object in the PDF, ``"12 0 R"``; `None` for the file itself.
        revision: The revision that made it; 0 is the oldest.
    """

    __slots__ = ("permitted", "kind", "detail", "reference", "revision")
    permitted: bool
    kind: str
    detail: str
    reference: str | None
    revision: int

    def __init__(
        self,
        permitted: bool,
        kind: str,
        detail: str,
        reference: str | None,
        revision: int,
    ) -> None:
        self._fill(permitted, kind, detail, reference, revision)


class Report:
    """What a verification found: named checks, and a plain verdict.

    True in a condition only where it is `ok`. It can be pickled, and shows itself in a notebook as
    `to_html` does.
    """

    __slots__ = ("_data", "_text")

    def __init__(self, text: str) -> None:
        self._text = text
        self._data: dict[str, Any] = json.loads(text)

    @property
    def ok(self) -> bool:
        """Whether everything that counts was looked at and holds.

        Integrity, signature and chain of every signature, no change but those that signing needs,
        and whatever was asked for: the original, the signer, the requirements.
        """
        return self._data["ok"] is True

    @property
    def kind(self) -> str:
        """What was looked at: ``pdf``, ``sdo``, ``asice`` (an evidence bundle), or ``serial``."""
        return str(self._data["kind"])

    @property
    def checks(self) -> list[Check]:
        """Everything that was looked at, in order."""
        return _checks(self._data["checks"])

    @property
    def signatures(self) -> list[Signature]:
        """The signatures, document timestamps and seals, in the order of the file."""
        return [
            *(_signature(row, row.get("kind", "signature")) for row in self._rows("signatures")),
            *(_signature(row, "seal") for row in self._rows("seals")),
        ]

    @property
    def changes(self) -> list[Change]:
        """What was changed, the changes that signing does not need first."""
        told = self._data.get("changes") or {}
        return [
            Change(permitted, row["kind"], row["detail"], row["object"], row["revision"])
            for permitted, word in ((False, "forbidden"), (True, "permitted"))
            for row in told.get(word, ())
        ]

    @property
    def links(self) -> list[Report]:
        """The reports of serial sessions, the first one first; empty for one file."""
        rows = self._rows("links")
        return [Report(json.dumps({"kind": "pdf", "problem": None, **row})) for row in rows]

    def check(self, name: str) -> Check:
        """The check of this name.

        Raises:
            KeyError: There is no such check: it was not asked for.
        """
        for made in self.checks:
            if made.name == name:
                return made
        raise KeyError(name)

    def raise_for_problems(self) -> None:
        """Does nothing where the report is `ok`.

        Raises:
            VerificationError: What matters most of what is wrong, with its code; ``details`` has
                the names of all checks that failed, or count and were not made.
        """
        if self.ok:
            return
        problem = self._data.get("problem") or {}
        raise VerificationError(
            problem.get("message", ""),
            code=problem.get("code"),
            name=problem.get("name"),
            details=problem.get("details"),
        )

    def to_json(self) -> str:
        """The whole report as a JSON text, as the command line prints it."""
        return self._text

    def _rows(self, name: str) -> list[dict[str, Any]]:
        return list(self._data.get(name) or ())

    def __bool__(self) -> bool:
        return self.ok

    def __eq__(self, other: object) -> bool:
        return self._data == other._data if isinstance(other, Report) else NotImplemented

    def __hash__(self) -> int:
        return hash(self._text)

    def __reduce__(self) -> tuple[Any, ...]:
        return Report, (self._text,)

    def __repr__(self) -> str:
        verdict = "verified" if self.ok else "NOT verified"
        checks = self.checks
        names = max((len(made.name) for made in checks), default=0)
        lines = (
            f"  {made.status:11}  {made.name:{names}}  {_plain(made.detail)}" for made in checks
        )
        return "\n".join([verdict, *lines])

    def to_html(
        self,
        *,
        title: str | None = None,
        pictures: Document | Sequence[Document] | None = None,
    ) -> str:
        """The report as a page for people: one file without scripts, which loads nothing.

        It has the verdict in a sentence, the checks with what to do, what happened when and what
        proves it, and the pages with seals and changes marked where they lie, before and after.
        Names of people stand in it, their numbers do not. The same report gives the same page.

        Args:
            title: What the page is called, for instance the name of the file.
            pictures: The file that was verified (or the list of files), to show its pages as
                pictures; without, pages are outlines. Runs Poppler's ``pdftoppm`` on the file,
                which never happens unasked because the file may be hostile.

        Raises:
            InputError: A file that cannot be read.
            ConfigError: ``pdftoppm`` is asked for and not installed.
        """
        files = [] if pictures is None else several("pictures", pictures)
        return _native.report_html(self._text, title=title, fragment=False, pictures=files)

    def _repr_html_(self) -> str:
        return _native.report_html(self._text, title=None, fragment=True, pictures=[])


class Finding(Record):
    """Something about a document that is known before it is sent.

    Attributes:
        code: The service's own code where it has one (``DOC_SIGNED``, ``FONT_SUBST``), else one of
            the same kind (``ENCRYPTED``, ``XFA``).
        severity: ``error`` (the service will refuse it), ``warning`` or ``info``.
        message: What was found and where.
        remedy: What can be done about it.
    """

    __slots__ = ("code", "severity", "message", "remedy")
    code: str
    severity: str
    message: str
    remedy: str

    def __init__(self, code: str, severity: str, message: str, remedy: str) -> None:
        self._fill(code, severity, message, remedy)

    def __str__(self) -> str:
        return f"{self.severity}: {self.code}: {self.message}; {self.remedy}"


class Findings(list[Finding]):
    """What was found about a document, errors first: a list that shows itself as a table."""

    __slots__ = ()

    @property
    def refused(self) -> bool:
        """Whether the service will refuse the document."""
        return any(found.severity == "error" for found in self)

    def __repr__(self) -> str:
        return "\n".join(map(str, self)) or "nothing was found"

    def _repr_html_(self) -> str:
        from html import escape

        rows = "".join(
            "<tr>"
            + "".join(
                f"<td>{escape(_plain(cell))}</td>"
                for cell in (found.severity, found.code, found.message, found.remedy)
            )
            + "</tr>"
            for found in self
        )
        head = "<tr><th>severity</th><th>code</th><th>message</th><th>remedy</th></tr>"
        return f"<table><thead>{head}</thead><tbody>{rows}</tbody></table>"


def verify(
    signed: Document | Sequence[Document],
    original: Document | None = None,
    *,
    trust: Document | Sequence[Document] | None = None,
    timestamp_trust: Document | Sequence[Document] | None = None,
    signer: str | Mapping[str, Any] | Claimant | Sequence[str] | None = None,
    require: str | Iterable[str] = (),
    seals: Iterable[Place | Placed] | None = None,
    converted: bool = False,
    signed_sha256: str | None = None,
    unsigned_sha256: str | None = None,
    form_filling: bool = True,
    at: datetime | None = None,
    extended_key_usage: str | Iterable[str] = (),
    strict: bool = False,
) -> Report:
    """Verifies a signed PDF or SEID-SDO file, or an evidence bundle of one, offline.

    Whatever a file contains is in the report and never an exception; nothing is valid that was not
    looked at.

    Args:
        signed: The signed file: a path, bytes, or a file open in binary mode. A list is the
            results of serial sessions, the first one first: each must build on the one before.
        original: What was sent. Only what signing needs may have been added to it.
        trust: Certificates at which chains may end, as PEM or DER. Nobody is trusted without.
        timestamp_trust: Those for timestamps; those of `trust` when it is not given.
        signer: Who is expected to have signed: a name, a serial number (``name=``, ``serial=`` or
            ``certificate=`` before it says which), or the identity that logged in.
        require: Checks that must pass, too: ``timestamp``, ``revocation``, ``seals``,
            ``content_commitment``, ``container_timestamp`` (of an evidence bundle), ``level``,
            or a level: ``B-B``, ``B-T``, ``B-LT``, ``B-LTA``.
        seals: Where visible seals were asked for, in points from the upper left corner: pairs, or
            ``(x, y, page)``. An empty list: nowhere. ``None``: it is not known.
        converted: The service converted the document before it was signed: `unsigned_sha256`
            takes the place of `original`.
        signed_sha256: The digest of the signed document that the service reported.
        unsigned_sha256: The one of the document before it was signed.
        form_filling: Whether empty form fields may have been filled in before a signature.
        at: The time of the verification; now when it is not given.
        extended_key_usage: Purposes that a signer's certificate may have instead of the usual ones:
            ``absent``, names such as ``documentSigning``, or identifiers.
        strict: Whether deviations from the standards that are accepted otherwise are refused.

    Raises:
        InputError: A file that cannot be read.
        ConfigError: An option with a value that it cannot have.
        VerificationError: `trust` holds no certificates (SIGNDOC_E_TRUST_UNUSABLE).
    """
    options = [
        *_signer_words(signer),
        *(("require", word) for word in ([require] if isinstance(require, str) else require)),
        *_seal_words(seals),
        *(
            (name, str(value))
            for name, value in (
                ("signed_sha256", signed_sha256),
                ("unsigned_sha256", unsigned_sha256),
                ("at", None if at is None else int(at.timestamp())),
            )
            if value is not None
        ),
        ("converted", "true" if converted else "false"),
        ("form_filling", "empty_fields" if form_filling else "forbidden"),
        *(
            ("extended_key_usage", word)
            for word in (
                [extended_key_usage] if isinstance(extended_key_usage, str) else extended_key_usage
            )
        ),
        ("strict", "true" if strict else "false"),
    ]
    files = several("signed", signed)
    if not files:
        raise InputError("signed is an empty list; name the signed file", details=_field("signed"))
    return Report(
        _native.verify(
            files,
            original=None if original is None else alone("original", original),
            trust=[] if trust is None else several("trust", trust),
            timestamp_trust=(
                None if timestamp_trust is None else several("timestamp_trust", timestamp_trust)
            ),
            options=options,
        )
    )


def preflight(pdf: Document) -> Findings:
    """Looks a PDF over before it is sent: what the service will refuse, what it will warn about.

    Args:
        pdf: A path, bytes, or a file open in binary mode.

    Raises:
        InputError: A file that cannot be read. What it contains is a finding.
    """
    rows = json.loads(_native.preflight(alone("pdf", pdf)))
    return Findings(
        Finding(row["code"], row["severity"], row["message"], row["remedy"]) for row in rows
    )


def several(field: str, given: Document | Sequence[Document]) -> list[Given]:
    """One document or several, in the forms the native module takes."""
    if isinstance(given, (list, tuple)):
        return [alone(f"{field}[{index}]", each) for index, each in enumerate(given)]
    return [alone(field, given)]  # type: ignore[arg-type]


def _signer_words(
    signer: str | Mapping[str, Any] | Claimant | Sequence[str] | None,
) -> list[tuple[str, str]]:
    if signer is None:
        return []
    if isinstance(signer, str):
        return [("signer", signer)]
    claims = getattr(signer, "claims", signer)
    if hasattr(claims, "items"):
        told = [(name, value) for name, value in claims.items() if isinstance(value, str)]
        # Without any, nobody in particular would be expected: that must not pass.
        return [("claim", f"{name}={value}") for name, value in told] or [("claim", "nothing=")]
    return [("signer", str(word)) for word in signer]  # type: ignore[union-attr]


def _seal_words(seals: Iterable[Place | Placed] | None) -> list[tuple[str, str]]:
    if seals is None:
        return []
    words = [("seal", "none")]
    for seal in seals:
        if isinstance(seal, tuple):
            words.append(("seal", ",".join(map(str, seal))))
        else:
            words.append(("seal", f"{seal.x},{seal.y},{seal.page}"))
    return words


def _field(name: str) -> dict[str, str]:
    return {"field": name}


def _checks(rows: Iterable[dict[str, Any]]) -> list[Check]:
    return [Check(row["name"], row["status"], row["detail"]) for row in rows]


def _signature(row: dict[str, Any], kind: str) -> Signature:
    told = row.get("signer")
    judged = row.get("judged_at") or {}
    signer = None
    if told is not None:
        signer = Signer(*(told.get(name) for name in Signer.__slots__))
    return Signature(
        kind,
        row.get("field"),
        signer,
        row.get("level"),
        row.get("claimed_time"),
        row.get("proven_time"),
        row.get("coverage"),
        _checks(row.get("checks", ())),
        judged.get("time"),
        judged.get("proof"),
    )


def _plain(text: str) -> str:
    """The text without what a terminal or a reader could be led astray by."""
    return "".join(c if c.isprintable() else ascii(c)[1:-1] for c in text)
