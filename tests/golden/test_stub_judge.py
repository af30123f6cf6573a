"""Verdicts that a person gave, and the rule that has to find them; `stub_judge.jsonl` has one a line."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from everyword.evals.dataset import Question
from everyword.evals.judge import judge

CASES = [json.loads(line) for line in (Path(__file__).parent / "stub_judge.jsonl").read_text("utf-8").splitlines()]


@pytest.mark.parametrize(
    "case", [pytest.param(case, id=f"{n} {case['answer'][:40]}") for n, case in enumerate(CASES, 1)]
)
def test_the_stub_finds_the_verdict_of_a_person(case: dict[str, Any]) -> None:
    question = Question(
        text=case["question"],
        evidence=frozenset(),
        kind=case.get("kind", "single-session-user"),
        answer=case["reference"],
        answerable=case.get("answerable", True),
        asked_at=case.get("asked_at"),
    )
    verdict = judge(question, case["answer"])
    assert (verdict.correct, verdict.why) == (case["right"], case["by"])
    assert (verdict.calls, verdict.failure) == (0, None)


def test_the_golden_cases_cover_both_languages_both_verdicts_and_every_rule() -> None:
    rules = {(case["by"], case["right"]) for case in CASES}
    assert rules == {
        ("exact", True),
        ("contained", True),
        ("numeric", True),
        ("no match", False),
        ("abstention", True),
        ("abstention", False),
    }
    assert sum(not case["question"].isascii() for case in CASES) >= 20
