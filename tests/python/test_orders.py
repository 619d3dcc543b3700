"""Sign orders of both kinds, through both clients."""

from __future__ import annotations

import asyncio
import base64
import hashlib
import inspect
import io
import pickle
import signal
import time
from typing import TYPE_CHECKING, Any

import pytest

import signdoc
from signdoc import PadesDocument, PadesState, SdoDocument, SdoState, Seal, _native
from support import PDF, credentials, started

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

PADES = "/signdoc/pades"
SDO = "/signdoc"


class Face:
    """Calls of a client, waited for here in whichever way it is done."""

    def __init__(self, sandbox: signdoc.Sandbox, name: str) -> None:
        self.client: Any = sandbox.client() if name == "Client" else sandbox.async_client()

    def __call__(self, call: Callable[[Any], Any]) -> Any:
        made = call(self.client)
        return asyncio.run(made) if inspect.iscoroutine(made) else made


@pytest.fixture(params=["Client", "AsyncClient"])
def face(request: pytest.FixtureRequest, sandbox: signdoc.Sandbox) -> Iterator[Face]:
    face = Face(sandbox, request.param)
    yield face
    face(lambda client: client.close())


@pytest.fixture
def loan(samples: Path) -> Path:
    return samples / "loan-agreement.pdf"


def sha256(data: bytes) -> str:
    return base64.b64encode(hashlib.sha256(data).digest()).decode()


def counted(sandbox: signdoc.Sandbox, method: str, path: str) -> int:
    return sum((one.method, one.path) == (method, path) for one in sandbox.requests)


def test_the_states_are_those_of_the_specification() -> None:
    for kind, states in (("pades", PadesState), ("sdo", SdoState)):
        assert [(one.value, one.is_final) for one in states] == _native.order_states(kind)
    later = PadesState("WAITING_FOR_MOON")
    assert (later.is_known, later.is_final, later) == (False, False, "WAITING_FOR_MOON")


def test_the_groups_have_the_same_names(sandbox: signdoc.Sandbox) -> None:
    with sandbox.client() as blocking:
        awaited = sandbox.async_client()
        for group in ("pades", "sdo", "login"):
            one, other = getattr(blocking, group), getattr(awaited, group)
            names = {name for name in dir(one) if not name.startswith("_")}
            assert names == {name for name in dir(other) if not name.startswith("_")}
            for name in names:
                signatures = (inspect.signature(getattr(x, name)) for x in (one, other))
                first, second = (
                    [(one.name, one.kind, one.default) for one in signature.parameters.values()]
                    for signature in signatures
                )
                assert first == second, name
                assert inspect.getdoc(getattr(other, name))


