"""Where evidence was lost: never stored, not found, or found and not packed."""

from __future__ import annotations

from collections.abc import Sequence

from everyword.evals.report.charts.bars import Bar, Part, stacked
from everyword.evals.report.markup import Html, join, tag
from everyword.evals.report.numerals import percent, whole
from everyword.evals.report.run import Row
from everyword.evals.report.table import cell, header, prose, table
from everyword.evals.report.view import Section, View, note, pictured

_FILLS = {"not packed": "miss-packed", "not found": "miss-found", "not stored": "miss-stored"}
_COMPLETE = "all evidence"
_MEANING = (
    "Not stored: it never was in the log. Not found: no list of candidates has it. "
    "Not packed: a candidate, but not in the context. A question counts where its evidence is lost first; "
    "one that was asked under several seeds counts each time."
)


def misses(view: View) -> Section | None:
    if not any(row.misses for row in view.run.rows):
        return None
    return view.section(
        "misses",
        "Where evidence was lost",
        view.by_condition(lambda _, rows: _shown(view, rows)),
        note(_MEANING),
        _failures(view),
    )


def _shown(view: View, rows: Sequence[Row]) -> Html | None:
    bars = [_bar(row) for row in rows if row.all_evidence.known]
    if not bars:
        return None
    said = "; ".join(f"{bar.name}: {', '.join(f'{part.name} {part.size:.0f}' for part in bar.parts)}" for bar in bars)
    drawn = stacked(bars, alternative=f"Stacked bars of questions by where evidence was lost. {said}.")
    return pictured(drawn, _key(), _numbers(view, rows))


def _bar(row: Row) -> Bar:
    lost = [(name, row.misses.get(name, 0)) for name in [*_FILLS, *_unknown(row)]]
    complete = round((row.all_evidence.value or 0.0) * row.all_evidence.n * row.seeds)
    parts = [(_COMPLETE, complete), *lost]
    return Bar(
        name=row.strategy,
        parts=tuple(Part(name=name, size=size, fill=_fill(name), label=whole(size)) for name, size in parts if size),
        total=f"n {whole(complete + sum(size for _, size in lost))}",
    )


def _unknown(row: Row) -> list[str]:
    return [name for name in row.misses if name not in _FILLS]


def _fill(name: str) -> str:
    return "miss-none" if name == _COMPLETE else _FILLS.get(name, "miss-stored")


def _key() -> Html:
    keys = [
        tag(
            "li",
            tag("svg", tag("rect", class_=_fill(name), width=14, height=14), width=14, height=14, aria_hidden="true"),
            " ",
            name,
        )
        for name in (_COMPLETE, *_FILLS)
    ]
    return tag("ul", *keys, class_="legend")


def _numbers(view: View, rows: Sequence[Row]) -> Html:
    names = list(dict.fromkeys([*_FILLS, *(name for row in rows for name in _unknown(row))]))
    body = [
        [header(view.name(row)), cell(whole(sum(row.misses.values()))), *(_count(row, name) for name in names)]
        for row in rows
    ]
    return table(["strategy", "missed", *names], body, caption="Questions whose evidence was lost, by place")


def _count(row: Row, name: str) -> Html:
    lost, missed = row.misses.get(name, 0), sum(row.misses.values())
    return cell(join([whole(lost), tag("small", f"{percent(lost / missed)} % of the missed") if missed else None]))


def _failures(view: View) -> Html | None:
    """Return what went wrong outside retrieval: refusals, replies that could not be read, endpoints that failed."""
    found: dict[tuple[str, str], int] = {}
    for row in view.run.rows:
        for reason, number in row.failures.items():
            found[row.strategy, reason] = found.get((row.strategy, reason), 0) + number
    if not found:
        return None
    body = [[header(strategy), prose(reason), cell(whole(number))] for (strategy, reason), number in found.items()]
    caption = "Failures, over all budgets and lengths"
    return table(["strategy", "reason", "questions"], body, caption=caption, wordy=2)
