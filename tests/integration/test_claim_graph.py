from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from everyword import Memory


@pytest.fixture
def memory(tmp_path: Path) -> Iterator[Memory]:
    with Memory(tmp_path, embedder="none") as opened:
        yield opened


def say(memory: Memory, *texts: str, day: str = "2026-01-05") -> None:
    memory.add([{"role": "user", "content": text} for text in texts], user_id="ana", timestamp=day)


def front(memory: Memory, question: str, strategy: str, **more: object) -> str:
    return memory.context(question, user_id="ana", strategy=strategy, **more).text.partition("</memory>")[0]  # type: ignore[arg-type]


def edges(memory: Memory, **more: object) -> list[tuple[str, str, str]]:
    found = memory.claims.graph(user_id="ana", **more)  # type: ignore[arg-type]
    return [(edge.subject, edge.relation, edge.object) for edge in found.edges]


def test_a_question_over_two_steps_finds_both(memory: Memory) -> None:
    say(memory, "My sister Mia lives in Lisbon.", "Rex is Mia's dog.", "My brother Tom lives in Oslo.")
    found = memory.context("Where does the owner of Rex live?", user_id="ana", strategy="graph")
    section, _, behind = found.text.partition("</memory>")
    assert section.splitlines()[2:5] == [
        "#2 [2026-01-05 user's words] Mia — dog → Rex",
        "#1 [2026-01-05 user's words] the user — sister → Mia",
        "#1 [2026-01-05 user's words] Mia — lives in → Lisbon",
    ]
    assert "Oslo" not in section
    assert "Rex is Mia's dog." in behind
    assert found.ledger["graph"] > 0
    assert sum(found.ledger.values()) == found.tokens


def test_a_question_over_two_steps_finds_both_in_chinese(memory: Memory) -> None:
    say(memory, "我妹妹小美住在台北。", "來福是小美的狗。")
    section = front(memory, "來福的主人住哪裡？", "graph")
    assert "小美 — 狗 → 來福" in section
    assert "小美 — 住在 → 台北" in section


def test_all_of_a_role_are_listed_not_the_best_five(memory: Memory) -> None:
    names = ["Acme", "Borealis", "Corvid", "Dunlin", "Egret", "Fulmar", "Gannet", "Heron"]
    say(memory, *(f"My client {name} pays on time." for name in names))
    section = front(memory, "List all my clients", "graph", budget=2_000)
    assert all(f"client → {name}" in section for name in names)


def test_the_graph_leads_to_the_messages_and_is_of_one_user(memory: Memory) -> None:
    say(memory, "My sister Mia lives in Lisbon.")
    memory.add("My sister Mia lives in Rome.", user_id="bo")
    found = memory.claims.graph(user_id="ana")
    assert [memory.get(edge.message_ids[0], user_id="ana").text for edge in found.edges] == [
        "My sister Mia lives in Lisbon."
    ] * 2
    assert {node.name for node in found.nodes} == {"user", "Mia", "Lisbon"}
    assert next(node for node in found.nodes if node.name == "Mia").roles == ("sister",)


def test_what_was_ended_is_an_edge_of_then(memory: Memory) -> None:
    say(memory, "I live in Paris.", day="2026-01-05")
    say(memory, "I live in Rome.", day="2026-03-05")
    assert edges(memory) == [("user", "lives in", "Rome")]
    assert edges(memory, as_of="2026-02-01") == [("user", "lives in", "Paris")]
    assert edges(memory, closed=True) == [("user", "lives in", "Paris"), ("user", "lives in", "Rome")]


def test_a_forgotten_message_takes_its_nodes_along(memory: Memory) -> None:
    (gone,) = memory.add("Rex is Mia's dog.", user_id="ana").message_ids
    say(memory, "My sister Mia lives in Lisbon.")
    memory.forget(user_id="ana", message_ids=[gone])
    assert {node.name for node in memory.claims.graph(user_id="ana").nodes} == {"user", "Mia", "Lisbon"}


@pytest.mark.parametrize("role", ["assistant", "system"])
def test_what_others_say_is_no_edge(memory: Memory, role: str) -> None:
    memory.add([{"role": role, "content": "Rex is Mallory's dog."}], user_id="ana")
    say(memory, "> Rex is Mallory's dog.\nIs that so?", "The page says Rex is Mallory's dog.")
    assert edges(memory) == []


# --- cards -------------------------------------------------------------------------------------------------------------


def test_a_card_gathers_what_was_said_of_one_over_time(memory: Memory) -> None:
    say(memory, "My cat Mimi is three years old.", day="2026-01-05")
    say(memory, "I love rice.", day="2026-01-06")
    say(memory, "My cat hates fish.", "Mimi lives in Taipei.", day="2026-02-05")
    section = front(memory, "Tell me about Mimi", "entities")
    assert section.splitlines()[2:] == [
        "Mimi (cat):",
        "#1 [2026-01-05 user's words] My cat Mimi is three years old.",
        "#3 [2026-02-05 user's words] My cat hates fish.",
        "#4 [2026-02-05 user's words] Mimi lives in Taipei.",
    ]


def test_a_number_has_a_card_and_a_corrected_one_is_not_on_it(memory: Memory) -> None:
    say(memory, "My order number is 12435.")
    say(memory, "No, my order number is 12345, not 12435.", day="2026-01-06")
    section = front(memory, "What is the number of my order?", "entities")
    assert "order number:" in section
    assert "is 12345" in section
    assert "is 12435" not in section


def test_a_question_that_names_nobody_gets_evidence_alone(memory: Memory) -> None:
    say(memory, "My sister Mia lives in Lisbon.", "The bridge was closed on Monday.")
    found = memory.context("When was the bridge closed?", user_id="ana", strategy="entities")
    assert "entities" not in found.ledger
    assert "The bridge was closed on Monday." in found.text


@pytest.mark.parametrize("strategy", ["entities", "graph"])
@pytest.mark.parametrize("budget", [60, 120, 300, 900])
def test_no_budget_is_exceeded(memory: Memory, strategy: str, budget: int) -> None:
    say(memory, *(f"My sister Mia lives in Town{chr(97 + number)}." for number in range(25)))
    found = memory.context("Where does Mia live?", user_id="ana", strategy=strategy, budget=budget)
    assert found.tokens <= budget
    assert sum(found.ledger.values()) == found.tokens
