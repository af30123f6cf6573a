from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import pytest

from everyword.errors import CutOffError, ProviderError, RefusedError, UnreadableReplyError
from everyword.models.structured_chat import StructuredChat
from everyword.models.usage_ledger import UsageLedger
from everyword.testing.scripted_model import ScriptedModel
from everyword.testing.scripted_replies import ScriptedReply

QUESTION = [{"role": "system", "content": "Answer in JSON."}, {"role": "user", "content": "Where is the key?"}]


@dataclass(frozen=True)
class Place:
    place: str
    floor: int = 0


@pytest.fixture(autouse=True)
def _packages(need: Callable[..., None]) -> None:
    need("pydantic")


def ask(model: ScriptedModel, **options: Any) -> Any:
    return StructuredChat(model, **options).complete(QUESTION, max_tokens=50, schema=Place)


def test_a_reply_becomes_a_value_of_the_form() -> None:
    reply = ask(ScriptedModel({"place": "mat", "floor": 1}))
    assert reply.value == Place(place="mat", floor=1)
    assert reply.calls == 1


def test_the_last_value_that_fits_wins_without_asking_again() -> None:
    model = ScriptedModel('{"place": "mat"}\nWait. Corrected output:\n{"place": "shelf"}')
    assert ask(model).value == Place(place="shelf")
    assert len(model.requests) == 1


def test_a_mistake_is_told_to_the_model_once() -> None:
    model = ScriptedModel('{"place": "mat", "floor": "low"}', {"place": "mat", "floor": 0})
    reply = ask(model)
    assert reply.value == Place(place="mat")
    assert reply.calls == 2
    assert reply.usage.input_tokens == sum(asked.tokens for asked in model.requests)
    second = model.requests[1].body["messages"]
    assert second[:2] == QUESTION
    assert second[2] == {"role": "assistant", "content": '{"place": "mat", "floor": "low"}'}
    assert "floor: Input should be a valid integer" in second[3]["content"]


def test_a_reply_that_stays_unreadable_is_an_error_with_what_it_cost() -> None:
    model = ScriptedModel("Under the mat.", "As I said: under the mat.", "never asked for")
    with pytest.raises(UnreadableReplyError, match="no complete JSON value") as caught:
        ask(model)
    assert caught.value.failure == "unreadable"
    assert caught.value.reply.calls == 2
    assert caught.value.reply.text == "As I said: under the mat."


def test_a_reply_that_stays_too_long_is_cut_off_and_was_asked_to_be_shorter() -> None:
    cut = ScriptedReply(text='{"place": "under the', finish="length")
    model = ScriptedModel(cut, cut)
    with pytest.raises(CutOffError, match="max_tokens") as caught:
        ask(model)
    assert "shorter" in model.requests[1].last
    assert caught.value.failure == "cut off"


@pytest.mark.parametrize(
    "said",
    [
        ScriptedReply(refusal="I can't help with that."),
        ScriptedReply(text='{"place": "mat"}', finish="content_filter"),
        "I'm sorry, but I can't assist with that request.",
        "抱歉，我無法協助處理這項要求。",
    ],
    ids=range(4),
)
def test_a_refusal_is_an_error_at_once(said: Any) -> None:
    model = ScriptedModel(said, {"place": "mat"})
    with pytest.raises(RefusedError, match="refused"):
        ask(model)
    assert len(model.requests) == 1


def test_an_apology_around_a_value_is_no_refusal() -> None:
    model = ScriptedModel('I\'m sorry, but I can\'t help being short: {"place": "mat"}')
    assert ask(model).value == Place(place="mat")


def test_replies_that_came_to_nothing_stand_in_the_ledger() -> None:
    ledger = UsageLedger()
    with pytest.raises(UnreadableReplyError):
        ask(ScriptedModel("no", "no"), ledger=ledger)
    with pytest.raises(RefusedError):
        ask(ScriptedModel(ScriptedReply(refusal="no")), ledger=ledger)
    assert [(call.outcome, call.calls, call.model) for call in ledger.calls()] == [
        ("unreadable", 0, "scripted"),
        ("refused", 0, "scripted"),
    ]


def test_an_endpoint_that_fails_is_not_taken_for_a_bad_reply() -> None:
    with pytest.raises(ProviderError, match="500"):
        ask(ScriptedModel(ScriptedReply(status=500)))


def test_without_a_schema_the_reply_passes_through() -> None:
    model = ScriptedModel("Under the mat.")
    reply = StructuredChat(model).complete(QUESTION, max_tokens=9, temperature=0.5, purpose="answer")
    assert reply.text == "Under the mat."
    assert reply.value is None
    assert {name: model.requests[0].body[name] for name in ("max_tokens", "temperature", "purpose")} == {
        "max_tokens": 9,
        "temperature": 0.5,
        "purpose": "answer",
    }
