from __future__ import annotations

import csv
import io
from collections.abc import Callable

from everyword.evals.outcome import Outcome
from everyword.evals.review import COLUMNS, sheet, write

MakeOutcome = Callable[..., Outcome]


def test_all_wrong_and_twelve_right_of_each_strategy_are_checked(outcome: MakeOutcome) -> None:
    outcomes = [
        outcome(f"q{n}", name, correct=n % 4 != 0) for name in ("bm25", "evidence") for n in range(40)
    ]  # fmt: skip
    chosen = sheet(outcomes)
    for name in ("bm25", "evidence"):
        mine = [each for each in chosen if each.strategy == name]
        assert sum(not each.correct for each in mine) == 10
        assert sum(bool(each.correct) for each in mine) == 12
    assert sheet(outcomes[::-1])[::-1] == chosen, "the same ones, whatever the order"


def test_answers_that_nobody_could_judge_are_checked_and_unasked_questions_are_not(outcome: MakeOutcome) -> None:
    failed = outcome("q1", failure="answer: refused")
    assert sheet([failed, outcome("q2"), outcome("q3", failure="no room")]) == [failed]


def test_the_sheet_has_the_answers_side_by_side_and_room_for_a_person(outcome: MakeOutcome) -> None:
    out = io.StringIO()
    write([outcome(text='Who, "Ana"?', expected="Ana", answer="=HYPERLINK(1)", correct=False, share=0.5)], out)
    head, row = list(csv.reader(io.StringIO(out.getvalue())))
    shown = dict(zip(head, row, strict=True))
    assert tuple(head) == COLUMNS
    assert (shown["text"], shown["expected"], shown["judge"]) == ('Who, "Ana"?', "Ana", "wrong")
    assert shown["answer"] == "'=HYPERLINK(1)", "a spreadsheet must not run what a model wrote"
    assert (shown["evidence in context"], shown["person"], shown["remark"]) == ("50%", "", "")