def test_a_pades_order_from_end_to_end(
    sandbox: signdoc.Sandbox, face: Face, loan: Path, tmp_path: Path
) -> None:
    order = face(
        lambda client: client.pades.create(
            "Loan 4711",
            [
                PadesDocument(loan, "Loan agreement", end_user_seal=Seal(72, 100.5)),
                PadesDocument(loan.read_bytes(), end_user_only=True),
            ],
            results=["padesSignedPdf", "padesAppendix", "documentHash"],
            visual_seals=True,
            show_confirmation=False,
            timeout_seconds=600,
        )
    )
    assert order.kind == "pades"
    assert 85 < order.expires_in <= 90
    assert order.conversions == []
    sent = next(one.body for one in sandbox.requests if one.path == PADES)
    assert sent["signProperties"] == {
        "orderName": "Loan 4711",
        "showConfirmation": False,
        "timeoutSeconds": 600,
    }
    assert sent["padesSignProperties"] == {"addVisualSeals": True}
    assert sent["documents"][0]["endUserSealPos"] == {"x": 72, "y": 100.5, "page": 1}
    assert "endUserOnly" not in sent["documents"][0]
    assert sent["documents"][1]["endUserOnly"] is True

    assert face(lambda client: client.pades.state(order)) is PadesState.ORDER_RECEIVED
    login = face(lambda client: client.login.begin(order, "https://shop.example/callback"))
    back = sandbox.visit(login)
    identity = face(lambda client: client.login.finish(login.to_token(), back.url))
    assert identity.sign_id == order.sign_id
    assert identity.subject == identity.claims["sub"]
    assert identity.subject not in repr(identity)

    seen: list[PadesState] = []
    state = face(lambda client: client.pades.wait(identity.sign_id, on_state=seen.append))
    assert state is seen[-1] is PadesState.SIGN_COMPLETED
    result = face(lambda client: client.pades.download(order, to=tmp_path / "signed"))
    assert (result.sign_id, result.order_name) == (order.sign_id, "Loan 4711")
    assert result.order_state is PadesState.SIGN_COMPLETED
    names = [one.path.name for one in result.documents]
    assert names == ["loan-agreement.pdf", f"{order.sign_id}-2.pdf"]
    for one in result.documents:
        signed = one.path.read_bytes()
        assert signed.startswith(loan.read_bytes())
        assert signed.endswith(one.appendix_path.read_bytes())
        assert one.signed_sha256 == sha256(signed)
        assert one.unsigned_sha256 == sha256(loan.read_bytes())
        assert (one.signed_check, one.unsigned_check) == ("matches", "matches")
    assert result.documents[0].description == "Loan agreement"
    with pytest.raises(signdoc.OrderError) as caught:
        face(lambda client: client.pades.download(order.sign_id))
    assert type(caught.value) is signdoc.OrderNotFound


def test_an_sdo_order_in_memory(sandbox: signdoc.Sandbox, face: Face, loan: Path) -> None:
    text = "Lån på 4711 kroner"
    order = face(
        lambda client: client.sdo.create(
            "Loan 4711",
            [
                SdoDocument(text=text, description="Text"),
                SdoDocument(pdf=io.BytesIO(loan.read_bytes())),
                SdoDocument(
                    xml="<loan>4711</loan>",
                    xls='<x:stylesheet version="1.0"'
                    ' xmlns:x="http://www.w3.org/1999/XSL/Transform"/>',
                ),
            ],
            results=["sdo", "basicSignature", "documentHash"],
        )
    )
    assert order.kind == "sdo"
    assert face(lambda client: client.sdo.state(order)) is SdoState.ORDER_RECEIVED
    with pytest.raises(signdoc.InputError, match="kind"):
        face(lambda client: client.pades.state(order))
    sandbox.sign(order)
    assert face(lambda client: client.sdo.wait(order)) is SdoState.SIGN_COMPLETED
    result = face(lambda client: client.sdo.download(order))
    assert result.client_id == sandbox.client_id
    first, second, third = result.documents
    assert first.sdo.startswith(b"<?xml")
    assert first.merchant_signature[0] == first.end_user_signature[0] == 0x30
    assert first.document_hash == sha256(text.encode("latin-1"))
    assert second.document_hash == sha256(loan.read_bytes())
    assert [one.hash_check for one in (first, second, third)] == [
        "matches",
        "matches",
        "not_compared",
    ]
    assert first.path is None
    assert text not in repr(result)


def test_conversion_before_signing(
    sandbox: signdoc.Sandbox, face: Face, loan: Path, samples: Path, converter: str
) -> None:
    order = face(
        lambda client: client.pades.create(
            "o", [PadesDocument(loan), PadesDocument(loan, pdf_spec="PDFA_2B")]
        )
    )
    assert [(one.index, one.converted) for one in order.conversions] == [(0, False), (1, True)]
    sandbox.sign(order)
    result = face(lambda client: client.pades.download(order))
    assert [one.unsigned_check for one in result.documents] == ["matches", "matches"]
    documents = [
        PadesDocument(samples / name, pdf_spec="PDFA_2B")
        for name in ("loan-agreement.pdf", "corrupt.pdf")
    ]
    with pytest.raises(signdoc.ConversionError) as caught:
        face(lambda client: client.pades.create("o", documents))
    assert [one.converted for one in caught.value.results] == [True, False]
    assert sandbox.orders == []


