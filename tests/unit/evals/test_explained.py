from __future__ import annotations

from collections.abc import Callable
from random import Random
from typing import Any

from everyword.evals.dataset import Dataset, Question, Said
from everyword.evals.explained import FOUND, MISSED, Examples
from everyword.evals.findings import Findings
from everyword.evals.outcome import Outcome

MakeOutcome = Callable[..., Outcome]


def record(outcome: Outcome) -> dict[str, Any]:
    names = ("case", "question", "strategy", "budget", "seed", "complete")
    return {name: getattr(outcome, name) for name in names} | {"length": outcome.target}


def chosen(outcomes: list[Outcome]) -> list[dict[str, Any]]:
    examples = Examples()
    for each in outcomes:
        if examples.wants(each):
            examples.add(record(each))
    return examples.records()


def test_the_examples_are_the_same_whatever_the_order(outcome: MakeOutcome) -> None:
    outcomes = [outcome(f"q{n}", share=float(n % 2)) for n in range(60)]
    first = chosen(outcomes)
    for number in range(5):
        Random(number).shuffle(outcomes)
        assert chosen(outcomes) == first


def test_more_misses_than_hits_are_explained_and_they_come_first(outcome: MakeOutcome) -> None:
    found = chosen([outcome(f"q{n}", name, share=float(n % 2)) for name in ("bm25", "evidence") for n in range(40)])
    assert [each["complete"] for each in found] == [False] * 2 * MISSED + [True] * 2 * FOUND


def test_strategies_are_explained_on_the_same_questions(outcome: MakeOutcome) -> None:
    found = chosen([outcome(f"q{n}", name, share=0.0) for name in ("bm25", "evidence") for n in range(40)])
    by_strategy = {
        name: [each["question"] for each in found if each["strategy"] == name] for name in ("bm25", "evidence")
    }
    assert by_strategy["bm25"] == by_strategy["evidence"]


def test_what_has_no_context_or_no_known_evidence_is_no_example(outcome: MakeOutcome) -> None:
    assert chosen([outcome("q1", share=None), outcome("q2", share=0.0, tokens=0, failure="no room")]) == []


def test_an_example_tells_where_the_evidence_stood(
    said: Callable[..., Said], one: Callable[..., Dataset], run_over: Callable[..., Findings]
) -> None:
    boats = "The harbour was full of small boats that morning. "
    messages = [said("The old coin is worth 1,280 dollars."), said(boats * 40), said("Is the old coin worth it?")]
    question = Question(
        text="What is the old coin worth?", evidence=frozenset({0, 1}), kind="k", name="q", answer="1,280"
    )
    (found,) = run_over(one(*messages, questions=[question]), strategies="bm25", budgets=(150,)).examples
    assert (found["case"], found["question"], found["answer"], found["complete"]) == ("c", "q", "1,280", False)
    assert "1,280 dollars" in found["context"]
    assert sum(found["ledger"].values()) == found["tokens"]
    coin, harbour = found["evidence"]
    assert (coin["packed"], coin["reason"], coin["rank"]) == (True, None, 2)
    assert coin["stages"]["lexical"]["rank"] == 2
    assert (harbour["packed"], harbour["reason"], harbour["stages"]) == (False, "not found", {})
