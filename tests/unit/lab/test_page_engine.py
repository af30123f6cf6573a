"""The page's engine: the same figures as the Python one, and self-tests that notice what is broken."""

from __future__ import annotations

import json
import random
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from everyword.lab.conversation import Conversation
from everyword.lab.engine import STRATEGIES, Settings, requests, run
from everyword.lab.join import bundle
from everyword.lab.repairs import repairs
from everyword.text.tokens import WordsCounter

GOLDEN = json.loads((Path(__file__).parents[2] / "golden/lab/settings.json").read_text("utf-8"))["settings"]


def _named(settings: Settings) -> dict[str, Any]:
    return {
        "strategy": settings.strategy,
        "window": settings.window,
        "turns": settings.turns,
        "ratio": settings.ratio,
        "price": settings.price,
        "cachedPrice": settings.cached_price,
        "pinned": settings.pinned,
    }


def test_the_page_agrees_with_a_separate_computation(page: Any) -> None:
    wanted = ("inputTokens", "cumulativeTokens", "overflow", "untouchedFrom")
    for row in GOLDEN:
        settings = {**_named(Settings()), **{name: row[name] for name in ("strategy", "window", "turns", "ratio")}}
        found = page("$engine.run(talk, settings)", settings=settings)
        assert {name: found[name] for name in wanted} == {name: row[name] for name in wanted}
        assert [fact["turn"] for fact in found["keptFacts"]] == row["kept"]


def test_the_page_and_the_command_line_agree_on_a_thousand_random_settings(page: Any, talk: Conversation) -> None:
    dice = random.Random(4)
    for _ in range(1000):
        chosen = Settings(
            strategy=dice.choice(STRATEGIES),
            window=dice.randint(300, 70_000),
            turns=dice.randint(1, 120),
            ratio=dice.randint(0, 100) / 100,
            price=dice.choice([0.15, 2.5, 3]),
            cached_price=dice.choice([None, 0.25]),
            pinned=dice.random() < 0.5,
        )
        assert page("$engine.run(talk, settings)", settings=_named(chosen)) == run(talk, chosen).document()


def test_the_page_and_the_command_line_offer_the_same_ways_out(page: Any, talk: Conversation) -> None:
    dice = random.Random(5)
    for _ in range(100):
        chosen = Settings(
            strategy=dice.choice(STRATEGIES), window=dice.randint(300, 9000), turns=dice.randint(1, 120), ratio=0.3
        )
        offered = page("$repairs.repairs(talk, $engine.run(talk, settings), settings)", settings=_named(chosen))
        assert offered == [each.document() for each in repairs(talk, run(talk, chosen))]


def test_the_curves_hold_what_a_run_of_each_turn_says(page: Any, talk: Conversation) -> None:
    for strategy in STRATEGIES:
        chosen = Settings(strategy=strategy, window=8192, ratio=0.1, cached_price=1.0)
        points = page("$engine.series(talk, settings)", settings=_named(chosen))
        assert [point["tokens"] for point in points] == [request.tokens for request in requests(talk, chosen)]
        for turn in (1, 19, 20, 60, 120):
            found = run(talk, Settings(strategy=strategy, window=8192, ratio=0.1, cached_price=1.0, turns=turn))
            point = points[turn - 1]
            assert (point["recall"], point["overflow"]) == (found.recall, found.overflow)
            assert point["cost"] == pytest.approx(found.cost)


# ---- the estimate ----


@pytest.mark.parametrize(
    ("text", "tokens"),
    [("你好", 2), ("hello world", 2), ("12345", 2), ("，。", 0.5), (" \t\n", 0), ("", 0), ("A1 b_2", 4.25)],
)
def test_the_rule_of_thumb_is_the_published_one(page: Any, text: str, tokens: float) -> None:
    assert page("$estimator.measure(text)", text=text) == tokens
    assert WordsCounter().measure(text) == tokens


MIXED = st.text(
    st.one_of(
        st.characters(codec="utf-8", max_codepoint=0x2FFF, exclude_categories=("Cn", "Co")),
        st.characters(min_codepoint=0x3000, max_codepoint=0xD7FF, exclude_categories=("Cn", "Co")),
        st.sampled_from("你好訂單編號，。「」 \u3000\x1c\x85\ufeff\u200b0123４５abcé́_-²½Ⅷ한글カナ𠀋🙂"),
    )
)


