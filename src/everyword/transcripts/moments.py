"""Times as transcripts write them: ISO 8601 text, epoch seconds, milliseconds or finer, datetime."""

from __future__ import annotations

import math
import re
from datetime import UTC, datetime, timedelta
from typing import Any

EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
NUMBER = re.compile(r"-?(\d{9,})(?:\.(\d+))?")
ZONE_NAME = re.compile(r"\s*(?:UTC|GMT)$", re.IGNORECASE)
TIME_KEYS = ("created_at", "timestamp", "create_time", "createdAt", "ts", "date", "time")


def moment(value: Any) -> datetime:
    """Return an aware datetime with the offset that the value states, UTC where it states none. Raise ValueError."""
    if isinstance(value, datetime):
        return aware(value)
    if isinstance(value, bool) or not isinstance(value, int | float | str):
        raise ValueError(f"not a time: {value!r}")  # noqa: TRY004 - one kind of error for every unusable time
    if isinstance(value, str):
        return _of_text(value.strip())
    if not math.isfinite(value) or value == 0:
        raise ValueError(f"not a time: {value!r}")
    return _of_number(value)


def aware(value: datetime) -> datetime:
    """Return the datetime, in UTC where it has no zone."""
    return value.replace(tzinfo=UTC) if value.utcoffset() is None else value


def dated(value: Any) -> tuple[datetime | None, dict[str, Any]]:
    """Return the time of an imported record, and as metadata what stands there if that is not a time."""
    if value is None or value == "":
        return None, {}
    try:
        return moment(value), {}
    except ValueError:
        return None, {"created_at_raw": value}


def first_time(record: dict[str, Any]) -> Any:
    """Return what stands under the first of the usual keys for a time."""
    return next((record[key] for key in TIME_KEYS if record.get(key) is not None), None)


def _of_text(text: str) -> datetime:
    number = NUMBER.fullmatch(text)
    if number:
        sign = -1 if text.startswith("-") else 1
        fraction = (number[2] or "")[:6].ljust(6, "0")
        return _of_number(sign * int(number[1]), microseconds=sign * int(fraction))
    try:
        return aware(datetime.fromisoformat(ZONE_NAME.sub("+00:00", text)))
    except ValueError as error:
        raise ValueError(f"not a time: {text!r}") from error


def _of_number(value: float, *, microseconds: int = 0) -> datetime:
    """Seconds up to the year 5138, then milliseconds, microseconds, nanoseconds: the ranges do not overlap."""
    size = abs(value)
    unit = 1 if size < 1e11 else 1_000 if size < 1e14 else 1_000_000 if size < 1e17 else 1_000_000_000
    try:
        if isinstance(value, int):
            return EPOCH + timedelta(microseconds=value * 1_000_000 // unit + microseconds)
        return EPOCH + timedelta(seconds=value / unit)
    except OverflowError as error:
        raise ValueError(f"not a time: {value!r}") from error
