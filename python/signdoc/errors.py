"""Everything that can go wrong, as exception classes over one table.

Every error has a stable number (``code``), a ``name`` (the service's own word where it has one),
a ``message`` that says what happened and where, and ``advice`` that says what to do. The table
with all of them is in ``docs/errors.md``; ``signdoc explain`` prints a row of it.

    SignDocError
      ConfigError (also ValueError)      an option is missing or cannot be used
      InputError (also ValueError)       an argument or document cannot be used
      Cancelled                          the call was cancelled
      TransportError (also ConnectionError)
        RequestTimeout (also TimeoutError)
      ProtocolError                      an answer that cannot be right
      OutcomeUnknown                     the request left, and nobody knows what became of it
      AuthError
        OAuthError, LoginError, IdTokenError
      ServiceError                       the service refused or failed
        CscError                         with one class for each category of the specification
      ConversionError                    documents were not converted; see ``results``
      OrderError
        WindowExpired, OrderFailed, OrderCancelled, OrderNotFound, OrderNotReady
      VerificationError
      InternalError                      a defect of this library
"""

from __future__ import annotations

import copy
from typing import TYPE_CHECKING, Any, ClassVar, Self

from signdoc import _native
from signdoc.results import ConversionResults, from_rows, without_data

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from signdoc.orders import DownloadRow, Order, PadesDownload, SdoDownload
    from signdoc.results import Conversion, Row


class SignDocError(Exception):
    """The root of all errors of this package.

    Attributes:
        message: What happened, where, and the remedy.
        code: Number of the row in the error table, never used for anything else.
        name: The service's own code where it sent one, else the table's.
        origin: ``"local"`` when this library found the problem, ``"service"`` when it was told.
        category: Category of the row, as the specification groups them.
        advice: What to do next.
        http_status: Status of the answer, when there was one.
        reference: The service's reference of this occurrence, to be quoted to support.
        retryable: Whether the same call may succeed when it is repeated later.
        retry_after: Seconds the service asked to wait before that.
        details: Machine-readable facts, such as ``field``, ``limit``, ``actual``, ``path``.
        results: What is known of each document of a conversion, in order.
        download: What arrived whole of a download that failed: its files, or its bytes where they
            went to memory.
        order: The order that exists although the call failed, as where ``strict`` was asked for and
            a document was not converted.
        raw_answer: The service's answer to a download to memory as it came, where not everything
            that was asked for could be taken out of it. The order is deleted, so this is the only
            copy; after a download into a folder it lies there, as ``details["raw_answer"]`` says.
    """

    default_code: ClassVar[int] = 900

    message: str
    code: int
    name: str
    origin: str
    category: str
    advice: str
    http_status: int | None
    reference: str | None
    retryable: bool
    retry_after: float | None
    details: dict[str, Any]
    results: ConversionResults
    download: PadesDownload | SdoDownload | None
    order: Order | None
    raw_answer: bytes | None

    def __init__(
        self,
        message: str = "",
        *,
        code: int | None = None,
        name: str | None = None,
        advice: str | None = None,
        origin: str = "local",
        http_status: int | None = None,
        reference: str | None = None,
        retryable: bool | None = None,
        retry_after: float | None = None,
        details: Mapping[str, Any] | None = None,
        results: Iterable[Conversion] = (),
        download: PadesDownload | SdoDownload | None = None,
        order: Order | None = None,
        raw_answer: bytes | None = None,
    ) -> None:
        self.code = self.default_code if code is None else code
        row = _native.spec(self.code) or _native.spec(SignDocError.default_code) or {}
        self.message = message or row["summary"]
        super().__init__(self.message)
        self.name = name or row["name"]
        self.origin = origin
        self.category = row["category"]
        self.advice = row["advice"] if advice is None else advice
        self.http_status = http_status
        self.reference = reference
        self.retryable = row["retryable"] if retryable is None else retryable
        self.retry_after = retry_after
        self.details = dict(details or {})
        self.results = ConversionResults(results)
        self.download = download
        self.order = order
        self.raw_answer = raw_answer
        self.add_note(f"advice: {self.advice} (signdoc explain {self.code})")

    def __str__(self) -> str:
        if self.reference is None:
            return self.message
        return f"{self.message} (reference {self.reference})"

    def __reduce__(self) -> tuple[Any, ...]:
        # An error ends up in logs and result stores, where documents do not belong; but a raw
        # answer is the only copy there is, and comes along.
        download = None if self.download is None else self.download.without_data()
        state = {**self.__dict__, "results": without_data(self.results), "download": download}
        if self.details.get("raw_answer_holds_secrets"):
            # Somebody repeated the request's credentials in it.
            state["raw_answer"] = None
        return _rebuilt, (type(self), self.args), state

    def __copy__(self) -> Self:
        twin: Self = _rebuilt(type(self), self.args)
        twin.__dict__.update(self.__dict__)
        return twin

    def __deepcopy__(self, memo: dict[int, Any]) -> Self:
        twin: Self = _rebuilt(type(self), self.args)
        twin.__dict__.update(copy.deepcopy(self.__dict__, memo))
        return twin


