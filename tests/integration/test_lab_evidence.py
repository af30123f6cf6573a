from __future__ import annotations

from pathlib import Path

import pytest

from everyword import Memory
from everyword.lab.conversation import Conversation, conversation
from everyword.lab.engine import OVERHEAD, Settings
from everyword.lab.evidence import COUNTER, recalled

FILLER = "今天的蒸蛋很滑嫩，火候剛好，家裡人都說好吃，下次想再試試看加一點蛤蜊。"


@pytest.fixture
def memory(tmp_path: Path):
    with Memory(tmp_path, embedder="none", counter=COUNTER, vectors="off") as opened:
        yield opened


@pytest.fixture
def long_talk() -> Conversation:
    """Forty turns; the key is told in the first, the cat in the last but one, and the parrot never."""
    said = {1: "我的備用鑰匙寄放在茶行的周太太那裡。", 39: "貓咪叫做阿福。"}
    messages = [
        {"turn": turn, "role": role, "text": said.get(turn, f"{FILLER}第 {turn} 次。") if role == "user" else FILLER}
        for turn in range(1, 41)
        for role in ("user", "assistant")
    ]
    facts = [
        {"turn": 1, "label": "鑰匙", "text": "鑰匙", "probe": "備用鑰匙在誰那裡？", "keys": ["周太太"]},
        {"turn": 39, "label": "貓", "text": "貓", "probe": "貓咪叫什麼名字？", "keys": ["阿福"]},
        {"turn": 40, "label": "鸚鵡", "text": "鸚鵡", "probe": "鸚鵡叫什麼名字？", "keys": ["咕咕"]},
    ]
    return conversation({"title": "", "language": "zh-Hant", "messages": messages, "facts": facts})


def test_what_was_said_once_is_found_in_a_small_budget_and_what_was_not_is_not(
    memory: Memory, long_talk: Conversation
) -> None:
    found = recalled(long_talk, Settings(turns=40), memory, budget=300)
    assert [each.is_kept for each in found.probes] == [True, True, False]
    assert found.recall == pytest.approx(2 / 3)


def test_no_request_is_larger_than_prompt_words_and_budget(memory: Memory, long_talk: Conversation) -> None:
    found = recalled(long_talk, Settings(turns=40), memory, budget=300)
    asked = [said.tokens for said in long_talk.messages if said.role == "user"]
    assert all(tokens <= OVERHEAD + words + 300 for tokens, words in zip(found.tokens, asked, strict=True))
    assert found.tokens[0] < OVERHEAD + asked[0] + 50


def test_the_figures_add_up(memory: Memory, long_talk: Conversation) -> None:
    document = recalled(long_talk, Settings(turns=40, price=3), memory, budget=300).document()
    assert document["cumulativeTokens"] == sum(point["tokens"] for point in document["series"])
    assert document["cost"] == pytest.approx(document["cumulativeTokens"] * 3 / 1e6)
    assert document["series"][-1]["cost"] == pytest.approx(document["cost"])
    assert document["series"][-1]["recall"] == document["recall"]
    assert len(document["series"]) == 40


def test_the_answer_does_not_count_where_only_the_question_has_it(memory: Memory, long_talk: Conversation) -> None:
    document = long_talk.document()
    document["facts"] = [{"turn": 40, "label": "鸚鵡", "text": "", "probe": "鸚鵡叫咕咕嗎？", "keys": ["咕咕"]}]
    assert recalled(conversation(document), Settings(turns=40), memory).recall == 0


def test_a_conversation_of_one_turn_and_other_roles_can_be_measured(memory: Memory) -> None:
    messages = [{"turn": 1, "role": role, "text": role} for role in ("system", "user", "tool", "assistant")]
    talk = conversation({"title": "", "language": "", "messages": messages, "facts": []})
    assert recalled(talk, Settings(turns=1), memory).document()["recall"] == 0


def test_progress_tells_every_turn(memory: Memory) -> None:
    told: list[tuple[int, int]] = []
    messages = [{"turn": turn, "role": "user", "text": f"hello {turn}"} for turn in (1, 2)]
    talk = conversation({"title": "", "language": "", "messages": messages, "facts": []})
    recalled(talk, Settings(turns=2), memory, progress=lambda done, total: told.append((done, total)))
    assert told == [(1, 2), (2, 2)]
