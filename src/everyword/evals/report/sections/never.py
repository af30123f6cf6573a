"""Questions that the history does not answer: whether the context says so, and whether it says so too often."""

from __future__ import annotations

from collections.abc import Sequence

from everyword.evals.report.markup import Html, join
from everyword.evals.report.run import Row
from everyword.evals.report.table import domain_of, figure_cell, header, range_note, table
from everyword.evals.report.view import Section, View, note


def never(view: View) -> Section | None:
    if not any(row.caught.known or row.false_alarms.known for row in view.run.rows):
        return None
    return view.section(
        "never",
        "Questions without an answer",
        view.by_condition(lambda _, rows: _table(view, rows)),
        note("Caught: of the questions without an answer. False alarms: of the questions with one."),
    )


def _table(view: View, rows: Sequence[Row]) -> Html | None:
    kept = [row for row in rows if row.caught.known or row.false_alarms.known]
    if not kept:
        return None
    domain = domain_of([each for row in kept for each in (row.caught, row.false_alarms)])
    body = [
        [
            header(view.name(row)),
            *(
                figure_cell(each, colour=view.look(row).colour, domain=domain, with_n=True)
                for each in (row.caught, row.false_alarms)
            ),
        ]
        for row in kept
    ]
    caption = "The signal that there is no evidence"
    return join(
        [
            table(["strategy", "caught, %", "false alarms, %"], body, caption=caption, named=True),
            note(range_note(domain)),
        ]
    )
