from __future__ import annotations

from datetime import UTC, date, datetime, timedelta, timezone
from typing import Any

import pytest

from everyword.domain.scope import moment, scope
from everyword.errors import InvalidInputError

TAIPEI = timezone(timedelta(hours=8))


def test_a_date_alone_is_its_first_or_last_instant() -> None:
    assert moment(date(2026, 5, 22), name="after", end_of_day=False) == datetime(2026, 5, 22, tzinfo=UTC)
    assert moment("2026-05-22", name="before", end_of_day=True) == datetime(2026, 5, 22, 23, 59, 59, 999999, tzinfo=UTC)


def test_a_time_without_zone_is_utc_and_one_with_a_zone_keeps_it() -> None:
    assert moment("2026-05-22T10:00", name="after", end_of_day=False) == datetime(2026, 5, 22, 10, tzinfo=UTC)
    given = datetime(2026, 5, 22, 10, tzinfo=TAIPEI)
    assert moment(given, name="before", end_of_day=True) is given


@pytest.mark.parametrize("value", ["yesterday", "", "2026-13-01", "\ud800", "2026-05-22T25:00"])
def test_what_is_no_time_is_refused_by_its_name(value: str) -> None:
    with pytest.raises(InvalidInputError, match="before="):
        moment(value, name="before", end_of_day=True)


@pytest.mark.parametrize("value", [12, 3.5, True, b"2026-05-22", ["2026-05-22"]])
def test_a_time_of_another_type_is_refused(value: Any) -> None:
    with pytest.raises(InvalidInputError, match="after="):
        moment(value, name="after", end_of_day=False)


def test_no_condition_is_everything_and_an_empty_list_of_ids_is_not() -> None:
    assert scope().is_everything
    assert not scope(message_ids=[]).is_everything
    assert not scope(session_id="s1").is_everything
