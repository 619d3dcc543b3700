"""Long-term proof: extended files outlive the certificates they were signed with."""

from __future__ import annotations

import asyncio
import pickle
import shutil
import subprocess
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

import pytest

import signdoc
from signdoc import aio

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

YEAR = 365 * 86_400


def _now(sandbox: signdoc.Sandbox) -> datetime:
    return datetime.fromtimestamp(sandbox.clock.now, UTC)


@pytest.fixture(scope="module")
def own() -> Iterator[signdoc.Sandbox]:
    """A sandbox whose clock may be moved by years."""
    with signdoc.Sandbox() as sandbox:
        yield sandbox


@pytest.fixture(scope="module")
def signed(own: signdoc.Sandbox, samples: Path) -> bytes:
    """A PDF signed by an end user, as an order gives it back."""
    with own.client() as client:
        document = signdoc.PadesDocument(samples / "loan-agreement.pdf")
        order = client.pades.create("Loan 4711", [document])
        own.sign(order)
        client.pades.wait(order)
        data = client.pades.download(order).documents[0].data
    assert data is not None
    return data


Face = "Callable[..., signdoc.Extended]"


@pytest.fixture(params=["blocking", "asyncio"])
def extend(request: pytest.FixtureRequest) -> Any:
    if request.param == "blocking":
        return signdoc.extend
    return lambda *args, **words: asyncio.run(aio.extend(*args, **words))


def _extended(
    own: signdoc.Sandbox, extend: Callable[..., signdoc.Extended], document: Any, **words: Any
) -> signdoc.Extended:
    words = {"trust": own.trust.encode(), "tsa_url": own.tsa_url, "at": _now(own), **words}
    return extend(document, **words)


def test_an_extended_file_outlives_its_certificates(
    own: signdoc.Sandbox, signed: bytes, extend: Any, tmp_path: Path
) -> None:
    trust = own.trust.encode()
    own.clock.reset()
    try:
        first = _extended(own, extend, signed, to=tmp_path / "first.pdf")
        assert first.path is not None
        assert (first.level, first.reached, first.notes) == ("B-LTA", True, [])
        assert {one.level for one in first.signatures} == {"B-LTA"}
        assert [one.kind for one in first.added].count("timestamp") == 1
        archived = (tmp_path / "first.pdf").read_bytes()
        assert archived.startswith(signed)
        assert first.size == len(archived)
        # The signer's certificate ends after two years, the one of the timestamps after five.
        own.clock.advance(seconds=4 * YEAR)
        renewed = _extended(own, extend, tmp_path / "first.pdf", to=tmp_path / "second.pdf")
        assert renewed.level == "B-LTA", renewed.notes
        assert (tmp_path / "second.pdf").read_bytes().startswith(archived)
        own.clock.advance(seconds=3 * YEAR)
        at = _now(own)
        assert not signdoc.verify(signed, trust=trust, at=at).ok
        report = signdoc.verify(tmp_path / "second.pdf", trust=trust, at=at, require="B-LTA")
        assert report.ok, repr(report)
        with pytest.raises(signdoc.VerificationError) as late:
            _extended(own, extend, archived)
        assert late.value.name in ("certificate_expired", "chain_untrusted")
    finally:
        own.clock.reset()


def test_what_is_told(own: signdoc.Sandbox, signed: bytes) -> None:
    made = _extended(own, signdoc.extend, signed, trust=None)
    assert made.data is not None
    assert made.reached
    assert "Root CA" in made.notes[0].about
    assert made.notes[0].advice in str(made.notes[0])
    assert pickle.loads(pickle.dumps(made)) == made
    assert "B-LTA" in repr(made)
    assert made.report.signatures
    assert any(one.source.endswith("/pki/ocsp") and one.time for one in made.added)
    # The same level asked for again without anybody to ask: nothing is lacking.
    again = signdoc.extend(made.data, level="B-LT", fetch=False, at=_now(own))
    assert again.data == made.data


def test_what_goes_wrong_out_there_is_noted(own: signdoc.Sandbox, signed: bytes) -> None:
    own.faults.add("status", path="/pki/ocsp", status=503, times=None)
    own.faults.add("garbage", path="/pki/i*", times=None)
    try:
        made = _extended(own, signdoc.extend, signed)
    finally:
        own.reset()
    assert any("503" in note.message for note in made.notes), made.notes


