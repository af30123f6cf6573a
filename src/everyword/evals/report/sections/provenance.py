"""What was run, on what, and how far the figures carry."""

from __future__ import annotations

from collections.abc import Sequence

from everyword.evals.report.figure import number
from everyword.evals.report.markup import Html, tag
from everyword.evals.report.numerals import tokens, whole
from everyword.evals.report.run import SPLITS, Run, counts, words
from everyword.evals.report.sections.groups import SMALL
from everyword.evals.report.view import Section, View

_NAMES = {
    "everyword": "everyword",
    "started_at": "started",
    "embedder": "embedder",
    "reranker": "reranker",
    "counter": "token counter",
    "answerer": "answerer",
    "judge": "judge",
    "seed": "seed",
}
_LONG = 34
"""Letters above which a fact takes two columns."""
_NOISE = 100
"""Questions below which one or two more or less are called noise."""


def provenance(view: View) -> Section:
    run = view.run
    return view.section(
        "provenance",
        "What was run",
        tag("pre", words(run.source.get("command")) or "The command was not recorded.", class_="command"),
        tag("dl", *(_fact(name, value) for name, value in facts(run)), class_="facts wide"),
        tag("h3", "Limits"),
        tag("ul", *(tag("li", each) for each in limits(run)), class_="limits"),
    )


def _fact(name: str, value: str) -> Html:
    shown = tag("code", value) if name in {"run", "sha256 of the dataset"} else value
    return tag("div", tag("dt", name), tag("dd", shown), class_="long" if len(value) > _LONG else None)


def facts(run: Run) -> list[tuple[str, str]]:
    """Return what determines the figures; what a run did not use says so."""
    source = run.source
    left_out = counts(source.get("left_out"))
    return [
        ("run", words(source.get("run")) or "not recorded"),
        ("task", run.task),
        ("dataset", run.dataset),
        ("sha256 of the dataset", words(source.get("sha256")) or "not recorded"),
        ("cases", whole(max((len(row.groups["case"]) for row in run.rows), default=0) or None)),
        ("messages", whole(number(source.get("messages")))),
        ("tokens", whole(number(source.get("tokens")))),
        ("left out", ", ".join(f"{each:,} ({reason})" for reason, each in left_out.items()) or "nothing"),
        ("strategies", ", ".join(run.strategies) or "none"),
        ("budgets", ", ".join(_budgets(run)) or "none"),
        ("lengths", ", ".join(tokens(length) for length in run.lengths) or "as published"),
        *((shown, words(source.get(name)) or "none") for name, shown in _NAMES.items()),
    ]


def _budgets(run: Run) -> Sequence[str]:
    return [whole(budget) for budget in sorted({row.budget for row in run.rows if row.budget is not None})]


def limits(run: Run) -> list[str]:
    """Return what a reader must know before a figure is quoted."""
    found = [*_worth(run), *_small(run)]
    found.append(
        "Intervals and tests take questions as independent. Questions of one case share its history, so the true "
        "intervals are wider; the mean over cases is given beside the mean over questions."
    )
    found.append("Means (share of the evidence, order, tokens) and percentiles are given without intervals.")
    found.append(
        "All evidence counts a long message as packed when a part of it is; “whole messages” is the stricter figure."
    )
    if run.task == "answering":
        found.append(f"Verdicts are those of the judge ({words(run.source.get('judge')) or 'not named'}).")
    else:
        found.append("Retrieval alone: whether a model then reads the evidence rightly is not measured here.")
    return found


def _worth(run: Run) -> list[str]:
    sizes = sorted({row.of(measure).n for row in run.rows for measure in run.measures if row.of(measure).known})
    if not sizes:
        return ["No questions were measured."]
    least = sizes[0]
    said = f"n = {least:,}: one question is worth {_points(least)}."
    if least < _NOISE:
        said += " n is small: a difference of one or two questions is noise."
    return [said]


def _points(n: int) -> str:
    worth = 100 / n
    text = f"{worth:.1f}" if worth >= 0.95 else f"{worth:.2f}"
    return f"{text} points"


def _small(run: Run) -> list[str]:
    """Return the groups in which a few questions decide."""
    small: dict[str, int] = {}
    for row in run.rows:
        for split in SPLITS[:-1]:
            found = {name: group.questions for name, group in row.groups[split].items()}
            small |= {name: n for name, n in found.items() if 0 < n < SMALL}
    if not small:
        return []
    listed = ", ".join(f"{name} ({n}: {_points(n)})" for name, n in small.items())
    return [f"Small groups, with what one question is worth: {listed}."]
