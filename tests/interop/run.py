"""Attacks, honest files and signed files of others before judges: ours, pyHanko, pdfsig, EU DSS.

usage: run.py --program VERIFY [--corpus FOLDER] [--dss] [--bless]

VERIFY is `target/<profile>/examples/verify` of signdoc-signature. Every attack must be caught by
ours, for the reason it is an attack; no honest file may raise an alarm; the tables in
docs/verification.md must say what ours answers (--bless writes them anew). Exit code 0 when all
that holds; 3, with the reason, when pyHanko or pikepdf is not installed. EU DSS is asked where
Java, Maven and the libraries are there already; with --dss they are fetched first, which takes
minutes.
"""

import argparse
import pathlib
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
DOCUMENT = HERE.parents[1] / "docs" / "verification.md"
DATA = HERE.parents[1] / "tests" / "data" / "verification"

try:
    import attacks as attack_list
    import containers
    import foreign
    import honest
    import judges
    import kit
except ImportError as error:
    print(f"not judged: {error.name} is not installed (tests/interop/requirements.txt)")
    sys.exit(3)

failures = []


def check(holds, text):
    if not holds:
        failures.append(text)
        print(f"FAILED {text}")


def write(folder, name, data):
    path = folder / name
    path.write_bytes(data)
    return path


class Dss:
    """EU DSS, where it can be asked."""

    def __init__(self, folder, fetch):
        self.folder = folder
        try:
            self.path = foreign.class_path(fetch)
        except foreign.Missing as missing:
            print(f"not judged by EU DSS: {missing}")
            self.path = None

    def ask(self, files):
        if self.path is None:
            return ["not asked"] * len(files)
        return foreign.judge(self.path, self.folder / "root.pem", files, self.folder)


def run_attacks(program, folder, authority, dss):
    rows = []
    listed = list(attack_list.attacks(authority))
    jobs = []
    for index, attack in enumerate(listed):
        signed = write(folder, f"attack-{index}.pdf", attack.signed)
        job = [signed, "--trust", folder / "root.pem", *attack.arguments]
        if attack.original is not None:
            job += ["--original", write(folder, f"attack-{index}-original.pdf", attack.original)]
        jobs.append(job)
    reports = judges.ours(program, jobs, folder)
    theirs = dss.ask([job[0] for job in jobs])
    for attack, job, report, word_of_dss in zip(listed, jobs, reports, theirs, strict=True):
        failed = [c for c in report["checks"] if c["status"] == "failed"]
        words = [c["detail"] for c in failed + report["changes"]["forbidden"]]
        because = attack_list.BECAUSE[attack.name]
        check(not report["ok"], f"attack not caught: {attack.group}: {attack.name}")
        check(
            any(because in word for word in words),
            f"{attack.group}: {attack.name}: {because!r} is not why: {words}",
        )
        rows.append(
            [
                attack.group,
                attack.name,
                ", ".join(c["name"] for c in failed),
                judges.pyhanko(job[0], authority.context),
                judges.pdfsig(job[0]),
                word_of_dss,
            ]
        )
    check(len(rows) >= 20, "fewer than 20 attacks")
    return rows


def run_honest(program, folder, authority, dss):
    rows = []
    listed = list(honest.files(authority))
    jobs = []
    for index, (_, original, signed, arguments) in enumerate(listed):
        before = write(folder, f"honest-{index}-original.pdf", original)
        after = write(folder, f"honest-{index}.pdf", signed)
        jobs.append([after, "--trust", folder / "root.pem", "--original", before, *arguments])
        # The same without an original: what follows the first signature.
        jobs.append([after, "--trust", folder / "root.pem"])
    reports = judges.ours(program, jobs, folder)
    theirs = dss.ask([job[0] for job in jobs[::2]])
    for index, (name, _, _, _) in enumerate(listed):
        for report, how in zip(
            reports[2 * index : 2 * index + 2], ("with", "without"), strict=True
        ):
            failed = [c for c in report["checks"] if c["status"] == "failed"]
            check(report["ok"], f"false alarm {how} original: {name}: {failed}")
        levels = [
            s["level"] or "none"
            for s in reports[2 * index]["signatures"]
            if s["kind"] == "signature"
        ]
        path = jobs[2 * index][0]
        rows.append(
            [
                name,
                "ok" if reports[2 * index]["ok"] else "alarm",
                ", ".join(levels),
                judges.pyhanko(path, authority.context),
                judges.pdfsig(path),
                theirs[index],
            ]
        )
    check(len(rows) >= 60, "fewer than 60 honest files")
    return rows


# Where ours and pyHanko differ about a file of others, and why.
EXPLAINED = {
    "66_pyHanko_pdf-sig-with-econtent.pdf": (
        "both refuse: the CMS embeds content that is not the document; pyHanko raises an error, "
        "ours fails the digest"
    ),
}


