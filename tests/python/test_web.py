"""The callback helper, and the example applications that use it."""

from __future__ import annotations

import http.client
import io
import json
import time
from typing import TYPE_CHECKING, Any
from urllib.parse import parse_qs, urlsplit

import pytest

import signdoc
from signdoc import PadesDocument, web
from support import REPOSITORY, STRAIGHT, credentials, fetched, listening, port_of, served

if TYPE_CHECKING:
    from pathlib import Path

BACK = "https://shop.example/signdoc/callback"


@pytest.fixture
def order(client: signdoc.Client, samples: Path) -> signdoc.Order:
    return client.pades.create("o", [PadesDocument(samples / "loan-agreement.pdf")])


def cookie_of(headers: list[tuple[str, str]]) -> tuple[str, set[str]]:
    pair, *attributes = dict(headers)["Set-Cookie"].split("; ")
    return pair, set(attributes)


@pytest.mark.parametrize("mode", [None, "form_post"])
def test_a_login_travels_in_a_cookie(
    sandbox: signdoc.Sandbox, client: signdoc.Client, order: signdoc.Order, mode: str | None
) -> None:
    login = client.login.begin(order, BACK, response_mode=mode)
    headers = web.leave(login)
    assert dict(headers)["Location"] == login.url
    cookie, attributes = cookie_of(headers)
    same_site = "SameSite=None" if mode else "SameSite=Lax"
    wanted = {"Path=/signdoc/callback", "Max-Age=3600", "HttpOnly", "Secure", same_site}
    assert attributes == wanted
    assert len(cookie) < 4096
    state = parse_qs(urlsplit(login.url).query)["state"][0]
    assert state not in cookie
    back = sandbox.visit(login)
    jar = f'theirs="a b"; {cookie}; odd[]=1'
    if back.form is None:
        scope: dict[str, Any] = {"method": "GET", "query_string": b""}
        environ: dict[str, Any] = {"REQUEST_METHOD": "GET"}
        arrivals = [web.arrive(back.url, jar)]
        scope["query_string"] = urlsplit(back.url).query.encode()
        environ["QUERY_STRING"] = urlsplit(back.url).query
        body = b""
    else:
        scope = {"method": "POST", "query_string": b""}
        body = back.form.encode()
        environ = {"REQUEST_METHOD": "POST", "CONTENT_LENGTH": str(len(body))}
        arrivals = [web.arrive(back.url, jar, back.fields)]
    scope.update(path="/signdoc/callback", headers=[(b"host", b"x"), (b"cookie", jar.encode())])
    environ.update({"PATH_INFO": "/signdoc/callback", "HTTP_COOKIE": jar})
    environ["wsgi.input"] = io.BytesIO(body)
    arrivals += [web.arrive_asgi(scope, body), web.arrive_wsgi(environ)]
    assert {one.token for one in arrivals} == {login.to_token()}
    ended, attributes = cookie_of(arrivals[0].headers)
    assert ended == cookie.split("=", maxsplit=1)[0] + "="
    assert {"Max-Age=0", "Path=/signdoc/callback"} <= attributes
    assert login.to_token() not in repr(arrivals[0])
    identity = client.login.finish(arrivals[-1].token, arrivals[-1].callback)
    assert identity.sign_id == order.sign_id


def test_tabs_do_not_disturb_each_other(
    sandbox: signdoc.Sandbox, client: signdoc.Client, samples: Path
) -> None:
    pdf = PadesDocument(samples / "loan-agreement.pdf")
    logins = [client.login.begin(client.pades.create("o", [pdf]), BACK) for _ in range(3)]
    jar = "; ".join(cookie_of(web.leave(login))[0] for login in logins)
    for login in reversed(logins):
        arrival = web.arrive(sandbox.visit(login).url, jar)
        identity = client.login.finish(arrival.token, arrival.callback)
        assert identity.sign_id == login.sign_id


def test_a_callback_of_no_login(client: signdoc.Client, order: signdoc.Order) -> None:
    login = client.login.begin(order, BACK)
    cookie, _ = cookie_of(web.leave(login))
    for url, jar, name in (
        (f"{BACK}?code=a", cookie, "login_callback_incomplete"),
        (f"{BACK}?code=a&state=other", cookie, "login_state_mismatch"),
        (f"{BACK}?code=a&state=other", None, "login_state_mismatch"),
        (f"{BACK}?code=a&state=other", ";;=;\x00", "login_state_mismatch"),
    ):
        with pytest.raises(signdoc.LoginError) as caught:
            web.arrive(url, jar)
        assert caught.value.name == name


def test_plain_http_on_loopback(client: signdoc.Client, order: signdoc.Order) -> None:
    login = client.login.begin(order, "http://127.0.0.1:8000")
    _, attributes = cookie_of(web.leave(login, max_age=5))
    assert attributes == {"Path=/", "Max-Age=5", "HttpOnly", "SameSite=Lax"}


