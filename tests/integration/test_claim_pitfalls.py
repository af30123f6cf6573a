"""Ways in which memories of others have gone wrong, each as a history and what has to come out of it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from everyword import Memory
from everyword.text.script import simplified_only

CLAIMED = ("profile", "pinned", "notes", "summary", "compact", "hybrid", "entities", "graph")


@pytest.fixture
def memory(tmp_path: Path) -> Iterator[Memory]:
    with Memory(tmp_path / "home", embedder="none") as opened:
        yield opened


def say(memory: Memory, text: str, day: str = "2026-05-22", role: str = "user") -> str:
    return memory.add([{"role": role, "content": text}], user_id="ana", timestamp=day).message_ids[0]


def filler(memory: Memory, count: int = 40) -> None:
    memory.add(
        [{"role": "user", "content": f"I walked {number} kilometres to the mill."} for number in range(count)],
        user_id="ana",
        timestamp="2026-05-24",
    )


def section(memory: Memory, question: str, strategy: str, *, asked_at: str | None = None, budget: int = 600) -> str:
    """Return what stands before the evidence and the newest messages."""
    found = memory.context(question, user_id="ana", strategy=strategy, budget=budget, asked_at=asked_at)
    has_front = set(found.ledger) & {"profile", "pinned", "notes", "summary", "entities", "graph"}
    return found.text.partition("</memory>")[0] if has_front else ""


def test_coin_the_count_and_the_coin_that_came_later_are_both_there_in_order(memory: Memory) -> None:
    say(memory, "I have 37 pre-1920 coins.", "2026-05-22")
    say(memory, "I bought another pre-1920 coin.", "2026-05-23")
    for strategy in ("notes", "pinned", "hybrid"):
        text = memory.context("How many pre-1920 coins do I have?", user_id="ana", strategy=strategy).text
        assert 0 < text.find("37 pre-1920 coins") < text.find("another pre-1920 coin"), strategy
    assert "37" not in section(memory, "How many coins?", "profile"), "a count is no line of a profile"


def test_doctors_every_one_is_listed_and_what_was_done_is_not_a_plan(memory: Memory) -> None:
    for name in ("Ida Sand", "Omar Field", "Lena Marsh"):
        say(memory, f"I saw Dr. {name} about my sinusitis.", "2026-05-22")
    say(memory, "Dr. Marsh already prescribed antibiotics to me.", "2026-05-23")
    text = section(memory, "How many doctors did I see about my sinusitis?", "notes")
    assert all(name in text for name in ("Ida Sand", "Omar Field", "Lena Marsh"))
    states = {each.text: each.state for each in memory.claims.of(user_id="ana")}
    assert states["Dr. Marsh already prescribed antibiotics to me."] == "result"


def test_plan_and_result_stand_side_by_side_each_as_what_it_is(memory: Memory) -> None:
    say(memory, "I'm going to buy a Fiat next week.", "2026-05-01")
    say(memory, "I bought a Renault.", "2026-05-10")
    found = {each.text: (each.kind, each.state) for each in memory.claims.of(user_id="ana")}
    assert found == {
        "I'm going to buy a Fiat next week.": ("note", "plan"),
        "I bought a Renault.": ("note", "result"),
    }
    assert "buy a Fiat next week. (a plan)" in section(memory, "Which car did I buy, Fiat or Renault?", "notes")


@pytest.mark.parametrize("role", ["assistant", "user"])
def test_you_are_an_alibaba_employee_never_enters_what_is_known_of_the_user(memory: Memory, role: str) -> None:
    say(memory, "你是阿里员工。", role=role)
    filler(memory)
    for strategy in CLAIMED:
        assert "阿里" not in section(memory, "我是阿里員工嗎？", strategy), strategy


def test_a_corrected_order_number_is_corrected_everywhere(memory: Memory) -> None:
    say(memory, "My order number is 12435.")
    say(memory, "I told the shop that 12435 is late.")
    filler(memory)
    say(memory, "The order number is 12345, not 12435.", "2026-05-25")
    for strategy in CLAIMED:
        text = section(memory, "What is my order number?", strategy)
        assert "is 12435" not in text, strategy
        assert "that 12435" not in text, strategy
    assert "12345" in section(memory, "What is my order number?", "entities")


def test_coffee_was_true_then_and_is_not_now(memory: Memory) -> None:
    say(memory, "I drink coffee.", "2026-01-05")
    say(memory, "I no longer drink coffee.", "2026-03-05")
    assert "I drink coffee." in section(memory, "Do I drink coffee?", "profile", asked_at="2026-02-01")
    assert "I drink coffee." not in section(memory, "Do I drink coffee?", "profile")
    assert "I no longer drink coffee." in section(memory, "Do I drink coffee?", "profile")


@pytest.mark.parametrize(
    ("first", "second", "caution"),
    [
        ("I'm allergic to peanuts.", "I love nuts.", "may contradict"),
        ("我對花生過敏。", "我喜歡吃堅果。", "可能與此矛盾"),
    ],
)
def test_peanuts_and_nuts_are_both_kept_with_a_caution(memory: Memory, first: str, second: str, caution: str) -> None:
    say(memory, first)
    say(memory, second)
    text = section(memory, f"What may I eat? {second if '我' in second else ''}", "profile")
    assert first in text
    assert second in text
    assert text.count(caution) == 2


def test_a_traditional_conversation_is_quoted_in_its_own_characters(memory: Memory) -> None:
    for text in ("我對花生過敏。", "我妹妹小美住在台北。", "我的訂單號是 12345。", "我昨天買了一台電腦。"):
        say(memory, text)
    for strategy in CLAIMED:
        assert not simplified_only(section(memory, "小美、訂單號、花生、電腦？", strategy)), strategy


def test_xiaoming_is_another_user(memory: Memory) -> None:
    memory.add("我叫小明。我妹妹小美住在台北。", user_id="ming")
    say(memory, "我喜歡喝茶。")
    for strategy in (*CLAIMED, "evidence", "window"):
        text = memory.context("我叫什麼？小美住哪裡？", user_id="ana", strategy=strategy).memory_text
        assert "小明" not in text, strategy
        assert "台北" not in text, strategy
    assert all(node.name != "小美" for node in memory.claims.graph(user_id="ana").nodes)


def test_a_dead_pointer_is_said_to_be_dead_and_never_empty(memory: Memory, tmp_path: Path) -> None:
    done = memory.claims.point(str(tmp_path / "gone.md"), about="The plan", user_id="ana")
    assert [each.status for each in memory.claims.resolve(done.claim_id, user_id="ana")] == ["POINTER_DEAD"]
    assert "what it points to is gone" in section(memory, "Where is the plan?", "notes")


def test_a_tool_that_failed_states_nothing(memory: Memory) -> None:
    call = {"type": "tool_use", "id": "c", "name": "crm", "input": {}}
    failed = {"type": "tool_result", "tool_use_id": "c", "is_error": True, "content": "Customer 77 does not exist."}
    memory.add(
        [{"role": "assistant", "content": [call]}, {"role": "user", "content": [failed]}],
        user_id="ana",
        timestamp="2026-05-22",
    )
    assert memory.claims.of(user_id="ana") == []
    text = memory.context("Does customer 77 exist?", user_id="ana").text
    assert "[TOOL_FAILED] " in text