XML = "<a/>"
REFUSED: list[tuple[str, Any, dict[str, Any], str]] = [
    ("pades", [], {}, "documents"),
    ("pades", [PadesDocument(b"GIF89a")], {}, "documents[0].pdf"),
    ("pades", [PadesDocument(PDF)], {"results": []}, "resultContent"),
    ("pades", [PadesDocument(PDF)], {"results": ["documentHash"]}, "resultContent"),
    ("pades", [PadesDocument(PDF)], {"results": ["sdo", "padesSignedPdf"]}, "resultContent"),
    ("pades", [PadesDocument(PDF)], {"results": "padesSignedPdf"}, "results"),
    ("pades", [PadesDocument(PDF)], {"name": " "}, "signProperties.orderName"),
    ("pades", [PadesDocument(PDF)], {"timeout_seconds": 0}, "signProperties.timeoutSeconds"),
    ("pades", [PadesDocument(PDF)], {"timeout_seconds": 1.5}, "signProperties.timeoutSeconds"),
    ("pades", [PadesDocument(PDF, pdf_spec="PDFA_1B")], {}, "documents[0].pdfSpec"),
    ("pades", [PDF], {}, "documents[0]"),
    ("pades", PadesDocument(PDF), {}, "documents"),
    ("sdo", [SdoDocument()], {}, "documents[0]"),
    ("sdo", [SdoDocument(text="t", xml=XML, xls=XML)], {}, "documents[0]"),
    ("sdo", [SdoDocument(text="t"), SdoDocument(xml=XML)], {}, "documents[1]"),
    ("sdo", [SdoDocument(text="t")], {"results": ["padesSignedPdf"]}, "resultContent"),
]


@pytest.mark.parametrize(("kind", "documents", "more", "field"), REFUSED)
def test_what_cannot_be_sent_is_refused_here(
    sandbox: signdoc.Sandbox, face: Face, kind: str, documents: Any, more: Any, field: str
) -> None:
    name = more.get("name", "o")
    how = {key: value for key, value in more.items() if key != "name"}
    with pytest.raises(signdoc.InputError) as caught:
        face(lambda client: getattr(client, kind).create(name, documents, **how))
    assert caught.value.details["field"] == field
    assert not [one for one in sandbox.requests if one.path in (PADES, SDO)]


def test_a_seal_belongs_on_a_page_that_is_there(face: Face, loan: Path) -> None:
    document = PadesDocument(loan, end_user_seal=Seal(1, 1, 99))
    with pytest.raises(signdoc.InputError, match="99") as caught:
        face(lambda client: client.pades.create("o", [document]))
    assert caught.value.details["field"] == "documents[0].endUserSealPos.page"
    wrong: Any = Seal("left", 1)  # type: ignore[arg-type]
    with pytest.raises(signdoc.InputError, match="Seal"):
        face(lambda client: client.pades.create("o", [PadesDocument(loan, merchant_seal=wrong)]))


def test_every_state_is_seen_in_order(sandbox: signdoc.Sandbox, loan: Path) -> None:
    with sandbox.client() as client:
        order = client.pades.create("o", [PadesDocument(loan)])
        seen: list[PadesState] = []

        def on_state(state: PadesState) -> None:
            seen.append(state)
            if not state.is_final:
                sandbox.step(order)

        client.pades.wait(order, on_state=on_state)
        wanted = [one for one in PadesState if one not in ("FAILED", "CANCELLED")]
        assert seen == wanted


