"""The groups of `Client`: orders of both kinds, and logins."""

from __future__ import annotations

from typing import TYPE_CHECKING, Generic

from signdoc import _order_operations as operations
from signdoc._log import log
from signdoc._order_operations import D, S
from signdoc.orders import PadesDownload, PadesState, SdoDownload, SdoState

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from signdoc._base import ClientBase
    from signdoc._documents import Document
    from signdoc._forms import Callback
    from signdoc._operations import Progress
    from signdoc._options import Seconds, StrPath, Timeout
    from signdoc.logins import Identity, Login
    from signdoc.orders import Order, PadesDocument, Recovery, SdoDocument


class _Group:
    def __init__(self, client: ClientBase) -> None:
        self._client = client


class _Orders(_Group, Generic[S, D]):
    _kind: operations.Kind[S, D]

    def state(self, order: Order | str, *, timeout: Seconds | Timeout | None = None) -> S:
        """The order's state.

        Args:
            order: The order, or its ``sign_id``.
            timeout: Seconds this call may take in all, or a `Timeout`; default: the client's.

        Raises:
            OrderNotFound: The service does not know the order, or no longer.
            WindowExpired: The order itself is given, and its time has run out.
            TransportError, ProtocolError, ServiceError, OAuthError: The call failed.
        """
        engine = self._client._engine
        return operations.state(engine, self._kind, order, timeout=timeout).wait(log())

    def wait(
        self,
        order: Order | str,
        *,
        until: str | Iterable[str] | None = None,
        timeout: Seconds | Timeout | None = None,
        on_state: Callable[[S], object] | None = None,
    ) -> S:
        """Asks for the state until it is one of ``until``, or final.

        It asks every second at first, every five seconds later, and no sooner than the service
        asks for.

        Args:
            order: The order, or its ``sign_id``.
            until: The state or states to wait for; default: any final one.
            timeout: Seconds this may take in all, or a `Timeout`; default: the order's whole life
                (90 s, the signing time, 90 s).
            on_state: Called with every new state, by the calling thread. An exception it raises
                ends the wait.

        Raises:
            OrderFailed, OrderCancelled: The order ended so, and other states were waited for.
            WindowExpired: The order vanished before its end.
            RequestTimeout: The time is over; ``details["order_state"]`` is what was seen last.
            OrderNotFound: The service does not know the order.
        """
        operation = operations.wait(
            self._client._engine,
            self._kind,
            order,
            until=until,
            timeout=timeout,
            on_state=on_state,
        )
        return operation.wait(log())

    def download(
        self,
        order: Order | str,
        *,
        to: StrPath | None = None,
        overwrite: bool = False,
        force: bool = False,
        originals: Iterable[Document] = (),
        timeout: Seconds | Timeout | None = None,
        progress: Callable[[Progress], object] | None = None,
    ) -> D:
        """Downloads the results, which deletes the order: they can be had only once.

        Within 90 seconds after the signing. The request is sent once; a second time only after the
        service itself refused the token and told that the order is still there.

        The state is asked for first, for a few seconds at most. Once the request has left, nothing
        ends the reception but silence (the option ``reception_timeout``) and a cap on its size: a
        time limit, a cancelled task or Ctrl-C end the waiting alone, with a note that says where
        the results come. A process that ends waits for them, see `finish_downloads`.

        Args:
            order: The order, or its ``sign_id``. With the order itself, or with ``originals``,
                digests are compared with what was sent.
            to: Folder the results are written to, made when it is missing. Nothing that arrived in
                it can be lost, not by a crash either, see `recover`. Without it the results are in
                memory, which cannot promise that: what was not handed over when the process is
                killed is gone.
            overwrite: Replace files that exist.
            force: Download, and so end, an order that is not final.
            originals: The documents that were sent, in their order, where the order itself is not
                at hand and they were not converted.
            timeout: Seconds this call may take in all, or a `Timeout`; default: the client's.
            progress: Called with a `Progress` now and then, by the calling thread.

        Raises:
            OrderNotReady, OrderFailed, OrderCancelled, OrderNotFound, InputError: Nothing was
                deleted.
            OutcomeUnknown: The time is over (``reception_continues``: the results come into the
                folder that ``details["reception"]`` names), or the answer was lost:
                ``error.download`` has what arrived whole; ``details`` tell ``order_state``,
                ``ask_again``, ``window_seconds``, and how many documents arrived whole
                (``documents_arrived``) or not (``documents_in_part``).
            ProtocolError: A result that was asked for did not come, or cannot be right;
                ``error.download`` has what did. The service's answer is kept: in the folder, for
                `recover`, or as ``error.raw_answer``.
            OrderError: The service handed out nothing.
        """
        operation = operations.download(
            self._client._engine,
            self._kind,
            order,
            to=to,
            overwrite=overwrite,
            force=force,
            originals=originals,
            timeout=timeout,
            progress=progress,
        )
        return operation.wait(log())

    def recover(
        self, directory: StrPath, *, timeout: Seconds | Timeout | None = None
    ) -> list[Recovery[D]]:
        """Lists and finishes the downloads into ``directory`` that a crash interrupted.

        Every document that had arrived whole is in the folder afterwards; the service is asked
        about what is not complete. Calling it again is safe.

        Raises:
            SignDocError: The folder cannot be read. Trouble with one download is told in its own
                `Recovery`.
        """
        engine = self._client._engine
        return operations.recover(engine, self._kind, directory, timeout=timeout).wait(log())

    def discard(self, order: Order | str, *, timeout: Seconds | Timeout | None = None) -> D:
        """Ends an order on purpose, in whatever state it is.

        Returns:
            The service's last answer about it: its state, and results in memory where there were
            some. What it does not tell is ``None``.

        Raises:
            OrderNotFound: The service does not know the order, or no longer.
            OutcomeUnknown: It is not known whether the order is gone.
            TransportError, ServiceError, OAuthError: The call failed.
        """
        engine = self._client._engine
        return operations.discard(engine, self._kind, order, timeout=timeout).wait(log())


