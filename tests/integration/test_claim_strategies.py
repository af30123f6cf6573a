from __future__ import annotations

import random
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from everyword import Context, Memory
from everyword.errors import ContextLengthExceeded
from everyword.text.tokens import counter

FRONT = {
    "profile": "profile",
    "hybrid": "profile",
    "pinned": "pinned",
    "summary": "summary",
    "compact": "summary",
    "notes": "notes",
}
CLAIMED = [*FRONT, "notes+raw"]
SAID = (
    "I love the harbour in autumn.",
    "My cat Mimi is three years old.",
    "Never push to main without asking me.",
    "I have 37 coins from before 1920.",
    "我對花生過敏。",
    "我昨天買了一台腳踏車，花了 3200 元。",
    "Thanks, that helps!",
    "What is the capital of Peru?",
    "I'm going to see the dentist tomorrow.",
    "I moved to Lisbon in March.",
)


@pytest.fixture(scope="module")
def memory(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Memory]:
    dice = random.Random(3)
    with Memory(tmp_path_factory.mktemp("home"), embedder="none") as opened:
        for number in range(120):
            text = f"{dice.choice(SAID)} {'It was a long day at the mill. ' * dice.randrange(4)}"
            turn = [
                {"role": "user", "content": text},
                {"role": "assistant", "content": "You are a king. " * dice.randrange(1, 9)},
            ]
            opened.add(
                turn,
                user_id="ana",
                session_id=f"s{number // 6}",
                timestamp=f"2026-{1 + number // 28:02d}-{1 + number % 28:02d}",
            )
        yield opened


def context(memory: Memory, strategy: str, question: str = "Where do I live?", **more: Any) -> Context:
    return memory.context(question, user_id="ana", strategy=strategy, **more)


@settings(max_examples=150, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    strategy=st.sampled_from(CLAIMED),
    budget=st.integers(20, 3000),
    question=st.sampled_from(["Where do I live?", "我對什麼過敏？", "How many coins do I have? " * 4]),
    session=st.sampled_from([None, "s3", "s19"]),
)
def test_no_budget_is_exceeded_and_the_ledger_adds_up(
    memory: Memory, strategy: str, budget: int, question: str, session: str | None
) -> None:
    try:
        found = context(memory, strategy, question, budget=budget, session_id=session)
    except ContextLengthExceeded as error:
        assert error.needed > budget
        return
    assert found.tokens == counter("estimate").count(found.text) <= budget
    assert sum(found.ledger.values()) == found.tokens
    assert all(tokens >= 0 for tokens in found.ledger.values())
    assert found.text.endswith(question)


@pytest.mark.parametrize("strategy", FRONT)
def test_each_line_of_a_section_is_the_users_words_with_their_source(memory: Memory, strategy: str) -> None:
    found = context(memory, strategy, "How many coins and what cat?", budget=700)
    assert found.ledger[FRONT[strategy]] > 0
    section = found.text.partition("</memory>")[0]
    quoted = [each for each in found.evidence if not each.is_whole and each.message.role == "user"]
    assert quoted
    for each in quoted:
        start, stop = each.spans[0]
        assert f"#{each.message.seq} " in section
        assert each.message.text[start:stop] in section
    assert "You are a king" not in section


@pytest.mark.parametrize("strategy", ["summary", "compact", "pinned"])
def test_what_the_newest_messages_show_is_not_said_twice(memory: Memory, strategy: str) -> None:
    found = context(memory, strategy, budget=900)
    behind = [each.message.seq for each in found.evidence if each.is_whole]
    front = [each.message.seq for each in found.evidence if not each.is_whole]
    assert front
    assert behind == list(range(min(behind), 241))
    assert not set(front) & set(behind)


def test_the_last_ten_turns_stand_behind_a_summary(memory: Memory) -> None:
    found = context(memory, "summary", budget=20_000)
    assert [each.message.seq for each in found.evidence if each.is_whole] == list(range(221, 241))


def test_a_history_that_fits_is_shown_whole_without_a_summary(tmp_path: Path) -> None:
    with Memory(tmp_path, embedder="none") as memory:
        memory.add([{"role": "user", "content": text} for text in SAID], user_id="ana")
        for strategy in ("summary", "compact", "pinned"):
            found = context(memory, strategy)
            assert [each.message.text for each in found.evidence] == list(SAID)
            assert FRONT[strategy] not in found.ledger


def test_the_profile_is_the_same_before_every_question(memory: Memory) -> None:
    first = context(memory, "hybrid", "Where do I live?", budget=900)
    second = context(memory, "hybrid", "How old is the cat?", budget=900)
    assert first.text.partition("</memory>")[0] == second.text.partition("</memory>")[0]
    assert first.ledger["profile"] == second.ledger["profile"] > 0


def test_the_prefix_of_the_next_turn_is_the_profile_of_the_last(tmp_path: Path) -> None:
    with Memory(tmp_path, embedder="none") as memory:
        memory.add(
            list(map(dict, ({"role": "user", "content": text} for text in SAID))), user_id="ana", timestamp="2026-01-01"
        )
        before = context(memory, "profile").memory_text
        memory.add("I love swimming.", user_id="ana", timestamp="2026-01-02")
        after = context(memory, "profile").memory_text
    lines = before.splitlines()
    assert after.splitlines()[: len(lines) - 2] == lines[:-2]


