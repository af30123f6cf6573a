from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest

from everyword.domain.account import PromptRecord, Verified, percentile
from everyword.domain.context import Context
from everyword.domain.health import Health
from everyword.packing.health import Findings, doubled, examined
from everyword.packing.packer import Item, pack
from everyword.testing.drafts import START

NOW = START + timedelta(days=10)
STATS = {
    "pending_passages": 0,
    "passages": 40,
    "vector_failure": None,
    "claims": {"extractor": "rules-3", "waiting": 0, "failed": {}},
}


@pytest.fixture
def context(said: Any, whole: Any, frame: Any) -> Callable[..., Context]:
    def made(*texts: str) -> Context:
        items = [
            Item.of(rank=n, score=1 / n, evidence=(whole(said(text, seq=n), rank=n),))
            for n, text in enumerate(texts, 1)
        ]
        return replace(pack(items, frame()), asked_at=NOW)

    return made


def record(**fields: Any) -> PromptRecord:
    given: dict[str, Any] = {"at": NOW, "budget": 1_000, "tokens": 100, "ledger": {"system": 40, "evidence": 60}}
    return PromptRecord(**{**given, "kept": 1.0, "common": 0.5, "flushed": 0, **fields})


def health(**fields: Any) -> Health:
    given: dict[str, Any] = {"contexts": (), "records": (), "stats": STATS, "claims": (), "waiting_since": None}
    verified = Verified(at=NOW - timedelta(days=3), problems=0)
    return examined("ana", Findings(**{**given, "verified": verified, "now": NOW, **fields}))


def test_a_memory_without_anything_wrong_is_well() -> None:
    found = health(records=[record(answer=50)] * 10)
    assert found.ok
    assert [figure.name for figure in found.figures if figure.is_bad] == []
    assert found.figure("prompt by source").value == {"evidence": 0.6, "system": 0.4}
    assert found.figure("last verify").shown == "3 days ago: all well"


def test_nothing_is_told_of_a_memory_that_never_answered() -> None:
    found = health(verified=None)
    assert [figure.name for figure in found.figures if figure.is_bad] == ["last verify"]
    assert found.figure("prompt by source").value is found.figure("prefix kept").value is None


@pytest.mark.parametrize(
    ("name", "fields"),
    [
        ("prompt by source", {"records": [record(ledger={"system": 30, "tools": 30, "evidence": 40})]}),
        ("tokens, P99", {"records": [record(flushed=2), record(), record(flushed=4)]}),
        ("prefix kept", {"records": [record(kept=None), record(kept=0.9), record(kept=0.98)]}),
        ("input share", {"records": [record(tokens=960, answer=40)] * 5}),
        ("index lag", {"stats": {**STATS, "pending_passages": 3}}),
        ("claims failed", {"stats": {**STATS, "claims": {**STATS["claims"], "failed": {"RefusedError": 2}}}}),  # type: ignore[dict-item]
        ("claims waiting", {"stats": {**STATS, "claims": {"extractor": "chat:m", "waiting": 2, "failed": {}}}}),
        ("last verify", {"verified": Verified(at=NOW - timedelta(days=31), problems=0)}),
        ("last verify", {"verified": Verified(at=NOW, problems=1)}),
    ],
)
def test_a_figure_that_is_bad_says_what_helps(name: str, fields: dict[str, Any]) -> None:
    found = health(**fields)
    assert [figure.name for figure in found.figures if figure.remedy] == [name]
    assert not found.ok


def test_input_is_judged_by_all_answers_that_are_known() -> None:
    found = health(records=[*[record(tokens=950, answer=50)] * 5, *[record(tokens=9_000)] * 20])
    assert found.figure("input share").value == pytest.approx(0.95)
    assert health(records=[record(tokens=950, answer=50)] * 4).figure("input share").value is None


def test_rules_read_what_waits_when_they_are_asked() -> None:
    stats = {**STATS, "claims": {"extractor": "rules-3", "waiting": 9, "failed": {}}}
    assert health(stats=stats, waiting_since=NOW - timedelta(days=4)).ok


def test_what_is_said_twice_is_counted_once(context: Callable[..., Context]) -> None:
    assert doubled(context("I have 37 old coins.", "The garden needs water.", "I have 37 old coins!")) == 1
    assert doubled(context("I have 37 old coins.", "I have 38 old coins in two boxes.")) == 0
    assert doubled(context("我有三十七枚舊硬幣。", "我有三十七枚舊硬幣！", "花園需要澆水。")) == 1


def test_the_share_of_duplicates_is_over_all_packed_messages(context: Callable[..., Context]) -> None:
    found = health(contexts=[context("The boat left.", "The boat left!", "It rained."), context("The cat slept.")])
    assert found.figure("duplicates").value == 0.25
    assert found.figure("duplicates").is_bad


def test_the_age_of_evidence_is_that_of_its_messages_when_it_was_asked_for(context: Callable[..., Context]) -> None:
    age = health(contexts=[context("The boat left.")]).figure("age of evidence")
    assert age.value == pytest.approx(10, abs=0.01)
    assert age.shown == "10 days in the middle, 10 days at most"


def test_the_99th_percentile_is_a_value_that_was_there() -> None:
    assert percentile(list(range(1, 201)), 0.99) == 198
    assert percentile([7], 0.99) == 7
    assert percentile([], 0.99) == 0
