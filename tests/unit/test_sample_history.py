from __future__ import annotations

import json
from datetime import datetime, timedelta
from typing import Any

import pytest

from everyword.demo import Question, history_path, questions

# Characters that only simplified Chinese writes.
SIMPLIFIED = set(
    "们这个说对时没还过会为来开关见让给问间样东车应该经现实发动长门头点电话书写读谁买卖钱爱听觉学习写错张岁灯镜机"
)

# What each question's evidence must say, one entry for each line of it.
SAID = [
    ["spare key with Mrs. Chou from the tea shop"],
    ["April 18", "May 2", "May 16"],
    ["Twenty-three cameras", "Five more for the shelf"],
    ['"total_twd": 87360'],
    ["烏克麗麗先寄放在我們公司三樓茶水間"],
    ["don't drill into the tiles"],
]
# What each answer must say, in the words of its evidence or as their sum.
ANSWERED = [
    ["Mrs. Chou", "tea shop"],
    ["April 18", "May 2", "May 16"],
    ["28"],
    ["87,360"],
    ["公司三樓茶水間"],
    ["磁磚", "tiles"],
]


def records() -> list[dict[str, Any]]:
    return [json.loads(line) for line in history_path().read_text(encoding="utf-8").splitlines()]


def sessions() -> dict[str, list[dict[str, Any]]]:
    found: dict[str, list[dict[str, Any]]] = {}
    for record in records():
        found.setdefault(record["session_id"], []).append(record)
    return found


def is_chinese(session: list[dict[str, Any]]) -> bool:
    text = spoken(session)
    return sum("\u4e00" <= char <= "\u9fff" for char in text) > len(text) / 2


def spoken(session: list[dict[str, Any]]) -> str:
    return "\n".join(
        r["content"] or json.dumps(r["tool_calls"], ensure_ascii=False) for r in session if r["role"] != "tool"
    )


def test_every_line_is_a_message_with_a_time_in_taipei() -> None:
    found = records()
    assert 220 <= len(found) <= 300
    for record in found:
        assert record["role"] in ("user", "assistant", "tool")
        assert record["content"] or record["tool_calls"]
        assert datetime.fromisoformat(record["created_at"]).utcoffset() == timedelta(hours=8)


def test_no_line_is_blank_or_ends_in_a_foreign_line_break() -> None:
    raw = history_path().read_bytes()
    assert raw.endswith(b"}\n")
    assert raw.count(b"\n") == len(records())
    assert b"\r" not in raw


def test_time_runs_forward_over_some_months() -> None:
    times = [datetime.fromisoformat(record["created_at"]) for record in records()]
    assert all(before < after for before, after in zip(times, times[1:], strict=False))
    assert times[-1] - times[0] > timedelta(days=120)


def test_there_are_sessions_enough_in_both_languages() -> None:
    chinese = [is_chinese(session) for session in sessions().values()]
    assert len(chinese) >= 14
    assert sum(chinese) >= 5
    assert chinese.count(False) >= 5


def test_every_tool_result_follows_the_call_it_answers() -> None:
    open_calls: dict[str, str] = {}
    answered = 0
    for record in records():
        for call in record.get("tool_calls", []):
            open_calls[call["id"]] = call["function"]["name"]
            json.loads(call["function"]["arguments"])
        if record["role"] == "tool":
            assert open_calls.pop(record["tool_call_id"]) == record["name"]
            answered += 1
    assert open_calls == {}
    assert answered >= 6


def test_the_quoted_amount_was_said_by_a_tool_only() -> None:
    said = "".join(char for char in spoken(records()) if char not in ", _.")
    assert "87360" not in said
    assert sum("87360" in (record["content"] or "") for record in records()) == 1


def test_chinese_is_traditional_throughout() -> None:
    assert not SIMPLIFIED & set(history_path().read_text(encoding="utf-8"))


def test_some_answers_of_the_assistant_are_long() -> None:
    english = [r["content"] for r in records() if r["role"] == "assistant" and r["content"] and r["content"].isascii()]
    assert sum(len(text.split()) >= 150 for text in english) >= 8


def test_there_are_six_questions() -> None:
    assert len(questions()) == 6
    assert {question.language for question in questions()} == {"en", "zh-Hant"}


@pytest.mark.parametrize(("question", "said"), list(zip(questions(), SAID, strict=True)))
def test_the_evidence_says_the_answer(question: Question, said: list[str]) -> None:
    lines = [records()[number - 1]["content"] for number in question.evidence]
    assert len(lines) == len(said)
    for line, words in zip(lines, said, strict=True):
        assert words in line


@pytest.mark.parametrize(("question", "words"), list(zip(questions(), ANSWERED, strict=True)))
def test_the_answer_is_in_the_words_of_the_evidence(question: Question, words: list[str]) -> None:
    assert all(word in question.answer for word in words)


def test_one_question_is_in_another_language_than_its_evidence() -> None:
    last = questions()[-1]
    evidence = records()[last.evidence[0] - 1]["content"]
    assert last.language == "zh-Hant"
    assert evidence.isascii()
