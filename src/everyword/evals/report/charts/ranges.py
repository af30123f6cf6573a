"""Times on a log axis: from the median over the 95th to the 99th percentile, one line a strategy."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from everyword.evals.report.charts.drawing import columns_grid, drawing, line, text
from everyword.evals.report.charts.labels import shortened, width
from everyword.evals.report.charts.scale import Scale, log_domain, log_ticks
from everyword.evals.report.look import Look
from everyword.evals.report.markup import Html, join, tag
from everyword.evals.report.numerals import milliseconds

_WIDTH, _ROW, _TOP = 760.0, 30.0, 6.0
_FLOOR = 0.01
"""Milliseconds: what took less is drawn here, since a log axis has no zero."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Range:
    """Percentiles of one strategy, in milliseconds."""

    name: str
    look: Look
    p50: float
    p95: float
    p99: float | None
    strong: bool = False


def ranges(found: Sequence[Range], *, alternative: str) -> Html:
    left = max(width(shortened(each.name, 190)) for each in found) + 16
    bottom = _TOP + len(found) * _ROW
    times = [max(_FLOOR, time) for each in found for time in (each.p50, each.p95, each.p99) if time is not None]
    low, high = log_domain(times)
    across = Scale(low=low, high=high, start=left, stop=_WIDTH - 16, log=True)
    return drawing(
        _WIDTH,
        bottom + 44,
        columns_grid(across, [(tick, milliseconds(tick)) for tick in log_ticks(low, high)], _TOP, bottom),
        line(left, bottom, _WIDTH - 16, bottom, "axis"),
        text((left + _WIDTH) / 2, bottom + 38, "milliseconds, log scale", anchor="middle", class_="unit"),
        join(_range(each, across, _TOP + (place + 0.5) * _ROW, left) for place, each in enumerate(found)),
        alternative=alternative,
    )


def _range(found: Range, across: Scale, y: float, left: float) -> Html:
    start, late = across.at(max(_FLOOR, found.p50)), across.at(max(_FLOOR, found.p95))
    last = late if found.p99 is None else across.at(max(_FLOOR, found.p99))
    said = (
        f"{found.name}: p50 {milliseconds(found.p50)}, p95 {milliseconds(found.p95)}, p99 {milliseconds(found.p99)} ms"
    )
    tail = None if found.p99 is None else tag("circle", class_="mark hollow", cx=last, cy=y, r=4)
    return tag(
        "g",
        tag("title", said),
        text(left - 14, y + 4.5, shortened(found.name, 190), anchor="end", class_="name"),
        line(start, y, last, y, "span"),
        tag("circle", class_="mark", cx=start, cy=y, r=5),
        line(late, y - 8, late, y + 8, "late"),
        tail,
        class_=f"series {found.look.colour}{' strong' if found.strong else ''}",
    )
