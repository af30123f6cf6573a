from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

from everyword.evals.intervals import wilson
from everyword.evals.outcome import Outcome
from everyword.evals.tally import percentile, row, rows

MakeOutcome = Callable[..., Outcome]


def test_there_is_a_row_for_each_strategy_budget_and_length(outcome: MakeOutcome) -> None:
    outcomes = [
        outcome("q1", name, budget=budget, target=target)
        for target in (120_000, None, 15_000)
        for name in ("bm25", "evidence")
        for budget in (500, 1500)
    ]
    found = [(each["strategy"], each["budget"], each["length"]) for each in rows(outcomes)]
    assert found == [
        (name, budget, target)
        for name in ("bm25", "evidence")
        for budget in (500, 1500)
        for target in (None, 15_000, 120_000)
    ]


def test_the_bytes_of_a_row_are_those_of_its_strategy_and_length(outcome: MakeOutcome) -> None:
    found = rows([outcome(), outcome(target=15_000)], {("evidence", 15_000): 4_096.0})
    assert [each["bytes"] for each in found] == [None, 4_096.0]


def test_shares_have_their_wilson_interval(outcome: MakeOutcome) -> None:
    found = row([outcome(f"q{n}", share=share) for n, share in enumerate((1.0, 1.0, 0.5, 0.0))])
    assert (found["questions"], found["all_evidence"], found["evidence_share"]) == (4, 0.5, 0.625)
    assert (found["all_evidence_low"], found["all_evidence_high"]) == wilson(2, 4)


def test_the_macro_figure_is_the_mean_over_the_cases(outcome: MakeOutcome) -> None:
    outcomes = [outcome(f"q{n}", share=1.0, case="large") for n in range(3)] + [outcome(share=0.0, case="small")]
    found = row(outcomes)
    assert (found["all_evidence"], found["all_evidence_macro"]) == (0.75, 0.5)


def test_questions_without_known_evidence_are_in_no_share(outcome: MakeOutcome) -> None:
    found = row([outcome("q1"), outcome("q2", share=None, answerable=False, no_evidence=True)])
    assert (found["questions"], found["all_evidence"]) == (1, 1.0)


def test_groups_of_questions_have_their_own_shares(outcome: MakeOutcome) -> None:
    outcomes = [
        outcome("q1", kind="temporal", roles=("assistant", "user"), labels=("language:en", "overlap:none")),
        outcome("q2", kind="single", share=0.0, labels=("language:en",)),
        outcome("q3", kind="single", roles=("tool",), case="d"),
    ]
    found = row(outcomes)
    assert {name: part["all_evidence"] for name, part in found["by_kind"].items()} == {"single": 0.5, "temporal": 1.0}
    assert set(found["by_role"]) == {"assistant+user", "tool", "user"}
    assert {name: part["questions"] for name, part in found["by_label"].items()} == {
        "language:en": 2,
        "overlap:none": 1,
    }
    assert found["by_case"]["c"]["questions"] == 2
    assert found["by_kind"]["single"]["low"] == wilson(1, 2)[0]


def test_misses_are_counted_by_where_the_evidence_was_lost(outcome: MakeOutcome) -> None:
    lost = ["not packed", "not packed", "not found", None]
    found = row([outcome(f"q{n}", share=float(miss is None), miss=miss) for n, miss in enumerate(lost)])
    assert found["misses"] == {"not stored": 0, "not found": 1, "not packed": 2}


def test_answers_are_counted_apart_for_contexts_with_and_without_the_evidence(outcome: MakeOutcome) -> None:
    outcomes = [
        outcome("q1", correct=True),
        outcome("q2", correct=True),
        outcome("q3", correct=False),
        outcome("q4", share=0.5, correct=False),
        outcome("q5", share=None, answerable=False, correct=True),
        outcome("q6", failure="answer: refused"),
    ]
    found = row(outcomes)
    assert (found["accuracy"], found["judged"]) == (0.6, 5)
    assert found["accuracy_with_evidence"]["questions"] == 3
    assert found["accuracy_with_evidence"]["share"] == pytest.approx(2 / 3)
    assert found["accuracy_without_evidence"] == {
        "questions": 1, "share": 0.0, "low": wilson(0, 1)[0], "high": wilson(0, 1)[1],
    }  # fmt: skip
    assert found["failures"] == {"answer: refused": 1}


