"""Enumerations that stay open: what a later version of the service says survives."""

from __future__ import annotations

from enum import StrEnum
from typing import Any, Self


class OpenEnum(StrEnum):
    """A text with known values. An unknown text becomes a member of its own for that occasion.

    Members compare equal to their text, and ``is_known`` tells which kind a member is.
    """

    @classmethod
    def _missing_(cls, value: object) -> Self | None:
        if not isinstance(value, str):
            return None
        member: Any = str.__new__(cls, value)
        member._name_ = value
        member._value_ = value
        return member  # type: ignore[no-any-return]

    @property
    def is_known(self) -> bool:
        """Whether the specification has this value."""
        return self.name in type(self).__members__

    def __repr__(self) -> str:
        if self.is_known:
            return f"<{type(self).__name__}.{self.name}>"
        return f"<{type(self).__name__} {self.value!r}, unknown to this version>"
