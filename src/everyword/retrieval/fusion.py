"""Rankings of several channels into one."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

Scores = npt.NDArray[np.float64]
"""One value a candidate, higher is better; NaN: this channel does not know the candidate."""

RRF_K = 60
_ROUNDING = 1e-12
"""Share of a score below which a difference is an error of rounding."""


def ranks(scores: Scores) -> Scores:
    """Return 1 for the best, 2 for the next …; ties keep their order, NaN stays NaN."""
    order = np.argsort(-scores, kind="stable")
    out = np.empty(len(scores), dtype=np.float64)
    out[order] = np.arange(1, len(scores) + 1)
    out[np.isnan(scores)] = np.nan
    return out


def reciprocal_ranks(channels: Sequence[Scores], *, k: int = RRF_K) -> Scores:
    """Return Σ 1/(k + rank) over the channels that know a candidate (Cormack et al., SIGIR 2009); NaN where none does."""
    shares = np.array([1.0 / (k + ranks(channel)) for channel in channels])
    total = np.nansum(shares, axis=0)
    total[np.isnan(shares).all(axis=0)] = np.nan
    return total


def standard_scores(scores: Scores) -> Scores:
    """Return (x - mean) / sd over the candidates that the channel knows; 0 where all are equal, the minimum where unknown."""
    missing = np.isnan(scores)
    known = scores[~missing] if missing.any() else scores
    if not len(known):
        return np.zeros_like(scores)
    centred = known - known.mean()
    spread = np.sqrt((centred * centred).mean())
    if spread <= _ROUNDING * max(known.max(), -known.min()):
        return np.zeros_like(scores)
    centred /= spread
    if len(known) == len(scores):
        return centred
    out = np.full_like(scores, centred.min())
    out[~missing] = centred
    return out
