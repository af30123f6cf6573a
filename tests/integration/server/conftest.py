"""A real server on a free port, as its users meet it, and an upstream that says what a test tells it to."""

from __future__ import annotations

import socket
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx
import pytest

from everyword.server import listener
from everyword.server.keys import KeyRing
from everyword.server.serving import Serving
from everyword.testing.scripted_server import ScriptedServer


@dataclass
class Running:
    """One server that answers."""

    url: str
    home: Path
    what: Serving

    def client(self, **headers: str) -> httpx.Client:
        return httpx.Client(base_url=self.url, headers=headers, timeout=30, trust_env=False)

    def key(self, **opens: Any) -> dict[str, str]:
        """Make a key and return the header that shows it."""
        return {"Authorization": f"Bearer {KeyRing(self.home).add(**opens)[1]}"}


@pytest.fixture(name="running")
def _running() -> Callable[..., AbstractContextManager[Running]]:
    """Return what starts a server on a folder of the test's own."""
    return running


@contextmanager
def running(home: Path, *, send_buffer: int | None = None, **options: Any) -> Iterator[Running]:
    """Run a server; `send_buffer`: bytes that the system keeps for a client that does not read."""
    where = listener.listening("127.0.0.1", 0, home)
    if send_buffer is not None:
        where.listener.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, send_buffer)
    what = listener.serving(home, embedder="hash:256", **options)
    server = listener.server(what)
    thread = threading.Thread(target=server.run, kwargs={"sockets": [where.listener]}, daemon=True)
    thread.start()
    until = time.monotonic() + 20
    while not server.started and time.monotonic() < until:
        time.sleep(0.01)
    try:
        yield Running(where.url, home, what)
    finally:
        server.should_exit = True
        thread.join(20)
        where.listener.close()
    assert not thread.is_alive()


Start = Callable[..., Running]


@pytest.fixture
def start(tmp_path: Path) -> Iterator[Start]:
    """Start a server with some settings; it ends with the test."""
    from contextlib import ExitStack

    with ExitStack() as stack:
        yield lambda **options: stack.enter_context(running(tmp_path / "memory", **options))


@pytest.fixture
def served(start: Start) -> Running:
    return start()


@pytest.fixture(scope="module")
def standing(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Start]:
    """Start a server that stands for all tests of a module."""
    from contextlib import ExitStack

    with ExitStack() as stack:
        yield lambda **options: stack.enter_context(running(tmp_path_factory.mktemp("memory"), **options))


@pytest.fixture
def ana(served: Running) -> Iterator[httpx.Client]:
    """A client of one user, on a server that needs no key."""
    with served.client(**{"X-Everyword-User": "ana"}) as client:
        yield client


@pytest.fixture
def upstream() -> Iterator[ScriptedServer]:
    with ScriptedServer() as server:
        yield server


@pytest.fixture
def proxy(start: Start, upstream: ScriptedServer) -> Running:
    return start(upstream_url=upstream.base_url)
