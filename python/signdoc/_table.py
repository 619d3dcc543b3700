"""Tables for terminals and notebooks."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence


def text_table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """Columns as wide as they need to be."""
    all_rows = [head, *rows]
    widths = [max(len(row[column]) for row in all_rows) for column in range(len(head))]
    lines = ["  ".join(map(str.ljust, row, widths)).rstrip() for row in all_rows]
    lines.insert(1, "  ".join("-" * width for width in widths))
    return "\n".join(lines)


def html_table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """The same for a notebook; every text is escaped."""
    from html import escape

    def row(tag: str, cells: Iterable[str]) -> str:
        inner = "".join(f"<{tag}>{escape(cell)}</{tag}>" for cell in cells)
        return f"<tr>{inner}</tr>"

    body = "".join(row("td", cells) for cells in rows)
    return f"<table><thead>{row('th', head)}</thead><tbody>{body}</tbody></table>"
