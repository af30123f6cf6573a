from __future__ import annotations

import math
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from everyword.errors import InvalidInputError
from everyword.routing.costs import Terms, Upkeep, break_even, retrieving, stuffing

TERMS = Terms(corpus_tokens=1_000_000, price_per_million=3.0, queries_a_month=100, upkeep_a_month=10.0)


def test_the_three_accounts_of_a_month() -> None:
    stuffed, retrieved = stuffing(TERMS), retrieving(replace(TERMS, changed_share_a_month=0.5))
    assert (stuffed.tokens, stuffed.index, stuffed.upkeep) == (300.0, 0.0, 0.0)
    assert retrieved.tokens == pytest.approx(100 * 0.0045)
    assert retrieved.index == pytest.approx(1.02 / 12 + 0.51)
    assert retrieved.upkeep == 10.0


def test_the_break_even_is_that_of_the_closed_form() -> None:
    assert break_even(TERMS) == pytest.approx((1.02 / 12 + 10) / (998_500 * 3 / 1e6), rel=1e-9)


@given(
    corpus=st.integers(2_000, 10**9),
    price=st.floats(0.01, 100),
    upkeep=st.floats(0, 10_000),
    changed=st.floats(0, 30),
)
def test_at_the_break_even_both_ways_cost_the_same(corpus: int, price: float, upkeep: float, changed: float) -> None:
    terms = Terms(corpus_tokens=corpus, price_per_million=price, upkeep_a_month=upkeep, changed_share_a_month=changed)
    at = replace(terms, queries_a_month=break_even(terms))
    stuffed, retrieved = stuffing(at), retrieving(at)
    assert stuffed.tokens == pytest.approx(retrieved.tokens + retrieved.index + retrieved.upkeep, rel=0.01)


def test_the_line_moves_the_right_way() -> None:
    assert break_even(replace(TERMS, price_per_million=6.0)) < break_even(TERMS)
    assert break_even(replace(TERMS, corpus_tokens=4_000_000)) < break_even(TERMS)
    assert break_even(replace(TERMS, evidence_tokens=500_000)) > break_even(TERMS)
    assert break_even(replace(TERMS, changed_share_a_month=30)) > break_even(TERMS)


def test_where_a_question_saves_nothing_an_index_never_pays() -> None:
    assert break_even(replace(TERMS, corpus_tokens=1_000)) == math.inf


def test_upkeep_has_four_parts() -> None:
    assert Upkeep(extraction=1, merging=2, review=3, caps=4).total == 10


@pytest.mark.parametrize("wrong", [{"months": 0}, {"price_per_million": -1.0}])
def test_numbers_below_zero_are_told(wrong: dict[str, float]) -> None:
    with pytest.raises(InvalidInputError, match=next(iter(wrong))):
        break_even(replace(TERMS, **wrong))  # type: ignore[arg-type]
