"""The words of a question that its evidence has to hold: each with a weight, and what may stand for it."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import date
from functools import cached_property

from everyword.text import dates
from everyword.text.related import stand_ins
from everyword.text.words import UNSPACED, query_terms, terms

_PLAIN = frozenset(
    terms(
        "many much kind sort type thing last latest recent recently first time current currently number name tell say said "
        "mention day week month year going go went come came make made use used want need like one two ever long often feel "
        "think plan previous previously different accord"
    )
)
"""Words that say what kind of answer is asked for, and hardly what about."""
_PLAIN_WEIGHT = 0.3
_ASKING = frozenset(
    "我你您她他它们的了吗呢吧啊是在有和跟与及哪什么谁几多少怎为何要会能可以被把给到从过上次这那就也都还之前后时候请问最新目前"
    "依说个只家条位种项场部份件本"
)
"""Characters, in Simplified script, that ask or join; a pair with one of them says less, a pair of two nothing."""
_HALF_ASKING_WEIGHT = 0.4
_STAND_IN = 0.5
AROUND = 0.5
"""What a term counts that stands around a line and not in it."""
_ANY_DAY = date(2000, 1, 1)
_WORD = re.compile(rf"[{UNSPACED}]|[^\W_{UNSPACED}]+(?:['’][^\W_{UNSPACED}]+)*")
_IS_UNSPACED = re.compile(f"[{UNSPACED}]")
_LEAST_DIGITS = 3


@dataclass(frozen=True, kw_only=True)
class Wanted:
    """Terms without those of dates, which are matched as days and not as words."""

    weights: Mapping[str, float]
    stand_ins: Mapping[str, frozenset[str]]
    unseen: frozenset[str]
    """Terms that stand nowhere in the history."""
    names: frozenset[str]
    """Terms of names and of long numbers."""
    question: str

    def share(self, held: frozenset[str], around: frozenset[str] = frozenset(), *, power: int = 1) -> float:
        """Return how much of the weight a line holds: stand-ins, and terms that only stand around it, count half.

        `power`: of each weight; 2 lets the rarest words decide.
        """
        if self._telling.isdisjoint(held) and self.weights.keys().isdisjoint(around):
            return 0.0
        total = found = 0.0
        for term, weight in self.weights.items():
            worth = weight**power
            total += worth
            if term in held:
                found += worth
            elif not self.stand_ins.get(term, frozenset()).isdisjoint(held):
                found += _STAND_IN * worth
            elif term in around:
                found += AROUND * worth
        return found / total if total else 0.0

    def quoted(self, chosen: frozenset[str]) -> str:
        """Return the words of the question that stand for some terms, in its order."""
        written = {term: word for word in _WORD.findall(self.question) for term in terms(word)}
        return ", ".join(dict.fromkeys(repr(written.get(term, term)) for term in self.weights if term in chosen))

    @cached_property
    def _telling(self) -> frozenset[str]:
        """Return all terms that a line may hold instead of nothing."""
        return frozenset(self.weights).union(*self.stand_ins.values())

    @property
    def unseen_share(self) -> float:
        """Return how much of the weight stands nowhere."""
        total = sum(self.weights.values())
        return sum(self.weights[term] for term in self.unseen) / total if total else 0.0


def wanted(question: str, idf: Mapping[str, float], rarest: float, without: Iterable[str] = ()) -> Wanted:
    """Return the words of a question that evidence has to hold.

    `idf` of the terms that occur, `rarest`: the weight of one that does not; `without`: terms that are left out.
    """
    dated = frozenset(term for span in dates.find(question, _ANY_DAY) for term in terms(span.text))
    left_out = dated | frozenset(without)
    weights = {term: idf.get(term, rarest) * _telling(term) for term in query_terms(question) if term not in left_out}
    return Wanted(
        weights=weights,
        stand_ins=stand_ins(question),
        unseen=frozenset(term for term in weights if term not in idf),
        names=frozenset(_names(question)) & weights.keys(),
        question=question,
    )


def _telling(term: str) -> float:
    """Return how much a term says of what is asked about, from 0 to 1."""
    if term in _PLAIN:
        return _PLAIN_WEIGHT
    if term.isascii() or not _IS_UNSPACED.match(term):
        return 1.0
    asking = sum(character in _ASKING for character in term)
    return (1.0, _HALF_ASKING_WEIGHT)[asking] if asking < len(term) else 0.0


def _names(question: str) -> Iterable[str]:
    """Yield the terms of capitalised words after the first, and of numbers that are no count."""
    for place, word in enumerate(_WORD.findall(question)):
        if (place and word[0].isupper()) or (word[0].isdigit() and len(word) >= _LEAST_DIGITS):
            yield from terms(word)
