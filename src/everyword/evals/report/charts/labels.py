"""Labels that do not cover each other."""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass


def width(text: str, size: float = 13.0) -> float:
    """Return about how wide a text is; East Asian signs are as wide as they are high."""
    wide = sum(unicodedata.east_asian_width(sign) in "WF" for sign in text)
    return size * (wide + 0.57 * (len(text) - wide))


def shortened(text: str, most: float, size: float = 13.0) -> str:
    """Return a text that is not wider than `most`; what is cut is marked by an ellipsis."""
    if width(text, size) <= most:
        return text
    kept = text
    while kept and width(kept + "…", size) > most:
        kept = kept[:-1]
    return kept.rstrip() + "…"


def spread(wanted: Sequence[float], gap: float, low: float, high: float) -> list[float]:
    """Return places as near as possible to the wanted ones, in their order, `gap` apart, between `low` and `high`."""
    order = sorted(range(len(wanted)), key=lambda place: wanted[place])
    blocks: list[list[float]] = []
    for rank, place in enumerate(order):
        blocks.append([wanted[place] - rank * gap])
        while len(blocks) > 1 and _mean(blocks[-2]) > _mean(blocks[-1]):
            last = blocks.pop()
            blocks[-1].extend(last)
    found = [_mean(block) for block in blocks for _ in block]
    top = max(low, high - gap * (len(found) - 1))
    placed = [min(max(value, low), top) + rank * gap for rank, value in enumerate(found)]
    return [placed[order.index(place)] for place in range(len(wanted))]


def _mean(values: Sequence[float]) -> float:
    return sum(values) / len(values)


@dataclass(frozen=True, slots=True, kw_only=True)
class Box:
    """Room that a label or a mark takes."""

    left: float
    top: float
    right: float
    bottom: float

    def overlap(self, other: Box) -> float:
        """Return the area that both take."""
        across = min(self.right, other.right) - max(self.left, other.left)
        down = min(self.bottom, other.bottom) - max(self.top, other.top)
        return max(0.0, across) * max(0.0, down)
