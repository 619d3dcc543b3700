r"""A shop whose customers sign a document, as a plain WSGI application.

    SIGNDOC_ISSUER=... SIGNDOC_CLIENT_ID=... SIGNDOC_CLIENT_SECRET=... \\
    SHOP_URL=https://shop.example SHOP_DOCUMENT=loan.pdf \\
    gunicorn --preload --workers 4 --chdir examples web_wsgi:application

The client is made once, before the workers are forked, and works in all of them.
"""

from __future__ import annotations

import os
from html import escape
from typing import TYPE_CHECKING
from wsgiref.headers import Headers

import signdoc
from signdoc import web

if TYPE_CHECKING:
    from collections.abc import Iterable
    from wsgiref.types import StartResponse, WSGIEnvironment

SHOP_URL = os.environ.get("SHOP_URL", "http://127.0.0.1:8000")
DOCUMENT = os.environ.get("SHOP_DOCUMENT", "loan.pdf")
FOLDER = os.environ.get("SHOP_FOLDER", "signed")

client = signdoc.Client.from_env()


def application(environ: WSGIEnvironment, start_response: StartResponse) -> Iterable[bytes]:
    """Shows the shop, sends customers to sign, and takes them back."""
    headers: list[tuple[str, str]] = []
    try:
        match environ["REQUEST_METHOD"], environ["PATH_INFO"]:
            case "GET", "/":
                status, text = "200 OK", '<form method="post" action="/sign"><button>Sign</button>'
            case "POST", "/sign":
                headers = send_to_sign()
                status, text = "303 See Other", "to the signing page"
            case "GET", "/callback":
                back = web.arrive_wsgi(environ)
                headers = back.headers
                status, text = "200 OK", take_back(back)
            case _:
                status, text = "404 Not Found", "not here"
    except signdoc.SignDocError as error:
        status, text = "400 Bad Request", f"{escape(error.name)}: {escape(error.message)}"
    shown = Headers([*headers, ("Content-Type", "text/html; charset=utf-8")])
    start_response(status, shown.items())
    return [f"<!doctype html><title>Shop</title>{text}".encode()]


def send_to_sign() -> list[tuple[str, str]]:
    """Creates an order and sends the customer to sign it, within 90 seconds."""
    order = client.pades.create("Loan", [signdoc.PadesDocument(DOCUMENT)])
    return web.leave(client.login.begin(order, redirect_uri=f"{SHOP_URL}/callback"))


def take_back(back: web.Arrival) -> str:
    """Checks who signed, and fetches the only copy of what was signed."""
    identity = client.login.finish(back.token, back.callback)
    client.pades.wait(identity.sign_id, until="SIGN_COMPLETED", timeout=30)
    signed = client.pades.download(identity.sign_id, to=FOLDER, originals=[DOCUMENT])
    return f"signed: {len(signed.documents)} document, {signed.documents[0].unsigned_check}"
