"""Rows of figures from outcomes: one for each strategy, budget and length."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from statistics import fmean, median, pstdev, stdev
from typing import Any

from everyword.evals.intervals import wilson
from everyword.evals.outcome import Condition, Outcome

Test = Callable[[Outcome], bool | None]
_MISSES = ("not stored", "not found", "not packed")


def conditions(outcomes: Iterable[Outcome]) -> dict[Condition, list[Outcome]]:
    """Return the outcomes of each row: strategies and budgets in the order in which they come, lengths from the shortest."""
    found: dict[Condition, list[Outcome]] = {}
    for each in outcomes:
        found.setdefault(each.condition, []).append(each)
    strategies, budgets = ({key: place for place, key in enumerate(dict.fromkeys(part))} for part in _first_two(found))
    return dict(sorted(found.items(), key=lambda each: (strategies[each[0][0]], budgets[each[0][1]], each[0][2] or 0)))


def _first_two(found: Iterable[Condition]) -> tuple[list[Any], list[Any]]:
    known = list(found)
    return [each[0] for each in known], [each[1] for each in known]


def rows(
    outcomes: Iterable[Outcome], bytes_on_disk: dict[tuple[str, int | None], float] | None = None
) -> list[dict[str, Any]]:
    """Return the rows; shares are from 0 to 1, None where nothing tells. `bytes_on_disk`: by strategy and target."""
    sizes = bytes_on_disk or {}
    return [
        {**row(group), "bytes": sizes.get((strategy, target))}
        for (strategy, _, target), group in conditions(outcomes).items()
    ]


def row(group: Sequence[Outcome]) -> dict[str, Any]:
    """Return the figures of one strategy at one budget and length."""
    known = [each for each in group if each.share is not None]
    first = group[0]
    return {
        "strategy": first.strategy,
        "budget": first.budget,
        "length": first.target,
        "history_tokens": fmean([each.length for each in group]),
        "questions": _distinct(known),
        **_evidence(known),
        **_accuracy(group),
        **_cost(group),
        **_ranked(known),
        "worst_rank_median": _median_rank([each.worst_rank for each in known]),
        "misses": {name: sum(each.miss == name for each in known) for name in _MISSES},
        "failures": dict(Counter(each.failure for each in group if each.failure)),
        "abstention": _abstention(group),
        "by_kind": _split(group, lambda each: [each.kind]),
        "by_case": _split(group, lambda each: [each.case]),
        "by_role": _split(group, lambda each: ["+".join(each.roles)] if each.roles else []),
        "by_label": _split(group, lambda each: list(each.labels)),
        **_repeated(known),
    }


def _evidence(known: Sequence[Outcome]) -> dict[str, Any]:
    low, high = interval(known, _complete)
    return {
        "all_evidence": share(known, _complete),
        "all_evidence_low": low,
        "all_evidence_high": high,
        "all_evidence_whole": share(known, lambda each: each.share_whole == 1.0),
        "all_evidence_macro": _macro(known),
        "evidence_share": _mean([each.share for each in known if each.share is not None]),
    }


def _accuracy(group: Sequence[Outcome]) -> dict[str, Any]:
    """Return what the judge said, also apart for contexts with all the evidence and for those without."""
    told = [each for each in group if each.correct is not None]
    if not told:
        return dict.fromkeys(
            ("accuracy", "accuracy_low", "accuracy_high", "accuracy_with_evidence", "accuracy_without_evidence")
        )
    low, high = interval(told, _correct)
    known = [each for each in told if each.share is not None and each.answerable]
    return {
        "accuracy": share(told, _correct),
        "accuracy_low": low,
        "accuracy_high": high,
        "judged": _distinct(told),
        "accuracy_with_evidence": _part_of([each for each in known if each.complete]),
        "accuracy_without_evidence": _part_of([each for each in known if not each.complete]),
    }


def _part_of(outcomes: Sequence[Outcome]) -> dict[str, Any]:
    low, high = interval(outcomes, _correct)
    return {"questions": len(outcomes), "share": share(outcomes, _correct), "low": low, "high": high}


def _cost(group: Sequence[Outcome]) -> dict[str, Any]:
    tokens = [each.tokens for each in group if not _has_no_context(each)] or [0]
    times = sorted(each.milliseconds for each in group)
    return {
        "tokens_mean": fmean(tokens),
        "tokens_sd": pstdev(tokens),
        "tokens_max": max(tokens),
        "calls": sum(each.calls for each in group),
        **{f"p{percent}_ms": percentile(times, percent) for percent in (50, 95, 99)},
    }


def _has_no_context(outcome: Outcome) -> bool:
    return outcome.tokens == 0 and outcome.failure is not None


def percentile(ordered: Sequence[float], percent: float) -> float:
    """Return a percentile of sorted values, between neighbours by their distance."""
    place = (len(ordered) - 1) * percent / 100
    below = int(place)
    above = min(below + 1, len(ordered) - 1)
    return ordered[below] + (ordered[above] - ordered[below]) * (place - below)


def _ranked(known: Sequence[Outcome]) -> dict[str, dict[str, float]]:
    """Return the mean of each measure of rankings, and how many questions have it."""
    found: dict[str, list[float]] = {}
    for each in known:
        for name, value in each.ranked.items():
            found.setdefault(name, []).append(value)
    return {
        "ranked": {name: fmean(values) for name, values in found.items()},
        "ranked_questions": {name: len(values) for name, values in found.items()},
    }


def _median_rank(ranks: Sequence[int | None]) -> float | None:
    """Return the median, None where evidence without a rank is in the middle."""
    middle = median([float("inf") if rank is None else float(rank) for rank in ranks]) if ranks else float("inf")
    return None if middle == float("inf") else middle


def _abstention(group: Sequence[Outcome]) -> dict[str, Any] | None:
    told = [each for each in group if each.no_evidence is not None]
    unanswerable = [each for each in told if not each.answerable]
    answerable = [each for each in told if each.answerable]
    if not told or not unanswerable:
        return None
    return {
        "questions": _distinct(unanswerable),
        "caught": share(unanswerable, lambda each: each.no_evidence),
        "answerable": _distinct(answerable),
        "false_alarms": share(answerable, lambda each: each.no_evidence),
    }


def _split(group: Sequence[Outcome], names: Callable[[Outcome], list[str]]) -> dict[str, dict[str, Any]]:
    """Return the figures of each part of the outcomes; one outcome may be in several."""
    parts: dict[str, list[Outcome]] = {}
    for each in group:
        for name in names(each):
            parts.setdefault(name, []).append(each)
    return {name: _part(parts[name]) for name in sorted(parts)}


def _part(outcomes: Sequence[Outcome]) -> dict[str, Any]:
    known = [each for each in outcomes if each.share is not None]
    told = [each for each in outcomes if each.correct is not None]
    low, high = interval(known, _complete)
    accuracy_low, accuracy_high = interval(told, _correct)
    return {
        "questions": _distinct(known or told),
        "all_evidence": share(known, _complete),
        "low": low,
        "high": high,
        "accuracy": share(told, _correct),
        "accuracy_low": accuracy_low,
        "accuracy_high": accuracy_high,
        "tokens_mean": fmean([each.tokens for each in outcomes]),
    }


def _repeated(known: Sequence[Outcome]) -> dict[str, Any]:
    """Return how the share varies between seeds, where there are several."""
    by_seed: dict[int | None, list[Outcome]] = {}
    for each in known:
        by_seed.setdefault(each.seed, []).append(each)
    if len(by_seed) < 2:
        return {}
    shares = [fmean([each.complete for each in group]) for group in by_seed.values()]
    return {"seeds": len(shares), "all_evidence_sd": stdev(shares)}


def share(outcomes: Sequence[Outcome], test: Test) -> float | None:
    """Return the share of the outcomes that pass; None without any."""
    return _mean([bool(test(each)) for each in outcomes])


def interval(outcomes: Sequence[Outcome], test: Test) -> tuple[float | None, float | None]:
    """Return the 95 % interval of a share; a question that was asked under several seeds counts once."""
    passed, trials = share(outcomes, test), _distinct(outcomes)
    return (None, None) if passed is None else wilson(passed * trials, trials)


def _macro(outcomes: Sequence[Outcome]) -> float | None:
    """Return the mean over the cases."""
    by_case: dict[str, list[bool]] = {}
    for each in outcomes:
        by_case.setdefault(each.case, []).append(each.complete)
    return _mean([fmean(each) for each in by_case.values()])


def _distinct(outcomes: Iterable[Outcome]) -> int:
    return len({(each.case, each.question, each.text) for each in outcomes})


def _mean(values: Sequence[float]) -> float | None:
    return fmean(values) if values else None


def _complete(outcome: Outcome) -> bool:
    return outcome.complete


def _correct(outcome: Outcome) -> bool | None:
    return outcome.correct
