"""The logger ``signdoc``: what calls do, without secrets, told by the thread that calls."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import TypeAlias

Log: TypeAlias = Callable[[str, str, str], object]
"""Takes the level, the call's correlation id, and the message."""


def log() -> Log | None:
    """Where events go; nowhere, while nobody in this process has imported ``logging``."""
    logging = sys.modules.get("logging")
    if logging is None:
        return None
    logger = logging.getLogger("signdoc")
    if not logger.handlers:
        # An application that does not ask for logs does not get any.
        logger.addHandler(logging.NullHandler())
    if not logger.isEnabledFor(logging.WARNING):
        return None
    levels = logging.getLevelNamesMapping()

    def tell(level: str, correlation_id: str, message: str) -> None:
        number = levels[level.upper()]
        text = "[%s] %s"
        logger.log(number, text, correlation_id, message, extra={"correlation_id": correlation_id})

    return tell


def warn_of_reception(told: str) -> None:
    """Warns that a download goes on although its caller stopped waiting."""
    import logging

    logging.getLogger("signdoc").warning("%s", told)
