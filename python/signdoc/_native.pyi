from collections.abc import Callable, Sequence
from typing import Any, Final, Generic, TypeVar, final

from signdoc._documents import Given
from signdoc._log import Log
from signdoc._options import Limits
from signdoc.results import Row

__all__ = [
    "VERSION",
    "Batch",
    "Bell",
    "Call",
    "Engine",
    "cli",
    "error_table",
    "options",
    "provoke_defect",
    "spec",
    "warning_table",
]

VERSION: Final[str]

_R_co = TypeVar("_R_co", covariant=True)

@final
class Bell:
    def __new__(cls) -> Bell: ...
    def fileno(self) -> int: ...
    def heard(self) -> list[int]: ...

@final
class Call(Generic[_R_co]):
    @classmethod
    def __class_getitem__(cls, key: Any) -> Any: ...
    def wait(
        self,
        *,
        progress: Callable[[int, int, int], object] | None = None,
        on_state: Callable[[str], object] | None = None,
        log: Log | None = None,
    ) -> _R_co: ...
    def start(self, bell: Bell, number: int) -> None: ...
    def tell(
        self,
        *,
        progress: Callable[[int, int, int], object] | None = None,
        on_state: Callable[[str], object] | None = None,
        log: Log | None = None,
    ) -> None: ...
    def result(self) -> _R_co: ...
    def cancel(self) -> None: ...

@final
class Batch:
    def step(self, *, wait: bool, log: Log | None) -> tuple[str, Row | None]: ...
    def give(self, given: Given | None) -> None: ...
    def listen(self, bell: Bell, number: int) -> None: ...
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
    def conversion_specs(self, *, timeout: Limits) -> Call[list[str]]: ...
    def convert(
        self,
        given: Sequence[Given],
        *,
        to: str | None,
        strict: bool,
        overwrite: bool,
        allow_signed: bool,
        timeout: Limits,
    ) -> Call[list[Row]]: ...
    def batch(
        self,
        *,
        to: str | None,
        overwrite: bool,
        allow_signed: bool,
        concurrency: int,
        resume: str | None,
        timeout: Limits,
    ) -> Batch: ...

def spec(number: int) -> dict[str, Any] | None: ...
def error_table() -> list[dict[str, Any]]: ...
def warning_table() -> list[tuple[str, str]]: ...
def options() -> list[tuple[str, bool, str, str]]: ...
def cli(arguments: Sequence[str]) -> int: ...
def provoke_defect() -> None: ...
