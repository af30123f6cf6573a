"""Every kind of generated question by its name, and the data set that is made of them."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import cycle
from random import Random

from everyword.errors import InvalidInputError
from everyword.evals.dataset import Case, Dataset, Question
from everyword.evals.filler import generated
from everyword.evals.generated import asides, needles, never, preferences, sets, temporal, updates
from everyword.evals.generated.grammar import seeded
from everyword.evals.generated.history import Staged, case, staged
from everyword.evals.generated.stock import known_language
from everyword.evals.generated.unit import Unit
from everyword.evals.haystack import compose

Source = Callable[[str, Random], Iterator[Unit]]

_SOURCES: dict[str, Source] = {
    "needles": needles.units,
    "asides": asides.units,
    "updates": updates.units,
    "sets": sets.units,
    "temporal": temporal.units,
    "preferences": preferences.units,
}
_OF_NEVER = ("needles", "asides", "updates", "sets")
SOURCES = {
    "needles": "needles",
    "asides": "asides",
    "updates": "updates",
    "counts": "sets",
    "lists": "sets",
    "temporal": "temporal",
    "preferences": "preferences",
    "never": "never",
}
"""Where the units of a kind come from: counts and lists are questions about the same things."""
KINDS = tuple(SOURCES)
_WEIGHTS = {"counts": 10, "lists": 10, "temporal": 12, "preferences": 4}
_WEIGHT = 16
_EVIDENCE_SHARE = 0.9
"""Of a history's tokens that facts may take; what is over goes into another history."""


def generate(
    kinds: Sequence[str] = KINDS, language: str = "en", questions: int = 100, tokens: int = 15_000, seed: int = 0
) -> Dataset:
    """Return questions of these kinds over a generated history of about `tokens` tokens, the same for the same arguments.

    One case where the facts of all questions fit into nine tenths of it, else as few as can be. Kinds share the questions
    by weight; with all of them, 16 of 100 have no answer. Raise InvalidInputError.
    """
    known_language(language)
    if questions < 1:
        raise InvalidInputError(f"There must be at least 1 question, not {questions}.")
    wanted = _shares(kinds, questions)
    cases = [_filled_up(each, language, tokens, seed) for each in _cases(wanted, language, tokens, seed)]
    return Dataset(name=f"generated-{language}", sha256=_sha256(cases), cases=iter(cases))


def _shares(kinds: Sequence[str], questions: int) -> dict[str, int]:
    """Return how many questions each kind has: by weight, the largest remainders rounded up."""
    unknown = [kind for kind in kinds if kind not in SOURCES]
    if unknown or not kinds:
        raise InvalidInputError(f"No kinds {', '.join(unknown)!r}: choose from {', '.join(KINDS)}.")
    weights = {kind: _WEIGHTS.get(kind, _WEIGHT) for kind in dict.fromkeys(kinds)}
    exact = {kind: questions * weight / sum(weights.values()) for kind, weight in weights.items()}
    found = {kind: int(share) for kind, share in exact.items()}
    left = sorted(found, key=lambda kind: found[kind] - exact[kind])[: questions - sum(found.values())]
    return {kind: number + (kind in left) for kind, number in found.items()}


def _cases(wanted: dict[str, int], language: str, tokens: int, seed: int) -> Iterator[Case]:
    """Yield histories that hold the facts alone, until every question is asked."""
    left = dict(wanted)
    positions = cycle(needles.POSITIONS)
    number = 0
    while any(left.values()):
        number += 1
        plan, said = seeded("plan", seed, number), seeded("said", seed, number)
        room = int(tokens * _EVIDENCE_SHARE)
        found = _Drawing(language=language, plan=plan, said=said, left=left, room=room, positions=positions).drawn()
        if not found:
            raise InvalidInputError(f"{tokens} tokens hold no question with its evidence: ask for a longer history.")
        yield case(f"{language}-{seed}-{number}", found, language, seeded("places", seed, number))


@dataclass(slots=True, kw_only=True)
class _Drawing:
    """Which units one history gets: kinds in turn by what they still lack, until its room or a source is used up."""

    language: str
    plan: Random
    """Draws what is said and asked, the same in both Chinese scripts."""
    said: Random
    """Draws what stands around it."""
    left: dict[str, int]
    """Questions that are still to be asked, by kind; it counts down."""
    room: int
    """Tokens."""
    positions: Iterator[int]
    """Of needles, in turn over all histories."""
    sources: dict[str, Iterator[Unit]] = field(default_factory=dict[str, Iterator[Unit]])

    def __post_init__(self) -> None:
        for name, source in _SOURCES.items():
            self.sources[name] = source(self.language, self.plan)
        self.sources["never"] = never.units([self.sources[name] for name in _OF_NEVER], self.plan)

    def drawn(self) -> list[Staged]:
        """Return the units of this history."""
        at_first = dict(self.left)
        found: list[Staged] = []
        while open_kinds := [kind for kind, number in self.left.items() if number]:
            kind = max(open_kinds, key=lambda each: self.left[each] / at_first[each])
            unit = next(self.sources[SOURCES[kind]], None)
            each = None if unit is None else self._wanted(unit)
            if each is None or each.tokens > self.room:
                return found
            self.room -= each.tokens
            for asked in each.unit.asked:
                self.left[asked.kind] -= 1
            found.append(each)
        return found

    def _wanted(self, unit: Unit) -> Staged:
        """Return the unit with those of its questions that are still wanted."""
        left = dict(self.left)
        asked: list[int] = []
        for place, each in enumerate(unit.asked):
            if left.get(each.kind, 0) > 0:
                left[each.kind] -= 1
                asked.append(place)
        found = replace(unit, asked=tuple(unit.asked[place] for place in asked))
        if asked and found.asked[0].kind == "needles":
            found = needles.positioned(found, next(self.positions))
        return staged(found, self.language, self.said)


def _filled_up(core: Case, language: str, tokens: int, seed: int) -> Case:
    return compose(core, tokens, generated(language), seed=f"{seed} {core.name}")


def _sha256(cases: Iterable[Case]) -> str:
    """Return the hash of all that is said and asked."""
    digest = hashlib.sha256()
    for each in cases:
        said = [[one.role, one.text, one.session, one.created_at] for one in each.messages]
        asked = [_record(question) for question in each.questions]
        digest.update(json.dumps([each.name, said, asked], ensure_ascii=False).encode())
    return digest.hexdigest()


def _record(question: Question) -> list[object]:
    return [
        question.name,
        question.text,
        question.answer,
        question.answerable,
        question.asked_at,
        sorted(question.evidence),
        question.quotes,
        question.labels,
        question.rubric,
    ]
