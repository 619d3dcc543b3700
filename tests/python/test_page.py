"""The pages of the end user in headless Chromium: real clicks, real keys, a real way back.

``SIGNDOC_CHROMIUM`` names the browser where it is not found by itself, and
``SIGNDOC_PICTURES`` a folder for pictures of all pages.
"""

from __future__ import annotations

import os
import threading
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from queue import Queue
from typing import TYPE_CHECKING, Any
from urllib.parse import parse_qs, parse_qsl, urlsplit

import pytest

import signdoc
from browser import LIMIT, PROGRAMS, VARIABLE, Browser, program
from signdoc import PadesDocument, SdoDocument
from support import REPOSITORY, credentials, fetched, listening, port_of, served

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from browser import Page

# Every wait has its own limit, and a busy machine may come near to it more than once.
pytestmark = pytest.mark.timeout(600)

NAME = 'Loan 4711, "Blåbærsyltetøy" & <b>more</b>'
LOAN = "Loan agreement"
# Nothing in it where a line may end.
TERMS = "Vilkår_for_lånet_" * 12
CONTROLS = ("link", "combobox", "checkbox", "button")
# A phone as narrow as WCAG 2.2 has it (1.4.10), the usual one, and a wide window.
WINDOWS = ((320, 640, 2.0, True), (360, 780, 2.0, True), (1280, 800, 1.0, False))

PLAIN: Any = {"show_understanding": False, "show_confirmation": False}

Back = str | dict[str, str]


@pytest.fixture(scope="module")
def browser(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Browser]:
    folder = tmp_path_factory.mktemp("browser")
    path = program(folder)
    if path is None:
        pytest.skip(f"no browser: none of {', '.join(PROGRAMS)} runs, {VARIABLE} is not set")
    with Browser(path, folder) as browser:
        yield browser


class Shop:
    """The merchant on loopback: what browsers bring back to it."""

    def __init__(self) -> None:
        arrived: Queue[Back] = Queue()

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                self._answer(self.path)

            def do_POST(self) -> None:
                body = self.rfile.read(int(self.headers["Content-Length"])).decode()
                self._answer(dict(parse_qsl(body, keep_blank_values=True, strict_parsing=True)))

            def _answer(self, back: Back) -> None:
                if urlsplit(self.path).path == "/callback":
                    arrived.put(back)
                page = b'<html lang="en"><title>Shop</title><link rel="icon" href="data:,">Hello'
                self.send_response(200)
                self.send_header("Content-Type", "text/html")
                self.send_header("Content-Length", str(len(page)))
                self.end_headers()
                self.wfile.write(page)

            def log_message(self, *_: Any) -> None:
                pass

        self._arrived = arrived
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._thread = threading.Thread(target=self._server.serve_forever)
        self._thread.start()
        self.callback = f"http://127.0.0.1:{self._server.server_port}/callback"

    def back(self) -> Back:
        """What the browser came back with: the address, or the fields of the form."""
        back = self._arrived.get(timeout=LIMIT)
        assert self._arrived.empty()
        return back if isinstance(back, dict) else self.callback.removesuffix("/callback") + back

    def close(self) -> None:
        self._server.shutdown()
        self._thread.join()
        self._server.server_close()


@pytest.fixture
def shop() -> Iterator[Shop]:
    shop = Shop()
    yield shop
    shop.close()


@pytest.fixture
def visited(browser: Browser, sandbox: signdoc.Sandbox) -> Callable[..., Any]:
    """Opens an address in a page of its own, and looks back at the end at what went on there."""

    @contextmanager
    def visited(url: str, *, scripts: bool = False, refused: str | None = None) -> Iterator[Page]:
        with browser.page(scripts=scripts) as page:
            page.go(url)
            yield page
            assert {urlsplit(one).hostname for one in page.requests} == {"127.0.0.1"}
            complaints = page.complaints
        seen = [one.refused for one in sandbox.requests if one.path != "/favicon.ico"]
        if refused is None:
            assert complaints == []
            assert set(seen) == {None}
        else:
            # The browser itself complains of every answer that is an error.
            assert complaints
            assert all(refused in one for one in complaints)

    return visited


@pytest.fixture
def order(client: signdoc.Client, samples: Path) -> signdoc.Order:
    pdf = samples / "loan-agreement.pdf"
    documents = [PadesDocument(pdf, description=LOAN), PadesDocument(pdf, description=TERMS)]
    return client.pades.create(NAME, documents, show_understanding=True, show_confirmation=True)