class Pades(_Orders[PadesState, PadesDownload]):
    """PAdES orders: PDFs signed for long-term validation.

    The specification marks this interface as outdated and scheduled for removal; a newer signing
    solution replaces it.
    """

    _kind = operations.PADES

    def create(
        self,
        name: str,
        documents: Iterable[PadesDocument],
        *,
        results: Iterable[str] | None = None,
        display_mode: str | None = None,
        show_confirmation: bool | None = None,
        show_understanding: bool | None = None,
        timeout_seconds: int | None = None,
        visual_seals: bool = False,
        strict: bool = False,
        timeout: Seconds | Timeout | None = None,
        progress: Callable[[Progress], object] | None = None,
    ) -> Order:
        """Creates an order. The end user must come to sign within 90 seconds.

        Args:
            name: Name of the order; returned in the download.
            documents: What is to be signed, at least one `PadesDocument`.
            results: What is handed out: ``"padesSignedPdf"``, ``"padesAppendix"``,
                ``"documentHash"``; default: the first and the last.
            display_mode: ``"interior"``, ``"window"`` or ``"overlay"``; default: the service's.
            show_confirmation: Whether the user is shown that the signing is completed.
            show_understanding: Whether the user confirms that the content is understood.
            timeout_seconds: Seconds the user may take to sign, above 0; the service's default is
                1800.
            visual_seals: Whether visual seals are added.
            strict: Whether a document with ``pdf_spec`` that was not converted is an error although
                the order exists: ``error.order`` is the order.
            timeout: Seconds this call may take in all, or a `Timeout`; default: the client's.
            progress: Called with a `Progress` now and then, by the calling thread.

        Returns:
            The order; where a document has a ``pdf_spec``, ``conversions[i]`` is document i's. It
            may not have been converted, as in the testing environment.

        Raises:
            InputError: Something cannot be sent; nothing was.
            ConversionError: A document with ``pdf_spec`` was not converted, and the service made no
                order; or ``strict`` is set, and ``error.order`` is the order.
            OrderError: The service refused the order.
            TransportError, ProtocolError, ServiceError, OAuthError: The call failed. Where an order
                may have been created, ``details`` have ``order_may_exist``.
        """
        operation = operations.create_pades(
            self._client._engine,
            name,
            documents,
            results=results,
            display_mode=display_mode,
            show_confirmation=show_confirmation,
            show_understanding=show_understanding,
            timeout_seconds=timeout_seconds,
            visual_seals=visual_seals,
            strict=strict,
            timeout=timeout,
            progress=progress,
        )
        return operation.wait(log())


