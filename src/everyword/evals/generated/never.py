"""Never happened: a question of another kind whose facts are not said, beside the like of another person or thing."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from random import Random

from everyword.evals.generated.unit import Asked, Unit

_ASKED = ("asks:before", "asks:first")
"""Questions that no longer make sense where nothing was said at all."""


def units(sources: Sequence[Iterator[Unit]], random: Random) -> Iterator[Unit]:
    """Yield one unit of each source in turn without its facts, as long as every source has one."""
    while True:
        for source in sources:
            unit = next(source, None)
            if unit is None or unit.near is None:
                return
            yield never(unit, random)


def never(unit: Unit, random: Random) -> Unit:
    """Return a unit of which only the near thing is said, with one of its questions."""
    of = random.choice([asked for asked in unit.asked if not set(asked.labels) & set(_ASKED)])
    labels = [f"of:{of.kind}", *(label for label in of.labels if label.startswith(("script:", "overlap:")))]
    asked = Asked(kind="never", text=of.text, answer="", facts=(), labels=tuple(labels))
    assert unit.near is not None  # noqa: S101 -- the sources are kinds that have one
    return Unit(facts=(replace(unit.near),), asked=(asked,))
