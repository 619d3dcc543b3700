"""Verification and preflight: the vectors, what may be given, and how reports behave."""

from __future__ import annotations

import copy
import io
import json
import os
import pickle
import re
import signal
import threading
import time
from collections import deque
from datetime import UTC, datetime
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import pytest

import signdoc
from signdoc.verification import Change, Check, Finding, Findings, Report, Signer
from support import REPOSITORY

if TYPE_CHECKING:
    from pathlib import Path

DATA = REPOSITORY / "tests/data/verification"
CASES: list[dict[str, Any]] = json.loads(
    (REPOSITORY / "tests/vectors/verification.json").read_text()
)["cases"]
AT = datetime.fromtimestamp(1795179600, UTC)


def data(name: str) -> Path:
    return DATA / name


def keywords(pairs: list[tuple[str, str]]) -> dict[str, Any]:
    """The options of a case as the keywords of `verify`."""
    made: dict[str, Any] = {}
    claims: dict[str, str] = {}
    for name, value in pairs:
        if name == "at":
            made["at"] = datetime.fromtimestamp(int(value), UTC)
        elif name == "claim":
            claim, _, told = value.partition("=")
            claims[claim] = told
        elif name in ("converted", "strict"):
            made[name] = value == "true"
        elif name == "seal":
            place = () if value == "none" else tuple(map(_number, value.split(",")))
            made.setdefault("seals", []).extend([place] if place else [])
        elif name == "require":
            made["require"] = value.split(",")
        else:
            made[name] = value
    if claims:
        made["signer"] = claims
    return made


def _number(text: str) -> Any:
    return int(text) if text.isdecimal() else text


def report_of(case: dict[str, Any]) -> Report:
    files = [data(name) for name in case["files"]]
    original, trust = case.get("original"), case.get("trust")
    return signdoc.verify(
        files if len(files) > 1 else files[0],
        original and data(original),
        trust=trust and data(trust),
        **keywords(case["options"]),
    )


def check_report(expected: dict[str, Any], report: Report) -> None:
    statuses = {check.name: check.status for check in reversed(report.checks)}
    assert {name: statuses.get(name) for name in expected["checks"]} == expected["checks"]
    assert (report.ok, bool(report)) == (expected["ok"], expected["ok"])
    signatures = [one for one in report.signatures if one.kind == "signature"]
    if "kind" in expected:
        assert report.kind == expected["kind"]
    if "signers" in expected:
        assert [one.signer and one.signer.name for one in signatures] == expected["signers"]
    if "levels" in expected:
        assert [one.level for one in signatures] == expected["levels"]
    if expected["ok"]:
        report.raise_for_problems()
        return
    with pytest.raises(signdoc.VerificationError) as caught:
        report.raise_for_problems()
    assert caught.value.code == expected["problem"]
    failed = [check.name for check in report.checks if check.status == "failed"]
    assert caught.value.details["failed"] == failed


@pytest.mark.parametrize("case", CASES, ids=lambda case: case["id"])
def test_vector(case: dict[str, Any], capsys: pytest.CaptureFixture[str]) -> None:
    with capsys.disabled():
        print(f"\nvector verification/{case['id']} Client")
    expected = case["expect"]
    if "error" in expected:
        with pytest.raises(signdoc.SignDocError) as caught:
            report_of(case)
        assert caught.value.code == expected["error"]["code"]
        assert type(caught.value).__name__ == expected["error"]["class"]
    elif case.get("call") == "preflight":
        found = signdoc.preflight(data(case["files"][0]))
        assert set(expected["findings"]) <= {one.code for one in found}
        assert found.refused == expected["refused"]
    else:
        check_report(expected, report_of(case))


def good(**more: Any) -> Report:
    return signdoc.verify(
        data("signed.pdf"), data("loan.pdf"), trust=data("roots.pem"), at=AT, **more
    )


def test_documents_are_paths_bytes_or_files() -> None:
    signed, loan, roots = (
        data(name).read_bytes() for name in ("signed.pdf", "loan.pdf", "roots.pem")
    )
    reports = [
        good(),
        signdoc.verify(str(data("signed.pdf")), str(data("loan.pdf")), trust=roots, at=AT),
        signdoc.verify(signed, loan, trust=[roots], at=AT),
        signdoc.verify(bytearray(signed), memoryview(loan), trust=bytearray(roots), at=AT),
        signdoc.verify(io.BytesIO(signed), io.BytesIO(loan), trust=io.BytesIO(roots), at=AT),
    ]
    with data("signed.pdf").open("rb") as one, data("loan.pdf").open("rb") as two:
        reports.append(signdoc.verify(one, two, trust=[data("other-roots.pem"), roots], at=AT))
    assert all(report.ok for report in reports)
    assert len({report.to_json() for report in reports}) == 1


