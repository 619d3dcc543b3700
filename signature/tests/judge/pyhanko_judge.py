"""Judges signed PDFs with pyHanko.

usage: pyhanko_judge.py ROOT.pem ITEM...

Items: `FILE` (all signatures), `FILE::FIELD` (that one), `read::FILE` (can it be read at all),
`store::FILE::FIELD` (with the revocation answers of the document's own store and nothing else).
For each item one line `RESULT ITEM accepted` or `RESULT ITEM refused REASON`; the exit code is 1
if any was refused.
"""

import sys

try:
    from pyhanko.keys import load_certs_from_pemder
    from pyhanko.pdf_utils.reader import PdfFileReader
    from pyhanko.sign.diff_analysis import ModificationLevel
    from pyhanko.sign.validation import validate_pdf_signature, validate_pdf_timestamp
    from pyhanko.sign.validation.dss import DocumentSecurityStore
    from pyhanko_certvalidator import ValidationContext
except ImportError as error:
    print(f"pyhanko is not installed: {error}")
    sys.exit(0)

PERMITTED = (
    None,
    ModificationLevel.NONE,
    ModificationLevel.LTA_UPDATES,
    ModificationLevel.FORM_FILLING,
)


def problem_of(signature, context):
    """What is wrong with a signature, None if nothing is."""
    if signature.sig_object.raw_get("/Type") == "/DocTimeStamp":
        status = validate_pdf_timestamp(signature, context)
    else:
        status = validate_pdf_signature(signature, context, ts_validation_context=context)
    level = getattr(status, "modification_level", None)
    fine = status.intact and status.valid and status.trusted and level in PERMITTED
    fine = fine and getattr(status, "docmdp_ok", True) is not False
    return None if fine else f"{signature.field_name}: {status.summary()} {level}"


def read_all(reader):
    """Reads every object that is in use, the way the comparison of revisions does."""
    resolver = reader.get_historical_resolver(reader.xrefs.total_revisions - 1)
    resolver.collect_dependencies(reader.root)
    seen = set()
    nodes = [reader.root["/Pages"]]
    while nodes:
        node = nodes.pop()
        if id(node) in seen:
            raise ValueError("the page tree is a circle")
        seen.add(id(node))
        nodes.extend(kid.get_object() for kid in node.get("/Kids", ()))


def judge(item, roots):
    """The first problem pyHanko finds in a file, or None."""
    mode, _, rest = (
        item.partition("::") if item.startswith(("read::", "store::")) else ("", "", item)
    )
    path, _, field = rest.partition("::")
    with open(path, "rb") as file:
        reader = PdfFileReader(file, strict=False)
        signatures = reader.embedded_signatures
        if mode == "read":
            read_all(reader)
            return None
        if field:
            signatures = [s for s in signatures if s.field_name == field]
        if not signatures:
            return "no signature"
        if mode == "store":
            context = DocumentSecurityStore.read_dss(reader).as_validation_context(
                {"trust_roots": roots, "allow_fetching": False, "revocation_mode": "require"}
            )
        else:
            context = ValidationContext(trust_roots=roots, allow_fetching=False)
        problems = [problem_of(signature, context) for signature in signatures]
        return next((p for p in problems if p), None)


def main():
    """Judge each argument against the roots of the first one."""
    roots = list(load_certs_from_pemder([sys.argv[1]]))
    refused = 0
    for item in sys.argv[2:]:
        try:
            problem = judge(item, roots)
        except Exception as error:  # any refusal counts
            problem = f"{type(error).__name__}: {error}"
        refused += problem is not None
        text = "accepted" if problem is None else "refused " + " ".join(problem.split())
        print(f"RESULT {item} {text}")
    sys.exit(1 if refused else 0)


main()
