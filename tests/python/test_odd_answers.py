"""Answers of another shape: what is asked for works, or ends in an error of this package.

Every field of every answer is deleted, renamed, null, nested, in a list, of another type, doubled.
"""

from __future__ import annotations

import base64
import datetime
import pickle
from typing import TYPE_CHECKING, Any
from urllib.parse import parse_qs, urlsplit

import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec, utils
from cryptography.hazmat.primitives.serialization import Encoding
from cryptography.x509.oid import NameOID

import signdoc
from raw_service import PADES, REALM, SIGN_ID, TOKEN, RawService, Reply
from support import PDF
from test_mutations import CHANGES, changed, places

if TYPE_CHECKING:
    from collections.abc import Iterator

BACK = "https://shop.example/callback"
DIGEST = b"\x47" * 32
CSC = "/csc/v2"

KEY = ec.generate_private_key(ec.SECP256R1())


def certificate() -> str:
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "Kari Nordmann (invented)")])
    now = datetime.datetime.now(datetime.UTC)
    made = (
        x509.CertificateBuilder()
        .subject_name(name)
        .issuer_name(name)
        .public_key(KEY.public_key())
        .serial_number(4711)
        .not_valid_before(now - datetime.timedelta(days=1))
        .not_valid_after(now + datetime.timedelta(days=1))
        .sign(KEY, hashes.SHA256())
    )
    return base64.b64encode(made.public_bytes(Encoding.DER)).decode()


SIGNATURE = KEY.sign(DIGEST, ec.ECDSA(utils.Prehashed(hashes.SHA256())))
CREDENTIAL = {
    "credentialID": "GX0112348",
    "description": "a credential",
    "signatureQualifier": "eu_eidas_qes",
    "key": {
        "status": "enabled",
        "algo": ["1.2.840.10045.4.3.2"],
        "len": 256,
        "curve": "1.2.840.10045.3.1.7",
    },
    "cert": {
        "status": "valid",
        "certificates": [certificate()],
        "issuerDN": "CN=x",
        "serialNumber": "1267",
        "subjectDN": "CN=x",
        "validFrom": "20200101100000Z",
        "validTo": "20300101095959Z",
    },
    "auth": {"mode": "explicit"},
    "SCAL": "2",
    "multisign": 50,
    "lang": "nb-NO",
}
ANSWERS: dict[str, Any] = {
    "oauth2/token": {
        "access_token": "csc-token",
        "token_type": "Bearer",
        "expires_in": 300,
        "scope": "service",
    },
    "info": {
        "specs": "2.0.0.2",
        "name": "A service",
        "logo": "https://sign.example/logo.png",
        "region": "NO",
        "lang": "nb-NO",
        "description": "Signs",
        "authType": ["oauth2code"],
        "oauth2": "https://sign.example/csc/v2/oauth2",
        "methods": ["credentials/list", "signatures/signHash"],
        "signAlgorithms": {"algos": ["1.2.840.10045.4.3.2"]},
    },
    "credentials/list": {"credentialIDs": ["GX0112348"], "credentialInfos": [CREDENTIAL]},
    "credentials/info": CREDENTIAL,
    "credentials/authorize": {"SAD": "activation-data", "expiresIn": 3600},
    "signatures/signHash": {
        "signatures": [base64.b64encode(SIGNATURE).decode()],
        "ocspResponse": "bm90IG9uZQ==",
    },
}
ERROR = {
    "errorCode": "invalid_request",
    "errorDescription": "something is wrong",
    "errorReference": "REF123456789",
}
WHOLE = [
    b"null",
    b"[]",
    b"{}",
    b'""',
    b"17",
    b"true",
    b"",
    b"[[[[",
    b'"text"',
    b"\xff\xfe",
    b"[{}]",
]


def cases() -> Iterator[tuple[str, int, bytes, str]]:
    for endpoint, answer in ANSWERS.items():
        for path in places(answer):
            for change in CHANGES:
                yield endpoint, 200, changed(answer, path, change), f"{path} {change}"
        for body in WHOLE:
            yield endpoint, 200, body, repr(body)
            yield endpoint, 400, body, repr(body)
        yield endpoint, 202, b'{"handle": "come-back-later"}', "202 with a handle"
        for path in places(ERROR):
            for change in CHANGES:
                for status in (400, 503):
                    yield endpoint, status, changed(ERROR, path, change), f"error {path} {change}"


