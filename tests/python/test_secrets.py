"""A service, or a gateway before it, that repeats what it was sent.

No secret of the client shows in texts, pickles, logs or on standard error.
"""

from __future__ import annotations

import base64
import copy
import json
import logging
import os
import pickle
import traceback
from typing import TYPE_CHECKING, Any
from urllib.parse import parse_qs, quote, unquote_plus, urlsplit

import pytest

import signdoc
from raw_service import PADES, REALM, SIGN_ID, TOKEN, RawService, Reply, pades_answer
from signdoc import PadesDocument
from support import PDF, started

if TYPE_CHECKING:
    from collections.abc import Callable

CALLBACK = "https://shop.example/callback"


class Echo(RawService):
    """Every answer repeats the request as it came: its first line, all headers, the whole body."""

    def __init__(self, status: int = 400, form: str = "text") -> None:
        super().__init__()
        self.status = status
        self.form = form

    def echo(self, request: Any) -> Reply:
        lines = [f"{request.method} {request.target}"]
        lines += [f"{name}: {value}" for name, value in request.headers.items()]
        body = request.body.decode("utf-8", "replace")
        lines += ["", body]
        if "form" in request.headers.get("content-type", ""):
            lines.append(unquote_plus(body))
        text = "\n".join(lines)
        if self.form == "json":
            return Reply.of(self.status, {"message": text, "errors": [text], "request": text})
        if self.form == "oauth":
            # Nobody may write so into a message, but somebody does.
            return Reply.of(self.status, {"error": "invalid_request", "error_description": text})
        if self.form == "csc":
            told = {
                "errorCode": "invalid_request",
                "errorDescription": text,
                "errorReference": text,
            }
            return Reply.of(self.status, told)
        if self.form == "page":
            text = text.replace("&", "&amp;").replace("<", "&lt;").replace('"', "&quot;")
            page = f"<html><title>{text}</title><body><pre>{text}</pre></body></html>"
            return Reply.of(self.status, page, [("Content-Type", "text/html")])
        return Reply.of(self.status, text, [("Content-Type", "text/plain")])


SECRET = "canary secret/4711+æ&=?"
CODE = "canary-code/47+11=="


