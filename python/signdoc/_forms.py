"""What came back from a login, as web frameworks hand it over."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, TypeAlias

from signdoc.errors import InputError

Callback: TypeAlias = str | bytes | Mapping[str, Any] | Iterable[tuple[str, Any]]
"""The address the end user came back to, or the fields of the form that was posted."""

Form: TypeAlias = Mapping[str, Any] | Iterable[tuple[str, Any]]
Pairs: TypeAlias = list[tuple[str, str]]

# What gives every value of a key that came more than once: Starlette and Litestar, Django and
# Werkzeug, Bottle. The items of aiohttp's and WebOb's forms do already.
_EVERY_VALUE = ("multi_items", "lists", "allitems")


def came_back(callback: Callback) -> tuple[str | None, Pairs | None]:
    """An address, or the fields of a form.

    Raises:
        InputError: It is neither.
    """
    given: Any = callback
    if isinstance(given, (bytes, bytearray)):
        given = bytes(given).decode("utf-8", "replace")
    if isinstance(given, str):
        return given, None
    if hasattr(given, "items") or isinstance(given, (list, tuple)):
        return None, pairs(given)
    # Addresses of frameworks (Starlette's, yarl's) have types of their own.
    text = str(given)
    if "?" in text or "#" in text:
        return text, None
    raise _wrong(given)


def pairs(form: Form) -> Pairs:
    """Every field with every value, so that one that came twice is noticed."""
    fields: Any = form
    if hasattr(fields, "items"):
        every = next((name for name in _EVERY_VALUE if hasattr(fields, name)), "items")
        fields = getattr(fields, every)()
    try:
        named = [(key, values) for key, values in fields]
    except (TypeError, ValueError):
        raise _wrong(form) from None
    return [
        (_text(key), _text(value))
        for key, values in named
        for value in (values if isinstance(values, (list, tuple)) else [values])
    ]


def _text(value: Any) -> str:
    # Tornado's values are bytes.
    return value.decode("utf-8", "replace") if isinstance(value, bytes) else str(value)


def _wrong(given: object) -> InputError:
    actual = type(given).__name__
    return InputError(
        "callback must be the address the user came back to, or the fields of its form, not of "
        f"type {actual}",
        details={"field": "callback", "actual": actual},
    )
