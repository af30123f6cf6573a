"""How long a context takes, and what a strategy keeps on disk."""

from __future__ import annotations

from collections.abc import Sequence

from everyword.evals.report.charts.ranges import Range, ranges
from everyword.evals.report.markup import Html
from everyword.evals.report.numerals import milliseconds, octets
from everyword.evals.report.run import Row
from everyword.evals.report.table import cell, header, table
from everyword.evals.report.view import Section, View, note, pictured


def latency(view: View) -> Section | None:
    if not any(row.p50_ms is not None for row in view.run.rows):
        return None
    return view.section(
        "latency",
        "Latency",
        view.by_condition(lambda _, rows: _shown(view, rows)),
        note("Of one context, from the question to its text, on the machine of the run. Disk: mean of a case."),
    )


def _shown(view: View, rows: Sequence[Row]) -> Html | None:
    found = [each for each in (_range(view, row) for row in rows) if each is not None]
    if not found:
        return None
    said = "; ".join(
        f"{each.name} {milliseconds(each.p50)}, {milliseconds(each.p95)}, {milliseconds(each.p99)}" for each in found
    )
    drawn = ranges(found, alternative=f"Milliseconds at p50, p95 and p99, log scale: {said}.")
    body = [
        [
            header(view.name(row)),
            *(cell(milliseconds(time)) for time in (row.p50_ms, row.p95_ms, row.p99_ms)),
            cell(octets(row.bytes)),
        ]
        for row in rows
    ]
    heads = ["strategy", "p50, ms", "p95, ms", "p99, ms", "on disk"]
    return pictured(
        drawn,
        "Full dot p50, bar p95, open dot p99.",
        table(heads, body, caption="Milliseconds", named=True),
    )


def _range(view: View, row: Row) -> Range | None:
    if row.p50_ms is None or row.p95_ms is None:
        return None
    return Range(
        name=row.strategy,
        look=view.look(row),
        p50=row.p50_ms,
        p95=row.p95_ms,
        p99=row.p99_ms,
        strong=view.strong(row.strategy),
    )