def test_raw_notes_are_the_whole_messages_that_have_a_note(memory: Memory) -> None:
    found = context(memory, "notes+raw", "What about the capital of Peru, and the harbour in autumn?")
    shown = [each.message.text for each in found.evidence]
    assert any(text.startswith("I love the harbour") for text in shown)
    assert not any("Peru" in text for text in shown)
    assert all(each.message.role == "user" for each in found.evidence)


def test_both_sides_of_a_coin_are_noted_in_the_order_of_time(tmp_path: Path) -> None:
    with Memory(tmp_path, embedder="none") as memory:
        memory.add("I counted them: I have 37 pre-1920 coins.", user_id="ana", timestamp="2026-05-22")
        memory.add("I got another pre-1920 coin today.", user_id="ana", timestamp="2026-05-23")
        for strategy in ("notes", "notes+raw", "pinned", "hybrid"):
            text = context(memory, strategy, "How many pre-1920 coins do I have?").text
            assert text.index("37 pre-1920 coins") < text.index("another pre-1920 coin")


def test_a_plan_is_marked_and_a_result_is_not(tmp_path: Path) -> None:
    with Memory(tmp_path, embedder="none") as memory:
        memory.add("I'm going to ask the doctor for antibiotics.", user_id="ana", timestamp="2026-05-22")
        memory.add("The doctor already prescribed antibiotics to me.", user_id="ana", timestamp="2026-05-24")
        lines = context(memory, "notes", "What about the antibiotics?").text.splitlines()
    assert [line for line in lines if line.startswith("#")] == [
        "#1 [2026-05-22 user's words] I'm going to ask the doctor for antibiotics. (a plan)",
        "#2 [2026-05-24 user's words] The doctor already prescribed antibiotics to me.",
    ]


def test_peanuts_and_nuts_are_shown_together_with_a_caution(tmp_path: Path) -> None:
    with Memory(tmp_path, embedder="none") as memory:
        memory.add("I'm allergic to peanuts.", user_id="ana", timestamp="2026-05-22")
        memory.add("I love nuts.", user_id="ana", timestamp="2026-05-24")
        text = context(memory, "profile", "A snack?").text
    assert "#1 [2026-05-22 user's words] I'm allergic to peanuts. (may contradict #2)" in text
    assert "#2 [2026-05-24 user's words] I love nuts. (may contradict #1)" in text


def test_a_list_of_seven_files_survives_any_number_of_summaries(tmp_path: Path) -> None:
    files = "main.py, store.py, rules.py, trust.py, decay.py, caps.py and claims.py"
    with Memory(tmp_path, embedder="none") as memory:
        memory.add(f"I have changed {files}.", user_id="ana", timestamp="2026-01-01")
        for generation in range(5):
            for number in range(20):
                memory.add(
                    f"Next step {generation}.{number}, please.",
                    user_id="ana",
                    timestamp=f"2026-02-{generation + 1:02d}",
                )
            assert files in context(memory, "summary", "Which files?", budget=400).text


def test_recent_turns_are_not_repeated_in_front(tmp_path: Path) -> None:
    with Memory(tmp_path, embedder="none") as memory:
        memory.add("I love tea.", user_id="ana", session_id="s")
        for strategy in CLAIMED:
            assert context(memory, strategy, "tea?", session_id="s").text.count("I love tea.") == 1


def test_conditions_on_time_and_role_narrow_claims_too(memory: Memory) -> None:
    found = context(memory, "pinned", after="2026-02-01", before="2026-02-20", budget=400)
    times = [each.message.created_at for each in found.evidence]
    assert times
    assert all(each is not None and (each.year, each.month) == (2026, 2) for each in times)
    assert context(memory, "profile", roles=["assistant"]).memory_text == ""


def test_without_a_model_the_trace_says_who_chose_the_words(memory: Memory) -> None:
    for strategy in CLAIMED:
        assert any("without a language model" in note for note in context(memory, strategy).trace.notes), strategy


def test_an_explanation_knows_the_rank_of_a_claim(memory: Memory) -> None:
    explained = memory.explain("What cat?", user_id="ana", strategy="hybrid", budget=600)
    assert "claims" in explained.candidates
    assert any("claims" in each.stages and each.outcome.startswith("packed") for each in explained.messages)


@pytest.mark.parametrize("strategy", ["pinned", "summary", "compact"])
def test_claims_for_which_there_is_room_are_shown_whatever_the_messages_behind_them_leave(
    tmp_path: Path, strategy: str
) -> None:
    said = ("I love tea.", "My cat is called Mimi.", "I have 37 coins.")
    chatter = [{"role": "assistant", "content": f"The mill is loud{' again' * (number % 4)}."} for number in range(300)]
    with Memory(tmp_path, embedder="none") as memory:
        memory.add([{"role": "user", "content": each} for each in said], user_id="ana", timestamp="2026-01-01")
        memory.add(chatter, user_id="ana", timestamp="2026-01-02")
        for budget in range(400, 700, 7):
            found = context(memory, strategy, budget=budget)
            assert [each for each in said if each not in found.parts[FRONT[strategy]]] == [], budget
            assert found.tokens <= budget
