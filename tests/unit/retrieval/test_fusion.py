from __future__ import annotations

import numpy as np
import pytest

from everyword.retrieval.fusion import ranks, reciprocal_ranks, standard_scores

NAN = float("nan")


def scores(*values: float) -> np.ndarray:
    return np.array(values, dtype=np.float64)


def test_the_highest_score_has_rank_one_and_ties_keep_their_order() -> None:
    assert ranks(scores(0.2, 0.9, 0.2, -6.5)).tolist() == [2, 1, 3, 4]


def test_what_a_channel_does_not_know_has_no_rank() -> None:
    assert ranks(scores(NAN, 3, NAN, 5)).tolist() == pytest.approx([NAN, 2, NAN, 1], nan_ok=True)


def test_ranks_6_and_1040_give_the_published_sum() -> None:
    lexical, dense = np.zeros(1100), np.zeros(1100)
    lexical[500], lexical[:5] = 1.0, 2.0
    dense[500], dense[:39], dense[39:500], dense[501:1079] = 1.0, 2.0, 2.0, 0.5
    dense[501:1040] = 2.0
    assert ranks(lexical)[500] == 6
    assert ranks(dense)[500] == 1040
    assert reciprocal_ranks([lexical, dense])[500] == pytest.approx(1 / 66 + 1 / 1100)
    assert reciprocal_ranks([lexical, dense])[500] == pytest.approx(0.01606, abs=5e-6)


def test_a_candidate_of_one_channel_has_that_channel_only() -> None:
    fused = reciprocal_ranks([scores(9, NAN, NAN), scores(NAN, 0.1, NAN)])
    assert fused[:2].tolist() == pytest.approx([1 / 61, 1 / 61])
    assert np.isnan(fused[2])


def test_a_channel_that_knows_nothing_changes_nothing() -> None:
    known = scores(3, 1, 2)
    silent = np.full(3, NAN)
    assert reciprocal_ranks([known, silent]).tolist() == reciprocal_ranks([known]).tolist()
    assert standard_scores(silent).tolist() == [0, 0, 0]


def test_standard_scores_have_mean_nought_and_spread_one() -> None:
    standard = standard_scores(scores(1, 2, 3, 6))
    assert standard.mean() == pytest.approx(0)
    assert standard.std() == pytest.approx(1)


def test_the_unknown_stand_with_the_worst() -> None:
    standard = standard_scores(scores(1, NAN, 3))
    assert standard[1] == standard[0] < standard[2]


def test_equal_scores_say_nothing() -> None:
    assert standard_scores(scores(0.1, 0.1, NAN, 0.1)).tolist() == [0, 0, 0, 0]


def test_no_candidates_are_no_error() -> None:
    assert len(reciprocal_ranks([scores(), scores()])) == len(standard_scores(scores())) == len(ranks(scores())) == 0
