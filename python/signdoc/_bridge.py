"""Waiting for calls in an event loop.

The threads of the client never touch the interpreter, so that nothing can go wrong when it ends:
whatever is over, they write one byte to a socket that the loop listens to while there are calls
under way. The loop's thread then takes the results.
"""

from __future__ import annotations

import asyncio
import os
import weakref
from typing import TYPE_CHECKING, TypeVar

from signdoc import _native
from signdoc._log import log, warn_of_reception
from signdoc.results import from_row

if TYPE_CHECKING:
    from asyncio import AbstractEventLoop
    from collections.abc import AsyncGenerator, AsyncIterator, Callable

    from signdoc._documents import Given
    from signdoc._native import Batch
    from signdoc._operations import Operation
    from signdoc.results import Conversion

R = TypeVar("R")

LISTENER_TICK = 0.05
"""Seconds between two looks at a call that somebody watches."""
LOG_TICK = 0.5
"""Seconds between two looks at a call of which only the log is told."""
LETTING_GO = 0.03
"""Seconds that a cancelled call may take to let go of its files."""


class _Bridge:
    """What one event loop listens to, in one process."""

    def __init__(self) -> None:
        self.bell = _native.Bell()
        self.pid = os.getpid()
        self._heard: dict[int, Callable[[], None]] = {}
        self._next = 0

    def enter(self, loop: AbstractEventLoop, heard: Callable[[], None]) -> int:
        """Has ``heard`` called when the number that is returned is rung."""
        if not self._heard:
            loop.add_reader(self.bell.fileno(), self._hear)
        self._next += 1
        self._heard[self._next] = heard
        return self._next

    def leave(self, loop: AbstractEventLoop, number: int) -> None:
        del self._heard[number]
        if not self._heard and not loop.is_closed():
            loop.remove_reader(self.bell.fileno())

    def _hear(self) -> None:
        for number in self.bell.heard():
            heard = self._heard.get(number)
            if heard is not None:
                heard()


_bridges: weakref.WeakKeyDictionary[AbstractEventLoop, _Bridge] = weakref.WeakKeyDictionary()


def _bridge_of(loop: AbstractEventLoop) -> _Bridge:
    bridge = _bridges.get(loop)
    # A forked child shares the sockets of its parent, and must not take the parent's bytes.
    if bridge is None or bridge.pid != os.getpid():
        bridge = _bridges[loop] = _Bridge()
    return bridge


async def awaited(operation: Operation[R]) -> R:
    """Makes the call and waits for it; when the task is cancelled, so is the call."""
    loop = asyncio.get_running_loop()
    bridge = _bridge_of(loop)
    over = loop.create_future()
    # Each call is rung for once, and the future is nobody else's.
    number = bridge.enter(loop, lambda: over.set_result(None))
    try:
        operation.call.start(bridge.bell, number)
        try:
            await _watched(operation, over)
            return operation.finish(operation.call.result())
        except (Exception, asyncio.CancelledError) as stopped:
            left = operation.call.cancel()
            if left is not None:
                stopped.add_note(left)
                warn_of_reception(left)
            await asyncio.wait((over,), timeout=LETTING_GO)
            raise
    finally:
        operation.call.cancel()
        bridge.leave(loop, number)


async def _watched(operation: Operation[R], over: asyncio.Future[None]) -> None:
    tell = log()
    tick: float | None = LOG_TICK if tell else None
    if operation.progress or operation.on_state:
        tick = LISTENER_TICK
    while not over.done():
        # Unlike waiting for it alone, this leaves the future as it is when the task is cancelled.
        await asyncio.wait((over,), timeout=tick)
        if tick is not None:
            operation.tell(tell)


async def drained(
    batch: Batch, documents: AsyncIterator[Given]
) -> AsyncGenerator[Conversion, None]:
    """The results of a batch that is fed by ``documents``."""
    loop = asyncio.get_running_loop()
    bridge = _bridge_of(loop)
    rung = asyncio.Event()
    number = bridge.enter(loop, rung.set)
    try:
        batch.listen(bridge.bell, number)
        while True:
            rung.clear()
            what, row = batch.step(wait=False, log=log())
            if row is not None:
                yield from_row(row)
            elif what == "wants":
                batch.give(await anext(documents, None))
            elif what == "pending":
                await rung.wait()
            else:
                return
    finally:
        batch.cancel()
        bridge.leave(loop, number)