def test_a_wait_ends_with_what_was_waited_for(
    sandbox: signdoc.Sandbox, face: Face, loan: Path
) -> None:
    order = face(lambda client: client.pades.create("o", [PadesDocument(loan)]))
    state = face(lambda client: client.pades.wait(order, until="ORDER_RECEIVED"))
    assert state is PadesState.ORDER_RECEIVED
    with pytest.raises(signdoc.RequestTimeout) as caught:
        face(lambda client: client.pades.wait(order, timeout=3))
    assert caught.value.details["order_state"] == "ORDER_RECEIVED"
    sandbox.cancel(order)
    assert face(lambda client: client.pades.wait(order)) is PadesState.CANCELLED
    until = [PadesState.SIGN_COMPLETED, PadesState.USER_SIGNING]
    with pytest.raises(signdoc.OrderCancelled):
        face(lambda client: client.pades.wait(order, until=until))


def test_a_wait_is_cancelled(sandbox: signdoc.Sandbox, loan: Path) -> None:
    async def calls() -> None:
        async with sandbox.async_client() as client:
            order = await client.pades.create("o", [PadesDocument(loan)])
            with pytest.raises(TimeoutError):
                await asyncio.wait_for(client.pades.wait(order), 0.1)

            def stop(state: PadesState) -> None:
                raise LookupError(state)

            with pytest.raises(LookupError, match="ORDER_RECEIVED"):
                await client.pades.wait(order, on_state=stop)

    asyncio.run(calls())


def test_windows_are_counted_here(sandbox: signdoc.Sandbox, face: Face, loan: Path) -> None:
    order = face(lambda client: client.pades.create("o", [PadesDocument(loan)]))
    sandbox.clock.advance(seconds=91)
    assert order.expires_in == 0
    before = len(sandbox.requests)
    with pytest.raises(signdoc.WindowExpired) as caught:
        face(lambda client: client.login.begin(order, "https://shop.example/callback"))
    assert caught.value.details["sign_id"] == order.sign_id
    assert len(sandbox.requests) == before
    with pytest.raises(signdoc.WindowExpired):
        face(lambda client: client.pades.state(order))
    with pytest.raises(signdoc.OrderNotFound):
        face(lambda client: client.pades.state(order.sign_id))
    with pytest.raises(signdoc.OrderNotFound):
        face(lambda client: client.pades.discard("never-there"))


@pytest.mark.parametrize(
    ("act", "error"),
    [
        ("nothing", signdoc.OrderNotReady),
        ("cancel", signdoc.OrderCancelled),
        ("fail", signdoc.OrderFailed),
    ],
)
def test_nothing_is_deleted_before_the_order_is_done(
    sandbox: signdoc.Sandbox,
    face: Face,
    loan: Path,
    tmp_path: Path,
    act: str,
    error: type[signdoc.OrderError],
) -> None:
    order = face(lambda client: client.pades.create("o", [PadesDocument(loan)]))
    if act != "nothing":
        getattr(sandbox, act)(order)
    with pytest.raises(error) as caught:
        face(lambda client: client.pades.download(order, to=tmp_path))
    assert caught.value.details["sign_id"] == order.sign_id
    assert counted(sandbox, "DELETE", PADES) == 0
    assert not list(tmp_path.iterdir())
    face(lambda client: client.pades.discard(order))
    assert sandbox.orders == []


def test_a_file_that_is_there_stops_the_download(
    sandbox: signdoc.Sandbox, face: Face, loan: Path, tmp_path: Path
) -> None:
    (tmp_path / "loan-agreement.pdf").write_text("mine")
    order = face(lambda client: client.pades.create("o", [PadesDocument(loan)]))
    sandbox.sign(order)
    with pytest.raises(signdoc.InputError, match="loan-agreement"):
        face(lambda client: client.pades.download(order, to=tmp_path))
    assert counted(sandbox, "DELETE", PADES) == 0
    result = face(lambda client: client.pades.download(order, to=tmp_path, overwrite=True))
    assert result.documents[0].path.read_bytes().startswith(b"%PDF-")