@pytest.mark.parametrize(
    ("call", "told"),
    [
        (lambda: signdoc.verify(7), "signed is of type int"),  # type: ignore[arg-type]
        (lambda: signdoc.verify([]), "signed is an empty list"),
        (lambda: signdoc.verify([b"", 7]), "signed[1] is of type int"),  # type: ignore[list-item]
        (lambda: signdoc.verify(b"", trust=7), "trust is of type int"),  # type: ignore[arg-type]
        (lambda: signdoc.verify(io.StringIO("x")), "signed is open as text"),  # type: ignore[arg-type]
        (lambda: signdoc.verify(b"", "missing.pdf"), "original (missing.pdf)"),
        (lambda: signdoc.verify(str(DATA)), "is the folder"),
        (lambda: signdoc.preflight(None), "pdf is of type NoneType"),  # type: ignore[arg-type]
    ],
)
def test_what_cannot_be_read_is_told(call: Any, told: str) -> None:
    with pytest.raises(signdoc.InputError, match=re.escape(told)) as caught:
        call()
    assert caught.value.details["field"]


def test_a_file_that_fails_is_not_hidden() -> None:
    class Failing(io.RawIOBase):
        def read(self, size: int = -1) -> bytes:
            raise PermissionError("not for you")

    with pytest.raises(PermissionError, match="not for you"):
        signdoc.verify(Failing())  # type: ignore[arg-type]


def test_the_signer_may_be_who_logged_in() -> None:
    claims = {"given_name": "Kari", "family_name": "Nordmann", "sub": "x", "auth_time": 1}
    assert good(signer=SimpleNamespace(claims=claims, sign_id="s")).ok
    assert good(signer=claims).ok
    assert not good(signer={**claims, "given_name": "Ola"}).ok
    assert good(signer=["name=Kari Nordmann", "serial=" + number()]).ok
    # Claims that say nothing about a certificate are no permission.
    assert good(signer={"sub": "x"}).check("signer").status == "failed"
    assert good(signer={}).check("signer").status == "failed"
    assert not good(signer="").ok


def number() -> str:
    signer = good().signatures[0].signer
    assert signer is not None
    assert signer.serial_number is not None
    return signer.serial_number


def test_seals_may_be_objects() -> None:
    there = SimpleNamespace(x=40, y=60.5, page=1)
    assert good(seals=[there], require="seals").ok
    assert good(seals=[(40, 60)], require="seals").ok
    assert good(seals=[]).check("seals").status == "failed"


def test_form_filling_can_be_forbidden() -> None:
    assert good(form_filling=False).ok


def test_a_report_can_be_kept_and_compared() -> None:
    report = good()
    for twin in (pickle.loads(pickle.dumps(report)), copy.copy(report), copy.deepcopy(report)):
        assert twin == report
        assert hash(twin) == hash(report)
        assert twin.to_json() == report.to_json()
    assert report != good(seals=[(40, 60)])
    assert report != "report"
    assert json.loads(report.to_json())["ok"] is True
    assert report.check("integrity") == Check(
        "integrity", "passed", report.check("integrity").detail
    )
    with pytest.raises(KeyError):
        report.check("signer")


def test_what_was_changed_is_listed() -> None:
    permitted = good().changes
    assert permitted
    assert {type(one) for one in permitted} == {Change}
    assert all(one.permitted for one in permitted)
    swapped = signdoc.verify(data("altered.pdf"), data("loan.pdf"), trust=data("roots.pem"), at=AT)
    first = swapped.changes[0]
    assert (first.permitted, first.reference) == (False, "5 0 R")
    assert "content of a stream" in first.detail


def test_serial_sessions_have_a_report_each() -> None:
    files = [data("signed.pdf"), data("second.pdf")]
    report = signdoc.verify(files, data("loan.pdf"), trust=data("roots.pem"), at=AT)
    assert [link.ok for link in report.links] == [True, True]
    assert report.links[1].check("original").status == "passed"
    assert good().links == []


def test_the_repr_names_nobody_by_number() -> None:
    report = good(signer=number())
    assert report.ok
    error = signdoc.VerificationError("x")
    with pytest.raises(signdoc.VerificationError) as caught:
        good(signer=["name=Ola Hansen", "serial=" + number()]).raise_for_problems()
    error = caught.value
    shown = [repr(report), report._repr_html_(), repr(report.signatures), repr(error), str(error)]
    assert not any(number() in text for text in [*shown, str(error.details)])
    assert b"UN:NO" not in pickle.dumps(error)
    assert number() in report.to_json()


