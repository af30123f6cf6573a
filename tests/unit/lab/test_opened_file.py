"""A conversation that is opened in the page itself."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest

from everyword.lab.conversation import Conversation
from everyword.lab.join import bundle

CHAT = [
    {"role": "system", "content": "Be kind."},
    {"role": "user", "content": "Hello"},
    {"role": "assistant", "content": [{"type": "text", "text": "Hi"}]},
    {"role": "user", "content": "My key is with Mrs. Chou."},
]


@pytest.fixture(scope="module")
def opened(page_of: Callable[[str], Any]) -> Callable[[str], Any]:
    page = page_of(bundle("opened_file"))
    return lambda text: page("$opened_file.documentOf('chat.json', text)", text=text)


@pytest.mark.parametrize(
    "text",
    [json.dumps(CHAT), json.dumps({"messages": CHAT}), "\n".join(map(json.dumps, CHAT))],
    ids=["list", "object", "lines"],
)
def test_chat_messages_are_read_and_each_message_of_the_user_but_the_first_begins_a_turn(
    opened: Callable[[str], Any], text: str
) -> None:
    found = opened(text)
    assert [(said["turn"], said["role"], said["text"]) for said in found["messages"]] == [
        (1, "system", "Be kind."),
        (1, "user", "Hello"),
        (1, "assistant", "Hi"),
        (2, "user", "My key is with Mrs. Chou."),
    ]
    assert (found["title"], found["facts"]) == ("chat.json", [])


def test_the_labs_own_document_comes_back_with_its_facts(opened: Callable[[str], Any], talk: Conversation) -> None:
    found = opened(json.dumps(talk.document()))
    assert [said["turn"] for said in found["messages"]] == [said.turn for said in talk.messages]
    assert [fact["label"] for fact in found["facts"]] == [fact.label for fact in talk.facts]


@pytest.mark.parametrize("text", ["", "no json", "{}", "[]", '[{"role": "user"}]'])
def test_what_holds_no_messages_is_refused(opened: Callable[[str], Any], text: str) -> None:
    with pytest.raises(Exception, match=r"."):
        opened(text)
