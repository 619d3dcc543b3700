"""Options on their way to the native module, which takes them all as text."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any, TypeAlias, Union

from signdoc.errors import ConfigError, InputError

if TYPE_CHECKING:
    from datetime import timedelta

Seconds: TypeAlias = Union[float, "timedelta"]
"""A number of seconds, or a ``timedelta``."""

StrPath: TypeAlias = str | os.PathLike[str]


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


def seconds(timeout: Seconds | None) -> float | None:
    """The timeout of a call in seconds."""
    if timeout is None:
        return None
    value: Any = timeout
    if hasattr(value, "total_seconds"):
        value = value.total_seconds()
    if isinstance(value, (int, float)) and not isinstance(value, bool):
        return float(value)
    raise InputError(
        f"timeout must be a number of seconds or a timedelta, not {type(timeout).__name__}",
        details={"field": "timeout", "actual": type(timeout).__name__},
    )
