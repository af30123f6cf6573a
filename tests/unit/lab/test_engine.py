from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from everyword.errors import InvalidInputError
from everyword.lab.conversation import Conversation, conversation, script
from everyword.lab.engine import OVERHEAD, STRATEGIES, Settings, requests, run
from everyword.lab.repairs import repairs

K = 1024
GOLDEN = json.loads((Path(__file__).parents[2] / "golden/lab/settings.json").read_text("utf-8"))["settings"]


def _turns(facts: Any) -> list[int]:
    return [fact.turn for fact in facts]


@pytest.mark.parametrize(
    "row", GOLDEN, ids=lambda row: f"{row['strategy']}-{row['window']}-{row['turns']}-{row['ratio']}"
)
def test_the_engine_agrees_with_a_separate_computation(row: dict[str, Any], talk: Conversation) -> None:
    chosen = Settings(strategy=row["strategy"], window=row["window"], turns=row["turns"], ratio=row["ratio"])
    found = run(talk, chosen)
    assert {
        "inputTokens": found.request.tokens,
        "cumulativeTokens": found.cumulative_tokens,
        "kept": _turns(found.kept),
        "overflow": found.overflow,
        "untouchedFrom": found.request.first,
    } == {name: row[name] for name in ("inputTokens", "cumulativeTokens", "kept", "overflow", "untouchedFrom")}


# ---- the figures of the article ----


def test_the_script_has_48250_tokens_in_120_turns_of_402(talk: Conversation) -> None:
    assert talk.sums[-1] == 48_250
    assert talk.turns == 120
    assert round(talk.sums[-1] / talk.turns) == 402


@pytest.mark.parametrize(
    ("window", "recalls"),
    [
        (4, ("16.7", "0.0", "0.0")),
        (8, ("50.0", "0.0", "0.0")),
        (16, ("100.0", "16.7", "0.0")),
        (32, ("100.0", "100.0", "0.0")),
    ],
)
def test_the_recall_of_truncation_is_the_published_table(
    talk: Conversation, window: int, recalls: tuple[str, ...]
) -> None:
    found = [run(talk, Settings(window=window * K, turns=turns)).recall for turns in (30, 60, 120)]
    assert tuple(f"{100 * recall:.1f}" for recall in found) == recalls


@pytest.mark.parametrize(("window", "turns"), [(4, 9), (8, 19), (16, 39), (32, 77)])
def test_a_window_lasts_for_as_many_turns_as_published(talk: Conversation, window: int, turns: int) -> None:
    assert run(talk, Settings(window=window * K)).capacity_turns == turns


@pytest.mark.parametrize(
    ("turns", "kept"),
    [
        (75, [1, 3, 8, 12, 18, 24]),
        (80, [3, 8, 12, 18, 24]),
        (85, [8, 12, 18, 24]),
        (90, [8, 12, 18, 24]),
        (95, [18, 24]),
        (100, [18, 24]),
        (105, [24]),
        (110, []),
    ],
)
def test_32k_loses_the_facts_in_the_order_in_which_they_were_said(
    talk: Conversation, turns: int, kept: list[int]
) -> None:
    assert _turns(run(talk, Settings(turns=turns)).kept) == kept


@pytest.mark.parametrize(("turns", "tokens"), [(75, 30_937), (80, 32_707)])
def test_the_single_inputs_of_the_loss_table_are_the_published_ones(
    talk: Conversation, turns: int, tokens: int
) -> None:
    assert run(talk, Settings(turns=turns)).request.tokens == tokens


@pytest.mark.parametrize(
    ("chosen", "figures"),
    [
        (Settings(strategy="truncate", window=16 * K), (0.0, 16_375, 1_670_733, "4.18")),
        (Settings(strategy="truncate", window=32 * K), (0.0, 32_605, 2_687_796, "6.72")),
        (Settings(strategy="summary", window=16 * K, ratio=0.3), (1.0, 16_268, 1_675_658, "4.19")),
        (Settings(strategy="summary", window=8 * K, ratio=0.1), (1.0, 8_103, 910_716, "2.28")),
    ],
)
def test_four_ways_to_spend_are_the_published_ones(
    talk: Conversation, chosen: Settings, figures: tuple[Any, ...]
) -> None:
    found = run(talk, chosen)
    assert (found.recall, found.request.tokens, found.cumulative_tokens, f"{found.cost:.2f}") == figures


