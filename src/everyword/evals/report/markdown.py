"""A card in Markdown: the main tables of a run, and what makes them again."""

from __future__ import annotations

import shlex
import textwrap
from collections.abc import Mapping, Sequence
from typing import Any

from everyword.evals.report.condition import Condition, row_at, rows_at
from everyword.evals.report.figure import Figure
from everyword.evals.report.markdown_table import WIDTH, escaped, markdown_table
from everyword.evals.report.numerals import (
    NONE,
    interval,
    milliseconds,
    percent,
    points,
    probability,
    tokens,
    whole,
)
from everyword.evals.report.run import MEASURES, SPLITS, Measure, Row, Split, run, words
from everyword.evals.report.sections.groups import MOST_CASES, group_figures, group_leaders, group_names, group_size
from everyword.evals.report.sections.lengths import change, lines_by_length, steps_of
from everyword.evals.report.sections.pairs import families
from everyword.evals.report.sections.provenance import facts, limits
from everyword.evals.report.sections.ranking import measure_names, score
from everyword.evals.report.sections.strategies import leader_at
from everyword.evals.report.support import holm
from everyword.evals.report.view import View, capital, view

_MISSES = ("not packed", "not found", "not stored")
Lines = list[str]


def card(documents: Sequence[Mapping[str, Any]]) -> str:
    """Return the card of one or more run documents, in their order."""
    lines = [line for each in documents for line in [*_run(view(run(each), "")), ""]]
    return "\n".join(lines or ["No run was given.", ""])


def _run(shown: View) -> Lines:
    parts = [
        [f"# {escaped(shown.run.dataset)}: {escaped(shown.run.task)}"],
        _headline(shown),
        *_at_headline(shown),
        *(_by_length(shown, measure) for measure in shown.run.measures),
        _pairs(shown),
        _made_by(shown),
        _limits(shown),
    ]
    return [line for part in parts if part for line in (*part, "")][:-1]


def _headline(shown: View) -> Lines:
    row = row_at(shown.run, shown.main, shown.first) if shown.main and shown.first else None
    if row is None or shown.first is None:
        return ["This run has no results."]
    figure = row.of(shown.measure)
    said = f"{row.strategy}, budget of {shown.first.name}: {MEASURES[shown.measure]} "
    said += f"{percent(figure.value)} % (95 % interval {interval(figure)}, n = {whole(figure.n)})."
    return _wrapped(said) if figure.known else _wrapped(f"{said.partition(':')[0]}: not measured, no questions.")


def _at_headline(shown: View) -> list[Lines]:
    """Return the tables of the headline's condition."""
    if shown.first is None:
        return []
    rows = rows_at(shown.run, shown.first)
    splits: list[Split] = [split for split in SPLITS if _fits(rows, split)]
    return [
        _strategies(shown, shown.first, rows),
        *(_groups(shown, shown.first, rows, split, measure) for split in splits for measure in shown.run.measures),
        _presence(rows),
        _misses(rows),
        _ranking(rows),
        _never(rows),
        _latency(rows),
    ]


def _fits(rows: Sequence[Row], split: Split) -> bool:
    names = group_names(rows, split)
    return bool(names) and (split != "case" or len(names) <= MOST_CASES)


def _strategies(shown: View, condition: Condition, rows: Sequence[Row]) -> Lines:
    best: dict[Measure, str | None] = {
        measure: leader_at(shown, condition, rows, measure) for measure in shown.measures
    }
    heads = ["strategy", "n", *(f"{MEASURES[measure]}, %" for measure in best), "whole, %", "tokens", "p95, ms"]
    body = [
        [
            row.strategy,
            whole(row.questions),
            *(_share(row.of(measure), best=best[measure] == row.strategy) for measure in best),
            percent(row.whole.value),
            tokens(row.tokens_mean),
            milliseconds(row.p95_ms),
        ]
        for row in rows
    ]
    bold = (
        "In brackets: 95 % Wilson intervals. Bold: ahead of every other strategy within the budget by McNemar p < 0.05."
    )
    return [f"## Strategies: budget of {condition.name}", "", *_wrapped(bold), "", *markdown_table(heads, body)]


def _share(figure: Figure, *, best: bool = False) -> str:
    if not figure.known:
        return NONE
    value = f"**{percent(figure.value)}**" if best else percent(figure.value)
    return f"{value} ({interval(figure)})"


def _groups(shown: View, condition: Condition, rows: Sequence[Row], split: Split, measure: Measure) -> Lines:
    best = group_leaders(shown, condition, rows, split, measure)
    body: list[list[str]] = []
    for name in group_names(rows, split):
        figures = group_figures(rows, split, name, measure)
        cells = [_share(figures[row.strategy], best=best[name] == row.strategy) for row in rows]
        body.append([f"{name} ({group_size(rows, split, name)})", *cells])
    heads = [f"{split} (n)", *(row.strategy for row in rows)]
    return [f"## {capital(MEASURES[measure])} by {split}, %", "", *markdown_table(heads, body)]


def _presence(rows: Sequence[Row]) -> Lines:
    known = [row for row in rows if row.all_evidence.known]
    if not known:
        return []
    heads = ["strategy", "all evidence in the context", "not all of it"]
    body = [[row.strategy, *_present(row)] for row in known]
    return ["## Evidence in the context, or not", "", *markdown_table(heads, body)]


