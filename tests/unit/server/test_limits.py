from __future__ import annotations

import pytest

from everyword.errors import TooManyRequestsError
from everyword.server.limits import RateLimits


class Clock:
    now = 1000.0

    def __call__(self) -> float:
        return self.now


def _taken(limits: RateLimits, key: str, per_minute: int, tries: int) -> int:
    taken = 0
    for _ in range(tries):
        try:
            limits.take(key, per_minute)
        except TooManyRequestsError:
            continue
        taken += 1
    return taken


def test_a_key_gets_its_minute_at_once_and_then_one_at_a_time() -> None:
    clock = Clock()
    limits = RateLimits(clock=clock)
    assert _taken(limits, "k", 6, 20) == 6
    clock.now += 10
    assert _taken(limits, "k", 6, 20) == 1
    clock.now += 3600
    assert _taken(limits, "k", 6, 20) == 6


def test_a_refusal_says_when_to_come_back_and_then_it_is_allowed() -> None:
    clock = Clock()
    limits = RateLimits(clock=clock)
    _taken(limits, "k", 2, 2)
    with pytest.raises(TooManyRequestsError) as refused:
        limits.take("k", 2)
    clock.now += refused.value.retry_after_s
    limits.take("k", 2)


def test_one_key_takes_nothing_from_another() -> None:
    limits = RateLimits(clock=Clock())
    assert _taken(limits, "a", 3, 9) == 3
    assert _taken(limits, "b", 3, 9) == 3


def test_no_limit_is_no_limit() -> None:
    assert _taken(RateLimits(clock=Clock()), "k", 0, 1000) == 1000
