from __future__ import annotations

from everyword.lab.chat import chat, system_prompt
from everyword.lab.conversation import Conversation, conversation
from everyword.lab.engine import OVERHEAD, Settings, requests
from everyword.text.tokens import WordsCounter


def test_the_system_prompt_is_as_long_as_every_request_assumes() -> None:
    assert WordsCounter().count(system_prompt()) == OVERHEAD


def test_the_words_of_a_request_are_estimated_as_the_engine_has_it(talk: Conversation) -> None:
    for turn, sent in enumerate(requests(talk, Settings(window=8192)), 1):
        assert chat(talk, turn=turn, first=sent.first).estimate == sent.tokens


def test_pinned_facts_and_the_summary_stand_in_the_system_prompt_and_the_question_at_the_end(
    talk: Conversation,
) -> None:
    sent = chat(talk, turn=10, first=18, summary="買了蒸烤箱", is_pinned=True, question="我叫什麼名字？")
    system, *said, asked = sent.messages
    assert system["role"] == "system"
    assert "沈以寧" in system["content"]
    assert "218 號" not in system["content"]
    assert "買了蒸烤箱" in system["content"]
    assert [each["content"] for each in said] == [each.text for each in talk.messages[18:20]]
    assert asked == {"role": "user", "content": "我叫什麼名字？"}


def test_what_a_tool_said_is_labelled_words() -> None:
    messages = [{"turn": 1, "role": "user", "text": "find it"}, {"turn": 1, "role": "tool", "text": "found"}]
    talk = conversation({"title": "", "language": "", "messages": messages, "facts": []})
    assert chat(talk, turn=1, first=0).messages[2] == {"role": "user", "content": "[tool] found"}
