"""Reports and previews as pages: in every face the same, and in headless Chromium as people see.

``SIGNDOC_PICTURES`` names a folder for pictures of the pages, and ``SIGNDOC_AXE`` the file
``axe.min.js`` of axe-core, which then looks the pages over.
"""

from __future__ import annotations

import itertools
import json
import os
import pickle
import re
import shutil
import subprocess
import sys
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

import signdoc
from browser import PROGRAMS, VARIABLE, Browser, program
from signdoc.previews import Preview, SealProblem
from signdoc.verification import Report
from support import REPOSITORY

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from browser import Page

pytestmark = pytest.mark.timeout(600)

DATA = REPOSITORY / "tests/data/verification"
AT = datetime.fromtimestamp(1795179600, UTC)
HOSTILE = "<img src=x onerror=alert(1)>\u202e\x1b[2J"
NUMBER = "01010112345"
SCHEMES = ("light", "dark")
# A phone as narrow as WCAG 2.2 has it (1.4.10), and a wide window.
WINDOWS = ((320, 640, 2.0, True), (1280, 800, 1.0, False))
POPPLER = shutil.which("pdftoppm")


def report(name: str, **more: Any) -> Report:
    original = DATA / "loan.pdf" if name.endswith(".pdf") else None
    return signdoc.verify(DATA / name, original, trust=DATA / "roots.pem", at=AT, **more)


def hostile() -> Report:
    """A report whose every text is hostile, and has the number of a person."""
    told = f"{HOSTILE} {NUMBER}"
    checks = [
        {"name": name, "status": status, "detail": told}
        for name in ("chain", "timestamp", told)
        for status in ("failed", "not_checked", "passed")
    ]
    place = {"page": 1, "x": -1e9, "y": 5, "width": 1e12, "height": 0.001}
    signature = {
        "field": told,
        "kind": "signature",
        "revision": 1,
        "coverage": told,
        "in_original": True,
        "signer": {"name": told, "organization": told, "serial_number": "UN:NO-9578-4-55512"},
        "claimed_time": told,
        "judged_at": {"time": told, "proof": "signature_timestamp", "authority": told},
        "level": told,
        "checks": checks,
        "place": place,
    }
    change = {
        "revision": 1,
        "object": told,
        "kind": told,
        "detail": "9578-4-55512 " + told,
        "place": place,
        "place_before": {**place, "x": 40.0},
    }
    overlap = {"field": told, "page": 1, "seal": [0, 0, 1, 1], "below": "text", "detail": told}
    return Report(
        json.dumps(
            {
                "ok": False,
                "kind": "pdf",
                "checks": checks,
                "signatures": [signature],
                "changes": {"base_len": 1, "permitted": [change], "forbidden": [change]},
                "overlaps": [overlap],
                "notes": [told],
                "pages": [{"page": 1, "width": 1e300, "height": 0.0}],
                "problem": {"name": told},
            }
        )
    )


def planned() -> Preview:
    places: Any = [(72, 640), (72, 60), (100, 70, 1, 320, 60), (500, 800), (10, 10, 7)]
    return signdoc.preview(DATA / "loan.pdf", places)


PAGES: dict[str, Callable[[], str]] = {
    "good": lambda: report("signed.pdf", seals=[(40, 60)]).to_html(title="signed.pdf"),
    "attack": lambda: report("altered.pdf").to_html(title="altered.pdf"),
    "stamped": lambda: report("stamped.pdf").to_html(),
    "sdo": lambda: report("loan.sdo").to_html(title="loan.sdo"),
    "hostile": lambda: hostile().to_html(title=HOSTILE),
    "preview": lambda: planned().to_html(title="loan.pdf"),
}