def test_the_dearest_way_costs_2_95_times_the_cheapest(talk: Conversation) -> None:
    dear = run(talk, Settings())
    cheap = run(talk, Settings(strategy="summary", window=8 * K, ratio=0.1))
    assert f"{dear.cost / cheap.cost:.2f}" == "2.95"


def test_16k_at_30_percent_compresses_228_messages(talk: Conversation) -> None:
    assert run(talk, Settings(strategy="summary", window=16 * K)).document()["compressedMessages"] == 228


def test_8k_at_30_percent_needs_14655_tokens(talk: Conversation) -> None:
    found = run(talk, Settings(strategy="summary", window=8 * K))
    assert found.request.tokens == 14_655
    assert found.overflow


def test_at_120_turns_32k_begins_with_turn_38(talk: Conversation) -> None:
    assert talk.messages[run(talk, Settings()).request.first].turn == 38


def test_4k_of_30_turns_begins_with_turn_21(talk: Conversation) -> None:
    assert talk.messages[run(talk, Settings(window=4 * K, turns=30)).request.first].turn == 21


def test_everything_in_4k_is_an_error_of_known_words_and_nothing_can_be_asked(talk: Conversation) -> None:
    found = run(talk, Settings(strategy="full", window=4 * K))
    assert found.error == {
        "code": "context_length_exceeded",
        "tokens": 48_430,
        "window": 4096,
        "excess": 44_334,
        "message": "context_length_exceeded:当前 48,430 tokens 超过窗口 4,096",
    }
    assert (found.recall, found.kept, found.document()["probeBlocked"]) == (0, (), True)


def test_the_three_ways_out_are_48k_a_summary_in_15k_and_truncation(talk: Conversation) -> None:
    found = repairs(talk, run(talk, Settings(strategy="full", window=4 * K)))
    assert [(each.name, each.settings.strategy, each.settings.window) for each in found] == [
        ("window", "full", 48 * K),
        ("summary", "summary", 15 * K),
        ("truncate", "truncate", 4 * K),
    ]


def test_another_message_makes_other_figures(talk: Conversation) -> None:
    document = talk.document()
    document["messages"][200]["text"] += "再多說五個字"
    longer = conversation(document)
    for strategy in STRATEGIES:
        chosen = Settings(strategy=strategy, window=64 * K)
        assert run(longer, chosen).request.tokens == run(talk, chosen).request.tokens + 6
        assert run(longer, chosen).cost > run(talk, chosen).cost


# ---- what the article leaves open ----


def test_a_fact_that_is_not_said_yet_counts_as_one_of_six(talk: Conversation) -> None:
    found = run(talk, Settings(turns=10))
    assert _turns(found.kept) == [1, 3, 8]
    assert found.lost == ()
    assert found.recall == 0.5


def test_one_message_longer_than_the_window_is_the_same_error(talk_of: Callable[..., Conversation]) -> None:
    talk = talk_of(10, 1000, 10, 10, facts=(2,))
    for strategy in STRATEGIES:
        found = run(talk, Settings(strategy=strategy, window=K, turns=2, ratio=0.1))
        assert found.error is not None
        assert found.error["tokens"] >= OVERHEAD + 1000
        assert found.recall == 0


def test_a_message_that_is_exactly_as_long_as_the_room_fits(talk_of: Callable[..., Conversation]) -> None:
    talk = talk_of(10, 1024 - OVERHEAD, facts=(1,))
    assert not run(talk, Settings(window=K, turns=1)).overflow
    assert run(talk, Settings(window=K - 1, turns=1)).overflow


