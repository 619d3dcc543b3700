"""Programs from outside this project at the CSC interface, and as judges of what comes of it."""

from __future__ import annotations

import asyncio
import base64
import hashlib
import io
import json
import shutil
import subprocess
import urllib.parse
import urllib.request
from typing import TYPE_CHECKING, Any

import aiohttp
import pytest
from pyhanko.keys import load_certs_from_pemder_data
from pyhanko.pdf_utils.incremental_writer import IncrementalPdfFileWriter
from pyhanko.pdf_utils.reader import PdfFileReader
from pyhanko.sign import PdfSignatureMetadata, PdfSigner
from pyhanko.sign.fields import SigSeedSubFilter
from pyhanko.sign.signers import csc_signer
from pyhanko.sign.validation import validate_pdf_signature
from pyhanko_certvalidator import ValidationContext

import signdoc
from signdoc import PdfToSign
from signdoc.csc import plan
from support import REPOSITORY, STRAIGHT

if TYPE_CHECKING:
    from pathlib import Path

BACK = "https://shop.example/callback"
CORPUS = REPOSITORY.parent / "shared" / "corpus"


def posted(url: str, form: dict[str, str], authorization: str) -> dict[str, Any]:
    body = urllib.parse.urlencode(form).encode()
    request = urllib.request.Request(url, body, {"Authorization": authorization})
    with STRAIGHT.open(request, timeout=60) as reply:
        answer: dict[str, Any] = json.load(reply)
    return answer


def service_token(sandbox: signdoc.Sandbox) -> str:
    """What pyHanko leaves to its user: the two tokens of a session, by the standards alone."""
    with STRAIGHT.open(f"{sandbox.issuer}/.well-known/openid-configuration") as reply:
        endpoint = json.load(reply)["token_endpoint"]
    pair = f"{sandbox.client_id}:{sandbox.client_secret}".encode()
    basic = f"Basic {base64.b64encode(pair).decode()}"
    grant = {"grant_type": "client_credentials", "scope": "esign/csc"}
    own = posted(endpoint, grant, basic)["access_token"]
    verifier = "a-verifier-of-43-characters-or-more-0123456789"
    digest = hashlib.sha256(verifier.encode()).digest()
    query = {
        "response_type": "code",
        "client_id": sandbox.client_id,
        "redirect_uri": BACK,
        "code_challenge": base64.urlsafe_b64encode(digest).rstrip(b"=").decode(),
        "code_challenge_method": "S256",
        "state": "any",
    }
    callback = sandbox.visit(f"{sandbox.csc_url}/oauth2/authorize?{urllib.parse.urlencode(query)}")
    code = urllib.parse.parse_qs(urllib.parse.urlsplit(callback.url).query)["code"][0]
    grant = {
        "grant_type": "authorization_code",
        "code": code,
        "client_id": sandbox.client_id,
        "redirect_uri": BACK,
        "code_verifier": verifier,
    }
    token: str = posted(f"{sandbox.csc_url}/oauth2/token", grant, f"Bearer {own}")["access_token"]
    return token


class Authorization(csc_signer.CSCAuthorizationManager):
    """Asks for activation data as version 2 of the interface names things."""

    def __init__(self, http: aiohttp.ClientSession, *known: Any) -> None:
        super().__init__(*known)
        self.http = http

    async def authorize_signature(self, hash_b64s: list[str]) -> Any:
        body = {
            "credentialID": self.csc_session_info.credential_id,
            "numSignatures": len(hash_b64s),
            "hashes": hash_b64s,
            "hashAlgorithmOID": "2.16.840.1.101.3.4.2.1",
        }
        url = f"{self.csc_session_info.service_url}/csc/v2/credentials/authorize"
        async with self.http.post(
            url, json=body, headers=self.auth_headers, raise_for_status=True
        ) as reply:
            return self.parse_csc_auth_response(await reply.json())


class Signer(csc_signer.CSCSigner):
    """Asks for signatures as version 2 of the interface names things."""

    async def format_csc_signing_req(
        self, tbs_hashes: list[str], digest_algorithm: str
    ) -> dict[str, Any]:
        request = await super().format_csc_signing_req(tbs_hashes, digest_algorithm)
        request["hashes"] = request.pop("hash")
        request["hashAlgorithmOID"] = request.pop("hashAlgo")
        return dict(request)


