from __future__ import annotations

import pytest

from everyword.retrieval.asker import is_about_asker

ABOUT_THE_ASKER = (
    "What degree did I graduate with?",
    "How many pre-1920 coins do I have?",
    "Where did my sister move to?",
    "Which of the bikes is mine?",
    "When does our lease end?",
    "I’ve been tired lately. Any tips?",
    "Can you recommend a film for me?",
    "What would you recommend for my trip to Denver?",
    "Have you got any advice for my garden?",
    "What did I tell you about my job?",
    "Remind me what I said about the dentist.",
    "我的牙醫是誰？",
    "我有幾枚硬幣？",
    "我们什么时候搬家？",
    "你能推薦一部電影給我嗎？",
    "你有什麼推薦給我的電影嗎？",
    "我上次跟你說我的車停在哪裡？",
)
ABOUT_WHAT_WAS_TOLD = (
    "What did you recommend for my cookies?",
    "Which book had you suggested to me?",
    "What have you told me about tariffs?",
    "Can you remind me of the name of the restaurant?",
    "What was the third item on your list?",
    "What was your advice about my knee?",
    "You mentioned a song to me. Which one was it?",
    "In our previous conversation, which shell did you use?",
    "What did we agree on for my thesis?",
    "I'm back. Let me see the list of skills you generated.",
    "你上次推薦我看哪部電影？",
    "你之前给我的食谱要放多少盐？",
    "您建議過我哪一本書？",
    "你推薦的餐廳叫什麼？我忘了。",
    "你給了我哪三個建議？",
    "提醒我那家餐廳的名字。",
    "我們之前討論的方案是什麼？",
)
ABOUT_OTHERS = (
    "When did Caroline go to the museum?",
    "Which US states did Tim visit?",
    "Who wrote the invoice of March?",
    "Is the mine still open in Minehead?",
    "台岳鋼鐵的交期是哪一天？",
    "",
)


@pytest.mark.parametrize("question", ABOUT_THE_ASKER)
def test_a_question_about_the_asker_is_answered_by_what_they_said(question: str) -> None:
    assert is_about_asker(question)


@pytest.mark.parametrize("question", ABOUT_WHAT_WAS_TOLD)
def test_a_question_about_what_was_told_is_not_about_the_asker(question: str) -> None:
    assert not is_about_asker(question)


@pytest.mark.parametrize("question", ABOUT_OTHERS)
def test_a_question_about_others_is_not_about_the_asker(question: str) -> None:
    assert not is_about_asker(question)


def test_a_question_of_ten_thousand_words_takes_no_time() -> None:
    assert not is_about_asker("你 you " * 10_000)
