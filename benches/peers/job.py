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
    ca: Path | None = None
    jobs: int = 1
    what: str = "convert"

    @property
    def outputs(self) -> list[Path]:
        """Where the result of each document goes."""
        return [self.out / f"{file.stem}.pdf" for file in self.files]


def not_here(reason: object) -> None:
    """Ends the program: it cannot run on this machine."""
    print(reason, file=sys.stderr)
    raise SystemExit(NOT_HERE)


def parse() -> Job:
    """Reads ``convert|many --url U --token T --out DIR [--ca FILE] [--jobs N] FILES...``."""
    parser = argparse.ArgumentParser()
    parser.add_argument("what", choices=["convert", "many"])
    parser.add_argument("--url", required=True)
    parser.add_argument("--token", default="bench-token")
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--repeat", type=int, default=1)
    parser.add_argument("--ca", type=Path)
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("files", type=Path, nargs="+")
    read = parser.parse_args()
    return Job(
        read.url, read.token, read.out, read.repeat, read.files, read.ca, read.jobs, read.what
    )


def status_kib(key: str) -> int:
    """One line of ``/proc/self/status``."""
    for line in Path("/proc/self/status").read_text().splitlines():
        if line.startswith(key + ":"):
            return int(line.split()[1])
    raise LookupError(key)


def run(
    program: str,
    prepare: Callable[[Job], Call],
    *,
    before: Callable[[Job], None] | None = None,
    after: Callable[[Job], None] | None = None,
    clock: Callable[[], float] = time.process_time,
) -> None:
    """Measures ``prepare`` (the client) and every call of what it returns; prints the report.

    What ``before`` and ``after`` do is not measured; ``clock`` tells the CPU time in seconds.
    """
    job = parse()
    if before is not None:
        before(job)
    laps: list[tuple[float, float]] = []
    try:
        # Sets the high-water mark back; where forbidden the peak can only be too high.
        Path("/proc/self/clear_refs").write_text("5")
    except OSError:
        pass
    rss_before = status_kib("VmRSS")
    wall, cpu = time.perf_counter(), clock()
    lap_wall, lap_cpu = wall, cpu
    call = prepare(job)
    for _ in range(job.repeat):
        call()
        now_wall, now_cpu = time.perf_counter(), clock()
        laps.append((now_wall - lap_wall, now_cpu - lap_cpu))
        lap_wall, lap_cpu = now_wall, now_cpu
    peak = status_kib("VmHWM")
    if after is not None:
        after(job)
    report: dict[str, object] = {
        "program": program,
        "documents": len(job.files),
        "wall_ms": (lap_wall - wall) * 1e3,
        "cpu_ms": (lap_cpu - cpu) * 1e3,
        "rss_before_kib": rss_before,
        "peak_kib": peak,
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