def _present(row: Row) -> list[str]:
    """Return the questions of both groups, with their accuracy where answers were judged."""
    hits, n = row.all_evidence.hits, row.all_evidence.n
    if not row.with_evidence.known and not row.without_evidence.known:
        return [f"{whole(hits)} of {whole(n)}", f"{whole(n - hits)} of {whole(n)}"]
    return [
        f"{percent(each.value)} % right of {whole(each.n)} ({interval(each)})" if each.known else "no questions"
        for each in (row.with_evidence, row.without_evidence)
    ]


def _misses(rows: Sequence[Row]) -> Lines:
    if not any(row.misses for row in rows):
        return []
    names = list(dict.fromkeys([*_MISSES, *(name for row in rows for name in row.misses)]))
    body = [
        [row.strategy, *(whole(row.misses.get(name, 0)) for name in names), whole(sum(row.misses.values()))]
        for row in rows
    ]
    return ["## Where evidence was lost, questions", "", *markdown_table(["strategy", *names, "missed"], body)]


def _ranking(rows: Sequence[Row]) -> Lines:
    names = measure_names(rows)
    if not names and all(row.worst_rank_median is None for row in rows):
        return []
    body = [[row.strategy, *(score(row, name) for name in names), whole(row.worst_rank_median)] for row in rows]
    return ["## Order of the evidence", "", *markdown_table(["strategy", *names, "worst rank, median"], body)]


def _never(rows: Sequence[Row]) -> Lines:
    known = [row for row in rows if row.caught.known or row.false_alarms.known]
    if not known:
        return []
    body = [[row.strategy, _share(row.caught), _share(row.false_alarms)] for row in known]
    return ["## Questions without an answer", "", *markdown_table(["strategy", "caught, %", "false alarms, %"], body)]


def _latency(rows: Sequence[Row]) -> Lines:
    if all(row.p50_ms is None for row in rows):
        return []
    body = [[row.strategy, *(milliseconds(each) for each in (row.p50_ms, row.p95_ms, row.p99_ms))] for row in rows]
    return ["## Latency, ms", "", *markdown_table(["strategy", "p50", "p95", "p99"], body)]


def _by_length(shown: View, measure: Measure) -> Lines:
    lines = lines_by_length(shown)
    steps = steps_of(lines)
    if len(steps) < 2:
        return []
    heads = ["strategy", *("published" if step is None else tokens(step) for step in steps), "change, points"]
    body: list[list[str]] = []
    for line in lines:
        by_length = {row.length: row for row in line}
        cells = [_share(by_length[step].of(measure)) if step in by_length else NONE for step in steps]
        body.append([shown.label(line[0]), *cells, change(line, steps, measure)])
    return [f"## {capital(MEASURES[measure])} by tokens of history, %", "", *markdown_table(heads, body)]


def _pairs(shown: View) -> Lines:
    for (measure, condition), family in families(shown).items():
        corrected = holm([pair.p for pair in family])
        name = next((name for key, name in MEASURES.items() if key == measure), measure)
        heads = ["pair", "only 1st", "only 2nd", "points", "p", "p, Holm"]
        body = [
            [
                f"{pair.a} or {pair.b}",
                whole(pair.only_a),
                whole(pair.only_b),
                points((pair.only_a - pair.only_b) / pair.n) if pair.n else NONE,
                probability(pair.p),
                probability(p),
            ]
            for pair, p in zip(family, corrected, strict=True)
        ]
        title = f"## Pairs, exact McNemar: {name}, budget of {condition.name}"
        return [title, "", *markdown_table(heads, body)]
    return []


def _made_by(shown: View) -> Lines:
    command = words(shown.run.source.get("command"))
    known = [
        line
        for name, value in facts(shown.run)
        for line in textwrap.wrap(
            f"- {name}: {escaped(value)}", WIDTH, subsequent_indent="  ", break_on_hyphens=False, break_long_words=False
        )
    ]
    return ["## What was run", "", *_code(command), "", *known]


def _code(command: str) -> Lines:
    fence = "```"
    while fence in command:
        fence += "`"
    shown = [line for each in command.splitlines() for line in folded_command(each)]
    return [f"{fence}sh", *(shown or ["# The command was not recorded."]), fence]


def folded_command(command: str) -> Lines:
    """Return a command over several lines, each but the last continued; what cannot be read as one stays as it is."""
    try:
        parts = [shlex.quote(part) for part in shlex.split(command)]
    except ValueError:
        return [command]
    lines: Lines = []
    for part in parts:
        if lines and len(lines[-1]) + len(part) + 3 <= WIDTH:
            lines[-1] += f" {part}"
        else:
            lines.append(f"  {part}" if lines else part)
    return [f"{line} \\" for line in lines[:-1]] + lines[-1:]


def _limits(shown: View) -> Lines:
    found = [
        line
        for each in limits(shown.run)
        for line in textwrap.wrap(f"- {escaped(each)}", WIDTH, subsequent_indent="  ", break_long_words=False)
    ]
    return ["## Limits", "", *found]


def _wrapped(text: str) -> Lines:
    return textwrap.wrap(escaped(text).replace(" %", "\u00a0%"), WIDTH, break_on_hyphens=False, break_long_words=False)
