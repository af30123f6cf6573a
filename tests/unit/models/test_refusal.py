from __future__ import annotations

import pytest

from everyword.models.refusal import is_refusal


@pytest.mark.parametrize(
    "text",
    [
        "I'm sorry, but I can't help with that.",
        "I’m sorry, I cannot assist with this request.",
        "I can't assist with extracting personal data.",
        "I am unable to comply with this.",
        "I must decline.",
        "抱歉，我无法协助完成这个请求。",
        "很抱歉，我無法提供這項資訊。",
        "对不起，我不能满足您的要求",
    ],
)
def test_a_refusal_is_seen(text: str) -> None:
    assert is_refusal(text)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "She said she is sorry for the delay.",
        "I cannot find it in the memory.",
        "我不能吃花生。",
        "There is no record of that.",
        "I'm sorry, but I can't help with that." + " But here is a long story." * 40,
    ],
)
def test_other_words_are_no_refusal(text: str) -> None:
    assert not is_refusal(text)
