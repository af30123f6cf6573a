from __future__ import annotations

from datetime import UTC, datetime, timedelta
from email.utils import format_datetime

import pytest

from everyword.models.retries import Retries, retry_after_s


def test_waits_double_up_to_the_longest() -> None:
    retries = Retries(first_s=0.5, longest_s=4.0)
    waits = [retries.wait_s(attempt, None) for attempt in range(6)]
    for wait, most in zip(waits, [0.5, 1.0, 2.0, 4.0, 4.0, 4.0], strict=True):
        assert 0.75 * most <= wait <= most


def test_two_that_wait_do_not_come_back_in_step() -> None:
    assert len({Retries().wait_s(3, None) for _ in range(10)}) > 1


def test_what_the_endpoint_asks_for_goes_before() -> None:
    assert Retries(longest_s=1.0).wait_s(0, 17.0) == 17.0
    assert Retries().wait_s(5, 0.0) == 0.0


@pytest.mark.parametrize(
    ("headers", "seconds"),
    [
        ({"retry-after": "7"}, 7.0),
        ({"retry-after": " 1.5 "}, 1.5),
        ({"retry-after-ms": "250", "retry-after": "7"}, 0.25),
        ({"retry-after": "Wed, 21 Oct 2015 07:28:00 GMT"}, 0.0),
        ({}, None),
        ({"retry-after": "soon"}, None),
        ({"retry-after": "-3"}, None),
        ({"retry-after": "inf"}, None),
    ],
)
def test_the_wait_that_is_asked_for_is_read(headers: dict[str, str], seconds: float | None) -> None:
    assert retry_after_s(headers) == seconds


def test_a_date_is_a_wait_until_then() -> None:
    until = format_datetime(datetime.now(UTC) + timedelta(seconds=90), usegmt=True)
    assert retry_after_s({"retry-after": until}) == pytest.approx(90, abs=5)
