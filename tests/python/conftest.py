from __future__ import annotations

import signal
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

import signdoc

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

# A job in the background of a shell begins with Ctrl-C ignored, and so would what it starts.
signal.signal(signal.SIGINT, signal.default_int_handler)


@pytest.fixture(scope="session")
def shared_sandbox() -> Iterator[signdoc.Sandbox]:
    with signdoc.Sandbox() as sandbox:
        yield sandbox


@pytest.fixture
def sandbox(shared_sandbox: signdoc.Sandbox) -> signdoc.Sandbox:
    shared_sandbox.reset()
    return shared_sandbox


@pytest.fixture
def client(sandbox: signdoc.Sandbox) -> Iterator[signdoc.Client]:
    with sandbox.client() as client:
        yield client


@pytest.fixture(scope="session")
def samples(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("samples")
    command = [sys.executable, "-m", "signdoc", "samples", "--warnings", "-o", str(folder)]
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    return folder


@pytest.fixture
def converter(sandbox: signdoc.Sandbox) -> str:
    if sandbox.converter is None:
        pytest.skip(f"no converter: {sandbox.converter_reason}")
    return sandbox.converter
