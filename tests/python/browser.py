"""Chromium, used as a person uses it: what the accessibility tree names, with mouse and keys.

The DevTools protocol is spoken over two pipes (``--remote-debugging-pipe``), so that nothing but
the browser is needed. Nothing sleeps: whoever waits is woken by an event of the browser.
"""

from __future__ import annotations

import base64
import json
import os
import re
import shutil
import signal
import subprocess
import threading
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Self

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

LIMIT = 180.0
VARIABLE = "SIGNDOC_CHROMIUM"
PROGRAMS = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
FLAGS = (
    "--headless",
    "--remote-debugging-pipe",
    # Neither the superuser nor most containers can have the browser's own sandbox, and the pages
    # are ours.
    "--no-sandbox",
    "--disable-dev-shm-usage",
    "--disable-gpu",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-default-apps",
    "--disable-extensions",
    "--disable-sync",
    "--hide-scrollbars",
    "--no-default-browser-check",
    "--no-first-run",
    "--no-proxy-server",
    "--lang=en-US",
    # Names and addresses elsewhere fail at once, whatever the browser wants there.
    "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1, EXCLUDE localhost",
)
DOMAINS = ("Page", "Network", "Runtime", "Log", "DOM", "CSS", "Accessibility")
KEYS = {"Tab": 9, "Enter": 13, "Space": 32, "ArrowDown": 40}
KEY_TEXTS = {"Enter": "\r", "Space": " "}


def at_home(folder: Path) -> dict[str, str]:
    """The environment of a browser that keeps everything in one folder."""
    return {**os.environ, "HOME": str(folder)}


def program(home: Path) -> str | None:
    """The browser to use: the one the environment names, else one that is installed."""
    named = os.environ.get(VARIABLE)
    for name in (named,) if named else PROGRAMS:
        path = shutil.which(name)
        # Some systems have a script under the name that only says what to install, or one that
        # runs from the folders below /home alone.
        if (
            path
            and subprocess.run(
                [path, "--version"], check=False, capture_output=True, env=at_home(home)
            ).returncode
            == 0
        ):
            return path
    assert not named, f"{VARIABLE} names {named}, which does not run"
    return None


def luminance(color: str) -> float:
    """The relative luminance of an opaque colour as CSS writes it (WCAG 2.2)."""
    parts = [int(part) / 255 for part in re.findall(r"\d+", color)]
    assert color.startswith("rgb(")
    red, green, blue = (
        part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts
    )
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


@dataclass(frozen=True)
class Node:
    """One node of the accessibility tree: what it is, what it is called, and its marks."""

    role: str
    name: str
    marks: dict[str, Any]
    element: int


