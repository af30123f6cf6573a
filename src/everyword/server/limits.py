"""How often a key may ask: a bucket that fills evenly and holds one minute's requests."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable

from everyword.errors import TooManyRequestsError


class RateLimits:
    """One bucket a key. Safe for many threads."""

    def __init__(self, *, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._buckets: dict[str, tuple[float, float]] = {}
        self._lock = threading.Lock()

    def take(self, key_id: str, per_minute: int) -> None:
        """Count one request; 0 a minute means no limit. Raise TooManyRequestsError."""
        if per_minute == 0:
            return
        with self._lock:
            now = self._clock()
            left, before = self._buckets.get(key_id, (float(per_minute), now))
            left = min(float(per_minute), left + (now - before) * per_minute / 60)
            is_allowed = left >= 1
            self._buckets[key_id] = (left - 1 if is_allowed else left, now)
        if not is_allowed:
            wait = (1 - left) * 60 / per_minute
            raise TooManyRequestsError(
                f"This key may ask {per_minute} times a minute: try again in {wait:.1f} s.", retry_after_s=wait
            )
