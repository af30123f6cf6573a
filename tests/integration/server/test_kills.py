"""kill -9 while many clients add and ask: nothing that was acknowledged is lost, and the next start is no slower."""

from __future__ import annotations

import asyncio
import json
import os
import random
import statistics
import subprocess
import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

import httpx
import pytest

from everyword import Memory

CLIENTS = 50
USERS = 5
ROUNDS = 3
SOAK = 50
_OPTIONS = {"trust_env": False, "timeout": 30}


@dataclass
class Load:
    """What clients were told."""

    stored: dict[str, list[str]] = field(default_factory=lambda: {f"user-{number}": [] for number in range(USERS)})
    contexts: int = 0
    refused: list[str] = field(default_factory=list)


def _started(home: Path) -> tuple[subprocess.Popen[str], str, float]:
    """Start a server; return it, its address, and the seconds until it was ready."""
    begins = time.perf_counter()
    process = subprocess.Popen(
        [sys.executable, "-m", "everyword", "serve", "--port", "0", "--json"],
        env={**os.environ, "EVERYWORD_HOME": str(home), "EVERYWORD_EMBEDDER": "hash:256"},
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    )
    assert process.stdout
    url = json.loads(process.stdout.readline())["url"]
    with httpx.Client(base_url=url, **_OPTIONS) as client:
        assert client.get("/readyz").json() == {"status": "ok"}
    return process, url, time.perf_counter() - begins


async def _client(http: httpx.AsyncClient, load: Load, name: int) -> None:
    """Add and ask until the server is gone."""
    user = f"user-{name % USERS}"
    headers = {"X-Everyword-User": user}
    for number in range(10_000):
        try:
            if (number + name) % 2:
                answer = await http.post("/v1/context", json={"question": f"Who has coin {number}?"}, headers=headers)
                load.contexts += answer.status_code == 200
            else:
                body = {"messages": f"Coin {number} is with {name}.", "session_id": f"s{name}"}
                answer = await http.post("/v1/memories", json=body, headers=headers)
                load.stored[user] += answer.json()["message_ids"] if answer.status_code == 201 else []
            load.refused += [answer.text] if answer.status_code >= 400 else []
        except httpx.HTTPError:
            return


async def _besieged(process: subprocess.Popen[str], url: str, load: Load, seconds: float) -> None:
    """Let many clients work, and kill the server under their hands."""
    limits = httpx.Limits(max_connections=CLIENTS)
    async with httpx.AsyncClient(base_url=url, limits=limits, **_OPTIONS) as http:
        before = load.contexts
        clients = [asyncio.create_task(_client(http, load, name)) for name in range(CLIENTS)]
        while load.contexts == before and process.poll() is None:  # noqa: ASYNC110 - the clients only count
            await asyncio.sleep(0.01)
        await asyncio.sleep(seconds)
        process.kill()
        await asyncio.gather(*clients)


def _missing(home: Path, load: Load) -> Sequence[str]:
    """Return the acknowledged ids that are not there, and the users whose file is not well."""
    with Memory(home, embedder="none") as memory:
        found = [user for user in load.stored if not memory.verify(user_id=user).ok]
        for user, ids in load.stored.items():
            there = {json.loads(line).get("message_id") for line in memory.export(user_id=user)}
            found += [each for each in ids if each not in there]
    return found


@pytest.mark.skipif(os.name == "nt", reason="signals")
@pytest.mark.parametrize("rounds", [ROUNDS, pytest.param(SOAK, marks=[pytest.mark.soak, pytest.mark.timeout(3600)])])
def test_no_acknowledged_message_is_lost_by_kill_9_under_load_and_the_next_start_is_as_quick(
    tmp_path: Path, rounds: int
) -> None:
    chance, load, seconds = random.Random(1), Load(), []
    for _ in range(rounds):
        process, url, until_ready = _started(tmp_path)
        with process:
            seconds.append(until_ready)
            asyncio.run(_besieged(process, url, load, chance.uniform(0.05, 1.0)))
        assert _missing(tmp_path, load) == []
    assert load.refused == []
    assert load.contexts >= rounds
    sys.stdout.write(f"ready after {', '.join(f'{each:.2f}' for each in seconds)} s\n")
    assert statistics.median(seconds[1:]) < 3 * seconds[0]