@given(text=MIXED)
def test_the_page_counts_any_text_as_the_command_line_does(page: Any, text: str) -> None:
    assert page("$estimator.measure(text)", text=text) == WordsCounter().measure(text)


# ---- the self-test ----

BROKEN = {
    "capacity": ("return turn - 1;", "return turn;"),
    "order": ("fact.position >= request.first", "fact.position > request.first"),
    "summary": ('settings.strategy !== "truncate" || settings.pinned', "settings.pinned"),
    "recall": ("recall: shareOf(talk, kept),\n    keptFacts", "recall: kept.length / said.length,\n    keptFacts"),
    "cumulative": (
        "cumulativeTokens: total(sent, (request) => request.tokens)",
        "cumulativeTokens: last.tokens * sent.length",
    ),
    "cost": (
        "return (tokens * settings.price) / MILLION",
        "return Math.round((tokens * settings.price) / 10000) / 100",
    ),
    "error": ("excess: tokens - window", "excess: tokens"),
    "protection": ("const kept = overflow ? [] : said.filter", "const kept = said.filter"),
    "reset": (
        "function reset(talk) {\n  return start(talk);",
        "function reset(talk) {\n  return change(talk, start(talk), { turns: 10 });",
    ),
}


def test_all_nine_assertions_hold(page: Any) -> None:
    assert page("$selftest.selfTest(talk)") == {"pass": 9, "total": 9, "failures": []}


@pytest.mark.parametrize("name", BROKEN)
def test_a_broken_engine_makes_exactly_its_own_assertion_fail(
    name: str, page_of: Callable[[str], Any], talk: Conversation
) -> None:
    before, after = BROKEN[name]
    source = bundle("selftest")
    assert source.count(before) == 1
    broken = page_of(source.replace(before, after))
    broken.let("talk", "$engine.prepare(document)", document=talk.document())
    assert broken("$selftest.selfTest(talk)") == {"pass": 8, "total": 9, "failures": [name]}


def test_there_is_a_broken_engine_for_each_assertion(page: Any) -> None:
    assert page("$selftest.NAMES") == list(BROKEN)


def test_the_nine_assertions_hold_beside_a_conversation_of_one_message(page: Any) -> None:
    single = {"title": "", "language": "", "messages": [{"turn": 1, "role": "user", "text": "字" * 9000}], "facts": []}
    assert page("$selftest.selfTest($engine.prepare(single))", single=single)["failures"] == []


# ---- the state ----


def test_an_error_keeps_the_last_result_that_could_be_sent(page: Any) -> None:
    page.let("first", "$state.change(talk, $state.start(talk), { window: 4096, turns: 30 })")
    page.let("failed", '$state.change(talk, first, { strategy: "full", turns: 120 })')
    assert page("failed.result.overflow")
    assert page("failed.result.recall") == 0
    assert page("failed.good") == page("first.good")
    assert page("failed.good.settings.turns") == 30


@pytest.mark.parametrize(
    ("wanted", "kept"),
    [
        ({"window": 100}, {"window": 1024}),
        ({"window": 10**9}, {"window": 128 * 1024}),
        ({"window": "abc"}, {"window": 32_768}),
        ({"turns": 3}, {"turns": 10}),
        ({"turns": 500}, {"turns": 120}),
        ({"ratio": 0.01}, {"ratio": 0.1}),
        ({"ratio": 90}, {"ratio": 0.5}),
        ({"ratio": 30}, {"ratio": 0.3}),
        ({"price": -2}, {"price": 0}),
        ({"price": ""}, {"price": 2.5}),
        ({"cachedPrice": "0.25"}, {"cachedPrice": 0.25}),
        ({"cachedPrice": ""}, {"cachedPrice": None}),
        ({"strategy": "forget"}, {"strategy": "truncate"}),
    ],
)
def test_what_is_out_of_range_is_brought_into_it(page: Any, wanted: dict[str, Any], kept: dict[str, Any]) -> None:
    found = page("$state.clamp(talk, wanted)", wanted=wanted)
    assert {name: found[name] for name in kept} == kept


def test_a_page_over_a_huge_message_starts_with_a_window_that_holds_it(page: Any) -> None:
    huge = {"title": "", "language": "", "messages": [{"turn": 1, "role": "user", "text": "字" * 200_000}], "facts": []}
    page.let("huge", "$engine.prepare(document)", document=huge)
    assert not page("$state.start(huge).result.overflow")
    assert page("$state.limits(huge).window[1]") >= 200_180
