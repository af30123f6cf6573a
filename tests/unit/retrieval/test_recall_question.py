from __future__ import annotations

import pytest

from everyword.retrieval.recall_question import asks_for_record


@pytest.mark.parametrize(
    "text",
    [
        "Where did I put the spare key?",
        "how many coins do I have",
        "In which room is the algebra exam?",
        "I moved last year. What was the name of my old street again?",
        "How long should I rest the dough, as you told me?",
        "黑膠唱片的貨運單號是多少？",
        "你推荐过几部电影给我？",
        "誰有我的備用鑰匙",
    ],
)
def test_a_question_for_something_that_was_said_is_one(text: str) -> None:
    assert asks_for_record(text)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "spare key",
        "The power is back and I am ready to go on with the plan.",
        "What should I read on the ferry?",
        "Where could we eat tonight?",
        "Can you walk me through the order of the topics that we discussed?",
        "I am travelling to Denver soon. Any tips?",
        "星期天我該走哪條環線？",
        "請幫我把清單整理好。",
        "I read the whole draft again last night and moved two chapters, and my editor likes it. Shall we go on? What is next?",
    ],
)
def test_advice_and_turns_of_a_conversation_are_none(text: str) -> None:
    assert not asks_for_record(text)
