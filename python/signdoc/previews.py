"""Where visible seals would lie, before an order is created."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, TypeAlias

from signdoc import _native
from signdoc._documents import Document, alone
from signdoc._record import Record

if TYPE_CHECKING:
    from collections.abc import Iterable

    from signdoc.verification import Place, Placed

Sized: TypeAlias = tuple[float, float, int, float, float]
"""A place with the width and height of the seal, in points."""


class SealProblem(Record):
    """Something about the place of a seal.

    Attributes:
        kind: ``no_such_page``, ``off_page``, ``too_large``, ``over_seal``, ``over_text``,
            ``over_image``, ``over_annotation``, ``over_drawing`` or ``unknown``.
        is_error: Whether no order should be created like this; else a person decides.
        detail: What was found, with the limit and the value.
    """

    __slots__ = ("kind", "is_error", "detail")
    kind: str
    is_error: bool
    detail: str

    def __init__(self, kind: str, is_error: bool, detail: str) -> None:
        self._fill(kind, is_error, detail)

    def __str__(self) -> str:
        return f"{self.kind}: {self.detail}"


class PreviewedSeal(Record):
    """A seal of a preview: points from the upper left corner of the page as it is shown.

    Attributes:
        page: The page, from 1.
        x: Points from the left edge.
        y: Points from the upper edge.
        width: Width in points.
        height: Height in points.
        problems: What is wrong with its place; empty where nothing is.
    """

    __slots__ = ("page", "x", "y", "width", "height", "problems")
    page: int
    x: float
    y: float
    width: float
    height: float
    problems: list[SealProblem]

    def __init__(
        self,
        page: int,
        x: float,
        y: float,
        width: float,
        height: float,
        problems: Iterable[SealProblem] = (),
    ) -> None:
        self._fill(page, x, y, width, height, list(problems))


class Preview:
    """Where seals would lie. True in a condition only where it is `ok`; it can be pickled."""

    __slots__ = ("_data", "_text")

    def __init__(self, text: str) -> None:
        self._text = text
        self._data: dict[str, Any] = json.loads(text)

    @property
    def ok(self) -> bool:
        """Whether no seal has a problem that is an error."""
        return self._data["ok"] is True

    @property
    def page_count(self) -> int:
        """How many pages the document has."""
        return int(self._data["page_count"])

    @property
    def seals(self) -> list[PreviewedSeal]:
        """The seals, in the order they were given."""
        return [
            PreviewedSeal(
                **row["place"], problems=[SealProblem(**problem) for problem in row["problems"]]
            )
            for row in self._data["seals"]
        ]

    def to_json(self) -> str:
        """The whole preview as a JSON text."""
        return self._text

    def to_html(self, *, title: str | None = None, pictures: Document | None = None) -> str:
        """The preview as a page: one file without scripts, which loads nothing.

        Args:
            title: What the page is called, for instance the name of the file.
            pictures: The document, to show its pages as pictures; without, pages are outlines.
                Runs Poppler's ``pdftoppm`` on it.

        Raises:
            InputError: A document that cannot be read.
            ConfigError: ``pdftoppm`` is asked for and not installed.
        """
        files = [] if pictures is None else [alone("pictures", pictures)]
        return _native.preview_html(self._text, title=title, fragment=False, pictures=files)

    def _repr_html_(self) -> str:
        return _native.preview_html(self._text, title=None, fragment=True, pictures=[])

    def __bool__(self) -> bool:
        return self.ok

    def __eq__(self, other: object) -> bool:
        return self._data == other._data if isinstance(other, Preview) else NotImplemented

    def __hash__(self) -> int:
        return hash(self._text)

    def __reduce__(self) -> tuple[Any, ...]:
        return Preview, (self._text,)

    def __repr__(self) -> str:
        lines = []
        for number, seal in enumerate(self.seals, 1):
            lines.append(f"seal {number} at {seal.x:g}, {seal.y:g} on page {seal.page}")
            lines += [f"  {problem}" for problem in seal.problems]
        return "\n".join(lines)


def preview(pdf: Document, seals: Iterable[Place | Sized | Placed]) -> Preview:
    """Looks where visible seals would lie, before an order is created. Nothing is sent.

    Args:
        pdf: A path, bytes, or a file open in binary mode.
        seals: Points from the upper left corner of the page as it is shown: ``(x, y)`` on the
            first page, ``(x, y, page)``, ``(x, y, page, width, height)``, or seals of an order.
            Without a size 180 by 48 points: an order cannot say it, and the service draws its
            seals as large as it does.

    Raises:
        InputError: A document that cannot be read; no seals, or more than 100, or one that is no
            place. What is wrong with a place is in the preview.
    """
    words = [
        ",".join(map(str, seal)) if isinstance(seal, tuple) else f"{seal.x},{seal.y},{seal.page}"
        for seal in seals
    ]
    return Preview(_native.preview(alone("pdf", pdf), words))
