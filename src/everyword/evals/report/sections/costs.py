"""Tokens against what they achieve."""

from __future__ import annotations

from collections.abc import Sequence

from everyword.evals.report.charts.scatter import Dot, frontier, scatter
from everyword.evals.report.condition import length_name
from everyword.evals.report.markup import Html, join
from everyword.evals.report.numerals import percent, tokens, whole
from everyword.evals.report.run import MEASURES, Measure, Row
from everyword.evals.report.view import Part, Section, View, capital, first_and_others, legend, pictured


def costs(view: View) -> Section | None:
    """Return one chart a length, with all budgets in it; the headline's length first."""
    if view.first is None:
        return None
    lengths = list(dict.fromkeys(condition.length for condition in view.conditions))
    drawn = [(length, _length(view, length)) for length in lengths]
    known = [(length, body) for length, body in drawn if body is not None]
    if not known:
        return None
    shown = first_and_others(
        [
            Part(
                title=capital(length_name(length)),
                brief="as published" if length is None else f"{tokens(length)} tokens",
                body=body,
            )
            for length, body in known
        ]
    )
    return view.section("tokens", f"Tokens against {MEASURES[view.measure]}", shown)


def _length(view: View, length: int | None) -> Html | None:
    rows = sorted((row for row in view.run.rows if row.length == length), key=lambda row: row.strategy != view.main)
    parts = [_chart(view, rows, measure) for measure in view.run.measures]
    shown = [part for part in parts if part is not None]
    return join(shown) if shown else None


def _chart(view: View, rows: Sequence[Row], measure: Measure) -> Html | None:
    kept = [row for row in rows if row.tokens_mean and row.of(measure).known]
    if not kept:
        return None
    dots = [_dot(view, row, measure) for row in kept]
    name = MEASURES[measure]
    said = "; ".join(f"{dot.name} {percent(dot.figure.value)} % with {whole(dot.tokens)} tokens" for dot in dots)
    drawn = scatter(dots, measure=name, alternative=f"Scatter chart, tokens sent against {name}: {said}.")
    best = ", ".join(f"{dot.name} ({whole(dot.tokens)})" for dot in frontier(dots))
    return pictured(
        drawn, legend(view, kept), f"On the dashed line, no other strategy gets as far with as few tokens: {best}."
    )


def _dot(view: View, row: Row, measure: Measure) -> Dot:
    return Dot(
        name=row.strategy,
        look=view.look(row),
        tokens=row.tokens_mean or 1.0,
        figure=row.of(measure),
        strong=view.strong(row.strategy),
    )
