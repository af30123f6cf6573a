"""From values to places on a drawing, and back to the ticks that a reader knows."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Scale:
    """Values from `low` to `high` laid on `start` to `stop`."""

    low: float
    high: float
    start: float
    stop: float
    log: bool = False

    def at(self, value: float) -> float:
        """Return the place of a value; one outside is drawn at the edge."""
        low, high, here = (self._bent(each) for each in (self.low, self.high, min(self.high, max(self.low, value))))
        return self.start + (self.stop - self.start) * ((here - low) / (high - low) if high > low else 0.5)

    def _bent(self, value: float) -> float:
        return math.log10(value) if self.log else value


def share_domain(values: Iterable[float]) -> tuple[float, float]:
    """Return the tens of per cent that hold all values, at least 40 points of them."""
    known = list(values) or [0.0, 1.0]
    low = math.floor(10 * min(known) + 1e-9) / 10
    high = math.ceil(10 * max(known) - 1e-9) / 10
    while round(high - low, 9) < 0.4:
        low, high = max(0.0, low - 0.1), min(1.0, high + (0.1 if low <= 0 else 0.0))
    return round(low, 1), round(high, 1)


def share_ticks(low: float, high: float) -> list[float]:
    step = 0.1 if high - low <= 0.61 else 0.2
    first = math.ceil(low / step - 1e-9)
    return [round(tick * step, 1) for tick in range(first, math.floor(high / step + 1e-9) + 1)]


def log_domain(values: Iterable[float]) -> tuple[float, float]:
    """Return bounds that hold all positive values with air around them."""
    known = [value for value in values if value > 0] or [1.0, 10.0]
    low, high = min(known) / 1.6, max(known) * 1.6
    if high / low < 10:
        centre = math.sqrt(low * high)
        low, high = centre / math.sqrt(10), centre * math.sqrt(10)
    return low, high


def log_ticks(low: float, high: float) -> list[float]:
    """Return powers of ten, with 2 and 5 between them where there is room."""
    exponents = range(math.floor(math.log10(low)), math.ceil(math.log10(high)) + 1)
    steps = (1, 2, 5) if high / low < 200 else (1, 3) if high / low < 3000 else (1,)
    ticks = [step * 10.0**exponent for exponent in exponents for step in steps]
    return [tick for tick in ticks if low <= tick <= high]
