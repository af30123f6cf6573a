"""Shares of all strategies, each on its 95 % interval, the best at the top."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from everyword.evals.report.charts.drawing import columns_grid, drawing, line, text
from everyword.evals.report.charts.labels import shortened, width
from everyword.evals.report.charts.scale import Scale, share_domain, share_ticks
from everyword.evals.report.figure import Figure
from everyword.evals.report.look import Look, mark
from everyword.evals.report.markup import Html, join, tag
from everyword.evals.report.numerals import interval, percent

_WIDTH, _ROW, _TOP = 760.0, 30.0, 6.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Spread:
    """One strategy; its figure is known."""

    name: str
    look: Look
    figure: Figure
    strong: bool = False


def forest(spreads: Sequence[Spread], *, measure: str, alternative: str) -> Html:
    left = max(width(shortened(each.name, 190)) for each in spreads) + 34
    right = _WIDTH - 20 - max(width(_said(each)) for each in spreads)
    bottom = _TOP + len(spreads) * _ROW
    bounds = [
        each for one in spreads for each in (one.figure.low, one.figure.value, one.figure.high) if each is not None
    ]
    low, high = share_domain(bounds)
    across = Scale(low=low, high=high, start=left, stop=right)
    return drawing(
        _WIDTH,
        bottom + 44,
        columns_grid(across, [(tick, f"{100 * tick:.0f} %") for tick in share_ticks(low, high)], _TOP, bottom),
        line(left, bottom, right, bottom, "axis"),
        text((left + right) / 2, bottom + 38, f"{measure}, %", anchor="middle", class_="unit"),
        join(_spread(each, across, _TOP + (place + 0.5) * _ROW, right) for place, each in enumerate(spreads)),
        alternative=alternative,
    )


def _spread(spread: Spread, across: Scale, y: float, right: float) -> Html:
    figure = spread.figure
    reach = None
    if figure.low is not None and figure.high is not None:
        reach = line(across.at(figure.low), y, across.at(figure.high), y, "reach wide")
    size = 6.5 if spread.strong else 5.5
    return tag(
        "g",
        text(across.start - 14, y + 4.5, shortened(spread.name, 190), anchor="end", class_="name"),
        reach,
        mark(spread.look, across.at(figure.value or 0.0), y, size=size, title=f"{spread.name}: {_said(spread)}"),
        text(right + 16, y + 4.5, _said(spread), class_="label"),
        class_=f"series {spread.look.colour}{' strong' if spread.strong else ''}",
    )


def _said(spread: Spread) -> str:
    return f"{percent(spread.figure.value)} ({interval(spread.figure)})"
