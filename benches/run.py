#!/usr/bin/env python3
"""Runs all benches and prints their tables; ``benches/README.md`` has the method.

Standard library only. Run it with the interpreter that has the peers installed:
``python benches/run.py [--rounds N] [--only NAME ...] [--no-build] [--output FILE]``.
"""

from __future__ import annotations

import argparse
import os
import shutil
import sys
import tempfile
from datetime import UTC, datetime
from pathlib import Path

from harness import inputs, machine, product, programs, runs, tables
from harness.programs import FLOOR, Program
from harness.runs import Server, Work
from harness.tables import Goal, Reports

WARM_CALLS = 40
JOBS = 8
"""Calls under way at the same time in job C."""
LEAST_ROUNDS = 7


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=9, help="runs of each program (at least 7)")
    parser.add_argument("--only", nargs="+", default=[], help="programs to run beside the floor")
    parser.add_argument("--smoke", action="store_true", help="two rounds: whether it all runs")
    parser.add_argument("--no-build", action="store_true", help="take the programs as they are")
    parser.add_argument("--output", type=Path, default=programs.BENCHES / "RESULTS.md")
    return parser.parse_args()


def interleaved(
    rows: list[Program], work: Work, url: str, out: Path, rounds: int, label: str
) -> Reports:
    """All programs in turn, ``rounds`` times; each round begins with another program."""
    reports: Reports = {}
    for number in range(rounds):
        start = number % len(rows)
        for program in rows[start:] + rows[:start]:
            if program.reason is not None:
                continue
            expected = None
            if program.name in ("raw", "base64"):
                expected = []
            elif program.name == "copy":
                expected = [runs.sha256(file) for file in work.documents.files]
            report = runs.run(program, work, url, out, expected)
            if report is not None:
                reports.setdefault(program.name, []).append(report)
        print(f"{label}: round {number + 1} of {rounds}", file=sys.stderr)
    return reports


def measure(folder: Path, options: argparse.Namespace) -> list[str]:
    """Everything, as the lines of the report."""
    big = inputs.write(folder, "big", inputs.BIG_COUNT, inputs.BIG, seed=1)
    small = inputs.write(folder, "small", 1, inputs.SMALL, seed=100)
    clients = programs.all_programs(folder)
    if options.only:
        clients = [p for p in clients if p.name in {FLOOR, *options.only}]
    for program in clients:
        if program.reason is None:
            runs.check_request(program, big, folder)
    parts = [programs.part(name) for name in ("raw", "copy", "base64")]
    out, rounds, ca = folder / "out", options.rounds, folder / "ca.pem"
    small_ca = folder / "small-ca.pem"
    batch_rows = programs.many_programs(JOBS)
    batch_documents = inputs.write(folder, "many", inputs.MANY_COUNT, inputs.SMALL, seed=5000)
    with (
        Server(big.answers) as for_big,
        Server(small.answers) as for_small,
        Server(batch_documents.answers) as for_many,
        Server(big.answers, ca=ca) as secure,
        Server(small.answers, ca=small_ca) as small_secure,
    ):
        servers = (for_big, for_small, for_many, secure, small_secure)
        load = machine.OtherLoad([server.pid for server in servers])
        rows = [*clients, *programs.bytes_programs()]
        rows += programs.tls_programs(secure.url, ca)
        if options.only:
            rows = [row for row in rows if row in clients or row.name in options.only]
        many = interleaved([*rows, *parts], Work(big), for_big.url, out, rounds, "A")
        one = interleaved(clients, Work(big.first()), for_big.url, out, rounds, "A, one document")
        repeated = Work(small, repeat=WARM_CALLS + 1)
        warm = interleaved(clients, repeated, for_small.url, out, rounds, "B")
        first_rows = programs.tls_programs(small_secure.url, small_ca)[:2]
        first = interleaved(
            first_rows, Work(small, repeat=2), small_secure.url, out, rounds, "first call"
        )
        batch = interleaved(batch_rows, Work(batch_documents), for_many.url, out, rounds, "C")
        others = load.cores()
    imported, sizes = product.import_time(rounds), product.sizes(folder)
    goals = tables.floor_goal(many) + tables.job_goals(many, one, warm)
    goals += tables.tls_goals(many, first)
    goals += tables.bytes_goals(many, inputs.BIG_COUNT * inputs.BIG / 1024**2)
    goals += tables.batch_goals(batch)
    goals.append(Goal("start: `import signdoc` over its yardstick", 5, imported[0].value, "ms"))
    for figure, limit in zip(sizes, (4, 6), strict=True):
        goals.append(Goal(f"size: {figure.what}", limit, figure.value, "MB"))
    total, call = ("cpu_ms", "wall_ms"), ("call_cpu_ms", "call_wall_ms")
    return [
        "# Results",
        "",
        f"Written by `benches/run.py` on {datetime.now(UTC):%Y-%m-%d}; method in README.md. Each",
        f"figure is the median of {rounds} runs, with the least and the greatest behind it.",
        "",
        *(f"* {line}" for line in machine.description()),
        f"* other processes used {others:.2f} cores while this ran",
        "",
        "## Job A: 15 PDFs of 3.75 MB, disk to disk",
        "",
        *tables.table([*rows, *parts], many, total, 0),
        "",
        "## Job A with one document",
        "",
        *tables.table(clients, one, total, 1),
        "",
        f"## Job B: one PDF of 100 KB, each of {WARM_CALLS} warm calls on one connection",
        "",
        *tables.table(clients, warm, call, 2),
        "",
        "## The first call over TLS: one PDF of 100 KB, discovery, token and handshakes included",
        "",
        *tables.table(first_rows, first, ("first_cpu_ms", "first_wall_ms"), 2),
        "",
        f"## Job C: {inputs.MANY_COUNT} PDFs of 100 KB, {JOBS} calls at a time",
        "",
        *tables.table(batch_rows, batch, total, 1),
        "",
        "## Start and size",
        "",
        *(f"* {figure.what}: {figure.shown}" for figure in imported + sizes),
        "",
        "## Goals",
        "",
        *tables.goals_table(goals),
        "",
    ]


def main() -> int:
    options = arguments()
    if options.smoke:
        options.rounds = 2
    elif options.rounds < LEAST_ROUNDS:
        print(f"a median needs at least {LEAST_ROUNDS} rounds", file=sys.stderr)
        return 2
    if not options.no_build:
        programs.build()
    memory = Path("/dev/shm")
    place = memory if os.access(memory, os.W_OK) else None
    if place is None:
        print("no /dev/shm: the disk is measured too", file=sys.stderr)
    folder = Path(tempfile.mkdtemp(prefix="signdoc-bench-", dir=place))
    try:
        lines = measure(folder, options)
    except runs.WrongResult as error:
        print(f"bench failed: {error}", file=sys.stderr)
        return 1
    finally:
        shutil.rmtree(folder, ignore_errors=True)
    text = "\n".join(lines)
    options.output.write_text(text)
    print(text)
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
