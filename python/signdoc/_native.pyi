from collections.abc import Callable, Sequence
from typing import Any, Final, Generic, TypeAlias, TypeVar, final

from signdoc._documents import Given
from signdoc._log import Log
from signdoc._options import Limits
from signdoc.csc import PdfRow
from signdoc.orders import DownloadRow, RecoveryRow
from signdoc.results import Row

__all__ = [
    "VERSION",
    "Batch",
    "Bell",
    "Call",
    "CscSession",
    "Engine",
    "Order",
    "bundle",
    "cli",
    "csc_begin",
    "csc_credential_info",
    "csc_credentials",
    "csc_finish",
    "csc_info",
    "csc_sign_hashes",
    "csc_sign_pdfs",
    "dismiss",
    "error_table",
    "extend",
    "finish_receptions",
    "login_begin",
    "login_check",
    "login_finish",
    "options",
    "order_discard",
    "order_download",
    "order_recover",
    "order_state",
    "order_states",
    "order_wait",
    "pades_create",
    "preflight",
    "preview",
    "preview_html",
    "provoke_defect",
    "receptions",
    "recover",
    "report_html",
    "sdo_create",
    "spec",
    "verify",
    "warning_table",
]

VERSION: Final[str]

_Properties: TypeAlias = tuple[str, str | None, bool | None, bool | None, int | None]
_Seal: TypeAlias = tuple[float, float, int] | None
_GivenPades: TypeAlias = tuple[Given, str | None, str | None, _Seal, _Seal, bool | None]
_GivenSdo: TypeAlias = tuple[Given | None, str | None, str | None, str | None, str | None]
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
    def cancel(self) -> str | None: ...

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
        account: bool = True,
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
        pdf_spec: str,
        timeout: Limits,
    ) -> Call[list[Row]]: ...
    def batch(
        self,
        *,
        to: str | None,
        overwrite: bool,
        allow_signed: bool,
        pdf_spec: str,
        concurrency: int,
        resume: str | None,
        timeout: Limits,
    ) -> Batch: ...

@final
class Order:
    def __new__(cls, text: str) -> Order: ...
    @property
    def sign_id(self) -> str: ...
    @property
    def kind(self) -> str: ...
    def expires_in(self) -> float: ...
    def conversions(self) -> list[Row]: ...
    def to_json(self) -> str: ...

def extend(
    engine: Engine,
    document: Given,
    files: tuple[Sequence[Given], Sequence[Given] | None, Sequence[Given], Sequence[Given]],
    *,
    to: str | None,
    overwrite: bool,
    options: Sequence[tuple[str, str]],
    timeout: Limits,
) -> Call[tuple[str, bytes | None]]: ...
def pades_create(
    engine: Engine,
    order: _Properties,
    documents: Sequence[_GivenPades],
    results: Sequence[str] | None,
    *,
    visual_seals: bool,
    strict: bool,
    timeout: Limits,
) -> Call[Order]: ...
def sdo_create(
    engine: Engine,
    order: _Properties,
    documents: Sequence[_GivenSdo],
    results: Sequence[str] | None,
    *,
    timeout: Limits,
) -> Call[Order]: ...
def order_state(engine: Engine, kind: str, order: Order | str, *, timeout: Limits) -> Call[str]: ...
def order_wait(
    engine: Engine, kind: str, order: Order | str, until: Sequence[str], *, timeout: Limits
) -> Call[str]: ...
def order_download(
    engine: Engine,
    kind: str,
    order: Order | str,
    *,
    to: str | None,
    overwrite: bool,
    force: bool,
    originals: Sequence[Given],
    timeout: Limits,
) -> Call[DownloadRow]: ...
def order_discard(
    engine: Engine, kind: str, order: Order | str, *, timeout: Limits
) -> Call[DownloadRow]: ...
def order_recover(
    engine: Engine, kind: str, directory: str, *, timeout: Limits
) -> Call[list[RecoveryRow]]: ...
def order_states(kind: str) -> list[tuple[str, bool]]: ...
def recover(directory: str) -> list[RecoveryRow]: ...
def dismiss(journal: str | None, raw_answer: str | None) -> None: ...
def receptions() -> int: ...
def finish_receptions(patience: float | None) -> int: ...
def login_begin(
    engine: Engine,
    order: Order | str,
    redirect_uri: str,
    *,
    ui_locales: str | None,
    scopes: Sequence[str],
    response_mode: str | None,
    timeout: Limits,
) -> Call[tuple[str, str, str]]: ...
def login_check(
    engine: Engine, token: str, url: str | None, form: Sequence[tuple[str, str]] | None
) -> Call[tuple[str, str]]: ...
def login_finish(
    engine: Engine,
    token: str,
    url: str | None,
    form: Sequence[tuple[str, str]] | None,
    *,
    timeout: Limits,
) -> Call[tuple[str, str, dict[str, Any]]]: ...

@final
class CscSession: ...

def csc_info(engine: Engine, *, timeout: Limits) -> Call[tuple[Any, ...]]: ...
def csc_begin(
    engine: Engine, redirect_uri: str, *, lang: str | None, description: str | None
) -> Call[tuple[str, str]]: ...
def csc_finish(
    engine: Engine,
    token: str,
    url: str | None,
    form: Sequence[tuple[str, str]] | None,
    *,
    timeout: Limits,
) -> Call[CscSession]: ...
def csc_credential_info(
    engine: Engine, session: CscSession, credential_id: str, *, timeout: Limits
) -> Call[tuple[Any, ...]]: ...
def csc_credentials(
    engine: Engine, session: CscSession, *, timeout: Limits
) -> Call[list[tuple[Any, ...]]]: ...
def csc_sign_hashes(
    engine: Engine,
    session: CscSession,
    step: str,
    hashes: tuple[Any, ...] | None,
    *,
    timeout: Limits,
) -> Call[list[bytes]]: ...
def csc_sign_pdfs(
    engine: Engine,
    session: CscSession | None,
    pdfs: Sequence[tuple[Any, ...]],
    choice: tuple[str, str | None, str | None, str | None],
    *,
    timeout: Limits,
) -> Call[list[PdfRow]]: ...
def spec(number: int) -> dict[str, Any] | None: ...
def error_table() -> list[dict[str, Any]]: ...
def warning_table() -> list[tuple[str, str]]: ...
def options() -> list[tuple[str, bool, str, str]]: ...
def cli(arguments: Sequence[str]) -> int: ...
def verify(
    signed: Sequence[Given],
    *,
    original: Given | None,
    trust: Sequence[Given],
    timestamp_trust: Sequence[Given] | None,
    options: Sequence[tuple[str, str]],
) -> str: ...
def preflight(pdf: Given) -> str: ...
def report_html(
    report: str, *, title: str | None, fragment: bool, pictures: Sequence[Given]
) -> str: ...
def preview(pdf: Given, seals: Sequence[str]) -> str: ...
def preview_html(
    preview: str, *, title: str | None, fragment: bool, pictures: Sequence[Given]
) -> str: ...
def bundle(
    signed: Given,
    *,
    original: Given | None,
    evidence: Sequence[Given],
    trust: Sequence[Given],
    timestamp_trust: Sequence[Given] | None,
    to: str | None,
    options: Sequence[tuple[str, str]],
    timeout: Limits,
) -> Call[tuple[str, bytes | None, str | None, int, bool]]: ...
def provoke_defect() -> None: ...
