"""What the judges say about a file: ours, pyHanko, pdfsig."""

import io
import json
import logging
import re
import subprocess

from pyhanko.pdf_utils.reader import PdfFileReader
from pyhanko.sign.validation import validate_pdf_signature, validate_pdf_timestamp
from pyhanko_certvalidator import ValidationContext

logging.disable(logging.CRITICAL)


def ours(program, jobs, folder):
    """Runs our verification over argument lists in one process; gives the reports."""
    listing = folder / "jobs.txt"
    listing.write_text("".join("\t".join(map(str, job)) + "\n" for job in jobs))
    run = subprocess.run([program, "--batch", listing], check=False, capture_output=True, text=True)
    if run.returncode != 0:
        raise SystemExit(f"{program}: exit code {run.returncode}\n{run.stderr}")
    reports = [json.loads(line) for line in run.stdout.splitlines()]
    assert len(reports) == len(jobs), (len(reports), len(jobs))
    return reports


def pyhanko(path, context):
    """`accepts`, or what it says against the file."""
    try:
        with open(path, "rb") as file:
            reader = PdfFileReader(io.BytesIO(file.read()), strict=False)
        signatures = reader.embedded_signatures
        if not any(s.sig_object.get("/Type", "/Sig") == "/Sig" for s in signatures):
            return "no signature"
        words = []
        for signature in signatures:
            if signature.sig_object.get("/Type", "/Sig") == "/DocTimeStamp":
                status = validate_pdf_timestamp(signature, context())
                level = status.modification_level
                fine = (
                    status.intact
                    and status.valid
                    and status.trusted
                    and (level is None or level.name != "OTHER")
                )
            else:
                status = validate_pdf_signature(
                    signature, context(), ts_validation_context=context()
                )
                fine = status.bottom_line
            if not fine:
                words.append(_against(status))
            elif status.coverage.name not in ("ENTIRE_FILE", "ENTIRE_REVISION"):
                words.append("coverage")
        return "; ".join(sorted(set(words))) or "accepts"
    except Exception as error:  # whatever it raises is its verdict
        return f"error: {type(error).__name__}"


def _against(status):
    if not status.intact:
        return "not intact"
    if not status.valid:
        return "not valid"
    if not status.trusted:
        return "not trusted"
    level = getattr(status, "modification_level", None)
    return f"modified ({level.name.lower()})" if level is not None else "not accepted"


def pyhanko_intact(path):
    """For each signature by field, whoever is trusted: whether it is intact and covers its
    revision, and whether what follows is acceptable. A text where it raises."""
    context = ValidationContext(trust_roots=[], allow_fetching=False)
    with open(path, "rb") as file:
        reader = PdfFileReader(io.BytesIO(file.read()), strict=False)
    found = {}
    for signature in reader.embedded_signatures:
        stamp = signature.sig_object.get("/Type") == "/DocTimeStamp"
        try:
            status = (validate_pdf_timestamp if stamp else validate_pdf_signature)(
                signature, context
            )
            covers = status.coverage.name in ("ENTIRE_FILE", "ENTIRE_REVISION")
            later = status.modification_level
            found[signature.field_name] = (
                bool(status.intact and status.valid and covers),
                later is None or later.name != "OTHER",
            )
        except Exception as error:  # whatever it raises is its verdict
            found[signature.field_name] = f"{type(error).__name__}: {error}"
    return found


def pdfsig(path):
    """`valid`, `valid, not whole`, `invalid` or `no signature`."""
    try:
        run = subprocess.run(
            ["pdfsig", "-nocert", str(path)],
            check=False,
            capture_output=True,
            text=True,
            timeout=60,
            errors="replace",
        )
    except FileNotFoundError:
        return "not installed"
    except subprocess.TimeoutExpired:
        return "no answer"
    blocks = re.split(r"^Signature #\d+:", run.stdout, flags=re.M)[1:]
    # It knows no document timestamps: what it says of them is no verdict.
    judged = [
        b for b in blocks if "Signature Validation" in b and "Signature Type: unknown" not in b
    ]
    if not judged:
        return "no signature"
    if not all("Signature is Valid" in b for b in judged):
        return "invalid"
    whole = any("Total document signed" in b for b in blocks)
    return "accepts" if whole else "accepts, not whole"