class ConfigError(SignDocError, ValueError):
    """An option is missing, unknown, or has a value that cannot be used."""

    default_code = 3


class InputError(SignDocError, ValueError):
    """An argument or a document cannot be used; nothing was sent."""

    default_code = 1


class Cancelled(SignDocError):
    """The call was cancelled before it ended."""

    default_code = 14


class TransportError(SignDocError, ConnectionError):
    """The service could not be reached, or the connection was lost."""

    default_code = 108


class RequestTimeout(TransportError, TimeoutError):
    """The call took longer than it was allowed to."""

    default_code = 105


class ProtocolError(SignDocError):
    """An answer that cannot be right; what arrived whole is in ``results``."""

    default_code = 201


class OutcomeUnknown(SignDocError):
    """A request left, no answer came, and nobody knows what became of it."""

    default_code = 107


class AuthError(SignDocError):
    """Who you are, or what you may do, was not accepted."""

    default_code = 308


class OAuthError(AuthError):
    """The token endpoint refused (RFC 6749 section 5.2)."""

    default_code = 308


class LoginError(AuthError):
    """The end user's redirect ended in an error, or its answer does not belong to the request."""

    default_code = 406


class IdTokenError(AuthError):
    """An ID token did not pass its checks (OpenID Connect Core 1.0 section 3.1.3.7)."""

    default_code = 453


class ServiceError(SignDocError):
    """The service refused the request or failed."""

    default_code = 215


class CscError(ServiceError):
    """An error of the credential-based signing interface (CSC)."""

    default_code = 728


class CscRequestError(CscError):
    """Category Request Validation: fix the request."""

    default_code = 700


class CscTokenError(CscError):
    """Category Token Lifecycle: start a new session with a fresh token."""

    default_code = 708


class CscAuthenticationError(CscError):
    """Category Authentication: use the right token and authentication data."""

    default_code = 709


class CscAuthorizationError(CscError):
    """Category Authorization: use a token with the required scope."""

    default_code = 711


class CscCredentialError(CscError):
    """Category Credential: check the credential and its status."""

    default_code = 712


class CscSigningError(CscError):
    """Category Signing."""

    default_code = 719


class CscSigningBackendError(CscError):
    """Category Signing Backend."""

    default_code = 718


class CscServiceError(CscError):
    """Category Service: try again after a short delay."""

    default_code = 726


class CscInternalError(CscError):
    """Category Internal."""

    default_code = 727


class ConversionError(SignDocError):
    """Documents were not converted; ``results`` has all documents of the call, in order."""

    default_code = 500


class OrderError(SignDocError):
    """A signing order cannot do what was asked."""

    default_code = 605


class WindowExpired(OrderError):
    """The time in which the order could be used is over."""

    default_code = 600


class OrderFailed(OrderError):
    """Signing failed."""

    default_code = 601


class OrderCancelled(OrderError):
    """The end user cancelled."""

    default_code = 602


class OrderNotFound(OrderError):
    """The service does not know the order, or no longer."""

    default_code = 603


class OrderNotReady(OrderError):
    """The order is not signed yet."""

    default_code = 604


class VerificationError(SignDocError):
    """A signed document did not pass its checks."""

    default_code = 800


class InternalError(SignDocError):
    """A defect of this library; please report it with the message."""

    default_code = 900


def _rebuilt(cls: type[BaseException], args: tuple[Any, ...]) -> Any:
    """An exception as it is before its attributes are put back, whatever its constructor takes."""
    error = cls.__new__(cls)
    error.args = args
    return error


def _from_native(
    class_name: str,
    message: str,
    fields: dict[str, Any],
    rows: list[Row],
    download: DownloadRow | None = None,
    order: _native.Order | None = None,
    raw_answer: bytes | None = None,
) -> SignDocError:
    cls = globals().get(class_name, SignDocError)
    error: SignDocError = cls(message, results=from_rows(rows), raw_answer=raw_answer, **fields)
    if download is not None or order is not None:
        from signdoc.orders import from_download, from_order

        error.download = None if download is None else from_download(download)
        error.order = None if order is None else from_order(order)
    return error
