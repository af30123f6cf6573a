from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from dataclasses import replace
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest

from everyword import Memory
from everyword.domain.context import Context
from everyword.errors import AccessRefusedError
from everyword.evals.answering import answer, answering, memory, prompt
from everyword.evals.dataset import Question
from everyword.evals.no_record import NO_RECORD
from everyword.models.structured_chat import StructuredChat
from everyword.testing.scripted_model import ScriptedModel
from everyword.testing.scripted_replies import ScriptedReply

SAID = (
    ("2026-05-20T09:00:00+00:00", "The train to Porto leaves at nine. I packed the blue bag."),
    ("2026-05-22T22:45:00+00:00", "I counted the coins again tonight. There are 37 silver coins in the box."),
    ("2026-05-23T10:00:00+00:00", "A dealer sold me one more silver coin, so the box has 38 silver coins now."),
)
COINS = Question(
    text="How many silver coins are in the box?", evidence=frozenset({1}), kind="knowledge-update", answer="38"
)
STRATEGIES = ("evidence", "bm25", "raw-fused")


@pytest.fixture
def filled(tmp_path: Path) -> Iterator[Memory]:
    with Memory(tmp_path, embedder="none") as opened:
        messages = [{"role": "user", "content": text, "created_at": when} for when, text in SAID]
        opened.add(messages, user_id="ana", session_id="s1")
        yield opened


@pytest.fixture
def context(filled: Memory) -> Context:
    return found(filled, COINS.text)


def found(filled: Memory, question: str, **options: Any) -> Context:
    asked = {"user_id": "ana", "budget": 500, "asked_at": "2026-06-01T12:00:00+00:00", **options}
    return filled.context(question, **asked)


def test_an_answer_is_what_the_model_says_and_what_it_cost(context: Context) -> None:
    model = ScriptedModel("  38 coins.\n")
    said = answer(COINS, context, model)
    assert (said.text, said.failure, said.calls) == ("38 coins.", None, 1)
    assert said.usage.input_tokens == model.requests[0].tokens
    assert model.requests[0].body["purpose"] == "answer"
    assert model.requests[0].body["temperature"] == 0.0


def test_prompts_of_strategies_differ_in_the_memory_alone(filled: Memory) -> None:
    contexts = [found(filled, COINS.text, strategy=name) for name in STRATEGIES]
    blocks = [memory(each) for each in contexts]
    prompts = [prompt(COINS, each) for each in contexts]
    assert len(set(blocks)) == 3
    assert all(blocks)
    bare = [
        [message["content"].replace(block, "…") for message in said]
        for said, block in zip(prompts, blocks, strict=True)
    ]
    assert bare[0] == bare[1] == bare[2]
    assert bare[0][1] == f"…\n\nIt is 2026-06-01 12:00, Monday.\nQuestion: {COINS.text}"


def test_recent_turns_are_part_of_the_memory_and_the_question_is_not(filled: Memory) -> None:
    said = memory(found(filled, COINS.text, session_id="s1", recent_turns=1))
    assert said.endswith("A dealer sold me one more silver coin, so the box has 38 silver coins now.")
    assert COINS.text not in said


def test_an_empty_memory_is_told_as_one(tmp_path: Path) -> None:
    with Memory(tmp_path, embedder="none") as opened:
        nothing = opened.context(COINS.text, user_id="ben", budget=500)
    model = ScriptedModel("There is no record of that.")
    answer(COINS, nothing, model)
    assert model.requests[0].last.startswith("(no records)\n\n")


@pytest.mark.parametrize(
    ("said", "failure", "calls"),
    [
        (ScriptedReply(refusal="I can't."), "refused", 1),
        (ScriptedReply(text="38 co", finish="length"), "cut off", 1),
        (ScriptedReply(text=" \n"), "unreadable", 1),
        (ScriptedReply(status=503), "failed", 0),
    ],
    ids=["refused", "cut off", "empty", "failed"],
)
def test_a_question_without_an_answer_says_why(context: Context, said: Any, failure: str, calls: int) -> None:
    got = answer(COINS, context, ScriptedModel(said))
    assert (got.text, got.failure, got.calls) == (None, failure, calls)


def test_a_closed_endpoint_ends_the_run(context: Context) -> None:
    class Closed(ScriptedModel):
        def complete(self, *args: Any, **options: Any) -> Any:
            raise AccessRefusedError

    with pytest.raises(AccessRefusedError):
        answer(COINS, context, Closed())


@pytest.mark.parametrize(
    ("asked", "said"),
    [
        (COINS.text, "2026-05-23: A dealer sold me one more silver coin, so the box has 38 silver coins now."),
        ("Which bag did I pack?", "2026-05-20: I packed the blue bag."),
        ("Who repaired the violin?", NO_RECORD["en"]),
        ("小提琴是誰修的？", NO_RECORD["zh"]),
    ],
)
def test_without_a_model_the_best_sentence_answers_or_there_is_no_record(filled: Memory, asked: str, said: str) -> None:
    got = answer(replace(COINS, text=asked), found(filled, asked))
    assert (got.text, got.calls, got.failure) == (said, 0, None)


def test_a_context_that_says_it_holds_nothing_is_believed(context: Context) -> None:
    assert answer(COINS, replace(context, no_evidence=True)).text == NO_RECORD["en"]


def test_an_outcome_gets_its_answer_and_its_verdict_offline(context: Context, outcome: Callable[..., Any]) -> None:
    add = answering(None, None)
    right = add(outcome(), COINS, context)
    assert right.answer.endswith("38 silver coins now.")
    assert (right.correct, right.expected, right.calls, right.failure) == (True, "38", 0, None)
    unanswerable = replace(COINS, text="Who drove the train?", answerable=False, answer="")
    assert add(outcome(), unanswerable, context).correct is False
    assert add(outcome(), unanswerable, replace(context, no_evidence=True)).correct is True


def test_calls_of_answer_and_verdict_are_counted_together(context: Context, outcome: Callable[..., Any]) -> None:
    if find_spec("pydantic") is None:
        pytest.fail("not installed: pydantic") if os.environ.get("CI") else pytest.skip("not installed: pydantic")
    judging = StructuredChat(ScriptedModel("perhaps", {"why": "as the reference", "verdict": "yes"}))
    got = answering(ScriptedModel("38"), judging)(outcome(calls=2), COINS, context)
    assert (got.answer, got.correct, got.calls, got.failure) == ("38", True, 5, None)


@pytest.mark.parametrize(
    ("said", "judged", "failure", "text"),
    [
        (ScriptedReply(refusal="no"), "yes", "answer: refused", None),
        ("38", "perhaps", "verdict: unreadable", "38"),
    ],
)
def test_an_outcome_says_which_of_the_two_failed(
    context: Context, outcome: Callable[..., Any], said: Any, judged: str, failure: str, text: str | None
) -> None:
    templates: Any = dict.fromkeys(("default", "temporal", "update", "preference", "abstention"), "{} {} {}")
    got = answering(ScriptedModel(said), ScriptedModel(judged), templates=templates)(outcome(), COINS, context)
    assert (got.failure, got.answer, got.correct, got.expected) == (failure, text, None, "38")
