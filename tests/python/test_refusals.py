"""What a refusal proves: how many requests leave for each answer that may come, and what is told.

Whatever something between here and the service may have said is a doubt.
"""

from __future__ import annotations

import gzip
import json
import os
import zlib
from typing import TYPE_CHECKING, Any

import pytest

import signdoc
from raw_service import (
    PADES,
    SIGN_ID,
    TOKEN,
    RawService,
    Reply,
    encoded,
    head,
    pades_answer,
)
from support import PDF

if TYPE_CHECKING:
    from pathlib import Path

DOCUMENTS = [b"%PDF-1.7 " + os.urandom(5000) for _ in range(2)]
BODY = json.dumps(pades_answer(*DOCUMENTS)).encode()
PAGE = "<!DOCTYPE html><html><body>the gateway</body></html>"
HTML = [("Content-Type", "text/html")]
REFUSED_TOKEN = [("WWW-Authenticate", 'Bearer error="invalid_token"')]

DOUBTFUL = {
    "301": Reply.of(301, b"", [("Location", "/elsewhere")]),
    "302": Reply.of(302, b"", [("Location", "/elsewhere")]),
    "307": Reply.of(307, b"", [("Location", "/elsewhere")]),
    "308": Reply.of(308, b"", [("Location", "/elsewhere")]),
    "407": Reply.of(407, b"", [("Proxy-Authenticate", "Basic")]),
    "408": Reply.of(408, b""),
    "a page with 200": Reply.of(200, PAGE, HTML),
    "a page with 400": Reply.of(400, PAGE, HTML),
    "a page with 401": Reply.of(401, PAGE, HTML),
    "a page with 403": Reply.of(403, PAGE, HTML),
    "a page with 404": Reply.of(404, PAGE, HTML),
    "500": Reply.of(500, {"message": "broken"}),
    "502": Reply.of(502, PAGE, HTML),
    "503": Reply.of(503, b"", [("Retry-After", "0")]),
    "504": Reply.of(504, b""),
    "nothing": Reply(),
    "half an answer": Reply(head(200, BODY), BODY[:100]),
    "half of its headers": Reply(head(200, BODY)[:30]),
    "not HTTP": Reply(b"SSH-2.0-OpenSSH_9.6\r\n"),
}


@pytest.mark.parametrize("state", ["SIGN_COMPLETED", "gone", "silent"])
@pytest.mark.parametrize("name", DOUBTFUL)
def test_a_doubtful_answer_to_a_download(name: str, state: str, tmp_path: Path) -> None:
    """One DELETE, then the state is asked for: the error tells it."""
    with RawService() as service, service.client() as client:
        service.order(PADES)

        def deleted(_: Any) -> Reply:
            answers = {
                "SIGN_COMPLETED": Reply.of(200, {"orderState": state}),
                "gone": Reply.of(404, {"message": "no such order"}),
                "silent": Reply.of(500, b""),
            }
            service.on("GET", PADES, answers[state])
            return DOUBTFUL[name]

        service.on("DELETE", PADES, deleted)
        with pytest.raises(signdoc.SignDocError) as caught:
            client.pades.download(SIGN_ID, to=tmp_path)
        told = caught.value
        assert service.count("DELETE", PADES) == 1
        assert service.count("GET", PADES) >= 2
        assert service.count("POST", TOKEN) == 1
        assert isinstance(told, (signdoc.OutcomeUnknown, signdoc.ProtocolError)), repr(told)
        assert told.details["order_state"] == (None if state == "silent" else state)
        assert told.details["ask_again"] is (state != "gone")
        if state == "gone":
            assert not told.retryable
            assert "call again" not in told.advice
            assert "the same call" not in told.advice


def test_the_service_refuses_the_token_of_a_download(tmp_path: Path) -> None:
    """A new token, the state, and a second and last DELETE."""
    for refusals, deletes in ((1, 2), (2, 2)):
        with RawService() as service, service.client() as client:
            service.order(PADES)
            left = [Reply.of(401, "Access token is invalid", REFUSED_TOKEN)] * refusals

            def deleted(_: Any, left: list[Reply] = left) -> Reply:
                return left.pop() if left else Reply.of(200, BODY)

            service.on("DELETE", PADES, deleted)
            if refusals == 1:
                got = client.pades.download(SIGN_ID, to=tmp_path / str(refusals))
                assert [one.path.read_bytes() for one in got.documents if one.path] == DOCUMENTS
            else:
                with pytest.raises(signdoc.SignDocError):
                    client.pades.download(SIGN_ID, to=tmp_path / str(refusals))
            assert service.count("DELETE", PADES) == deletes
            assert service.count("POST", TOKEN) == 2
            order = [one.method for one in service.requests if one.path == PADES]
            assert order == ["GET", "DELETE", "GET", "DELETE"]


