"""Two runs over the same questions, such as with a large and a small model: what each made of those they differ on."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import asdict, dataclass
from typing import Any

from everyword.evals.outcome import Key, Outcome


@dataclass(frozen=True, slots=True, kw_only=True)
class Difference:
    """One question with different verdicts."""

    a: Outcome
    b: Outcome

    def record(self) -> dict[str, Any]:
        """Return a JSON record: the question once, then what each said of it."""
        shared = ("dataset", "case", "question", "text", "kind", "strategy", "budget", "expected")
        own = ("answer", "correct", "failure")
        return {
            **{name: getattr(self.a, name) for name in shared},
            **{side: {name: getattr(each, name) for name in own} for side, each in (("a", self.a), ("b", self.b))},
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class Differences:
    """What two runs share and where they part."""

    questions: int
    """That both runs have."""
    both_right: int
    only_a: int
    only_b: int
    both_wrong: int
    unjudged: int
    """Without a verdict in one of them, or in both."""
    other_words: int
    """Answers that are not the same text, whatever the verdicts."""
    missing: int
    """Questions that only one run has."""
    differing: tuple[Difference, ...]
    """Different verdicts, one of which may be missing, in the order of the first run."""

    def record(self) -> dict[str, Any]:
        """Return a JSON record."""
        return asdict(self) | {"differing": [each.record() for each in self.differing]}


def differences(outcomes_a: Iterable[Outcome], outcomes_b: Iterable[Outcome]) -> Differences:
    """Return where two runs differ; questions pair by dataset, case, name, strategy, budget, length and seed."""
    ours, theirs = _by_key(outcomes_a), _by_key(outcomes_b)
    shared = [(ours[key], theirs[key]) for key in ours if key in theirs]
    verdicts = [(a.correct, b.correct) for a, b in shared]
    return Differences(
        questions=len(shared),
        both_right=verdicts.count((True, True)),
        only_a=verdicts.count((True, False)),
        only_b=verdicts.count((False, True)),
        both_wrong=verdicts.count((False, False)),
        unjudged=sum(None in pair for pair in verdicts),
        other_words=sum(a.answer != b.answer for a, b in shared),
        missing=len(ours.keys() ^ theirs.keys()),
        differing=tuple(Difference(a=a, b=b) for a, b in shared if a.correct != b.correct),
    )


def _by_key(outcomes: Iterable[Outcome]) -> dict[tuple[Key, str], Outcome]:
    return {(each.key, each.strategy): each for each in outcomes}
