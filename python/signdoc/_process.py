"""The sandbox as a child process."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import threading
import weakref
from tempfile import TemporaryFile
from typing import Any

from signdoc.errors import SignDocError

SANDBOX_FAILED = 23
START_LIMIT = 60.0
END_LIMIT = 5.0
KEPT_OUTPUT = 1 << 20


class Process:
    """The child process. Only the process that started it ends it."""

    def __init__(self, arguments: list[str]) -> None:
        self._creator = os.getpid()
        self._said = _Said()
        try:
            self._child = self._started(arguments)
        except BaseException:
            self._said.close()
            raise
        self._end = weakref.finalize(self, _end, self._child, self._said, self._creator)
        _running.add(self)
        try:
            self.ready: dict[str, Any] = self._first_line()
        except BaseException:
            self._end()
            raise

    def _started(self, arguments: list[str]) -> subprocess.Popen[str]:
        if not sys.executable:
            raise failed("the sandbox needs sys.executable, which this interpreter does not have")
        # -P: a folder called signdoc in the working directory is not the package.
        command = [sys.executable, "-P", "-m", "signdoc", "sandbox", *arguments]
        try:
            return subprocess.Popen(  # noqa: S603 - our own program
                command,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=self._said.file,
                env=_environment(),
                text=True,
                # Ctrl-C is for the creator, who ends the sandbox when it is done with it.
                start_new_session=True,
            )
        except OSError as error:
            raise failed(f"the sandbox cannot be started: {error}") from error

    def _first_line(self) -> dict[str, Any]:
        limit = threading.Timer(START_LIMIT, self._child.kill)
        limit.start()
        try:
            line = self._child.stdout.readline() if self._child.stdout else ""
        finally:
            limit.cancel()
        try:
            ready = json.loads(line)
        except ValueError:
            self._child.kill()
            status = self._child.wait()
            output = self._said.text().strip()
            raise failed(
                f"the sandbox did not start (exit status {status}): {output or 'it said nothing'}",
                output=output,
            ) from None
        if not isinstance(ready, dict):
            raise failed(f"the sandbox said {line.strip()!r} instead of where it is")
        return ready

    def output(self) -> str:
        """What the process wrote to standard error so far."""
        return self._said.text()

    def end(self) -> None:
        self._end()

    def let_go(self) -> None:
        """In a forked child: the sandbox must not wait for this process, too."""
        self._end.detach()
        if self._child.stdin:
            self._child.stdin.close()


class _Said:
    """What the process writes to standard error.

    It goes to a file, because a pipe that nobody reads would stop the sandbox when it is full.
    """

    def __init__(self) -> None:
        self.file = TemporaryFile()  # noqa: SIM115 - closed with the process
        self._kept = ""

    def text(self) -> str:
        if not self.file.closed:
            # The process shares the position of this handle, so it must not be moved.
            self._kept = os.pread(self.file.fileno(), KEPT_OUTPUT, 0).decode(errors="replace")
        return self._kept

    def close(self) -> None:
        self.text()
        self.file.close()


def _end(child: subprocess.Popen[str], said: _Said, creator: int) -> None:
    if os.getpid() != creator:
        return
    try:
        _stop(child)
    finally:
        said.close()


def _stop(child: subprocess.Popen[str]) -> None:
    for pipe in (child.stdin, child.stdout):
        if pipe:
            pipe.close()
    try:
        child.wait(END_LIMIT / 10)
    except subprocess.TimeoutExpired:
        child.terminate()
        try:
            child.wait(END_LIMIT)
        except subprocess.TimeoutExpired:
            child.kill()
            child.wait()


def _environment() -> dict[str, str]:
    """This process's environment; the child must find the same package."""
    environment = dict(os.environ)
    home = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
    if os.path.basename(home) not in {"site-packages", "dist-packages"}:
        known = environment.get("PYTHONPATH")
        environment["PYTHONPATH"] = f"{known}{os.pathsep}{home}" if known else home
    return environment


def failed(message: str, **details: object) -> SignDocError:
    """The error of a sandbox that does not work."""
    return SignDocError(message, code=SANDBOX_FAILED, details=details)


_running: weakref.WeakSet[Process] = weakref.WeakSet()


def _after_fork() -> None:
    for process in list(_running):
        process.let_go()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_after_fork)