def test_the_service_refuses_the_token_and_the_order_is_gone(tmp_path: Path) -> None:
    """Then no second DELETE leaves."""
    with RawService() as service, service.client() as client:
        service.hand_out(Reply.of(401, "Access token is invalid", REFUSED_TOKEN))
        with pytest.raises(signdoc.SignDocError) as caught:
            client.pades.download(SIGN_ID, to=tmp_path)
        assert service.count("DELETE", PADES) == 1
        assert caught.value.details["ask_again"] is False
        assert not caught.value.retryable


# A service that is not there for now has created nothing.
@pytest.mark.parametrize("name", sorted(set(DOUBTFUL) - {"503"}))
def test_a_doubtful_answer_to_a_creation(name: str) -> None:
    """One request; the order may exist, and nobody is advised to create another."""
    with RawService() as service, service.client() as client:
        service.on("POST", PADES, DOUBTFUL[name])
        with pytest.raises(signdoc.SignDocError) as caught:
            client.pades.create("Loan", [signdoc.PadesDocument(PDF)])
        assert service.count("POST", PADES) == 1
        assert caught.value.details["order_may_exist"] is True
        assert not caught.value.retryable


def test_the_service_refuses_the_token_of_a_creation() -> None:
    with RawService() as service, service.client() as client:
        answers = [
            Reply.of(201, {"sign_id": SIGN_ID}),
            Reply.of(401, "Access token is invalid", REFUSED_TOKEN),
        ]
        service.on("POST", PADES, lambda _: answers.pop())
        assert client.pades.create("Loan", [signdoc.PadesDocument(PDF)]).sign_id == SIGN_ID
        assert (service.count("POST", PADES), service.count("POST", TOKEN)) == (2, 2)


REFUSALS = {
    "400": Reply.of(400, {"errors": ["no"]}),
    "403": Reply.of(403, "Access token is invalid or missing"),
    "404": Reply.of(404, {"message": "no such order"}),
    "410": Reply.of(410, {"message": "no such order"}),
    "413": Reply.of(413, {"message": "too large"}),
    "429": Reply.of(429, b"", [("Retry-After", "0")]),
}


@pytest.mark.parametrize("name", REFUSALS)
def test_a_refusal_of_the_service_deletes_nothing(name: str, tmp_path: Path) -> None:
    """At most two requests, the second only after a new token; no journal is left."""
    with RawService() as service, service.client() as client:
        service.order(PADES)
        service.on("DELETE", PADES, REFUSALS[name])
        with pytest.raises(signdoc.SignDocError) as caught:
            client.pades.download(SIGN_ID, to=tmp_path / "signed")
        assert not isinstance(caught.value, signdoc.OutcomeUnknown), repr(caught.value)
        assert service.count("DELETE", PADES) == (2 if name == "403" else 1)
        assert not list((tmp_path / "signed").glob(".*"))


def test_every_request_asks_for_answers_as_they_are(tmp_path: Path) -> None:
    with RawService() as service, service.client() as client:
        service.hand_out(Reply.of(200, BODY))
        order = client.pades.create("Loan", [signdoc.PadesDocument(PDF)] * 2)
        client.pades.state(order)
        with pytest.raises(signdoc.SignDocError):
            client.pades.download(order, to=tmp_path)
        with pytest.raises(signdoc.SignDocError):
            client.convert([PDF])
        asked = {(one.method, one.path): one.headers["accept-encoding"] for one in service.requests}
        assert len(asked) >= 5
        assert set(asked.values()) == {"identity"}


def coded(body: bytes, coding: str) -> bytes:
    if coding in ("gzip", "x-gzip"):
        return gzip.compress(body)
    if coding == "deflate":
        return zlib.compress(body)
    return body


@pytest.mark.parametrize("coding", ["gzip", "x-gzip", "deflate", "identity"])
def test_an_answer_that_is_compressed_all_the_same(coding: str, tmp_path: Path) -> None:
    with RawService() as service, service.client() as client:
        coding_of = [("Content-Encoding", coding)]
        service.hand_out(Reply.of(200, coded(BODY, coding), coding_of))
        got = client.pades.download(SIGN_ID, to=tmp_path)
        assert [one.path.read_bytes() for one in got.documents if one.path] == DOCUMENTS
        service.hand_out(Reply.of(200, coded(BODY, coding), coding_of))
        got = client.pades.download(SIGN_ID)
        assert [one.data for one in got.documents] == DOCUMENTS


