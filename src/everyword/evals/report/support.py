"""Whether a lead is more than noise: the rule for what stands in bold."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from everyword.evals.pairs import mcnemar
from everyword.evals.report.condition import Condition
from everyword.evals.report.figure import Figure, number
from everyword.evals.report.run import Measure, Run, Split, items, words

LEVEL = 0.05
Compared = Callable[[str, str], float | None]
"""Returns McNemar's p of two strategies on the same questions; None: they were not compared."""


def leader(figures: Mapping[str, Figure], compared: Compared) -> str | None:
    """Return the best strategy when it is ahead of every other by McNemar p < 0.05 or by intervals that do not touch."""
    known = {name: each for name, each in figures.items() if each.value is not None}
    ranked = sorted(known, key=lambda name: -(known[name].value or 0.0))
    if len(ranked) < 2 or known[ranked[0]].value == known[ranked[1]].value:
        return None
    best = ranked[0]
    return best if all(_ahead(known[best], known[other], compared(best, other)) for other in ranked[1:]) else None


def _ahead(best: Figure, other: Figure, p: float | None) -> bool:
    if p is not None:
        return p < LEVEL
    return best.low is not None and other.high is not None and best.low > other.high


def compared_in(run: Run, condition: Condition, measure: Measure) -> Compared:
    """Return the comparison of all questions, as the run made it."""
    found = {
        frozenset((pair.a, pair.b)): pair.p
        for pair in run.pairs
        if (pair.budget, pair.length, pair.measure) == (condition.budget, condition.length, measure)
    }
    return lambda a, b: found.get(frozenset((a, b)))


Verdicts = dict[str, dict[tuple[str, ...], bool]]
"""Whether each question is right, by strategy."""


def verdicts(run: Run, condition: Condition, measure: Measure, split: Split) -> dict[str, Verdicts]:
    """Return the verdicts of each group, by the outcomes that the document keeps."""
    found: dict[str, Verdicts] = {}
    for outcome in run.outcomes.get((condition.budget, condition.length), ()):
        verdict = _verdict(outcome, measure)
        if verdict is None:
            continue
        question = tuple(str(outcome.get(part)) for part in ("case", "question", "seed"))
        for name in _groups(outcome, split):
            found.setdefault(name, {}).setdefault(str(outcome.get("strategy")), {})[question] = verdict
    return found


def compared_within(found: Verdicts) -> Compared:
    """Return the comparison of the questions of one group."""
    return lambda a, b: _mcnemar(found.get(a), found.get(b))


def _verdict(outcome: Mapping[str, Any], measure: Measure) -> bool | None:
    if measure == "accuracy":
        correct = outcome.get("correct")
        return correct if isinstance(correct, bool) else None
    share = number(outcome.get("share"))
    return None if share is None else share == 1.0


def _groups(outcome: Mapping[str, Any], split: Split) -> Sequence[str]:
    """Return the groups that a question is in: one, or one for each label."""
    if split == "label":
        return [words(each) for each in items(outcome.get("labels"))]
    if split == "role":
        return ["+".join(words(each) for each in items(outcome.get("roles")))]
    return [words(outcome.get(split))]


def _mcnemar(a: Mapping[Any, bool] | None, b: Mapping[Any, bool] | None) -> float | None:
    if not a or not b or a.keys() != b.keys():
        return None
    only_a = sum(a[question] and not b[question] for question in a)
    return mcnemar(only_a, sum(b[question] and not a[question] for question in a))


def holm(p_values: Sequence[float | None]) -> list[float | None]:
    """Return p values corrected for their number (Holm, Scandinavian Journal of Statistics 1979)."""
    known = sorted((p, place) for place, p in enumerate(p_values) if p is not None)
    corrected: list[float | None] = [None] * len(p_values)
    highest = 0.0
    for rank, (p, place) in enumerate(known):
        highest = max(highest, min(1.0, p * (len(known) - rank)))
        corrected[place] = highest
    return corrected
