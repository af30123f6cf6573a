"""Lists of a memory: what they hold, and that they take as many reads of the file for many rows as for few."""

from __future__ import annotations

from collections.abc import Callable, Generator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import apsw
import pytest

from everyword.domain.scope import scope
from everyword.errors import NotFoundError
from everyword.server.listing import ListedMemory


@contextmanager
def _counted(memory: ListedMemory) -> Generator[list[str]]:
    """Yield the statements that a user's file is asked, as SQLite gets them."""
    statements: list[str] = []

    def keep(_cursor: Any, statement: str, _bindings: Any) -> bool:
        statements.append(statement)
        return True

    connections = [each for each in _connections(memory) if each.exec_trace is None]
    for each in connections:
        each.exec_trace = keep
    yield statements
    for each in connections:
        each.exec_trace = None


def _connections(memory: ListedMemory) -> list[apsw.Connection]:
    return [each for each in apsw.connections() if str(memory.home) in each.filename]


def _filled(home: Path, sessions: int, each: int = 3) -> ListedMemory:
    memory = ListedMemory(home, embedder="none")
    for number in range(sessions):
        said = [{"role": "user", "content": f"Coin {turn} of box {number}."} for turn in range(each)]
        memory.add(said, user_id="ana", session_id=f"s{number}")
        memory.claims.remember(f"I own box {number}.", user_id="ana", session_id=f"s{number}")
    return memory


Read = Callable[[ListedMemory], Any]
READS: dict[str, Read] = {
    "the oldest messages": lambda memory: memory.page(user_id="ana", where=scope(), limit=500),
    "the newest of a session": lambda memory: memory.page(
        user_id="ana", where=scope(session_id="s0"), order="newest", limit=500
    ),
    "sessions": lambda memory: memory.sessions(user_id="ana", limit=500),
    "claims of a scope": lambda memory: memory.claims_within(scope(before="2999-01-01"), user_id="ana"),
    "whether messages are there": lambda memory: memory.are_there(
        [each.message_id for each in memory.messages(user_id="ana")], user_id="ana"
    ),
    "what forgetting would erase": lambda memory: memory.forget(
        user_id="ana", message_ids=[each.message_id for each in memory.messages(user_id="ana")], dry_run=True
    ),
    "jobs": lambda memory: memory.stats(user_id="ana"),
}


def _statements(read: Read, home: Path, sessions: int) -> int:
    with _filled(home, sessions) as memory:
        read(memory)  # What is read once, such as the version of a schema, is not counted.
        with _counted(memory) as statements:
            read(memory)
    return len(statements)


@pytest.mark.parametrize("read", [pytest.param(read, id=name) for name, read in READS.items()])
def test_a_list_of_many_rows_takes_as_many_statements_as_one_of_few(tmp_path: Path, read: Read) -> None:
    few, many = (_statements(read, tmp_path / str(sessions), sessions) for sessions in (2, 40))
    assert few == many
    assert 0 < many < 40


def test_the_count_of_statements_sees_reads_that_grow(tmp_path: Path) -> None:
    def one_by_one(memory: ListedMemory) -> None:
        for each in memory.messages(user_id="ana"):
            memory.get(each.message_id, user_id="ana")

    few, many = (_statements(one_by_one, tmp_path / str(sessions), sessions) for sessions in (2, 40))
    assert many - few >= 38 * 4


def test_sessions_are_told_by_the_first_words_of_the_user(tmp_path: Path) -> None:
    with ListedMemory(tmp_path, embedder="none") as memory:
        opening = [{"role": "system", "content": "Be kind."}, {"role": "assistant", "content": "Hello."}]
        asked = {"role": "user", "content": "  Where is\nmy coin? " + "x" * 500}
        memory.add([*opening, asked, {"role": "assistant", "content": "Here."}], user_id="ana", session_id="s1")
        memory.add([{"role": "assistant", "content": "Alone."}], user_id="ana", session_id="s2", timestamp="2026-05-01")
        first, second = memory.sessions(user_id="ana")
    assert (first.session_id, first.begins, first.messages) == ("s2", "Alone.", 1)
    assert second.begins.startswith("Where is my coin? xxx")
    assert len(second.begins) == 120
    assert (first.first_at, first.last_at) == (first.last_at, first.first_at)


def test_claims_that_another_message_says_too_do_not_go_with_a_scope(tmp_path: Path) -> None:
    with ListedMemory(tmp_path, embedder="none") as memory:
        memory.add("I live in Tainan.", user_id="ana", session_id="s1")
        memory.add("I live in Tainan.", user_id="ana", session_id="s2")
        memory.add("I own a red boat.", user_id="ana", session_id="s2")
        memory.claims.derive(user_id="ana")
        of_both = [each for each in memory.claims.of(user_id="ana") if len(each.message_ids) == 2]
        assert len(of_both) == 1
        assert memory.claims_within(scope(session_id="s1"), user_id="ana") == 0
        assert memory.claims_within(scope(session_id="s2"), user_id="ana") == 1
        assert memory.claims_within(scope(), user_id="ana") == 2


def test_forgetting_names_a_message_that_is_not_there_and_erases_nothing(tmp_path: Path) -> None:
    with _filled(tmp_path, 1) as memory:
        known = [each.message_id for each in memory.messages(user_id="ana")]
        with pytest.raises(NotFoundError, match="0{32}"):
            memory.forget(user_id="ana", message_ids=[*known, "0" * 32])
        assert len(memory.messages(user_id="ana")) == 4
        assert not memory.are_there([*known, "0" * 32], user_id="ana")
