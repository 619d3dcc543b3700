r"""A shop whose customers sign a document, with Flask.

SIGNDOC_ISSUER=... SIGNDOC_CLIENT_ID=... SIGNDOC_CLIENT_SECRET=... \\
    SHOP_URL=https://shop.example SHOP_DOCUMENT=loan.pdf \\
    gunicorn --preload --workers 4 --chdir examples web_flask:app
"""

from __future__ import annotations

import os

from flask import Flask, Response, request

import signdoc
from signdoc import web

SHOP_URL = os.environ.get("SHOP_URL", "http://127.0.0.1:8000")
DOCUMENT = os.environ.get("SHOP_DOCUMENT", "loan.pdf")
FOLDER = os.environ.get("SHOP_FOLDER", "signed")

app = Flask(__name__)
client = signdoc.Client.from_env()


@app.get("/")
def shop() -> str:
    """The shop."""
    return '<!doctype html><title>Shop</title><form method="post" action="/sign"><button>Sign'


@app.post("/sign")
def sign() -> Response:
    """Creates an order and sends the customer to sign it, within 90 seconds."""
    order = client.pades.create("Loan", [signdoc.PadesDocument(DOCUMENT)])
    login = client.login.begin(order, redirect_uri=f"{SHOP_URL}/callback")
    return Response(status=303, headers=web.leave(login))


@app.get("/callback")
def callback() -> Response:
    """Checks who signed, and fetches the only copy of what was signed."""
    back = web.arrive(request.full_path, request.headers.get("Cookie"))
    identity = client.login.finish(back.token, back.callback)
    client.pades.wait(identity.sign_id, until="SIGN_COMPLETED", timeout=30)
    signed = client.pades.download(identity.sign_id, to=FOLDER, originals=[DOCUMENT])
    text = f"signed: {len(signed.documents)} document, {signed.documents[0].unsigned_check}"
    return Response(text, headers=back.headers)


@app.errorhandler(signdoc.SignDocError)
def failed(error: signdoc.SignDocError) -> tuple[str, int]:
    """What went wrong, in one line."""
    return f"{error.name}: {error.message}", 400
