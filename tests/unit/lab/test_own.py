from __future__ import annotations

import json
from pathlib import Path

import pytest

from everyword import Memory
from everyword.errors import InvalidInputError, NotFoundError, TranscriptError
from everyword.lab import own
from everyword.lab.engine import Settings, run

KEY = [
    {"role": "system", "content": "Be kind."},
    {"role": "user", "content": "My spare key is with Mrs. Chou."},
    {"role": "assistant", "content": "Mrs. Chou has it, good."},
    {"role": "user", "content": "And the cat is at home."},
]


@pytest.fixture
def memory(tmp_path: Path):
    with Memory(tmp_path, embedder="none") as opened:
        opened.add(KEY, user_id="ana", session_id="keys")
        opened.add([{"role": "user", "content": "Bread at five."}], user_id="ana", session_id="bread")
        yield opened


def test_a_users_messages_become_a_conversation_of_turns(memory: Memory) -> None:
    talk = own.of_user(memory, "ana")
    assert [(said.turn, said.role, said.text) for said in talk.messages] == [
        (1, "system", "Be kind."),
        (1, "user", "My spare key is with Mrs. Chou."),
        (1, "assistant", "Mrs. Chou has it, good."),
        (2, "user", "And the cat is at home."),
        (3, "user", "Bread at five."),
    ]
    assert talk.facts == ()


def test_one_session_can_be_taken_alone(memory: Memory) -> None:
    talk = own.of_user(memory, "ana", "bread")
    assert [said.text for said in talk.messages] == ["Bread at five."]
    assert talk.title == "bread"


def test_what_is_not_there_is_said(memory: Memory) -> None:
    with pytest.raises(NotFoundError, match="'nobody'"):
        own.of_user(memory, "nobody")
    with pytest.raises(NotFoundError, match="'letters'"):
        own.of_user(memory, "ana", "letters")


def test_a_file_that_import_reads_is_a_conversation(tmp_path: Path) -> None:
    path = tmp_path / "chat.json"
    path.write_text(json.dumps(KEY), "utf-8")
    talk = own.of_file(path, format="openai")
    assert talk.turns == 2
    assert talk.title == "chat"


def test_a_file_without_words_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "empty.json"
    path.write_text("[]", "utf-8")
    with pytest.raises(TranscriptError):
        own.of_file(path)


def test_a_fact_is_a_question_and_words_as_the_user_said_them(memory: Memory) -> None:
    talk = own.with_facts(own.of_user(memory, "ana"), ["When is bread?=at five", "Who has my key? = Mrs. Chou"])
    assert [(fact.turn, fact.position, fact.probe, fact.keys) for fact in talk.facts] == [
        (1, 1, "Who has my key?", ("Mrs. Chou",)),
        (3, 4, "When is bread?", ("at five",)),
    ]
    assert run(talk, Settings(turns=3)).recall == 1


def test_words_that_only_the_assistant_said_are_found_there(memory: Memory) -> None:
    assert own.with_facts(own.of_user(memory, "ana"), ["Is that good?=good"]).facts[0].position == 2


@pytest.mark.parametrize("text", ["no equals sign", "=words", "question=", "Where?=in Paris"])
def test_a_text_that_is_no_fact_of_the_conversation_is_refused(memory: Memory, text: str) -> None:
    with pytest.raises(InvalidInputError):
        own.with_facts(own.of_user(memory, "ana"), [text])