class Browser:
    """One Chromium and the pipes to it."""

    def __init__(self, path: str, folder: Path) -> None:
        self._news = threading.Condition()
        self._answers: dict[int, dict[str, Any]] = {}
        self._events: list[dict[str, Any]] = []
        self._ended = False
        self._calls = 0
        self._log = folder / "browser.log"
        command = [path, *FLAGS, f"--user-data-dir={folder / 'profile'}", "about:blank"]
        with self._log.open("wb") as log:
            self._process = subprocess.Popen(
                # The browser reads from the third descriptor and writes to the fourth.
                ["/bin/sh", "-c", 'exec "$@" 3<&0 4>&1 </dev/null >&2', "sh", *command],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=log,
                bufsize=0,
                start_new_session=True,
                env=at_home(folder),
            )
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()
        try:
            # Pages that open by themselves wait until they are watched, too.
            self.call(
                "Target.setAutoAttach",
                autoAttach=True,
                waitForDebuggerOnStart=True,
                flatten=True,
                filter=[{"type": "page"}],
            )
        except BaseException:
            self.close()
            raise

    def _read(self) -> None:
        assert self._process.stdout
        rest = b""
        while chunk := os.read(self._process.stdout.fileno(), 1 << 20):
            *whole, rest = (rest + chunk).split(b"\0")
            with self._news:
                for text in whole:
                    message = json.loads(text)
                    if "id" in message:
                        self._answers[message["id"]] = message
                    else:
                        self._events.append(message)
                self._news.notify_all()
        with self._news:
            self._ended = True
            self._news.notify_all()

    def _wait(self, found: Callable[[], Any], what: str) -> Any:
        result = None

        def over() -> bool:
            nonlocal result
            result = found()
            return result is not None or self._ended

        with self._news:
            ended = self._news.wait_for(over, LIMIT)
        if result is None:
            why = "the browser ended" if ended else f"nothing came within {LIMIT:.0f} seconds"
            said = self._log.read_text(errors="replace")[-2000:]
            raise AssertionError(f"waiting for {what}: {why}; it said: {said}")
        return result

    def call(self, method: str, session: str | None = None, /, **parameters: Any) -> Any:
        """Asks the browser, or one page of it, and waits for the answer."""
        number = self.ask(method, session, **parameters)
        try:
            return self.answer(number)
        except AssertionError as error:
            error.add_note(f"this was asked: {method}")
            raise

    def ask(self, method: str, session: str | None = None, /, **parameters: Any) -> int:
        """Asks without waiting; returns the number of the question."""
        self._calls += 1
        number = self._calls
        message = {"id": number, "method": method, "params": parameters}
        text = json.dumps(message | ({"sessionId": session} if session else {}))
        left = memoryview(text.encode() + b"\0")
        assert self._process.stdin
        while left:
            left = left[self._process.stdin.write(left) :]
        return number

    def answer(self, number: int) -> Any:
        """Waits for the answer to a question."""
        answer = self._wait(lambda: self._answers.pop(number, None), f"answer {number}")
        assert "error" not in answer, answer["error"]["message"]
        return answer["result"]

    @property
    def now(self) -> int:
        """How many events there were."""
        with self._news:
            return len(self._events)

    def events(self, method: str, session: str | None = None, since: int = 0) -> list[Any]:
        """What the events of one kind said."""
        with self._news:
            events = self._events[since:]
        return [
            event["params"]
            for event in events
            if event["method"] == method and event.get("sessionId") == session
        ]

    def event(
        self,
        method: str,
        session: str | None = None,
        since: int = 0,
        wanted: Callable[[Any], bool] = lambda _: True,
    ) -> Any:
        """The first event of one kind, which may still be on its way."""

        def found() -> Any:
            events = self.events(method, session, since)
            return next((event for event in events if wanted(event)), None)

        return self._wait(found, method)

    @contextmanager
    def page(self, *, scripts: bool = True) -> Iterator[Page]:
        """A page of its own: no cookie and no storage is shared with another."""
        context = self.call("Target.createBrowserContext")["browserContextId"]
        since = self.now
        self.call("Target.createTarget", url="about:blank", browserContextId=context)
        page = Page(self, context, since, scripts=scripts)
        try:
            yield page
        finally:
            self.call("Target.disposeBrowserContext", browserContextId=context)

    def close(self) -> None:
        """Ends the browser and everything it started."""
        assert self._process.stdin
        assert self._process.stdout
        # It ends when nobody speaks to it any more.
        self._process.stdin.close()
        try:
            self._process.wait(LIMIT)
        except subprocess.TimeoutExpired:
            os.killpg(self._process.pid, signal.SIGKILL)
            self._process.wait()
        self._reader.join(LIMIT)
        self._process.stdout.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


