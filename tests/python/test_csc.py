"""The credential-based interface, through both clients."""

from __future__ import annotations

import asyncio
import hashlib
import inspect
import io
import json
import pickle
from typing import TYPE_CHECKING, Any

import pytest

import signdoc
from signdoc import PdfSeal, PdfToSign
from signdoc.csc import plan
from support import REPOSITORY

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

BACK = "https://shop.example/callback"
LIST = "/csc/v2/credentials/list"
SIGN = "/csc/v2/signatures/signHash"
DIGEST = hashlib.sha256(b"what is signed").digest()


class Face:
    """Calls of a client, waited for here in whichever way it is done."""

    def __init__(self, sandbox: signdoc.Sandbox, name: str) -> None:
        self.sandbox = sandbox
        options: Any = {"max_retries": 0}
        make = sandbox.client if name == "Client" else sandbox.async_client
        self.client: Any = make(**options)

    def __call__(self, made: Any) -> Any:
        return asyncio.run(made) if inspect.iscoroutine(made) else made

    def session(self) -> Any:
        login = self(self.client.csc.begin(BACK, lang="en"))
        callback = self.sandbox.visit(login)
        return self(self.client.csc.finish(login.to_token(), callback.url))


@pytest.fixture(params=["Client", "AsyncClient"])
def face(request: pytest.FixtureRequest, sandbox: signdoc.Sandbox) -> Iterator[Face]:
    face = Face(sandbox, request.param)
    yield face
    face(face.client.close())


@pytest.fixture
def loan(samples: Path) -> Path:
    return samples / "loan-agreement.pdf"


def counted(sandbox: signdoc.Sandbox, path: str) -> int:
    return sum(one.path == path for one in sandbox.requests)


def test_the_interface_tells_what_it_is(face: Face) -> None:
    info = face(face.client.csc.info())
    assert "signatures/signHash" in info.methods
    assert info == pickle.loads(pickle.dumps(info))
    assert "<table>" in info._repr_html_()


def test_hashes_are_signed_once(face: Face, sandbox: signdoc.Sandbox) -> None:
    session = face.session()
    credentials = face(session.credentials())
    assert credentials[0].certificates
    assert credentials[0].key_status == "enabled"
    assert "<table>" in credentials._repr_html_()
    assert credentials[0].credential_id in repr(credentials)
    again = face(session.credential_info(credentials[0].credential_id))
    assert again.certificates == credentials[0].certificates
    signatures = face(session.sign_hashes([DIGEST, bytearray(DIGEST)]))
    assert len(signatures) == 2
    with pytest.raises(signdoc.CscTokenError) as caught:
        face(session.sign_hashes([DIGEST]))
    assert (caught.value.name, caught.value.origin) == ("token_already_used", "local")
    assert (counted(sandbox, LIST), counted(sandbox, SIGN)) == (1, 1)


def test_the_steps_have_their_order(face: Face) -> None:
    session = face.session()
    with pytest.raises(signdoc.CscTokenError):
        face(session.sign_hash())
    with pytest.raises(signdoc.CscTokenError):
        face(session.authorize([DIGEST]))
    face(session.credentials())
    face(session.authorize([DIGEST], description="Loan 4711"))
    assert len(face(session.sign_hash())) == 1


@pytest.mark.parametrize(
    ("hashes", "more", "kind", "field"),
    [
        ([], {}, signdoc.CscRequestError, "hashes"),
        ([DIGEST] * 51, {}, signdoc.CscRequestError, "hashes"),
        ([DIGEST, b"short"], {}, signdoc.CscRequestError, "hashes[1]"),
        ([DIGEST], {"hash_algorithm": "md5"}, signdoc.CscRequestError, "hash_algorithm"),
        ([DIGEST], {"padding": "none"}, signdoc.InputError, "padding"),
        ([DIGEST], {"description": "x" * 501}, signdoc.InputError, "description"),
        (DIGEST, {}, signdoc.InputError, "hashes"),
        (["text"], {}, signdoc.InputError, "hashes[0]"),
    ],
)
def test_wrong_input_does_not_use_the_token(
    face: Face, sandbox: signdoc.Sandbox, hashes: Any, more: Any, kind: Any, field: str
) -> None:
    session = face.session()
    with pytest.raises(kind) as caught:
        face(session.sign_hashes(hashes, **more))
    assert caught.value.details["field"] == field
    assert counted(sandbox, LIST) == 0
    face(session.sign_hashes([DIGEST]))


def test_pdfs_are_signed_and_verify(
    face: Face, sandbox: signdoc.Sandbox, loan: Path, tmp_path: Path
) -> None:
    to = tmp_path / "new" / "signed.pdf"
    signed = face(face.session().sign_pdf(loan, to=to, reason="Loan", seal=PdfSeal(72, 700)))
    assert (signed.path, signed.data, signed.size) == (to, None, to.stat().st_size)
    assert to.stat().st_mode & 0o777 == 0o600
    trust = tmp_path / "root.pem"
    trust.write_text(sandbox.trust)
    report = signdoc.verify(to, original=loan, trust=trust)
    assert report.ok, report
    # Signed by somebody else as well: both signatures hold.
    again = face(face.session().sign_pdf(io.BytesIO(to.read_bytes())))
    assert again.data.startswith(to.read_bytes())
    assert signdoc.verify(again.data, original=to, trust=trust).ok
    with pytest.raises(signdoc.InputError) as caught:
        face(face.session().sign_pdf(loan, to=to))
    assert caught.value.name == "destination_exists"


