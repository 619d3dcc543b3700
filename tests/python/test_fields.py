"""Every field of the specification over every face: what can be set, and what can be read.

The table names, for each field of the oracle, where each language has it; the test looks there,
prints what is missing, and ends empty. That a field arrives at the service is shown by the vectors,
which every language runs: each field of a request is in the expectation of at least one.
"""

from __future__ import annotations

import inspect
import json
import re
import subprocess
import sys
from functools import cache
from typing import TYPE_CHECKING, Any

import signdoc
from signdoc import csc
from support import REPOSITORY

if TYPE_CHECKING:
    from collections.abc import Iterator

ORACLE = REPOSITORY / "tests/vectors/spec/fields.json"
FACES = ("rust", "python", "c", "cpp", "go", "program")

# In each face: what has the field. Rust: type and field. Python: class and attribute or parameter.
# C: function, or function and property. C++: method, or method and property. Go: type and field.
# Program: command and flag, or command and key of its JSON.


def request(rust: str, python: str, c: str, cpp: str, go: str, program: str) -> dict[str, str]:
    return dict(zip(FACES, (rust, python, c, cpp, go, program), strict=True))


answer = request

DOCUMENT_SET = "signdoc_documents_set"
ORDER_SET = "signdoc_order_request_set"
SEAL = "signdoc_documents_set_seal"

