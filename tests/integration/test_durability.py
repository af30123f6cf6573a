from __future__ import annotations

import random
import time
from pathlib import Path
from typing import Any

import pytest

from everyword import Memory

ROUNDS = 200
ROUNDS_OF_A_USER = 4


def _check(home: Path, user: str, acknowledged: set[str]) -> set[str]:
    """Reopen as the next process would; return the ids that are there."""
    with Memory(home, embedder="none") as memory:
        there = {message.message_id: message for message in memory._stores.of(user, create=False).log.scan()}
        assert acknowledged <= set(there)
        verified = memory.verify(user_id=user)
        assert verified.problems == ()
        for message in there.values():
            assert message.content() == {"role": "user", "content": message.text}
        return set(there)


def _rounds(writers: Any, count: int, *, seed: int) -> None:
    chosen = random.Random(seed)
    acknowledged: dict[str, set[str]] = {}
    for number in range(count):
        user, name = f"user{number // ROUNDS_OF_A_USER}", f"r{number}"
        mode = ("add", "index")[number % 2]
        pid = writers.start(mode, user=user, name=name, model=f"model{number % 3}")
        if chosen.random() < 0.8:
            writers.first_words(name)
        time.sleep(chosen.uniform(0.0, 0.03))
        writers.finish(pid, kill=True)
        mine = acknowledged.setdefault(user, set())
        mine.update(writers.stored.get(name, ()))
        _check(writers.home, user, mine)
    assert writers.failures == []
    assert sum(map(len, acknowledged.values())) > count


@pytest.mark.timeout(600)
def test_no_acknowledged_message_is_lost_by_200_rounds_of_kill_9(writers: Any) -> None:
    _rounds(writers, ROUNDS, seed=1)


@pytest.mark.soak
@pytest.mark.timeout(3600)
@pytest.mark.timeout(600)
def test_no_acknowledged_message_is_lost_by_2000_rounds_of_kill_9(writers: Any) -> None:
    _rounds(writers, 2000, seed=2)
