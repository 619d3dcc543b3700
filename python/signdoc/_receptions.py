"""Downloads that go on although nobody waits for them any more.

The request that downloads an order deletes it at the service, so its answer is the only copy. A
time limit, a cancelled task or Ctrl-C end the waiting, never the reception.
"""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING

from signdoc import _native
from signdoc._options import limits

if TYPE_CHECKING:
    from signdoc._options import Seconds

_armed: set[int] = set()
"""The processes whose end waits: a forked child's has to be told anew."""


def finish_downloads(timeout: Seconds | None = None) -> int:
    """Waits until all downloads of this process have been received.

    A process that ends by itself does that anyway, see `arm`; one that is killed, or leaves by
    ``os._exit``, does not.

    Args:
        timeout: Seconds to wait at most; default: until they end by themselves, at silence or at
            the cap on an answer's size.

    Returns:
        How many are still being received.
    """
    return _native.finish_receptions(limits(timeout)[0])


def arm() -> None:
    """Has the end of this process wait for downloads; called before the first one."""
    pid = os.getpid()
    if pid in _armed:
        return
    _armed.add(pid)
    # In processes that multiprocessing starts, what atexit knows is not called.
    util = sys.modules.get("multiprocessing.util")
    if util is not None:
        util.Finalize(None, _at_exit, exitpriority=100)
    import atexit

    atexit.register(_at_exit)


def _at_exit() -> None:
    count = _native.receptions()
    if count == 0:
        return
    try:
        _say(
            f"signdoc: receiving the results of {count} order(s) before this process ends; the "
            "service has deleted them. Ctrl-C gives up"
        )
        finish_downloads()
    except KeyboardInterrupt:
        left = _native.receptions()
        _say(
            f"signdoc: gave up on {left} download(s); client.pades.recover and client.sdo.recover "
            "tell what came"
        )


def _say(line: str) -> None:
    if sys.stderr is not None:
        print(line, file=sys.stderr, flush=True)
