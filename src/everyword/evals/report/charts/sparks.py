"""Drawings of one line's height that stand beside the figure they show; the figure is their text."""

from __future__ import annotations

from everyword.evals.report.charts.scale import Scale
from everyword.evals.report.figure import Figure
from everyword.evals.report.markup import Html, tag


def spark(figure: Figure, domain: tuple[float, float], colour: str, *, wide: float = 96.0) -> Html | None:
    """Return the share as a dot on its 95 % interval."""
    if figure.value is None or figure.low is None or figure.high is None:
        return None
    across = Scale(low=domain[0], high=domain[1], start=4, stop=wide - 4)
    return _small(
        wide,
        tag("line", class_="track", x1=0, x2=wide, y1=6, y2=6),
        tag("line", class_="reach", x1=across.at(figure.low), x2=across.at(figure.high), y1=6, y2=6),
        tag("circle", class_="mark", cx=across.at(figure.value), cy=6, r=3.6),
        colour=colour,
    )


def duel(only_a: int, only_b: int, most: int, colours: tuple[str, str], *, wide: float = 190.0) -> Html:
    """Return two bars from the middle: questions that only the left, or only the right one, has right."""
    half = wide / 2
    left, right = (half * each / max(1, most) for each in (only_a, only_b))
    return _small(
        wide,
        tag("rect", class_=f"fill {colours[0]}", x=half - left, y=1, width=left, height=10),
        tag("rect", class_=f"fill {colours[1]}", x=half, y=1, width=right, height=10),
        tag("line", class_="axis", x1=half, x2=half, y1=0, y2=12),
        colour="",
    )


def _small(wide: float, *content: Html, colour: str) -> Html:
    size = f"0 0 {wide:.0f} 12"
    return tag(
        "svg", *content, class_=f"spark {colour}".strip(), viewBox=size, width=wide, height=12, aria_hidden="true"
    )
