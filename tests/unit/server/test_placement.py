from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from everyword.server.placement import PLACES, are_messages, newest_user, placed, text_of

MEMORY = "<memory>\n#1 user: the key\n</memory>"
TALK: list[dict[str, Any]] = [
    {"role": "system", "content": "Be brief."},
    {"role": "user", "content": "Hello"},
    {"role": "assistant", "content": "Hi"},
    {"role": "user", "content": "Who has my key?"},
    {"role": "assistant", "content": None, "tool_calls": [{"id": "c1"}]},
    {"role": "tool", "tool_call_id": "c1", "content": "nobody"},
]
MESSAGES = st.lists(
    st.fixed_dictionaries(
        {"role": st.sampled_from(["system", "developer", "user", "assistant", "tool"]), "content": st.text(max_size=9)}
    ),
    max_size=9,
)


def test_memory_stands_just_before_the_last_question_also_while_its_tools_run() -> None:
    assert placed(TALK, MEMORY, "turn") == [*TALK[:3], {"role": "system", "content": MEMORY}, *TALK[3:]]


def test_memory_in_front_stands_after_the_system_messages() -> None:
    assert placed(TALK, MEMORY, "front") == [TALK[0], {"role": "system", "content": MEMORY}, *TALK[1:]]


def test_memory_inside_the_question_adds_no_message() -> None:
    inside = placed(TALK, MEMORY, "user")
    assert len(inside) == len(TALK)
    assert inside[3] == {"role": "user", "content": f"{MEMORY}\n\nWho has my key?"}


def test_memory_inside_a_question_of_parts_is_a_part() -> None:
    parts = [{"type": "image_url", "image_url": {"url": "data:,"}}]
    assert placed([{"role": "user", "content": parts}], MEMORY, "user") == [
        {"role": "user", "content": [{"type": "text", "text": MEMORY}, *parts]}
    ]


@given(MESSAGES)
def test_all_before_the_last_question_stays_as_it_was(messages: list[dict[str, Any]]) -> None:
    at = newest_user(messages)
    sent = placed(messages, MEMORY, "turn")
    if at is None:
        assert sent == messages
    else:
        assert sent[:at] == messages[:at]
        assert sent[at + 1 :] == messages[at:]


@given(MESSAGES, st.sampled_from(PLACES))
def test_memory_is_there_once_wherever_it_is_put(messages: list[dict[str, Any]], where: Any) -> None:
    sent = placed(messages, MEMORY, where)
    assert sum(text_of(each["content"]).count("<memory>") for each in sent) == (newest_user(messages) is not None)


@pytest.mark.parametrize(
    ("content", "text"),
    [
        ("words", "words"),
        (None, ""),
        ([{"type": "text", "text": "a"}, {"type": "image_url"}, "b", 3], "a\nb"),
        ([{"type": "text", "text": None}], ""),
        (7, ""),
    ],
)
def test_the_words_of_a_content_are_those_of_its_text_parts(content: Any, text: str) -> None:
    assert text_of(content) == text


@pytest.mark.parametrize("wrong", [None, {}, "x", [1], [{"content": "x"}], [{"role": None}]])
def test_what_has_no_roles_is_left_to_the_upstream(wrong: Any) -> None:
    assert not are_messages(wrong)
