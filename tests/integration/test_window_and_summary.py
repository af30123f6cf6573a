"""The last ten turns word for word behind a summary of at most 200 characters: what R004-23 asks for, byte by byte."""

from __future__ import annotations

import re
from datetime import date, timedelta
from pathlib import Path
from typing import Any

import pytest

from everyword import Memory, Window
from everyword.errors import InvalidInputError
from everyword.models.structured_chat import StructuredChat
from everyword.testing.scripted_model import ScriptedModel
from everyword.testing.scripted_replies import Asked

pytest.importorskip("pydantic")

TURNS = 10
CHARACTERS = 200
START = date(2026, 3, 1)
QUESTION = "我喜歡什麼點心？"
WRITTEN = "由語言模型依使用者的陳述寫成，並已與原話核對；編號可查到原話。僅供參考，以使用者當下輸入為準。"
QUOTED = "先前對話的摘要：只有使用者自己陳述的原話，僅供參考，以使用者當下輸入為準。"
LIKED = (
    "烏龍茶",
    "花生糖",
    "牛肉麵",
    "鳳梨酥",
    "芋頭",
    "紅豆湯",
    "蘿蔔糕",
    "綠豆冰",
    "米粉",
    "豆花",
    "蚵仔煎",
    "柚子",
    "滷味",
    "冬瓜茶",
    "仙草",
    "麻糬",
    "蔥油餅",
    "桂圓",
    "筍乾",
    "地瓜",
    "楊桃",
    "蓮藕",
    "粽子",
    "燒賣",
)
ANSWERS = ("好的。", "你是阿里員工。", "你應該也喜歡辣椒。")

Said = tuple[int, date, dict[str, str]]
"""Number and day of a message, and what is sent of it."""


class Talk:
    """What anybody would keep by hand: the newest messages in a list, and the facts of the user that left it."""

    def __init__(self, opening: str, label: str, subject: str) -> None:
        self.opening, self.label, self.subject = opening, label, subject
        self.window: list[Said] = []
        self.facts: list[Said] = []
        self.count = 0

    def add(self, role: str, content: str, day: date) -> None:
        self.count += 1
        self.window.append((self.count, day, {"role": role, "content": content}))
        if len(self.window) > 2 * TURNS:
            oldest, self.window = self.window[:2], self.window[2:]
            self.facts += [each for each in oldest if each[2]["role"] == "user"]

    def summary(self) -> str:
        """Return the newest facts whose lines have room, oldest first."""
        left, lines = CHARACTERS, list[str]()
        for number, day, said in reversed(self.facts):
            line = f"#{number} [{day:%Y-%m-%d} {self.label}] {said['content'].replace('我', self.subject)}\n"
            if len(line) <= left:
                left -= len(line)
                lines.insert(0, line)
        return "".join(lines)

    def build_messages(self, question: str) -> list[dict[str, str]]:
        summary = self.summary()
        about = {"role": "system", "content": f"<memory>\n{self.opening}\n{summary}</memory>"}
        turns = [said for _, _, said in self.window]
        return [*([about] if summary else []), *turns, {"role": "user", "content": question}]


def retold(asked: Asked) -> dict[str, Any]:
    """Write each statement as a line of its own."""
    told = re.findall(r"^(\d+)\. \([^)]*\) (.*)$", asked.last, re.MULTILINE)
    return {"lines": [{"text": text.replace("我", "使用者"), "sources": [int(number)]} for number, text in told]}


def chosen(asked: Asked) -> dict[str, Any]:
    """Take each message as it is."""
    found = re.findall(r"^Message (\d+)[^\n]*:\n(.*)$", asked.last, re.MULTILINE)
    return {
        "claims": [
            {"message": int(number), "quote": text, "kind": "profile", "state": "statement"} for number, text in found
        ]
    }


def fake() -> StructuredChat:
    model = ScriptedModel()
    model.when(lambda asked: asked.body["purpose"] == "claims", chosen)
    return StructuredChat(model.when(lambda asked: asked.body["purpose"] == "summary", retold), repairs=0)


def sent(memory: Memory) -> list[dict[str, str]]:
    prompt = memory.prompt(
        QUESTION,
        user_id="ana",
        session_id="s1",
        window=Window(tokens=8_000),
        strategy=f"summary:{CHARACTERS}",
        recent_turns=TURNS,
        asked_at="2026-06-01",
    )
    return prompt.to_openai()["messages"]


@pytest.mark.parametrize("is_written", [True, False])
def test_the_pair_that_leaves_the_window_enters_a_summary_of_200_characters(tmp_path: Path, is_written: bool) -> None:
    by_hand = Talk(WRITTEN, "摘寫", "使用者") if is_written else Talk(QUOTED, "使用者原話", "我")
    options: dict[str, Any] = {"llm": fake()} if is_written else {}
    sizes: list[int] = []
    with Memory(tmp_path, embedder="none", **options) as memory:
        for number, liked in enumerate(LIKED):
            day = START + timedelta(days=number)
            pair = (("user", f"我喜歡{liked}。"), ("assistant", ANSWERS[number % len(ANSWERS)]))
            for role, content in pair:
                by_hand.add(role, content, day)
                memory.add(
                    [{"role": role, "content": content}], user_id="ana", session_id="s1", timestamp=day.isoformat()
                )
            if is_written:
                memory.claims.derive(user_id="ana")
                memory.summaries.write(user_id="ana")
            assert sent(memory) == by_hand.build_messages(QUESTION), number
            sizes.append(len(by_hand.summary()))
        assert "阿里" not in sent(memory)[0]["content"]
    assert sizes[:TURNS] == [0] * TURNS
    assert sizes[TURNS] > 0
    assert max(sizes) <= CHARACTERS
    assert len(by_hand.facts) > by_hand.summary().count("\n"), "more is said than has room"


@pytest.mark.parametrize("name", ["summary:", "summary:0", "summary:-1", "summary:two", "summary:³"])
def test_a_summary_of_no_size_is_refused(tmp_path: Path, name: str) -> None:
    with Memory(tmp_path, embedder="none") as memory, pytest.raises(InvalidInputError, match="is no summary"):
        memory.context("What?", user_id="ana", strategy=name)