def test_the_same_report_is_the_same_page_in_every_face(tmp_path: Path) -> None:
    made = report("signed.pdf")
    page = made.to_html(title="signed.pdf")
    assert page == report("signed.pdf").to_html(title="signed.pdf")
    assert page == pickle.loads(pickle.dumps(made)).to_html(title="signed.pdf")
    assert page.startswith("<!doctype html>")
    assert "Signed by <bdi>Nordmann, Kari, TestBank AS</bdi>" in page
    assert "Validation data was added" in report("stamped.pdf").to_html()
    assert "UN:NO" in made.to_json()
    assert "UN:NO" not in page + made._repr_html_()
    # The program judges now, and its page says so.
    named = tmp_path / "page.html"
    command = [sys.executable, "-m", "signdoc", "verify", str(DATA / "signed.pdf"), "--json"]
    command += ["--trust", str(DATA / "roots.pem"), "--html", str(named)]
    ran = subprocess.run(command, check=False, capture_output=True, text=True)
    (told,) = json.loads(ran.stdout)["results"]
    told["problem"] = None
    assert named.read_text() == Report(json.dumps(told)).to_html(title="signed.pdf")


def test_a_signed_data_object_tells_what_confirms_its_times() -> None:
    page = report("loan.sdo").to_html()
    assert page.count(": confirmed by an answer about the certificate") == 2
    assert "Sealed by <bdi>Sealing Service (test)</bdi>" in page
    assert "nothing proves it" not in page
    assert "as the signer says; nothing proves it" in report("signed.pdf").to_html()


def test_serial_sessions_have_a_page_in_common() -> None:
    files = [DATA / "signed.pdf", DATA / "second.pdf"]
    made = signdoc.verify(files, DATA / "loan.pdf", trust=DATA / "roots.pem", at=AT)
    page = made.to_html()
    assert "2 of 2 files verified" in page
    assert page.count("<article>") == 2


def test_nothing_hostile_and_no_number_gets_through() -> None:
    for page in (hostile().to_html(title=HOSTILE), hostile()._repr_html_()):
        assert not re.search("[\x00-\x09\x0b-\x1f\u202a-\u202e]", page)
        assert "<img" not in page
        assert NUMBER not in page
        assert "9578-4-55512" not in page
        assert "&lt;img src=x onerror=alert(1)&gt;\\u{202e}\\u{1b}[2J (number)" in page
        assert "nan" not in page.lower().replace("finance", "")
    with pytest.raises(signdoc.InputError):
        hostile().to_html(pictures=DATA / "missing.pdf")


def test_a_preview_tells_what_is_wrong() -> None:
    preview = planned()
    kinds = [[problem.kind for problem in seal.problems] for seal in preview.seals]
    over = ["too_large", "over_seal"]
    assert kinds == [[], ["over_seal"], over, ["off_page"], ["no_such_page"]]
    assert (preview.ok, bool(preview), preview.page_count) == (False, False, 1)
    seal = preview.seals[2]
    assert (seal.page, seal.x, seal.y, seal.width, seal.height) == (1, 100, 70, 320, 60)
    assert isinstance(seal.problems[0], SealProblem)
    assert "at most 300 by 150" in str(seal.problems[0])
    assert pickle.loads(pickle.dumps(preview)) == preview
    assert "seal 4 at 500, 800 on page 1\n  off_page: " in repr(preview)
    assert preview._repr_html_().startswith('<div class="signdoc">')
    good = signdoc.preview(DATA / "loan.pdf", [signdoc.Seal(72, 640), (300, 640)])
    assert good
    assert good.seals[0].problems == []
    for wrong in ([], [(1, 1)] * 101, [(1, float("nan"))], [(1, 1, -1)], [(1,)]):
        given: Any = wrong
        with pytest.raises(signdoc.InputError) as caught:
            signdoc.preview(DATA / "loan.pdf", given)
        assert caught.value.details["field"].startswith("seals")
    with pytest.raises(signdoc.InputError):
        signdoc.preview(b"no pdf", [(1, 1)])


