from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from everyword import Memory
from everyword.domain.context import Context
from everyword.strategies.catalogue import STRATEGIES
from everyword.text.tokens import EstimateCounter

BOATS = "The harbour was full of small boats that morning. "
LONG = BOATS * 40 + "The old coin is worth 1,280 dollars. " + BOATS * 40


@pytest.fixture
def memory(tmp_path: Path) -> Iterator[Memory]:
    with Memory(tmp_path, embedder="hash") as opened:
        yield opened


def say(memory: Memory, *texts: str, role: str = "user", **fields: Any) -> None:
    for number, text in enumerate(texts):
        message = {"role": role, "content": text, **fields}
        memory.add(message, user_id="ana", session_id=f"s{number}", timestamp=f"2026-05-{number % 28 + 1:02}")


def context(memory: Memory, question: str, strategy: str = "evidence", **arguments: Any) -> Context:
    return memory.context(question, user_id="ana", strategy=strategy, **arguments)


@pytest.mark.parametrize("role", ["user", "assistant", "tool"])
def test_the_default_shows_the_relevant_lines_of_a_long_message(memory: Memory, role: str) -> None:
    say(memory, LONG, role=role)
    (found,) = context(memory, "What is the old coin worth?").evidence
    assert "1,280 dollars" in found.text
    assert found.tokens <= 70
    assert not found.is_whole
    assert found.text.startswith("…")
    assert found.text.endswith("…")


def test_a_message_of_256_tokens_is_shown_whole(memory: Memory) -> None:
    text = ("coin " * 205)[:1024]
    say(memory, text, text + "!!!!")
    shown = {each.message.seq: each.is_whole for each in context(memory, "coin?").evidence}
    assert shown == {1: True, 2: False}


@pytest.mark.parametrize("strategy", ["bm25", "raw-semantic", "raw-fused"])
def test_the_strategies_of_seed_000_pack_whole_messages_or_none(memory: Memory, strategy: str) -> None:
    say(memory, LONG, "The coin is gold.")
    small = context(memory, "What is the old coin worth?", strategy, budget=500, recent_turns=0)
    assert [each.message.seq for each in small.evidence] == [2]
    large = context(memory, "What is the old coin worth?", strategy, budget=5000, recent_turns=0)
    assert all(each.is_whole for each in large.evidence)
    assert len(large.evidence) == 2


@pytest.mark.parametrize("strategy", ["evidence", "bm25"])
def test_what_is_left_out_is_listed_with_the_tokens_of_its_words(memory: Memory, strategy: str) -> None:
    said = [f"Coin {number} is of silver{'; it is old' * number}." for number in range(20)]
    say(memory, *said)
    left_out = context(memory, "Which coin is of silver?", strategy, budget=200).dropped
    untried = [each for each in left_out if each.reason == "rank"]
    assert untried
    assert {each.seq: each.tokens for each in untried} == {
        each.seq: EstimateCounter().count(said[each.seq - 1]) for each in untried
    }


def test_raw_rag_shows_each_window_once_and_only_what_was_found(memory: Memory) -> None:
    say(memory, " ".join(f"Sentence {number} speaks of coin number {number}." for number in range(400)))
    found = context(memory, "Which coin?", "raw-rag", budget=6000)
    assert 2 <= len(found.evidence) <= 15
    spans = [span for each in found.evidence for span in each.spans]
    assert all(len(each.spans) == 1 for each in found.evidence)
    assert len(set(spans)) == len(spans)
    assert spans == sorted(spans)
    assert max(each.tokens for each in found.evidence) <= 256


def test_raw_rag_keeps_fifteen_windows_in_the_order_of_time(memory: Memory) -> None:
    say(memory, *(f"The coin of day {number} is {'gold' if number % 3 else 'silver'}." for number in range(28)))
    found = context(memory, "Which coin is silver?", "raw-rag", budget=8000)
    assert len(found.evidence) == 15
    times = [each.message.created_at for each in found.evidence if each.message.created_at]
    assert times == sorted(times)
    assert [each.rank for each in found.evidence] != sorted(each.rank for each in found.evidence)


def test_only_the_users_words_are_in_the_seed_of_user_messages(memory: Memory) -> None:
    say(memory, "The coin is gold.")
    say(memory, "The coin is gold, noted.", role="assistant")
    for strategy in ("evidence", "bm25", "raw-semantic", "raw-fused", "raw-rag", "window", "full", "hybrid"):
        roles = {each.message.role for each in context(memory, "coin gold", strategy, recent_turns=0).evidence}
        assert roles == ({"user"} if strategy in ("raw-semantic", "raw-fused") else {"user", "assistant"})


def test_a_run_of_one_speaker_is_packed_together(memory: Memory) -> None:
    said = [("user", "The coin is gold."), ("user", "It was a gift of Mrs. Chou."), ("assistant", "A fine gift.")]
    memory.add([{"role": role, "content": text} for role, text in said], user_id="ana", session_id="s")
    memory.add("Next.", user_id="ana", session_id="t")
    found = context(memory, "gold?", "raw-fused", recent_turns=0)
    assert [(each.message.seq, each.rank) for each in found.evidence][:2] == [(1, 1), (2, 1)]


def test_recent_turns_are_shown_once_and_never_found(memory: Memory) -> None:
    turns = [f"{role} says coin {number}" for number in range(4) for role in ("user", "assistant")]
    memory.add(
        [{"role": text.split()[0], "content": text} for text in turns],
        user_id="ana",
        session_id="s",
        timestamp="2026-05-01",
    )
    for strategy in STRATEGIES:
        found = context(memory, "coin?", strategy, recent_turns=2, session_id="s")
        assert [message.text for message in found.recent] == turns[-4:]
        assert {each.message.seq for each in found.evidence} <= {1, 2, 3, 4}
        assert {each.seq for each in found.dropped} <= {1, 2, 3, 4}
        for text in turns[-4:]:
            assert found.text.count(text) == 1
            assert found.text.index(text) > len(found.memory_text)


@pytest.mark.parametrize(
    ("strategy", "session_id", "shown"),
    [("evidence", None, 0), ("evidence", "s", 2), ("raw-fused", None, 2), ("raw-semantic", "s", 2), ("bm25", None, 0)],
)
def test_recent_turns_follow_the_strategy_and_the_session(
    memory: Memory, strategy: str, session_id: str | None, shown: int
) -> None:
    memory.add([{"role": "user", "content": f"coin {n}"} for n in range(5)], user_id="ana", session_id="s")
    assert len(context(memory, "coin?", strategy, session_id=session_id).recent) == shown
    assert len(context(memory, "coin?", strategy, session_id=session_id, recent_turns=1).recent) == 1
