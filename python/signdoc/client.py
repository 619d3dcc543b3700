"""The client of the service."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any, Self

from signdoc import _native
from signdoc._documents import Document, given
from signdoc._log import log
from signdoc._options import Seconds, StrPath, seconds, texts
from signdoc._record import Record
from signdoc.errors import InputError
from signdoc.results import ConversionResults, from_row, from_rows

if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Iterable, Iterator
    from types import TracebackType
    from typing import Unpack

    from signdoc._documents import Given
    from signdoc._keywords import ClientOptions
    from signdoc._native import Batch, Engine
    from signdoc.results import Conversion

CLIENT_CLOSED = 15


class Progress(Record):
    """How far a call is.

    Attributes:
        sent: Bytes of the request sent so far; starts again when the request is repeated.
        to_send: Bytes of the request in all; zero until it starts.
        received: Bytes of the answer received so far.
    """

    __slots__ = ("sent", "to_send", "received")
    sent: int
    to_send: int
    received: int

    def __init__(self, sent: int, to_send: int, received: int) -> None:
        self._fill(sent, to_send, received)

    @property
    def fraction_sent(self) -> float:
        """How much of the request is sent, from 0 to 1."""
        return self.sent / self.to_send if self.to_send else 0.0


class Answer(Record):
    """An answer as it came.

    Attributes:
        status: HTTP status.
        headers: The headers that can be shown, by lower-case name.
        body: The text of an error; ``None`` for answers that carry documents or tokens.
    """

    __slots__ = ("status", "headers", "body")
    status: int
    headers: list[tuple[str, str]]
    body: str | None

    def __init__(self, status: int, headers: list[tuple[str, str]], body: str | None) -> None:
        self._fill(status, headers, body)


class Client:
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
        base_url: Address of the service; default: what the identity provider publishes.
        orders_url: Address of the order endpoints; default: ``base_url``.
        scope: Scope of the access token; default ``"signdoc/read_write"``.
        state_key: Text that saved logins are sealed with; default: the client secret.
        timeout: Seconds a call may take in all, with its repetitions; default 300.
        connect_timeout: Seconds to wait for a connection; default 10.
        read_timeout: Seconds of silence on a connection before a call fails; default 120.
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

    def __init__(
        self,
        *,
        issuer: str,
        client_id: str,
        client_secret: str | None = None,
        client_auth: str | None = None,
        private_key: StrPath | None = None,
        key_id: str | None = None,
        client_auth_alg: str | None = None,
        base_url: str | None = None,
        orders_url: str | None = None,
        scope: str | None = None,
        state_key: str | None = None,
        timeout: Seconds | None = None,
        connect_timeout: Seconds | None = None,
        read_timeout: Seconds | None = None,
        max_retries: int | None = None,
        max_answer_size: int | None = None,
        ca_file: StrPath | None = None,
        ca_only: bool | None = None,
        client_cert: StrPath | None = None,
        proxy: str | None = None,
        no_proxy: str | None = None,
        user_agent: str | None = None,
        pickle_secrets: bool = False,
    ) -> None:
        options: ClientOptions = {
            "issuer": issuer,
            "client_id": client_id,
            "client_secret": client_secret,
            "client_auth": client_auth,
            "private_key": private_key,
            "key_id": key_id,
            "client_auth_alg": client_auth_alg,
            "base_url": base_url,
            "orders_url": orders_url,
            "scope": scope,
            "state_key": state_key,
            "timeout": timeout,
            "connect_timeout": connect_timeout,
            "read_timeout": read_timeout,
            "max_retries": max_retries,
            "max_answer_size": max_answer_size,
            "ca_file": ca_file,
            "ca_only": ca_only,
            "client_cert": client_cert,
            "proxy": proxy,
            "no_proxy": no_proxy,
            "user_agent": user_agent,
        }
        self._become(_native.Engine(texts(dict(options))), pickle_secrets=pickle_secrets)

    def _become(self, engine: Engine, *, pickle_secrets: bool) -> None:
        self._pickle_secrets = pickle_secrets
        self._offset = 0.0
        self._closed = False
        self._made: Engine | None = engine
        # What an unpickled client is made of on first use: options, and secrets still to be found.
        self._recipe: tuple[dict[str, str], list[str]] = ({}, [])

    @classmethod
    def from_env(cls, *, pickle_secrets: bool = False, **options: Unpack[ClientOptions]) -> Self:
        """A client from ``SIGNDOC_ISSUER``, ``SIGNDOC_CLIENT_ID``, ``SIGNDOC_CLIENT_SECRET`` ...

        A secret may also stand in a file: ``SIGNDOC_CLIENT_SECRET_FILE`` names it. Options that
        are given here go before the environment.

        Raises:
            ConfigError: An option is missing or cannot be used.
        """
        client = cls.__new__(cls)
        engine = _native.Engine(texts(dict(options)), environment=True)
        client._become(engine, pickle_secrets=pickle_secrets)
        return client

    @property
    def _engine(self) -> Engine:
        if self._made is None:
            if self._closed:
                raise InputError("the client is closed; make a new one", code=CLIENT_CLOSED)
            options, missing = self._recipe
            engine = _native.Engine(options, missing=missing)
            engine.set_clock_offset(self._offset)
            self._made = engine
        return self._made

    def convert(
        self,
        documents: Iterable[Document],
        *,
        to: StrPath | None = None,
        strict: bool = True,
        overwrite: bool = False,
        allow_signed: bool = False,
        timeout: Seconds | None = None,
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
            timeout: Seconds this call may take in all; default: the client's.
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
        if allow_signed:
            _warn_of_allow_signed()
        rows = self._engine.convert(
            list(given(documents)),
            to=None if to is None else os.fsdecode(to),
            strict=strict,
            overwrite=overwrite,
            allow_signed=allow_signed,
            timeout=seconds(timeout),
            progress=None if progress is None else lambda *counts: progress(Progress(*counts)),
            log=log(),
        )
        return from_rows(rows)

    def convert_many(
        self,
        documents: Iterable[Document],
        *,
        concurrency: int = 4,
        to: StrPath | None = None,
        overwrite: bool = False,
        allow_signed: bool = False,
        resume: StrPath | None = None,
        timeout: Seconds | None = None,
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
            resume: File that remembers what is done; documents it names are not sent again. Needs
                ``to``.
            timeout: Seconds each call may take; default: the client's.

        Returns:
            A generator of `Conversion`; ``index`` tells which document it belongs to.

        Raises:
            InputError: An argument cannot be used, or something in ``documents`` is no document.
        """
        if allow_signed:
            _warn_of_allow_signed()
        pulled = given(documents)
        batch = self._engine.batch(
            to=None if to is None else os.fsdecode(to),
            overwrite=overwrite,
            allow_signed=allow_signed,
            concurrency=concurrency,
            resume=None if resume is None else os.fsdecode(resume),
            timeout=seconds(timeout),
        )
        return _drained(batch, pulled)

    def conversion_specs(self, *, timeout: Seconds | None = None) -> list[str]:
        """The conversions the service supports; ``PDFA_2B`` is the one the specification knows.

        Raises:
            TransportError, ProtocolError, ServiceError, OAuthError: The call failed.
        """
        return self._engine.conversion_specs(timeout=seconds(timeout), log=log())

    @property
    def last_answer(self) -> Answer | None:
        """The last answer of the call that ended last, token requests included; for support."""
        answer = None if self._made is None else self._made.last_answer()
        return None if answer is None else Answer(*answer)

    def close(self) -> None:
        """Refuses further calls; calls under way in other threads end as they would have."""
        self._closed = True
        if self._made is not None:
            self._made.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        exc_type: type[BaseException] | None,
        exc: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self.close()

    def __repr__(self) -> str:
        options = self._recipe[0] if self._made is None else self._made.options()
        state = ", closed" if self._closed else ""
        issuer, client_id = options["issuer"], options["client_id"]
        return f"<{type(self).__name__} {client_id!r} at {issuer}{state}>"

    def _set_clock_offset(self, offset: float) -> None:
        self._offset = offset
        if self._made is not None:
            self._made.set_clock_offset(offset)

    # Copies share what they are copies of, as clones do; a pickle has to leave secrets behind.
    def __copy__(self) -> Self:
        return self

    def __deepcopy__(self, memo: dict[int, Any]) -> Self:
        return self

    def __getstate__(self) -> dict[str, Any]:
        if self._made is None:
            options, missing = self._recipe
        else:
            options = self._made.options(self._pickle_secrets)
            missing = [key for key in self._made.secrets() if key not in options]
        return {
            "options": options,
            "missing": missing,
            "pickle_secrets": self._pickle_secrets,
            "offset": self._offset,
        }

    def __setstate__(self, state: dict[str, Any]) -> None:
        self._recipe = (state["options"], state["missing"])
        self._pickle_secrets = state["pickle_secrets"]
        self._offset = state["offset"]
        self._closed = False
        self._made = None
        if not state["missing"]:
            # Secrets that came along belong into the native module, where nothing shows them.
            self._made, self._recipe = self._engine, ({}, [])


def _warn_of_allow_signed() -> None:
    import warnings

    warnings.warn(
        "allow_signed is deprecated by the service: the conversion removes the signatures",
        DeprecationWarning,
        stacklevel=3,
    )


def _drained(batch: Batch, documents: Iterator[Given]) -> Generator[Conversion]:
    def pull() -> Given | None:
        return next(documents, None)

    try:
        while (row := batch.next(pull, log=log())) is not None:
            yield from_row(row)
    finally:
        batch.cancel()
