"""Plain immutable values. `dataclasses` does the same, in ten times the import time."""

from __future__ import annotations

from typing import Any, ClassVar, Self


class Record:
    """Named values that cannot be changed; equal when they all are."""

    __slots__: tuple[str, ...] = ()
    _hidden: ClassVar[frozenset[str]] = frozenset()

    def _fill(self, *values: object) -> None:
        for name, value in zip(self.__slots__, values, strict=True):
            object.__setattr__(self, name, value)

    def _values(self) -> tuple[Any, ...]:
        return tuple(getattr(self, name) for name in self.__slots__)

    def __setattr__(self, name: str, value: object) -> None:
        raise AttributeError(f"{type(self).__name__}.{name} cannot be changed")

    def __delattr__(self, name: str) -> None:
        raise AttributeError(f"{type(self).__name__}.{name} cannot be removed")

    def __eq__(self, other: object) -> bool:
        if type(other) is not type(self):
            return NotImplemented
        return self._values() == other._values()

    def __hash__(self) -> int:
        return hash(self._values())

    def __repr__(self) -> str:
        shown = (name for name in self.__slots__ if name not in self._hidden)
        inside = ", ".join(f"{name}={getattr(self, name)!r}" for name in shown)
        return f"{type(self).__name__}({inside})"

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), self._values()

    def _replace(self, **changes: object) -> Self:
        return type(self)(*(changes.get(name, getattr(self, name)) for name in self.__slots__))
