from __future__ import annotations

from collections.abc import Sequence

import pytest

from everyword.evals.dataset import Case, Question, Said
from everyword.evals.generated.catalogue import generate
from everyword.evals.sweep import AMOUNTS, CLOSED_BOOK, PLACES, amounts, distractors, measured, positions


def said(text: str) -> Said:
    return Said(role="user", text=text, session="s", created_at=None)


QUESTION = Question(
    text="What is the code for the bike shed?",
    evidence=frozenset({2}),
    kind="needles",
    answer="4417",
    quotes=((2, "The code for the bike shed is 4417."),),
)
CASE = Case(
    name="c",
    messages=(
        said("It rained all day."),
        said("The code for the ski locker is 9902."),
        said("The code for the bike shed is 4417."),
        said("My bike needs a new chain."),
        said("Again: 4417 opens the bike shed."),
        said("The garden shed has a code too, and a bike in it."),
        said("We ate soup."),
    ),
    questions=(QUESTION,),
)


def texts(passages: Sequence[Said]) -> list[str]:
    return [each.text for each in passages]


def test_distractors_are_the_nearest_messages_that_do_not_tell_the_answer() -> None:
    found = texts(distractors(CASE, QUESTION, 3))
    assert found[0] == "The garden shed has a code too, and a bike in it."
    assert set(found[1:]) == {"My bike needs a new chain.", "The code for the ski locker is 9902."}


def test_distractors_come_once_and_end_where_there_are_no_more() -> None:
    twice = Case(name="c", messages=(*CASE.messages, *CASE.messages), questions=CASE.questions)
    assert len(distractors(twice, QUESTION, 99)) == 5


def test_the_evidence_stands_at_each_place_among_the_same_distractors() -> None:
    closed, *found = positions(CASE, QUESTION, places=(0, 1, 4), passages=5)
    assert (closed.name, closed.passages) == (CLOSED_BOOK, ())
    assert [each.name for each in found] == ["position 1", "position 2", "position 5"]
    evidence = CASE.messages[2]
    assert [each.passages.index(evidence) for each in found] == [0, 1, 4]
    others = [[each for each in one.passages if each is not evidence] for one in found]
    assert others[0] == others[1] == others[2]
    assert len(others[0]) == 4


def test_more_distractors_are_added_to_the_fewer_beside_the_evidence() -> None:
    none, one, four = amounts(CASE, QUESTION)
    assert (none.name, texts(none.passages)) == ("distractors 0", [CASE.messages[2].text])
    assert [len(each.passages) for each in (none, one, four)] == [1, 2, 5]
    assert set(one.passages) < set(four.passages)
    assert four.passages.index(CASE.messages[2]) == 2


def test_evidence_of_several_messages_stays_together_and_in_order() -> None:
    both = Question(text=QUESTION.text, evidence=frozenset({5, 2}), kind="counts")
    for each in positions(CASE, both, places=(0, 2), passages=5):
        if each.passages:
            first = each.passages.index(CASE.messages[2])
            assert each.passages[first + 1] == CASE.messages[5]


def lazy(question: str, passages: Sequence[Said]) -> str:
    """Reads the first passage and the last one."""
    return " ".join(texts([passages[0], passages[-1]])) if passages else "I do not know."


def holds(question: Question, answer: str) -> bool:
    return question.answer in answer


def test_a_reader_that_overlooks_the_middle_is_seen_by_position() -> None:
    found = measured(positions(CASE, QUESTION, places=(0, 2, 4), passages=5), lazy, holds)
    assert {name: share.accuracy for name, share in found.items()} == {
        CLOSED_BOOK: 0.0, "position 1": 1.0, "position 3": 0.0, "position 5": 1.0,
    }  # fmt: skip
    low, high = found["position 1"].interval
    assert 0 < low < high == 1.0


def test_a_reader_that_is_led_astray_is_seen_by_the_number_of_distractors() -> None:
    found = measured(amounts(CASE, QUESTION), lambda _, passages: passages[0].text, holds)
    assert [share.right for share in found.values()] == [1, 1, 0]


def test_generated_questions_make_a_sweep_of_twenty_passages() -> None:
    case = next(generate(["needles"], questions=12, tokens=12_000).cases)
    every = [each for question in case.questions for each in positions(case, question)]
    assert all(len(each.passages) in (0, 20) for each in every)
    found = measured(every, lazy, holds)
    assert list(found) == [CLOSED_BOOK, *(f"position {place + 1}" for place in PLACES)]
    assert found["position 1"].accuracy == found["position 20"].accuracy == 1.0
    assert found["position 10"].accuracy == 0.0


@pytest.mark.parametrize("count", AMOUNTS)
def test_a_sweep_of_distractors_never_tells_the_answer_twice(count: int) -> None:
    case = next(generate(["needles"], "zh-Hant", questions=12, tokens=12_000).cases)
    for question in case.questions:
        (only,) = amounts(case, question, [count])
        told = [each for each in only.passages if question.answer in each.text]
        assert len(told) == 1
