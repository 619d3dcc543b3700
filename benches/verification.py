#!/usr/bin/env python3
"""What signing and verifying cost, beside pyHanko; ``benches/README.md`` has the method.

``python benches/verification.py [--rounds N] [--sizes MIB ...] [--no-build] [--output FILE]``;
standard library only, run with an interpreter that has pyHanko.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path

from harness import machine
from harness.programs import BENCHES, RELEASE, ROOT
from harness.tables import Goal, goals_table

RUNS = 3
MEMORY_LIMIT = 32
LARGE = 50
NOT_HERE = 77
MEASURE = str(RELEASE / "examples" / "measure")
PYHANKO = [sys.executable, str(BENCHES / "peers" / "with_pyhanko.py")]


@dataclass(frozen=True)
class Job:
    """One row: what is run, and what its CPU time is compared with."""

    name: str
    command: list[str]
    yardstick: str | None = None


def jobs(folder: Path) -> list[Job]:
    """All rows for one size, in the order of the table."""
    unsigned, signed, roots = (
        str(folder / name) for name in ("unsigned.pdf", "signed.pdf", "roots.pem")
    )
    out, runs = str(folder / "out.pdf"), str(RUNS)
    hashed, peer = "SHA-256 once (ours)", "SHA-256 once (hashlib)"
    return [
        Job(hashed, [MEASURE, "hash", signed, runs]),
        Job("verify", [MEASURE, "verify", signed, roots, runs], hashed),
        Job("verify with original", [MEASURE, "verify", signed, roots, runs, unsigned], hashed),
        Job("sign", [MEASURE, "sign", unsigned, out, runs], hashed),
        Job(peer, [*PYHANKO, "hash", signed, runs]),
        Job("verify, pyHanko", [*PYHANKO, "verify", signed, roots, runs], peer),
        Job("sign, pyHanko", [*PYHANKO, "sign", unsigned, out, runs], peer),
    ]


def run(job: Job) -> dict[str, float | None] | str:
    """What one process measured; a text says why it cannot run here."""
    done = subprocess.run(
        job.command,
        capture_output=True,
        text=True,
        preexec_fn=machine.placed(machine.CLIENT_CORE),
    )
    if done.returncode == NOT_HERE:
        return done.stderr.strip()
    if done.returncode != 0:
        sys.exit(f"{job.name}: exit status {done.returncode}\n{done.stderr}")
    measured: dict[str, float | None] = json.loads(done.stdout)
    return measured


def measure(size: int, rounds: int, folder: Path) -> tuple[list[str], dict[str, dict[str, float]]]:
    """The table for files of ``size`` MiB, and its figures."""
    subprocess.run([MEASURE, "make", str(folder), str(size << 20)], check=True)
    rows = jobs(folder)
    found: dict[str, list[dict[str, float | None]]] = {}
    missing: dict[str, str] = {}
    for number in range(rounds):
        start = number % len(rows)
        for job in rows[start:] + rows[:start]:
            told = run(job)
            if isinstance(told, str):
                missing[job.name] = told
            else:
                found.setdefault(job.name, []).append(told)
        print(f"{size} MiB: round {number + 1} of {rounds}", file=sys.stderr)
    figures = {name: figure(reports) for name, reports in found.items()}
    lines = ["| job | CPU, ms | times its hashing | peak of memory, MiB | growth, MiB |"]
    lines.append("| --- | ---: | ---: | ---: | ---: |")
    for job in rows:
        own = figures.get(job.name)
        if own is None:
            lines.append(f"| {job.name} | not run: {missing[job.name]} | | | |")
            continue
        ratio = own["cpu_ms"] / figures[job.yardstick]["cpu_ms"] if job.yardstick else 1.0
        own["ratio"] = ratio
        lines.append(
            f"| {job.name} | {own['cpu_ms']:.1f} | {ratio:.2f} | {own['peak']:.1f} |"
            f" {own['growth']:.1f} |"
        )
    return lines, figures


def figure(reports: list[dict[str, float | None]]) -> dict[str, float]:
    """Medians; memory in MiB."""

    def median(key: str) -> float:
        return statistics.median(report[key] or 0.0 for report in reports)

    peak, before = median("peak_kib") / 1024, median("before_kib") / 1024
    return {"cpu_ms": median("cpu_ms"), "peak": peak, "growth": peak - before}


# What the files look like, and the arguments that make them.
WORK = [
    *(
        (f"an update of {count:,} objects", ["changed", str(count), "0"])
        for count in (10, 100, 1_000, 10_000, 50_000)
    ),
    ("4,000 objects in two streams of 16 MB, changed in two more", ["changed", "4000", "16000000"]),
    ("one object stream of 13 MB, signed", ["packed", str(13 << 20)]),
    ("object streams that are more than is kept", ["hostile", "decode"]),
    ("as many values as fit", ["hostile", "values"]),
    ("a form of 60,000 fields and 40 updates", ["hostile", "fields"]),
]
# For any file of up to a megabyte, in milliseconds.
WORK_LIMIT = 2000


def work(rounds: int) -> tuple[list[str], list[Goal]]:
    """What comparing costs, from small updates to files that ask for all they can get."""
    lines = ["| file compared with its original | bytes | CPU, ms | peak of memory, MiB |"]
    lines.append("| --- | ---: | ---: | ---: |")
    worst = 0.0
    for name, arguments in WORK:
        reports = []
        for _ in range(rounds):
            command = [MEASURE, *arguments, str(RUNS)]
            done = subprocess.run(command, capture_output=True, text=True, check=True)
            reports.append(json.loads(done.stdout))
        own, size = figure(reports), int(done.stderr.split()[0])
        lines.append(f"| {name} | {size:,} | {own['cpu_ms']:.1f} | {own['peak']:.1f} |")
        worst = max(worst, own["cpu_ms"])
        print(name, file=sys.stderr)
    return lines, [Goal("comparing, the worst of these: CPU", WORK_LIMIT, worst, "ms")]


def goals(size: int, figures: dict[str, dict[str, float]]) -> list[Goal]:
    """What must be reached for files of this size."""
    # In small files what does not depend on their size outweighs the hashing.
    told = [
        Goal(f"{name}, {size} MiB: CPU over hashing once", 2, figures[name]["ratio"])
        for name in ("verify", "verify with original")
        if size >= LARGE
    ]
    return told + [
        Goal(f"{name}, {size} MiB: peak of memory", MEMORY_LIMIT, figures[name]["peak"], "MiB")
        for name in ("sign", "verify", "verify with original")
    ]


def main() -> None:
    """Runs everything and writes the report."""
    parser = argparse.ArgumentParser(description="signing and verifying beside pyHanko")
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--sizes", type=int, nargs="*", default=[5, 50, 400], help="in MiB")
    parser.add_argument("--no-build", action="store_true")
    parser.add_argument("--output", type=Path, default=BENCHES / "VERIFICATION.md")
    given = parser.parse_args()
    if not given.no_build:
        command = "cargo build -q --release -p signdoc-signature --features pki,fixtures"
        subprocess.run([*command.split(), "--example", "measure"], cwd=ROOT, check=True)
    lines = ["# Signing and verifying", ""]
    lines += [f"- {line}" for line in machine.description()[:3]]
    rounds = f"median of {given.rounds} processes for each job, all in turn"
    lines += [
        f"- {rounds}; each process takes the best of {RUNS} runs",
        f"- one-minute load of the machine before the runs: {os.getloadavg()[0]:.1f}",
        "",
    ]
    reached: list[Goal] = []
    for size in given.sizes:
        with tempfile.TemporaryDirectory(dir="/dev/shm") as folder:
            table, figures = measure(size, given.rounds, Path(folder))
        lines += [f"## A file of {size} MiB, one signature (B-LT)", "", *table, ""]
        reached += goals(size, figures)
    table, more = work(given.rounds)
    lines += ["## Work", "", *table, ""]
    reached += more
    lines += ["## Goals", "", *goals_table(reached), ""]
    given.output.write_text("\n".join(lines))
    print("\n".join(lines))


if __name__ == "__main__":
    main()
