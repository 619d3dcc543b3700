"""What came back from a login, in the form of whatever web framework.

A parameter that comes twice is refused in both logins.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any
from urllib.parse import parse_qs, parse_qsl, urlsplit

import pytest

import signdoc
from raw_service import SIGN_ID, RawService, Reply

if TYPE_CHECKING:
    from collections.abc import Callable

CALLBACK = "https://shop.example/callback"
INCOMPLETE = 452


class Lists(dict[str, list[str]]):
    """As Django's QueryDict: items give the last value, lists give all."""

    def items(self) -> Any:
        return [(key, values[-1]) for key, values in super().items()]

    def lists(self) -> Any:
        return super().items()


class AllItems(dict[str, list[str]]):
    """As Bottle's FormsDict."""

    def items(self) -> Any:
        return [(key, values[-1]) for key, values in super().items()]

    def allitems(self) -> Any:
        return [(key, value) for key, values in super().items() for value in values]


class EveryItem:
    """As aiohttp's and WebOb's multidicts: the items are all there are."""

    def __init__(self, pairs: list[tuple[str, str]]) -> None:
        self._pairs = pairs

    def items(self) -> Any:
        return list(self._pairs)


class Address:
    """As the addresses of Starlette and yarl."""

    def __init__(self, text: str) -> None:
        self._text = text

    def __str__(self) -> str:
        return self._text


def by_werkzeug(query: str) -> Any:
    datastructures = pytest.importorskip("werkzeug.datastructures")
    return datastructures.MultiDict(parse_qsl(query))


def by_starlette(query: str) -> Any:
    return pytest.importorskip("starlette.datastructures").QueryParams(query)


def by_starlette_form(query: str) -> Any:
    return pytest.importorskip("starlette.datastructures").FormData(parse_qsl(query))


def by_starlette_url(query: str) -> Any:
    return pytest.importorskip("starlette.datastructures").URL(f"{CALLBACK}?{query}")


def by_tornado(query: str) -> Any:
    escape = pytest.importorskip("tornado.escape")
    return escape.parse_qs_bytes(query)


def by_aiohttp(query: str) -> Any:
    return pytest.importorskip("multidict").MultiDictProxy(
        pytest.importorskip("multidict").MultiDict(parse_qsl(query))
    )


def by_yarl(query: str) -> Any:
    return pytest.importorskip("yarl").URL(f"{CALLBACK}?{query}", encoded=True)


FORMS: dict[str, Callable[[str], Any]] = {
    "an address": lambda query: f"{CALLBACK}?{query}",
    "a path": lambda query: f"/callback?{query}",
    "a query": lambda query: query,
    "bytes": lambda query: f"/callback?{query}".encode(),
    "an address with a fragment": lambda query: f"{CALLBACK}#{query}",
    "an address of its own type": lambda query: Address(f"{CALLBACK}?{query}"),
    "pairs": parse_qsl,
    "a tuple of pairs": lambda query: tuple(parse_qsl(query)),
    "parse_qs": parse_qs,
    "Django": lambda query: Lists(parse_qs(query)),
    "Bottle": lambda query: AllItems(parse_qs(query)),
    "WebOb": lambda query: EveryItem(parse_qsl(query)),
    "aiohttp": by_aiohttp,
    "aiohttp's address": by_yarl,
    "Werkzeug": by_werkzeug,
    "Starlette": by_starlette,
    "Starlette's form": by_starlette_form,
    "Starlette's address": by_starlette_url,
    "Tornado": by_tornado,
}


def begun(client: signdoc.Client, kind: str) -> tuple[Any, str, str]:
    login: Any = (
        client.csc.begin(CALLBACK) if kind == "csc" else client.login.begin(SIGN_ID, CALLBACK)
    )
    state = parse_qs(urlsplit(login.url).query)["state"][0]
    return (client.csc if kind == "csc" else client.login), login.to_token(), state


@pytest.mark.parametrize("kind", ["login", "csc"])
@pytest.mark.parametrize("form", FORMS)
def test_every_form_of_a_callback(form: str, kind: str) -> None:
    """Once it is taken, so that the code is exchanged; with a parameter twice it is refused."""
    with RawService() as service, service.client() as client:
        exchanged: list[str] = []

        def exchange(request: Any) -> Reply:
            if request.form["grant_type"] == "authorization_code":
                exchanged.append(request.form["code"])
                return Reply.of(400, {"error": "invalid_grant"})
            return service._token(request)

        service.on("POST", "/auth/realms/raw/token", exchange)
        service.on("POST", "/csc/v2/oauth2/token", exchange)
        group, token, state = begun(client, kind)
        with pytest.raises(signdoc.OAuthError) as refused:
            group.finish(token, FORMS[form](f"code=c%2F4711&state={state}&session_state=x"))
        assert refused.value.name == "invalid_grant"
        assert exchanged == ["c/4711"]
        for twice in (
            f"code=c%2F4711&state={state}&state={state}",
            f"code=c%2F4711&code=c%2F4711&state={state}",
            f"code=c%2F4711&state={state}&state=other",
            f"code=other&state={state}&code=c%2F4711",
            f"error=access_denied&error=x&state={state}",
        ):
            with pytest.raises(signdoc.LoginError) as caught:
                group.finish(token, FORMS[form](twice))
            assert caught.value.code == INCOMPLETE, twice
        assert exchanged == ["c/4711"]


@pytest.mark.parametrize("kind", ["login", "csc"])
@pytest.mark.parametrize("wrong", [None, 4711, object(), ["code"], [1, 2], {1}])
def test_what_is_no_callback_is_an_input_error(kind: str, wrong: Any) -> None:
    with RawService() as service, service.client() as client:
        group, token, _ = begun(client, kind)
        with pytest.raises(signdoc.InputError) as caught:
            group.finish(token, wrong)
        assert caught.value.details["field"] == "callback"


def test_the_web_helpers_refuse_it_too() -> None:
    with RawService() as service, service.client() as client:
        login = client.login.begin(SIGN_ID, CALLBACK)
        state = parse_qs(urlsplit(login.url).query)["state"][0]
        cookie = dict(signdoc.web.leave(login))["Set-Cookie"].split(";")[0]
        twice = f"code=a&state={state}&state={state}"
        with pytest.raises(signdoc.LoginError):
            signdoc.web.arrive(f"{CALLBACK}?{twice}", cookie)
        with pytest.raises(signdoc.LoginError):
            signdoc.web.arrive(CALLBACK, cookie, Lists(parse_qs(twice)))
        scope = {
            "type": "http",
            "method": "POST",
            "path": "/callback",
            "query_string": b"",
            "headers": [(b"cookie", cookie.encode())],
        }
        codes = f"code=a&code=b&state={state}".encode()
        back = signdoc.web.arrive_asgi(scope, codes)
        with pytest.raises(signdoc.LoginError) as caught:
            client.login.finish(back.token, back.callback)
        assert caught.value.details["field"] == "code"
        assert service.count("POST", "/auth/realms/raw/token") == 0
