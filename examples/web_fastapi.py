r"""A shop whose customers sign a document, with FastAPI and the asyncio client.

    SIGNDOC_ISSUER=... SIGNDOC_CLIENT_ID=... SIGNDOC_CLIENT_SECRET=... \\
    SHOP_URL=https://shop.example SHOP_DOCUMENT=loan.pdf \\
    uvicorn --app-dir examples web_fastapi:app

The callback comes as a form here (``response_mode="form_post"``) when ``SHOP_FORM_POST`` is set:
code and state are in no address then.
"""

from __future__ import annotations

import os

from fastapi import FastAPI, Request
from fastapi.responses import HTMLResponse, PlainTextResponse, Response

import signdoc
from signdoc import web

SHOP_URL = os.environ.get("SHOP_URL", "http://127.0.0.1:8000")
DOCUMENT = os.environ.get("SHOP_DOCUMENT", "loan.pdf")
FOLDER = os.environ.get("SHOP_FOLDER", "signed")
MODE = "form_post" if os.environ.get("SHOP_FORM_POST") else None

app = FastAPI()
client = signdoc.AsyncClient.from_env()


@app.get("/")
async def shop() -> HTMLResponse:
    """The shop."""
    return HTMLResponse("<title>Shop</title><form method=post action=/sign><button>Sign")


@app.post("/sign")
async def sign() -> Response:
    """Creates an order and sends the customer to sign it, within 90 seconds."""
    order = await client.pades.create("Loan", [signdoc.PadesDocument(DOCUMENT)])
    back = f"{SHOP_URL}/callback"
    login = await client.login.begin(order, redirect_uri=back, response_mode=MODE)
    return Response(status_code=303, headers=dict(web.leave(login)))


@app.api_route("/callback", methods=["GET", "POST"])
async def callback(request: Request) -> Response:
    """Checks who signed, and fetches the only copy of what was signed."""
    back = web.arrive_asgi(request.scope, await request.body())
    identity = await client.login.finish(back.token, back.callback)
    await client.pades.wait(identity.sign_id, until="SIGN_COMPLETED", timeout=30)
    signed = await client.pades.download(identity.sign_id, to=FOLDER, originals=[DOCUMENT])
    text = f"signed: {len(signed.documents)} document, {signed.documents[0].unsigned_check}"
    return PlainTextResponse(text, headers=dict(back.headers))


@app.exception_handler(signdoc.SignDocError)
async def failed(request: Request, error: Exception) -> PlainTextResponse:
    """What went wrong, in one line."""
    return PlainTextResponse(str(error), status_code=400)
