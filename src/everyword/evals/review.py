"""A sheet for people who check a judge: every answer it called wrong, and some that it called right."""

from __future__ import annotations

import csv
import hashlib
from collections.abc import Iterable
from typing import TextIO

from everyword.evals.outcome import Outcome
from everyword.evals.retrieval import NO_ROOM

RIGHT = 12
"""Answers of each strategy that were called right and are checked all the same."""
COLUMNS = (
    "case", "question", "kind", "strategy", "budget", "length", "text", "expected", "answer", "judge", "failure",
    "evidence in context", "person", "remark",
)  # fmt: skip
_FORMULA = ("=", "+", "-", "@", "\t", "\r")


def sheet(outcomes: Iterable[Outcome], *, right: int = RIGHT) -> list[Outcome]:
    """Return what has to be checked: all that was not called right, and `right` of the others of each strategy.

    The others are those with the smallest hashes, so that they are drawn without a preference and always the same.
    """
    judged = [each for each in outcomes if each.correct is not None or each.failure not in (None, NO_ROOM)]
    chosen = {id(each) for each in judged if not each.correct}
    for strategy in {each.strategy for each in judged}:
        held = [each for each in judged if each.strategy == strategy and each.correct]
        chosen |= {id(each) for each in sorted(held, key=_place)[:right]}
    return [each for each in judged if id(each) in chosen]


def write(outcomes: Iterable[Outcome], out: TextIO) -> None:
    """Write the sheet as CSV; the columns `person` and `remark` are to be filled in."""
    rows = csv.writer(out)
    rows.writerow(COLUMNS)
    for each in outcomes:
        rows.writerow([_harmless(value) for value in _row(each)])


def _row(outcome: Outcome) -> list[str]:
    evidence = "" if outcome.share is None else ("all" if outcome.complete else f"{outcome.share:.0%}")
    verdict = {True: "right", False: "wrong", None: ""}[outcome.correct]
    where = [outcome.case, outcome.question, outcome.kind, outcome.strategy, str(outcome.budget)]
    said = [outcome.text, outcome.expected, outcome.answer or "", verdict, outcome.failure or ""]
    return [*where, "" if outcome.target is None else str(outcome.target), *said, evidence, "", ""]


def _harmless(value: str) -> str:
    """Return the value so that a spreadsheet takes it for text and not for a formula."""
    return f"'{value}" if value.startswith(_FORMULA) else value


def _place(outcome: Outcome) -> bytes:
    return hashlib.blake2b(repr((outcome.key, outcome.strategy)).encode("utf-8", "backslashreplace")).digest()
