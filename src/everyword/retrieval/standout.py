"""A candidate whose clause stands out is believed: in a sum it loses to those that share more words with the question."""

from __future__ import annotations

import numpy as np

from everyword.retrieval.fusion import Scores
from everyword.retrieval.units import Ints, best

CANDIDATES = 200
"""Units with the highest sums, among which a clause stands out or does not: far from all words of the question there is
always some clause that sounds like it."""
RANK = 6
"""Where such a unit stands at the worst, and the one that its clause has to lead."""


def let_in(total: Scores, nearness: Scores, unit_of: Ints, lead: float) -> None:
    """Raise the sum of the passage with the nearest clause to that of rank 6, if it leads the sixth by so many deviations.

    `nearness`: of the best clause of each passage; NaN in both for what is no candidate.
    """
    sums, near = best(total, unit_of), best(nearness, unit_of)
    first = np.flatnonzero(sums >= _highest(sums, CANDIDATES))
    sixth = _highest(near[first], RANK)
    if np.isnan(sixth):
        return
    unit = first[np.nanargmax(near[first])]
    if near[unit] - sixth >= lead * np.nanstd(nearness) > 0.0:
        passages = np.flatnonzero(unit_of == unit)
        place = passages[np.nanargmax(nearness[passages])]
        total[place] = max(total[place], _highest(sums, RANK))


def _highest(scores: Scores, rank: int) -> float:
    """Return the value of a rank, or the lowest where there are fewer; NaN where there is none."""
    known = scores[~np.isnan(scores)]
    return float(np.partition(known, -min(rank, len(known)))[-min(rank, len(known))]) if len(known) else np.nan
