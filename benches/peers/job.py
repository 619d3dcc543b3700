"""What the Python programs of the benches share: command line, meters and the report line.

The counterpart of ``benches/common/job.rs``; the report has the same fields. A program that
cannot run here ends with exit code 77 and the reason on standard error.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import statistics
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

NOT_HERE = 77

Call = Callable[[], None]


@dataclass(frozen=True)
class Job:
    """One job as the command line gives it."""

    url: str
    token: str
    out: Path
    repeat: int
    files: list[Path]

    @property
    def outputs(self) -> list[Path]:
        """Where the result of each document goes."""
        return [self.out / f"{file.stem}.pdf" for file in self.files]


def not_here(reason: object) -> None:
    """Ends the program: it cannot run on this machine."""
    print(reason, file=sys.stderr)
    raise SystemExit(NOT_HERE)


def parse() -> Job:
    """Reads ``convert --url U --token T --out DIR --repeat N FILES...``."""
    parser = argparse.ArgumentParser()
    parser.add_argument("what", choices=["convert"])
    parser.add_argument("--url", required=True)
    parser.add_argument("--token", default="bench-token")
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--repeat", type=int, default=1)
    parser.add_argument("files", type=Path, nargs="+")
    read = parser.parse_args()
    return Job(read.url, read.token, read.out, read.repeat, read.files)


def status_kib(key: str) -> int:
    """One line of ``/proc/self/status``."""
    for line in Path("/proc/self/status").read_text().splitlines():
        if line.startswith(key + ":"):
            return int(line.split()[1])
    raise LookupError(key)


def run(program: str, prepare: Callable[[Job], Call]) -> None:
    """Measures ``prepare`` (the client) and every call of what it returns; prints the report."""
    job = parse()
    laps: list[tuple[float, float]] = []
    try:
        # Sets the high-water mark back; where forbidden the peak can only be too high.
        Path("/proc/self/clear_refs").write_text("5")
    except OSError:
        pass
    rss_before = status_kib("VmRSS")
    wall, cpu = time.perf_counter(), time.process_time()
    lap_wall, lap_cpu = wall, cpu
    call = prepare(job)
    for _ in range(job.repeat):
        call()
        now_wall, now_cpu = time.perf_counter(), time.process_time()
        laps.append((now_wall - lap_wall, now_cpu - lap_cpu))
        lap_wall, lap_cpu = now_wall, now_cpu
    report: dict[str, object] = {
        "program": program,
        "documents": len(job.files),
        "wall_ms": (lap_wall - wall) * 1e3,
        "cpu_ms": (lap_cpu - cpu) * 1e3,
        "rss_before_kib": rss_before,
        "peak_kib": status_kib("VmHWM"),
    }
    if job.repeat > 1:
        report |= {
            "calls": job.repeat,
            "first_wall_ms": laps[0][0] * 1e3,
            "first_cpu_ms": laps[0][1] * 1e3,
            "call_wall_ms": statistics.median(lap[0] for lap in laps[1:]) * 1e3,
            "call_cpu_ms": statistics.median(lap[1] for lap in laps[1:]) * 1e3,
        }
    report["sha256"] = [hashlib.sha256(path.read_bytes()).hexdigest() for path in job.outputs]
    print(json.dumps(report))
