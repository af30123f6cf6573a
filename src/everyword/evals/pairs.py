"""Two strategies on the same questions: how often only one of them is right, and whether that is chance."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from itertools import combinations
from typing import Any

from everyword.evals.outcome import Outcome

_At = tuple[int, int | None]
"""Budget and target."""
_Question = tuple[str, str, str, int | None, int | None]
MEASURES: Mapping[str, Callable[[Outcome], bool | None]] = {
    "all_evidence": lambda outcome: None if outcome.share is None else outcome.complete,
    "accuracy": lambda outcome: outcome.correct,
}
"""What an outcome counts as under each measure; None: it does not count."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Pair:
    """A comparison of `a` and `b` over the questions that both were asked."""

    budget: int
    length: int | None
    measure: str
    a: str
    b: str
    n: int
    only_a: int
    """Questions that only `a` gets right."""
    only_b: int
    p: float

    def record(self) -> dict[str, Any]:
        """Return a JSON record."""
        return asdict(self)


def pairs(outcomes: Iterable[Outcome]) -> list[Pair]:
    """Return a comparison of every two strategies at each budget and length, in the order in which they come.

    A strategy with one budget of its own, such as a whole history, is compared at every budget of the others; such a
    comparison is listed under the budget that more strategies have.
    """
    found: list[Pair] = []
    arms: dict[str, dict[_At, list[Outcome]]] = {}
    for each in outcomes:
        arms.setdefault(each.strategy, {}).setdefault((each.budget, each.target), []).append(each)
    users = Counter(budget for by_place in arms.values() for budget in {budget for budget, _ in by_place})
    for measure in MEASURES:
        for a, b in combinations(arms, 2):
            for ours, theirs in _matched(list(arms[a]), list(arms[b])):
                first, second = arms[a][ours], arms[b][theirs]
                budget = max(sorted((ours[0], theirs[0])), key=users.__getitem__)
                pair = compared(first, second, measure, a=a, b=b, budget=budget, length=ours[1])
                found.extend([pair] if pair.n else [])
    return found


def _matched(ours: Sequence[_At], theirs: Sequence[_At]) -> Iterator[tuple[_At, _At]]:
    """Yield what is compared with what: equal budgets, or the only budget of one with each of the other's."""
    budgets, others = ({budget for budget, _ in each} for each in (ours, theirs))
    one_each = not budgets & others and 1 in (len(budgets), len(others))
    for mine in ours:
        for other in theirs:
            if mine[1] == other[1] and (one_each or mine[0] == other[0]):
                yield mine, other


def compared(
    first: Iterable[Outcome],
    second: Iterable[Outcome],
    measure: str,
    *,
    a: str,
    b: str,
    budget: int,
    length: int | None,
) -> Pair:
    """Return the comparison of two lists of outcomes of the same questions."""
    ours, theirs = _verdicts(first, measure), _verdicts(second, measure)
    shared = ours.keys() & theirs.keys()
    only_a = sum(ours[key] and not theirs[key] for key in shared)
    only_b = sum(theirs[key] and not ours[key] for key in shared)
    return Pair(
        budget=budget,
        length=length,
        measure=measure,
        a=a,
        b=b,
        n=len(shared),
        only_a=only_a,
        only_b=only_b,
        p=mcnemar(only_a, only_b),
    )


def _verdicts(outcomes: Iterable[Outcome], measure: str) -> dict[_Question, bool]:
    judged = (((*each.key[:3], *each.key[4:]), MEASURES[measure](each)) for each in outcomes)
    return {key: verdict for key, verdict in judged if verdict is not None}


def mcnemar(only_a: int, only_b: int) -> float:
    """Return the two-sided p of McNemar's exact test: how likely so uneven a split of the differing questions is by chance."""
    differing, fewer = only_a + only_b, min(only_a, only_b)
    ways = sum(math.comb(differing, count) for count in range(fewer + 1))
    return min(1.0, 2 * ways / 2**differing)
