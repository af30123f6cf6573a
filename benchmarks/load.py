"""Many clients at once: add and context over HTTP, beside Chroma behind FastAPI with the same embedder.

What is measured: `--clients` clients (50), each for one of `--users` users (50), who have `--tokens` tokens each (20,000).
Of four requests of a client one adds a message and three ask for what answers a question (`/v1/context`, 1,500 tokens).
A client sends its next request when it has its answer. Both servers are one process each, one after the other, on the
machine of the clients; before the time runs, every user asks once. Times are of whole requests, at the client.

What the numbers cannot say: the clients take processor time of the same cores. Chroma returns the ten nearest messages
of the user by their vectors, which is less work than a context (words, clauses, packing, a receipt). The conversation is
made up, as in `run.py`. With the embedder that is chosen without `--embedder`, hashed words, the figures are of all but
the model. With a real one, vectors of what was said before the load are drawn, not computed, for both; under load both
compute those of questions and of new messages.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from itertools import count
from pathlib import Path
from typing import Any

import httpx
import numpy as np
from conversation import Said, conversation, question
from drawn import DrawnEmbedder

from everyword import Memory
from everyword.assembly import embedder_of
from everyword.config import settings
from everyword.ports import Embedder

HERE = Path(__file__).parent
DEADLINE_S = 30.0
"""After which a request counts as an error, for both."""
SAMPLES = 10
"""How often the memory of a server is looked at."""


@dataclass(slots=True)
class Heard:
    """What the clients were told."""

    contexts: list[float] = field(default_factory=list)
    adds: list[float] = field(default_factory=list)
    errors: list[str] = field(default_factory=list)


def main() -> None:
    arguments = _parsed()
    figures: dict[str, Any] = {"arguments": vars(arguments), "load_before": os.getloadavg()}
    with tempfile.TemporaryDirectory() as folder:
        said = {
            f"user-{number}": list(conversation(arguments.tokens, seed=number + 1)) for number in range(arguments.users)
        }
        for name in arguments.systems.split(","):
            home = Path(folder) / name
            home.mkdir()
            _filled(name, home, said, arguments.embedder)
            with _serving(name, home, arguments.embedder) as (process, url):
                figures[name] = asyncio.run(_measured(process, url, said, arguments))
    figures["load_after"] = os.getloadavg()
    print(json.dumps(figures, indent=1))


def _parsed() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description="Many clients at once, beside Chroma behind FastAPI.")
    parser.add_argument("--seconds", type=float, default=300)
    parser.add_argument("--clients", type=int, default=50)
    parser.add_argument("--users", type=int, default=50)
    parser.add_argument("--tokens", type=int, default=20_000, help="of each user, before the load")
    parser.add_argument("--embedder", default="hash:256")
    parser.add_argument("--systems", default="everyword,chroma")
    return parser.parse_args()


def _filled(name: str, home: Path, said: dict[str, list[Said]], embedder: str) -> None:
    """Store what was said before the load, without a server."""
    model = _filler(home, embedder)
    if name == "chroma":
        from chroma_server import Store

        store = Store(home, model)
        for user, messages in said.items():
            store.add(user, [each.text for each in messages])
        return
    with Memory(home, embedder=model) as memory:
        for user, messages in said.items():
            memory.add([{"role": "user", "content": each.text} for each in messages], user_id=user)
            memory.index(user_id=user)


def _filler(home: Path, embedder: str) -> Embedder:
    """Return what makes the vectors before the load: hashes themselves, drawn ones in place of a model's."""
    found = embedder_of(settings(home, embedder=embedder))
    if found is None:
        raise SystemExit("Name an embedder: Chroma has nothing without one.")
    return found if embedder.startswith("hash") else DrawnEmbedder(instead_of=found.identity)


@contextmanager
def _serving(name: str, home: Path, embedder: str) -> Iterator[tuple[subprocess.Popen[bytes], str]]:
    """Yield a server's process and address, when it is ready."""
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = str(free.getsockname()[1])
    command = {
        "everyword": ["-m", "everyword", "serve", "--port", port, "--json"],
        "chroma": [str(HERE / "chroma_server.py"), str(home), embedder, port],
    }[name]
    environment = {**os.environ, "EVERYWORD_HOME": str(home), "EVERYWORD_EMBEDDER": embedder}
    quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
    with subprocess.Popen([sys.executable, *command], env=environment, **quiet) as process:
        try:
            _wait_for(f"http://127.0.0.1:{port}/readyz", process)
            yield process, f"http://127.0.0.1:{port}"
        finally:
            process.send_signal(signal.SIGTERM)
            process.wait(60)


