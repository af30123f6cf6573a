from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from everyword import Memory
from everyword.errors import InvalidInputError, InvalidUserIdError


@pytest.fixture
def memory(tmp_path: Path) -> Iterator[Memory]:
    with Memory(tmp_path, embedder="none") as opened:
        for number in range(6):
            opened.add(f"word {number}", user_id="ana", session_id="even" if number % 2 == 0 else "odd")
        opened.add("another's", user_id="bob", session_id="even")
        yield opened


@pytest.mark.parametrize(
    "asked, seqs",
    [
        ({}, [1, 2, 3, 4, 5, 6]),
        ({"session_id": "even"}, [1, 3, 5]),
        ({"session_id": "unknown"}, []),
        ({"limit": 2}, [1, 2]),
        ({"limit": 2, "newest": True}, [5, 6]),
        ({"limit": 99, "newest": True}, [1, 2, 3, 4, 5, 6]),
        ({"after_seq": 4}, [5, 6]),
        ({"after_seq": 1, "limit": 2, "session_id": "odd"}, [2, 4]),
        ({"after_seq": 2, "limit": 1, "newest": True, "session_id": "odd"}, [6]),
        ({"newest": True}, [1, 2, 3, 4, 5, 6]),
    ],
)
def test_messages_are_listed_in_the_order_of_arrival(memory: Memory, asked: dict[str, Any], seqs: list[int]) -> None:
    assert [message.seq for message in memory.messages(user_id="ana", **asked)] == seqs


def test_pages_put_together_are_the_whole(memory: Memory) -> None:
    pages, last = [], 0
    while page := memory.messages(user_id="ana", after_seq=last, limit=4):
        pages += page
        last = page[-1].seq
    assert pages == memory.messages(user_id="ana")


def test_a_forgotten_message_is_in_no_list(memory: Memory) -> None:
    memory.forget(user_id="ana", session_id="odd")
    assert [message.seq for message in memory.messages(user_id="ana")] == [1, 3, 5]


def test_somebody_without_words_has_no_messages_and_gets_no_file(memory: Memory) -> None:
    assert memory.messages(user_id="nobody") == []
    assert memory.users() == ["ana", "bob"]


def test_a_list_of_nothing_or_of_nobody_is_refused(memory: Memory) -> None:
    with pytest.raises(InvalidInputError, match="limit=0"):
        memory.messages(user_id="ana", limit=0)
    with pytest.raises(InvalidUserIdError):
        memory.messages(user_id="")