def session(client: signdoc.Client) -> list[bytes]:
    """All that can be asked of the interface, and everything shown."""
    info = client.csc.info()
    login = client.csc.begin(BACK)
    state = parse_qs(urlsplit(login.url).query)["state"][0]
    begun = client.csc.finish(login.to_token(), f"{BACK}?code=c&state={state}")
    known = begun.credentials()
    for one in known:
        begun.credential_info(one.credential_id)
    shown: list[Any] = [info, known, *known]
    for one in shown:
        assert repr(one)
        assert not hasattr(one, "_repr_html_") or one._repr_html_()
        assert repr(pickle.loads(pickle.dumps(one))) == repr(one)
        assert isinstance(one, list) or isinstance(hash(one), int)
    return begun.sign_hashes([DIGEST])


def test_an_answer_as_it_should_be_signs() -> None:
    with RawService() as service, service.client() as client:
        for endpoint, answer in ANSWERS.items():
            service.on("POST", f"{CSC}/{endpoint}", Reply.of(200, answer))
        assert session(client) == [SIGNATURE]


def untyped(error: Exception) -> bool:
    """Whether it is no error that a caller can know."""
    if not isinstance(error, signdoc.SignDocError) or isinstance(error, signdoc.InternalError):
        return True
    same = pickle.loads(pickle.dumps(error))
    return (same.message, same.code, same.details) != (error.message, error.code, error.details)


@pytest.mark.parametrize("part", range(4))
def test_the_csc_interface(part: int) -> None:
    count, signed, wrong = 0, 0, []
    with RawService() as service:
        for number, (endpoint, status, body, what) in enumerate(cases()):
            if number % 4 != part:
                continue
            count += 1
            for other, answer in ANSWERS.items():
                service.on("POST", f"{CSC}/{other}", Reply.of(200, answer))
            service.on("POST", f"{CSC}/{endpoint}", Reply.of(status, body))
            with service.client(max_retries=0) as client:
                try:
                    signed += session(client) == [SIGNATURE]
                except Exception as error:
                    if untyped(error):
                        wrong.append(f"{endpoint}, {status}, {what}: {error!r}")
    print(f"{count} odd answers, {signed} of them signed all the same, {len(wrong)} untyped errors")
    assert count > 400
    assert not wrong, "\n".join(wrong)


def everything_else(client: signdoc.Client, sign_id: str) -> None:
    """Calls whose answers are no only copy."""
    for call in (
        client.conversion_specs,
        lambda: client.convert([PDF], strict=False),
        lambda: client.pades.create("Loan", [signdoc.PadesDocument(PDF, pdf_spec="PDFA_2B")]),
        lambda: client.sdo.create("Loan", [signdoc.SdoDocument(text="I agree")]),
        lambda: client.pades.state(sign_id),
        lambda: client.pades.wait(sign_id, timeout=0.05),
        lambda: client.pades.discard(sign_id),
    ):
        try:
            assert repr(call())
        except signdoc.InternalError:
            raise
        except signdoc.SignDocError as error:
            if untyped(error):
                raise


CONVERSION = {
    "conversionId": "c-1",
    "description": "Loan - 1",
    "converted": True,
    "conversionErrors": [],
    "conversionWarnings": ["Font substituted"],
}


def other_answers(service: RawService) -> dict[tuple[str, str], Any]:
    return {
        ("GET", f"{REALM}/.well-known/openid-configuration"): service.discovery,
        ("POST", TOKEN): {"access_token": "t-4711", "token_type": "Bearer", "expires_in": 300},
        ("GET", "/signdoc/convert/pdf/specs"): {"pdfSpecs": ["PDFA_2B"]},
        ("POST", "/signdoc/convert"): [
            {"conversionResult": CONVERSION, "convertedDocument": "JVBERi0xLjQgb2s="}
        ],
        ("POST", PADES): {"sign_id": SIGN_ID, "conversionResults": [CONVERSION]},
        ("GET", PADES): {"orderState": "USER_SIGNING", "signId": SIGN_ID},
        ("DELETE", PADES): {"signId": SIGN_ID, "orderState": "CANCELLED", "signingResults": []},
    }


def test_everything_else() -> None:
    count, wrong = 0, []
    with RawService() as service:
        good = other_answers(service)
        for (method, path), answer in good.items():
            bodies = [
                (changed(answer, place, change), f"{place} {change}")
                for place in places(answer)
                for change in CHANGES
            ]
            bodies += [(body, repr(body)) for body in WHOLE]
            for body, what in bodies:
                for status in (200, 400):
                    count += 1
                    for (one, other), usual in good.items():
                        service.on(one, other, Reply.of(200, usual))
                    service.on(method, path, Reply.of(status, body))
                    with service.client(max_retries=0, connect_timeout=5) as client:
                        try:
                            everything_else(client, SIGN_ID)
                        except Exception as error:
                            wrong.append(f"{method} {path}, {status}, {what}: {error!r}")
    print(f"{count} odd answers of the other endpoints, {len(wrong)} untyped errors")
    assert count > 400
    assert not wrong, "\n".join(wrong)
