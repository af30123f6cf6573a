"""Tokens that a strategy sends against what they achieve, with the line of the best that can be had for less."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from everyword.evals.report.charts.drawing import columns_grid, drawing, line, polyline, rows_grid, text
from everyword.evals.report.charts.labels import Box, spread, width
from everyword.evals.report.charts.scale import Scale, log_domain, log_ticks, share_domain, share_ticks
from everyword.evals.report.figure import Figure
from everyword.evals.report.look import Look, mark
from everyword.evals.report.markup import Html, join, tag
from everyword.evals.report.numerals import interval, percent, short, whole

_WIDTH, _HEIGHT = 760.0, 400.0
_TOP, _BOTTOM, _LEFT, _RIGHT = 34.0, 352.0, 52.0, 744.0
_SAME = 1.02
_NEAR = 60.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Dot:
    """One strategy at one budget."""

    name: str
    look: Look
    tokens: float
    figure: Figure
    strong: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class _Label:
    """A label and the room it takes."""

    html: Html
    box: Box


def scatter(dots: Sequence[Dot], *, measure: str, alternative: str) -> Html:
    """Return the chart; every dot has tokens above zero and a known figure."""
    low, high = log_domain(dot.tokens for dot in dots)
    across = Scale(low=low, high=high, start=_LEFT, stop=_RIGHT, log=True)
    bounds = [each for dot in dots for each in (dot.figure.low, dot.figure.value, dot.figure.high) if each is not None]
    bottom, top = share_domain(bounds)
    up = Scale(low=bottom, high=top, start=_BOTTOM, stop=_TOP)
    return drawing(
        _WIDTH,
        _HEIGHT,
        rows_grid(up, [(tick, f"{100 * tick:.0f} %") for tick in share_ticks(bottom, top)], _LEFT, _RIGHT),
        columns_grid(across, [(tick, short(tick)) for tick in log_ticks(low, high)], _TOP, _BOTTOM),
        line(_LEFT, _BOTTOM, _RIGHT, _BOTTOM, "axis"),
        text(0, 14, f"{measure}, %", class_="unit"),
        text(
            (_LEFT + _RIGHT) / 2, _HEIGHT - 8, "tokens sent for a question, log scale", anchor="middle", class_="unit"
        ),
        _frontier(dots, across, up),
        join(_dot(dot, across, up) for dot in sorted(dots, key=lambda dot: dot.strong)),
        _labels(dots, across, up),
        alternative=alternative,
    )


def frontier(dots: Sequence[Dot]) -> list[Dot]:
    """Return the dots that no other surpasses with as many tokens (2 % more or less count as the same), cheapest first."""
    kept = [dot for dot in dots if not any(_surpasses(other, dot) for other in dots)]
    return sorted(kept, key=lambda dot: dot.tokens)


def _surpasses(other: Dot, dot: Dot) -> bool:
    return other.tokens <= _SAME * dot.tokens and (other.figure.value or 0.0) > (dot.figure.value or 0.0)


def _frontier(dots: Sequence[Dot], across: Scale, up: Scale) -> Html | None:
    kept = frontier(dots)
    places: list[tuple[float, float]] = []
    for dot in kept:
        x, y = across.at(dot.tokens), up.at(dot.figure.value or 0.0)
        places += [(x, places[-1][1]), (x, y)] if places else [(x, y)]
    return tag("path", class_="frontier", d=polyline([*places, (_RIGHT, places[-1][1])])) if places else None


def _dot(dot: Dot, across: Scale, up: Scale) -> Html:
    x, y = across.at(dot.tokens), up.at(dot.figure.value or 0.0)
    reach = None
    if dot.figure.low is not None and dot.figure.high is not None:
        reach = line(x, up.at(dot.figure.low), x, up.at(dot.figure.high), "reach")
    said = f"{dot.name}: {percent(dot.figure.value)} % ({interval(dot.figure)}) with {whole(dot.tokens)} tokens"
    classes = f"series {dot.look.colour}{' strong' if dot.strong else ''}"
    return tag("g", reach, mark(dot.look, x, y, size=6.5 if dot.strong else 5.5, title=said), class_=classes)


def _labels(dots: Sequence[Dot], across: Scale, up: Scale) -> Html:
    """Return the labels; those of dots above each other stand at one side of them, where they cover least."""
    taken = [_room(dot, across, up) for dot in dots]
    drawn: list[Html] = []
    for cluster in _clusters(dots, across):
        options = [_beside(cluster, across, up, side) for side in (1, -1)]
        best = min(options, key=lambda labels: _covered(labels, taken))
        taken += [label.box for label in best]
        drawn += [label.html for label in best]
    return join(drawn)


def _room(dot: Dot, across: Scale, up: Scale) -> Box:
    """Return the room of a dot with its interval."""
    x, y = across.at(dot.tokens), up.at(dot.figure.value or 0.0)
    top = y if dot.figure.high is None else up.at(dot.figure.high)
    bottom = y if dot.figure.low is None else up.at(dot.figure.low)
    return Box(left=x - 7, top=min(top, y - 7), right=x + 7, bottom=max(bottom, y + 7))


def _clusters(dots: Sequence[Dot], across: Scale) -> list[list[Dot]]:
    """Return the dots by the upright line that they stand near."""
    found: list[list[Dot]] = []
    for dot in sorted(dots, key=lambda dot: dot.tokens):
        if found and across.at(dot.tokens) - across.at(found[-1][-1].tokens) < _NEAR:
            found[-1].append(dot)
        else:
            found.append([dot])
    return found


def _covered(labels: Sequence[_Label], taken: Sequence[Box]) -> float:
    beyond = sum(max(0.0, label.box.right - _RIGHT - 14) + max(0.0, _LEFT - label.box.left) for label in labels)
    return 20 * beyond + sum(label.box.overlap(other) for label in labels for other in taken)


def _beside(dots: Sequence[Dot], across: Scale, up: Scale, side: int) -> list[_Label]:
    """Return the labels at the right (1) or the left (-1), one below the other."""
    ends = [across.at(dot.tokens) for dot in dots]
    edge = max(ends) if side > 0 else min(ends)
    heights = [up.at(dot.figure.value or 0.0) for dot in dots]
    levels = spread(heights, 17, _TOP - 2, _BOTTOM - 6)
    return [
        _label(dot, (x, y), (edge, level), side) for dot, x, y, level in zip(dots, ends, heights, levels, strict=True)
    ]


def _label(dot: Dot, place: tuple[float, float], beside: tuple[float, float], side: int) -> _Label:
    edge, level = beside
    said = f"{dot.name} {percent(dot.figure.value)}"
    start, stop = sorted((edge + side * 22, edge + side * (22 + width(said))))
    path = polyline([(place[0] + side * 8, place[1]), (edge + side * 12, level), (edge + side * 18, level)])
    words = text(edge + side * 22, level + 4.5, said, anchor="start" if side > 0 else "end", class_="label")
    classes = f"series {dot.look.colour}{' strong' if dot.strong else ''}"
    return _Label(
        html=tag("g", tag("path", class_="lead", d=path), words, class_=classes),
        box=Box(left=start, top=level - 7, right=stop, bottom=level + 7),
    )