@pytest.fixture
def plain(client: signdoc.Client, samples: Path) -> signdoc.Order:
    documents = [PadesDocument(samples / "loan-agreement.pdf")]
    return client.pades.create(NAME, documents, **PLAIN)


def inspect(page: Page, name: str, lang: str = "en") -> None:
    """What holds for every page, whoever reads it and however wide the window is."""
    tree = page.tree
    assert page.attribute("html", "lang") == lang
    assert page.attribute("meta[name=viewport]", "content") == "width=device-width,initial-scale=1"
    (main,) = (node for node in tree if node.role == "main")
    headings = [(node.marks["level"], node.name) for node in tree if node.role == "heading"]
    levels = [level for level, _ in headings]
    assert levels.count(1) == 1
    assert levels == sorted(levels)
    assert tree[0].role == "RootWebArea"
    assert tree[0].name == headings[0][1] != ""
    controls = [node for node in tree if node.role in CONTROLS]
    names = [node.name for node in controls]
    assert all(names)
    assert len(set(names)) == len(names)
    assert {node.element for node in controls} == {
        node.element
        for node in tree
        if node.marks.get("focusable") and node.role not in {"RootWebArea", "option"}
    }
    contrasts = page.contrasts("h1, h2, p, dt, dd, a, label, select, button")
    assert contrasts
    # WCAG 2.2, 1.4.6
    assert min(contrasts) >= 7
    for width, height, scale, phone in WINDOWS:
        page.resize(width, height, scale=scale, phone=phone)
        assert page.width == width
        for node in controls:
            if node.role != "link":
                # WCAG 2.2, 2.5.8
                left, top, right, bottom = page.box(node)
                assert right - left >= 24
                assert bottom - top >= 24
        for node in (main, *controls):
            left, _, right, _ = page.box(node)
            assert left >= 0
            assert right <= width
        keep(page, f"{name}-{lang}-{width}")


def keep(page: Page, name: str) -> None:
    """Keeps a picture for a person to look at, where that is wanted."""
    if folder := os.environ.get("SIGNDOC_PICTURES"):
        Path(folder).mkdir(parents=True, exist_ok=True)
        Path(folder, f"{name}.png").write_bytes(page.picture)


def signed_well(
    client: signdoc.Client, sandbox: signdoc.Sandbox, identity: signdoc.Identity, original: Path
) -> None:
    """Downloads a signed order, and verifies it as a stranger would."""
    result = client.pades.download(identity.sign_id)
    assert result.documents
    for document in result.documents:
        assert document.data
        report = signdoc.verify(
            document.data, original, trust=sandbox.trust.encode(), signer=identity
        )
        assert report.ok, report


@pytest.mark.parametrize("scripts", [True, False])
def test_a_customer_signs(
    sandbox: signdoc.Sandbox,
    client: signdoc.Client,
    samples: Path,
    shop: Shop,
    visited: Callable[..., Any],
    scripts: bool,
) -> None:
    pdf = samples / "loan-agreement.pdf"
    documents = [PadesDocument(pdf, description=LOAN), PadesDocument(pdf, description="Terms")]
    order = client.pades.create(NAME, documents, **PLAIN)
    login = client.login.begin(order, shop.callback)
    with visited(login.url, scripts=scripts) as page:
        assert {NAME, sandbox.client_id, LOAN, "Terms", "application/pdf"} <= set(page.texts)
        assert [node.name for node in page.tree if node.role == "link"] == [
            f"Open document 1: {LOAN}",
            "Open document 2: Terms",
        ]
        opened: list[Page] = []
        with page.opening(opened):
            page.click("link", "Open document 2: Terms")
        assert opened[0].url.endswith("&number=2")
        assert opened[0].kind(opened[0].url) == "application/pdf"
        assert client.pades.state(order) is signdoc.PadesState.USER_SIGNING
        with page.turning():
            page.click("button", "Sign")
        assert urlsplit(page.url).path == "/callback"
        back = shop.back()
        assert back == page.url
    identity = client.login.finish(login.to_token(), back)
    assert identity.sign_id == order.sign_id
    signed_well(client, sandbox, identity, pdf)


