"""A server's memory is flat: nothing in it grows with the calls of the same users, nor with users who have nothing."""

from __future__ import annotations

import gc
import time
from collections import Counter
from itertools import pairwise
from pathlib import Path
from typing import Any

import httpx
import pytest

from everyword import Memory
from everyword.assembly import UserFile

USERS = ("ana", "ben")
QUESTION = "Who has my spare key?"
STRATEGIES = ("evidence", "hybrid", "route", "window", "profile")
ROUNDS = 5


def _say(client: httpx.Client, user: str) -> None:
    said = [{"role": "user", "content": "My spare key is with Mrs. Chou."}, {"role": "assistant", "content": "Good."}]
    body = {"messages": said, "session_id": "s1"}
    client.post("/v1/memories", json=body, headers={"X-Everyword-User": user}).raise_for_status()


def _ask(client: httpx.Client, user: str) -> None:
    """Make every kind of call that changes nothing."""
    headers = {"X-Everyword-User": user}
    for strategy in STRATEGIES:
        body = {"question": QUESTION, "budget": 300, "strategy": strategy, "session_id": "s1"}
        client.post("/v1/context", json=body, headers=headers)
    for path, body in [
        ("search", {"query": "key"}),
        ("prompt", {"question": QUESTION, "window": 2_000, "session_id": "s1"}),
        ("explain", {"question": QUESTION}),
        ("forget", {"session_id": "s1", "preview": True}),
    ]:
        client.post(f"/v1/{path}", json=body, headers=headers)
    for path in (
        "memories",
        "sessions",
        "claims",
        "claims/graph",
        "stats",
        "jobs",
        "health",
        "routes",
        "verify",
        "none",
    ):
        client.get(f"/v1/{path}", headers=headers)
    client.get("/metrics")


def _objects_after(client: httpx.Client, number: int) -> Counter[str]:
    """Make a round of calls, for users who are there and for some who were never seen; return what is in memory then."""
    for user in (*USERS, f"nobody-{number}", f"nothing-{number}"):
        _ask(client, user)
    gc.collect()
    objects: list[object] = gc.get_objects()
    return Counter(str(type(each)) for each in objects)


def test_nothing_grows_with_the_calls_of_the_same_users_or_of_nobody(served: Any) -> None:
    with served.client() as client:
        for user in USERS:
            _say(client, user)
        counts = [_objects_after(client, number) for number in range(ROUNDS)][1:]  # In the first one caches fill.
    steps = [later - earlier for earlier, later in pairwise(counts)]
    always = {name: [step[name] for step in steps] for name in steps[0] if all(step[name] for step in steps)}
    del always[str(Counter)]  # The counts themselves.
    assert always == {}, "more with every round"


def test_files_of_users_who_were_asked_once_are_let_go(tmp_path: Path) -> None:
    with Memory(tmp_path, embedder="none", open_files=4) as memory:
        for number in range(46):
            user = f"user-{number}"
            memory.add("My spare key is with Mrs. Chou.", user_id=user)
            memory.context(QUESTION, user_id=user, strategy="hybrid")
        _wait_until(lambda: _open_files() < 41)
        assert len(memory.users()) == 46


def _open_files() -> int:
    gc.collect()
    return sum(isinstance(each, UserFile) for each in gc.get_objects())


def _wait_until(holds: Any) -> None:
    until = time.monotonic() + 20
    while not holds():
        if time.monotonic() > until:
            pytest.fail("too many files stay open")
        time.sleep(0.05)
