from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from everyword import ContextLengthExceeded, Memory
from everyword.errors import InvalidInputError, InvalidMessageError
from everyword.testing.word_embedder import WordEmbedder

LONE = "\ud800"


@pytest.fixture
def memory(tmp_path: Path) -> Iterator[Memory]:
    with Memory(tmp_path, embedder=WordEmbedder(), counter="words") as opened:
        yield opened


REFUSED: dict[str, Any] = {
    "nothing": [],
    "none": None,
    "a number": 7,
    "a role that is unknown": {"role": "wizard", "content": "x"},
    "no role": {"content": "x"},
    "no content": {"role": "user"},
    "content empty": {"role": "user", "content": ""},
    "content null": {"role": "user", "content": None},
    "content a number": {"role": "user", "content": 7},
    "what JSON cannot hold": {"role": "user", "content": "x", "metadata": {"a": {1, 2}}},
    "one good and one bad": [{"role": "user", "content": "good"}, {"role": "user"}],
}


@pytest.mark.parametrize("messages", REFUSED.values(), ids=REFUSED)
def test_what_is_no_message_is_refused_and_nothing_is_stored(memory: Memory, messages: Any) -> None:
    with pytest.raises(InvalidMessageError):
        memory.add(messages, user_id="ana")
    assert memory.stats(user_id="ana")["messages"] == 0


def test_a_call_without_content_and_a_result_without_call_are_kept(memory: Memory) -> None:
    call = {"id": "c1", "type": "function", "function": {"name": "weather", "arguments": '{"city": "Oslo"}'}}
    memory.add({"role": "assistant", "content": None, "tool_calls": [call]}, user_id="ana")
    memory.add({"role": "tool", "tool_call_id": "c9", "content": "Rain, 1,280 mm"}, user_id="ana")
    assert memory.search("weather Oslo", user_id="ana")[0].role == "assistant"
    assert memory.search("1280", user_id="ana", mode="lexical")[0].role == "tool"


ODD = {
    "nul": "a coin \x00 and a stamp",
    "only nul": "\x00",
    "lone": f"a coin {LONE} and a stamp",
    "emoji": "🎂" * 500,
    "blank": " \n\t ",
    "controls": "".join(map(chr, range(32))) + "coin",
    "marks": "e" + "\u0301" * 5000,
    "right to left": "\u202e\u2066שלום coin\u2069",
    "ligature": "\ufdfa" * 300,
    "quotes": "\"coin\" OR 'x' -- ; DROP TABLE message",
}


@pytest.mark.parametrize("name", ODD)
def test_an_odd_text_is_kept_and_found_and_asked(memory: Memory, name: str) -> None:
    text = ODD[name]
    added = memory.add({"role": "user", "content": text}, user_id="ana")
    memory.index(user_id="ana")
    stored = memory.get(added.message_ids[0], user_id="ana")
    assert stored.content()["content"] == text
    assert stored.text == text.replace(LONE, "\ufffd")
    if "coin" in text:
        assert memory.search("coin", user_id="ana")[0].id == stored.message_id
    if text.strip():
        memory.search(text, user_id="ana")
        memory.context(text, user_id="ana", budget=60_000)
        memory.explain(text, user_id="ana", budget=60_000)
    assert memory.verify(user_id="ana").ok
    assert memory.forget(user_id="ana", message_ids=added.message_ids).messages == 1


@pytest.mark.parametrize(
    "said",
    [
        {"role": "user", "content": "coin", "name": LONE},
        {"role": "user", "content": "coin", "metadata": {LONE: LONE, "deep": [LONE]}},
        {"role": "tool", "content": "coin", "tool_call_id": LONE},
        {"role": "assistant", "content": [{"type": "text", "text": f"coin {LONE}"}]},
    ],
    ids=["name", "metadata", "tool_call_id", "part"],
)
def test_lone_surrogates_inside_a_message_lose_nothing(memory: Memory, said: dict[str, Any]) -> None:
    added = memory.add(said, user_id="ana")
    assert memory.get(added.message_ids[0], user_id="ana").content() == said
    assert memory.search("coin", user_id="ana")
    assert memory.verify(user_id="ana").ok
    assert len(list(memory.export(user_id="ana"))) == 2


@pytest.mark.parametrize("name", ["session_id", "run_id", "agent_id", "idempotency_key", "user_id"])
def test_lone_surrogates_in_an_argument_are_refused(memory: Memory, name: str) -> None:
    with pytest.raises(InvalidInputError):
        memory.add("coin", **{"user_id": "ana", name: LONE})
    assert memory.stats(user_id="ana")["messages"] == 0


