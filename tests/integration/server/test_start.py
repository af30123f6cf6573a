"""How a server starts: it answers before it has loaded what it serves, and tells why where it cannot."""

from __future__ import annotations

import asyncio
import json
import os
import subprocess
import sys
import threading
from pathlib import Path
from typing import Any

import httpx
import pytest

from everyword.errors import SettingsError
from everyword.server.door import Door, Inside

NOT_YET = {
    "fastapi",
    "starlette",
    "numpy",
    "httpx",
    "openai",
    "mcp",
    "prometheus_client",
    "apsw",
    "onnxruntime",
    "rich",
}
_TO_THE_SOCKET = """
import sys, uvicorn
def run(server, sockets):
    assert sockets[0].getsockname()[1]
    print(*sys.modules)
    raise SystemExit(0)
uvicorn.Server.run = run
sys.argv = ["everyword", "serve", "--port", "0"]
from everyword.cli.main import app
app()
"""


def test_nothing_that_a_first_answer_does_not_need_is_loaded_before_the_socket_listens(tmp_path: Path) -> None:
    ran = subprocess.run(
        [sys.executable, "-c", _TO_THE_SOCKET],
        env={**os.environ, "EVERYWORD_HOME": str(tmp_path)},
        capture_output=True,
        text=True,
        timeout=60,
    )
    loaded = set(ran.stdout.split())
    assert "everyword.server.door" in loaded, ran.stderr
    assert {name.partition(".")[0] for name in loaded}.isdisjoint(NOT_YET)
    ours = {name for name in loaded if name.startswith("everyword.")}
    assert ours.isdisjoint({"everyword.memory", "everyword.server.wire", "everyword.server.app", "everyword.lab"})
    assert len(ours) < 25


async def _inner(scope: Any, _receive: Any, send: Any) -> None:
    await send({"type": "http.response.start", "status": 200, "headers": []})
    await send({"type": "http.response.body", "body": b"inside: " + scope["path"].encode()})


async def _lived(door: Door, do: Any) -> None:
    """Run a door from start to end as a server does."""
    told: asyncio.Queue[Any] = asyncio.Queue()
    said: asyncio.Queue[Any] = asyncio.Queue()
    living = asyncio.ensure_future(door({"type": "lifespan"}, told.get, said.put))  # pyright: ignore[reportArgumentType]
    await told.put({"type": "lifespan.startup"})
    assert (await said.get())["type"] == "lifespan.startup.complete"
    async with httpx.AsyncClient(transport=httpx.ASGITransport(door), base_url="http://localhost") as client:
        await do(client)
    await told.put({"type": "lifespan.shutdown"})
    await living


def test_the_server_lives_while_it_loads_and_other_requests_wait_for_what_is_loaded() -> None:
    may_go_on, ended = threading.Event(), threading.Event()

    async def close() -> None:
        ended.set()

    def load() -> Inside:
        assert may_go_on.wait(20)
        return Inside(application=_inner, close=close)

    async def ask(client: httpx.AsyncClient) -> None:
        early = asyncio.ensure_future(client.get("/v1/stats"))
        alive = await client.get("/healthz")
        assert (alive.status_code, alive.json()) == (200, {"status": "ok"})
        assert alive.headers["X-Request-Id"]
        assert alive.headers["Cache-Control"] == "no-store"
        assert not early.done()
        may_go_on.set()
        assert (await early).text == "inside: /v1/stats"
        assert (await client.get("/healthz")).text == "inside: /healthz"

    asyncio.run(_lived(Door(load), ask))
    assert ended.is_set()


@pytest.mark.parametrize(
    ("error", "kind"), [(SettingsError("path /secret is wrong"), "SettingsError"), (OSError("x"), "EverywordError")]
)
def test_a_server_that_cannot_load_says_so_and_stops(error: Exception, kind: str) -> None:
    stopped: list[bool] = []

    def load() -> Inside:
        raise error

    async def ask(client: httpx.AsyncClient) -> None:
        answer = await client.get("/v1/stats")
        assert (answer.status_code, answer.json()["error"]["type"]) == (503, kind)
        assert answer.json()["error"]["request_id"] == answer.headers["X-Request-Id"]
        assert "/secret" not in answer.text

    door = Door(load)
    door.failed = lambda: stopped.append(True)
    asyncio.run(_lived(door, ask))
    assert door.failure is error
    assert stopped == [True]


def test_a_wrong_setting_ends_the_server_before_it_says_that_it_serves(tmp_path: Path) -> None:
    ran = subprocess.run(
        [sys.executable, "-m", "everyword", "serve", "--port", "0", "--json"],
        env={**os.environ, "EVERYWORD_HOME": str(tmp_path), "EVERYWORD_EMBEDDER": "luck:7"},
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert (ran.returncode, ran.stdout) == (2, "")
    assert json.loads(ran.stderr.splitlines()[-1])["error"]["type"] == "SettingsError"
