"""Strategies two by two on the same questions."""

from __future__ import annotations

from collections.abc import Sequence

from everyword.evals.report.charts.sparks import duel
from everyword.evals.report.condition import Condition
from everyword.evals.report.look import Look
from everyword.evals.report.markup import Html, join, tag
from everyword.evals.report.numerals import NONE, points, probability, whole
from everyword.evals.report.run import MEASURES, Pair
from everyword.evals.report.support import LEVEL, holm
from everyword.evals.report.table import Cell, cell, header, table
from everyword.evals.report.view import Part, Section, View, capital, first_and_others, note, swatch

_MEANING = (
    "Exact McNemar test of the questions that only one of the two has right. Holm: corrected for all pairs of the table. "
    "Bold: corrected p < 0.05."
)


def pairs(view: View) -> Section | None:
    if not view.run.pairs:
        return None
    return view.section("pairs", "Paired comparisons", first_and_others(_tables(view)), note(_MEANING))


def families(view: View) -> dict[tuple[str, Condition], list[Pair]]:
    """Return the pairs by measure and condition: the main measure and the headline's condition first."""
    found: dict[tuple[str, Condition], list[Pair]] = {}
    for pair in view.run.pairs:
        condition = Condition(budget=pair.budget, length=pair.length)
        found.setdefault((pair.measure, condition), []).append(_turned(pair, view))
    order = sorted(found, key=lambda each: (each[1] != view.first, each[0] != view.measure))
    return {key: sorted(found[key], key=lambda pair: pair.a != view.main) for key in order}


def _turned(pair: Pair, view: View) -> Pair:
    """Return the pair with the main strategy at the left."""
    if pair.b != view.main:
        return pair
    return Pair(
        budget=pair.budget,
        length=pair.length,
        measure=pair.measure,
        a=pair.b,
        b=pair.a,
        n=pair.n,
        only_a=pair.only_b,
        only_b=pair.only_a,
        p=pair.p,
    )


def _tables(view: View) -> list[Part]:
    return [
        Part(
            title=capital(f"{_name(measure)}: budget of {condition.name}"),
            brief=("" if len(view.measures) == 1 else f"{_name(measure)} ") + view.brief(condition),
            body=_table(view, family),
        )
        for (measure, condition), family in families(view).items()
    ]


def _name(measure: str) -> str:
    return next((name for key, name in MEASURES.items() if key == measure), measure)


def _table(view: View, family: Sequence[Pair]) -> Html:
    most = max(max(pair.only_a, pair.only_b) for pair in family)
    corrected = holm([pair.p for pair in family])
    body = [_row(view, pair, most, p) for pair, p in zip(family, corrected, strict=True)]
    heads = ["pair", "n", "only the first", "", "only the second", "difference, points", "p", "p, Holm"]
    return table(heads, body, caption="Pairs of strategies on the same questions", named=True, class_="pairs")


def _row(view: View, pair: Pair, most: int, corrected: float | None) -> list[Cell]:
    looks = tuple(view.looks.get(name, Look(slot=1, mark=0)) for name in (pair.a, pair.b))
    names = join([swatch(looks[0]), f" {pair.a} ", tag("i", "or"), Html(" "), swatch(looks[1]), f" {pair.b}"])
    sure = corrected is not None and corrected < LEVEL
    return [
        header(names),
        cell(whole(pair.n)),
        cell(whole(pair.only_a)),
        cell(duel(pair.only_a, pair.only_b, most, (looks[0].colour, looks[1].colour))),
        cell(whole(pair.only_b)),
        cell(points((pair.only_a - pair.only_b) / pair.n) if pair.n else NONE),
        cell(probability(pair.p)),
        cell(tag("strong", probability(corrected)) if sure else probability(corrected)),
    ]