REQUESTS: dict[str, dict[str, dict[str, str]]] = {
    "conversion request": {
        "documents": request(
            "Client.convert", "Client.convert documents", "signdoc_convert", "Client convert",
            "Client Convert", "convert FILE",
        ),
    },
    "conversion request document": {
        "pdfSpec": request(
            "Document.pdf_spec", "Client.convert pdf_spec", f"{DOCUMENT_SET} pdf_spec",
            "Documents set pdf_spec", "ConvertOptions PDFSpec", "convert --pdf-spec",
        ),
        "pdf": request(
            "Document.from_path", "Client.convert documents", "signdoc_documents_add_path",
            "Documents add_path", "Document File", "convert FILE",
        ),
        "allowSigned": request(
            "Document.allow_signed", "Client.convert allow_signed",
            "signdoc_documents_set_allow_signed", "Documents allow_signed",
            "Document AllowSigned", "convert --allow-signed",
        ),
    },
    "sign order properties": {
        "orderName": request(
            "OrderProperties.name", "Pades.create name", f"{ORDER_SET} name",
            "OrderRequest OrderRequest", "OrderOptions Name", "sign --name",
        ),
        "documentDisplayMode": request(
            "OrderProperties.display_mode", "Pades.create display_mode",
            f"{ORDER_SET} display_mode", "OrderRequest set", "OrderOptions DisplayMode",
            "sign --display-mode",
        ),
        "showConfirmation": request(
            "OrderProperties.show_confirmation", "Pades.create show_confirmation",
            f"{ORDER_SET} show_confirmation", "OrderRequest set", "OrderOptions ShowConfirmation",
            "sign --confirmation",
        ),
        "showUnderstanding": request(
            "OrderProperties.show_understanding", "Pades.create show_understanding",
            f"{ORDER_SET} show_understanding", "OrderRequest set",
            "OrderOptions ShowUnderstanding", "sign --understanding",
        ),
        "timeoutSeconds": request(
            "OrderProperties.timeout_seconds", "Pades.create timeout_seconds",
            f"{ORDER_SET} timeout_seconds", "OrderRequest set", "OrderOptions TimeoutSeconds",
            "sign --signing-time",
        ),
    },
    "PAdES sign order": {
        "signProperties": request(
            "PadesOrder.properties", "Pades.create name", ORDER_SET, "OrderRequest set",
            "OrderOptions Name", "sign --name",
        ),
        "padesSignProperties": request(
            "PadesOrder.add_visual_seals", "Pades.create visual_seals",
            f"{ORDER_SET} visual_seals", "OrderRequest set", "OrderOptions VisualSeals",
            "sign --visual-seals",
        ),
        "documents": request(
            "PadesOrder.documents", "Pades.create documents", "signdoc_order_create",
            "Orders create", "Client CreateOrder", "sign FILE",
        ),
        "resultContent": request(
            "PadesOrder.results", "Pades.create results", f"{ORDER_SET} results",
            "OrderRequest set", "OrderOptions Results", "sign --results",
        ),
    },
    "PAdES sign properties": {
        "addVisualSeals": request(
            "PadesOrder.add_visual_seals", "Pades.create visual_seals",
            f"{ORDER_SET} visual_seals", "OrderRequest set", "OrderOptions VisualSeals",
            "sign --visual-seals",
        ),
    },
    "PAdES document item": {
        "description": request(
            "PadesDocument.description", "PadesDocument description",
            f"{DOCUMENT_SET} description", "Documents set description",
            "OrderDocument Description", "sign --description",
        ),
        "pdf": request(
            "PadesDocument.pdf", "PadesDocument pdf", "signdoc_documents_add_bytes",
            "Documents add_bytes", "OrderDocument PDF", "sign FILE",
        ),
        "pdfSpec": request(
            "PadesDocument.pdf_spec", "PadesDocument pdf_spec", f"{DOCUMENT_SET} pdf_spec",
            "Documents set pdf_spec", "OrderDocument PDFSpec", "sign --convert",
        ),
        "merchantSealPos": request(
            "PadesDocument.merchant_seal", "PadesDocument merchant_seal", SEAL,
            "Documents seal", "OrderDocument MerchantSeal", "sign --merchant-seal",
        ),
        "endUserSealPos": request(
            "PadesDocument.end_user_seal", "PadesDocument end_user_seal", SEAL,
            "Documents seal", "OrderDocument EndUserSeal", "sign --end-user-seal",
        ),
    },
    "seal position": {
        "x": request("SealPosition.x", "Seal x", f"{SEAL} x", "Documents seal x", "Seal X",
                     "sign --merchant-seal"),
        "y": request("SealPosition.y", "Seal y", f"{SEAL} y", "Documents seal y", "Seal Y",
                     "sign --merchant-seal"),
        "page": request("SealPosition.page", "Seal page", f"{SEAL} page", "Documents seal page",
                        "Seal Page", "sign --merchant-seal"),
    },
    "SEID-SDO sign order": {
        "signProperties": request(
            "SdoOrder.properties", "Sdo.create name", ORDER_SET, "OrderRequest set",
            "OrderOptions Name", "sign --name",
        ),
        "documents": request(
            "SdoOrder.documents", "Sdo.create documents", "signdoc_order_create",
            "Orders create", "Client CreateOrder", "sign FILE",
        ),
        "resultContent": request(
            "SdoOrder.results", "Sdo.create results", f"{ORDER_SET} results",
            "OrderRequest set", "OrderOptions Results", "sign --results",
        ),
    },
    "SEID-SDO document item": {
        "description": request(
            "SdoDocument.description", "SdoDocument description", f"{DOCUMENT_SET} description",
            "Documents set description", "OrderDocument Description", "sign --description",
        ),
        "pdf": request(
            "SdoDocument.pdf", "SdoDocument pdf", "signdoc_documents_add_reader",
            "Documents add_reader", "OrderDocument PDF", "sign FILE",
        ),
        "text": request(
            "SdoDocument.text", "SdoDocument text", f"{DOCUMENT_SET} text",
            "Documents add_text", "OrderDocument Text", "sign --text",
        ),
        "xml": request(
            "SdoDocument.xml", "SdoDocument xml", f"{DOCUMENT_SET} xml", "Documents add_xml",
            "OrderDocument XML", "sign FILE",
        ),
        "xls": request(
            "SdoDocument.xls", "SdoDocument xls", f"{DOCUMENT_SET} xls", "Documents add_xml",
            "OrderDocument XLS", "sign --xls",
        ),
    },
}  # fmt: skip