def _wait_for(address: str, process: subprocess.Popen[bytes]) -> None:
    until = time.monotonic() + 60
    while time.monotonic() < until and process.poll() is None:
        try:
            httpx.get(address, trust_env=False).raise_for_status()
        except httpx.HTTPError:
            time.sleep(0.05)
        else:
            return
    raise SystemExit(f"{address} does not answer.")


async def _measured(
    process: subprocess.Popen[bytes], url: str, said: dict[str, list[Said]], arguments: argparse.Namespace
) -> dict[str, Any]:
    limits = httpx.Limits(max_connections=arguments.clients)
    heard = Heard()
    async with httpx.AsyncClient(base_url=url, timeout=DEADLINE_S, limits=limits, trust_env=False) as http:
        for number, user in enumerate(said):
            await _ask(http, user, said[user], np.random.default_rng(number), Heard())
        until, begins = time.monotonic() + arguments.seconds, time.monotonic()
        resident: list[float | None] = []
        watching = asyncio.ensure_future(_watch(process.pid, arguments.seconds / SAMPLES, resident))
        await asyncio.gather(*(_client(http, number, said, until, heard) for number in range(arguments.clients)))
        watching.cancel()
        seconds = time.monotonic() - begins
        waiting = await _waiting(http, said)
    return {
        "requests_per_second": round((len(heard.contexts) + len(heard.adds)) / seconds, 1),
        "errors": len(heard.errors),
        "first_errors": heard.errors[:3],
        "passages_without_vector_at_the_end": waiting,
        "context_ms": _spread(heard.contexts),
        "add_ms": _spread(heard.adds),
        "resident_mb": [*resident, _resident_mb(process.pid)],
    }


async def _client(
    http: httpx.AsyncClient, number: int, said: dict[str, list[Said]], until: float, heard: Heard
) -> None:
    """Add and ask, one after the other, until the time is over."""
    random, users = np.random.default_rng(1000 + number), list(said)
    user = users[number % len(users)]
    for turn in count():
        if time.monotonic() >= until:
            return
        if turn % 4 == number % 4:
            text = said[user][int(random.integers(len(said[user])))].text
            body = {"messages": f"{text} ({number}.{turn})"}
            await _timed(http, "/v1/memories", user, body, heard.adds, heard.errors)
        else:
            await _ask(http, user, said[user], random, heard)


async def _ask(
    http: httpx.AsyncClient, user: str, said: Sequence[Said], random: np.random.Generator, heard: Heard
) -> None:
    body = {"question": question(said[int(random.integers(len(said)))], random)}
    await _timed(http, "/v1/context", user, body, heard.contexts, heard.errors)


async def _timed(
    http: httpx.AsyncClient, path: str, user: str, body: dict[str, Any], into: list[float], errors: list[str]
) -> None:
    begins = time.perf_counter()
    try:
        answer = await http.post(path, json=body, headers={"X-Everyword-User": user})
        answer.raise_for_status()
    except httpx.HTTPError as error:
        errors.append(repr(error))
        return
    into.append(time.perf_counter() - begins)


async def _waiting(http: httpx.AsyncClient, said: dict[str, list[Said]]) -> int | None:
    """Return how many passages are found by their words only, so far; None of a server that does not tell."""
    found = [await http.get("/v1/stats", headers={"X-Everyword-User": user}) for user in said]
    if any(answer.status_code == httpx.codes.NOT_FOUND for answer in found):
        return None
    return sum(answer.raise_for_status().json()["pending_passages"] for answer in found)


def _spread(seconds: Sequence[float]) -> dict[str, float]:
    if not seconds:
        return {"count": 0}
    median, most = np.quantile(seconds, [0.5, 0.95])
    return {"count": len(seconds), "p50": round(median * 1000, 1), "p95": round(most * 1000, 1)}


async def _watch(pid: int, every_s: float, into: list[float | None]) -> None:
    """Note the memory of a process again and again."""
    while True:
        into.append(_resident_mb(pid))
        await asyncio.sleep(every_s)


def _resident_mb(pid: int) -> float | None:
    """Return the memory of a process; None where the system does not tell."""
    try:
        status = Path(f"/proc/{pid}/status").read_text()
    except OSError:
        return None
    return round(int(status.partition("VmRSS:")[2].split()[0]) / 1024, 1)


if __name__ == "__main__":
    main()
