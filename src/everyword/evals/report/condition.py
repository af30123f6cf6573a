"""A condition: strategies are compared at one budget, in histories of one length."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from everyword.evals.report.figure import Figure
from everyword.evals.report.numerals import tokens
from everyword.evals.report.run import Measure, Row, Run

MAIN = "evidence"
"""The strategy that a page is about when it was run."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Condition:
    """Under what strategies were compared."""

    budget: int | None
    length: int | None
    """None: as published."""

    @property
    def name(self) -> str:
        budget = "no budget" if self.budget is None else f"{tokens(self.budget)} tokens"
        return f"{budget}, {length_name(self.length)}"


def length_name(length: int | None) -> str:
    return "history as published" if length is None else f"history of {tokens(length)} tokens"


def main_strategy(run: Run) -> str | None:
    """Return `evidence` when it was run, else the first strategy."""
    return MAIN if MAIN in run.strategies else next(iter(run.strategies), None)


def conditions(run: Run) -> list[Condition]:
    """Return the conditions of the main strategy, then what only others were run at; the one of the headline first."""
    main = main_strategy(run)
    ordered = sorted(run.rows, key=lambda row: (row.strategy != main, row.length is not None, row.length or 0))
    single = {name for name in run.strategies if len({row.budget for row in run.rows if row.strategy == name}) == 1}
    kept = [row for row in ordered if row.strategy == main or row.strategy not in single]
    found = dict.fromkeys(Condition(budget=row.budget, length=row.length) for row in kept)
    first = headline(run)
    return sorted(found, key=lambda each: each != first)


def headline(run: Run) -> Condition | None:
    """Return where the headline is read: the smallest budget, as published or else the longest history."""
    rows = [row for row in run.rows if row.strategy == main_strategy(run)]
    if not rows:
        return None
    budget = min((row.budget for row in rows if row.budget is not None), default=None)
    lengths = [row.length for row in rows if row.budget == budget]
    known = [length for length in lengths if length is not None]
    return Condition(budget=budget, length=None if len(known) < len(lengths) else max(known))


def rows_at(run: Run, condition: Condition) -> list[Row]:
    """Return one row a strategy: the main one first, those that are there for reference last."""
    found = [row for row in (row_at(run, name, condition) for name in run.strategies) if row is not None]
    main = main_strategy(run)
    return sorted(found, key=lambda row: (row.strategy != main, not within_budget(row, condition)))


def row_at(run: Run, strategy: str, condition: Condition) -> Row | None:
    """Return the row of this budget, or of the only budget that the strategy was run at."""
    rows = [row for row in run.rows if row.strategy == strategy and row.length == condition.length]
    exact = [row for row in rows if row.budget == condition.budget]
    budgets = {row.budget for row in run.rows if row.strategy == strategy}
    return next(iter(exact or (rows if len(budgets) == 1 else [])), None)


def within_budget(row: Row, condition: Condition) -> bool:
    """Tell whether a row competes: what sends more than the budget is there for reference."""
    sent = row.tokens_max if row.tokens_max is not None else row.tokens_mean
    return condition.budget is None or sent is None or sent <= condition.budget


def competing(rows: Sequence[Row], condition: Condition, measure: Measure) -> dict[str, Figure]:
    return {row.strategy: row.of(measure) for row in rows if within_budget(row, condition)}
