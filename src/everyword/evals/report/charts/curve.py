"""A share against the length of the history: one line a strategy, with the band of its 95 % intervals."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from everyword.evals.report.charts.drawing import (
    Tick,
    columns_grid,
    drawing,
    line,
    polyline,
    rows_grid,
    text,
)
from everyword.evals.report.charts.labels import spread, width
from everyword.evals.report.charts.scale import Scale, log_domain, share_domain, share_ticks
from everyword.evals.report.figure import Figure
from everyword.evals.report.look import Look, mark
from everyword.evals.report.markup import Html, join, tag
from everyword.evals.report.numerals import interval, percent

_WIDTH, _HEIGHT = 760.0, 434.0
_TOP, _BOTTOM, _LEFT = 34.0, 372.0, 52.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Series:
    """One line."""

    name: str
    look: Look
    points: tuple[tuple[float, Figure], ...]
    """Lengths in tokens with what was measured there, shortest first."""
    strong: bool = False
    """The strategy that the page is about."""


def curve(series: Sequence[Series], ticks: Sequence[Tick], *, measure: str, alternative: str) -> Html:
    """Return the chart; `ticks` are the lengths that were run."""
    right = _WIDTH - 22 - max(width(_end_label(each)) for each in series)
    xs = [x for each in series for x, _ in each.points]
    ys = [bound for each in series for _, figure in each.points for bound in _bounds(figure)]
    low, high = share_domain(ys)
    across = _across(xs, right)
    up = Scale(low=low, high=high, start=_BOTTOM, stop=_TOP)
    levels = [(tick, f"{100 * tick:.0f} %") for tick in share_ticks(low, high)]
    later = sorted(series, key=lambda each: each.strong)
    return drawing(
        _WIDTH,
        _HEIGHT,
        rows_grid(up, levels, _LEFT, right),
        columns_grid(across, ticks, _TOP, _BOTTOM),
        line(_LEFT, _BOTTOM, right, _BOTTOM, "axis"),
        text(0, 14, f"{measure}, %", class_="unit"),
        text((_LEFT + right) / 2, _HEIGHT - 8, "tokens of history, log scale", anchor="middle", class_="unit"),
        join(_band(each, across, up) for each in later),
        join(_line(each, across, up) for each in later),
        _end_labels(series, across, up, right),
        alternative=alternative,
    )


def _across(xs: Sequence[float], right: float) -> Scale:
    low, high = log_domain(xs)
    inner = min(xs) / 1.08, max(xs) * 1.08
    low, high = inner if inner[1] / inner[0] > 3 else (low, high)
    return Scale(low=low, high=high, start=_LEFT + 8, stop=right - 8, log=True)


def _bounds(figure: Figure) -> list[float]:
    return [each for each in (figure.low, figure.value, figure.high) if each is not None]


def _band(series: Series, across: Scale, up: Scale) -> Html | None:
    known = [(across.at(x), each) for x, each in series.points if each.low is not None and each.high is not None]
    if len(known) < 2:
        return None
    upper = [(x, up.at(each.high or 0.0)) for x, each in known]
    lower = [(x, up.at(each.low or 0.0)) for x, each in reversed(known)]
    return tag("path", class_=f"band {_classes(series)}", d=polyline(upper + lower) + " Z")


def _line(series: Series, across: Scale, up: Scale) -> Html:
    known = [(across.at(x), up.at(each.value), each) for x, each in series.points if each.value is not None]
    path = tag("path", class_="line", d=polyline([(x, y) for x, y, _ in known]), stroke_dasharray=series.look.dash)
    marks = [
        mark(series.look, x, y, size=5.5 if series.strong else 4.5, title=f"{series.name}: {_said(each)}")
        for x, y, each in known
    ]
    return tag("g", path, *marks, class_=f"series {_classes(series)}")


def _said(figure: Figure) -> str:
    return f"{percent(figure.value)} % ({interval(figure)}), n {figure.n:,}"


def _end_labels(series: Sequence[Series], across: Scale, up: Scale, right: float) -> Html:
    ends = [(across.at(x), up.at(each.value or 0.0)) for x, each in (_last(one) for one in series)]
    levels = spread([y for _, y in ends], 17, _TOP + 2, _BOTTOM - 4)
    parts: list[Html] = []
    for one, (x, y), level in zip(series, ends, levels, strict=True):
        lead = tag("path", class_="lead", d=polyline([(x + 7, y), (right + 4, level), (right + 10, level)]))
        label = text(right + 14, level + 4.5, _end_label(one), class_="label")
        parts.append(tag("g", lead, label, class_=f"series {_classes(one)}"))
    return join(parts)


def _end_label(series: Series) -> str:
    return f"{series.name} {percent(_last(series)[1].value)}"


def _last(series: Series) -> tuple[float, Figure]:
    return next(point for point in reversed(series.points) if point[1].known)


def _classes(series: Series) -> str:
    return f"{series.look.colour}{' strong' if series.strong else ''}"