def forms_of(secret: str) -> list[str]:
    """As it may be written: itself, in URLs, in JSON, in base64 at any place."""
    raw = secret.encode()
    found = {secret, quote(secret, safe=""), json.dumps(secret)[1:-1]}
    for before in range(3):
        text = base64.b64encode(b"\0" * before + raw).decode()
        # Without what depends on its neighbours.
        found.add(text[[0, 2, 3][before] : len(text) // 4 * 4 - 4])
    return [form for form in found if len(form) > 6]


class Sight:
    """Everything that a person or another process may come to see of an error."""

    def __init__(self, handler: logging.Handler) -> None:
        self.handler = handler
        self.seen: list[str] = []

    def of(self, error: BaseException) -> None:
        self.seen += [str(error), repr(error), "".join(traceback.format_exception(error))]
        if isinstance(error, signdoc.SignDocError):
            self.seen += [json.dumps(error.details), error.advice]
            for one in (error, copy.copy(error), copy.deepcopy(error)):
                # Whoever asks for the raw answer gets it as it came.
                self.seen.append(repr({**one.__dict__, "raw_answer": None}))
        for protocol in range(2, pickle.HIGHEST_PROTOCOL + 1):
            self.seen.append(pickle.dumps(error, protocol).decode("latin-1"))
            self.seen.append(pickle.dumps(error, protocol).decode("utf-8", "replace"))


class Kept(logging.Handler):
    def __init__(self) -> None:
        super().__init__(logging.DEBUG)
        self.lines: list[str] = []

    def emit(self, record: logging.LogRecord) -> None:
        self.lines.append(self.format(record))


@pytest.fixture
def kept() -> Any:
    handler, logger = Kept(), logging.getLogger("signdoc")
    level = logger.level
    logger.addHandler(handler)
    logger.setLevel(logging.DEBUG)
    yield handler
    logger.removeHandler(handler)
    logger.setLevel(level)


def begun(client: signdoc.Client, kind: str) -> tuple[str, str]:
    """The token of a login, and its callback with the code."""
    if kind == "csc":
        login: Any = client.csc.begin(CALLBACK)
    else:
        login = client.login.begin(SIGN_ID, CALLBACK)
    state = parse_qs(urlsplit(login.url).query)["state"][0]
    return login.to_token(), f"{CALLBACK}?code={quote(CODE, safe='')}&state={state}"


def code_exchange(client: signdoc.Client) -> object:
    token, callback = begun(client, "login")
    return client.login.finish(token, callback)


def csc_exchange(client: signdoc.Client) -> object:
    token, callback = begun(client, "csc")
    return client.csc.finish(token, callback)


CALLS: dict[str, tuple[list[tuple[str, str]], Callable[[signdoc.Client], object]]] = {
    "token": ([("POST", TOKEN)], lambda client: client.conversion_specs()),
    "discovery": (
        [("GET", f"{REALM}/.well-known/openid-configuration")],
        lambda client: client.conversion_specs(),
    ),
    "specs": (
        [("GET", "/signdoc/convert/pdf/specs")],
        lambda client: client.conversion_specs(),
    ),
    "convert": ([("POST", "/signdoc/convert")], lambda client: client.convert([PDF])),
    "create": (
        [("POST", PADES)],
        lambda client: client.pades.create("Loan", [PadesDocument(PDF)]),
    ),
    "state": ([("GET", PADES)], lambda client: client.pades.state(SIGN_ID)),
    "download": (
        [("DELETE", PADES)],
        lambda client: client.pades.download(SIGN_ID, force=True),
    ),
    "discard": ([("DELETE", PADES)], lambda client: client.pades.discard(SIGN_ID)),
    "code exchange": ([("POST", TOKEN)], code_exchange),
    "csc exchange": ([("POST", "/csc/v2/oauth2/token")], csc_exchange),
    "csc info": ([("POST", "/csc/v2/info")], lambda client: client.csc.info()),
}


@pytest.mark.parametrize("auth", ["client_secret_basic", "client_secret_post"])
@pytest.mark.parametrize("form", ["text", "json", "oauth", "csc", "page"])
def test_no_secret_comes_back(form: str, auth: str, kept: Kept) -> None:
    """In 4xx, 5xx and 200; with canaries for the client secret, tokens, code and verifier."""
    sight = Sight(kept)
    secrets = {SECRET, CODE}
    count = 0
    for status in (400, 401, 403, 500, 200):
        for name, (paths, call) in CALLS.items():
            with Echo(status, form) as service:
                service.order(PADES)
                for method, path in paths:
                    service.on(method, path, service.echo)
                options: dict[str, Any] = {"client_secret": SECRET, "client_auth": auth}
                with service.client(max_retries=0, **options) as client:
                    try:
                        sight.seen.append(repr(call(client)))
                    except signdoc.SignDocError as error:
                        count += 1
                        sight.of(error)
                    last = client.last_answer
                    sight.seen += [repr(last), repr(client), pickle.dumps(client).decode("latin-1")]
                for request in service.requests:
                    secrets |= live(request)
            assert name
    everything = "\n".join([*sight.seen, *kept.lines])
    assert count > 40
    assert len(secrets) > 20
    shown = sorted({form for secret in secrets for form in forms_of(secret) if form in everything})
    assert not shown, [(form, context(everything, form)) for form in shown[:5]]
    print(f"{count} errors of an echoing service, {len(secrets)} secrets, 0 hits")


def live(request: Any) -> set[str]:
    """The secrets that a request carried."""
    found = set()
    authorization = request.headers.get("authorization", "")
    if authorization:
        found.add(authorization.split(" ", 1)[1])
    if request.headers.get("content-type", "").startswith("application/x-www-form-urlencoded"):
        secret = ("client_secret", "code", "code_verifier", "client_assertion")
        found |= {value for key, value in request.form.items() if key in secret}
    return found


def context(text: str, form: str) -> str:
    at = text.index(form)
    return text[max(at - 80, 0) : at + 80]


def test_nothing_shows_on_standard_error() -> None:
    """With all that the library writes there by itself."""
    code = """
        import json, sys
        import signdoc

        options, sign_id = json.loads(sys.argv[1]), sys.argv[2]
        client = signdoc.Client(**options)
        for call in (client.pades.state, client.pades.download, client.pades.discard):
            try:
                call(sign_id)
            except signdoc.SignDocError as error:
                print(repr(error), error, error.details)
        client.pades.state(sign_id)
    """
    with Echo(500) as service:
        service.on("GET", PADES, service.echo)
        service.on("DELETE", PADES, service.echo)
        options = service.options(client_secret=SECRET, max_retries=1)
        process = started(code, json.dumps(options), SIGN_ID, SIGNDOC_LOG="debug")
        said, errors = process.communicate(timeout=120)
    assert process.returncode == 1
    assert "Traceback" in errors
    assert "DELETE" in errors
    secrets = {SECRET} | {one for request in service.requests for one in live(request)}
    shown = [form for secret in secrets for form in forms_of(secret) if form in said + errors]
    assert not shown


def test_documents_do_not_show_either() -> None:
    """A gateway repeats the body of a request, which is a document."""
    with Echo(400) as service:
        service.on("POST", PADES, service.echo)
        with service.client(max_retries=0) as client:
            document = b"%PDF-1.7 " + os.urandom(3000)
            with pytest.raises(signdoc.SignDocError) as caught:
                client.pades.create("Loan", [PadesDocument(document)])
    text = base64.b64encode(document).decode()
    everything = str(caught.value) + repr(caught.value.details)
    assert not any(text[at : at + 64] in everything for at in range(0, len(text) - 64, 16))


def test_nor_in_what_an_error_carries() -> None:
    """The results beside a refusal are texts of the other side as well."""
    with RawService() as service:

        def created(request: Any) -> Reply:
            said = request.headers["authorization"]
            result = {"converted": False, "conversionErrors": [said], "description": said}
            body = {"sign_id": SIGN_ID, "conversionResults": [result]}
            return Reply.of(201, body)

        def handed_out(request: Any) -> Reply:
            said = request.headers["authorization"]
            return Reply.of(200, {**pades_answer(b"%PDF-1.7"), "orderName": said, "signId": said})

        service.order(PADES)
        service.on("POST", PADES, created)
        service.on("DELETE", PADES, handed_out)
        with service.client(max_retries=0) as client:
            with pytest.raises(signdoc.SignDocError) as refused:
                client.pades.create("Loan", [PadesDocument(PDF)], strict=True)
            with pytest.raises(signdoc.SignDocError) as puzzled:
                client.pades.download(SIGN_ID)
    assert refused.value.order is not None
    assert puzzled.value.download is not None
    tokens = {one for request in service.requests for one in live(request)}
    assert tokens
    for error in (refused.value, puzzled.value):
        shown = str(error) + repr(error) + repr(error.details) + repr(error.download)
        shown += repr(pickle.loads(pickle.dumps(error)).__dict__)
        if error.order is not None:
            shown += repr(error.order) + repr(list(error.order.conversions))
        assert not [form for token in tokens for form in forms_of(token) if form in shown]


def test_a_raw_answer_goes_along_in_a_pickle() -> None:
    """A worker's error crosses to its parent: with the only copy there is."""
    body = json.dumps({**pades_answer(b"%PDF-1.7"), "signingResults": {}}).encode()
    with RawService() as service, service.client() as client:
        service.hand_out(Reply.of(200, body))
        with pytest.raises(signdoc.ProtocolError) as caught:
            client.pades.download(SIGN_ID)
    assert caught.value.raw_answer == body
    assert pickle.loads(pickle.dumps(caught.value)).raw_answer == body


def test_a_short_state_key_is_refused() -> None:
    with RawService() as service, pytest.raises(signdoc.ConfigError) as caught:
        service.client(state_key="too short")
    assert caught.value.details["field"] == "state_key"
    assert "16" in caught.value.message
    assert "9" in caught.value.message
    assert "too short" not in caught.value.message.replace("is too short", "")


def test_a_saved_login_expires() -> None:
    with RawService() as service, service.client(login_lifetime=600) as client:
        login = client.login.begin(SIGN_ID, CALLBACK)
        state = parse_qs(urlsplit(login.url).query)["state"][0]
        client._set_clock_offset(601)
        with pytest.raises(signdoc.LoginError) as caught:
            client.login.finish(login.to_token(), f"{CALLBACK}?code=c&state={state}")
        assert caught.value.name == "login_expired"
        assert service.count("POST", TOKEN) == 0
        csc = client.csc.begin(CALLBACK)
        client._set_clock_offset(1202)
        with pytest.raises(signdoc.LoginError) as caught:
            client.csc.finish(csc.to_token(), f"{CALLBACK}?code=c&state=s")
        assert caught.value.name == "login_expired"