def test_lone_surrogates_in_a_session_that_is_asked_for_are_refused(memory: Memory) -> None:
    memory.add("coin", user_id="ana")
    for call in (
        lambda: memory.search("coin", user_id="ana", session_id=LONE),
        lambda: memory.context("coin", user_id="ana", session_id=LONE),
        lambda: memory.forget(user_id="ana", session_id=LONE),
    ):
        with pytest.raises(InvalidInputError):
            call()


def test_a_message_of_five_megabytes_is_kept_and_found_in_its_middle(tmp_path: Path) -> None:
    text = "We spoke of this and that. " * 100_000 + "The needle is 4711. " + "And of more. " * 180_000
    with Memory(tmp_path, embedder="none") as memory:
        added = memory.add({"role": "user", "content": text}, user_id="ana")
        assert memory.get(added.message_ids[0], user_id="ana").text == text
        assert memory.search("needle 4711", user_id="ana")[0].seq == 1
        packed = memory.context("needle 4711", user_id="ana", budget=300)
        assert "The needle is 4711." in packed.text
        assert packed.tokens <= 300


@pytest.mark.parametrize("question", ["", " ", "\n", None, 7])
def test_an_empty_question_is_refused(memory: Memory, question: Any) -> None:
    for call in (memory.search, memory.context, memory.explain):
        with pytest.raises(InvalidInputError):
            call(question, user_id="ana")


@pytest.mark.parametrize("question", ["the", "?", "🎂", "…", "\x00", LONE, "的", "\u200b"])
def test_a_question_without_any_telling_word_has_an_answer(memory: Memory, question: str) -> None:
    memory.add("coin", user_id="ana")
    assert isinstance(memory.search(question, user_id="ana"), list)
    assert memory.context(question, user_id="ana").tokens <= 1500


def test_a_question_of_ten_thousand_words_is_answered(memory: Memory) -> None:
    for number in range(30):
        memory.add(f"coin number{number}", user_id="ana")
    question = " ".join(f"word{number}" for number in range(9_999)) + " number7"
    assert memory.search(question, user_id="ana", mode="lexical")[0].text == "coin number7"
    with pytest.raises(ContextLengthExceeded):
        memory.context(question, user_id="ana", budget=1500)
    assert memory.context(question, user_id="ana", budget=40_000).tokens <= 40_000


def test_a_budget_smaller_than_the_question_says_what_to_do(memory: Memory) -> None:
    with pytest.raises(ContextLengthExceeded, match="[Rr]aise") as caught:
        memory.context("How many coins do I have in the harbour?", user_id="ana", budget=3)
    assert caught.value.needed > caught.value.budget == 3
    assert caught.value.excess > 0


@pytest.mark.parametrize("budget", [0, -1, 1.5, "many", True])
def test_a_budget_that_is_none_is_refused(memory: Memory, budget: Any) -> None:
    with pytest.raises(InvalidInputError, match="budget"):
        memory.context("coin", user_id="ana", budget=budget)


@pytest.mark.parametrize("limit", [0, -1])
def test_a_limit_that_is_none_is_refused(memory: Memory, limit: int) -> None:
    with pytest.raises(InvalidInputError, match="limit"):
        memory.search("coin", user_id="ana", limit=limit)


def test_unknown_arguments_are_errors(memory: Memory) -> None:
    with pytest.raises(TypeError):
        memory.add("coin", user_id="ana", session="s1")  # type: ignore[call-arg]
    with pytest.raises(InvalidInputError, match="roles"):
        memory.search("coin", user_id="ana", roles=["wizard"])
    with pytest.raises(InvalidInputError, match="mode"):
        memory.search("coin", user_id="ana", mode="magic")  # type: ignore[arg-type]
    with pytest.raises(InvalidInputError, match="differ"):
        memory.add("coin", user_id="ana", session_id="a", run_id="b")


def test_a_key_makes_a_repeated_call_add_nothing(memory: Memory) -> None:
    first = memory.add("coin", user_id="ana", idempotency_key="k")
    again = memory.add("coin", user_id="ana", idempotency_key="k")
    assert again.message_ids == first.message_ids
    assert again.duplicates == 1
    with pytest.raises(InvalidInputError, match="another content"):
        memory.add("stamp", user_id="ana", idempotency_key="k")
    assert memory.stats(user_id="ana")["messages"] == 1