def test_the_tables() -> None:
    report = signdoc.verify(data("later.pdf"), trust=data("roots.pem"), at=AT)
    lines = repr(report).splitlines()
    assert lines[0] == "NOT verified"
    assert lines[1].split()[:2] == ["passed", "document"]
    assert any(line.split()[:2] == ["failed", "changes"] for line in lines)
    odd = Report(
        json.dumps(
            {
                "ok": False,
                "kind": "pdf",
                "checks": [{"name": "a<b", "status": "failed", "detail": "<script>\x1b[2J\u202e"}],
            }
        )
    )
    shown = odd._repr_html_()
    assert "<script>" not in shown
    assert "a&lt;b" in shown
    assert not re.search("[\x1b\u202e]", shown + repr(odd))
    with pytest.raises(signdoc.VerificationError):
        odd.raise_for_problems()


def test_findings_are_a_list_and_a_table() -> None:
    found = signdoc.preflight(data("attached.pdf"))
    assert isinstance(found, Findings)
    assert found[0].severity == "error"
    assert all(isinstance(one, Finding) for one in found)
    assert pickle.loads(pickle.dumps(found)) == found
    assert "EF_REMOVED" in repr(found)
    assert "<td>EF_REMOVED</td>" in found._repr_html_()
    assert repr(Findings()) == "nothing was found"


def test_values_are_values() -> None:
    one = Signer(name="Kari", serial_number="UN:NO-1")
    assert one == Signer("Kari", serial_number="UN:NO-1")
    assert "UN:NO" not in repr(one)
    with pytest.raises(AttributeError, match="cannot be changed"):
        one.name = "Ola"


def large(size: int) -> bytes:
    """A PDF whose one stream is as large as it takes, signed by nobody."""
    loan = data("loan.pdf").read_bytes()
    return loan + b"%" + b"x" * size + b"\n"


def test_other_threads_run_meanwhile() -> None:
    document, counted, done = large(30_000_000), 0, threading.Event()

    def count() -> None:
        nonlocal counted
        while not done.is_set():
            counted += 1
            time.sleep(0.001)

    thread = threading.Thread(target=count)
    thread.start()
    before = counted
    signdoc.verify(document, document, trust=data("roots.pem"))
    after = counted
    done.set()
    thread.join()
    assert after > before


def test_ctrl_c_ends_a_verification() -> None:
    document = large(10_000_000)
    timer = threading.Timer(0.1, os.kill, [os.getpid(), signal.SIGINT])
    timer.start()
    # Again and again, so that the signal finds one under way.
    with pytest.raises(KeyboardInterrupt):
        deque(iter(lambda: signdoc.verify(document, document), None), maxlen=0)
    timer.join()


def test_what_an_order_gives_back_verifies(
    sandbox: signdoc.Sandbox, client: signdoc.Client, samples: Path, tmp_path: Path
) -> None:
    loan, ours, theirs = (
        samples / "loan-agreement.pdf",
        signdoc.Seal(72, 600),
        signdoc.Seal(72, 700),
    )
    document = signdoc.PadesDocument(loan, merchant_seal=ours, end_user_seal=theirs)
    order = client.pades.create("Loan 4711", [document], visual_seals=True)
    login = client.login.begin(order, "https://shop.example/callback")
    identity = client.login.finish(login.to_token(), sandbox.visit(login).url)
    client.pades.wait(order)
    result = client.pades.download(order, to=tmp_path)
    signed, trust = result.documents[0], sandbox.trust.encode()
    assert signed.path is not None
    report = signdoc.verify(
        signed.path,
        loan,
        trust=trust,
        signer=identity,
        seals=[ours, theirs],
        require=["seals", "level"],
        signed_sha256=signed.signed_sha256,
        unsigned_sha256=signed.unsigned_sha256,
    )
    assert report.ok, repr(report)
    missing = signdoc.verify(signed.path, loan, trust=trust, seals=[theirs])
    assert missing.check("seals").status == "failed"
    assert (
        signdoc.verify(signed.path, data("loan.pdf"), trust=trust).check("original").status
        == "failed"
    )


def test_what_an_sdo_order_gives_back_verifies(
    sandbox: signdoc.Sandbox, client: signdoc.Client, samples: Path
) -> None:
    loan, text = samples / "loan-agreement.pdf", "Lån på 4711 kroner"
    documents = [signdoc.SdoDocument(pdf=loan), signdoc.SdoDocument(text=text)]
    order = client.sdo.create("Loan 4711", documents, results=["sdo"])
    login = client.login.begin(order, "https://shop.example/callback")
    identity = client.login.finish(login.to_token(), sandbox.visit(login).url)
    client.sdo.wait(order)
    trust = sandbox.trust.encode()
    for sdo, sent in zip(
        client.sdo.download(order).documents, [loan.read_bytes(), text.encode()], strict=True
    ):
        assert sdo.sdo is not None
        report = signdoc.verify(sdo.sdo, sent, trust=trust, signer=identity, require="revocation")
        assert report.ok, repr(report)
        assert (report.kind, report.signatures[-1].kind) == ("sdo", "seal")
