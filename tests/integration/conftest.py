from __future__ import annotations

import importlib.util
import json
import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest

_BROWSERS = ("chromium", "chromium-browser", "google-chrome", "chrome")
_FLAGS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]


class Writers:
    """Processes that write one memory folder; what they say is kept."""

    def __init__(self, home: Path) -> None:
        self.home = home
        self._server = subprocess.Popen(
            [sys.executable, str(Path(__file__).with_name("writers.py")), str(home)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            env={**os.environ, "OPENBLAS_NUM_THREADS": "1"},
        )
        self.stored: dict[str, list[str]] = {}
        """Ids by the name of the writer whose call returned."""
        self.failures: list[str] = []

    def start(self, mode: str, *, user: str, name: str, **more: Any) -> int:
        """Fork a writer; return its process id."""
        self._tell({"start": mode, "user": user, "name": name, **more})
        return int(self._hear("started"))

    def finish(self, pid: int, *, kill: bool = False) -> None:
        """Wait for a writer, or end it at once."""
        if kill:
            os.kill(pid, signal.SIGKILL)
        self._tell({"wait": pid})
        self._hear(f"gone {pid}")

    def first_words(self, name: str) -> None:
        """Wait until a writer's first call has returned."""
        while name not in self.stored and not self.failures:
            self._take(self._line())

    def close(self) -> None:
        with self._server as server:
            assert server.stdin
            server.stdin.close()

    def _tell(self, command: dict[str, Any]) -> None:
        assert self._server.stdin
        self._server.stdin.write(json.dumps(command) + "\n")
        self._server.stdin.flush()

    def _hear(self, beginning: str) -> str:
        while not (line := self._line()).startswith(beginning):
            self._take(line)
        return line.removeprefix(beginning)

    def _line(self) -> str:
        assert self._server.stdout
        line = self._server.stdout.readline()
        assert line, "the process that starts writers has ended"
        return line.rstrip("\n")

    def _take(self, line: str) -> None:
        kind, name, *rest = line.split(" ")
        if kind == "stored":
            self.stored.setdefault(name, []).extend(rest)
        else:
            self.failures.append(line)


@pytest.fixture
def writers(tmp_path: Path) -> Iterator[Writers]:
    if not hasattr(os, "fork"):
        pytest.skip("this system cannot fork")
    memory = Path("/dev/shm")
    with TemporaryDirectory(dir=memory if os.access(memory, os.W_OK) else tmp_path) as folder:
        opened = Writers(Path(folder) / "home")
        yield opened
        opened.close()


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    """A real browser without a window; where CI is set, it must be there."""
    found = next(filter(None, map(shutil.which, _BROWSERS)), None)
    if found is None or importlib.util.find_spec("playwright") is None:
        reason = "needs the Python package playwright and one of the programs " + ", ".join(_BROWSERS)
        pytest.fail(reason) if os.environ.get("CI") else pytest.skip(reason)
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        opened = playwright.chromium.launch(executable_path=found, args=_FLAGS)
        yield opened
        opened.close()
