"""Ranks of the evidence of one question from stage to stage: 1 is at the top."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from everyword.evals.report.charts.drawing import Tick, drawing, line, polyline, rows_grid, text
from everyword.evals.report.charts.labels import shortened, spread
from everyword.evals.report.charts.scale import Scale
from everyword.evals.report.markup import Html, join, tag
from everyword.evals.report.numerals import short, whole

_WIDTH, _TOP, _DEEP, _ABSENT = 760.0, 34.0, 184.0, 212.0
_LEFT, _RIGHT = 74.0, 660.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Rung:
    """One piece of evidence."""

    name: str
    packed: bool
    ranks: tuple[int | None, ...]
    """By stage; None: the stage did not have it."""


def ladder(stages: Sequence[str], rungs: Sequence[Rung], *, alternative: str) -> Html:
    """Return the chart; a rank is written beside each mark."""
    down = _down(rungs)
    xs = _columns(len(stages))
    return drawing(
        _WIDTH,
        _ABSENT + 14,
        rows_grid(down, _levels(down), _LEFT, _RIGHT),
        line(_LEFT, _ABSENT, _RIGHT, _ABSENT, "grid absent"),
        text(_LEFT - 8, _ABSENT + 4, "not in it", anchor="end", class_="tick"),
        _heads(stages, xs),
        join(_rung(rung, xs, down) for rung in rungs),
        join(_ranks(rungs, place, x, down) for place, x in enumerate(xs)),
        _ends(rungs, xs, down),
        alternative=alternative,
        class_="chart ladder",
    )


def _down(rungs: Sequence[Rung]) -> Scale:
    deepest = max((rank for rung in rungs for rank in rung.ranks if rank is not None), default=1)
    return Scale(low=1, high=max(10.0, 1.3 * deepest), start=_TOP, stop=_DEEP, log=True)


def _levels(down: Scale) -> list[Tick]:
    powers = [10.0**power for power in range(math.floor(math.log10(down.high)) + 1)]
    return [(power, "rank 1" if power == 1 else short(power)) for power in powers]


def _columns(number: int) -> list[float]:
    step = (_RIGHT - _LEFT) / max(1, number)
    return [_LEFT + step * (place + 0.5) for place in range(number)]


def _heads(stages: Sequence[str], xs: Sequence[float]) -> Html:
    room = (_RIGHT - _LEFT) / max(1, len(stages))
    return join(
        text(x, 14, shortened(stage, room), anchor="middle", class_="name") for x, stage in zip(xs, stages, strict=True)
    )


def _level(rank: int | None, down: Scale) -> float:
    return _ABSENT if rank is None else down.at(rank)


def _rung(rung: Rung, xs: Sequence[float], down: Scale) -> Html:
    places = [(x, _level(rank, down)) for x, rank in zip(xs, rung.ranks, strict=True)]
    marks = [
        tag("circle", tag("title", f"{rung.name}: {_said(rank)}"), cx=x, cy=y, r=4.5, class_="rung-mark")
        for (x, y), rank in zip(places, rung.ranks, strict=True)
    ]
    return tag("g", tag("path", d=polyline(places), class_="rung"), *marks, class_=_kind(rung))


def _kind(rung: Rung) -> str:
    return "packed" if rung.packed else "lost"


def _said(rank: int | None) -> str:
    return "not in this stage" if rank is None else f"rank {whole(rank)}"


def _ranks(rungs: Sequence[Rung], place: int, x: float, down: Scale) -> Html:
    """Return the ranks of one stage as numbers, none over another."""
    known = [(rung, rank) for rung in rungs if (rank := rung.ranks[place]) is not None]
    levels = spread([down.at(rank) - 5 for _, rank in known], 13, _TOP - 8, _DEEP + 8)
    return join(
        text(x + 9, level, whole(rank), class_=f"rank {_kind(rung)}-label")
        for (rung, rank), level in zip(known, levels, strict=True)
    )


def _ends(rungs: Sequence[Rung], xs: Sequence[float], down: Scale) -> Html:
    """Return the names of the evidence at the right."""
    if not xs:
        return join([])
    wanted = [_level(rung.ranks[-1], down) for rung in rungs]
    levels = spread(wanted, 16, _TOP, _ABSENT)
    parts: list[Html] = []
    for rung, y, level in zip(rungs, wanted, levels, strict=True):
        lead = polyline([(xs[-1] + 44, y), (_RIGHT + 2, level), (_RIGHT + 6, level)])
        parts.append(tag("path", d=lead, class_="lead"))
        parts.append(text(_RIGHT + 10, level + 4.5, rung.name, class_=f"{_kind(rung)}-label"))
    return join(parts)
