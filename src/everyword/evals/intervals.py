"""Confidence intervals of shares."""

from __future__ import annotations

import math

_Z95 = 1.959963984540054


def wilson(successes: float, trials: int, *, z: float = _Z95) -> tuple[float, float]:
    """Return the 95 % score interval of a share (Wilson, JASA 1927); (0, 1) without trials.

    `successes` may be a mean over repeated runs.
    """
    if trials == 0:
        return 0.0, 1.0
    share = successes / trials
    scale = 1.0 + z * z / trials
    centre = share + z * z / (2 * trials)
    reach = z * math.sqrt(share * (1.0 - share) / trials + z * z / (4 * trials * trials))
    return max(0.0, (centre - reach) / scale), min(1.0, (centre + reach) / scale)
