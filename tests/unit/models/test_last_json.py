from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from everyword.models.last_json import last_fitting, values

SCALARS = st.none() | st.booleans() | st.integers() | st.text()
CONTAINERS = st.recursive(
    st.lists(SCALARS, max_size=3) | st.dictionaries(st.text(), SCALARS, max_size=3),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=6,
)
PROSE = st.text(st.characters(exclude_characters="{[\"']}"), max_size=40)


def with_a(value: Any) -> Any:
    if not isinstance(value, dict) or "a" not in value:
        raise ValueError(f"no a in {value}")
    return value["a"]


def test_the_correction_after_the_first_answer_wins() -> None:
    said = '{"a": 1}\n\nWait, the second one is older. Corrected output:\n```json\n{"a": 2}\n```\nDone.'
    assert last_fitting(said, with_a) == 2


def test_a_later_value_that_does_not_fit_does_not_win() -> None:
    assert last_fitting('{"a": 1} I left out {"b": 3} on purpose, see [4].', with_a) == 1


def test_an_inner_value_is_no_value_of_its_own() -> None:
    assert list(values('so: {"x": {"a": 1}, "y": [{"a": 2}]}.')) == [{"x": {"a": 1}, "y": [{"a": 2}]}]


@pytest.mark.parametrize("said", ['{"items": [{"a": 1}, {"a": 2}', '{"x": {"a": 1}', '[{"a": 1}, {"a": "cut o'])
def test_what_lies_inside_a_value_that_was_cut_off_is_not_taken_for_the_whole(said: str) -> None:
    assert list(values(said)) == []


def test_a_stray_bracket_before_the_value_does_no_harm() -> None:
    assert list(values('f(x) = {x | x > 0} and [1, 2), so {"a": 1}')) == [{"a": 1}]


def test_a_reply_that_is_one_value_may_be_any_value() -> None:
    assert [list(values(said)) for said in ('"yes"', " 7\n", "null", "yes")] == [["yes"], [7], [None], []]


@pytest.mark.parametrize("said", ["", "no JSON at all", "{'a': 1}", '{"a": NaN}', '{"a": }'])
def test_without_a_value_the_error_says_so(said: str) -> None:
    with pytest.raises(ValueError, match="no complete JSON value"):
        last_fitting(said, with_a)


def test_the_mistake_that_is_told_is_that_of_the_last_value() -> None:
    with pytest.raises(ValueError, match="'c'"):
        last_fitting('{"b": 1} or {"c": 1}', with_a)


@pytest.mark.parametrize("said", ["[" * 50_000, '{"a":' * 50_000, "[1" * 20_000 + "x"])
def test_a_text_of_brackets_ends_soon_and_without_an_error_of_its_own(said: str) -> None:
    assert list(values(said)) == []


@given(CONTAINERS, CONTAINERS, PROSE, PROSE, PROSE)
def test_every_value_is_found_in_order_whatever_stands_around_it(
    first: Any, second: Any, before: str, between: str, after: str
) -> None:
    said = f"{before}:{json.dumps(first)} {between} {json.dumps(second, ensure_ascii=False)}{after}."
    assert list(values(said)) == [first, second]