@pytest.mark.parametrize("scripts", [True, False])
@pytest.mark.parametrize(
    ("button", "state", "error"),
    [
        ("Cancel", signdoc.PadesState.CANCELLED, signdoc.OrderCancelled),
        ("Let signing fail", signdoc.PadesState.FAILED, signdoc.OrderFailed),
    ],
)
def test_a_customer_does_not_sign(
    client: signdoc.Client,
    order: signdoc.Order,
    shop: Shop,
    visited: Callable[..., Any],
    button: str,
    state: signdoc.PadesState,
    error: type[Exception],
    scripts: bool,
) -> None:
    login = client.login.begin(order, shop.callback)
    with visited(login.url, scripts=scripts) as page, page.turning():
        page.click("button", button)
    with pytest.raises(signdoc.LoginError) as caught:
        client.login.finish(login.to_token(), shop.back())
    assert caught.value.name == "access_denied"
    assert caught.value.details["sign_id"] == order.sign_id
    assert client.pades.state(order) is state
    with pytest.raises(error):
        client.pades.download(order)


def test_the_keyboard_is_enough(
    sandbox: signdoc.Sandbox,
    client: signdoc.Client,
    order: signdoc.Order,
    samples: Path,
    shop: Shop,
    visited: Callable[..., Any],
) -> None:
    login = client.login.begin(order, shop.callback)
    with visited(login.url) as page:
        stops = [node for node in page.tree if node.role in CONTROLS]
        assert [node.role for node in stops] == [
            *("link", "link", "combobox", "checkbox"),
            *("button", "button", "button"),
        ]
        for stop in stops[:5]:
            page.press("Tab")
            assert page.focused.element == stop.element
            if stop.role == "combobox":
                page.press("ArrowDown")
                chosen = [n.name for n in page.tree if n.role == "option" and n.marks["selected"]]
                assert chosen == ["Ola Nordmann"]
            if stop.role == "checkbox":
                page.press("Space")
                assert page.find("checkbox").marks["checked"] == "true"
        keep(page, "focused")
        with page.turning():
            page.press("Enter")
        page.press("Tab")
        assert page.focused.name == "Continue"
        with page.turning():
            page.press("Enter")
    identity = client.login.finish(login.to_token(), shop.back())
    assert [one["signer"] for one in sandbox.orders] == ["Ola Nordmann"]
    signed_well(client, sandbox, identity, samples / "loan-agreement.pdf")


@pytest.mark.parametrize("lang", ["en", "nb"])
def test_every_page_suits_every_reader(
    client: signdoc.Client,
    order: signdoc.Order,
    shop: Shop,
    visited: Callable[..., Any],
    lang: str,
) -> None:
    sign, confirm, go_on = {
        "en": ("Sign", "I have read and understood the documents", "Continue"),
        "nb": ("Signer", "Jeg har lest og forstått dokumentene", "Fortsett"),
    }[lang]
    login = client.login.begin(order, shop.callback, ui_locales=lang)
    with visited(login.url, refused="422") as page:
        inspect(page, "signing", lang)
        with page.turning():
            page.click("button", sign)
        inspect(page, "not-understood", lang)
        # What is wrong is said at once, and again at the field.
        alert = page.find("alert")
        box = page.find("checkbox", confirm)
        assert box.marks["invalid"] == "true"
        assert alert.element in page.described_by(box)
        page.click("checkbox", confirm)
        with page.turning():
            page.click("button", sign)
        inspect(page, "confirmation", lang)
        page.find("status")
        with page.turning():
            page.click("link", go_on)
    assert client.login.finish(login.to_token(), shop.back()).sign_id == order.sign_id


def test_a_form_takes_the_customer_back(
    client: signdoc.Client, plain: signdoc.Order, shop: Shop, visited: Callable[..., Any]
) -> None:
    login = client.login.begin(plain, shop.callback, response_mode="form_post")
    with visited(login.url) as page:
        with page.turning():
            page.click("button", "Sign")
        inspect(page, "way-back")
        with page.turning():
            page.click("button", "Continue")
        assert page.url == shop.callback
    back = shop.back()
    assert isinstance(back, dict)
    assert client.login.finish(login.to_token(), back).sign_id == plain.sign_id