ANSWERS: dict[str, dict[str, dict[str, str]]] = {
    "conversion result": {
        "conversionId": answer(
            "Conversion.conversion_id", "Conversion conversion_id",
            "signdoc_results_conversion_id", "Result conversion_id", "Conversion ConversionID",
            "convert conversion_id",
        ),
        "description": answer(
            "Conversion.description", "Conversion description", "signdoc_results_description",
            "Result description", "Conversion Description", "convert description",
        ),
        "converted": answer(
            "Conversion.converted", "Conversion converted", "signdoc_results_converted",
            "Result converted", "Conversion Converted", "convert converted",
        ),
        "conversionErrors": answer(
            "Conversion.errors", "Conversion errors", "signdoc_results_error_message",
            "Result errors", "Conversion Errors", "convert errors",
        ),
        "conversionWarnings": answer(
            "Conversion.warnings", "Conversion warnings", "signdoc_results_warning_message",
            "Result warnings", "Conversion Warnings", "convert warnings",
        ),
    },
    "conversion answer item": {
        "conversionResult": answer(
            "Conversion.converted", "Conversion converted", "signdoc_results_json",
            "Result converted", "Conversion Converted", "convert converted",
        ),
        "convertedDocument": answer(
            "Conversion.data", "Conversion data", "signdoc_results_data", "Result data",
            "Conversion Data", "convert path",
        ),
    },
    "conversion rejection": {
        "conversionResults": answer(
            "Error.conversions", "SignDocError results", "signdoc_error_results",
            "Error results", "Error Results", "convert errors",
        ),
    },
    "pdf specs answer": {
        "pdfSpecs": answer(
            "Client.conversion_specs", "Client.conversion_specs self", "signdoc_conversion_specs",
            "Client conversion_specs", "Client ConversionSpecs", "specs pdf_specs",
        ),
    },
    "create-order response": {
        "sign_id": answer(
            "Order.sign_id", "Order sign_id", "signdoc_order_sign_id", "Order sign_id",
            "Order SignID", "sign sign_id",
        ),
        "conversionResults": answer(
            "Order.conversions", "Order conversions", "signdoc_order_conversions",
            "Order conversions", "Order Conversions", "sign conversions",
        ),
    },
    "PAdES download result": {
        "signingResults": answer(
            "PadesDownload.documents", "PadesDownload documents", "signdoc_download_count",
            "Download size", "Download Documents", "download documents",
        ),
        "signId": answer(
            "PadesDownload.sign_id", "PadesDownload sign_id", "signdoc_download_sign_id",
            "Download sign_id", "Download SignID", "download sign_id",
        ),
        "orderName": answer(
            "PadesDownload.order_name", "PadesDownload order_name", "signdoc_download_order_name",
            "Download order_name", "Download OrderName", "download order_name",
        ),
        "orderState": answer(
            "PadesDownload.order_state", "PadesDownload order_state",
            "signdoc_download_order_state", "Download order_state", "Download OrderState",
            "download order_state",
        ),
    },
    "PAdES signing result": {
        "signedDocumentSha256": answer(
            "PadesSigned.signed_sha256", "PadesSigned signed_sha256",
            "signdoc_download_signed_sha256", "Download signed_sha256", "Signed SignedSHA256",
            "download signed_sha256",
        ),
        "padesSignedPdf": answer(
            "PadesSigned.path", "PadesSigned path", "signdoc_download_data", "Download data",
            "Signed Document", "download path",
        ),
        "padesAppendix": answer(
            "PadesSigned.appendix_path", "PadesSigned appendix_path", "SIGNDOC_PART_APPENDIX",
            "Download path", "Signed Appendix", "download appendix_path",
        ),
        "description": answer(
            "PadesSigned.description", "PadesSigned description", "signdoc_download_description",
            "Download description", "Signed Description", "download description",
        ),
        "unsignedDocumentSha256": answer(
            "PadesSigned.unsigned_sha256", "PadesSigned unsigned_sha256",
            "signdoc_download_unsigned_sha256", "Download unsigned_sha256",
            "Signed UnsignedSHA256", "download unsigned_sha256",
        ),
    },
    "SEID-SDO download result": {
        "documentHashes": answer(
            "SdoSigned.document_hash", "SdoSigned document_hash",
            "signdoc_download_unsigned_sha256", "Download unsigned_sha256",
            "Signed UnsignedSHA256", "download document_hash",
        ),
        "merchantSignatures": answer(
            "SdoSigned.merchant_signature", "SdoSigned merchant_signature",
            "SIGNDOC_PART_MERCHANT_SIGNATURE", "Download data", "Signed MerchantSignature",
            "download merchant_signature_path",
        ),
        "sdos": answer(
            "SdoSigned.sdo", "SdoSigned sdo", "SIGNDOC_PART_DOCUMENT", "Download data",
            "Signed Document", "download path",
        ),
        "endUserSignatures": answer(
            "SdoSigned.end_user_signature", "SdoSigned end_user_signature",
            "SIGNDOC_PART_END_USER_SIGNATURE", "Download data", "Signed EndUserSignature",
            "download end_user_signature_path",
        ),
        "clientId": answer(
            "SdoDownload.client_id", "SdoDownload client_id", "signdoc_download_client_id",
            "Download client_id", "Download ClientID", "download client_id",
        ),
        "signId": answer(
            "SdoDownload.sign_id", "SdoDownload sign_id", "signdoc_download_sign_id",
            "Download sign_id", "Download SignID", "download sign_id",
        ),
        "orderState": answer(
            "SdoDownload.order_state", "SdoDownload order_state", "signdoc_download_order_state",
            "Download order_state", "Download OrderState", "download order_state",
        ),
        "orderName": answer(
            "SdoDownload.order_name", "SdoDownload order_name", "signdoc_download_order_name",
            "Download order_name", "Download OrderName", "download order_name",
        ),
    },
    "CSC error body": {
        "errorCode": answer(
            "Error.name", "SignDocError name", "signdoc_error_name", "Error name", "Error Name",
            "error name",
        ),
        "errorDescription": answer(
            "Error.message", "SignDocError message", "signdoc_error_message", "Error message",
            "Error Message", "error message",
        ),
        "errorReference": answer(
            "Error.reference", "SignDocError reference", "signdoc_error_reference",
            "Error reference", "Error Reference", "error reference",
        ),
    },
}  # fmt: skip