def run_corpus(program, folder, corpus):
    files = sorted(corpus.glob("*.pdf"))
    reports = judges.ours(program, [[path] for path in files], folder)
    rows = []
    for path, report in zip(files, reports, strict=True):
        if not report["signatures"]:
            continue
        theirs = judges.pyhanko_intact(path)
        status = {c["name"]: c["status"] for c in report["checks"]}
        mine = {}
        for signature in report["signatures"]:
            checks = {c["name"]: c["status"] for c in signature["checks"]}
            mine[signature["field"]] = all(
                checks.get(part) == "passed" for part in ("byte_range", "digest", "signature")
            )
        agree = mine == {f: t[0] if isinstance(t, tuple) else t for f, t in theirs.items()}
        clean = all(t[1] for t in theirs.values() if isinstance(t, tuple))
        mine_clean = status.get("changes") == "passed"
        agree = agree and mine_clean == clean
        check(
            agree or path.name in EXPLAINED,
            f"{path.name}: ours {mine} {mine_clean}, pyHanko {theirs}",
        )
        intact = "intact" if all(mine.values()) else "not intact"
        rows.append(
            [
                path.name,
                len(mine),
                intact + ("" if mine_clean else ", changed"),
                "the same" if agree else EXPLAINED.get(path.name, "different"),
                judges.pdfsig(path),
            ]
        )
    return rows


def run_containers(program, folder, dss):
    roots = DATA / "roots.pem"
    listed = containers.containers(DATA)
    files = [write(folder, f"container-{n}.asice", one[1]) for n, one in enumerate(listed)]
    at = ["--at", "1795179600"]
    reports = judges.ours(program, [[file, "--trust", roots, *at] for file in files], folder)
    theirs = ["not asked"] * len(files)
    if dss.path is not None:
        theirs = foreign.judge(dss.path, roots, files, folder)
    for (name, _, fails, expected), report, word in zip(listed, reports, theirs, strict=True):
        failed = {one["name"] for one in report["checks"] if one["status"] == "failed"}
        check(report["ok"] == (fails is None), f"container {name}: ours says {report['ok']}")
        check(fails is None or fails in failed, f"container {name}: ours fails {sorted(failed)}")
        check(word in (expected, "not asked"), f"container {name}: EU DSS says {word}")
    return len(listed)


def table(head, rows):
    lines = ["| " + " | ".join(head) + " |", "|" + "---|" * len(head)]
    lines += ["| " + " | ".join(str(cell) for cell in row) + " |" for row in rows]
    return "\n".join(lines) + "\n"


def compare_document(name, text, ours_columns, bless):
    """Holds the table between markers against `text`, in the columns that are ours."""
    begin, end = f"<!-- {name} -->\n", f"<!-- end of {name} -->\n"
    document = DOCUMENT.read_text()
    before, rest = document.split(begin)
    old, after = rest.split(end)
    if bless:
        DOCUMENT.write_text(before + begin + text + end + after)
        return

    def own(part):
        return [
            [line.split(" | ")[c] for c in ours_columns if c < len(line.split(" | "))]
            for line in part.splitlines()
        ]

    check(own(old) == own(text), f"docs/verification.md: the table of {name} is stale (--bless)")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--program", required=True)
    parser.add_argument("--corpus", type=pathlib.Path)
    parser.add_argument("--dss", action="store_true")
    parser.add_argument("--bless", action="store_true")
    options = parser.parse_args()
    authority = kit.Authority()
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        write(folder, "root.pem", authority.root.pem)
        dss = Dss(folder, options.dss)
        rows = run_attacks(options.program, folder, authority, dss)
        caught = sum(1 for row in rows if row[2])
        print(
            f"{caught} of {len(rows)} attacks caught by ours; pyHanko accepts "
            f"{sum(row[3] == 'accepts' for row in rows)}, pdfsig accepts "
            f"{sum(row[4].startswith('accepts') for row in rows)}, "
            + (
                f"EU DSS {sum(row[5] == 'accepts' for row in rows)}"
                if dss.path
                else "EU DSS not asked"
            )
        )
        head = ["group", "attack", "ours fails", "pyHanko", "pdfsig", "EU DSS"]
        compare_document("attacks", table(head, rows), (0, 1, 2), options.bless)
        rows = run_honest(options.program, folder, authority, dss)
        print(
            f"{len(rows)} honest files, {sum(row[1] != 'ok' for row in rows)} alarms by ours, "
            f"{sum(row[3] != 'accepts' for row in rows)} by pyHanko"
        )
        head = ["file", "ours", "levels", "pyHanko", "pdfsig", "EU DSS"]
        compare_document("honest files", table(head, rows), (0, 1, 2), options.bless)
        count = run_containers(options.program, folder, dss)
        print(f"{count} containers judged" + ("" if dss.path else ", EU DSS not asked"))
        if options.corpus and options.corpus.is_dir():
            rows = run_corpus(options.program, folder, options.corpus)
            print(f"{len(rows)} signed files of others judged")
            head = ["file", "signatures", "ours", "pyHanko about integrity and changes", "pdfsig"]
            compare_document("signed files of others", table(head, rows), (0, 1, 2), options.bless)
        else:
            print("not judged: signed files of others (there is no corpus here)")
    sys.exit(1 if failures else 0)


if __name__ == "__main__":
    main()
