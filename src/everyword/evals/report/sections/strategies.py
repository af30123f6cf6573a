"""Every strategy with every figure, condition by condition."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from everyword.evals.report.charts.forest import Spread, forest
from everyword.evals.report.condition import Condition, competing
from everyword.evals.report.markup import Content, Html, join
from everyword.evals.report.numerals import NONE, interval, milliseconds, percent, tokens, whole
from everyword.evals.report.run import MEASURES, Measure, Row
from everyword.evals.report.support import compared_in, leader
from everyword.evals.report.table import Cell, bounds_cell, cell, header, table
from everyword.evals.report.view import Section, View, note, pictured

BOLD = (
    "Bold: the best, and ahead of every other strategy by exact McNemar p < 0.05 "
    "(where two were not paired: by 95 % intervals that do not touch). No bold: no such lead."
)


def strategies(view: View) -> Section | None:
    if not view.run.rows:
        return None
    return view.section(
        "strategies",
        "Strategies",
        view.by_condition(lambda condition, rows: _shown(view, condition, rows)),
        note(BOLD, " Small figures are 95 % Wilson intervals."),
    )


def _shown(view: View, condition: Condition, rows: Sequence[Row]) -> Html | None:
    if not rows:
        return None
    pictures = [_picture(view, rows, measure) for measure in view.measures]
    best: dict[Measure, str | None] = {measure: leader_at(view, condition, rows, measure) for measure in view.measures}
    return join([*pictures, _table(view, rows, best), view.reference(rows, condition)])


def _picture(view: View, rows: Sequence[Row], measure: Measure) -> Html | None:
    known = [
        Spread(
            name=row.strategy,
            look=view.look(row),
            figure=row.of(measure),
            strong=view.strong(row.strategy),
        )
        for row in rows
        if row.of(measure).known
    ]
    if not known:
        return None
    ranked = sorted(known, key=lambda each: -(each.figure.value or 0.0))
    said = "; ".join(f"{each.name} {percent(each.figure.value)} % ({interval(each.figure)})" for each in ranked)
    name = MEASURES[measure]
    return pictured(forest(ranked, measure=name, alternative=f"Shares with 95 % intervals, {name}: {said}."))


def _table(view: View, rows: Sequence[Row], best: Mapping[Measure, str | None]) -> Html:
    repeated = any(row.seeds > 1 for row in rows)
    heads: list[Content] = ["strategy", "n", *(f"{MEASURES[measure]}, %" for measure in best)]
    heads += ["whole messages, %", "share of the evidence, %", "mean over cases, %"]
    heads += ["sd over seeds, points"] if repeated else []
    heads += ["tokens, mean ± sd", "tokens, max", "calls", "p95, ms"]
    body = [_row(view, row, best, repeated=repeated) for row in rows]
    return table(heads, body, caption="All strategies", named=True)


def leader_at(view: View, condition: Condition, rows: Sequence[Row], measure: Measure) -> str | None:
    return leader(competing(rows, condition, measure), compared_in(view.run, condition, measure))


def _row(view: View, row: Row, best: Mapping[Measure, str | None], *, repeated: bool) -> list[Cell]:
    return [
        header(view.name(row)),
        cell(whole(row.questions)),
        *(bounds_cell(row.of(measure), best=best[measure] == row.strategy, of=row.questions) for measure in best),
        bounds_cell(row.whole),
        cell(percent(row.evidence_share)),
        cell(percent(row.macro)),
        *([cell(_seeds(row))] if repeated else []),
        cell(_spread(row)),
        cell(tokens(row.tokens_max)),
        cell(whole(row.calls)),
        cell(milliseconds(row.p95_ms)),
    ]


def _spread(row: Row) -> str:
    if row.tokens_mean is None:
        return NONE
    return tokens(row.tokens_mean) + ("" if row.tokens_sd is None else f" ± {tokens(row.tokens_sd)}")


def _seeds(row: Row) -> str:
    return NONE if row.all_evidence_sd is None else f"{100 * row.all_evidence_sd:.1f} ({row.seeds} seeds)"
