"""Background reading that is killed at any moment: no claim is doubled, none is lost, the journal goes on."""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from everyword import Memory

SECRET = "zanzibarquux"
STRATEGIES = (
    "profile",
    "pinned",
    "notes",
    "notes+raw",
    "summary",
    "compact",
    "hybrid",
    "entities",
    "graph",
    "evidence",
)
_ADDS = """
import sys, time
from everyword import Memory
from everyword.claims.rules import RuleExtractor
RuleExtractor.batch = 3
with Memory(sys.argv[1], embedder="none", claims="auto") as memory:
    print("ready", flush=True)
    for number in range(int(sys.argv[2]), 100_000):
        text = f"I love dish {number} and {'x' * (number % 7 + 1)}."
        memory.add(text, user_id="ana", idempotency_key=f"k{number}")
        print(number, flush=True)
"""


def killed(home: Path, first: int, delay: float) -> int:
    """Add from a number on, with a background job that reads, and kill it; return the last number that was acknowledged."""
    writer = subprocess.Popen([sys.executable, "-c", _ADDS, str(home), str(first)], stdout=subprocess.PIPE, text=True)
    assert writer.stdout is not None
    writer.stdout.readline()
    time.sleep(delay)
    os.kill(writer.pid, signal.SIGKILL)
    told = writer.stdout.read().split()
    writer.wait()
    writer.stdout.close()
    return int(told[-1]) if told else first - 1


@pytest.mark.skipif(not hasattr(signal, "SIGKILL"), reason="there is no SIGKILL here")
@pytest.mark.parametrize("rounds", [3, pytest.param(60, marks=[pytest.mark.soak, pytest.mark.timeout(3600)])])
def test_a_kill_during_the_background_job_doubles_and_loses_nothing(tmp_path: Path, rounds: int) -> None:
    dice, last = random.Random(5), -1
    for _ in range(rounds):
        last = killed(tmp_path, last + 1, dice.uniform(0.05, 0.5))
        with Memory(tmp_path, embedder="none") as memory:
            said = [each.text for each in memory.messages(user_id="ana")]
            memory.claims.derive(user_id="ana")
            assert memory.stats(user_id="ana")["claims"]["waiting"] == 0
            found = [each.text for each in memory.claims.of(user_id="ana", closed=True)]
            assert found == said
            assert len(said) >= last + 1
            assert memory.verify(user_id="ana").ok
        last = len(said) - 1
    assert last > rounds


def test_the_journal_goes_on_where_it_was_killed(tmp_path: Path) -> None:
    with Memory(tmp_path, embedder="none") as memory:
        memory.add(
            [{"role": "user", "content": f"I love dish {'abcdefgh'[number]}."} for number in range(8)], user_id="ana"
        )
        memory.claims.derive(user_id="ana")
        memory.add("I love rice.", user_id="ana")
    with Memory(tmp_path, embedder="none") as memory:
        assert memory.claims.derive(user_id="ana") == 1


def holding(folder: Path) -> list[str]:
    return [path.name for path in folder.rglob("*") if path.is_file() and SECRET.encode() in path.read_bytes().lower()]


def test_forgetting_holds_after_a_rebuild_a_background_pass_a_snapshot_and_a_restart(tmp_path: Path) -> None:
    with Memory(tmp_path, embedder="none", claims="auto") as memory:
        gone = list(
            memory.add(f"My sister {SECRET.title()} lives in Lisbon. I love {SECRET} pie.", user_id="ana").message_ids
        )
        gone += memory.add(f"{SECRET.title()} moved to Porto.", user_id="ana").message_ids
        memory.add("I love rice.", user_id="ana")
        memory.claims.derive(user_id="ana")
        memory.claims.snapshot(user_id="ana", name="old")
        memory.context("pie?", user_id="ana", strategy="notes")
        memory.forget(user_id="ana", message_ids=gone)
        assert holding(tmp_path) == []
        memory.rebuild(user_id="ana")
        memory.claims.derive(user_id="ana")
        memory.claims.rollback(user_id="ana", name="old")
    assert holding(tmp_path) == []
    with Memory(tmp_path, embedder="none", claims="auto") as memory:
        memory.claims.derive(user_id="ana", passed_over=True)
        for strategy in STRATEGIES:
            found = memory.context(f"Where does {SECRET.title()} live?", user_id="ana", strategy=strategy)
            assert SECRET not in found.text.rpartition("</memory>")[0].lower(), strategy
        assert [each.text for each in memory.claims.of(user_id="ana", closed=True)] == ["I love rice."]
        assert [each.name for each in memory.claims.graph(user_id="ana").nodes] == []
        assert memory.verify(user_id="ana").ok
    assert holding(tmp_path) == []