def test_pinned_facts_bring_recall_back_to_all_and_are_counted(talk: Conversation) -> None:
    plain, pinned = run(talk, Settings()), run(talk, Settings(pinned=True))
    assert (plain.recall, pinned.recall) == (0, 1)
    assert pinned.request.pinned == sum(fact.pinned_tokens for fact in talk.facts) > 0
    verbatim = talk.sums[-1] - talk.sums[pinned.request.first]
    assert pinned.request.tokens == OVERHEAD + pinned.request.pinned + verbatim
    assert pinned.cumulative_tokens > plain.cumulative_tokens


def test_a_fact_is_pinned_from_the_turn_that_says_it(talk: Conversation) -> None:
    sent = requests(talk, Settings(pinned=True))
    grows = [turn for turn, (before, now) in enumerate(pairwise(sent), 2) if now.pinned > before.pinned]
    assert grows == [3, 8, 12, 18, 24]


def test_where_nothing_is_cut_each_request_repeats_the_one_before(talk: Conversation) -> None:
    chosen = Settings(strategy="full", window=64 * K, cached_price=0.25)
    found = run(talk, chosen)
    sent = requests(talk, chosen)
    assert [now.cached for now in sent[1:]] == [before.tokens for before in sent[:-1]]
    new = sent[-1].tokens
    assert found.cost == pytest.approx((new * 2.5 + (found.cumulative_tokens - new) * 0.25) / 1e6)


def test_truncation_repeats_no_more_than_the_system_prompt_once_the_window_is_full(talk: Conversation) -> None:
    sent = requests(talk, Settings(window=8 * K))
    assert {request.cached for before, request in pairwise(sent) if request.first != before.first} == {OVERHEAD}


def test_a_cached_price_equal_to_the_price_changes_nothing(talk: Conversation) -> None:
    found = [run(talk, Settings(cached_price=price)).cost for price in (None, 2.5)]
    assert found[0] == pytest.approx(found[1])


@pytest.mark.parametrize(
    "wrong",
    [
        {"strategy": "forget"},
        {"turns": 0},
        {"turns": 121},
        {"window": 0},
        {"ratio": 1.5},
        {"price": -1.0},
        {"price": float("nan")},
        {"cached_price": -0.1},
    ],
)
def test_settings_that_no_experiment_can_have_are_refused(talk: Conversation, wrong: dict[str, Any]) -> None:
    with pytest.raises(InvalidInputError):
        run(talk, replace(Settings(), **wrong))


# ---- properties ----

SCRIPT = script()
CHOSEN = st.builds(
    Settings,
    strategy=st.sampled_from(STRATEGIES),
    window=st.integers(1000, 70_000),
    turns=st.integers(1, 120),
    ratio=st.integers(10, 50).map(lambda percent: percent / 100),
    pinned=st.booleans(),
)


@given(CHOSEN)
def test_every_way_out_of_an_error_can_be_sent(chosen: Settings) -> None:
    found = run(SCRIPT, chosen)
    ways = repairs(SCRIPT, found)
    assert len(ways) == (3 if found.overflow else 0)
    assert not [way for way in ways if run(SCRIPT, way.settings).overflow]


@given(CHOSEN)
def test_the_cumulative_input_is_the_sum_of_the_single_ones(chosen: Settings) -> None:
    singles = [run(SCRIPT, replace(chosen, turns=turn)).request.tokens for turn in range(1, min(chosen.turns, 12) + 1)]
    assert run(SCRIPT, replace(chosen, turns=len(singles))).cumulative_tokens == sum(singles)


@given(CHOSEN)
def test_what_is_sent_fits_and_one_message_more_would_not(chosen: Settings) -> None:
    sent = requests(SCRIPT, replace(chosen, strategy="truncate"))[-1]
    if sent.tokens <= chosen.window and sent.first:
        assert sent.tokens + SCRIPT.messages[sent.first - 1].tokens > chosen.window


@given(CHOSEN)
def test_the_facts_go_in_the_order_in_which_they_were_said(chosen: Settings) -> None:
    found = run(SCRIPT, replace(chosen, strategy="truncate"))
    if not found.overflow:
        said = [fact.turn for fact in SCRIPT.facts if fact.turn <= chosen.turns]
        assert _turns(found.lost) + _turns(found.kept) == said
