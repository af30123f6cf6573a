from __future__ import annotations

import pytest

from everyword.errors import InvalidInputError
from everyword.evals.arms import LONG_CONTEXT, arm, arms, conditions, estimated
from everyword.strategies.catalogue import STRATEGIES


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("bm25", ("bm25", None)),
        (" evidence ", ("evidence", None)),
        ("window", ("window", None)),
        ("window@500000", ("window", 500_000)),
        ("window@500_000", ("window", 500_000)),
        ("window@500k", ("window", 500_000)),
        ("window@1.2M", ("window", 1_200_000)),
        ("window:20", ("window:20", None)),
        ("window:20@8K", ("window:20", 8_000)),
        ("window@1Mreal", ("window", 650_000)),
        ("full", ("full", 650_000)),
        ("full@128000", ("full", 128_000)),
        ("mem0@8000", ("mem0", 8_000)),
        ("chroma", ("chroma", None)),
    ],
)
def test_an_arm_is_a_name_and_its_budget(text: str, found: tuple[str, int | None]) -> None:
    assert arm(text) == found


def test_all_are_the_whole_catalogue_and_may_have_company() -> None:
    assert [name for name, _ in arms("all")] == list(STRATEGIES)
    assert [name for name, _ in arms("window@8k,all")] == ["window", *STRATEGIES]


@pytest.mark.parametrize(
    "text", ["", "@500", "window@", "window@big", "bm25@0", "bm25@0.5", "bm25 @500", "a@b@c", "bm25@-5", "bm25@5G"]
)
def test_what_is_no_arm_is_refused(text: str) -> None:
    with pytest.raises(InvalidInputError, match=r"budget"):
        arm(text)


def test_an_unknown_name_is_answered_with_the_strategies_and_the_systems() -> None:
    with pytest.raises(InvalidInputError, match="'guess'") as caught:
        arm("guess@500")
    assert all(name in str(caught.value) for name in [*STRATEGIES, "mem0", "chroma", "words"])
    with pytest.raises(InvalidInputError, match="window:20"):
        arm("window:none")


def test_arms_keep_their_order_and_stand_once() -> None:
    assert arms("evidence, bm25,window@1k,evidence,window@2k,") == [
        ("evidence", None),
        ("bm25", None),
        ("window", 1000),
        ("window", 2000),
    ]
    with pytest.raises(InvalidInputError, match="bm25,evidence"):
        arms(" , ")


def test_an_arm_without_a_budget_runs_at_each_of_the_common_ones() -> None:
    chosen = arms("bm25,window@500k,full,bm25@8000")
    assert conditions(chosen, [1500, 8000]) == [
        ("bm25", 1500),
        ("bm25", 8000),
        ("window", 500_000),
        ("full", LONG_CONTEXT),
    ]


def test_a_window_of_a_million_real_tokens_takes_650_thousand_estimated_ones() -> None:
    assert estimated(1_000_000) == LONG_CONTEXT == 650_000
    assert LONG_CONTEXT * 1.35 <= 877_500
    assert estimated(200_000) == 130_000
    assert estimated(8_192) == 5_339
    for window in (10, 4_096, 128_000, 400_000, 2_000_000):
        assert estimated(window) * 1.35 <= 0.88 * window
