from __future__ import annotations

from datetime import UTC, datetime, timedelta, timezone
from typing import Any

import pytest

from everyword.transcripts.moments import dated, moment

TAIPEI = timezone(timedelta(hours=8))


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        ("2024-05-22T22:45:00Z", datetime(2024, 5, 22, 22, 45, tzinfo=UTC)),
        ("2024-05-22T22:45:00+08:00", datetime(2024, 5, 22, 22, 45, tzinfo=TAIPEI)),
        ("2024-05-22T22:45:00", datetime(2024, 5, 22, 22, 45, tzinfo=UTC)),
        ("2024-05-22 22:45:00 UTC", datetime(2024, 5, 22, 22, 45, tzinfo=UTC)),
        ("2024-05-22", datetime(2024, 5, 22, tzinfo=UTC)),
        (1716417900, datetime(2024, 5, 22, 22, 45, tzinfo=UTC)),
        (1716417900.5, datetime(2024, 5, 22, 22, 45, 0, 500_000, tzinfo=UTC)),
        (1716417900123, datetime(2024, 5, 22, 22, 45, 0, 123_000, tzinfo=UTC)),
        ("1716417900.354069", datetime(2024, 5, 22, 22, 45, 0, 354_069, tzinfo=UTC)),
        ("1716417900123", datetime(2024, 5, 22, 22, 45, 0, 123_000, tzinfo=UTC)),
        (datetime(2024, 5, 22, 22, 45), datetime(2024, 5, 22, 22, 45, tzinfo=UTC)),
        (datetime(2024, 5, 22, 22, 45, tzinfo=TAIPEI), datetime(2024, 5, 22, 22, 45, tzinfo=TAIPEI)),
        (-86400, datetime(1969, 12, 31, tzinfo=UTC)),
    ],
)
def test_a_time_is_read_with_its_offset(given: Any, expected: datetime) -> None:
    found = moment(given)
    assert found == expected
    assert found.utcoffset() == expected.utcoffset()


@pytest.mark.parametrize(
    "given", ["yesterday", "", True, None, float("nan"), float("inf"), 0, [], 10**30, "2024-13-01"]
)
def test_what_is_not_a_time_is_refused(given: Any) -> None:
    with pytest.raises(ValueError, match="not a time"):
        moment(given)


def test_an_imported_time_that_cannot_be_read_is_kept_as_it_stands() -> None:
    assert dated("last spring") == (None, {"created_at_raw": "last spring"})
    assert dated(None) == (None, {})
