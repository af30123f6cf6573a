"""What happens as the history grows."""

from __future__ import annotations

from collections.abc import Sequence

from everyword.evals.report.charts.curve import Series, curve
from everyword.evals.report.condition import length_name
from everyword.evals.report.figure import UNKNOWN
from everyword.evals.report.markup import Content, Html, join, tag
from everyword.evals.report.numerals import NONE, percent, points, short, tokens
from everyword.evals.report.run import MEASURES, Measure, Row
from everyword.evals.report.table import Cell, bounds_cell, cell, header, table
from everyword.evals.report.view import Section, View, capital, legend, note, pictured


def lengths(view: View) -> Section | None:
    """Return curves for every measure; None: all histories have one length."""
    lines = lines_by_length(view)
    if max((len(line) for line in lines), default=0) < 2:
        return None
    return view.section(
        "lengths",
        "As the history grows",
        *(_measure(view, lines, measure) for measure in view.run.measures),
        _flatness(view, lines),
    )


def lines_by_length(view: View) -> list[list[Row]]:
    """Return the rows of each strategy and budget, shortest history first."""
    found: dict[tuple[str, int | None], list[Row]] = {}
    for row in view.run.rows:
        if row.history:
            found.setdefault((row.strategy, row.budget), []).append(row)
    lines = [sorted(rows, key=lambda row: row.history or 0.0) for rows in found.values()]
    return sorted(lines, key=lambda line: line[0].strategy != view.main)


def _measure(view: View, lines: Sequence[Sequence[Row]], measure: Measure) -> Html | None:
    series = [each for each in (_series(view, line, measure) for line in lines) if each is not None]
    if not series:
        return None
    ticks = {row.history or 1.0: _tick(row) for line in lines for row in line}
    name = MEASURES[measure]
    drawn = curve(series, list(ticks.items()), measure=name, alternative=_alternative(series, name))
    kept = [row for line in lines for row in line if row.of(measure).known]
    return pictured(drawn, legend(view, kept), f"{capital(name)} by tokens of history. Bands: 95 % Wilson intervals.")


def _series(view: View, line: Sequence[Row], measure: Measure) -> Series | None:
    known = [row for row in line if row.of(measure).known]
    if not known:
        return None
    return Series(
        name=view.label(known[0]),
        look=view.look(known[0]),
        points=tuple((row.history or 1.0, row.of(measure)) for row in known),
        strong=view.strong(known[0].strategy),
    )


def _tick(row: Row) -> str:
    size = short(row.history or 1.0)
    return f"published ({size})" if row.length is None else size


def _alternative(series: Sequence[Series], name: str) -> str:
    said = [
        f"{each.name} from {percent(each.points[0][1].value)} to {percent(each.points[-1][1].value)} %"
        for each in series
    ]
    return f"Line chart, {name} against tokens of history. {'; '.join(said)}. The table below has every figure."


def _flatness(view: View, lines: Sequence[Sequence[Row]]) -> Html:
    """Return the figures of the curves, what is lost over the whole range, and how the tokens vary."""
    steps = steps_of(lines)
    heads: list[Content] = ["strategy", *("published" if each is None else short(each) for each in steps)]
    heads += ["change, points", "tokens vary by"]
    body = [_flat(view, line, steps) for line in lines]
    built = table(heads, body, caption=capital(f"{MEASURES[view.measure]}, %, by tokens of history"), class_="below")
    said = (
        f"Change: from the {length_name(steps[0])} to the {length_name(steps[-1])}. Tokens: largest less smallest mean."
    )
    return join([built, note(said)])


def steps_of(lines: Sequence[Sequence[Row]]) -> list[int | None]:
    """Return the lengths that were run, shortest first."""
    known = {row.length: row.history or 0.0 for line in lines for row in line}
    return sorted(known, key=lambda each: known[each])


def _flat(view: View, line: Sequence[Row], steps: Sequence[int | None]) -> list[Cell]:
    by_length = {row.length: row.of(view.measure) for row in line}
    cells = [bounds_cell(by_length.get(step, UNKNOWN)) for step in steps]
    return [
        header(view.name(line[0], of_all=True)),
        *cells,
        cell(change(line, steps, view.measure)),
        cell(_varies(line)),
    ]


def change(line: Sequence[Row], steps: Sequence[int | None], measure: Measure) -> str:
    """Return what a strategy gains or loses from the shortest to the longest history."""
    by_length = {row.length: row.of(measure).value for row in line}
    first, last = by_length.get(steps[0]), by_length.get(steps[-1])
    return NONE if first is None or last is None else points(last - first)


def _varies(line: Sequence[Row]) -> Html | str:
    sent = [row.tokens_mean for row in line if row.tokens_mean]
    if len(sent) < 2:
        return NONE
    reach = 100 * (max(sent) - min(sent)) / (sum(sent) / len(sent))
    return join([f"{reach:.1f} %", tag("small", f"{tokens(min(sent))}–{tokens(max(sent))}")])
