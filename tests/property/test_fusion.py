from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from everyword.evals.intervals import wilson
from everyword.retrieval.fusion import ranks, reciprocal_ranks, standard_scores

NAN = float("nan")


@st.composite
def channels(draw: st.DrawFn) -> list[np.ndarray]:
    """Channels over the same candidates; within one no two scores are equal, and some are not known."""
    count = draw(st.integers(1, 12))
    score = st.integers(-1000, 1000).map(float)
    made = []
    for _ in range(draw(st.integers(1, 3))):
        values = np.array(draw(st.lists(score, min_size=count, max_size=count, unique=True)))
        unknown = draw(st.lists(st.booleans(), min_size=count, max_size=count))
        made.append(np.where(unknown, NAN, values))
    return made


def same(left: np.ndarray, right: np.ndarray) -> bool:
    return bool(np.allclose(left, right, rtol=1e-6, atol=1e-9, equal_nan=True))


@settings(max_examples=50)
@given(channels(), st.randoms(use_true_random=False))
def test_candidates_in_another_order_get_the_same_scores(given_channels: list[np.ndarray], random: object) -> None:
    order = list(range(len(given_channels[0])))
    random.shuffle(order)  # type: ignore[attr-defined]
    moved = [channel[order] for channel in given_channels]
    assert same(reciprocal_ranks(moved), reciprocal_ranks(given_channels)[order])
    for before, after in zip(given_channels, moved, strict=True):
        assert same(ranks(after), ranks(before)[order])
        assert same(standard_scores(after), standard_scores(before)[order])


@settings(max_examples=50)
@given(channels(), st.floats(1e-9, 1e9), st.integers(-1000, 1000))
def test_a_channel_in_another_unit_changes_nothing(given_channels: list[np.ndarray], unit: float, zero: int) -> None:
    scaled = [given_channels[0] * unit, *given_channels[1:]]
    assert same(reciprocal_ranks(scaled), reciprocal_ranks(given_channels))
    assert same(standard_scores(scaled[0]), standard_scores(given_channels[0]))
    moved = given_channels[0] + zero
    assert same(ranks(moved), ranks(given_channels[0]))
    assert same(standard_scores(moved), standard_scores(given_channels[0]))


@settings(max_examples=50)
@given(channels())
def test_what_any_channel_knows_has_a_score_and_nothing_else_has(given_channels: list[np.ndarray]) -> None:
    known = np.any([~np.isnan(channel) for channel in given_channels], axis=0)
    assert (~np.isnan(reciprocal_ranks(given_channels)) == known).all()
    for channel in given_channels:
        placed = ranks(channel)
        assert sorted(placed[~np.isnan(placed)]) == list(range(1, int((~np.isnan(channel)).sum()) + 1))
        assert not np.isnan(standard_scores(channel)).any()


@settings(max_examples=50)
@given(channels())
def test_a_better_rank_in_every_channel_is_a_better_rank(given_channels: list[np.ndarray]) -> None:
    every = np.array([ranks(channel) for channel in given_channels])
    fused = reciprocal_ranks(given_channels)
    for left in range(every.shape[1]):
        for right in range(every.shape[1]):
            if (every[:, left] < every[:, right]).all():
                assert fused[left] > fused[right]


@given(st.integers(0, 200), st.integers(0, 200))
def test_a_share_lies_in_its_interval(successes: int, failures: int) -> None:
    trials = successes + failures
    low, high = wilson(successes, trials)
    assert 0.0 <= low <= high <= 1.0
    if trials:
        assert low - 1e-12 <= successes / trials <= high + 1e-12
        mirrored = wilson(failures, trials)
        assert (1 - high, 1 - low) == pytest.approx(mirrored)
