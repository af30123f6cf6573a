"""After `forget(everything=True)` no file bears the user's name, whoever else has the memory open."""

from __future__ import annotations

import multiprocessing
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import apsw
import pytest

from everyword import Memory
from everyword.log.sqlite.removal import remove_empty
from everyword.testing.word_embedder import WordEmbedder

LONG = "Ana-" * 32


def opened(home: Path) -> Memory:
    return Memory(home, embedder="none")


@pytest.fixture
def memory(tmp_path: Path) -> Iterator[Memory]:
    with Memory(tmp_path / "home", embedder=WordEmbedder(), claims="auto") as each:
        yield each


def files(memory: Memory) -> list[str]:
    return sorted(path.name for path in memory.home.rglob("*") if path.is_file())


@pytest.mark.parametrize("user", ["ana", LONG])
def test_no_file_is_left_and_the_user_is_unknown(memory: Memory, user: str) -> None:
    memory.add(["one", "two"][0], user_id=user)
    memory.add("kept", user_id="bob")
    memory.index(user_id=user)
    memory.forget(user_id=user, everything=True)
    assert memory.users() == ["bob"]
    assert [name for name in files(memory) if not name.startswith("bob")] == []
    assert memory.search("one", user_id=user) == []
    assert memory.forget(user_id=user, everything=True).messages == 0
    memory.add("again", user_id=user)
    memory.index(user_id=user)
    assert [hit.text for hit in memory.search("again", user_id=user)] == ["again"]
    assert memory.verify(user_id=user).ok


def test_a_dry_run_and_a_part_leave_the_file(memory: Memory) -> None:
    ids = memory.add("one", user_id="ana").message_ids
    memory.forget(user_id="ana", everything=True, dry_run=True)
    memory.forget(user_id="ana", message_ids=ids)
    memory.close()
    assert "ana.db" in files(memory)
    with opened(memory.home) as again:
        assert again.add("two", user_id="ana").seqs == (2,)


def test_another_memory_that_has_the_file_open_goes_on_and_removes_it_when_it_closes(memory: Memory) -> None:
    memory.add("one", user_id="ana")
    other = opened(memory.home)
    assert other.stats(user_id="ana")["messages"] == 1
    memory.forget(user_id="ana", everything=True)
    assert "ana.db" in files(memory)
    assert other.search("one", user_id="ana") == []
    memory.close()
    other.close()
    assert files(memory) == []


def test_what_another_memory_says_meanwhile_is_kept(memory: Memory) -> None:
    memory.add("one", user_id="ana")
    with opened(memory.home) as other:
        other.stats(user_id="ana")
        memory.forget(user_id="ana", everything=True)
        other.add("two", user_id="ana")
        assert [hit.text for hit in memory.search("two", user_id="ana")] == ["two"]
    memory.close()
    with opened(memory.home) as again:
        assert [message.text for message in again.messages(user_id="ana")] == ["two"]


def test_a_file_with_a_message_is_never_removed(memory: Memory) -> None:
    memory.add("one", user_id="ana")
    path = Path(memory.stats(user_id="ana")["path"])
    memory.close()
    assert not remove_empty(path)
    with opened(memory.home) as again:
        assert again.stats(user_id="ana")["messages"] == 1
        assert apsw.Connection(str(path)).pragma("journal_mode") == "wal"


def _adding(home: Path, name: str, rounds: int, said: Any) -> None:
    for number in range(rounds):
        with opened(home) as memory:
            memory.add(f"{name} {number}", user_id="ana")
            memory.add(f"{name} {number} again", user_id="ana")
    said.put(2 * rounds)


def _forgetting(home: Path, rounds: int, said: Any) -> None:
    erased = 0
    for _ in range(rounds):
        with opened(home) as memory:
            erased += memory.forget(user_id="ana", everything=True).messages
    said.put(erased)


@pytest.mark.parametrize("rounds", [20, pytest.param(800, marks=[pytest.mark.soak, pytest.mark.timeout(1200)])])
def test_every_message_of_three_processes_was_erased_on_demand_or_is_there(tmp_path: Path, rounds: int) -> None:
    context = multiprocessing.get_context("spawn")
    said, erased = context.Queue(), context.Queue()
    processes = [context.Process(target=_adding, args=(tmp_path, f"p{n}", rounds, said)) for n in range(2)]
    processes += [context.Process(target=_forgetting, args=(tmp_path, 2 * rounds, erased)) for _ in range(2)]
    for process in processes:
        process.start()
    stored = said.get(timeout=600) + said.get(timeout=600)
    gone = erased.get(timeout=600) + erased.get(timeout=600)
    for process in processes:
        process.join(60)
        assert process.exitcode == 0
    with opened(tmp_path) as memory:
        assert gone + memory.stats(user_id="ana")["messages"] == stored == 4 * rounds
        assert memory.verify(user_id="ana").ok


def test_every_message_of_two_threads_was_erased_on_demand_or_is_there(memory: Memory) -> None:
    stop, erased = threading.Event(), [0]

    def forgetting() -> None:
        while not stop.is_set():
            erased[0] += memory.forget(user_id="ana", everything=True).messages

    thread = threading.Thread(target=forgetting)
    thread.start()
    try:
        for number in range(100):
            memory.add(f"m{number}", user_id="ana")
    finally:
        stop.set()
        thread.join(60)
    assert not thread.is_alive()
    assert erased[0] + memory.stats(user_id="ana")["messages"] == 100
    assert memory.verify(user_id="ana").ok
