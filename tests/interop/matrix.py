"""Honest files of five signers: how often ours raises an alarm, and why.

usage: matrix.py --program VERIFY --inputs FOLDER... [--own] [--folder FOLDER] [--again]
                 [--limit N] [--bless]

VERIFY is `target/<profile>/examples/verify` of signdoc-signature. Inputs are PDFs named
KIND-anything.pdf; with `--own` those of inputs.py are added. Each is signed once by each signer,
invisibly and visibly, and then once more by every other signer; ours verifies the result against
what was signed. `--folder` keeps the signed files, `--again` verifies the kept ones anew. `--bless`
writes MATRIX.md.
"""

import argparse
import collections
import concurrent.futures
import json
import pathlib
import re
import sys
import tempfile

import foreign
import inputs
import judges
import kit

HERE = pathlib.Path(__file__).resolve().parent
SIGNERS = (*foreign.SIGNERS, "pyHanko")
KINDS = ("Word", "Chrome", "LibreOffice", "scanner", "TeX")
FIRST_BOX = (72, 80, 252, 130)
SECOND_BOX = (300, 80, 480, 130)
ONCE = ("invisible", "visible")


def slug(path):
    return path.name.removesuffix(".pdf")


def sign_with_pyhanko(job):
    authority_keys, (_, field, box, source, target) = job
    try:
        target.write_bytes(kit.sign(source.read_bytes(), authority_keys, field, box=box))
        return "ok"
    except Exception as error:  # whatever it raises is its refusal
        return f"{type(error).__name__}: {error}"


def sign_all(authority, path, jobs, folder):
    """Runs the jobs of all signers; gives their answers in order."""
    theirs = [job for job in jobs if job[0] in foreign.SIGNERS]
    key_file = foreign.keys(authority.kari, [authority.issuing], folder)
    answers = dict(zip(map(id, theirs), foreign.sign(path, key_file, theirs, folder), strict=True))
    signer = authority.signer()
    with concurrent.futures.ThreadPoolExecutor(1) as pool:
        own = [job for job in jobs if job[0] == "pyHanko"]
        made = pool.map(sign_with_pyhanko, [(signer, job) for job in own])
        answers.update(zip(map(id, own), made, strict=True))
    return [answers[id(job)] for job in jobs]


def make(authority, files, folder):
    """Signs everything. Gives rows: how, by whom, kind, original, signed, answer."""
    path = foreign.class_path(fetch=True)
    once, rows = [], []
    for file in files:
        for who in SIGNERS:
            for how, box in zip(ONCE, (None, FIRST_BOX), strict=True):
                target = folder / f"{slug(file)}.{who}.{how}.pdf"
                once.append((who, "Signature1", box, file, target))
                rows.append([how, who, file, target])
    answers = sign_all(authority, path, once, folder)
    twice, later = [], []
    for (how, first, file, source), answer in zip(list(rows), answers, strict=True):
        for who in SIGNERS if how == "invisible" and answer == "ok" else ():
            if who != first:
                target = folder / f"{slug(file)}.{first}.then.{who}.pdf"
                twice.append((who, "Signature2", SECOND_BOX, source, target))
                later.append(["serial", f"{first}, then {who}", file, target])
    answers += sign_all(authority, path, twice, folder)
    return [
        {"how": how, "who": who, "original": str(a), "signed": str(b), "answer": answer}
        for (how, who, a, b), answer in zip(rows + later, answers, strict=True)
    ]


def reason(report):
    """Why ours refuses a file, in one line without names and numbers."""
    words = [c["detail"] for c in report["changes"]["forbidden"]]
    words += [
        f"{c['name']}: {c['detail']}"
        for c in report["checks"]
        if c["status"] == "failed" and c["name"] not in ("changes", "original")
    ]
    words = words or [c["detail"] for c in report["checks"] if c["status"] == "failed"]
    short = [re.sub(r"\d+( 0 R)?", "n", word)[:150].replace("|", "/") for word in words]
    return "; ".join(sorted(set(short))[:3])


