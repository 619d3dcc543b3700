"""Evidence bundles: made from what a signing leaves, verified in one call, read by others."""

from __future__ import annotations

import asyncio
import base64
import hashlib
import io
import json
import shutil
import subprocess
import zipfile
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any, NamedTuple

import pytest

import signdoc
from signdoc import PadesDocument, SdoDocument, aio
from support import REPOSITORY

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

DATA = REPOSITORY / "tests/data/verification"
SIGNED, ROOTS = DATA / "signed.pdf", DATA / "roots.pem"
AT = datetime.fromtimestamp(1795179600, UTC)


@pytest.fixture(params=["signdoc", "signdoc.aio"])
def bundle(request: pytest.FixtureRequest) -> Callable[..., signdoc.Bundle]:
    if request.param == "signdoc":
        return signdoc.bundle
    return lambda *given, **named: asyncio.run(aio.bundle(*given, **named))


@pytest.fixture
def tsa(sandbox: signdoc.Sandbox) -> str:
    return sandbox.issuer.partition("/auth/")[0] + "/_sandbox/tsa"


class Signing(NamedTuple):
    loan: Path
    signed: Path
    done: signdoc.PadesDownload
    identity: signdoc.Identity


@pytest.fixture
def signing(sandbox: signdoc.Sandbox, samples: Path, tmp_path: Path) -> Signing:
    """What a signing leaves with the merchant."""
    loan = samples / "loan-agreement.pdf"
    with sandbox.client() as client:
        order = client.pades.create("Loan", [PadesDocument(loan)])
        login = client.login.begin(order, "https://shop.example/callback")
        identity = client.login.finish(login.to_token(), sandbox.visit(login).url)
        done = client.pades.download(order, to=tmp_path / "done")
    [document] = done.documents
    assert document.path is not None
    return Signing(loan, document.path, done, identity)


def sha256(path: Path) -> str:
    return base64.b64encode(hashlib.sha256(path.read_bytes()).digest()).decode()


def test_a_bundle_verifies_with_nothing_but_trust(
    bundle: Callable[..., signdoc.Bundle],
    sandbox: signdoc.Sandbox,
    signing: Signing,
    tsa: str,
    tmp_path: Path,
) -> None:
    order = {"signed_sha256": sha256(signing.signed), "unsigned_sha256": sha256(signing.loan)}
    claims = dict(signing.identity.claims)
    made = bundle(
        tmp_path / "loan.asice",
        signing.signed,
        signing.loan,
        order=order,
        identity=claims,
        evidence=[ROOTS],
        trust=sandbox.trust.encode(),
        tsa_url=tsa,
    )
    assert made.stamped
    assert made.data is None
    assert made.path == tmp_path / "loan.asice"
    assert made.size == (tmp_path / "loan.asice").stat().st_size
    trust = sandbox.trust.encode()
    report = signdoc.verify(made.path, trust=trust, require="container_timestamp")
    report.raise_for_problems()
    assert (report.kind, made.report.ok) == ("asice", True)
    for name in ("container", "contents", "container_timestamp", "order", "original"):
        assert report.check(name).status == "passed", report
    with zipfile.ZipFile(made.path) as archive:
        assert archive.testzip() is None
        assert archive.namelist()[0] == "mimetype"
        assert archive.read("signed.pdf") == signing.signed.read_bytes()
        assert json.loads(archive.read("order.json")) == order
        kept = json.loads(archive.read("identity.json"))
        assert "sub" not in kept
        assert not any(name.endswith("altsub") for name in kept)
        assert kept["auth_time"] == claims["auth_time"]
        found = json.loads(archive.read("report.json"))["report"]
        assert found["kind"] == "pdf"
        assert "serial_number" not in json.dumps(found)
        # Compared when the bundle was made, with the numbers that are not kept.
        assert {"signer": "passed"}.items() <= {
            one["name"]: one["status"] for one in found["checks"]
        }.items()
    assert report.check("identity").status == "not_checked"


