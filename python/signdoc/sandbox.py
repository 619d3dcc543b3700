"""The whole service on this machine, to try and to test against."""

from __future__ import annotations

import json
import weakref
from dataclasses import dataclass, fields
from http import HTTPStatus
from http.client import HTTPConnection
from typing import TYPE_CHECKING, Any, Literal, Self
from urllib.parse import parse_qsl, quote, urlsplit

from signdoc._process import Process, failed
from signdoc.client import Client
from signdoc.errors import InputError

if TYPE_CHECKING:
    from types import TracebackType
    from typing import Unpack

    from signdoc._base import ClientBase
    from signdoc._keywords import ClientOptions
    from signdoc.aio import AsyncClient
    from signdoc.csc import CscLogin
    from signdoc.logins import Login
    from signdoc.orders import Order

CONTROL_LIMIT = 30.0


@dataclass(frozen=True, slots=True)
class SandboxRequest:
    """A request as the sandbox saw it, without secrets and documents.

    Attributes:
        id: Number of the request, from 1.
        connection: Number of the connection it came on, from 1.
        address: At which of the two addresses it arrived: ``"base"`` or ``"orders"``.
        method: Method.
        path: Path without the query.
        query: Query as sent.
        headers: Headers by lower-case name; of ``authorization`` only the scheme.
        body_bytes: Length of the body; ``None`` when it was not read to its end.
        body: A JSON or form body, long texts replaced by their length.
        status: Status of the answer; ``None`` when there was none.
        refused: Why the sandbox refused the request, when it did.
        fault: Number of the fault that was applied, if any.
    """

    id: int
    connection: int
    address: str
    method: str
    path: str
    query: str | None
    headers: dict[str, str]
    body_bytes: int | None
    body: Any
    status: int | None
    refused: str | None
    fault: int | None


@dataclass(frozen=True, slots=True)
class SandboxCallback:
    """The request by which an end user's browser comes back to the merchant.

    Attributes:
        url: The address, with its parameters unless they are in ``form``.
        method: ``"GET"``, or ``"POST"`` with the response mode ``form_post``.
        form: The form that is posted, as it is sent.
    """

    url: str
    method: str
    form: str | None

    @property
    def fields(self) -> dict[str, str]:
        """The fields of the form."""
        return dict(parse_qsl(self.form or "", keep_blank_values=True))


class _Control:
    """Requests to the sandbox's control surface, each on a connection of its own."""

    def __init__(self, url: str) -> None:
        parts = urlsplit(url)
        self._address = (parts.hostname or "127.0.0.1", parts.port)
        self._prefix = parts.path.rstrip("/")

    def call(self, method: str, path: str, body: object = None) -> Any:
        connection = HTTPConnection(*self._address, timeout=CONTROL_LIMIT)
        try:
            content = None if body is None else json.dumps(body).encode()
            headers = {"Content-Type": "application/json"} if content else {}
            connection.request(method, f"{self._prefix}/{path}", content, headers)
            answer = connection.getresponse()
            text = answer.read().decode()
        except OSError as error:
            raise failed(
                f"the sandbox does not answer: {error}; it may have been closed"
            ) from error
        finally:
            connection.close()
        if answer.status >= HTTPStatus.BAD_REQUEST:
            raise InputError(f"the sandbox refused {method} {path}: {text}")
        return text if path.endswith(".pem") else json.loads(text)


class SandboxClock:
    """The sandbox's time, shared by the clients that `Sandbox.client` makes."""

    def __init__(self, control: _Control) -> None:
        self._control = control
        self._clients: weakref.WeakSet[ClientBase] = weakref.WeakSet()
        self._offset = 0.0

    @property
    def now(self) -> float:
        """The sandbox's present time in seconds since 1970."""
        return float(self._control.call("GET", "clock")["now"])

    @property
    def offset(self) -> float:
        """Seconds that the sandbox is ahead of the system."""
        return self._offset

    def advance(self, *, seconds: int) -> None:
        """Moves time forward, for the sandbox and for its clients.

        Raises:
            InputError: ``seconds`` is negative or not whole.
        """
        if seconds < 0 or seconds != int(seconds):
            raise InputError(
                f"seconds must be a whole number of at least 0, not {seconds}",
                details={"field": "seconds", "actual": seconds},
            )
        self._change({"advance_seconds": int(seconds)})

    def reset(self) -> None:
        """Goes back to the system's time."""
        self._change({"reset": True})

    def _change(self, change: dict[str, object]) -> None:
        self._moved(self._control.call("POST", "clock", change))

    def _moved(self, clock: dict[str, Any]) -> None:
        self._offset = float(clock["offset_seconds"])
        for client in self._clients:
            client._set_clock_offset(self._offset)

    def _adopt(self, client: ClientBase) -> None:
        self._clients.add(client)
        client._set_clock_offset(self._offset)


