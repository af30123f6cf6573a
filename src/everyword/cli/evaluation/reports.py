"""`everyword eval report`, `pairs` and `review`: what is made of runs that are done."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Any

import typer

from everyword.cli import terminal
from everyword.cli.evaluation.table import pairs as pair_lines
from everyword.cli.evaluation.table import table
from everyword.cli.options import Json
from everyword.errors import InvalidInputError

REPORT_EXAMPLE = (
    "\b\nExamples:\n"
    "  everyword eval report results/s/run.json\n"
    "  everyword eval report results/*/run.json --html all.html --card all.md"
)
PAIRS_EXAMPLE = (
    "\b\nExamples:\n"
    "  everyword eval pairs results/s/run.json\n"
    "  everyword eval pairs before/run.json after/run.json --strategy evidence"
)
REVIEW_EXAMPLE = "\b\nExample:\n  everyword eval review results/s/run.json --csv review.csv"
Runs = Annotated[list[Path], typer.Argument(metavar="RUN", help="Documents that --out or --json wrote.")]
Run = Annotated[Path, typer.Argument(metavar="RUN", help="A document that --out or --json wrote.")]


def report(
    *,
    runs: Runs,
    html: Annotated[Path | None, typer.Option("--html", metavar="FILE", help="Write one page there.")] = None,
    card: Annotated[Path | None, typer.Option("--card", metavar="FILE", help="Write a Markdown card there.")] = None,
    merge: Annotated[bool, typer.Option("--merge", help="Take runs over the same data as one.")] = False,
    as_json: Json = False,
) -> None:
    """Show the figures of runs again, or write them as a page or a card.

    With --merge, runs of different strategies or lengths over the same data
    stand side by side, with exact tests between them.
    """
    from everyword.evals.document import merged, read

    documents = [read(path) for path in runs]
    if merge:
        documents = [merged(documents)]
    _write_reports(documents, html, card)
    if as_json:
        terminal.write_json(documents[0] if len(documents) == 1 else documents)
    elif html is None and card is None:
        print("\n".join(terminal.visible(table(each)) for each in documents), end="")


def _write_reports(documents: Sequence[dict[str, Any]], html: Path | None, card: Path | None) -> None:
    from everyword.evals.report import card as written_card
    from everyword.evals.report import page

    for path, made in ((html, page), (card, written_card)):
        if path is not None:
            path.write_text(made(documents), "utf-8", errors="backslashreplace")
            terminal.say(f"Written to {path}.")


def pairs(
    *,
    runs: Runs,
    strategy: Annotated[
        str | None, typer.Option("--strategy", metavar="NAME", help="Of two runs: only this strategy.")
    ] = None,
    measure: Annotated[
        str, typer.Option("--measure", metavar="M", help="all_evidence or accuracy; of two runs.")
    ] = "all_evidence",
    as_json: Json = False,
) -> None:
    """Compare strategies, or two runs, on the same questions: exact McNemar.

    One run: every two of its strategies. Two runs, such as before and after a
    change or with a large and a small model: the same strategy in both.
    """
    from everyword.evals.document import read

    documents = [read(path) for path in runs]
    if len(documents) > 2:
        raise InvalidInputError("Compare one run or two: name one or two documents.")
    found = documents[0]["pairs"] if len(documents) == 1 else _between(documents, strategy, measure)
    if as_json:
        terminal.write_json(found)
    elif found:
        print(pair_lines(found, main=None))
    else:
        terminal.say("There is nothing to compare: no two strategies were asked the same questions.")


def _between(documents: Sequence[dict[str, Any]], strategy: str | None, measure: str) -> list[dict[str, Any]]:
    """Return the comparison of each strategy of the first run with itself in the second."""
    from everyword.evals.document import outcomes_of
    from everyword.evals.pairs import MEASURES, compared
    from everyword.evals.tally import conditions

    if measure not in MEASURES:
        raise InvalidInputError(f"--measure {measure!r}: choose one of {', '.join(MEASURES)}.")
    first, second = (conditions(outcomes_of(each)) for each in documents)
    found = [
        compared(outcomes, second[key], measure, a=f"{key[0]} (1)", b=f"{key[0]} (2)", budget=key[1], length=key[2])
        for key, outcomes in first.items()
        if key in second and strategy in (None, key[0])
    ]
    return [pair.record() for pair in found if pair.n]


def review(
    *,
    run: Run,
    csv: Annotated[Path, typer.Option("--csv", metavar="FILE", help="Where the sheet goes.")],
    as_json: Json = False,
) -> None:
    """Write the sheet on which a person checks a judge.

    It has every answer that was not called right, and of each strategy 12 that
    were, drawn without preference.
    """
    from everyword.evals.document import outcomes_of, read
    from everyword.evals.review import sheet, write

    chosen = sheet(outcomes_of(read(run)))
    with csv.open("w", encoding="utf-8-sig", errors="backslashreplace", newline="") as file:
        write(chosen, file)
    wrong = sum(not each.correct for each in chosen)
    if as_json:
        terminal.write_json({"file": str(csv), "rows": len(chosen), "not_right": wrong})
    else:
        terminal.say(f"{csv}: {wrong} answers not called right, {len(chosen) - wrong} called right.")
