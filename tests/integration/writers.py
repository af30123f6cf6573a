"""A process that forks writers on demand, so that a test can kill many of them cheaply.

Commands come as JSON lines: {"start": mode, "user": …, "name": …} and {"wait": pid}. Every process writes whole lines to
the same pipe: `started PID`, `stored NAME ID ID …` when a call returned, `failed NAME REASON`, `gone PID STATUS`.
"""

from __future__ import annotations

import json
import os
import sys
import time
from pathlib import Path
from tempfile import TemporaryDirectory

from everyword import Memory
from everyword.testing.word_embedder import WordEmbedder


def say(*words: object) -> None:
    os.write(1, (" ".join(map(str, words)) + "\n").encode())


def add(memory: Memory, user: str, name: str) -> None:
    """Add messages one by one and in batches, until killed or done."""
    for number in range(8):
        say("stored", name, *memory.add(f"{name} single{number} apple", user_id=user).message_ids)
        batch = [{"role": "user", "content": f"{name} batch{number} pear, and more of it. Also {n}."} for n in range(3)]
        say("stored", name, *memory.add(batch, user_id=user, session_id=name).message_ids)


def index(memory: Memory, user: str, name: str) -> None:
    """Compute vectors of a model of its own, rebuild, and do it again, until killed."""
    say("stored", name, *memory.add(f"{name} before apple", user_id=user).message_ids)
    for number in range(6):
        memory.index(user_id=user)
        say("stored", name, *memory.add(f"{name} between{number} apple", user_id=user).message_ids)
        memory.rebuild(user_id=user)


def keyed(memory: Memory, user: str, name: str) -> None:
    """Add messages of its own, and messages that all writers add under the same keys."""
    for number in range(20):
        say("stored", name, *memory.add(f"{name} own{number}", user_id=user).message_ids)
        memory.add(f"shared{number}", user_id=user, idempotency_key=f"k{number}")
        memory.search("shared", user_id=user, limit=3)


MODES = {"add": add, "index": index, "keyed": keyed}


def run(home: Path, command: dict[str, str]) -> None:
    if "at" in command:
        time.sleep(max(0.0, float(command["at"]) - time.time()))
    name = command["name"]
    try:
        with Memory(home, embedder=WordEmbedder(command.get("model", "words"))) as memory:
            MODES[command["start"]](memory, command["user"], name)
    except BaseException as error:  # noqa: BLE001 - whatever happens is reported to the test
        say("failed", name, type(error).__name__, " ".join(str(error).split()))


def warm_up() -> None:
    """Load what is loaded on first use, once for all writers."""
    with TemporaryDirectory() as folder, Memory(folder, embedder=WordEmbedder()) as memory:
        memory.add("a message, and a second clause of it. 貓", user_id="warm")
        memory.index(user_id="warm")
        memory.search("message", user_id="warm")
        memory.verify(user_id="warm")


def serve(home: Path) -> None:
    warm_up()
    for line in sys.stdin:
        command = json.loads(line)
        if "wait" in command:
            pid, status = os.waitpid(command["wait"], 0)
            say("gone", pid, status)
        elif pid := os.fork():
            say("started", pid)
        else:
            run(home, command)
            os._exit(0)


if __name__ == "__main__":
    serve(Path(sys.argv[1]))
