"""A share with the interval and the number of questions that it rests on."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

from everyword.evals.intervals import wilson

_MOST = 1e15


def number(value: Any) -> float | None:
    """Return a number that something was counted or measured as; None for whatever else a document holds."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    return float(value) if math.isfinite(value) and abs(value) <= _MOST else None


def count(value: Any) -> int:
    """Return a whole number; 0 for whatever else a document holds."""
    found = number(value)
    return 0 if found is None else round(found)


@dataclass(frozen=True, slots=True, kw_only=True)
class Figure:
    """A share from 0 to 1. None: it is not defined, or was not measured."""

    value: float | None
    low: float | None = None
    high: float | None = None
    """The 95 % interval."""
    n: int = 0

    @property
    def hits(self) -> int:
        """Return of how many questions it holds."""
        return 0 if self.value is None else round(self.value * self.n)

    @property
    def known(self) -> bool:
        return self.value is not None


UNKNOWN = Figure(value=None)


def _share(value: Any) -> float | None:
    found = number(value)
    return found if found is not None and 0.0 <= found <= 1.0 else None


def figure(value: Any, n: Any, low: Any = None, high: Any = None) -> Figure:
    """Return a share of `n` questions; without `low` and `high` its Wilson interval is computed."""
    share, questions = _share(value), max(0, count(n))
    if share is None or questions < 1:
        return Figure(value=None, n=questions)
    bottom, top = _share(low), _share(high)
    if bottom is None or top is None:
        bottom, top = wilson(round(share * questions), questions)
    return Figure(value=share, low=bottom, high=top, n=questions)
