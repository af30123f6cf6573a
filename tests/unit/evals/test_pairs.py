from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from itertools import product

import pytest

from everyword.evals.outcome import Outcome
from everyword.evals.pairs import mcnemar, pairs

MakeOutcome = Callable[..., Outcome]


def enumerated(only_a: int, only_b: int) -> float:
    """Count the splits of fair coins that are at least as uneven, one by one."""
    flips = only_a + only_b
    uneven = sum(abs(2 * sum(each) - flips) >= abs(only_a - only_b) for each in product((0, 1), repeat=flips))
    return float(Fraction(uneven, 2**flips))


@pytest.mark.parametrize(("only_a", "only_b"), [(a, b) for a in range(8) for b in range(8)])
def test_the_p_value_is_the_share_of_splits_that_are_as_uneven(only_a: int, only_b: int) -> None:
    assert mcnemar(only_a, only_b) == pytest.approx(enumerated(only_a, only_b))


def test_many_differing_questions_are_no_trouble() -> None:
    assert mcnemar(2_000, 0) == 0.0
    assert mcnemar(900, 900) == 1.0
    assert mcnemar(450, 380) == pytest.approx(0.0166, abs=5e-4)


def test_strategies_are_compared_on_the_questions_that_both_were_asked(outcome: MakeOutcome) -> None:
    outcomes = [
        *(outcome(f"q{n}", "evidence", 1.0) for n in range(6)),
        *(outcome(f"q{n}", "bm25", float(n == 0)) for n in range(5)),
        outcome("q9", "bm25", 1.0),
    ]
    (pair,) = pairs(outcomes)
    assert (pair.a, pair.b, pair.n, pair.only_a, pair.only_b) == ("evidence", "bm25", 5, 4, 0)
    assert pair.p == 0.125


def test_half_of_the_evidence_is_not_all_of_it(outcome: MakeOutcome) -> None:
    (pair,) = pairs([outcome("q", "evidence", 1.0), outcome("q", "bm25", 0.5)])
    assert pair.only_a == 1


def test_budgets_lengths_and_seeds_are_kept_apart(outcome: MakeOutcome) -> None:
    outcomes = [
        outcome("q", name, share, budget=budget, target=target, seed=seed)
        for budget, target in ((500, None), (1500, None), (1500, 15_000))
        for seed in (1, 2)
        for name, share in (("evidence", 1.0), ("bm25", float(seed == 1)))
    ]
    found = [(pair.budget, pair.length, pair.n, pair.only_a) for pair in pairs(outcomes)]
    assert found == [(500, None, 2, 1), (1500, None, 2, 1), (1500, 15_000, 2, 1)]


def test_questions_without_known_evidence_and_without_a_verdict_do_not_count(outcome: MakeOutcome) -> None:
    assert pairs([outcome("q", "evidence", None), outcome("q", "bm25", None)]) == []


def test_verdicts_are_compared_where_there_are_some(outcome: MakeOutcome) -> None:
    outcomes = [outcome("q", "evidence", None, correct=True), outcome("q", "bm25", None, correct=False)]
    (pair,) = pairs(outcomes)
    assert (pair.measure, pair.only_a, pair.p) == ("accuracy", 1, 1.0)


def test_a_strategy_with_a_budget_of_its_own_is_compared_at_every_budget_of_the_others(outcome: MakeOutcome) -> None:
    outcomes = [
        *(outcome("q", "evidence", 1.0, budget=budget) for budget in (500, 1500)),
        *(outcome("q", "bm25", 0.0, budget=budget) for budget in (500, 1500)),
        outcome("q", "full", 1.0, budget=650_000),
        outcome("q", "window", 0.0, budget=8_000),
    ]
    found = {(pair.a, pair.b, pair.budget, pair.only_a, pair.only_b) for pair in pairs(outcomes)}
    assert found == {
        ("evidence", "bm25", 500, 1, 0), ("evidence", "bm25", 1500, 1, 0),
        ("evidence", "full", 500, 0, 0), ("evidence", "full", 1500, 0, 0),
        ("evidence", "window", 500, 1, 0), ("evidence", "window", 1500, 1, 0),
        ("bm25", "full", 500, 0, 1), ("bm25", "full", 1500, 0, 1),
        ("bm25", "window", 500, 0, 0), ("bm25", "window", 1500, 0, 0),
        ("full", "window", 8_000, 1, 0),
    }  # fmt: skip
