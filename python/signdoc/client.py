"""The client of the service, for code that waits."""

from __future__ import annotations

from typing import TYPE_CHECKING, Self

from signdoc import _operations
from signdoc._base import Answer, ClientBase
from signdoc._documents import Document, given
from signdoc._groups import Logins, Pades, Sdo
from signdoc._log import log
from signdoc._operations import Progress
from signdoc.results import from_row

if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Iterable, Iterator
    from types import TracebackType

    from signdoc._csc import Csc
    from signdoc._documents import Given
    from signdoc._native import Batch
    from signdoc._options import Seconds, StrPath, Timeout
    from signdoc.results import Conversion, ConversionResults

__all__ = ["Answer", "Client", "Progress"]


class Client(ClientBase):
    """A client of the service. Threads may share it, and it works on in a forked child.

    Nothing is sent until the first call. Every option but the last can also come from the
    environment, see `from_env`.

    Args:
        issuer: Address of the identity provider.
        client_id: The merchant's client identifier.
        client_secret: The merchant's client secret.
        client_auth: ``"client_secret_basic"`` (default), ``"client_secret_post"`` or
            ``"private_key_jwt"`` (default where there is a private key and no secret).
        private_key: The merchant's private key for ``"private_key_jwt"``: the text of a PEM file
            or JWK, or the path of such a file.
        key_id: The key's identifier, as it is registered; default: the JWK's own.
        client_auth_alg: ``"RS256"`` or ``"ES256"``; default: what the key is for.
        base_url: Address of the conversion (the specification's ``{base_url}``); default: what the
            identity provider publishes.
        orders_url: Address of the order endpoints; default: what the identity provider publishes
            as ``signdoc-baseurl``, else ``base_url``.
        scope: Scope of the access token; default ``"signdoc/read_write"``.
        csc_url: Address of the credential-based signing interface, with its path; no default.
        csc_scope: Scope of the token that opens a CSC session; default ``"esign/csc"``.
        tsa_url: Address of a timestamp authority (RFC 3161) for signed PDFs; no default.
        state_key: Text that saved logins are sealed with, at least 16 characters; default: the
            client secret.
        login_lifetime: Seconds for which a saved login may be finished; default 3600.
        timeout: Seconds a call may take in all, with its repetitions; default 300.
        connect_timeout: Seconds to wait for a connection; default 10.
        read_timeout: Seconds of silence on a connection before a call fails; default 120.
        reception_timeout: Seconds of silence that end the reception of an order's results, which no
            other limit ends; default: ``read_timeout``, and at least 120.
        fallback_folder: Folder for results of orders that their own folder has no room for, and for
            those nobody waits for any more; default: the system's folder for temporary files.
        max_retries: How often a call that may be repeated is repeated, 0 to 10; default 2.
        max_answer_size: The largest answer accepted, in bytes; default 512 MiB.
        ca_file: PEM file with certificates to trust besides the system's.
        ca_only: Trust the certificates of ``ca_file`` alone.
        client_cert: PEM file with the client's certificate chain and private key (mutual TLS).
        proxy: Address of an HTTP proxy; default: HTTPS_PROXY and HTTP_PROXY.
        no_proxy: Hosts to be reached without it, comma separated; default: NO_PROXY.
        user_agent: Text that is put before this library's own product name.
        pickle_secrets: Whether secrets go along when the client is pickled. Without them, the
            process that unpickles it takes them from its environment on first use.

    Raises:
        ConfigError: An option is missing or cannot be used.
    """

    def convert(
        self,
        documents: Iterable[Document],
        *,
        to: StrPath | None = None,
        strict: bool = True,
        overwrite: bool = False,
        allow_signed: bool = False,
        pdf_spec: str = "PDFA_2B",
        timeout: Seconds | Timeout | None = None,
        progress: Callable[[Progress], object] | None = None,
    ) -> ConversionResults:
        """Converts 1 to 15 PDFs to PDF/A-2B.

        Args:
            documents: Paths, bytes, or files open in binary mode; each at most 3,750,000 bytes
                (5,000,000 characters of base64).
            to: Folder the results are written to, made when it is missing. Files are called after
                their inputs, appear complete or not at all, and have mode 0600. Without it the
                results hold the PDFs as bytes.
            strict: Raise when a document was not converted. The others are written all the same.
            overwrite: Replace files that exist.
            allow_signed: Convert PDFs that are signed; their signatures are lost. Deprecated by
                the specification.
            pdf_spec: What to convert to; ``"PDFA_2B"`` is all that the specification has.
            timeout: Seconds this call may take in all, or a `Timeout`; default: the client's.
            progress: Called with a `Progress` now and then, by the calling thread. An exception it
                raises ends the call.

        Returns:
            One `Conversion` for each document, in order.

        Raises:
            InputError: A document cannot be sent, or a result cannot be written where it belongs;
                nothing was sent.
            ConversionError: Documents were not converted, see ``results``.
            TransportError, ProtocolError, ServiceError, OAuthError: The call failed.
        """
        operation = _operations.convert(
            self._engine,
            documents,
            to=to,
            strict=strict,
            overwrite=overwrite,
            allow_signed=allow_signed,
            pdf_spec=pdf_spec,
            timeout=timeout,
            progress=progress,
        )
        return operation.wait(log())

    def convert_many(
        self,
        documents: Iterable[Document],
        *,
        concurrency: int = 4,
        to: StrPath | None = None,
        overwrite: bool = False,
        allow_signed: bool = False,
        pdf_spec: str = "PDFA_2B",
        resume: StrPath | None = None,
        timeout: Seconds | Timeout | None = None,
    ) -> Generator[Conversion]:
        """Converts any number of PDFs, in calls of up to fifteen.

        Each document gets exactly one result, as soon as it is known: with ``errors`` when the
        service refused it, with ``failure`` when it could not be sent or its call failed. Documents
        are taken from the iterable as there is room for them. Closing the generator ends the calls
        under way.

        Args:
            documents: Paths, bytes, or files open in binary mode, as for `convert`.
            concurrency: Calls under way at the same time, 1 to 64.
            to: Folder the results are written to; without it the results hold the PDFs.
            overwrite: Replace files that exist.
            allow_signed: Convert PDFs that are signed; deprecated by the specification.
            pdf_spec: What to convert to, as for `convert`.
            resume: File that remembers what is done; documents it names are not sent again. Needs
                ``to``.
            timeout: Seconds each call may take, or a `Timeout`; default: the client's.

        Returns:
            A generator of `Conversion`; ``index`` tells which document it belongs to.

        Raises:
            InputError: An argument cannot be used, or something in ``documents`` is no document.
        """
        pulled = given(documents)
        batch = _operations.convert_many(
            self._engine,
            concurrency=concurrency,
            to=to,
            overwrite=overwrite,
            allow_signed=allow_signed,
            pdf_spec=pdf_spec,
            resume=resume,
            timeout=timeout,
        )
        return _drained(batch, pulled)

    def conversion_specs(self, *, timeout: Seconds | Timeout | None = None) -> list[str]:
        """The conversions the service supports; ``PDFA_2B`` is the one the specification knows.

        Raises:
            TransportError, ProtocolError, ServiceError, OAuthError: The call failed.
        """
        return _operations.conversion_specs(self._engine, timeout=timeout).wait(log())

    @property
    def pades(self) -> Pades:
        """PAdES orders: PDFs signed for long-term validation. Outdated, says the specification."""
        return Pades(self)

    @property
    def sdo(self) -> Sdo:
        """SEID-SDO orders: signed data objects. Deprecated, says the specification."""
        return Sdo(self)

    @property
    def login(self) -> Logins:
        """Logins of end users who come to sign."""
        return Logins(self)

    @property
    def csc(self) -> Csc:
        """The credential-based signing interface at the option ``csc_url``."""
        from signdoc._csc import Csc

        return Csc(self)

    def close(self) -> None:
        """Refuses further calls; calls under way in other threads end as they would have."""
        self._close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        exc_type: type[BaseException] | None,
        exc: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self.close()


def _drained(batch: Batch, documents: Iterator[Given]) -> Generator[Conversion]:
    try:
        while True:
            what, row = batch.step(wait=True, log=log())
            if row is not None:
                yield from_row(row)
            elif what == "wants":
                batch.give(next(documents, None))
            else:
                return
    finally:
        batch.cancel()
