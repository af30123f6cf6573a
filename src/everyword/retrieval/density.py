"""Which candidates a budget takes first: those that promise most for the tokens that they take.

To fill a budget is the knapsack problem, and its greedy rule takes value for weight (Dantzig, Operations Research 5, 1957).
What a rank promises falls slowly at first, since the first ranks hold what belongs to one answer, and then as its square.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]

LEVEL = 10
"""Ranks over which the promise hardly falls; 5 to 20 make little difference (decision 12)."""
ALWAYS = 5
"""Ranks that go first whatever they take: what stands so high is most likely what is asked for."""
LINE = 9.0
"""Tokens around the words of a message: number, speaker, and its share of a heading."""
CHARACTERS = 4.0
"""In a token of a script that puts spaces between words; one of another script is a token."""


def tokens(lengths: npt.NDArray[np.int64], scripts: npt.NDArray[np.int64]) -> Floats:
    """Return about how many tokens texts of so many characters are. `scripts`: 1 where no spaces stand between words."""
    return np.where(scripts == 1, lengths, lengths / CHARACTERS)


def densities(sizes: Floats, room: tuple[int, int]) -> Floats:
    """Return what candidates promise for each token, given the tokens of their words, from the best rank on.

    `room`: tokens up to which a message is shown whole, and those of an excerpt. The first ranks have 1 / rank, more than
    any other can promise.
    """
    longest, excerpt = room
    shown = np.where(sizes > longest, excerpt, sizes) + LINE
    ranks = np.arange(1, len(sizes) + 1)
    return np.where(ranks <= ALWAYS, 1.0 / ranks, 1.0 / (shown * (ranks + LEVEL) ** 2.0))
