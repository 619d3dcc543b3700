"""Options on their way to the native module, which takes them all as text."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any, TypeAlias, Union

from signdoc._record import Record
from signdoc.errors import ConfigError, InputError

if TYPE_CHECKING:
    from datetime import timedelta

INFINITY = float("inf")

Seconds: TypeAlias = Union[float, "timedelta"]
"""A number of seconds, or a ``timedelta``."""

StrPath: TypeAlias = str | os.PathLike[str]

Limits: TypeAlias = tuple[float | None, float | None, float | None]
"""Total, connect and read timeout in seconds, as the native module takes them."""


def texts(options: dict[str, Any]) -> dict[str, str]:
    """The options that are set, as texts."""
    return {key: _text(key, value) for key, value in options.items() if value is not None}


def _text(key: str, value: Any) -> str:
    if isinstance(value, str):
        return value
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, (int, float)):
        return repr(value)
    if isinstance(value, os.PathLike):
        return os.fsdecode(value)
    if hasattr(value, "total_seconds"):
        return repr(value.total_seconds())
    raise ConfigError(
        f"option {key} cannot be of type {type(value).__name__}",
        details={"field": key, "actual": type(value).__name__},
    )


class Timeout(Record):
    """The limits of one call; the client's where one is not given.

    Attributes:
        total: Seconds the call may take in all, with its repetitions.
        connect: Seconds to wait for a connection.
        read: Seconds of silence on a connection before the call fails.
    """

    __slots__ = ("total", "connect", "read")
    total: Seconds | None
    connect: Seconds | None
    read: Seconds | None

    def __init__(
        self,
        total: Seconds | None = None,
        *,
        connect: Seconds | None = None,
        read: Seconds | None = None,
    ) -> None:
        self._fill(total, connect, read)

    def __reduce__(self) -> tuple[Any, ...]:
        return _timeout, self._values()


def _timeout(total: Seconds | None, connect: Seconds | None, read: Seconds | None) -> Timeout:
    return Timeout(total, connect=connect, read=read)


def limits(timeout: Seconds | Timeout | None) -> Limits:
    """The limits of a call in seconds."""
    if not isinstance(timeout, Timeout):
        return _seconds("timeout", timeout), None, None
    return (
        _seconds("timeout.total", timeout.total),
        _seconds("timeout.connect", timeout.connect),
        _seconds("timeout.read", timeout.read),
    )


def _seconds(field: str, given: Seconds | None) -> float | None:
    value: Any = given
    if value is None:
        return None
    if hasattr(value, "total_seconds"):
        value = value.total_seconds()
    if isinstance(value, (int, float)) and not isinstance(value, bool) and 0 < value < INFINITY:
        return float(value)
    raise InputError(
        f"{field} must be a number of seconds above zero or a timedelta, not {given!r}",
        details={"field": field, "actual": repr(given)},
    )
