"""The machine: its description, the cores to run on, and how busy others keep it."""

from __future__ import annotations

import os
import platform
import resource
import subprocess
import time
from collections.abc import Callable
from pathlib import Path

CLIENT_CORE, SERVER_CORE = 0, 1


def placed(core: int) -> Callable[[], None]:
    """A function that puts the process which calls it on ``core``, ahead of others if allowed."""

    def place() -> None:
        if core in os.sched_getaffinity(0):
            os.sched_setaffinity(0, {core})
        try:
            os.setpriority(os.PRIO_PROCESS, 0, -10)
        except PermissionError:
            pass

    return place


def _first(path: str, key: str) -> str:
    for line in Path(path).read_text().splitlines():
        name, _, value = line.replace("=", ":", 1).partition(":")
        if name.strip() == key:
            return value.strip().strip('"')
    return "unknown"


def _version(*command: str) -> str:
    try:
        return subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip()
    except (OSError, subprocess.CalledProcessError):
        return "unknown"


def description() -> list[str]:
    """What a reader needs to judge the figures, one line each."""
    cores = sorted(os.sched_getaffinity(0))
    memory = int(_first("/proc/meminfo", "MemTotal").split()[0]) / 1024**2
    pinned = {CLIENT_CORE, SERVER_CORE} <= set(cores)
    return [
        f"{_first('/proc/cpuinfo', 'model name')}, {len(cores)} cores, {memory:.0f} GiB of memory",
        f"{_first('/etc/os-release', 'PRETTY_NAME')}, kernel {platform.release()}",
        f"{_version('rustc', '--version')}; Python {platform.python_version()}",
        f"clients on core {CLIENT_CORE}, server on core {SERVER_CORE}"
        if pinned
        else "nothing pinned: the machine has too few cores",
    ]


class OtherLoad:
    """How many cores processes outside the bench used while it ran."""

    def __init__(self, servers: list[int]) -> None:
        self._servers = servers
        self._began = time.monotonic()
        self._busy = self._machine() - self._ours()

    def cores(self) -> float:
        """Mean since the start."""
        busy = self._machine() - self._ours() - self._busy
        return max(0.0, busy / (time.monotonic() - self._began))

    @staticmethod
    def _machine() -> float:
        fields = [int(n) for n in Path("/proc/stat").read_text().splitlines()[0].split()[1:]]
        user, nice, system, _idle, _wait, irq, softirq = fields[:7]
        return (user + nice + system + irq + softirq) / os.sysconf("SC_CLK_TCK")

    def _ours(self) -> float:
        total = 0.0
        for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN):
            usage = resource.getrusage(who)
            total += usage.ru_utime + usage.ru_stime
        for server in self._servers:
            after_name = Path(f"/proc/{server}/stat").read_text().rpartition(")")[2].split()
            total += (int(after_name[11]) + int(after_name[12])) / os.sysconf("SC_CLK_TCK")
        return total
