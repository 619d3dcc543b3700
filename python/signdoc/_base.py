"""What the clients of both faces share: options, secrets, pickling, the end."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Self

from signdoc import _native
from signdoc._options import Seconds, StrPath, texts
from signdoc._record import Record
from signdoc.errors import InputError

if TYPE_CHECKING:
    from typing import Unpack

    from signdoc._keywords import ClientOptions
    from signdoc._native import Engine

CLIENT_CLOSED = 15


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


class ClientBase:
    """Everything about a client but its calls; see `Client` for the keywords."""

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
        csc_url: str | None = None,
        csc_scope: str | None = None,
        tsa_url: str | None = None,
        state_key: str | None = None,
        login_lifetime: Seconds | None = None,
        timeout: Seconds | None = None,
        connect_timeout: Seconds | None = None,
        read_timeout: Seconds | None = None,
        reception_timeout: Seconds | None = None,
        fallback_folder: StrPath | None = None,
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
            "csc_url": csc_url,
            "csc_scope": csc_scope,
            "tsa_url": tsa_url,
            "state_key": state_key,
            "login_lifetime": login_lifetime,
            "timeout": timeout,
            "connect_timeout": connect_timeout,
            "read_timeout": read_timeout,
            "reception_timeout": reception_timeout,
            "fallback_folder": fallback_folder,
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

    @property
    def last_answer(self) -> Answer | None:
        """The last answer of the call that ended last, token requests included; for support."""
        answer = None if self._made is None else self._made.last_answer()
        return None if answer is None else Answer(*answer)

    def _close(self) -> None:
        self._closed = True
        if self._made is not None:
            self._made.close()

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
