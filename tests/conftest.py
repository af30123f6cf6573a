"""What holds for every test: no network, no settings of the person who runs it, no deadlines that a busy machine breaks."""

from __future__ import annotations

import asyncio
import os
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import settings

PROJECT = Path(__file__).resolve().parents[1]
LOCAL = ("localhost", "127.0.0.1", "::1")
_KEPT = ("EVERYWORD_CACHE", "EVERYWORD_TEST_DATA")

settings.register_profile("everywhere", deadline=None)
settings.register_profile("ci", deadline=None, derandomize=True)
settings.load_profile("ci" if os.environ.get("CI") else "everywhere")


def _refuse_network(event: str, arguments: tuple[Any, ...]) -> None:
    if event == "socket.getaddrinfo":
        host = arguments[0]
    elif event in ("socket.connect", "socket.sendto") and isinstance(arguments[1], tuple):
        host = arguments[1][0]
    else:
        return
    if host not in (None, *LOCAL):
        pytest.fail(f"a test asked the network for {host!r}")


def pytest_configure() -> None:
    sys.addaudithook(_refuse_network)
    for name in [name for name in os.environ if name.startswith("EVERYWORD_") and name not in _KEPT]:
        del os.environ[name]


@pytest.fixture
def own_loop() -> Iterator[None]:
    """An event loop for libraries that take that of the thread, make one where there is none, and close neither."""
    loop = asyncio.new_event_loop()
    asyncio.set_event_loop(loop)
    yield
    asyncio.set_event_loop(None)
    loop.close()


@pytest.fixture(scope="session")
def project() -> Path:
    """The folder of pyproject.toml."""
    return PROJECT


@pytest.fixture(scope="session")
def data_folder() -> Path:
    """Conversations for development, which are no part of the project; in CI they must be there."""
    folder = Path(os.environ.get("EVERYWORD_TEST_DATA", PROJECT.parent / "shared" / "data"))
    if not folder.is_dir():
        reason = f"no test data at {folder}: set EVERYWORD_TEST_DATA"
        pytest.fail(reason) if os.environ.get("CI") else pytest.skip(reason)
    return folder