class Page:
    """One page: where it goes, what it shows, and what a person does there."""

    def __init__(self, browser: Browser, context: str, since: int, *, scripts: bool) -> None:
        self._browser = browser
        self._context = context
        self._scripts = scripts
        opened = browser.event(
            "Target.attachedToTarget",
            since=since,
            wanted=lambda event: event["targetInfo"]["browserContextId"] == context,
        )
        self._session: str = opened["sessionId"]
        # A page that waits answers nothing yet, but keeps the order.
        asked = [browser.ask(f"{domain}.enable", self._session) for domain in DOMAINS]
        for method, parameters in (
            ("Page.setLifecycleEventsEnabled", {"enabled": True}),
            ("Emulation.setScriptExecutionDisabled", {"value": not scripts}),
            ("Runtime.runIfWaitingForDebugger", {}),
        ):
            asked.append(browser.ask(method, self._session, **parameters))
        for number in asked:
            browser.answer(number)

    def call(self, method: str, **parameters: Any) -> Any:
        """Asks the page by the protocol."""
        return self._browser.call(method, self._session, **parameters)

    def _loaded(self, since: int) -> None:
        """Waits for the page that comes next to be there whole."""
        frame = self._browser.event(
            "Page.frameNavigated",
            self._session,
            since,
            lambda event: "parentId" not in event["frame"],
        )["frame"]
        self._browser.event(
            "Page.lifecycleEvent",
            self._session,
            since,
            lambda event: event["name"] == "load" and event["loaderId"] == frame["loaderId"],
        )

    def go(self, url: str) -> None:
        """Goes to an address, and on to wherever it leads."""
        with self.turning():
            self.call("Page.navigate", url=url)

    @contextmanager
    def turning(self) -> Iterator[None]:
        """What is done here leads to another page; waits for it."""
        since = self._browser.now
        yield
        self._loaded(since)

    @contextmanager
    def opening(self, opened: list[Page]) -> Iterator[None]:
        """What is done here opens another page, which is added to the list when it is there."""
        since = self._browser.now
        yield
        page = Page(self._browser, self._context, since, scripts=self._scripts)
        page._loaded(since)
        opened.append(page)

    @property
    def url(self) -> str:
        """Where the page is."""
        return str(self.call("Page.getNavigationHistory")["entries"][-1]["url"])

    @property
    def tree(self) -> list[Node]:
        """What the page shows, in reading order, as those who do not see it are told."""
        nodes = {node["nodeId"]: node for node in self.call("Accessibility.getFullAXTree")["nodes"]}
        (root,) = (node for node in nodes.values() if "parentId" not in node)
        shown, left = [], [root]
        while left:
            node = left.pop()
            left += [nodes[number] for number in reversed(node["childIds"]) if number in nodes]
            if not node["ignored"]:
                shown.append(node)
        return [
            Node(
                node["role"]["value"],
                node.get("name", {}).get("value", ""),
                {mark["name"]: mark["value"].get("value") for mark in node.get("properties", [])},
                node.get("backendDOMNodeId", 0),
            )
            for node in shown
        ]

    def find(self, role: str, name: str | None = None) -> Node:
        """The only node of a role and maybe a name."""
        tree = self.tree
        found = [node for node in tree if node.role == role and name in {None, node.name}]
        assert len(found) == 1, f"{len(found)} of role {role} and name {name} in {tree}"
        return found[0]

    @property
    def texts(self) -> list[str]:
        """The texts that are shown, piece by piece."""
        return [node.name for node in self.tree if node.role == "StaticText"]

    def attribute(self, selector: str, name: str) -> str | None:
        """An attribute of the first element that a CSS selector names."""
        root = self.call("DOM.getDocument")["root"]["nodeId"]
        element = self.call("DOM.querySelector", nodeId=root, selector=selector)["nodeId"]
        assert element, f"nothing is {selector}"
        flat = self.call("DOM.getAttributes", nodeId=element)["attributes"]
        return dict(zip(flat[::2], flat[1::2], strict=True)).get(name)

    def contrasts(self, selector: str) -> list[float]:
        """How much the text of elements differs from what is behind it (WCAG 2.2, 1.4.3)."""
        root = self.call("DOM.getDocument")["root"]["nodeId"]
        found = self.call("DOM.querySelectorAll", nodeId=root, selector=selector)["nodeIds"]
        ratios = []
        for element in found:
            style = self.call("CSS.getComputedStyleForNode", nodeId=element)["computedStyle"]
            (color,) = (one["value"] for one in style if one["name"] == "color")
            colors = self.call("CSS.getBackgroundColors", nodeId=element)
            for background in colors.get("backgroundColors", []):
                light = sorted((luminance(color), luminance(background)), reverse=True)
                ratios.append((light[0] + 0.05) / (light[1] + 0.05))
        return ratios

    def described_by(self, node: Node) -> list[int]:
        """The elements that describe a node."""
        whole = self.call("Accessibility.getPartialAXTree", backendNodeId=node.element)["nodes"][0]
        marks = {mark["name"]: mark["value"] for mark in whole["properties"]}
        related = marks.get("describedby", {}).get("relatedNodes", [])
        return [one["backendDOMNodeId"] for one in related]

    def box(self, node: Node) -> tuple[float, float, float, float]:
        """Left, top, right and bottom of a node in the window, in CSS pixels."""
        quads = self.call("DOM.getContentQuads", backendNodeId=node.element)["quads"]
        across = [place for quad in quads for place in quad[::2]]
        down = [place for quad in quads for place in quad[1::2]]
        return min(across), min(down), max(across), max(down)

    def click(self, role: str, name: str | None = None) -> None:
        """Clicks in the middle of what has this role and name."""
        node = self.find(role, name)
        self.call("DOM.scrollIntoViewIfNeeded", backendNodeId=node.element)
        quad = self.call("DOM.getContentQuads", backendNodeId=node.element)["quads"][0]
        where = {"x": sum(quad[::2]) / 4, "y": sum(quad[1::2]) / 4}
        for kind in ("mouseMoved", "mousePressed", "mouseReleased"):
            button = {} if kind == "mouseMoved" else {"button": "left", "clickCount": 1}
            self.call("Input.dispatchMouseEvent", type=kind, **where, **button)

    def press(self, key: str) -> None:
        """Presses a key and lets it go."""
        about = {
            "key": {"Space": " "}.get(key, key),
            "code": key,
            "windowsVirtualKeyCode": KEYS[key],
        }
        text = {"text": KEY_TEXTS[key]} if key in KEY_TEXTS else {}
        self.call("Input.dispatchKeyEvent", type="keyDown", **about, **text)
        self.call("Input.dispatchKeyEvent", type="keyUp", **about)

    @property
    def focused(self) -> Node:
        """What the keyboard speaks to: the innermost, as the page itself is focused, too."""
        return [node for node in self.tree if node.marks.get("focused")][-1]

    def resize(self, width: int, height: int, *, scale: float, phone: bool) -> None:
        """Gives the page another window, in CSS pixels."""
        self.call(
            "Emulation.setDeviceMetricsOverride",
            width=width,
            height=height,
            deviceScaleFactor=scale,
            mobile=phone,
        )

    @property
    def width(self) -> float:
        """Width of what can be scrolled to, in CSS pixels."""
        return float(self.call("Page.getLayoutMetrics")["cssContentSize"]["width"])

    @property
    def picture(self) -> bytes:
        """The whole page as PNG."""
        shot = self.call("Page.captureScreenshot", captureBeyondViewport=True)
        return base64.b64decode(shot["data"])

    @property
    def requests(self) -> list[str]:
        """The address of everything that was asked for, inline data left out."""
        sent = self._browser.events("Network.requestWillBeSent", self._session)
        urls = [event["request"]["url"] for event in sent]
        return [url for url in urls if not url.startswith("data:")]

    def kind(self, url: str) -> str:
        """The content type that an address was answered with."""
        return str(
            self._browser.event(
                "Network.responseReceived",
                self._session,
                wanted=lambda event: event["response"]["url"] == url,
            )["response"]["mimeType"]
        )

    @property
    def complaints(self) -> list[str]:
        """Errors and warnings in the console, and scripts that failed.

        Some browsers say there that a site has no picture for their tabs, others do not.
        """
        session = self._session
        logged = [event["entry"] for event in self._browser.events("Log.entryAdded", session)]
        logged = [one for one in logged if not one.get("url", "").endswith("/favicon.ico")]
        said = [f"{one['level']}: {one['text']}" for one in logged]
        called = self._browser.events("Runtime.consoleAPICalled", session)
        thrown = self._browser.events("Runtime.exceptionThrown", session)
        return [*said, *map(str, called), *map(str, thrown)]
