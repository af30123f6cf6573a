"""Signs in the figures of a running system that a line of the table was crossed."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from everyword.errors import InvalidInputError
from everyword.routing.table import Row, row


@dataclass(frozen=True, slots=True, kw_only=True)
class Signal:
    """A figure, the bound that it crossed, and the row that says what to change to."""

    figure: str
    value: float
    bound: float
    row: Row


_BOUNDS: Mapping[str, tuple[float, bool, Row]] = {
    "fallback_rate": (0.5, True, row("corpus", "fits")),
    "temporal_accuracy": (0.25, False, row("sessions", "history")),
    "memory_p95_s": (2.0, True, row("latency", "interactive")),
    "middle_loss": (0.1, True, row("errors", "no-omissions")),
    "refusal_rate": (0.3, True, row("errors", "no-wrong-answers")),
    "index_time_share": (1.0, True, row("updates", "daily")),
    "observations_as_facts": (0.0, True, row("errors", "no-manipulation")),
}
"""Bound by figure, and whether more than that is the sign.

`middle_loss` is the accuracy at the ends less that in the middle; `index_time_share` the time of an index over the time
between updates.
"""


def crossed(figures: Mapping[str, float]) -> tuple[Signal, ...]:
    """Return what the figures say has to change. Raise InvalidInputError for a figure that no row knows."""
    if unknown := set(figures) - set(_BOUNDS):
        raise InvalidInputError(f"Unknown figures {sorted(unknown)}: choose from {', '.join(_BOUNDS)}.")
    found = [(name, figures[name], *_BOUNDS[name]) for name in _BOUNDS if name in figures]
    return tuple(
        Signal(figure=name, value=value, bound=bound, row=of)
        for name, value, bound, is_upper, of in found
        if (value > bound if is_upper else value < bound)
    )
