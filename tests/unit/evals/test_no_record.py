from __future__ import annotations

import pytest

from everyword.evals.no_record import NO_RECORD, no_record, says_no_record


@pytest.mark.parametrize(
    "answer",
    [
        *NO_RECORD.values(),
        "No record of it.",
        "There is no mention of a trip to Korea.",
        "The conversations do not contain enough information to say.",
        "You haven't mentioned how many rooms it has.",
        "You didn’t say when.",
        "That is not mentioned anywhere.",
        "The price was never discussed.",
        "I cannot determine this from the records.",
        "The information provided is not enough.",
        "沒有找到相關的紀錄。",
        "记录中没有提到这件事。",
        "你從來沒有說過。",
        "查無紀錄",
        "信息不足，无法判断。",
    ],
)
def test_these_say_that_there_is_no_record(answer: str) -> None:
    assert says_no_record(answer)


@pytest.mark.parametrize(
    "answer",
    [
        "",
        "No.",
        "I don't know.",
        "You never went there.",
        "You recorded a new best time, 25 minutes.",
        "She said no to the offer.",
        "He mentioned Lyon.",
        "You said you would not go.",
        "没有。",
        "我不知道。",
        "你沒去過韓國。",
        "她提到了里昂。",
    ],
)
def test_these_do_not(answer: str) -> None:
    assert not says_no_record(answer)


def test_the_sentence_is_in_the_language_of_the_question() -> None:
    assert no_record("Where is the key?") == NO_RECORD["en"]
    assert no_record("鑰匙在哪裡？") == NO_RECORD["zh"]