EXAMPLES = [
    ("gunicorn", "web_wsgi:application", ["--preload", "--workers=2"], {}),
    ("flask", "web_flask:app", ["--preload", "--workers=2"], {}),
    ("fastapi", "web_fastapi:app", ["--worker-class=asgi", "--asgi-lifespan=off"], {}),
    ("fastapi", "web_fastapi:app", ["--worker-class=asgi"], {"SHOP_FORM_POST": "yes"}),
]


@pytest.mark.parametrize(("needs", "application", "arguments", "more"), EXAMPLES)
def test_an_example_lets_a_customer_sign(
    sandbox: signdoc.Sandbox,
    samples: Path,
    tmp_path: Path,
    needs: str,
    application: str,
    arguments: list[str],
    more: dict[str, str],
) -> None:
    pytest.importorskip(needs, reason=f"{needs} is not installed")
    pytest.importorskip("gunicorn", reason="gunicorn is not installed")
    taken = listening()
    port = port_of(taken)
    environment = {
        **credentials(sandbox),
        **more,
        "HOME": str(tmp_path),
        "SHOP_URL": f"http://127.0.0.1:{port}",
        "SHOP_DOCUMENT": str(samples / "loan-agreement.pdf"),
        "SHOP_FOLDER": str(tmp_path / "signed"),
    }

    def asked(
        method: str, target: str, cookie: str = "", body: str | None = None
    ) -> tuple[int, dict[str, str], str]:
        connection = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
        headers = {"Cookie": cookie} if cookie else {}
        if body is not None:
            headers["Content-Type"] = "application/x-www-form-urlencoded"
        connection.request(method, target, body, headers)
        answer = connection.getresponse()
        text = answer.read().decode()
        connection.close()
        return answer.status, {key.lower(): value for key, value in answer.getheaders()}, text

    serving = served(
        REPOSITORY / "examples", application, *arguments, at=taken, environment=environment
    )
    with serving as (address, process):
        assert "Sign" in fetched(address + "/", process)
        status, headers, text = asked("POST", "/sign")
        assert status == 303, text
        cookie = headers["set-cookie"].split(";")[0]
        back = sandbox.visit(headers["location"])
        target = back.url.removeprefix(address)
        status, headers, text = asked(back.method, target, cookie, back.form)
        assert (status, text.rsplit(">", 1)[-1]) == (200, "signed: 1 document, matches")
        assert "Max-Age=0" in headers["set-cookie"]
        assert [path.suffix for path in (tmp_path / "signed").iterdir()] == [".pdf"]
        # The same callback once more, and one of a customer who changes their mind.
        status, _, text = asked(back.method, target, "", back.form)
        assert status == 400, text
        _, headers, _ = asked("POST", "/sign")
        cookie = headers["set-cookie"].split(";")[0]
        back = sandbox.visit(headers["location"], action="cancel")
        target = back.url.removeprefix(address)
        status, _, text = asked(back.method, target, cookie, back.form)
        assert status == 400
        assert "cancelled" in text


@pytest.mark.filterwarnings("ignore::DeprecationWarning")
@pytest.mark.parametrize("algorithm", ["ES256", "RS256"])
def test_a_stock_client_completes_the_login(
    sandbox: signdoc.Sandbox, order: signdoc.Order, algorithm: str
) -> None:
    pytest.importorskip("authlib", reason="authlib is not installed")
    pytest.importorskip("httpx", reason="httpx is not installed")
    from authlib.common.security import generate_token
    from authlib.integrations.httpx_client import OAuth2Client
    from authlib.oidc.core import CodeIDToken
    from joserfc import jwt
    from joserfc.jwk import KeySet

    sandbox.set_variants(id_token_alg=algorithm.lower())
    with STRAIGHT.open(f"{sandbox.issuer}/.well-known/openid-configuration") as answer:
        metadata = json.load(answer)
    with STRAIGHT.open(metadata["jwks_uri"]) as answer:
        keys = KeySet.import_key_set(json.load(answer))
    verifier, nonce = generate_token(48), generate_token(20)
    with OAuth2Client(
        client_id=sandbox.client_id,
        client_secret=sandbox.client_secret,
        redirect_uri=BACK,
        scope="openid sign",
        code_challenge_method="S256",
        trust_env=False,
    ) as stock:
        url, state = stock.create_authorization_url(
            metadata["authorization_endpoint"],
            sign_id=order.sign_id,
            nonce=nonce,
            code_verifier=verifier,
        )
        back = sandbox.visit(url)
        token = stock.fetch_token(
            metadata["token_endpoint"],
            authorization_response=back.url,
            state=state,
            code_verifier=verifier,
        )
    decoded = jwt.decode(token["id_token"], keys, algorithms=[algorithm])
    claims = CodeIDToken(
        decoded.claims,
        decoded.header,
        options={"iss": {"value": sandbox.issuer}, "aud": {"value": sandbox.client_id}},
        params={
            "nonce": nonce,
            "client_id": sandbox.client_id,
            "access_token": token["access_token"],
        },
    )
    claims.validate(now=int(time.time()))
    with sandbox.client() as client:
        assert client.pades.download(order).documents[0].unsigned_check == "matches"