class SandboxFaults:
    """What goes wrong on purpose, by method and path, once or many times."""

    def __init__(self, control: _Control) -> None:
        self._control = control

    def add(
        self,
        kind: str,
        *,
        method: str = "*",
        path: str = "*",
        times: int | None = 1,
        skip: int = 0,
        delay_ms: int = 0,
        **fault: Any,
    ) -> int:
        """Makes requests go wrong.

        Args:
            kind: ``status`` (with ``status`` and maybe ``headers``, ``body`` or ``json``),
                ``delay``, ``reset`` (``when``: ``accept``, ``before_body``, ``after_body``,
                ``after_work``, ``mid_answer``), ``cut`` (``after_bytes``), ``garbage``, ``html``,
                ``empty``, ``stall``, ``oversized`` (``bytes``), ``slow``, ``expire_tokens``,
                ``reject_token``, and on their own endpoints ``authorize_error`` (``error``),
                ``callback``, ``id_token``, ``download`` and ``csc`` (``change``), ``cut_document``,
                ``csc_error`` (``code``, maybe ``spends``).
            method: Method of the requests meant; ``*`` for any.
            path: Path, or the beginning of one followed by ``*``.
            times: How many requests go wrong; ``None`` for all.
            skip: How many pass first.
            delay_ms: Milliseconds to wait before the answer.
            fault: What the kind needs.

        Returns:
            The number of the fault.
        """
        rule = {
            "method": method,
            "path": path,
            "times": times,
            "skip": skip,
            "delay_ms": delay_ms,
            "fault": {"kind": kind, **fault},
        }
        ids: list[int] = self._control.call("POST", "faults", rule)["ids"]
        return ids[0]

    def list(self) -> list[dict[str, Any]]:
        """All faults with how often they were used."""
        faults: list[dict[str, Any]] = self._control.call("GET", "faults")["faults"]
        return faults

    def remove(self, number: int) -> None:
        """Removes one fault."""
        self._control.call("DELETE", f"faults/{number}")

    def clear(self) -> None:
        """Removes all faults."""
        self._control.call("DELETE", "faults")


