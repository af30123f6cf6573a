"""How a strategy looks in every chart: a colour, a mark and a line, so that no reader depends on colour."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import chain, count

from everyword.evals.report.markup import Html, tag

COLOURS = 8
"""The page defines --s0 to --s7."""
_PLACES = ("evidence", "full", "bm25", "raw-semantic", "raw-rag", "window", "raw-fused")
"""Strategies that look the same on every page; others take what is free."""
_DASHES = (None, "7 4", "2 4", "9 3 2 3")


@dataclass(frozen=True, slots=True, kw_only=True)
class Look:
    """Colour and mark say which strategy, dashes and a hollow mark which of its budgets."""

    slot: int
    mark: int
    variant: int = 0

    @property
    def colour(self) -> str:
        """Return the class that sets the colour."""
        return f"s{self.slot}"

    @property
    def dash(self) -> str | None:
        return _DASHES[self.variant % len(_DASHES)]


def looks(strategies: Sequence[str]) -> dict[str, Look]:
    """Return one look a strategy: no two share colour and mark below 56 of them."""
    spare = [place for place, name in enumerate(_PLACES) if name not in strategies]
    others = chain([len(_PLACES)], spare, count(len(_PLACES) + 1))
    places = {name: _PLACES.index(name) if name in _PLACES else next(others) for name in strategies}
    return {name: Look(slot=place % COLOURS, mark=(place + place // COLOURS) % 8) for name, place in places.items()}


def mark(look: Look, x: float, y: float, *, size: float = 5.0, title: str | None = None) -> Html:
    """Return the strategy's mark at a place; a variant's is hollow."""
    hollow = "mark hollow" if look.variant else "mark"
    shown = None if title is None else tag("title", title)
    if look.mark == 0:
        return tag("circle", shown, class_=hollow, cx=x, cy=y, r=size)
    path = "M" + " L".join(f"{x + size * dx:.1f} {y + size * dy:.1f}" for dx, dy in _OUTLINES[look.mark]) + " Z"
    return tag("path", shown, class_=hollow, d=path)


def _polygon(corners: int, turn: float, reach: float = 1.15) -> list[tuple[float, float]]:
    angles = [2 * math.pi * corner / corners + turn for corner in range(corners)]
    return [(reach * math.sin(angle), -reach * math.cos(angle)) for angle in angles]


def _star(points: int, inner: float) -> list[tuple[float, float]]:
    outer, within = _polygon(points, 0, 1.35), _polygon(points, math.pi / points, inner)
    return [corner for both in zip(outer, within, strict=True) for corner in both]


def _cross(turn: float) -> list[tuple[float, float]]:
    arm, reach = 0.4, 1.2
    outline = [(-arm, -reach), (arm, -reach), (arm, -arm), (reach, -arm), (reach, arm), (arm, arm)]
    outline += [(-x, -y) for x, y in outline]
    return [(x * math.cos(turn) - y * math.sin(turn), x * math.sin(turn) + y * math.cos(turn)) for x, y in outline]


_OUTLINES: dict[int, list[tuple[float, float]]] = {
    1: _polygon(4, math.pi / 4, 1.25),
    2: _polygon(3, 0, 1.35),
    3: _polygon(4, 0, 1.35),
    4: _polygon(3, math.pi, 1.35),
    5: _cross(0),
    6: _star(5, 0.6),
    7: _cross(math.pi / 4),
}
