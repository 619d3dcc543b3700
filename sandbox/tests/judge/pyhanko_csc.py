"""Signs a PDF with pyHanko's own CSC client at the sandbox.

usage: pyhanko_csc.py SETTINGS.json IN.pdf OUT.pdf

The settings hold `issuer`, `client_id`, `client_secret`, `csc_url` and `control_url`. pyHanko
speaks the older version 1 of the interface: only where the versions differ is something put in its
place, the login in front and the names of two fields. Prints `RESULT signed` or
`RESULT not installed ...`.
"""

import asyncio
import base64
import hashlib
import json
import sys
import urllib.parse
import urllib.request

try:
    import aiohttp
    from asn1crypto import algos
    from pyhanko.pdf_utils.incremental_writer import IncrementalPdfFileWriter
    from pyhanko.sign import PdfSignatureMetadata, PdfSigner
    from pyhanko.sign.fields import SigSeedSubFilter
    from pyhanko.sign.signers.csc_signer import (
        CSCAuthorizationManager,
        CSCServiceSessionInfo,
        CSCSigner,
        fetch_certs_in_csc_credential,
    )
except ImportError as error:
    print(f"RESULT not installed: {error}")
    sys.exit(0)

REDIRECT = "https://shop.example/callback"
VERIFIER = "a-verifier-of-at-least-forty-three-characters-0123"
SHA256 = algos.DigestAlgorithmId("sha256").dotted


def post(url, headers, body):
    """The JSON that a POST is answered with."""
    request = urllib.request.Request(url, body, headers)  # noqa: S310 (loopback)
    with urllib.request.urlopen(request) as answer:  # noqa: S310
        return json.load(answer)


def form(fields):
    """Fields as a form."""
    return urllib.parse.urlencode(fields).encode()


def service_token(settings):
    """Logs a test person in; the token opens one signing session."""
    pair = f"{settings['client_id']}:{settings['client_secret']}".encode()
    basic = {"authorization": "Basic " + base64.b64encode(pair).decode()}
    endpoint = settings["issuer"] + "/protocol/openid-connect/token"
    wanted = form({"grant_type": "client_credentials", "scope": "esign/csc"})
    own = post(endpoint, basic, wanted)["access_token"]
    challenge = base64.urlsafe_b64encode(hashlib.sha256(VERIFIER.encode()).digest())
    query = {
        "response_type": "code",
        "client_id": settings["client_id"],
        "redirect_uri": REDIRECT,
        "code_challenge": challenge.decode().rstrip("="),
        "code_challenge_method": "S256",
        "state": "s",
    }
    url = f"{settings['csc_url']}/oauth2/authorize?{urllib.parse.urlencode(query)}"
    back = post(settings["control_url"] + "visit", {}, json.dumps({"url": url}).encode())
    parameters = urllib.parse.parse_qs(urllib.parse.urlsplit(back["callback"]["url"]).query)
    grant = {
        "grant_type": "authorization_code",
        "code": parameters["code"][0],
        "redirect_uri": REDIRECT,
        "code_verifier": VERIFIER,
    }
    bearer = {"authorization": f"Bearer {own}"}
    return post(settings["csc_url"] + "/oauth2/token", bearer, form(grant))["access_token"]


class Authorization(CSCAuthorizationManager):
    """Asks for activation data with the names of version 2."""

    def __init__(self, session, *args):
        super().__init__(*args)
        self.session = session

    async def authorize_signature(self, hash_b64s):
        """Activation data for exactly these hashes."""
        request = self.format_csc_auth_request(hash_b64s=hash_b64s)
        request["hashes"] = request.pop("hash")
        request["hashAlgorithmOID"] = SHA256
        url = self.csc_session_info.endpoint_url("credentials/authorize")
        headers = self.auth_headers
        async with self.session.post(
            url, headers=headers, json=request, raise_for_status=True
        ) as answer:
            return self.parse_csc_auth_response(await answer.json())


class Signer(CSCSigner):
    """Asks for signatures with the names of version 2."""

    async def format_csc_signing_req(self, tbs_hashes, digest_algorithm):
        """The request to signHash."""
        request = await super().format_csc_signing_req(tbs_hashes, digest_algorithm)
        request["hashes"] = request.pop("hash")
        request["hashAlgorithmOID"] = request.pop("hashAlgo")
        return request


async def sign(settings, source, target):
    """One session: list, info, authorize, signHash."""
    token = service_token(settings)
    headers = {"authorization": f"Bearer {token}", "content-type": "application/json"}
    listed = post(settings["csc_url"] + "/credentials/list", headers, b"{}")
    base = settings["csc_url"].removesuffix("/csc/v2")
    info = CSCServiceSessionInfo(
        service_url=base,
        credential_id=listed["credentialIDs"][0],
        oauth_token=token,
        api_ver="v2",
    )
    async with aiohttp.ClientSession() as session:
        credential = await fetch_certs_in_csc_credential(session, info)
        signer = Signer(session, Authorization(session, info, credential))
        metadata = PdfSignatureMetadata(
            field_name="Signature1",
            md_algorithm="sha256",
            subfilter=SigSeedSubFilter.PADES,
        )
        with open(source, "rb") as original, open(target, "wb") as output:
            writer = IncrementalPdfFileWriter(original)
            await PdfSigner(metadata, signer).async_sign_pdf(writer, output=output)
    print("RESULT signed")


def main():
    """Read the settings and sign."""
    with open(sys.argv[1], encoding="utf-8") as file:
        settings = json.load(file)
    asyncio.run(sign(settings, sys.argv[2], sys.argv[3]))


main()