@pytest.mark.parametrize("folder", [True, False])
def test_a_lost_answer_loses_nothing_that_arrived(
    sandbox: signdoc.Sandbox, face: Face, loan: Path, tmp_path: Path, folder: bool
) -> None:
    documents = [PadesDocument(loan), PadesDocument(loan)]
    order = face(lambda client: client.pades.create("o", documents))
    sandbox.sign(order)
    sandbox.faults.add("cut_document", method="DELETE", path=PADES, document=2, at="middle")
    to = tmp_path if folder else None
    with pytest.raises(signdoc.OutcomeUnknown) as caught:
        face(lambda client: client.pades.download(order, to=to))
    error = caught.value
    assert error.details["sign_id"] == order.sign_id
    assert error.details["order_state"] == "gone"
    assert error.details["ask_again"] is False
    assert isinstance(error.download, signdoc.PadesDownload)
    first = error.download.documents[0]
    data = first.path.read_bytes() if first.path else first.data
    assert data is not None
    assert data.startswith(loan.read_bytes())
    twin = pickle.loads(pickle.dumps(error))
    assert twin.download.documents[0].path == first.path
    assert twin.download.documents[0].data is None
    assert counted(sandbox, "DELETE", PADES) == 1
    if folder:
        (found,) = face(lambda client: client.pades.recover(tmp_path))
        assert (found.outcome, found.sign_id) == ("partial", order.sign_id)
        assert (found.ask_again, found.order_state) == (False, "gone")
        assert found.journal.exists()
        found.dismiss()
        assert not found.journal.exists()
        assert face(lambda client: client.pades.recover(tmp_path)) == []
        assert first.path is not None
        assert first.path.exists()


def test_a_digest_that_differs_keeps_the_files(
    sandbox: signdoc.Sandbox, face: Face, loan: Path, tmp_path: Path
) -> None:
    order = face(lambda client: client.pades.create("o", [PadesDocument(loan)]))
    sandbox.sign(order)
    sandbox.faults.add("download", method="DELETE", path=PADES, change="signed_sha256")
    with pytest.raises(signdoc.SignDocError) as caught:
        face(lambda client: client.pades.download(order, to=tmp_path))
    assert caught.value.name == "digest_mismatch"
    assert isinstance(caught.value.download, signdoc.PadesDownload)
    assert caught.value.download.documents[0].signed_check == "differs"
    assert caught.value.download.documents[0].path == tmp_path / "loan-agreement.pdf"


def test_a_process_that_is_killed_loses_nothing(
    sandbox: signdoc.Sandbox, client: signdoc.Client, loan: Path, tmp_path: Path
) -> None:
    order = client.pades.create("o", [PadesDocument(loan), PadesDocument(loan)])
    sandbox.sign(order)
    sandbox.faults.add("stall", method="DELETE", path=PADES, after_bytes=180_000)
    code = """
        import asyncio, sys, signdoc
        async def main():
            async with signdoc.AsyncClient.from_env() as client:
                await client.pades.download(sys.argv[1], to=sys.argv[2])
        asyncio.run(main())
    """
    process = started(code, order.sign_id, str(tmp_path), **credentials(sandbox))
    # The answer is put aside as it arrives, and taken apart when it is whole.
    while max((path.stat().st_size for path in tmp_path.iterdir()), default=0) < 170_000:
        assert process.poll() is None, process.communicate()
        time.sleep(0.02)
    process.send_signal(signal.SIGKILL)
    process.communicate(timeout=120)
    (found,) = client.pades.recover(tmp_path)
    assert (found.outcome, found.order_state) == ("partial", "gone")
    assert found.download is not None
    whole = [one for one in found.download.documents if one.path]
    assert whole
    for one in whole:
        assert one.path is not None
        assert sha256(one.path.read_bytes()) == one.signed_sha256 or one.signed_sha256 is None
        assert one.path.read_bytes().startswith(loan.read_bytes())


