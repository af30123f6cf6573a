"""The sheet that every chart is drawn on, and its axes."""

from __future__ import annotations

from collections.abc import Iterable

from everyword.evals.report.charts.scale import Scale
from everyword.evals.report.markup import Html, join, tag

Tick = tuple[float, str]
"""A value and how it is written."""


def drawing(width: float, height: float, *content: Html | None, alternative: str, class_: str = "chart") -> Html:
    """Return a drawing; `alternative` tells in words what it shows."""
    return tag(
        "svg", *content, class_=class_, viewBox=f"0 0 {width:.0f} {height:.0f}", role="img", aria_label=alternative
    )


def text(x: float, y: float, words: str, *, anchor: str | None = None, class_: str | None = None) -> Html:
    return tag("text", words, x=x, y=y, text_anchor=anchor, class_=class_)


def line(x1: float, y1: float, x2: float, y2: float, class_: str) -> Html:
    return tag("line", x1=x1, y1=y1, x2=x2, y2=y2, class_=class_)


def polyline(places: Iterable[tuple[float, float]]) -> str:
    """Return the path through places."""
    return "M" + " L".join(f"{x:.1f} {y:.1f}" for x, y in places)


def rows_grid(scale: Scale, ticks: Iterable[Tick], left: float, right: float) -> Html:
    """Return level lines with their values at the left."""
    return join(
        join(
            [
                line(left, scale.at(value), right, scale.at(value), "grid"),
                text(left - 8, scale.at(value) + 4, label, anchor="end", class_="tick"),
            ]
        )
        for value, label in ticks
    )


def columns_grid(scale: Scale, ticks: Iterable[Tick], top: float, bottom: float) -> Html:
    """Return upright lines with their values below; a value that would touch the one before it goes one line down."""
    drawn: list[Html] = []
    free_from = [-1e9, -1e9]
    for value, label in sorted(ticks):
        x, half = scale.at(value), 3.7 * len(label)
        drawn.append(line(x, top, x, bottom, "grid"))
        level = next((place for place, free in enumerate(free_from) if x - half >= free), None)
        if level is not None:
            drawn.append(text(x, bottom + 18 + 15 * level, label, anchor="middle", class_="tick"))
            free_from[level] = x + half + 6
    return join(drawn)
