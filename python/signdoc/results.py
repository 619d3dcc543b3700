"""What a conversion gives back."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeAlias

from signdoc._enums import OpenEnum
from signdoc._record import Record
from signdoc._table import html_table, text_table

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

    from signdoc.errors import SignDocError

Said: TypeAlias = tuple[str | None, str]
Row: TypeAlias = tuple[
    int,
    str | None,
    str | None,
    bool,
    list[Said],
    list[Said],
    bytes | None,
    str | None,
    int | None,
    "SignDocError | None",
    bool,
]


class WarningCode(OpenEnum):
    """What conversion did to a document that it did convert (specification, Errors)."""

    VISUAL_DIFF = "VISUAL_DIFF"
    COLORANTS = "COLORANTS"
    OCG_REMOVED = "OCG_REMOVED"
    TRANSP_REMOVED = "TRANSP_REMOVED"
    XMP_REMOVED = "XMP_REMOVED"
    FONT_SUBST = "FONT_SUBST"
    ACTION_REMOVED = "ACTION_REMOVED"
    STRUCTURE_REMOVED = "STRUCTURE_REMOVED"


class FaultCode(OpenEnum):
    """Why a document could not be converted (specification, Errors)."""

    CORRUPT = "CORRUPT"
    DOC_SIGNED = "DOC_SIGNED"
    EF_REMOVED = "EF_REMOVED"
    GENERIC_ERROR = "GENERIC_ERROR"
    DISABLED = "DISABLED"


class ConversionWarning(Record):
    """A warning the service raised while converting.

    Attributes:
        code: Which of the specification's warnings it is; the text itself for an unknown one.
        message: The service's own text.
    """

    __slots__ = ("code", "message")
    code: WarningCode
    message: str

    def __init__(self, code: WarningCode, message: str) -> None:
        self._fill(code, message)

    def __str__(self) -> str:
        return self.code.value


class ConversionFault(Record):
    """Why a document could not be converted.

    Attributes:
        code: Which of the specification's errors it is; the text itself for an unknown one.
        message: The service's own text.
    """

    __slots__ = ("code", "message")
    code: FaultCode
    message: str

    def __init__(self, code: FaultCode, message: str) -> None:
        self._fill(code, message)

    def __str__(self) -> str:
        return self.code.value


class Conversion(Record):
    """The result for one document.

    Attributes:
        index: The document's position in the call, from 0.
        conversion_id: The service's identifier of this conversion.
        description: The service's description of the document.
        converted: Whether the document was converted.
        warnings: Warnings raised during conversion.
        errors: Why the document could not be converted.
        data: The converted PDF, where no folder was named.
        path: The file the converted PDF was written to.
        size: Size of the converted PDF in bytes.
        failure: Why there is no answer for this document, in a batch: it could not be sent, or
            its call failed.
        resumed: Whether an earlier run of the batch converted it, so that it was not sent again.
    """

    __slots__ = (
        "index",
        "conversion_id",
        "description",
        "converted",
        "warnings",
        "errors",
        "data",
        "path",
        "size",
        "failure",
        "resumed",
    )
    _hidden = frozenset({"data"})
    index: int
    conversion_id: str | None
    description: str | None
    converted: bool
    warnings: list[ConversionWarning]
    errors: list[ConversionFault]
    data: bytes | None
    path: Path | None
    size: int | None
    failure: SignDocError | None
    resumed: bool

    def __init__(
        self,
        index: int,
        conversion_id: str | None = None,
        description: str | None = None,
        converted: bool = False,
        warnings: Iterable[ConversionWarning] = (),
        errors: Iterable[ConversionFault] = (),
        data: bytes | None = None,
        path: Path | None = None,
        size: int | None = None,
        failure: SignDocError | None = None,
        resumed: bool = False,
    ) -> None:
        self._fill(
            index,
            conversion_id,
            description,
            converted,
            list(warnings),
            list(errors),
            data,
            path,
            size,
            failure,
            resumed,
        )


class ConversionResults(list[Conversion]):
    """The results of a call, in the order of its documents: a list that shows itself as a table."""

    __slots__ = ()

    def _cells(self) -> list[tuple[str, ...]]:
        return [
            (
                str(one.index + 1),
                "earlier" if one.resumed else "yes" if one.converted else "no",
                ", ".join(map(str, one.warnings)),
                ", ".join(_reasons(one)),
                "" if one.size is None else f"{one.size:,} bytes",
                _where(one),
            )
            for one in self
        ]

    def __repr__(self) -> str:
        return text_table(_HEAD, self._cells()) if self else "no results"

    def _repr_html_(self) -> str:
        return html_table(_HEAD, self._cells())


_HEAD = ("#", "converted", "warnings", "errors", "size", "result")


def _reasons(one: Conversion) -> list[str]:
    reasons = [str(error) for error in one.errors]
    return reasons if one.failure is None else [*reasons, one.failure.name]


def _where(one: Conversion) -> str:
    if one.path is not None:
        return str(one.path)
    return "" if one.data is None else "in memory"


def from_rows(rows: Iterable[Row]) -> ConversionResults:
    """The results of what the native module gives."""
    return ConversionResults([from_row(row) for row in rows])


def from_row(row: Row) -> Conversion:
    """The result of one document."""
    index, conversion_id, description, converted, warnings, errors = row[:6]
    data, path, size, failure, resumed = row[6:]
    return Conversion(
        index=index,
        conversion_id=conversion_id,
        description=description,
        converted=converted,
        warnings=[ConversionWarning(WarningCode(code or text), text) for code, text in warnings],
        errors=[ConversionFault(FaultCode(code or text), text) for code, text in errors],
        data=data,
        path=as_path(path),
        size=size,
        failure=failure,
        resumed=resumed,
    )


def as_path(text: str | None) -> Path | None:
    """A path of the native module's."""
    if text is None:
        return None
    # pathlib takes longer to import than this whole package.
    from pathlib import Path

    return Path(text)


def without_data(results: Iterable[Conversion]) -> ConversionResults:
    """The same results without the documents' bytes."""
    return ConversionResults(one._replace(data=None) for one in results)
