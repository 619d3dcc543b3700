"""Medians, ratios against the floor, goals, and the markdown of all that."""

from __future__ import annotations

import statistics
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from .programs import BYTES, CURL, FLOOR, NAIVE, OURS, PYTHON, RUST, TLS, C, Program

Reports = dict[str, list[dict[str, Any]]]


def median(reports: Reports, name: str, key: str) -> float | None:
    """Median of one figure of one program; ``None`` when it was not run."""
    values = [float(report[key]) for report in reports.get(name, [])]
    return statistics.median(values) if values else None


def growth_mib(report: dict[str, Any]) -> float:
    """How far the peak during the job lies over the memory before it."""
    return float(report["peak_kib"] - report["rss_before_kib"]) / 1024


def _spread(reports: list[dict[str, Any]], key: str, digits: int) -> str:
    values = [float(report[key]) for report in reports]
    middle = statistics.median(values)
    return f"{middle:.{digits}f} ({min(values):.{digits}f}–{max(values):.{digits}f})"


def _row(*cells: str) -> str:
    return "| " + " | ".join(cells) + " |"


def table(
    programs: Sequence[Program], reports: Reports, keys: tuple[str, str], digits: int
) -> list[str]:
    """One job: CPU and wall with their ratios to the floor, and memory."""
    cpu, wall = keys
    lines = [
        _row(
            "program",
            "CPU ms",
            "CPU × floor",
            "wall ms",
            "wall × floor",
            "growth MiB",
            "before MiB",
        ),
        _row("---", "---", "---", "---", "---", "---", "---"),
    ]
    for program in programs:
        runs = reports.get(program.name)
        if not runs:
            lines.append(_row(program.name, f"not run: {program.reason}", "", "", "", "", ""))
            continue
        ratios = []
        for key in keys:
            floor, value = median(reports, FLOOR, key), median(reports, program.name, key)
            ratios.append(f"{value / floor:.2f}" if floor and value is not None else "–")
        growth = statistics.median(growth_mib(report) for report in runs)
        before = statistics.median(report["rss_before_kib"] for report in runs) / 1024
        lines.append(
            _row(
                program.name,
                _spread(runs, cpu, digits),
                ratios[0],
                _spread(runs, wall, digits),
                ratios[1],
                f"{growth:.1f}",
                f"{before:.0f}",
            )
        )
    return lines


@dataclass(frozen=True)
class Goal:
    """Something that must be reached; ``got`` is ``None`` where it could not be measured."""

    what: str
    limit: float
    got: float | None
    unit: str = "×"

    def line(self) -> str:
        """Its row."""
        if self.got is None:
            verdict, shown = "not run", "–"
        else:
            shown = f"{self.got:.2f} {self.unit}"
            over = self.got / self.limit - 1
            verdict = "reached" if over <= 0 else f"missed by {over:.0%}"
        return _row(self.what, f"≤ {self.limit:.3g} {self.unit}", shown, verdict)


def goals_table(goals: Sequence[Goal]) -> list[str]:
    """All goals."""
    head = [_row("goal", "must reach", "measured", ""), _row("---", "---", "---", "---")]
    return head + [goal.line() for goal in goals]


def _ratio(reports: Reports, name: str, other: str, key: str) -> float | None:
    mine, theirs = median(reports, name, key), median(reports, other, key)
    return mine / theirs if mine is not None and theirs else None


def floor_goal(reports: Reports) -> list[Goal]:
    """The floor against the parts it cannot do without."""
    goals = []
    for key, label in (("cpu_ms", "CPU"), ("wall_ms", "wall")):
        parts = [median(reports, part, key) for part in ("raw", "copy", "base64")]
        floor = median(reports, FLOOR, key)
        known = [part for part in parts if part is not None]
        got = floor / sum(known) if floor is not None and len(known) == len(parts) else None
        goals.append(Goal(f"A: floor, {label}, against raw + copy + base64", 1.15, got))
    return goals


def job_goals(many: Reports, one: Reports, warm: Reports) -> list[Goal]:
    """The goals of jobs A (``many``, ``one`` for memory) and B (``warm``)."""
    goals = []
    for name in OURS:
        for key, label in (("cpu_ms", "CPU"), ("wall_ms", "wall")):
            goals.append(
                Goal(f"A: {name}, {label}, against the floor", 1.25, _ratio(many, name, FLOOR, key))
            )
        for other, limit in (("requests", 1 / 8), ("httpx", 1 / 8), (NAIVE, 1 / 4)):
            goals.append(
                Goal(f"A: {name}, CPU, against {other}", limit, _ratio(many, name, other, "cpu_ms"))
            )
        for reports, label in ((many, "15 documents"), (one, "1 document")):
            runs = reports.get(name, [])
            got = statistics.median(map(growth_mib, runs)) if runs else None
            goals.append(Goal(f"A: {name}, memory growth, {label}", 8, got, "MiB"))
    for name, limit in ((RUST, 1.3), (C, 1.3), (PYTHON, 1.5)):
        key = "call_cpu_ms"
        goals.append(
            Goal(
                f"B: {name}, CPU of a warm call, against the floor",
                limit,
                _ratio(warm, name, FLOOR, key),
            )
        )
        for other in ("requests", "httpx"):
            goals.append(
                Goal(
                    f"B: {name}, CPU of a warm call, against {other}",
                    1 / 6,
                    _ratio(warm, name, other, key),
                )
            )
    return goals


def _growth(reports: Reports, name: str) -> float | None:
    runs = reports.get(name, [])
    return statistics.median(map(growth_mib, runs)) if runs else None


def tls_goals(many: Reports, first: Reports) -> list[Goal]:
    """Job A over TLS, in one table with the floor over plain http; and the first call of all."""
    name, goals = RUST + TLS, []
    for key, label in (("cpu_ms", "CPU"), ("wall_ms", "wall")):
        ratio = _ratio(many, name, FLOOR, key)
        goals.append(Goal(f"A over TLS: {RUST}, {label}, against the http floor", 2.5, ratio))
        ratio = _ratio(many, name, CURL + TLS, key)
        goals.append(Goal(f"A over TLS: {RUST}, {label}, against {CURL}", 1, ratio))
    got = median(first, name, "first_wall_ms")
    goals.append(Goal("first call over TLS: Rust, discovery and token included", 15, got, "ms"))
    return goals


def bytes_goals(many: Reports, output_mib: float) -> list[Goal]:
    """Job A with bytes: the inputs are there before, so growth is the outputs and little more."""
    goals = [
        Goal(f"A: {BYTES}, {label}, against the floor", 2, _ratio(many, BYTES, FLOOR, key))
        for key, label in (("cpu_ms", "CPU"), ("wall_ms", "wall"))
    ]
    got = _growth(many, BYTES)
    return [*goals, Goal(f"A: {BYTES}, memory growth", output_mib + 8, got, "MiB")]


def batch_goals(batch: Reports) -> list[Goal]:
    """Job C."""
    goals = []
    for name, limit in ((RUST, 1.4), (PYTHON, 2.0)):
        for key, label in (("cpu_ms", "CPU"), ("wall_ms", "wall")):
            got = _ratio(batch, name, FLOOR, key)
            goals.append(Goal(f"C: {name}, {label}, against the floor", limit, got))
        goals.append(Goal(f"C: {name}, memory growth", 12, _growth(batch, name), "MiB"))
    return goals
