from __future__ import annotations

import pytest

from everyword.errors import InvalidInputError
from everyword.lab.conversation import Conversation, conversation


def test_a_document_comes_back_as_it_was(talk: Conversation) -> None:
    assert conversation(talk.document()) == talk


def test_the_facts_of_the_script_are_said_by_the_user_in_their_turns(talk: Conversation) -> None:
    assert [fact.turn for fact in talk.facts] == [1, 3, 8, 12, 18, 24]
    for fact in talk.facts:
        message = talk.messages[fact.position]
        assert (message.role, message.turn) == ("user", fact.turn)
        assert fact.is_in(message.text)


def test_sums_and_ends_count_what_came_before(talk: Conversation) -> None:
    assert talk.sums[0] == talk.longest[0] == talk.ends[0] == 0
    assert talk.sums[2] == talk.messages[0].tokens + talk.messages[1].tokens
    assert talk.ends[-1] == len(talk.messages) == 240
    assert talk.longest[-1] == max(said.tokens for said in talk.messages)


def test_a_conversation_without_messages_is_refused() -> None:
    with pytest.raises(InvalidInputError, match="no messages"):
        conversation({"title": "", "language": "", "messages": [], "facts": []})


def test_a_fact_of_a_turn_in_which_the_user_says_nothing_is_refused() -> None:
    fact = {"turn": 2, "label": "x", "text": "x", "probe": "x", "keys": ["x"]}
    messages = [{"turn": 1, "role": "user", "text": "x"}]
    with pytest.raises(InvalidInputError, match="Turn 2"):
        conversation({"title": "", "language": "", "messages": messages, "facts": [fact]})