class Sandbox:
    """The service on loopback, as a child process that ends with its creator.

        with signdoc.Sandbox() as sandbox, sandbox.client() as client:
            client.convert(["loan.pdf"], to="converted/")

    Args:
        environment: ``"production"`` converts (with Ghostscript, where it is installed);
            ``"test"`` answers as the service's test environment does, which never converts.
        port: Port on the loopback address; 0 takes a free one.
        seed: Makes tokens, secrets, identifiers and keys repeat.
        converter: Whether to use a converter that is installed.
        two_addresses: Whether orders are served at ``orders_url`` alone, and everything else at
            ``base_url`` alone; otherwise both serve everything.
        log: Whether to keep one line per request, see `output`.

    Attributes:
        environment: The environment.
        issuer: Address of its identity provider.
        base_url: Address of its service.
        orders_url: Its second address, which the identity provider publishes for orders while
            there are two.
        csc_url: Address of its credential-based signing interface.
        tsa_url: Address of its timestamp authority (RFC 3161).
        client_id: The client it knows.
        client_secret: That client's secret.
        converter: The converter it uses; ``None`` where there is none.
        converter_reason: Why there is none.
        clock: Its time.
        faults: What goes wrong on purpose.

    Raises:
        SignDocError: The process did not start; ``details["output"]`` is what it said.
    """

    environment: str
    issuer: str
    base_url: str
    orders_url: str
    csc_url: str
    tsa_url: str
    client_id: str
    client_secret: str
    converter: str | None
    converter_reason: str | None
    clock: SandboxClock
    faults: SandboxFaults

    def __init__(
        self,
        environment: Literal["production", "test"] = "production",
        *,
        port: int = 0,
        seed: int | None = None,
        converter: bool = True,
        two_addresses: bool = False,
        log: bool = False,
    ) -> None:
        arguments = ["--environment", environment, "--port", str(port)]
        arguments += [] if seed is None else ["--seed", str(seed)]
        arguments += [] if converter else ["--no-converter"]
        arguments += ["--two-addresses"] if two_addresses else []
        arguments += ["--log"] if log else []
        self._process = Process(arguments)
        ready = self._process.ready
        self.environment = ready["environment"]
        self.issuer = ready["issuer"]
        self.base_url = ready["base_url"]
        self.orders_url = ready["orders_url"]
        self.csc_url = ready["csc_url"]
        self.tsa_url = ready["tsa_url"]
        self.client_id = ready["client_id"]
        self.client_secret = ready["client_secret"]
        self.converter = ready["converter"]
        self.converter_reason = ready["converter_reason"]
        self._two_addresses = two_addresses
        self._control = _Control(ready["control_url"])
        self.clock = SandboxClock(self._control)
        self.faults = SandboxFaults(self._control)

    def client(self, **options: Unpack[ClientOptions]) -> Client:
        """A client of this sandbox that shares its clock; options go before its own."""
        client = Client(**self._options(options))
        self.clock._adopt(client)
        return client

    def async_client(self, **options: Unpack[ClientOptions]) -> AsyncClient:
        """As `client`, for code that runs in an event loop."""
        from signdoc.aio import AsyncClient

        client = AsyncClient(**self._options(options))
        self.clock._adopt(client)
        return client

    def _options(self, options: ClientOptions) -> ClientOptions:
        own: ClientOptions = {
            "issuer": self.issuer,
            "client_id": self.client_id,
            "client_secret": self.client_secret,
            "csc_url": self.csc_url,
        }
        if self._two_addresses:
            # What the provider publishes is for orders then.
            own["base_url"] = self.base_url
        return {**own, **options}

    def sign(self, order: Order | str, *, person: str = "kari") -> SandboxCallback | None:
        """Signs an order as its end user would, and brings it to its end.

        Args:
            order: The order, or its ``sign_id``.
            person: Who signs: ``"kari"``, ``"ola"`` or ``"ase"``.

        Returns:
            The way back to the merchant, when the end user has come to sign (see `visit`).

        Raises:
            InputError: The order is unknown, or in a final state already.
        """
        return self._act(order, "sign", person)

    def cancel(self, order: Order | str, *, person: str = "kari") -> SandboxCallback | None:
        """Cancels an order as its end user would; as `sign`."""
        return self._act(order, "cancel", person)

    def fail(self, order: Order | str, *, person: str = "kari") -> SandboxCallback | None:
        """Lets the signing of an order fail; as `sign`."""
        return self._act(order, "fail", person)

    def step(self, order: Order | str, *, person: str = "kari") -> None:
        """Moves an order one state on; as `sign`."""
        self._act(order, "step", person)

    def _act(self, order: Order | str, verb: str, person: str) -> SandboxCallback | None:
        sign_id = quote(order if isinstance(order, str) else order.sign_id, safe="")
        done = self._control.call("POST", f"orders/{sign_id}/{verb}", {"person": person})
        return None if done["callback"] is None else SandboxCallback(**done["callback"])

    def visit(
        self,
        login: Login | CscLogin | str,
        *,
        action: Literal["sign", "cancel", "fail"] = "sign",
        person: str = "kari",
    ) -> SandboxCallback:
        """Does what an end user does at an authorize address, without a browser.

        Args:
            login: The login, or its address.
            action: What happens at the signing page.
            person: Who it is: ``"kari"``, ``"ola"`` or ``"ase"``.

        Returns:
            What a browser would send to the merchant.

        Raises:
            InputError: The address is refused with a page, not by sending the browser back.
        """
        url = login if isinstance(login, str) else login.url
        body = {"url": url, "action": action, "person": person}
        return SandboxCallback(**self._control.call("POST", "visit", body)["callback"])

    @property
    def orders(self) -> list[dict[str, Any]]:
        """The orders it has: kind, state, seconds left in the open window, signer, documents."""
        orders: list[dict[str, Any]] = self._control.call("GET", "orders")["orders"]
        return orders

    @property
    def trust(self) -> str:
        """The root certificate above every signature it makes, in PEM."""
        text: str = self._control.call("GET", "trust.pem")
        return text

    def rotate_keys(self, *, keep_previous: bool = True) -> str:
        """Gives the identity provider a new key; returns its identifier."""
        change = {"keep_previous": keep_previous}
        kid: str = self._control.call("POST", "keys/rotate", change)["kid"]
        return kid

    def register(self, client_id: str, **client: Any) -> None:
        """Registers a client, or changes what is given of one.

        Args:
            client_id: The client.
            client: ``client_secret``, ``scopes``, ``redirect_uris``, ``jwks``, ``public_key_pem``.
        """
        self._control.call("POST", "clients", {"client_id": client_id, **client})

    @property
    def requests(self) -> list[SandboxRequest]:
        """The requests it saw, oldest first."""
        names = [field.name for field in fields(SandboxRequest)]
        seen = self._control.call("GET", "requests")["requests"]
        return [SandboxRequest(**{name: one[name] for name in names}) for one in seen]

    @property
    def state(self) -> dict[str, Any]:
        """What it says of itself: clock, counts, refused requests, variants, converter."""
        state: dict[str, Any] = self._control.call("GET", "")
        return state

    @property
    def output(self) -> str:
        """What the process wrote to its standard error."""
        return self._process.output()

    def reset(self) -> None:
        """Forgets clock, tokens, faults, requests, and variants but those of the start."""
        state = self._control.call("POST", "reset")
        self._two_addresses = state["variants"]["two_addresses"]
        self.clock._moved(state["clock"])

    def expire_tokens(self) -> None:
        """Lets all access tokens expire."""
        self._control.call("POST", "tokens/expire")

    def revoke_tokens(self) -> None:
        """Makes all access tokens invalid."""
        self._control.call("POST", "tokens/revoke")

    def set_variants(self, **variants: Any) -> None:
        """Chooses among the forms in which the service may answer.

        Args:
            variants: The forms to change, by the names of ``docs/sandbox.md``; others stay.

        Raises:
            InputError: There is no such variant, or it has no such value.
        """
        chosen = self._control.call("POST", "variants", variants)
        self._two_addresses = chosen["two_addresses"]

    def close(self) -> None:
        """Ends the process; in a child process of the creator this does nothing."""
        self._process.end()

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
        return f"<{type(self).__name__} {self.environment} at {self.base_url}>"
