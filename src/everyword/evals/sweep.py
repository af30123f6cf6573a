"""How a reader fares with the same evidence at other places of a context, and beside more distractors.

Only contexts are made here: what reads them is a function, a language model or a fake. Liu et al., TACL 2024 (Lost in the
Middle): the position; Hong et al., 2025 (Context Rot): the number of distractors.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache

from everyword.evals.dataset import Case, Question, Said
from everyword.evals.intervals import wilson
from everyword.text.words import query_terms, terms

PASSAGES = 20
PLACES = (0, 9, 19)
AMOUNTS = (0, 1, 4)
CLOSED_BOOK = "closed book"

Reader = Callable[[str, Sequence[Said]], str]
"""Answers a question from passages."""
Judge = Callable[[Question, str], bool]


@dataclass(frozen=True, slots=True, kw_only=True)
class Condition:
    """One question with the passages that a reader gets, in their order."""

    name: str
    """The same for every question of a sweep, such as `position 10`."""
    question: Question
    passages: tuple[Said, ...]


def positions(
    case: Case, question: Question, places: Sequence[int] = PLACES, passages: int = PASSAGES
) -> Iterator[Condition]:
    """Yield the question without any passage, then its evidence at each place (0: first) among the same distractors."""
    evidence = _evidence(case, question)
    others = distractors(case, question, passages - len(evidence))
    yield Condition(name=CLOSED_BOOK, question=question, passages=())
    for place in places:
        before = min(place, len(others))
        found = (*others[:before], *evidence, *others[before:])
        yield Condition(name=f"position {place + 1}", question=question, passages=found)


def amounts(case: Case, question: Question, counts: Sequence[int] = AMOUNTS) -> Iterator[Condition]:
    """Yield the evidence with each number of distractors, those of a smaller number among them, before and after it."""
    evidence = _evidence(case, question)
    others = distractors(case, question, max(counts, default=0))
    for count in counts:
        found = (*reversed(others[:count][1::2]), *evidence, *others[:count][::2])
        yield Condition(name=f"distractors {count}", question=question, passages=found)


def distractors(case: Case, question: Question, count: int) -> tuple[Said, ...]:
    """Return the messages that share most with the question, by rare words first, and do not hold its answer."""
    wanted = query_terms(question.text)
    held = [_terms(said.text) for said in case.messages]
    common = Counter(term for each in held for term in each if term in wanted)
    weights = {term: math.log(1 + len(held) / number) for term, number in common.items()}
    scores = [sum(weights[term] for term in each if term in weights) for each in held]
    texts = {case.messages[place].text for place in question.evidence}
    found: dict[str, Said] = {}
    for place in sorted(range(len(held)), key=lambda place: (-scores[place], place)):
        said = case.messages[place]
        if len(found) == count:
            break
        if said.text not in texts and not _tells(said, question):
            found.setdefault(said.text, said)
    return tuple(found.values())


def _evidence(case: Case, question: Question) -> tuple[Said, ...]:
    return tuple(case.messages[place] for place in sorted(question.evidence))


def _tells(said: Said, question: Question) -> bool:
    told = [question.answer, *(words for _, words in question.quotes)]
    return any(words and words.casefold() in said.text.casefold() for words in told)


@lru_cache(maxsize=200_000)
def _terms(text: str) -> frozenset[str]:
    return frozenset(terms(text))


# ---- the measure ----


@dataclass(frozen=True, slots=True, kw_only=True)
class Share:
    """How many answers were right under one condition; the interval is Wilson's, 95 %."""

    right: int
    questions: int

    @property
    def accuracy(self) -> float:
        return self.right / self.questions

    @property
    def interval(self) -> tuple[float, float]:
        return wilson(self.right, self.questions)


def measured(conditions: Iterable[Condition], read: Reader, judge: Judge) -> dict[str, Share]:
    """Return the share of right answers by the name of the condition, in the order in which they come."""
    right: Counter[str] = Counter()
    asked: Counter[str] = Counter()
    for each in conditions:
        asked[each.name] += 1
        right[each.name] += judge(each.question, read(each.question.text, each.passages))
    return {name: Share(right=right[name], questions=number) for name, number in asked.items()}