class Sdo(_Orders[SdoState, SdoDownload]):
    """SEID-SDO orders: signed data objects for PDFs, texts and XML.

    The specification marks this interface as deprecated; the newer signing solution has no
    equivalent.
    """

    _kind = operations.SDO

    def create(
        self,
        name: str,
        documents: Iterable[SdoDocument],
        *,
        results: Iterable[str] | None = None,
        display_mode: str | None = None,
        show_confirmation: bool | None = None,
        show_understanding: bool | None = None,
        timeout_seconds: int | None = None,
        timeout: Seconds | Timeout | None = None,
        progress: Callable[[Progress], object] | None = None,
    ) -> Order:
        """Creates an order. The end user must come to sign within 90 seconds.

        Args:
            name: Name of the order; returned in the download.
            documents: What is to be signed, at least one `SdoDocument`.
            results: What is handed out: ``"sdo"``, ``"basicSignature"``, ``"documentHash"``;
                default: the first and the last.
            display_mode: As for `Pades.create`.
            show_confirmation: As for `Pades.create`.
            show_understanding: As for `Pades.create`.
            timeout_seconds: As for `Pades.create`.
            timeout: As for `Pades.create`.
            progress: As for `Pades.create`.

        Raises:
            InputError: Something cannot be sent; nothing was.
            OrderError: The service refused the order.
            TransportError, ProtocolError, ServiceError, OAuthError: The call failed. Where an order
                may have been created, ``details`` have ``order_may_exist``.
        """
        operation = operations.create_sdo(
            self._client._engine,
            name,
            documents,
            results=results,
            display_mode=display_mode,
            show_confirmation=show_confirmation,
            show_understanding=show_understanding,
            timeout_seconds=timeout_seconds,
            timeout=timeout,
            progress=progress,
        )
        return operation.wait(log())


class Logins(_Group):
    """Logins of end users who come to sign. The client keeps no state of them."""

    def begin(
        self,
        order: Order | str,
        redirect_uri: str,
        *,
        ui_locales: str | None = None,
        scopes: Iterable[str] = (),
        response_mode: str | None = None,
        timeout: Seconds | Timeout | None = None,
    ) -> Login:
        """The address to send the end user to, who signs the order there.

        Args:
            order: The order, or its ``sign_id``.
            redirect_uri: Where the end user comes back to, as it is registered.
            ui_locales: Languages of the provider's pages, best first.
            scopes: Scopes besides ``openid`` and ``sign``, for more claims.
            response_mode: ``"query"`` (the provider's default), ``"form_post"`` or ``"fragment"``.
            timeout: Seconds this call may take in all, or a `Timeout`; default: the client's.

        Raises:
            WindowExpired: The order itself is given, and 90 seconds have passed.
            InputError: The redirect address cannot be one.
            ConfigError: There is neither ``state_key`` nor a secret to seal the login with.
        """
        operation = operations.begin_login(
            self._client._engine,
            order,
            redirect_uri,
            ui_locales=ui_locales,
            scopes=scopes,
            response_mode=response_mode,
            timeout=timeout,
        )
        return operation.wait(log())

    def finish(
        self,
        token: str,
        callback: Callback,
        *,
        claim: Callable[[str], bool] | None = None,
        timeout: Seconds | Timeout | None = None,
    ) -> Identity:
        """Checks the callback, exchanges its code and verifies the ID token.

        Once ``token`` is opened, every error carries ``sign_id`` in its details: what the user
        signed can still be downloaded within its window.

        Args:
            token: What ``Login.to_token`` gave.
            callback: The address the user came back to, or the fields of the form that was posted:
                the web framework's own object, a dict, or pairs. A parameter that comes twice is
                refused.
            claim: Asked with the login's identifier before anything is sent: takes it for the first
                time (true), or finds it taken (false), in one step for all processes, such as an
                insert with a unique key. Identifiers may be forgotten after a day. Without it a
                replayed callback is answered by the provider, whose code is good for one use.
            timeout: Seconds this call may take in all, or a `Timeout`; default: the client's.

        Raises:
            LoginError: The callback belongs to another login, or tells the provider's error (the
                user denied, and others); ``name`` says which.
            OAuthError: The provider refused the code: ``invalid_grant`` for a replayed callback.
            IdTokenError: The ID token did not pass its checks.
            TransportError, ProtocolError: The call failed.
        """
        engine = self._client._engine
        if claim is not None:
            number, sign_id = operations.check_login(engine, token, callback).wait(log())
            operations.refuse_replay(sign_id, claimed=claim(number))
        return operations.finish_login(engine, token, callback, timeout=timeout).wait(log())
