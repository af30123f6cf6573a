from __future__ import annotations

import pytest

from everyword.evals.report.figure import Figure, figure
from everyword.evals.report.numerals import interval, milliseconds, octets, percent, points, probability, short, tokens
from everyword.evals.report.support import holm, leader


def test_holm_corrects_as_the_textbook_example() -> None:
    assert holm([0.01, 0.04, 0.03, 0.005]) == pytest.approx([0.03, 0.06, 0.06, 0.02])
    assert holm([0.6, None, 0.7]) == [1.0, None, 1.0]
    assert holm([]) == []


def test_a_leader_must_be_supported_against_each_other() -> None:
    figures = {"a": figure(0.9, 100), "b": figure(0.8, 100), "c": figure(0.2, 100)}
    p = {frozenset("ab"): 0.01}
    assert leader(figures, lambda one, other: p.get(frozenset((one, other)))) == "a"
    assert leader(figures, lambda one, other: None) is None


def test_a_figure_that_was_not_measured_is_no_rival() -> None:
    figures = {"a": figure(0.9, 100), "b": figure(0.3, 100), "c": Figure(value=None)}
    assert leader(figures, lambda one, other: None) == "a"


def test_a_figure_without_questions_is_not_known() -> None:
    assert not figure(0.5, 0).known
    assert not figure(float("nan"), 10).known
    assert not figure(True, 10).known


def test_an_interval_that_was_not_given_is_computed() -> None:
    assert interval(figure(0.84, 25)) == "65.3–93.6"


@pytest.mark.parametrize(
    ("value", "said"),
    [
        (0, "0"),
        (1500, "1,500"),
        (9_999, "9,999"),
        (15_000, "15 K"),
        (120_000, "120 K"),
        (1_200_000, "1.2 M"),
        (12_000_000, "12 M"),
        (999_960, "1 M"),
        (None, "–"),
    ],
)
def test_tokens_are_short_where_that_loses_nothing_that_matters(value: float | None, said: str) -> None:
    assert tokens(value) == said


def test_numbers_are_written_as_people_read_them() -> None:
    assert short(18_234) == "18.2 K"
    assert percent(0.8415) == "84.2"
    assert (points(-0.042), points(0.1), points(-0.0001)) == ("−4.2", "+10.0", "0.0")
    assert (milliseconds(0.456), milliseconds(31.26), milliseconds(412.7), milliseconds(12_345.6)) == (
        "0.46",
        "31.3",
        "413",
        "12,346",
    )
    assert (octets(512), octets(1_480_000), octets(None)) == ("512 B", "1.48 MB", "–")
    assert (probability(0.00004), probability(0.00123), probability(0.0412), probability(1.0), probability(None)) == (
        "< 0.0001",
        "0.0012",
        "0.041",
        "1",
        "–",
    )
