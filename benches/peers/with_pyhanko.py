"""pyHanko on the jobs of benches/verification.py; the command line is that of `measure`."""

from __future__ import annotations

import datetime
import hashlib
import json
import logging
import sys
import time
from collections.abc import Callable
from pathlib import Path

try:
    from asn1crypto import keys, pem
    from asn1crypto import x509 as asn1_x509
    from cryptography import x509
    from cryptography.hazmat.primitives import hashes, serialization
    from cryptography.hazmat.primitives.asymmetric import ec
    from cryptography.x509.oid import NameOID
    from pyhanko.pdf_utils.incremental_writer import IncrementalPdfFileWriter
    from pyhanko.pdf_utils.reader import PdfFileReader
    from pyhanko.sign import fields, signers
    from pyhanko.sign.validation import validate_pdf_signature
    from pyhanko_certvalidator import ValidationContext
    from pyhanko_certvalidator.registry import SimpleCertificateStore
except ImportError as missing:
    print(f"{missing.name} is not installed", file=sys.stderr)
    sys.exit(77)

logging.disable(logging.CRITICAL)
WINDOW = 1 << 20


def _memory(key: str) -> int | None:
    for line in Path("/proc/self/status").read_text().splitlines():
        if line.startswith(key):
            return int(line.split()[1])
    return None


def measured(runs: str, work: Callable[[], None]) -> None:
    """Prints the least CPU time of a run, and the memory around all of them."""
    Path("/proc/self/clear_refs").write_text("5")
    before, best = _memory("VmRSS:"), float("inf")
    for _ in range(int(runs)):
        began = time.process_time()
        work()
        best = min(best, time.process_time() - began)
    peak = _memory("VmHWM:")
    print(json.dumps({"cpu_ms": best * 1e3, "before_kib": before, "peak_kib": peak}))


def hash_once(path: str) -> None:
    digest = hashlib.sha256()
    with open(path, "rb") as file:
        while window := file.read(WINDOW):
            digest.update(window)
    digest.digest()


def verify(signed: str, roots: str) -> None:
    _, _, der = pem.unarmor(Path(roots).read_bytes())
    context = ValidationContext(trust_roots=[asn1_x509.Certificate.load(der)], allow_fetching=False)
    with open(signed, "rb") as file:
        for signature in PdfFileReader(file).embedded_signatures:
            status = validate_pdf_signature(signature, context, ts_validation_context=context)
            if not status.bottom_line:
                raise SystemExit(f"not accepted: {status.summary()}")


def signer() -> signers.SimpleSigner:
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "Kari Nordmann")])
    now = datetime.datetime.now(datetime.UTC)
    own = (
        x509.CertificateBuilder()
        .subject_name(name)
        .issuer_name(name)
        .public_key(key.public_key())
        .serial_number(1)
        .not_valid_before(now - datetime.timedelta(days=1))
        .not_valid_after(now + datetime.timedelta(days=1))
        .sign(key, hashes.SHA256())
    )
    private = key.private_bytes(
        serialization.Encoding.DER,
        serialization.PrivateFormat.PKCS8,
        serialization.NoEncryption(),
    )
    return signers.SimpleSigner(
        signing_cert=asn1_x509.Certificate.load(own.public_bytes(serialization.Encoding.DER)),
        signing_key=keys.PrivateKeyInfo.load(private),
        cert_registry=SimpleCertificateStore(),
    )


def sign(path: str, out: str, who: signers.SimpleSigner) -> None:
    settings = signers.PdfSignatureMetadata(
        field_name="Signature1", md_algorithm="sha256", subfilter=fields.SigSeedSubFilter.PADES
    )
    with open(path, "rb") as source, open(out, "w+b") as target:
        writer = IncrementalPdfFileWriter(source)
        signers.PdfSigner(settings, signer=who).sign_pdf(writer, output=target)


def main(words: list[str]) -> None:
    match words:
        case ["hash", path, runs]:
            measured(runs, lambda: hash_once(path))
        case ["verify", signed, roots, runs]:
            measured(runs, lambda: verify(signed, roots))
        case ["sign", path, out, runs]:
            who = signer()
            measured(runs, lambda: sign(path, out, who))
        case _:
            raise SystemExit(f"not understood: {words}")


if __name__ == "__main__":
    main(sys.argv[1:])
