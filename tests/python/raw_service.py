"""A service on a raw socket, written from the specification alone: it answers byte for byte, and as
slowly, as a test says, and remembers each request."""

from __future__ import annotations

import base64
import hashlib
import json
import secrets
import socket
import threading
import time
from collections.abc import Callable, Iterable
from contextlib import suppress
from typing import Any, Self, TypeAlias
from urllib.parse import parse_qs, urlsplit

import signdoc

REALM = "/auth/realms/raw"
TOKEN = f"{REALM}/token"
PADES = "/signdoc/pades"
SDO = "/signdoc"
SIGN_ID = "910bd95b-41c0-4b6d-ae3f-d9458110d12a"

Part: TypeAlias = "bytes | float | Callable[[], object]"
"""Bytes that are sent, seconds of silence, or something to wait for."""


class Request:
    """A request as it came."""

    def __init__(self, method: str, target: str, headers: dict[str, str], body: bytes) -> None:
        self.method = method
        self.target = target
        self.path = urlsplit(target).path
        self.headers = headers
        self.body = body
        self.at = time.monotonic()

    @property
    def form(self) -> dict[str, str]:
        return {key: values[0] for key, values in parse_qs(self.body.decode()).items()}


class Reply:
    """An answer: a status with a body, or any parts one after the other."""

    def __init__(self, *parts: Part) -> None:
        self.parts = parts

    @classmethod
    def of(cls, status: int, body: Any = b"", headers: Iterable[tuple[str, str]] = ()) -> Reply:
        """One with JSON, text or bytes."""
        return cls(head(status, encoded(body), headers) + encoded(body))


def encoded(body: Any) -> bytes:
    if isinstance(body, bytes):
        return body
    return body.encode() if isinstance(body, str) else json.dumps(body).encode()


def head(
    status: int, body: bytes | int | None = b"", headers: Iterable[tuple[str, str]] = ()
) -> bytes:
    """Status line and headers; ``None`` for a body that ends with the connection."""
    lines = [f"HTTP/1.1 {status} Any", *(f"{name}: {value}" for name, value in headers)]
    if not any(line.lower().startswith("content-type:") for line in lines):
        lines.append("Content-Type: application/json")
    if body is not None:
        lines.append(f"Content-Length: {body if isinstance(body, int) else len(body)}")
    return ("\r\n".join([*lines, "Connection: close"]) + "\r\n\r\n").encode()


Answer: TypeAlias = Reply | Callable[[Request], Reply | None]


