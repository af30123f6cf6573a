from __future__ import annotations

import pytest

from everyword.errors import ContextLengthExceeded, ProviderError
from everyword.lab.conversation import Conversation
from everyword.lab.engine import Settings
from everyword.lab.summarisers import ExtractiveSummariser
from everyword.lab.usage import Counted, fit, reported
from everyword.ports import LanguageModelIdentity, Reply, Usage
from everyword.testing.scripted_replies import text_of
from everyword.text.tokens import WordsCounter


class Endpoint:
    """Counts 1.2 tokens for one estimated and 3 more for each request; knows what it is sent."""

    identity = LanguageModelIdentity(name="endpoint:exact")

    def __init__(self, *, is_silent: bool = False) -> None:
        self.is_silent = is_silent
        self.sent: list[list[str]] = []

    def complete(self, messages, *, max_tokens, temperature=0.0, schema=None, purpose="chat") -> Reply:
        texts = [text_of(message["content"]) for message in messages]
        self.sent.append(texts)
        estimate = sum(map(WordsCounter().count, texts))
        found = [word for word in ("沈以寧", "20817364", "6800") if any(word in text for text in texts[:-1])]
        usage = Usage(input_tokens=round(1.2 * estimate + 3), output_tokens=5, is_estimated=self.is_silent)
        return Reply(text="、".join(found), usage=usage)


def test_the_fit_finds_what_the_endpoint_counts(talk: Conversation) -> None:
    found = reported(talk, Settings(turns=60), Endpoint(), ExtractiveSummariser(), every=10)
    assert found.ratio == pytest.approx(1.2, abs=0.001)
    assert found.overhead == pytest.approx(3, abs=3)
    assert found.model == "endpoint:exact"


def test_the_estimate_is_that_of_the_words_that_were_sent(talk: Conversation) -> None:
    endpoint = Endpoint()
    found = reported(talk, Settings(window=8192, turns=40), endpoint, ExtractiveSummariser(), every=20)
    assert [row.estimate for row in found.rows] == [sum(map(WordsCounter().count, texts)) for texts in endpoint.sent]


def test_every_so_many_turns_are_sent_and_the_last_one_with_every_probe(talk: Conversation) -> None:
    rows: list[Counted] = []
    found = reported(talk, Settings(turns=25), Endpoint(), ExtractiveSummariser(), every=10, on_row=rows.append)
    assert [(row.turn, row.probe) for row in found.rows] == [
        (10, None),
        (20, None),
        *((25, label) for label in ("姓名", "訂單編號", "預算", "收貨地址", "忌口", "發票類型")),
    ]
    assert list(found.rows) == rows
    assert (found.answered, found.asked) == (3, 6)


def test_facts_that_were_truncated_away_are_not_answered_and_pinned_ones_are(talk: Conversation) -> None:
    plain = reported(talk, Settings(window=8192), Endpoint(), ExtractiveSummariser(), every=120)
    pinned = reported(talk, Settings(window=8192, pinned=True), Endpoint(), ExtractiveSummariser(), every=120)
    assert (plain.answered, pinned.answered) == (0, 3)


def test_with_the_strategy_of_summaries_a_real_summary_is_sent(talk: Conversation) -> None:
    endpoint = Endpoint()
    reported(
        talk, Settings(strategy="summary", window=8192, ratio=0.1, turns=40), endpoint, ExtractiveSummariser(), every=40
    )
    assert "先前對話的摘要" in endpoint.sent[-1][0]


def test_what_a_strategy_cannot_send_is_not_sent(talk: Conversation) -> None:
    endpoint = Endpoint()
    found = reported(talk, Settings(strategy="full", window=8192), endpoint, ExtractiveSummariser(), every=10)
    assert [row.turn for row in found.rows] == [10]
    with pytest.raises(ContextLengthExceeded, match="context_length_exceeded") as caught:
        reported(talk, Settings(strategy="full", window=4096), endpoint, ExtractiveSummariser(), every=120)
    assert caught.value.excess == 44_334


def test_an_endpoint_that_does_not_tell_its_count_is_an_error(talk: Conversation) -> None:
    with pytest.raises(ProviderError, match="does not report"):
        reported(talk, Settings(turns=10), Endpoint(is_silent=True), ExtractiveSummariser())


def test_requests_of_one_length_give_a_ratio_alone() -> None:
    assert fit([(100, 120), (100, 120)]) == (pytest.approx(1.2), 0.0)
