"""How the evidence was ordered, by the measures of each benchmark."""

from __future__ import annotations

from collections.abc import Sequence

from everyword.evals.report.markup import Html
from everyword.evals.report.numerals import NONE, whole
from everyword.evals.report.run import Row
from everyword.evals.report.table import cell, header, table
from everyword.evals.report.view import Section, View, note

_MEANING = (
    "Means over questions. The worst rank is that of the last piece of evidence, since a question needs all of them; "
    "a dash: no list has it for half of the questions."
)


def ranking(view: View) -> Section | None:
    if not any(row.ranked or row.worst_rank_median is not None for row in view.run.rows):
        return None
    return view.section(
        "ranking",
        "Order of the evidence",
        view.by_condition(lambda _, rows: _table(view, rows)),
        note(_MEANING),
    )


def _table(view: View, rows: Sequence[Row]) -> Html | None:
    names = measure_names(rows)
    kept = [row for row in rows if row.ranked or row.worst_rank_median is not None]
    if not kept:
        return None
    body = [
        [
            header(view.name(row)),
            *(cell(score(row, name)) for name in names),
            cell(whole(row.worst_rank_median)),
        ]
        for row in kept
    ]
    return table(["strategy", *names, "worst rank, median"], body, caption="Order of the evidence", named=True)


def measure_names(rows: Sequence[Row]) -> list[str]:
    return list(dict.fromkeys(name for row in rows for name in row.ranked))


def score(row: Row, name: str) -> str:
    return f"{row.ranked[name]:.3f}" if name in row.ranked else NONE