@cache
def source(*patterns: str) -> str:
    found = [path for pattern in patterns for path in sorted(REPOSITORY.glob(pattern))]
    assert found, patterns
    return "\n".join(path.read_text() for path in found)


def rust(place: str) -> bool:
    """A public field, or a public method of the type."""
    kind, name = place.split(".")
    text = source("core/src/**/*.rs")
    in_struct = rf"pub struct {kind}\b[^{{;]*\{{[^}}]*\bpub {name}:"
    method = rf"impl(?:<[^>]*>)? {kind}\b.*?\n    pub (?:async )?fn {name}\b"
    return bool(re.search(in_struct, text) or re.search(method, text, re.DOTALL))


def python(place: str) -> bool:
    """An attribute of the class, or a parameter of its method."""
    where, name = place.split(" ")
    names = {**vars(signdoc), **vars(csc)}
    if "." not in where:
        if where == "SignDocError":
            return name in signdoc.SignDocError.__annotations__
        kind = names[where]
        return name in {*getattr(kind, "__slots__", ()), *vars(kind)}
    kind_name, method = where.split(".")
    from signdoc import _groups

    kind = names.get(kind_name) or getattr(_groups, kind_name)
    return name in inspect.signature(getattr(kind, method)).parameters


def c(place: str) -> bool:
    """A function or constant; its property is named in its comment, its parameter in its type."""
    function, *rest = place.split(" ")
    text = source("include/signdoc.h")
    if not rest:
        return bool(re.search(rf"\b{function}\b", text))
    told = re.search(rf"/\*\*(?:(?!\*/).)*\*/\s*[^;]*\b{function}\([^;]*;", text, re.DOTALL)
    return told is not None and bool(re.search(rf'"{rest[0]}"|\b{rest[0]}\b', told[0]))


