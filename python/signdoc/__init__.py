"""Client for a document-signing and PDF-conversion service.

    with signdoc.Client.from_env() as client:
        for result in client.convert(["loan.pdf", "terms.pdf"], to="converted/"):
            print(result.converted, result.warnings, result.path)

`Client` is where to begin, or `AsyncClient` where an event loop runs; `Sandbox` is the whole
service on this machine, to try and to test against; `verify` tells whether a signed file is what
was sent; `SignDocError` is the root of all errors.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from signdoc._base import Answer
from signdoc._native import VERSION as __version__  # noqa: N811
from signdoc._operations import Progress
from signdoc._options import Timeout
from signdoc._receptions import finish_downloads
from signdoc.client import Client
from signdoc.errors import (
    AuthError,
    Cancelled,
    ConfigError,
    ConversionError,
    CscAuthenticationError,
    CscAuthorizationError,
    CscCredentialError,
    CscError,
    CscInternalError,
    CscRequestError,
    CscServiceError,
    CscSigningBackendError,
    CscSigningError,
    CscTokenError,
    IdTokenError,
    InputError,
    InternalError,
    LoginError,
    OAuthError,
    OrderCancelled,
    OrderError,
    OrderFailed,
    OrderNotFound,
    OrderNotReady,
    OutcomeUnknown,
    ProtocolError,
    RequestTimeout,
    ServiceError,
    SignDocError,
    TransportError,
    VerificationError,
    WindowExpired,
)
from signdoc.logins import Identity, Login
from signdoc.orders import (
    Order,
    PadesDocument,
    PadesDownload,
    PadesSigned,
    PadesState,
    Recovery,
    SdoDocument,
    SdoDownload,
    SdoSigned,
    SdoState,
    Seal,
    recover,
)
from signdoc.results import (
    Conversion,
    ConversionFault,
    ConversionResults,
    ConversionWarning,
    FaultCode,
    WarningCode,
)

if TYPE_CHECKING:
    from signdoc import web
    from signdoc.aio import AsyncClient
    from signdoc.bundles import Bundle, bundle
    from signdoc.csc import PdfSeal, PdfToSign
    from signdoc.extension import Extended, extend
    from signdoc.previews import Preview, preview
    from signdoc.sandbox import Sandbox
    from signdoc.verification import Check, Finding, Findings, Report, preflight, verify

__all__ = [
    "Answer",
    "AsyncClient",
    "AuthError",
    "Bundle",
    "Cancelled",
    "Check",
    "Client",
    "ConfigError",
    "Conversion",
    "ConversionError",
    "ConversionFault",
    "ConversionResults",
    "ConversionWarning",
    "CscAuthenticationError",
    "CscAuthorizationError",
    "CscCredentialError",
    "CscError",
    "CscInternalError",
    "CscRequestError",
    "CscServiceError",
    "CscSigningBackendError",
    "CscSigningError",
    "CscTokenError",
    "Extended",
    "FaultCode",
    "Finding",
    "Findings",
    "IdTokenError",
    "Identity",
    "InputError",
    "InternalError",
    "Login",
    "LoginError",
    "OAuthError",
    "Order",
    "OrderCancelled",
    "OrderError",
    "OrderFailed",
    "OrderNotFound",
    "OrderNotReady",
    "OutcomeUnknown",
    "PadesDocument",
    "PadesDownload",
    "PadesSigned",
    "PadesState",
    "PdfSeal",
    "PdfToSign",
    "Preview",
    "Progress",
    "ProtocolError",
    "Recovery",
    "Report",
    "RequestTimeout",
    "Sandbox",
    "SdoDocument",
    "SdoDownload",
    "SdoSigned",
    "SdoState",
    "Seal",
    "ServiceError",
    "SignDocError",
    "Timeout",
    "TransportError",
    "VerificationError",
    "WarningCode",
    "WindowExpired",
    "__version__",
    "bundle",
    "extend",
    "finish_downloads",
    "preflight",
    "preview",
    "recover",
    "verify",
    "web",
]


# These need modules that take longer to import than all the rest.
_LATER = {
    "AsyncClient": "aio",
    "Bundle": "bundles",
    "Check": "verification",
    "Extended": "extension",
    "Finding": "verification",
    "Findings": "verification",
    "PdfSeal": "csc",
    "PdfToSign": "csc",
    "Preview": "previews",
    "Report": "verification",
    "Sandbox": "sandbox",
    "bundle": "bundles",
    "extend": "extension",
    "preflight": "verification",
    "preview": "previews",
    "verify": "verification",
}


def __getattr__(name: str) -> Any:
    from importlib import import_module

    if name == "web":
        return import_module("signdoc.web")
    if name in _LATER:
        return getattr(import_module(f"signdoc.{_LATER[name]}"), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
