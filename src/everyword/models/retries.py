"""How often and how long a busy endpoint is waited for."""

from __future__ import annotations

import math
import random
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime

BUSY = frozenset({408, 409, 425, 429, 500, 502, 503, 504, 529})


@dataclass(frozen=True, slots=True, kw_only=True)
class Retries:
    """Limits of patience with one request."""

    most: int = 4
    """Attempts after the first."""
    first_s: float = 0.5
    """The first wait; each further one is twice as long."""
    longest_s: float = 30.0
    patience_s: float = 300.0
    """All waits together, those that the endpoint asks for included."""

    def wait_s(self, attempt: int, asked_s: float | None) -> float:
        """Return how long to wait after attempt 0, 1, 2 …: as asked, or longer each time and not in step with others."""
        grown = min(self.first_s * 2.0**attempt, self.longest_s)
        return asked_s if asked_s is not None else grown * random.uniform(0.75, 1.0)  # noqa: S311 - no secret


def retry_after_s(headers: Mapping[str, str]) -> float | None:
    """Return the seconds that a reply asks to wait (RFC 9110, section 10.2.3: a number or a date); None: it does not."""
    if (milliseconds := _number(headers.get("retry-after-ms"))) is not None:
        return milliseconds / 1000
    said = headers.get("retry-after")
    if (seconds := _number(said)) is not None:
        return seconds
    try:
        until = parsedate_to_datetime(said) if said else None
    except ValueError:
        return None
    return None if until is None else max(0.0, (_aware(until) - datetime.now(UTC)).total_seconds())


def _number(said: str | None) -> float | None:
    try:
        number = float(said or "")
    except ValueError:
        return None
    return number if math.isfinite(number) and number >= 0 else None


def _aware(moment: datetime) -> datetime:
    return moment if moment.tzinfo else moment.replace(tzinfo=UTC)