def judge_all(program, rows, folder):
    made = [row for row in rows if row["answer"] == "ok"]
    roots = folder / "root.pem"
    jobs = [[r["signed"], "--trust", roots, "--original", r["original"]] for r in made]
    for row, report in zip(made, judges.ours(program, jobs, folder), strict=True):
        row["why"] = None if report["ok"] else reason(report)
        status = {check["name"]: check["status"] for check in report["checks"]}
        if status.get("integrity") == "failed" and is_broken(row["signed"]):
            row["answer"] = "broken: not intact to pyHanko either"
    return [row for row in made if row["answer"] == "ok"]


def is_broken(path):
    """Whether the signer wrote a signature that does not hold."""
    try:
        found = judges.pyhanko_intact(path).values()
    except Exception:  # what it cannot read, it cannot tell
        return False
    return any(isinstance(state, tuple) and not state[0] for state in found)


def table(made):
    lines = ["| signature | by | " + " | ".join(KINDS) + " | alarms |", "|" + "---|" * 8]
    pairs = dict.fromkeys((r["how"], r["who"]) for r in made)
    for how, who in sorted(
        pairs, key=lambda p: (p[0] == "serial", p[0], SIGNERS.index(p[1].split(",")[0]))
    ):
        of_pair = [r for r in made if (r["how"], r["who"]) == (how, who)]
        cells = []
        for kind in (*KINDS, None):
            rows = [r for r in of_pair if kind in (None, kind_of(r))]
            alarms = sum(r["why"] is not None for r in rows)
            share = f" ({100 * alarms / len(rows):.1f} %)" if kind is None and rows else ""
            cells.append(f"{alarms} of {len(rows)}{share}")
        lines.append(f"| {how} | {who} | " + " | ".join(cells) + " |")
    return "\n".join(lines) + "\n"


def kind_of(row):
    return pathlib.Path(row["original"]).name.split("-")[0]


def reasons(made):
    count = collections.defaultdict(list)
    for row in made:
        if row["why"] is not None:
            count[row["why"]].append(row)
    lines = ["| alarms | originals | by | reason |", "|---|---|---|---|"]
    for why, rows in sorted(count.items(), key=lambda item: -len(item[1])):
        by = sorted({r["who"].split(", then ")[-1] for r in rows})
        originals = len({r["original"] for r in rows})
        lines.append(f"| {len(rows)} | {originals} | {', '.join(by)} | {why} |")
    return "\n".join(lines) + "\n"


HEAD = """# Honest files of other signers

Written by `matrix.py --bless`. Alarms of ours over files signed by others, against what was signed;
what a signer refuses to sign, or breaks in the eyes of pyHanko as well, is left out. "Serial" is a
visible signature after an invisible one.

"""


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--program", required=True)
    parser.add_argument("--inputs", type=pathlib.Path, nargs="*", default=[])
    parser.add_argument("--own", action="store_true")
    parser.add_argument("--folder", type=pathlib.Path)
    parser.add_argument("--again", action="store_true")
    parser.add_argument("--limit", type=int, default=1 << 30)
    parser.add_argument("--bless", action="store_true")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        folder = options.folder or pathlib.Path(name)
        folder.mkdir(parents=True, exist_ok=True)
        kept = folder / "made.json"
        if options.again:
            rows = json.loads(kept.read_text())
        else:
            files = [f for place in options.inputs for f in sorted(place.glob("*.pdf"))]
            files += inputs.make(folder / "own") if options.own else []
            files = [f for f in files if f.name.split("-")[0] in KINDS][: options.limit]
            authority = kit.Authority()
            (folder / "root.pem").write_bytes(authority.root.pem)
            try:
                rows = make(authority, files, folder)
            except foreign.Missing as reason:
                print(f"not judged: {reason}")
                sys.exit(3)
            kept.write_text(json.dumps(rows))
        made = judge_all(options.program, rows, folder)
        (folder / "judged.json").write_text(json.dumps(made, indent=0))
    text = f"{HEAD}{table(made)}\n{reasons(made)}"
    print(text)
    if options.bless:
        (HERE / "MATRIX.md").write_text(text)
    alarms = sum(row["why"] is not None for row in made)
    print(f"{len(made)} files, {alarms} alarms; {len(rows) - len(made)} were refused by signers")


if __name__ == "__main__":
    main()