def test_who_comes_back_is_told_that_it_is_over(
    client: signdoc.Client, plain: signdoc.Order, shop: Shop, visited: Callable[..., Any]
) -> None:
    login = client.login.begin(plain, shop.callback)
    with visited(login.url, refused="400") as page:
        signing = page.url
        with page.turning():
            page.click("button", "Sign")
        shop.back()
        page.go(signing)
        inspect(page, "problem")
        page.find("alert")
        assert any("unknown or over" in text for text in page.texts)
        # The address of the login leads straight back to the merchant, who learns why.
        page.go(login.url)
        assert parse_qs(urlsplit(str(shop.back())).query)["error"] == ["invalid_request"]


def test_texts_are_shown_as_they_are(
    sandbox: signdoc.Sandbox, client: signdoc.Client, shop: Shop, visited: Callable[..., Any]
) -> None:
    text = "<h1>Hei på deg</h1>"
    order = client.sdo.create(NAME, [SdoDocument(text=text, description="Greeting")], **PLAIN)
    login = client.login.begin(order, shop.callback)
    with visited(login.url) as page:
        opened: list[Page] = []
        with page.opening(opened):
            page.click("link", "Open document 1: Greeting")
        assert opened[0].texts == [text]
        with page.turning():
            page.click("button", "Sign")
    client.login.finish(login.to_token(), shop.back())
    result = client.sdo.download(order)
    assert result.order_state is signdoc.SdoState.SIGN_COMPLETED
    assert result.documents[0].sdo


@pytest.mark.parametrize("lang", ["en", "nb"])
def test_a_customer_approves_a_certificate(
    sandbox: signdoc.Sandbox,
    client: signdoc.Client,
    samples: Path,
    shop: Shop,
    visited: Callable[..., Any],
    lang: str,
) -> None:
    pdf = samples / "loan-agreement.pdf"
    sign, *others = {
        "en": ("Sign", "Cancel", "Let signing fail"),
        "nb": ("Signer", "Avbryt", "La signeringen mislykkes"),
    }[lang]
    for button, name in zip(others, ("access_denied", "server_error"), strict=True):
        login = client.csc.begin(shop.callback, lang=lang)
        with visited(login.url) as page:
            inspect(page, "approval", lang)
            assert sandbox.client_id in page.texts
            with page.turning():
                page.click("button", button)
        with pytest.raises(signdoc.LoginError) as caught:
            client.csc.finish(login.to_token(), shop.back())
        assert caught.value.name == name
    login = client.csc.begin(shop.callback, lang=lang)
    with visited(login.url) as page, page.turning():
        page.click("button", sign)
    session = client.csc.finish(login.to_token(), shop.back())
    signed = session.sign_pdf(pdf)
    assert signed.data
    assert signdoc.verify(signed.data, pdf, trust=sandbox.trust.encode(), signer="Kari Nordmann").ok


@pytest.mark.parametrize(
    ("needs", "application", "worker", "form_post", "role"),
    [
        ("gunicorn", "web_wsgi:application", "sync", "", "link"),
        ("fastapi", "web_fastapi:app", "asgi", "yes", "button"),
    ],
)
def test_an_example_shop_gets_its_customer_back(
    browser: Browser,
    sandbox: signdoc.Sandbox,
    samples: Path,
    tmp_path: Path,
    needs: str,
    application: str,
    worker: str,
    form_post: str,
    role: str,
) -> None:
    pytest.importorskip(needs, reason=f"{needs} is not installed")
    pytest.importorskip("gunicorn", reason="gunicorn is not installed")
    taken = listening()
    port = port_of(taken)
    # For a browser localhost and 127.0.0.1 are two sites, as a shop and the service are.
    shop = f"http://localhost:{port}"
    environment = {
        **credentials(sandbox),
        "HOME": str(tmp_path),
        "SHOP_URL": shop,
        "SHOP_DOCUMENT": str(samples / "loan-agreement.pdf"),
        "SHOP_FOLDER": str(tmp_path / "signed"),
        "SHOP_FORM_POST": form_post,
    }
    arguments = ["--preload", f"--worker-class={worker}"]
    serving = served(
        REPOSITORY / "examples", application, *arguments, at=taken, environment=environment
    )
    with serving as (address, process), browser.page() as page:
        fetched(f"{address}/", process)
        page.go(f"{shop}/")
        with page.turning():
            page.click("button", "Sign")
        page.click("checkbox")
        with page.turning():
            page.click("button", "Sign")
        with page.turning():
            page.click(role, "Continue")
        assert page.texts == ["signed: 1 document, matches"]
        assert page.url.startswith(f"{shop}/callback")
    assert len(list((tmp_path / "signed").glob("*.pdf"))) == 1
