"""How fast a claim fades: relevance * exp(-rate * age), with a rate for each kind."""

from __future__ import annotations

import math
from datetime import datetime

from everyword.domain.claim import Claim, ClaimKind

RATE_A_DAY: dict[ClaimKind, float] = {
    "procedure": 0.0,
    "profile": 0.0005,
    "entity": 0.001,
    "edge": 0.001,
    "note": 0.004,
}
"""A rule holds until it is changed; half of a note's weight is gone after half a year."""
PLAN_RATE_A_DAY = 0.02
"""A plan is overtaken by what came of it."""


def rate(claim: Claim) -> float:
    """Return the rate a day."""
    return PLAN_RATE_A_DAY if claim.state in ("plan", "guess", "joke") else RATE_A_DAY[claim.kind]


def weight(claim: Claim, relevance: float, now: datetime) -> float:
    """Return the relevance that is left; a claim without a time does not fade, and none gains by lying ahead."""
    if claim.said_at is None:
        return relevance
    days = max(0.0, (now - claim.said_at).total_seconds() / 86_400)
    return relevance * math.exp(-rate(claim) * days)
