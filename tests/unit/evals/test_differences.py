from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

from everyword.evals.differences import differences

Make = Callable[..., Any]


def run(outcome: Make, verdicts: str, **fields: Any) -> list[Any]:
    """`+` is right, `-` wrong, `?` without a verdict."""
    correct = {"+": True, "-": False, "?": None}
    return [
        outcome(f"q{number}", correct=correct[verdict], answer=verdict, **fields)
        for number, verdict in enumerate(verdicts, 1)
    ]


def test_two_runs_are_compared_question_by_question(outcome: Make) -> None:
    found = differences(run(outcome, "++--+?"), run(outcome, "+-+-??"))
    assert (found.questions, found.both_right, found.only_a, found.only_b, found.both_wrong) == (6, 1, 1, 1, 1)
    assert (found.unjudged, found.other_words, found.missing) == (2, 3, 0)
    assert [(each.a.question, each.a.correct, each.b.correct) for each in found.differing] == [
        ("q2", True, False),
        ("q3", False, True),
        ("q5", True, None),
    ]


def test_equal_runs_do_not_differ_whatever_their_order(outcome: Make) -> None:
    found = differences(run(outcome, "+-?"), reversed(run(outcome, "+-?")))
    assert (found.differing, found.missing, found.questions) == ((), 0, 3)


def test_questions_of_other_strategies_and_lengths_do_not_pair(outcome: Make) -> None:
    ours = [*run(outcome, "+"), *run(outcome, "+", strategy="bm25"), *run(outcome, "+", target=120_000)]
    theirs = [*run(outcome, "-", strategy="bm25"), *run(outcome, "-", strategy="full")]
    found = differences(ours, theirs)
    assert (found.questions, found.only_a, found.missing) == (1, 1, 3)


def test_a_report_is_json_with_the_question_once(outcome: Make) -> None:
    record = differences(run(outcome, "+", expected="37"), run(outcome, "-")).record()
    assert json.loads(json.dumps(record))["differing"] == [
        {
            "dataset": "own",
            "case": "c",
            "question": "q1",
            "text": "What of q1?",
            "kind": "single",
            "strategy": "evidence",
            "budget": 1500,
            "expected": "37",
            "a": {"answer": "+", "correct": True, "failure": None},
            "b": {"answer": "-", "correct": False, "failure": None},
        }
    ]