async def signed_by_pyhanko(sandbox: signdoc.Sandbox, pdf: bytes) -> bytes:
    token = service_token(sandbox)
    base = sandbox.csc_url.removesuffix("/csc/v2")
    async with aiohttp.ClientSession() as http:
        headers = {"Authorization": f"Bearer {token}"}
        async with http.post(
            f"{sandbox.csc_url}/credentials/list", json={}, headers=headers, raise_for_status=True
        ) as reply:
            credential_id = (await reply.json())["credentialIDs"][0]
        session = csc_signer.CSCServiceSessionInfo(base, credential_id, token, "v2")
        credential = await csc_signer.fetch_certs_in_csc_credential(http, session)
        signer = Signer(http, Authorization(http, session, credential), embed_roots=False)
        metadata = PdfSignatureMetadata(
            field_name="Signature1", md_algorithm="sha256", subfilter=SigSeedSubFilter.PADES
        )
        writer = IncrementalPdfFileWriter(io.BytesIO(pdf))
        out = await PdfSigner(metadata, signer).async_sign_pdf(writer)
        return bytes(out.getbuffer())


@pytest.mark.parametrize("key", ["rsa2048", "p256"])
def test_another_client_signs_at_the_sandbox(
    sandbox: signdoc.Sandbox, samples: Path, tmp_path: Path, key: str
) -> None:
    loan = samples / "loan-agreement.pdf"
    sandbox.set_variants(csc_key=key)
    signed = asyncio.run(signed_by_pyhanko(sandbox, loan.read_bytes()))
    trust = tmp_path / "root.pem"
    trust.write_text(sandbox.trust)
    report = signdoc.verify(signed, original=loan, trust=trust)
    assert report.ok, report


def pyhanko_says(signed: bytes, field: str, root: str) -> str:
    roots = list(load_certs_from_pemder_data(root.encode()))
    context = ValidationContext(trust_roots=roots, allow_fetching=False)
    reader = PdfFileReader(io.BytesIO(signed), strict=False)
    (embedded,) = [one for one in reader.embedded_signatures if one.field_name == field]
    status = validate_pdf_signature(embedded, context)
    subfilter = embedded.sig_object["/SubFilter"]
    if subfilter != "/ETSI.CAdES.detached":
        return f"subfilter {subfilter}"
    return "accepts" if status.bottom_line else str(status.summary())


def pdfsig_says(path: Path, field: str) -> str:
    if shutil.which("pdfsig") is None:
        return "not installed"
    command = ["pdfsig", "-nocert", str(path)]
    done = subprocess.run(command, check=False, capture_output=True, text=True, errors="replace")
    # A file may hold signatures of others, which are not judged here.
    own = [one for one in done.stdout.split("Signature #") if f"Field Name: {field}\n" in one]
    return "accepts" if own and "Signature is Valid" in own[0] else "refuses"


def test_many_kinds_of_files_are_signed_and_accepted(
    sandbox: signdoc.Sandbox, tmp_path: Path
) -> None:
    if not CORPUS.is_dir():
        pytest.skip("no corpus: there is no folder shared/corpus beside the project")
    client = sandbox.client()
    signable = []
    for path in sorted(CORPUS.glob("*.pdf")):
        try:
            client.csc.check_pdfs([PdfToSign(path)])
        except signdoc.InputError as refused:
            print(f"refused {path.name}: {refused.name}")
        else:
            signable.append(path)
    accepted, against = 0, []
    for part in plan(len(signable)):
        login = client.csc.begin(BACK)
        session = client.csc.finish(login.to_token(), sandbox.visit(login).url)
        paths = [signable[index] for index in part]
        jobs = [PdfToSign(path, to=tmp_path / path.name) for path in paths]
        for one, path in zip(session.sign_pdfs(jobs), paths, strict=True):
            assert one.path is not None
            signed = one.path.read_bytes()
            assert signed.startswith(path.read_bytes())
            try:
                said = pyhanko_says(signed, one.field_name, sandbox.trust)
            except Exception as error:  # whatever it raises is its verdict
                said = f"{type(error).__name__}: {error}"
            other = pdfsig_says(one.path, one.field_name)
            if said == "accepts" and other != "refuses":
                accepted += 1
            else:
                against.append((path.name, " ".join(said.split())[:200], other))
    for name, said, other in against:
        print(f"not accepted by both: {name}: pyHanko {said}; pdfsig {other}")
    print(f"{accepted} of {len(signable)} signed files are accepted by pyHanko and pdfsig")
    assert accepted >= 40