def test_other_programs_read_it(
    sandbox: signdoc.Sandbox, tsa: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    made = signdoc.bundle(tmp_path / "a.asice", SIGNED, tsa_url=tsa)
    assert made.path is not None
    with zipfile.ZipFile(made.path) as archive:
        archive.extractall(tmp_path / "out")
    meta = tmp_path / "out/META-INF"
    (tmp_path / "roots.pem").write_text(sandbox.trust)
    judges: dict[str, list[Any]] = {
        "unzip": ["unzip", "-tq", made.path],
        "openssl": [
            "openssl",
            "ts",
            "-verify",
            "-token_in",
            *("-in", meta / "timestamp.tst"),
            *("-data", meta / "ASiCManifest.xml"),
            *("-CAfile", tmp_path / "roots.pem"),
        ],
    }
    for name, command in judges.items():
        if shutil.which(name) is None:
            with capsys.disabled():
                print(f"\n{name} is not installed: the bundle is not read by it")
            continue
        run = subprocess.run(command, capture_output=True, text=True, check=False)
        assert run.returncode == 0, run.stdout + run.stderr


def test_without_an_authority_it_says_so(bundle: Callable[..., signdoc.Bundle]) -> None:
    made = bundle(None, SIGNED.read_bytes(), trust=ROOTS, options={"at": int(AT.timestamp())})
    assert made.data is not None
    assert not made.stamped
    assert made.path is None
    assert made.report.check("container_timestamp").status == "not_checked"
    assert made.report.ok
    assert "data=" not in repr(made)
    report = signdoc.verify(made.data, trust=ROOTS, at=AT, require="container_timestamp")
    with pytest.raises(signdoc.VerificationError, match="container_timestamp"):
        report.raise_for_problems()


@pytest.mark.parametrize(
    ("name", "check", "constant"),
    [
        ("order.json", "contents", 807),
        ("extra.txt", "manifest", 821),
        ("mimetype", "container", 821),
    ],
)
def test_what_was_packed_anew_is_told_by_its_code(
    tmp_path: Path, name: str, check: str, constant: int
) -> None:
    made = signdoc.bundle(tmp_path / "a.asice", SIGNED, order={"state": "done"})
    assert made.path is not None
    anew = tmp_path / "b.asice"
    with zipfile.ZipFile(made.path) as good, zipfile.ZipFile(anew, "w") as bad:
        for entry in good.namelist():
            bad.writestr(entry, b"{}" if entry == name else good.read(entry))
        if name == "extra.txt":
            bad.writestr(name, b"more")
    report = signdoc.verify(anew, trust=ROOTS, at=AT)
    assert report.check(check).status == "failed"
    with pytest.raises(signdoc.VerificationError) as caught:
        report.raise_for_problems()
    assert caught.value.code == constant


def test_what_a_login_and_a_download_gave_goes_in_as_it_is(
    sandbox: signdoc.Sandbox, signing: Signing, tsa: str
) -> None:
    trust = sandbox.trust.encode()
    made = signdoc.bundle(
        None,
        signing.done,
        signing.loan,
        identity=signing.identity,
        numbers=True,
        trust=trust,
        tsa_url=tsa,
    )
    made.report.raise_for_problems()
    for name in ("order", "unsigned_digest", "signer", "container_timestamp"):
        assert made.report.check(name).status == "passed", made.report
    [document] = signing.done.documents
    assert signdoc.bundle(None, document, order=signing.done, trust=trust).report.ok


def test_an_sdo_gets_its_evidence_beside_it(sandbox: signdoc.Sandbox, tsa: str) -> None:
    trust = sandbox.trust.encode()
    with sandbox.client() as client:
        order = client.sdo.create("Terms", [SdoDocument(text="Terms")])
        sandbox.sign(order)
        done = client.sdo.download(order)
    made = signdoc.bundle(None, done, b"Terms", trust=trust, tsa_url=tsa)
    made.report.raise_for_problems()
    assert made.data is not None
    with zipfile.ZipFile(io.BytesIO(made.data)) as archive:
        names = archive.namelist()
    assert {"signed.sdo", "original.txt", "order.json", "evidence/1.cer"} <= set(names)
    for name in ("original", "container_timestamp"):
        assert made.report.check(name).status == "passed", made.report


def test_mistakes_are_told_by_the_field(tmp_path: Path) -> None:
    wrong: list[tuple[dict[str, Any], type[signdoc.SignDocError], str]] = [
        ({"order": {"at": object()}}, signdoc.SignDocError, "order"),
        ({"evidence": [b"none"]}, signdoc.SignDocError, "evidence[0]"),
        ({"options": {"unheard": "x"}}, signdoc.ConfigError, "unheard"),
        ({"original": tmp_path / "missing.pdf"}, signdoc.InputError, "original"),
        ({"tsa_url": "not a url"}, signdoc.ConfigError, "tsa_url"),
    ]
    for named, kind, field in wrong:
        with pytest.raises(kind) as caught:
            signdoc.bundle(None, SIGNED, **named)
        assert caught.value.details["field"] == field, caught.value
    (tmp_path / "there").write_bytes(b"")
    with pytest.raises(signdoc.SignDocError, match="exists already"):
        signdoc.bundle(tmp_path / "there", SIGNED)
