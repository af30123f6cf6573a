from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from everyword.evals.quantities import quantities


def read(text: str) -> list[tuple[float, str | None]]:
    return [(each.value, each.unit) for each in quantities(text)]


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("3 days", [(3, "day")]),
        ("twenty-one weeks", [(21, "week")]),
        ("two hundred and five", [(205, None)]),
        ("one thousand two hundred", [(1200, None)]),
        ("$1,234.50", [(1234.5, "dollar")]),
        ("1.5k dollars", [(1500, "dollar")]),
        ("12 % of 40", [(12, "percent"), (40, None)]),
        ("twice", [(2, "time")]),
        ("6 months and 2 days", [(6, "month"), (2, "day")]),
        ("三十七枚", [(37, None)]),
        ("两个月", [(2, "month")]),
        ("兩百零五元", [(205, "yuan")]),
        ("一万两千人", [(12_000, None)]),
        ("12万元", [(120_000, "yuan")]),
        ("十天", [(10, "day")]),
        ("第三次", []),
        ("第 3 次", []),
        ("３ 天", [(3, "day")]),
        ("a dozen, mostly", []),
        ("someone", []),
        ("三星的手機", []),
        ("7 million", [(7_000_000, None)]),
    ],
)
def test_quantities_are_read_with_their_units(text: str, found: list[tuple[float, str | None]]) -> None:
    assert read(text) == found


@pytest.mark.parametrize("text", ["2 or 3", "2-3 days", "two to three", "between 2 and 3", "2 到 3 天", "兩個或三個"])
def test_a_choice_and_a_range_are_hedged(text: str) -> None:
    assert [each.is_hedged for each in quantities(text)] == [True, True]


@pytest.mark.parametrize("text", ["2 and 3", "2, then 3", "2 in May, 3 in June"])
def test_a_list_is_not(text: str) -> None:
    assert [each.is_hedged for each in quantities(text)] == [False, False]


def test_an_unknown_unit_is_any_unit_and_two_units_are_not_the_same() -> None:
    three, days, weeks = (quantities(text)[0] for text in ("3", "3 days", "3 weeks"))
    assert three.is_same(days)
    assert not days.is_same(weeks)
    assert days.is_same(quantities("4 days")[0], within=1)


@given(st.integers(0, 10**6))
def test_any_number_is_read_with_and_without_commas(number: int) -> None:
    assert read(f"It was {number} in all.") == read(f"It was {number:,} in all.") == [(number, None)]


@given(st.text())
def test_any_text_can_be_read(text: str) -> None:
    assert all(each.start < each.end for each in quantities(text))
