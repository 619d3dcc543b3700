from collections.abc import Callable, Sequence
from typing import Any, Final, final

from signdoc._documents import Given
from signdoc._log import Log
from signdoc.results import Row

__all__ = [
    "VERSION",
    "Batch",
    "Engine",
    "cli",
    "error_table",
    "options",
    "provoke_defect",
    "spec",
    "warning_table",
]

VERSION: Final[str]

@final
class Batch:
    def next(self, pull: Callable[[], Given | None], *, log: Log | None) -> Row | None: ...
    def cancel(self) -> None: ...

@final
class Engine:
    def __new__(
        cls,
        options: dict[str, str],
        environment: bool = False,
        missing: Sequence[str] | None = None,
    ) -> Engine: ...
    def options(self, secrets: bool = False) -> dict[str, str]: ...
    def secrets(self) -> list[str]: ...
    def close(self) -> None: ...
    def set_clock_offset(self, seconds: float) -> None: ...
    def last_answer(self) -> tuple[int, list[tuple[str, str]], str | None] | None: ...
    def conversion_specs(self, *, timeout: float | None, log: Log | None) -> list[str]: ...
    def convert(
        self,
        given: Sequence[Given],
        *,
        to: str | None,
        strict: bool,
        overwrite: bool,
        allow_signed: bool,
        timeout: float | None,
        progress: Callable[[int, int, int], object] | None,
        log: Log | None,
    ) -> list[Row]: ...
    def batch(
        self,
        *,
        to: str | None,
        overwrite: bool,
        allow_signed: bool,
        concurrency: int,
        resume: str | None,
        timeout: float | None,
    ) -> Batch: ...

def spec(number: int) -> dict[str, Any] | None: ...
def error_table() -> list[dict[str, Any]]: ...
def warning_table() -> list[tuple[str, str]]: ...
def options() -> list[tuple[str, bool, str, str]]: ...
def cli(arguments: Sequence[str]) -> int: ...
def provoke_defect() -> None: ...
