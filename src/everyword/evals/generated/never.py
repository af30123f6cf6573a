"""Never happened: a question of another kind whose facts are not said, beside the like of another person or thing."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import cycle
from random import Random

from everyword.evals.generated.unit import Asked, Unit

_OLDER = ("asks:before", "asks:first")
"""Questions that no longer make sense where nothing was said at all."""


def units(sources: Sequence[Iterator[Unit]], random: Random) -> Iterator[Unit]:
    """Yield one unit of each source in turn without its facts, as long as every source has one."""
    for source in cycle(sources):
        unit = next(source, None)
        if unit is None or unit.near is None:
            return
        yield Unit(facts=(unit.near,), asked=(_asked(unit, random),))


def _asked(unit: Unit, random: Random) -> Asked:
    """Return one of the unit's questions as one without an answer."""
    of = random.choice([asked for asked in unit.asked if not set(asked.labels) & set(_OLDER)])
    kept = [label for label in of.labels if label.startswith(("script:", "overlap:"))]
    return Asked(kind="never", text=of.text, answer="", facts=(), labels=(f"of:{of.kind}", *kept))