def test_what_cannot_be_extended_is_told_at_once(
    own: signdoc.Sandbox, signed: bytes, samples: Path, tmp_path: Path, extend: Any
) -> None:
    plain = samples / "loan-agreement.pdf"
    there = tmp_path / "there.pdf"
    there.write_bytes(b"there")
    cases: list[tuple[Any, dict[str, Any], type[Exception], str]] = [
        (plain, {}, signdoc.VerificationError, "signature_missing"),
        (b"<SDOList/>", {}, signdoc.InputError, "content_kind"),
        (b"GIF89a", {}, signdoc.InputError, "not_a_pdf"),
        (signed[:-200], {}, signdoc.VerificationError, ""),
        (signed, {"level": "B-T"}, signdoc.ConfigError, "invalid_option"),
        (signed, {"tsa_url": None}, signdoc.ConfigError, "missing_option"),
        (signed, {"tsa_url": "ftp://x"}, signdoc.ConfigError, "insecure_url"),
        (signed, {"to": there}, signdoc.InputError, "destination_exists"),
        (signed, {"revocations": b"x"}, signdoc.InputError, "invalid_argument"),
        (signed, {"trust": b"x"}, signdoc.VerificationError, "trust_unusable"),
        (tmp_path / "none.pdf", {}, signdoc.InputError, "document_not_found"),
    ]
    before = len(own.requests)
    for document, words, kind, name in cases:
        with pytest.raises(kind) as caught:
            _extended(own, extend, document, **words)
        assert isinstance(caught.value, signdoc.SignDocError)
        assert not name or caught.value.name == name, caught.value
    assert len(own.requests) == before
    assert there.read_bytes() == b"there"


def test_the_file_itself_may_be_replaced(
    own: signdoc.Sandbox, signed: bytes, tmp_path: Path, extend: Any
) -> None:
    own_file = tmp_path / "signed.pdf"
    own_file.write_bytes(signed)
    _extended(own, extend, own_file, to=own_file, overwrite=True)
    assert own_file.read_bytes().startswith(signed)
    assert own_file.stat().st_mode & 0o777 == 0o600


def _pyhanko_judgement(pdf: Path, root: bytes) -> Any:
    pytest.importorskip("pyhanko", reason="not judged by pyHanko: it is not installed")
    from pyhanko.keys import load_certs_from_pemder_data
    from pyhanko.pdf_utils.reader import PdfFileReader
    from pyhanko.sign.validation import ades
    from pyhanko.sign.validation.policy_decl import (
        PdfSignatureValidationSpec,
        RevinfoOnlineFetchingRule,
        RevocationInfoGatheringSpec,
        SignatureValidationSpec,
    )
    from pyhanko_certvalidator.context import CertValidationPolicySpec
    from pyhanko_certvalidator.policy_decl import (
        REQUIRE_REVINFO,
        CertRevTrustPolicy,
    )
    from pyhanko_certvalidator.registry import SimpleTrustManager

    policy = CertValidationPolicySpec(
        trust_manager=SimpleTrustManager.build(list(load_certs_from_pemder_data(root))),
        revinfo_policy=CertRevTrustPolicy(REQUIRE_REVINFO),
    )
    spec = PdfSignatureValidationSpec(
        SignatureValidationSpec(
            policy,
            revinfo_gathering_policy=RevocationInfoGatheringSpec(
                online_fetching_rule=RevinfoOnlineFetchingRule.LOCAL_ONLY
            ),
        )
    )
    with pdf.open("rb") as file:
        embedded = PdfFileReader(file).embedded_regular_signatures[-1]
        return asyncio.run(ades.ades_lta_validation(embedded, spec))


def test_pyhanko_finds_long_term_proof(own: signdoc.Sandbox, signed: bytes, tmp_path: Path) -> None:
    """pyHanko's validation of AdES signatures with long-term data (EN 319 102-1, 5.6)."""
    own.clock.reset()
    out = tmp_path / "out.pdf"
    _extended(own, signdoc.extend, signed, to=out)
    found = _pyhanko_judgement(out, own.trust.encode())
    assert found.ades_subindic.name == "OK", found


def test_pdfsig_accepts_extended_files(own: signdoc.Sandbox, signed: bytes, tmp_path: Path) -> None:
    if shutil.which("pdfsig") is None:
        pytest.skip("not judged by pdfsig: it is not installed (apt-get install poppler-utils)")
    out = tmp_path / "out.pdf"
    _extended(own, signdoc.extend, signed, to=out)
    said = subprocess.run(
        ["pdfsig", "-nocert", str(out)], capture_output=True, text=True, check=True
    ).stdout
    # Document timestamps are listed without being judged.
    assert said.count("Signature is Valid") == 2, said
    assert said.count("Signature Validation:") == 3, said
    assert said.rindex("Total document signed") > said.index("Timestamp1"), said