def test_without_a_judge_there_is_no_accuracy(outcome: MakeOutcome) -> None:
    found = row([outcome()])
    assert (found["accuracy"], found["accuracy_low"], found["accuracy_with_evidence"]) == (None, None, None)


def test_what_was_sent_is_the_tokens_of_contexts_and_all_calls(outcome: MakeOutcome) -> None:
    outcomes = [outcome("q1", tokens=1_000, calls=2), outcome("q2", tokens=1_400, calls=1)]
    found = row([*outcomes, outcome("q3", share=0.0, tokens=0, failure="no room")])
    assert [found[name] for name in ("tokens_mean", "tokens_sd", "tokens_max", "calls")] == [1_200, 200, 1_400, 3]
    assert found["failures"] == {"no room": 1}


def test_percentiles_are_those_of_numpy() -> None:
    times = [0.5, 1.0, 7.25, 9.0, 30.0]
    for percent in (0, 50, 95, 99, 100):
        assert percentile(times, percent) == pytest.approx(float(np.percentile(times, percent)))
    assert percentile([4.0], 95) == 4.0


def test_the_measures_of_rankings_are_means_over_the_questions_that_have_them(outcome: MakeOutcome) -> None:
    outcomes = [outcome("q1", ranked={"turn rr": 1.0, "user turn rr": 1.0}), outcome("q2", ranked={"turn rr": 0.5})]
    found = row(outcomes)
    assert found["ranked"] == {"turn rr": 0.75, "user turn rr": 1.0}
    assert found["ranked_questions"] == {"turn rr": 2, "user turn rr": 1}


@pytest.mark.parametrize(("ranks", "expected"), [([3, 9, None], 9), ([3, None, None], None), ([2, 4], 3), ([], None)])
def test_the_median_rank_is_not_known_where_most_evidence_has_none(
    outcome: MakeOutcome, ranks: list[int | None], expected: float | None
) -> None:
    outcomes = [outcome(f"q{n}", worst_rank=rank) for n, rank in enumerate(ranks)] or [outcome(share=None)]
    assert row(outcomes)["worst_rank_median"] == expected


def test_the_signal_of_no_evidence_is_caught_or_false(outcome: MakeOutcome) -> None:
    outcomes = [
        *(outcome(f"u{n}", share=None, answerable=False, no_evidence=n < 3) for n in range(4)),
        *(outcome(f"a{n}", no_evidence=n == 0) for n in range(5)),
    ]
    assert row(outcomes)["abstention"] == {"questions": 4, "caught": 0.75, "answerable": 5, "false_alarms": 0.2}


def test_without_the_signal_nothing_is_said_of_it(outcome: MakeOutcome) -> None:
    assert row([outcome(), outcome("u", share=None, answerable=False)])["abstention"] is None


def test_a_question_that_was_asked_under_five_seeds_counts_once(outcome: MakeOutcome) -> None:
    """Means of the seeds are 1, 0.5, 0.5, 0, 0.5: 0.5 with a standard deviation of 0.3536 (by hand)."""
    shares = [(1.0, 1.0), (1.0, 0.0), (0.0, 1.0), (0.0, 0.0), (1.0, 0.0)]
    outcomes = [
        outcome(f"q{n}", share=share, seed=seed) for seed, pair in enumerate(shares) for n, share in enumerate(pair)
    ]
    found = row(outcomes)
    assert (found["questions"], found["seeds"], found["all_evidence"]) == (2, 5, 0.5)
    assert found["all_evidence_sd"] == pytest.approx(0.3536, abs=1e-4)
    assert (found["all_evidence_low"], found["all_evidence_high"]) == wilson(1, 2)