class RawService:
    """Provider, conversion, orders and CSC interface on one loopback address."""

    def __init__(self) -> None:
        self.requests: list[Request] = []
        self.answers: dict[tuple[str, str], Answer] = {}
        self.tokens = 0
        self.ending = threading.Event()
        self._server = socket.create_server(("127.0.0.1", 0), backlog=64)
        self.url = f"http://127.0.0.1:{self._server.getsockname()[1]}"
        self.discovery: dict[str, Any] = {
            "issuer": self.url + REALM,
            "token_endpoint": self.url + TOKEN,
            "authorization_endpoint": f"{self.url}{REALM}/authorize",
            "jwks_uri": f"{self.url}{REALM}/keys",
            "signdoc-baseurl": self.url,
        }
        self.on("GET", f"{REALM}/.well-known/openid-configuration", self._discovered)
        self.on("POST", TOKEN, self._token)
        threading.Thread(target=self._accept, daemon=True).start()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.ending.set()
        with suppress(OSError):
            self._server.shutdown(socket.SHUT_RDWR)
        self._server.close()

    def on(self, method: str, path: str, answer: Answer) -> None:
        """What is answered to these requests, instead of 404."""
        self.answers[method, path] = answer

    def order(self, path: str = PADES, *, state: str = "SIGN_COMPLETED") -> None:
        """There is an order, in this state."""
        self.on("POST", path, Reply.of(201, {"sign_id": SIGN_ID}))
        self.on("GET", path, Reply.of(200, {"orderState": state}))

    def hand_out(self, reply: Reply, path: str = PADES) -> None:
        """The answer to the DELETE, after which there is no such order."""

        def deleted(_: Request) -> Reply:
            self.on("GET", path, Reply.of(404, {"message": "no such order"}))
            return reply

        self.order(path)
        self.on("DELETE", path, deleted)

    def count(self, method: str, path: str) -> int:
        return sum((one.method, one.path) == (method, path) for one in list(self.requests))

    def options(self, **more: Any) -> dict[str, Any]:
        return {
            "issuer": self.url + REALM,
            "client_id": "shop",
            "client_secret": "only-for-tests-4711",
            "csc_url": f"{self.url}/csc/v2",
            **more,
        }

    def client(self, **more: Any) -> signdoc.Client:
        return signdoc.Client(**self.options(**more))

    def _discovered(self, _: Request) -> Reply:
        return Reply.of(200, self.discovery)

    def _token(self, _: Request) -> Reply:
        self.tokens += 1
        token = f"token-{self.tokens}-{secrets.token_hex(8)}"
        answer = {"access_token": token, "token_type": "Bearer", "expires_in": 300}
        return Reply.of(200, answer)

    def _accept(self) -> None:
        while True:
            try:
                connection, _ = self._server.accept()
            except OSError:
                return
            threading.Thread(target=self._serve, args=(connection,), daemon=True).start()

    def _serve(self, connection: socket.socket) -> None:
        with connection, suppress(OSError):
            request = _read(connection)
            if request is None:
                return
            self.requests.append(request)
            answer = self.answers.get((request.method, request.path))
            reply = answer(request) if callable(answer) else answer
            for part in (reply or Reply.of(404, {"message": "nothing is here"})).parts:
                if isinstance(part, bytes):
                    connection.sendall(part)
                elif callable(part):
                    part()
                else:
                    self.ending.wait(part)


def _read(connection: socket.socket) -> Request | None:
    came = b""
    while b"\r\n\r\n" not in came:
        more = connection.recv(1 << 16)
        if not more:
            return None
        came += more
    top, body = came.split(b"\r\n\r\n", 1)
    first, *lines = top.decode("latin-1").split("\r\n")
    method, target, _ = first.split(" ")
    headers = {
        name.lower(): value.strip() for name, value in (line.split(":", 1) for line in lines)
    }
    left = int(headers.get("content-length", "0")) - len(body)
    while left > 0:
        more = connection.recv(1 << 16)
        if not more:
            return None
        body += more
        left -= len(more)
    return Request(method, target, headers, body)


def base64_of(data: bytes) -> str:
    return base64.b64encode(data).decode()


def sha256_of(data: bytes) -> str:
    return base64_of(hashlib.sha256(data).digest())


def pades_answer(*documents: bytes, sent: bytes = b"%PDF-1.4 what was sent") -> dict[str, Any]:
    """What a download of these signed PDFs holds (specification, "PAdES download result")."""
    return {
        "signingResults": [
            {
                "signedDocumentSha256": sha256_of(document),
                "padesSignedPdf": base64_of(document),
                "description": f"Loan - {number}",
                "unsignedDocumentSha256": sha256_of(sent),
            }
            for number, document in enumerate(documents, 1)
        ],
        "signId": SIGN_ID,
        "orderName": "Loan",
        "orderState": "SIGN_COMPLETED",
    }


def sdo_answer(*documents: bytes, sent: bytes = b"%PDF-1.4 what was sent") -> dict[str, Any]:
    """The same for signed data objects, with their signatures."""
    return {
        "documentHashes": [sha256_of(sent) for _ in documents],
        "sdos": [base64_of(document) for document in documents],
        "merchantSignatures": [base64_of(b"merchant " + document) for document in documents],
        "endUserSignatures": [base64_of(b"end user " + document) for document in documents],
        "clientId": "shop",
        "signId": SIGN_ID,
        "orderName": "Loan",
        "orderState": "SIGN_COMPLETED",
    }