@pytest.mark.parametrize("into", ["folder", "memory"])
@pytest.mark.parametrize(
    ("coding", "body"),
    [
        ("br", b"\x1b\x00something in brotli"),
        ("gzip", gzip.compress(BODY)[:-200]),
        ("gzip", gzip.compress(BODY)[:50] + b"damaged" + gzip.compress(BODY)[57:]),
        ("deflate", b"not compressed at all"),
        ("gzip, gzip", gzip.compress(gzip.compress(BODY))),
    ],
)
def test_a_coding_that_cannot_be_read_is_kept(
    coding: str, body: bytes, into: str, tmp_path: Path
) -> None:
    with RawService() as service, service.client() as client:
        service.hand_out(Reply.of(200, body, [("Content-Encoding", coding)]))
        with pytest.raises(signdoc.SignDocError) as caught:
            client.pades.download(SIGN_ID, to=tmp_path if into == "folder" else None)
        if into == "memory":
            assert caught.value.raw_answer == body
        else:
            (recovery,) = client.pades.recover(tmp_path)
            assert recovery.raw_answer is not None
            assert recovery.raw_answer.read_bytes() == body


def test_a_small_answer_that_becomes_large_ends_at_the_cap() -> None:
    with RawService() as service, service.client(max_answer_size=1 << 20) as client:
        bomb = gzip.compress(b" " * (64 << 20) + BODY)
        assert len(bomb) < 1 << 20
        service.hand_out(Reply.of(200, bomb, [("Content-Encoding", "gzip")]))
        with pytest.raises(signdoc.SignDocError) as caught:
            client.pades.download(SIGN_ID)
        assert caught.value.raw_answer == bomb


def test_a_code_is_exchanged_once() -> None:
    """A lost answer to a code exchange is no reason to send the code again."""
    lost = {
        "nothing": Reply(),
        "500": Reply.of(500, b""),
        "302": Reply.of(302, b"", [("Location", "/elsewhere")]),
        "a page": Reply.of(502, PAGE, HTML),
        "half": Reply(head(200, 100), b'{"access'),
    }
    for name, answer in lost.items():
        with RawService() as service, service.client() as client:
            login = client.login.begin(SIGN_ID, "https://shop.example/callback")
            state = login.url.split("state=")[1].split("&")[0]
            exchanged: list[str] = []

            def token(
                request: Any,
                *,
                service: RawService = service,
                exchanged: list[str] = exchanged,
                answer: Reply = answer,
            ) -> Reply:
                if request.form["grant_type"] != "authorization_code":
                    return service._token(request)
                exchanged.append(request.form["code"])
                return answer

            service.on("POST", TOKEN, token)
            with pytest.raises(signdoc.OutcomeUnknown) as caught:
                client.login.finish(login.to_token(), f"/callback?code=c-4711&state={state}")
            assert exchanged == ["c-4711"], name
            assert not caught.value.retryable
            assert caught.value.details["sign_id"] == SIGN_ID


@pytest.mark.parametrize("name", ["401", "503", "nothing", "500", "a page"])
def test_the_code_of_a_csc_login_is_exchanged_once(name: str) -> None:
    answers = {
        "401": Reply.of(401, {"error": "invalid_client"}, REFUSED_TOKEN),
        "nothing": Reply(),
        "500": Reply.of(500, b""),
        "503": Reply.of(503, b"", [("Retry-After", "0")]),
        "a page": Reply.of(502, PAGE, HTML),
    }
    with RawService() as service, service.client() as client:
        login = client.csc.begin("https://shop.example/callback")
        state = login.url.split("state=")[1].split("&")[0]
        service.on("POST", "/csc/v2/oauth2/token", answers[name])
        with pytest.raises(signdoc.SignDocError) as caught:
            client.csc.finish(login.to_token(), f"/callback?code=c-4711&state={state}")
        assert service.count("POST", "/csc/v2/oauth2/token") == 1
        if name not in ("401", "503"):
            assert isinstance(caught.value, signdoc.OutcomeUnknown)
            assert not caught.value.retryable


def test_an_answer_in_pieces_is_one(tmp_path: Path) -> None:
    """Chunked transfer coding, each byte of the beginning a chunk of its own."""
    with RawService() as service, service.client() as client:
        pieces = [encoded(f"1\r\n{chr(byte)}\r\n") for byte in BODY[:50]]
        rest = BODY[50:]
        top = head(200, None, [("Transfer-Encoding", "chunked")])
        last = f"{len(rest):x}\r\n".encode() + rest + b"\r\n0\r\n\r\n"
        service.hand_out(Reply(top, *pieces, last))
        got = client.pades.download(SIGN_ID, to=tmp_path)
        assert [one.path.read_bytes() for one in got.documents if one.path] == DOCUMENTS
