from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any

import pytest

from everyword.errors import ProviderError, SpendingLimitError
from everyword.models.metered_chat import MeteredChat, most_tokens
from everyword.models.reply_schema import reply_schema
from everyword.models.spending import Limit, SpendingLimit
from everyword.models.usage_ledger import UsageLedger
from everyword.testing.scripted_model import ScriptedModel
from everyword.testing.scripted_replies import ScriptedReply

QUESTION = [{"role": "user", "content": "Where is the key?"}]


def test_every_call_has_a_line_failures_too() -> None:
    ledger = UsageLedger()
    said = [
        "Under the mat.",
        ScriptedReply(text="Under", finish="length"),
        ScriptedReply(refusal="no"),
        ScriptedReply(status=500),
    ]
    model = MeteredChat(ScriptedModel(*said), ledger)
    for purpose in ("answer", "answer", "judge"):
        model.complete(QUESTION, max_tokens=5, purpose=purpose)
    with pytest.raises(ProviderError):
        model.complete(QUESTION, max_tokens=5)
    lines = list(ledger.calls())
    assert [(line.purpose, line.outcome) for line in lines] == [
        ("answer", "ok"),
        ("answer", "cut off"),
        ("judge", "refused"),
        ("chat", "failed"),
    ]
    assert [line.input_tokens > 0 for line in lines] == [True, True, True, False]


def test_what_is_asked_reaches_the_model_unchanged() -> None:
    inner = ScriptedModel("in")
    form = {"type": "object"}
    MeteredChat(inner, UsageLedger()).complete(QUESTION, max_tokens=5, temperature=0.5, schema=form, purpose="x")
    expected = {"messages": QUESTION, "max_tokens": 5, "temperature": 0.5, "schema": form, "purpose": "x"}
    assert inner.requests[0].body == expected


def test_the_call_that_would_exceed_the_limit_is_never_sent() -> None:
    ledger = UsageLedger()
    inner = ScriptedModel().otherwise("x " * 200)
    limit = SpendingLimit(Limit(amount=2_000), ledger)
    model = MeteredChat(inner, ledger, limit=limit)
    with pytest.raises(SpendingLimitError):
        for _ in range(100):
            model.complete(QUESTION, max_tokens=300)
    spent = ledger.spent().usage
    assert spent.input_tokens + spent.output_tokens <= 2_000
    assert 2 <= len(inner.requests) == ledger.spent().calls < 20


def test_two_lines_at_once_stay_inside_the_limit_together() -> None:
    ledger = UsageLedger()
    inner = ScriptedModel().otherwise(ScriptedReply(text="x " * 300, delay_s=0.02))
    model = MeteredChat(inner, ledger, limit=SpendingLimit(Limit(amount=3_000), ledger))
    refused: list[Any] = []

    def run() -> None:
        try:
            for _ in range(20):
                model.complete(QUESTION, max_tokens=300)
        except SpendingLimitError as error:
            refused.append(error)

    threads = [threading.Thread(target=run) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(refused) == 4
    spent = ledger.spent().usage
    assert spent.input_tokens + spent.output_tokens <= 3_000


def test_the_most_that_a_request_can_take_is_more_than_its_estimate(need: Callable[..., None]) -> None:
    need("jsonschema")
    long = [{"role": "user", "content": "word " * 1000}]
    parts = [{"role": "user", "content": [{"type": "text", "text": "word " * 1000}]}]
    assert most_tokens(long, None) >= 1350 + 300
    assert most_tokens(parts, None) >= most_tokens(long, None)
    assert most_tokens(long, reply_schema({"type": "object", "title": "x" * 400})) > most_tokens(long, None) + 30
