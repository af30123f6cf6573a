"""Every strategy on every kind of question, and by who holds the evidence, by label and by case."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from everyword.evals.report.condition import Condition, within_budget
from everyword.evals.report.figure import UNKNOWN, Figure
from everyword.evals.report.markup import Html, join
from everyword.evals.report.run import MEASURES, Measure, Row, Split
from everyword.evals.report.support import compared_within, leader, verdicts
from everyword.evals.report.table import Cell, domain_of, figure_cell, header, range_note, table
from everyword.evals.report.view import Section, View, capital, note

_TITLES: dict[Split, str] = {
    "kind": "By kind of question",
    "role": "By role that holds the evidence",
    "label": "By label",
    "case": "By case",
}
_BOLD = "Bold as above, with the questions of the row alone and no correction for the number of rows."
_NOTES: dict[Split, str] = {
    "role": " A plus sign: each of the roles holds a part of it.",
    "label": " A question may have several labels, or none.",
}
_FEW = 4
"""Columns up to which the table is no wider than a chart."""
MOST_CASES = 40
"""Cases above which they are not listed."""
SMALL = 30
"""Questions below which a group is called small."""


def groups(view: View, split: Split) -> Section | None:
    """Return a table a measure and condition; None: nothing was split so."""
    names = group_names(view.run.rows, split)
    if not names or (split == "case" and len(names) > MOST_CASES):
        return None
    return view.section(
        split,
        _TITLES[split],
        view.by_condition(lambda condition, rows: _tables(view, condition, rows, split)),
        note(_BOLD, _NOTES.get(split, "")),
    )


def group_names(rows: Sequence[Row], split: Split) -> list[str]:
    return list(dict.fromkeys(name for row in rows for name in row.groups[split]))


def group_figures(rows: Sequence[Row], split: Split, name: str, measure: Measure) -> dict[str, Figure]:
    """Return the figure of each strategy in a group; one that was not asked such questions has none."""
    found = {row.strategy: row.groups[split].get(name) for row in rows}
    return {strategy: UNKNOWN if group is None else group.of(measure) for strategy, group in found.items()}


def group_leaders(
    view: View, condition: Condition, rows: Sequence[Row], split: Split, measure: Measure
) -> dict[str, str | None]:
    """Return the strategy that is really ahead in each group."""
    told = verdicts(view.run, condition, measure, split)
    rivals = [row for row in rows if within_budget(row, condition)]
    return {
        name: leader(group_figures(rivals, split, name, measure), compared_within(told.get(name, {})))
        for name in group_names(rows, split)
    }


def _tables(view: View, condition: Condition, rows: Sequence[Row], split: Split) -> Html | None:
    if not group_names(rows, split):
        return None
    shown = [_table(view, condition, rows, split, measure) for measure in view.measures]
    return join([*shown, view.reference(rows, condition)])


def _table(view: View, condition: Condition, rows: Sequence[Row], split: Split, measure: Measure) -> Html:
    best = group_leaders(view, condition, rows, split, measure)
    found = {name: group_figures(rows, split, name, measure) for name in best}
    domain = domain_of([figure for figures in found.values() for figure in figures.values()])
    body = [
        [header(name, below=_said(rows, split, name, figures)), *_cells(view, rows, figures, best[name], domain)]
        for name, figures in found.items()
    ]
    heads = [split, *(view.name(row) for row in rows)]
    caption = capital(f"{MEASURES[measure]}, %, by {split}")
    return join(
        [
            table(heads, body, caption=caption, class_="matrix slim" if len(heads) <= _FEW else "matrix"),
            note(range_note(domain)),
        ]
    )


def _cells(
    view: View, rows: Sequence[Row], figures: Mapping[str, Figure], best: str | None, domain: tuple[float, float]
) -> list[Cell]:
    return [
        figure_cell(figures[row.strategy], colour=view.look(row).colour, domain=domain, best=best == row.strategy)
        for row in rows
    ]


def _said(rows: Sequence[Row], split: Split, name: str, figures: Mapping[str, Figure]) -> str:
    questions = group_size(rows, split, name)
    if questions == 0:
        return "no questions"
    remark = ", small" if questions < SMALL else ""
    return f"n {questions:,}{remark if any(figure.known for figure in figures.values()) else ', not measured'}"


def group_size(rows: Sequence[Row], split: Split, name: str) -> int:
    return max((row.groups[split][name].questions for row in rows if name in row.groups[split]), default=0)