def cpp(place: str) -> bool:
    """A method of the class; a property is named in the comment before it."""
    kind, method, *rest = place.split(" ")
    text = source("include/*.hpp")
    # An error has what its view has.
    kind = "(?:Error|ErrorView)" if kind == "Error" else kind
    found = re.findall(rf"class {kind}\b[^;{{]*\{{.*?\n\}};", text, re.DOTALL)
    inside = "\n".join(found)
    if not re.search(rf"\b{method}\(", inside):
        return False
    return not rest or bool(re.search(rf'"{rest[0]}"|\b{rest[0]}\b', inside))


def go(place: str) -> bool:
    """A field of the type, one of its methods, or the function that makes it."""
    kind, name = place.split(" ")
    text = source("go/*.go")
    struct = re.search(rf"^type {kind} struct \{{.*?^\}}", text, re.DOTALL | re.MULTILINE)
    if struct and re.search(rf"^\t(?:\w+, )*{name}(?:, \w+)*\s+\S", struct[0], re.MULTILINE):
        return True
    return bool(re.search(rf"^func (?:\(\w+ \*?{kind}\) )?{name}\(", text, re.MULTILINE))


@cache
def help_of(command: str) -> str:
    line = [sys.executable, "-m", "signdoc", *command.split(), "--help"]
    return subprocess.run(line, capture_output=True, text=True, check=True).stdout


def program(place: str) -> bool:
    """A flag of the command, or a key of what it prints with --json."""
    command, what = place.split(" ")
    if what.startswith("--") or what.isupper():
        return re.search(rf"(?<![\w-]){re.escape(what)}\b", help_of(command)) is not None
    return bool(re.search(rf'"{what}"', source("core/src/**/*.rs", "cli/src/**/*.rs")))


LOOKS = {"rust": rust, "python": python, "c": c, "cpp": cpp, "go": go, "program": program}


def fields() -> Iterator[tuple[str, str]]:
    for resource in json.loads(ORACLE.read_text()):
        for field in resource["fields"]:
            yield resource["resource"], field["name"]


def test_every_field_is_in_every_face() -> None:
    table = REQUESTS | ANSWERS
    missing = []
    count = 0
    for resource, field in fields():
        for face in FACES:
            count += 1
            place = table.get(resource, {}).get(field, {}).get(face)
            if place is None or not LOOKS[face](place):
                missing.append(f"{face}: {resource}, {field}: {place}")
    known = {(resource, field) for resource in table for field in table[resource]}
    print(f"{count} places of fields; missing: {missing or 'none'}")
    assert known == set(fields()), "the table names what the oracle does not have"
    assert not missing, "\n".join(missing)


def keys(value: Any) -> Iterator[str]:
    if isinstance(value, dict):
        for key, inner in value.items():
            yield key
            yield from keys(inner)
    if isinstance(value, list):
        for inner in value:
            yield from keys(inner)


def test_every_field_of_a_request_arrives() -> None:
    """A vector, which every language runs, expects it in what the sandbox saw."""
    sent: set[str] = set()
    for name in ("conversion", "orders", "open"):
        for case in json.loads((REPOSITORY / f"tests/vectors/{name}.json").read_text())["cases"]:
            expected = case["expect"]
            sent |= set(keys([expected.get("sent"), expected.get("sent_documents")]))
    # The sandbox shows PDFs by their length alone, and refuses a request without documents.
    there = sent | {"documents", "pdf"}
    missing = [
        f"{resource}, {field}"
        for resource in REQUESTS
        for field in REQUESTS[resource]
        if field not in there
    ]
    print(f"fields of requests that no vector expects: {missing or 'none'}")
    assert not missing
