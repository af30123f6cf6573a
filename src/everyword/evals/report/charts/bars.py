"""Wholes in parts: one bar a strategy, or one bar alone."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from everyword.evals.report.charts.drawing import drawing, text
from everyword.evals.report.charts.labels import shortened, width
from everyword.evals.report.markup import Html, join, tag

_WIDTH = 760.0
_ROW, _BAR = 32.0, 22.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Part:
    """A piece of a bar."""

    name: str
    size: float
    fill: str
    """A class of the page's style: colour and hatching."""
    label: str
    """Shown inside where there is room."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Bar:
    """A whole and its parts, from left to right."""

    name: str
    parts: tuple[Part, ...]
    total: str
    """Shown at the right."""


def stacked(bars: Sequence[Bar], *, alternative: str) -> Html:
    """Return bars of one width each, so that shares compare."""
    names = max(width(shortened(bar.name, 190)) for bar in bars) + 14
    totals = max(width(bar.total) for bar in bars) + 12
    drawn = [
        _row(bar, place * _ROW + 4, names, _WIDTH - totals, sum(part.size for part in bar.parts))
        for place, bar in enumerate(bars)
    ]
    return drawing(_WIDTH, len(bars) * _ROW + 4, *drawn, alternative=alternative)


def single(bar: Bar, whole: float, *, alternative: str) -> Html:
    """Return one bar of `whole` width; what its parts leave stays empty."""
    return drawing(
        _WIDTH,
        _BAR + 4,
        tag("rect", class_="room", x=0.5, y=2.0, width=_WIDTH - 1, height=_BAR, rx=3),
        _pieces(bar, 2, 0.5, _WIDTH - 0.5, max(whole, sum(part.size for part in bar.parts))),
        alternative=alternative,
    )


def _row(bar: Bar, y: float, left: float, right: float, whole: float) -> Html:
    return join(
        [
            text(left - 12, y + 16, shortened(bar.name, 190), anchor="end", class_="name"),
            _pieces(bar, y, left, right, whole),
            text(right + 8, y + 16, bar.total, class_="tick"),
        ]
    )


def _pieces(bar: Bar, y: float, left: float, right: float, whole: float) -> Html:
    drawn: list[Html] = []
    x = left
    for part in bar.parts:
        wide = (right - left) * part.size / whole if whole else 0.0
        if wide > 0:
            drawn.append(_piece(part, x, y, wide))
        x += wide
    return join(drawn)


def _piece(part: Part, x: float, y: float, wide: float) -> Html:
    title = tag("title", f"{part.name}: {part.label}")
    shape = tag("rect", title, class_=part.fill, x=x, y=y, width=max(wide - 1, 0.7), height=_BAR)
    if wide < width(part.label) + 8:
        return shape
    return tag("g", shape, text(x + wide / 2, y + 16, part.label, anchor="middle", class_=f"on {part.fill}-on"))
