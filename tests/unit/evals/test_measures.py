from __future__ import annotations

import math
from typing import Any

import ir_measures
import pytest
from hypothesis import given
from hypothesis import strategies as st
from ir_measures import RR, R, Success, nDCG

from everyword.evals import measures

RANKED = st.lists(st.integers(0, 30), unique=True, max_size=25)
RELEVANT = st.sets(st.integers(0, 30), min_size=1, max_size=8)


def by_ir_measures(ranked: list[int], relevant: set[int], measure: Any) -> float:
    run = [ir_measures.ScoredDoc("q", str(each), float(-rank)) for rank, each in enumerate(ranked)]
    qrels = [ir_measures.Qrel("q", str(each), 1) for each in relevant]
    return ir_measures.calc_aggregate([measure], qrels, run or [ir_measures.ScoredDoc("q", "none", 0.0)])[measure]


@given(RANKED, RELEVANT, st.sampled_from([1, 5, 10]))
def test_the_measures_are_those_of_ir_measures(ranked: list[int], relevant: set[int], k: int) -> None:
    assert measures.recall(ranked, relevant, k) == pytest.approx(by_ir_measures(ranked, relevant, R @ k))
    assert measures.recall_any(ranked, relevant, k) == by_ir_measures(ranked, relevant, Success @ k)
    assert measures.recall_all(ranked, relevant, k) == float(by_ir_measures(ranked, relevant, R @ k) == 1.0)
    assert measures.ndcg(ranked, relevant, k) == pytest.approx(by_ir_measures(ranked, relevant, nDCG @ k))
    assert measures.reciprocal_rank(ranked, relevant) == pytest.approx(by_ir_measures(ranked, relevant, RR))


def test_the_gain_of_longmemeval_does_not_discount_the_second_rank() -> None:
    """By hand: 1 for ranks 1 and 2, then 1 / log2(rank), of all gains divided by those of the best order."""
    assert measures.ndcg_any(["a", "b"], {"b"}, 5) == 1.0
    assert measures.ndcg_any(["x", "y", "b"], {"b"}, 5) == pytest.approx(1 / math.log2(3))
    assert measures.ndcg_any(["a", "x", "b"], {"a", "b", "c"}, 5) == pytest.approx(
        (1 + 1 / math.log2(3)) / (2 + 1 / math.log2(3))
    )
    assert measures.ndcg_any(["x"], {"b"}, 5) == 0.0


def test_a_list_of_turns_is_extended_until_it_has_k_sessions() -> None:
    """Ten turns of one session stand first, so that a cut after two turns would see one session only."""
    turns = ["far"] * 10 + ["gold", "other"]
    assert measures.ndcg_any_of_sessions(turns, {"gold"}, 1, relevant_turns=1) == 0.0
    assert measures.ndcg_any_of_sessions(turns, {"gold"}, 2, relevant_turns=1) == pytest.approx(1 / math.log2(11))
    assert measures.ndcg_any_of_sessions(turns, {"gold"}, 2, relevant_turns=3) == pytest.approx(
        (1 / math.log2(11)) / (2 + 1 / math.log2(3))
    )


def test_a_short_list_of_sessions_is_read_to_its_end() -> None:
    assert measures.ndcg_any_of_sessions(["gold"], {"gold"}, 10, relevant_turns=1) == 1.0
    assert measures.ndcg_any_of_sessions([], {"gold"}, 10, relevant_turns=1) == 0.0


def test_a_session_stands_where_its_best_turn_stands() -> None:
    assert measures.distinct(["b", "a", "b", "c", "a"]) == ["b", "a", "c"]


def test_a_question_that_needs_several_pieces_is_as_good_as_the_worst_of_them() -> None:
    assert measures.worst_rank([3, 1_040, 6]) == 1_040
    assert measures.worst_rank([3, None]) is None
    assert measures.worst_rank([]) is None
