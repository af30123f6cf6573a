"""The time that a generated history spans, and where in it a day lies."""

from __future__ import annotations

from datetime import UTC, date, datetime, time, timedelta, timezone
from random import Random

FIRST_DAY = date(2024, 1, 8)
DAYS = 300
_WAKING, _HOURS = 8, 14
"""Things are said from 8 to 22 o'clock."""
_ZONES = {"en": UTC, "zh-Hant": timezone(timedelta(hours=8)), "zh-Hans": timezone(timedelta(hours=8))}


def moment(place: float, language: str) -> datetime:
    """Return when a share of the history's time is over."""
    days = min(max(place, 0.0), 1.0) * DAYS
    hours = _WAKING + _HOURS * (days % 1)
    start = datetime.combine(FIRST_DAY, time(), _ZONES[language])
    return (start + timedelta(days=int(days), hours=hours)).replace(microsecond=0)


def place_on(day: int, random: Random) -> float:
    """Return some place on a day, neither early nor late on it."""
    return (day + random.uniform(0.2, 0.7)) / DAYS
