"""The end user's redirect in a web application of any framework. The server keeps nothing.

The sealed login travels in a cookie of the end user's browser, one for each login, so that several
tabs do not disturb each other. The application sends the headers that `leave` gives, and passes
what comes back to `arrive`:

    # the end user wants to sign
    login = client.login.begin(order, redirect_uri="https://shop.example/callback")
    return Response(status=303, headers=signdoc.web.leave(login))

    # the callback
    back = signdoc.web.arrive(request.url, request.headers.get("cookie"))
    identity = client.login.finish(back.token, back.callback)
    return Response(page, headers=back.headers)

`arrive_wsgi` and `arrive_asgi` take the request as those interfaces hand it over.
"""

from __future__ import annotations

import hashlib
from http.cookies import CookieError, SimpleCookie
from typing import TYPE_CHECKING, Any
from urllib.parse import parse_qsl, urlsplit

from signdoc._forms import pairs
from signdoc._record import Record
from signdoc.errors import LoginError

if TYPE_CHECKING:
    from collections.abc import Mapping

    from signdoc._forms import Form, Pairs
    from signdoc.logins import Login

COOKIE = "signdoc_login_"
"""How the names of the cookies begin."""
MAX_AGE = 3600
"""Seconds a browser keeps a login: longer than an order lives unless its signing time is set."""
LONGEST_FORM = 64 * 1024
"""Bytes of a callback's form; more is not read."""

INCOMPLETE = 452
MISMATCH = 450


class Arrival(Record):
    """What came back, for ``client.login.finish``.

    Attributes:
        token: The sealed login.
        callback: The address's query, or the fields of the form.
        headers: Headers for the answer, whatever comes of the login: they end the cookie.
    """

    __slots__ = ("token", "callback", "headers")
    _hidden = frozenset({"token", "callback"})
    token: str
    callback: str | Pairs
    headers: list[tuple[str, str]]

    def __init__(self, token: str, callback: str | Pairs, headers: list[tuple[str, str]]) -> None:
        self._fill(token, callback, headers)


def leave(login: Login, *, max_age: int = MAX_AGE) -> list[tuple[str, str]]:
    """The headers of a redirect (status 303) that sends the end user to sign.

    The cookie goes to the address of the callback alone, over https alone unless that address is
    plain http on loopback, and is not seen by scripts.

    Args:
        login: What ``client.login.begin`` gave.
        max_age: Seconds the browser keeps the login.
    """
    query = dict(parse_qsl(urlsplit(login.url).query))
    back = urlsplit(query["redirect_uri"])
    # A form that another site posts brings only cookies that say so.
    posted = query.get("response_mode") == "form_post"
    kept = [
        f"{_name(query['state'])}={login.to_token()}",
        f"Path={back.path or '/'}",
        f"Max-Age={max_age}",
        "HttpOnly",
        f"SameSite={'None' if posted else 'Lax'}",
    ]
    if back.scheme == "https" or posted:
        kept.append("Secure")
    return [
        ("Location", login.url),
        ("Set-Cookie", "; ".join(kept)),
        ("Cache-Control", "no-store"),
    ]


def arrive(url: str, cookie: str | None, form: Form | None = None) -> Arrival:
    """Finds the login that a callback belongs to.

    Args:
        url: The address of the callback, or its path and query.
        cookie: The request's ``Cookie`` header.
        form: The fields of the form, where it was posted: the framework's own object, which shows
            a field that came twice, or pairs.

    Raises:
        LoginError: The callback belongs to no login of this browser; ignore it.
    """
    fields = pairs(form) if form else parse_qsl(urlsplit(url).query)
    states = [value for name, value in fields if name == "state" and value]
    if len(states) != 1:
        found = "no state" if not states else "more than one state"
        raise LoginError(
            f"the callback has {found}; ignore it", code=INCOMPLETE, details={"field": "state"}
        )
    state = states[0]
    token = _cookies(cookie).get(_name(state))
    if not token:
        raise LoginError(
            "this browser has no login for the callback: it was finished before, its cookie is "
            "gone, or the callback was forged; ignore it, or begin a new login",
            code=MISMATCH,
        )
    path = urlsplit(url).path or "/"
    headers = [
        ("Set-Cookie", f"{_name(state)}=; Path={path}; Max-Age=0; HttpOnly; SameSite=Lax"),
        ("Cache-Control", "no-store"),
    ]
    return Arrival(token, fields if form else url, headers)


def arrive_wsgi(environ: Mapping[str, Any]) -> Arrival:
    """As `arrive`, for the request of a WSGI application (PEP 3333)."""
    path = environ.get("SCRIPT_NAME", "") + environ.get("PATH_INFO", "")
    url = f"{path}?{environ.get('QUERY_STRING', '')}"
    form = None
    if environ.get("REQUEST_METHOD") == "POST":
        length = min(int(environ.get("CONTENT_LENGTH") or 0), LONGEST_FORM)
        form = _form(environ["wsgi.input"].read(length))
    return arrive(url, environ.get("HTTP_COOKIE"), form)


def arrive_asgi(scope: Mapping[str, Any], body: bytes = b"") -> Arrival:
    """As `arrive`, for the request of an ASGI application, and its body where it was posted."""
    url = f"{scope['path']}?{scope.get('query_string', b'').decode('latin-1')}"
    found = [value.decode("latin-1") for name, value in scope["headers"] if name == b"cookie"]
    form = _form(body[:LONGEST_FORM]) if scope["method"] == "POST" else None
    return arrive(url, "; ".join(found), form)


def _form(body: bytes) -> Pairs:
    return parse_qsl(body.decode("utf-8", "replace"), keep_blank_values=True)


def _name(state: str) -> str:
    # The state itself is a secret of the login; its digest tells which cookie is meant.
    return COOKIE + hashlib.sha256(state.encode()).hexdigest()[:16]


def _cookies(header: str | None) -> dict[str, str]:
    found: dict[str, str] = {}
    for part in (header or "").split(";"):
        try:
            found.update({name: one.value for name, one in SimpleCookie(part.strip()).items()})
        except CookieError:
            # Cookies of others may be written in any way.
            continue
    return found