def test_several_pdfs_need_one_session(face: Face, sandbox: signdoc.Sandbox, loan: Path) -> None:
    pdfs = [PdfToSign(loan), PdfToSign(loan.read_bytes(), reason="Loan")]
    face(face.client.csc.check_pdfs(pdfs))
    signed = face(face.session().sign_pdfs(pdfs))
    assert [one.index for one in signed] == [0, 1]
    assert counted(sandbox, SIGN) == 1


def test_what_cannot_be_signed_is_told_before_the_login(
    face: Face, sandbox: signdoc.Sandbox, loan: Path
) -> None:
    for pdf in (b"%PDF-1.7 nothing more", b"GIF89a", loan.with_name("nowhere.pdf")):
        with pytest.raises(signdoc.InputError) as caught:
            face(face.client.csc.check_pdfs([PdfToSign(loan), PdfToSign(pdf)]))
        assert caught.value.details["index"] == 1
    with pytest.raises(signdoc.InputError):
        face(face.client.csc.check_pdfs(PdfToSign(loan)))
    assert counted(sandbox, LIST) == 0


def table() -> list[dict[str, Any]]:
    path = REPOSITORY / "tests" / "vectors" / "spec" / "csc-errors.json"
    rows: list[dict[str, Any]] = json.loads(path.read_text())
    return rows


@pytest.mark.parametrize("row", table(), ids=lambda row: row["code"])
def test_each_error_arrives_typed(sandbox: signdoc.Sandbox, row: dict[str, Any]) -> None:
    face = Face(sandbox, "Client")
    session = face.session()
    sandbox.faults.add("csc_error", path=LIST, code=row["code"], spends=True)
    with pytest.raises(signdoc.CscError) as caught:
        session.sign_hashes([DIGEST])
    error = caught.value
    assert (error.name, error.http_status) == (row["code"], row["status"])
    assert error.category == row["category"]
    assert error.reference
    assert error.advice
    assert error.retryable == (row["category"] == "Service")
    assert pickle.loads(pickle.dumps(error)).name == error.name


def test_wrong_and_lost_signatures(face: Face, sandbox: signdoc.Sandbox) -> None:
    for change, name in (("other_hash", "signature_mismatch"), ("one_less", "hash_mismatch")):
        session = face.session()
        sandbox.faults.add("csc", path=SIGN, change=change)
        with pytest.raises(signdoc.CscError) as caught:
            face(session.sign_hashes([DIGEST]))
        assert caught.value.name == name
        with pytest.raises(signdoc.CscTokenError):
            face(session.sign_hashes([DIGEST]))
    session = face.session()
    sandbox.faults.add("reset", path=SIGN, when="after_work")
    with pytest.raises(signdoc.OutcomeUnknown) as lost:
        face(session.sign_hashes([DIGEST]))
    assert lost.value.details["session_over"] is True


def test_time_runs_out(face: Face, sandbox: signdoc.Sandbox) -> None:
    session = face.session()
    face(session.credentials())
    face(session.authorize([DIGEST]))
    sandbox.clock.advance(seconds=301)
    with pytest.raises(signdoc.CscRequestError) as caught:
        face(session.sign_hash())
    assert caught.value.name == "invalid_sad"
    assert counted(sandbox, SIGN) == 0


def test_the_user_may_not_agree(face: Face, sandbox: signdoc.Sandbox) -> None:
    login = face(face.client.csc.begin(BACK))
    callback = sandbox.visit(login, action="cancel")
    with pytest.raises(signdoc.LoginError) as caught:
        face(face.client.csc.finish(login.to_token(), callback.url))
    assert caught.value.name == "access_denied"
    login = face(face.client.csc.begin(BACK))
    url = sandbox.visit(login).url
    face(face.client.csc.finish(login.to_token(), url))
    with pytest.raises(signdoc.OAuthError) as replayed:
        face(face.client.csc.finish(login.to_token(), url))
    assert replayed.value.name == "invalid_grant"


def test_nothing_secret_is_shown_or_pickled(face: Face) -> None:
    login = face(face.client.csc.begin(BACK))
    assert login.to_token() not in repr(login)
    session = face.session()
    assert "token" not in repr(session).lower()
    with pytest.raises(TypeError):
        pickle.dumps(session)
    credential = face(session.credentials())[0]
    assert "Nordmann" not in repr(credential)


def test_a_plan_has_a_login_for_each_part() -> None:
    assert plan(120) == [range(50), range(50, 100), range(100, 120)]
    assert plan(0) == []


def test_without_an_address_nothing_begins(sandbox: signdoc.Sandbox) -> None:
    begin: Callable[..., Any] = sandbox.client(csc_url=None).csc.begin
    with pytest.raises(signdoc.ConfigError) as caught:
        begin(BACK)
    assert caught.value.details["field"] == "csc_url"