def test_a_download_goes_on_when_its_task_is_cancelled(
    sandbox: signdoc.Sandbox, loan: Path, tmp_path: Path
) -> None:
    async def calls() -> None:
        async with sandbox.async_client() as client:
            order = await client.pades.create("o", [PadesDocument(loan)])
            sandbox.sign(order)
            sandbox.faults.add("delay", method="DELETE", path=PADES, delay_ms=300)
            task = asyncio.create_task(client.pades.download(order, to=tmp_path))
            while not list(tmp_path.iterdir()):
                await asyncio.sleep(0.01)
            await asyncio.sleep(0.1)
            task.cancel()
            with pytest.raises(asyncio.CancelledError):
                await task
            for _ in range(500):
                if (tmp_path / "loan-agreement.pdf").exists():
                    return
                await asyncio.sleep(0.02)
            raise AssertionError("the only copy was dropped")

    asyncio.run(calls())


def test_an_order_goes_to_another_process(sandbox: signdoc.Sandbox, face: Face, loan: Path) -> None:
    order = face(lambda client: client.pades.create("o", [PadesDocument(loan)]))
    twin = pickle.loads(pickle.dumps(order))
    assert (twin.sign_id, twin.kind) == (order.sign_id, "pades")
    assert loan.read_bytes()[:64] not in pickle.dumps(order)
    with pytest.raises(signdoc.InputError, match="saved order"):
        signdoc.Order.from_json("{}")
    sandbox.sign(order)
    result = face(lambda client: client.pades.download(twin))
    assert result.documents[0].unsigned_check == "matches"
    second = face(lambda client: client.pades.create("o", [PadesDocument(loan)]))
    sandbox.sign(second)
    result = face(lambda client: client.pades.download(second.sign_id, originals=[loan]))
    assert result.documents[0].unsigned_check == "matches"


def test_one_signs_after_the_other(sandbox: signdoc.Sandbox, face: Face, loan: Path) -> None:
    first = face(lambda client: client.pades.create("first", [PadesDocument(loan, "Loan")]))
    sandbox.sign(first, person="kari")
    signed = face(lambda client: client.pades.download(first))
    documents = [one.to_document() for one in signed.documents]
    second = face(lambda client: client.pades.create("second", documents))
    assert second.expires_in > 85
    sandbox.sign(second, person="ola")
    both = face(lambda client: client.pades.download(second)).documents[0]
    assert both.description == "Loan"
    assert both.data.startswith(signed.documents[0].data)
    assert both.data.count(b"/ByteRange") > signed.documents[0].data.count(b"/ByteRange")


def test_progress_of_orders(sandbox: signdoc.Sandbox, face: Face, samples: Path) -> None:
    told: list[signdoc.Progress] = []
    pdf = PadesDocument(samples / "largest.pdf")
    order = face(lambda client: client.pades.create("o", [pdf], progress=told.append))
    assert told[-1].sent == told[-1].to_send > 4_900_000
    sandbox.sign(order)
    told.clear()
    face(lambda client: client.pades.download(order, progress=told.append))
    assert told[-1].received > 4_900_000


@pytest.mark.parametrize("shape", ["object", "json_string", "text"])
def test_every_shape_of_a_state(
    sandbox: signdoc.Sandbox, face: Face, loan: Path, shape: str
) -> None:
    sandbox.set_variants(order_state=shape)
    order = face(lambda client: client.pades.create("o", [PadesDocument(loan)]))
    assert face(lambda client: client.pades.state(order)) is PadesState.ORDER_RECEIVED
    sandbox.faults.add("status", method="GET", path=PADES, status=200, json="WAITING_FOR_MOON")
    state = face(lambda client: client.pades.state(order))
    assert repr(state) == "<PadesState 'WAITING_FOR_MOON', unknown to this version>"
