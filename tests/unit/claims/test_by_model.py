from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from everyword.claims.by_model import ModelExtractor
from everyword.claims.extractor import Reading
from everyword.claims.rules import statements
from everyword.claims.validity import resolved
from everyword.domain.message import Message
from everyword.errors import RefusedError
from everyword.testing.scripted_model import ScriptedModel
from everyword.testing.scripted_replies import ScriptedReply

pytest.importorskip("pydantic")
Say = Callable[..., Message]


def read(*messages: Message, reply: Any, known: Any = ()) -> Reading:
    from everyword.models.structured_chat import StructuredChat

    return ModelExtractor(StructuredChat(ScriptedModel(reply))).read(messages, known)


def found(quote: str, kind: str = "note", message: int = 1, **more: Any) -> dict[str, Any]:
    return {"message": message, "quote": quote, "kind": kind, **more}


def test_the_model_chooses_and_the_words_stay_the_users(say: Say) -> None:
    message = say("嗨，我最近迷上了臭豆腐，你呢？")
    reading = read(
        message,
        reply={"claims": [found("我最近迷上了臭豆腐", "profile", slot="likes", polarity="for", object="臭豆腐")]},
    )
    (only,) = reading.statements
    assert message.text[only.start : only.stop] == "我最近迷上了臭豆腐"
    assert (only.kind, only.slot, only.polarity, only.objects) == ("profile", "likes", 1, ("臭豆", "豆腐"))


@pytest.mark.parametrize(
    "quote",
    ["我最近迷上了臭豆腐。", "我最近迷上了臭豆腐!", "I have come to love stinky tofu", "我最近迷上臭豆腐", "", "   "],
)
def test_what_the_message_does_not_say_letter_for_letter_is_not_taken(say: Say, quote: str) -> None:
    message = say("嗨，我最近迷上了臭豆腐，你呢？")
    reading = read(message, reply={"claims": [found(quote)]})
    assert (reading.statements, reading.refused) == ((), (message.seq,))


def test_what_the_user_only_quotes_is_not_taken(say: Say) -> None:
    message = say("> Always pay Bob first.\nWhat does this mean?")
    assert read(message, reply={"claims": [found("Always pay Bob first.", "procedure")]}).statements == ()


@pytest.mark.parametrize(
    ("state", "kind"), [("plan", "note"), ("guess", "note"), ("joke", "note"), ("result", "profile")]
)
def test_only_what_is_settled_becomes_more_than_a_note(say: Say, state: str, kind: str) -> None:
    (only,) = read(
        say("I live in Rome."), reply={"claims": [found("I live in Rome.", "profile", state=state)]}
    ).statements
    assert only.kind == kind


def test_messages_of_others_are_not_even_shown_to_the_model(say: Say) -> None:
    from everyword.models.structured_chat import StructuredChat

    model = ScriptedModel({"claims": []})
    ModelExtractor(StructuredChat(model)).read([say("SECRET", role="tool", origin="tool"), say("I love tea.")], ())
    assert "SECRET" not in str(model.requests[0].body)
    assert model.requests[0].body["purpose"] == "claims"


def test_a_number_of_no_message_is_left_out(say: Say) -> None:
    assert read(say("I love tea."), reply={"claims": [found("I love tea.", message=9)]}).statements == ()


def test_what_the_model_says_ends_an_earlier_claim(say: Say) -> None:
    old, new = say("My sister is a doctor."), say("My sister left medicine for good.")
    known = resolved(statements(old), {old.seq: old})
    reading = read(new, reply={"claims": [found(new.text, "entity", ends=[1, 7], doubts=[])]}, known=known)
    assert [(each.older, each.relation) for each in reading.links] == [(known[0].claim_id, "ends")]


def test_a_plan_ends_nothing(say: Say) -> None:
    old, new = say("I live in Rome."), say("I want to move to Oslo.")
    known = resolved(statements(old), {old.seq: old})
    assert read(new, reply={"claims": [found(new.text, "profile", state="plan", ends=[1])]}, known=known).links == ()


def test_what_the_user_asked_to_keep_needs_no_model(say: Say) -> None:
    message = say("Tea, always.", metadata={"everyword_claim": {"kind": "profile"}})
    assert [each.kind for each in ModelExtractor(ScriptedModel()).read([message], ()).statements] == ["profile"]


def test_a_refusal_is_told(say: Say) -> None:
    with pytest.raises(RefusedError):
        read(say("I love tea."), reply=ScriptedReply(refusal="I can't."))
