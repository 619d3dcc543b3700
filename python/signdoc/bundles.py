"""Evidence bundles: a signed document and all that belongs to it, in one file."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias, Union

from signdoc import _native
from signdoc._documents import alone
from signdoc._operations import Operation
from signdoc._options import limits
from signdoc._record import Record
from signdoc.errors import InputError
from signdoc.orders import PadesDownload, PadesSigned, SdoDownload, SdoSigned
from signdoc.verification import Report, several

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from signdoc._documents import Document
    from signdoc._options import Seconds, StrPath, Timeout
    from signdoc.verification import Claimant

Download: TypeAlias = PadesDownload | SdoDownload
Signed: TypeAlias = Union["Document", PadesSigned, SdoSigned, PadesDownload, SdoDownload]


class Bundle(Record):
    """An evidence bundle that was made.

    Attributes:
        report: What `signdoc.verify` says of it; it is made whatever that is.
        data: The bundle, where no file was named.
        path: The file it was written to.
        size: Its size in bytes.
        stamped: Whether it has a timestamp, because there was a ``tsa_url``.
    """

    __slots__ = ("report", "data", "path", "size", "stamped")
    _hidden = frozenset({"data"})
    report: Report
    data: bytes | None
    path: Path | None
    size: int
    stamped: bool

    def __init__(
        self, report: Report, data: bytes | None, path: Path | None, size: int, stamped: bool
    ) -> None:
        self._fill(report, data, path, size, stamped)


def bundle(
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
    """Puts a signed document and its evidence into one file, which `signdoc.verify` checks.

    The file is an ASiC-E container (ETSI EN 319 162-1): the signed document, what was sent, the
    order, the identity, what a verification finds now, and a timestamp over the digests of all.

    Args:
        to: The file, which appears complete or not at all; ``None``: ``Bundle.data``.
        signed: The signed PDF or SEID-SDO file, or what a download gave: one of its documents, or
            all of it where there is only one.
        original: What was sent.
        order: What the service said of the order, as a mapping that JSON can hold, or the
            download. ``signed_sha256`` and ``unsigned_sha256`` are compared with the documents,
            and ``converted`` says that the service converted the original first.
        identity: Who logged in, or the claims of the ID token: compared with the signer.
        numbers: Whether numbers of persons are kept: all claims, and what certificates say of
            their subjects in the report. The signed document has its certificates anyway.
        evidence: Certificates (PEM or DER), OCSP answers and lists of revoked certificates (DER).
        trust: Certificates at which chains may end, for the report.
        timestamp_trust: Those for timestamps; those of `trust` when it is not given.
        tsa_url: The timestamp authority (RFC 3161). Without, the bundle has no timestamp, and its
            report says so.
        overwrite: Whether an existing file may be replaced.
        timeout: Seconds that asking the authority may take.
        options: Options of the connection (``ca_file``, ``proxy`` and others of `Client`) and of
            the verification (``require``, ``at``), by name.

    Raises:
        InputError: A file that cannot be read, or something that is none of what is asked for.
        ConfigError: An option with a value that it cannot have.
        TransportError: The authority cannot be reached.
        ProtocolError: What it answers is no timestamp over the bundle.
    """
    made = operation(
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
    return made.wait(None)


def operation(
    to: StrPath | None,
    signed: Signed,
    original: Document | None,
    *,
    order: Mapping[str, Any] | Download | None,
    identity: Mapping[str, Any] | Claimant | None,
    numbers: bool,
    evidence: Iterable[Document],
    trust: Document | Sequence[Document] | None,
    timestamp_trust: Document | Sequence[Document] | None,
    tsa_url: str | None,
    overwrite: bool,
    timeout: Seconds | Timeout | None,
    options: Mapping[str, Any] | None,
) -> Operation[Bundle]:
    """As `bundle`, ready to be waited for."""
    document, told = _taken(signed)
    if isinstance(order, (PadesDownload, SdoDownload)):
        told = {**_of_order(order), **told}
    elif order is not None:
        told = {**told, **order}
    words = [
        *(() if not told else (("order", _json("order", told)),)),
        *(() if identity is None else (("identity", _json("identity", _claims(identity))),)),
        ("with_numbers", "true" if numbers else "false"),
        ("overwrite", "true" if overwrite else "false"),
        *(() if tsa_url is None else (("tsa_url", tsa_url),)),
        *_words(options or {}),
    ]
    call = _native.bundle(
        alone("signed", document),
        original=None if original is None else alone("original", original),
        evidence=[alone(f"evidence[{n}]", one) for n, one in enumerate(evidence)],
        trust=[] if trust is None else several("trust", trust),
        timestamp_trust=(
            None if timestamp_trust is None else several("timestamp_trust", timestamp_trust)
        ),
        to=None if to is None else os.fsdecode(to),
        options=words,
        timeout=limits(timeout),
    )
    return Operation(call, _made)


def _made(row: tuple[str, bytes | None, str | None, int, bool]) -> Bundle:
    report, data, path, size, stamped = row
    return Bundle(Report(report), data, None if path is None else Path(path), size, stamped)


def _taken(signed: Signed) -> tuple[Document, dict[str, Any]]:
    """The signed document, and what its download says of it."""
    told: dict[str, Any] = {}
    if isinstance(signed, (PadesDownload, SdoDownload)):
        count = len(signed.documents)
        if count != 1:
            raise InputError(
                f"signed is a download of {count} documents; a bundle is for one: give one of "
                "signed.documents, with order=signed",
                details={"field": "signed", "actual": count},
            )
        told = _of_order(signed)
        signed = signed.documents[0]
    if isinstance(signed, PadesSigned):
        told |= {"signed_sha256": signed.signed_sha256, "unsigned_sha256": signed.unsigned_sha256}
        found = signed.data if signed.path is None else signed.path
    elif isinstance(signed, SdoSigned):
        told |= {"document_sha256": signed.document_hash}
        found = signed.sdo if signed.path is None else signed.path
    else:
        return signed, told
    if found is None:
        raise InputError("signed has neither bytes nor a file", details={"field": "signed"})
    return found, {name: value for name, value in told.items() if value is not None}


def _of_order(download: Download) -> dict[str, Any]:
    state = download.order_state
    told = {
        "sign_id": download.sign_id,
        "order_name": download.order_name,
        "order_state": None if state is None else str(state.value),
    }
    return {name: value for name, value in told.items() if value is not None}


def _claims(identity: Mapping[str, Any] | Claimant) -> Mapping[str, Any]:
    claims: Any = getattr(identity, "claims", None)
    return claims if claims is not None else identity  # type: ignore[return-value]


def _json(field: str, told: Mapping[str, Any]) -> str:
    try:
        return json.dumps(dict(told), ensure_ascii=False, allow_nan=False)
    except (TypeError, ValueError) as error:
        raise InputError(
            f"{field} holds what JSON cannot: {error}", details={"field": field}
        ) from None


def _words(options: Mapping[str, Any]) -> Iterable[tuple[str, str]]:
    for name, value in options.items():
        for one in value if isinstance(value, (list, tuple)) else (value,):
            yield name, str(one).lower() if isinstance(one, bool) else str(one)