def test_pictures_are_drawn_where_they_are_asked_for(monkeypatch: pytest.MonkeyPatch) -> None:
    made = report("signed.pdf")
    assert "data:image/png" not in made.to_html()
    if POPPLER is None:
        print("no pictures: pdftoppm is not installed")
    else:
        page = made.to_html(pictures=DATA / "signed.pdf")
        assert page.count("data:image/png;base64,") == 2, "before and after"
        assert page == made.to_html(pictures=(DATA / "signed.pdf").read_bytes())
        shown = planned().to_html(pictures=DATA / "loan.pdf")
        assert shown.count("data:image/png;base64,") == 1
        # What cannot be drawn is said, and fails nothing.
        assert "could not draw 1 of these pages" in made.to_html(pictures=b"no pdf")
    monkeypatch.setenv("PATH", "")
    with pytest.raises(signdoc.ConfigError, match="not installed"):
        made.to_html(pictures=DATA / "signed.pdf")


@pytest.fixture(scope="module")
def browser(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Browser]:
    folder = tmp_path_factory.mktemp("browser")
    path = program(folder)
    if path is None:
        pytest.skip(f"no browser: none of {', '.join(PROGRAMS)} runs, {VARIABLE} is not set")
    with Browser(path, folder) as browser:
        yield browser


def keep(page: Page, name: str) -> None:
    if folder := os.environ.get("SIGNDOC_PICTURES"):
        (Path(folder) / f"html-{name}.png").write_bytes(page.picture)


@pytest.mark.parametrize("name", PAGES)
def test_people_can_read_it(browser: Browser, tmp_path: Path, name: str) -> None:
    file = tmp_path / "page.html"
    file.write_text(PAGES[name](), encoding="utf-8")
    with browser.page(scripts=False) as page:
        page.go(file.as_uri())
        assert page.requests == [file.as_uri()], "it loads nothing"
        assert page.complaints == []
        headings = [node for node in page.tree if node.role == "heading"]
        levels = [node.marks["level"] for node in headings]
        assert levels[0] == 1
        assert all(after - before <= 1 for before, after in itertools.pairwise(levels))
        pictures = [node for node in page.tree if node.role in ("image", "img")]
        assert all(node.name for node in pictures)
        for width, height, scale, phone in WINDOWS:
            page.resize(width, height, scale=scale, phone=phone)
            for scheme in SCHEMES:
                feature = {"name": "prefers-color-scheme", "value": scheme}
                page.call("Emulation.setEmulatedMedia", features=[feature])
                assert page.width <= width, "nothing has to be scrolled to from side to side"
                assert min(page.contrasts("h1,h2,p,li,time,code,span.status")) >= 4.5
                keep(page, f"{name}-{width}-{scheme}")


def test_axe_finds_nothing(browser: Browser, tmp_path: Path) -> None:
    axe = os.environ.get("SIGNDOC_AXE")
    if axe is None:
        pytest.skip("SIGNDOC_AXE names no axe.min.js")
    file = tmp_path / "page.html"
    for name, make in PAGES.items():
        # axe is a script: the rule against scripts is left out for it alone.
        text = re.sub(r'<meta http-equiv="Content-Security-Policy"[^>]*>', "", make())
        file.write_text(text, encoding="utf-8")
        with browser.page() as page:
            page.go(file.as_uri())
            for scheme in SCHEMES:
                feature = {"name": "prefers-color-scheme", "value": scheme}
                page.call("Emulation.setEmulatedMedia", features=[feature])
                page.call("Runtime.evaluate", expression=Path(axe).read_text(encoding="utf-8"))
                asked = (
                    "axe.run().then(r => JSON.stringify(r.violations.map(v => [v.id, "
                    "v.nodes.map(n => n.html + ': ' + n.failureSummary).slice(0, 3)])))"
                )
                found = page.call(
                    "Runtime.evaluate", expression=asked, awaitPromise=True, returnByValue=True
                )
                assert json.loads(found["result"]["value"]) == [], f"{name}, {scheme}"
