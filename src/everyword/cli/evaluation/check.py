"""`everyword eval check`: whether a strategy holds its place, for machines that watch over it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Annotated, Any

import typer

from everyword.cli import terminal
from everyword.cli.evaluation.reports import Run
from everyword.cli.evaluation.table import MAIN, percent, tokens
from everyword.cli.options import Json
from everyword.errors import InvalidInputError

EXAMPLE = (
    "\b\nExamples:\n"
    "  everyword eval check results/s/run.json\n"
    "  everyword eval check results/s/run.json --strategy evidence --least 0.8"
)
Row = Mapping[str, Any]


def check(
    *,
    run: Run,
    strategy: Annotated[str, typer.Option("--strategy", metavar="NAME", help="Which one has to hold.")] = MAIN,
    least: Annotated[
        float, typer.Option("--least", metavar="SHARE", min=0.0, max=1.0, help="Of questions with all their evidence.")
    ] = 0.0,
    as_json: Json = False,
) -> None:
    """Exit 1 where another strategy did better, or fewer questions than --least have all their evidence.

    What sends more tokens than the strategy's budget is no rival.
    """
    from everyword.evals.document import read

    rows = read(run)["results"]
    own = [row for row in rows if row["strategy"] == strategy and row["all_evidence"] is not None]
    if not own:
        raise InvalidInputError(f"{run} has no figures of {strategy!r}: name a strategy that was run with --strategy.")
    failures = [failure for row in own for failure in _failures(row, rows, least)]
    if as_json:
        terminal.write_json({"ok": not failures, "failures": failures})
    else:
        terminal.write_lines(failures or [f"ok: {_said(row)}" for row in own])
    raise typer.Exit(1 if failures else 0)


def _failures(own: Row, rows: list[Row], least: float) -> Iterator[str]:
    if own["all_evidence"] < least:
        yield f"{_said(own)}: less than {percent(least)} %"
    for row in rows:
        if row["strategy"] != own["strategy"] and _competes(row, own) and row["all_evidence"] > own["all_evidence"]:
            yield f"{_said(own)}: less than {_said(row)}"


def _competes(row: Row, own: Row) -> bool:
    return row["length"] == own["length"] and row["budget"] <= own["budget"] and row["all_evidence"] is not None


def _said(row: Row) -> str:
    length = "" if row["length"] is None else f" of {tokens(row['length'])}"
    return f"{row['strategy']} @{row['budget']}{length} {percent(row['all_evidence'])} %"
