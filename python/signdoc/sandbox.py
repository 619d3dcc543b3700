"""The whole service on this machine, to try and to test against."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import threading
import weakref
from dataclasses import dataclass, fields
from http import HTTPStatus
from http.client import HTTPConnection
from tempfile import TemporaryFile
from typing import TYPE_CHECKING, Any, Literal, Self
from urllib.parse import urlsplit

from signdoc.client import Client
from signdoc.errors import InputError, SignDocError

if TYPE_CHECKING:
    from types import TracebackType
    from typing import Unpack

    from signdoc._base import ClientBase
    from signdoc._keywords import ClientOptions
    from signdoc.aio import AsyncClient

SANDBOX_FAILED = 23
START_LIMIT = 60.0
END_LIMIT = 5.0
CONTROL_LIMIT = 30.0
KEPT_OUTPUT = 1 << 20


@dataclass(frozen=True, slots=True)
class SandboxRequest:
    """A request as the sandbox saw it, without secrets and documents.

    Attributes:
        id: Number of the request, from 1.
        connection: Number of the connection it came on, from 1.
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
    method: str
    path: str
    query: str | None
    headers: dict[str, str]
    body_bytes: int | None
    body: Any
    status: int | None
    refused: str | None
    fault: int | None


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
            raise _failed(
                f"the sandbox does not answer: {error}; it may have been closed"
            ) from error
        finally:
            connection.close()
        if answer.status >= HTTPStatus.BAD_REQUEST:
            raise InputError(f"the sandbox refused {method} {path}: {text}")
        return json.loads(text)


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
                ``reject_token``.
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
        log: Whether to keep one line per request, see `output`.

    Attributes:
        environment: The environment.
        issuer: Address of its identity provider.
        base_url: Address of its service.
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
        log: bool = False,
    ) -> None:
        arguments = ["--environment", environment, "--port", str(port)]
        arguments += [] if seed is None else ["--seed", str(seed)]
        arguments += [] if converter else ["--no-converter"]
        arguments += ["--log"] if log else []
        self._process = _Process(arguments)
        ready = self._process.ready
        self.environment = ready["environment"]
        self.issuer = ready["issuer"]
        self.base_url = ready["base_url"]
        self.client_id = ready["client_id"]
        self.client_secret = ready["client_secret"]
        self.converter = ready["converter"]
        self.converter_reason = ready["converter_reason"]
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
        return {
            "issuer": self.issuer,
            "client_id": self.client_id,
            "client_secret": self.client_secret,
            **options,
        }

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
        """Forgets clock, tokens, faults, requests and variants."""
        self.clock._moved(self._control.call("POST", "reset")["clock"])

    def expire_tokens(self) -> None:
        """Lets all access tokens expire."""
        self._control.call("POST", "tokens/expire")

    def revoke_tokens(self) -> None:
        """Makes all access tokens invalid."""
        self._control.call("POST", "tokens/revoke")

    def set_variants(self, **variants: Any) -> None:
        """Chooses among the forms in which the service may answer."""
        self._control.call("POST", "variants", variants)

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


class _Process:
    """The child process. Only the process that started it ends it."""

    def __init__(self, arguments: list[str]) -> None:
        self._creator = os.getpid()
        self._said = _Said()
        try:
            self._child = self._started(arguments)
        except BaseException:
            self._said.close()
            raise
        self._end = weakref.finalize(self, _end, self._child, self._said, self._creator)
        _running.add(self)
        try:
            self.ready: dict[str, Any] = self._first_line()
        except BaseException:
            self._end()
            raise

    def _started(self, arguments: list[str]) -> subprocess.Popen[str]:
        if not sys.executable:
            raise _failed("the sandbox needs sys.executable, which this interpreter does not have")
        # -P: a folder called signdoc in the working directory is not the package.
        command = [sys.executable, "-P", "-m", "signdoc", "sandbox", *arguments]
        try:
            return subprocess.Popen(  # noqa: S603 - our own program
                command,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=self._said.file,
                env=_environment(),
                text=True,
                # Ctrl-C is for the creator, who ends the sandbox when it is done with it.
                start_new_session=True,
            )
        except OSError as error:
            raise _failed(f"the sandbox cannot be started: {error}") from error

    def _first_line(self) -> dict[str, Any]:
        limit = threading.Timer(START_LIMIT, self._child.kill)
        limit.start()
        try:
            line = self._child.stdout.readline() if self._child.stdout else ""
        finally:
            limit.cancel()
        try:
            ready = json.loads(line)
        except ValueError:
            self._child.kill()
            status = self._child.wait()
            output = self._said.text().strip()
            raise _failed(
                f"the sandbox did not start (exit status {status}): {output or 'it said nothing'}",
                output=output,
            ) from None
        if not isinstance(ready, dict):
            raise _failed(f"the sandbox said {line.strip()!r} instead of where it is")
        return ready

    def output(self) -> str:
        """What the process wrote to standard error so far."""
        return self._said.text()

    def end(self) -> None:
        self._end()

    def let_go(self) -> None:
        """In a forked child: the sandbox must not wait for this process, too."""
        self._end.detach()
        if self._child.stdin:
            self._child.stdin.close()


class _Said:
    """What the process writes to standard error.

    It goes to a file, because a pipe that nobody reads would stop the sandbox when it is full.
    """

    def __init__(self) -> None:
        self.file = TemporaryFile()  # noqa: SIM115 - closed with the process
        self._kept = ""

    def text(self) -> str:
        if not self.file.closed:
            # The process shares the position of this handle, so it must not be moved.
            self._kept = os.pread(self.file.fileno(), KEPT_OUTPUT, 0).decode(errors="replace")
        return self._kept

    def close(self) -> None:
        self.text()
        self.file.close()


def _end(child: subprocess.Popen[str], said: _Said, creator: int) -> None:
    if os.getpid() != creator:
        return
    try:
        _stop(child)
    finally:
        said.close()


def _stop(child: subprocess.Popen[str]) -> None:
    for pipe in (child.stdin, child.stdout):
        if pipe:
            pipe.close()
    try:
        child.wait(END_LIMIT / 10)
    except subprocess.TimeoutExpired:
        child.terminate()
        try:
            child.wait(END_LIMIT)
        except subprocess.TimeoutExpired:
            child.kill()
            child.wait()


def _environment() -> dict[str, str]:
    """This process's environment; the child must find the same package."""
    environment = dict(os.environ)
    home = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
    if os.path.basename(home) not in {"site-packages", "dist-packages"}:
        known = environment.get("PYTHONPATH")
        environment["PYTHONPATH"] = f"{known}{os.pathsep}{home}" if known else home
    return environment


def _failed(message: str, **details: object) -> SignDocError:
    return SignDocError(message, code=SANDBOX_FAILED, details=details)


_running: weakref.WeakSet[_Process] = weakref.WeakSet()


def _after_fork() -> None:
    for process in list(_running):
        process.let_go()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_after_fork)
