"""Whether the answer was there to be read: questions with all their evidence in the context, and the others."""

from __future__ import annotations

from collections.abc import Sequence

from everyword.evals.report.condition import Condition
from everyword.evals.report.figure import Figure
from everyword.evals.report.markup import Html, join, tag
from everyword.evals.report.numerals import NONE, percent, points, whole
from everyword.evals.report.run import Row
from everyword.evals.report.table import Cell, cell, domain_of, figure_cell, header, range_note, table
from everyword.evals.report.view import Section, View, note

_ANSWERED = (
    "Right answers without the evidence come from what the model knows or guesses; "
    "wrong answers with it were lost in reading. Questions without an answer are left out."
)
_UNANSWERED = "No answers in this run: with an answerer, this table has the accuracy of both groups."


def presence(view: View) -> Section | None:
    if not any(row.all_evidence.known for row in view.run.rows):
        return None
    answered = any(row.with_evidence.known or row.without_evidence.known for row in view.run.rows)
    return view.section(
        "presence",
        "Evidence in the context, or not",
        view.by_condition(lambda condition, rows: _table(view, condition, rows, answered=answered)),
        note(_ANSWERED if answered else _UNANSWERED),
    )


def _table(view: View, condition: Condition, rows: Sequence[Row], *, answered: bool) -> Html | None:
    if not rows:
        return None
    caption = f"Questions with all their evidence in the context, and without: budget of {condition.name}"
    if not answered:
        heads = ["strategy", "all evidence in the context, questions", "not all of it, questions"]
        return table(heads, [_counts(view, row) for row in rows], caption=caption, named=True)
    domain = domain_of([each for row in rows for each in (row.with_evidence, row.without_evidence)])
    heads = ["strategy", "accuracy with all evidence, %", "accuracy without, %", "difference, points"]
    body = [_accuracies(view, row, domain) for row in rows]
    return join([table(heads, body, caption=caption, named=True), note(range_note(domain))])


def _counts(view: View, row: Row) -> list[Cell]:
    there = row.all_evidence
    if not there.known:
        return [header(view.name(row)), cell(NONE), cell(NONE)]
    return [header(view.name(row)), cell(_share(there.hits, there.n)), cell(_share(there.n - there.hits, there.n))]


def _share(hits: int, n: int) -> Html:
    return join([whole(hits), tag("small", f"{percent(hits / n)} % of {whole(n)}")])


def _accuracies(view: View, row: Row, domain: tuple[float, float]) -> list[Cell]:
    cells = [
        figure_cell(each, colour=view.look(row).colour, domain=domain, with_n=True)
        for each in (row.with_evidence, row.without_evidence)
    ]
    return [header(view.name(row)), *cells, cell(_difference(row.with_evidence, row.without_evidence))]


def _difference(there: Figure, absent: Figure) -> str:
    if there.value is None or absent.value is None:
        return NONE
    return points(there.value - absent.value)
