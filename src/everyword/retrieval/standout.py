"""A candidate whose clause stands out is believed: in a sum it loses to those that share more words with the question."""

from __future__ import annotations

import numpy as np

from everyword.retrieval.fusion import Scores

AMONG = 200
"""Candidates by their sums, among which a clause stands out or does not: far from all words of the question some clause
always sounds like it."""
WORST_RANK = 6
"""Where such a candidate stands at the worst, and the one that its clause has to lead."""


def standing_out(nearness: Scores, lead: float) -> int | None:
    """Return the place of the candidate with the nearest clause if that leads the sixth by so much; None if it does not.

    `nearness`: of the best clause of each candidate; NaN where there is no vector.
    """
    known = nearness[~np.isnan(nearness)]
    if len(known) < WORST_RANK or not lead > 0.0:
        return None
    place = int(np.nanargmax(nearness))
    return place if nearness[place] - np.partition(known, -WORST_RANK)[-WORST_RANK] >= lead else None
