"""The program ``signdoc``."""

from __future__ import annotations

import signal
import sys
from typing import TYPE_CHECKING

from signdoc import _native

if TYPE_CHECKING:
    from types import FrameType

INTERRUPTED = 130
TERMINATED = 143


class _Terminated(Exception):
    pass


def main() -> int:
    """Runs the program with the arguments of this process and gives its exit status."""
    terminated = False

    def terminate(_number: int, _frame: FrameType | None) -> None:
        nonlocal terminated
        terminated = True
        raise _Terminated

    signal.signal(signal.SIGTERM, terminate)
    try:
        status = _native.cli(["signdoc", *sys.argv[1:]])
    except (KeyboardInterrupt, _Terminated):
        status = INTERRUPTED
    return TERMINATED if terminated and status == INTERRUPTED else status
