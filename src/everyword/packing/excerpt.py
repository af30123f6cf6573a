"""The relevant lines of a long message, so that its length does not crowd the budget."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from types import MappingProxyType

from everyword.text.clauses import Span, sentences
from everyword.text.tokens import cjk_characters
from everyword.text.words import terms

LONG = 256
"""Tokens up to which a message is shown whole."""
ROOM = 64
"""Tokens of an excerpt."""
_ENOUGH = 0.25
"""Share of the weight of the question's terms in one sentence, from which words alone choose."""
_CLOSE = 0.7
_QUARTERS = 4
"""Lengths are in quarters of a token: 1 a character, 4 one of a script without spaces."""
_ABBREVIATED = re.compile(r"\b(?:Mrs?|Ms|Mx|Dr|Prof|St|Mt|Sr|Jr|No|vs|e\.g|i\.e|approx|[A-Z])\. *$")
_LONGEST_ABBREVIATION = 12
_BREAK = re.compile(r"\s|[,;|}\])，；、](?=\D)")


ByMeaning = Callable[[], Sequence[tuple[Span, float]]]
"""Returns clauses with their similarity to the question; called where words tell too little."""


def excerpt(
    text: str,
    spans: Sequence[Span],
    idf: Mapping[str, float],
    by_meaning: ByMeaning = tuple,
    *,
    related: Mapping[str, float] = MappingProxyType({}),
    room: int = ROOM,
) -> tuple[Span, ...]:
    """Return the sentences within the spans that answer best, in order, joined where they touch.

    The question's rarest terms decide, with those that answers use in their place; where no sentence has a good part of
    them, its closest clauses do.
    """
    pieces = [piece for piece in _pieces(text, joined(text, spans), room * _QUARTERS) if text[slice(*piece)].strip()]
    scores = _scores(text, pieces, idf, related, by_meaning)
    measure = _measure(text)
    chosen: set[int] = set()
    left = room * _QUARTERS
    for place in sorted(range(len(pieces)), key=lambda place: (-scores[place], place)):
        length = measure(*pieces[place])
        if chosen and (scores[place] <= 0 or length > left):
            continue
        chosen.add(place)
        left -= length
    return joined(text, [pieces[place] for place in sorted(chosen)])


def _scores(
    text: str,
    pieces: Sequence[Span],
    idf: Mapping[str, float],
    related: Mapping[str, float],
    by_meaning: ByMeaning,
) -> list[float]:
    """Return one score a sentence; 0: it does not answer at all."""
    found = [frozenset(terms(text[start:stop])) for start, stop in pieces]
    weights = [_weight(each, idf) + _most_related(each, related) for each in found]
    scores = [weight / math.log2(8 + len(each)) for weight, each in zip(weights, found, strict=True)]
    if max(weights, default=0.0) >= _ENOUGH * sum(idf.values()) > 0:
        return scores
    best = max(scores, default=0.0) or 1.0
    meaning = _closeness(pieces, by_meaning())
    return [score / best + share for score, share in zip(scores, meaning, strict=True)]


def _closeness(pieces: Sequence[Span], clauses: Sequence[tuple[Span, float]]) -> list[float]:
    """Return for each sentence the place of its best clause between the farthest (0) and the closest (1), if it is near that."""
    shares = [0.0] * len(pieces)
    low, high = min((score for _, score in clauses), default=0.0), max((score for _, score in clauses), default=0.0)
    for (start, stop), score in clauses:
        share = (score - low) / (high - low) if high > low else 1.0
        if share < _CLOSE:
            continue
        for place, (first, last) in enumerate(pieces):
            if start < last and first < stop:
                shares[place] = max(shares[place], share)
    return shares


def joined(text: str, spans: Sequence[Span]) -> tuple[Span, ...]:
    """Return the spans in order, those that touch or overlap as one."""
    merged: list[Span] = []
    for start, stop in sorted(spans):
        if merged and not text[merged[-1][1] : start].strip():
            merged[-1] = (merged[-1][0], max(merged[-1][1], stop))
        else:
            merged.append((start, stop))
    return tuple(merged)


def _pieces(text: str, spans: Sequence[Span], most: int) -> Iterator[Span]:
    """Yield the sentences that the spans touch, whole; of one that is too long, its parts within the spans."""
    measure = _measure(text)
    for start, stop in _sentences(text):
        touched = [(first, last) for first, last in spans if start < last and first < stop]
        if not touched:
            continue
        if measure(start, stop) <= most:
            yield start, stop
        else:
            for first, last in touched:
                yield from _bounded(text, (max(start, first), min(stop, last)), most)


def _sentences(text: str) -> list[Span]:
    """Return the sentences; the point of an abbreviation ends none, since the name that it announces may be the answer."""
    whole: list[Span] = []
    for start, stop in sentences(text):
        if whole and _ABBREVIATED.search(text, max(0, start - _LONGEST_ABBREVIATION), start):
            whole[-1] = (whole[-1][0], stop)
        else:
            whole.append((start, stop))
    return whole


def _bounded(text: str, piece: Span, most: int) -> Iterator[Span]:
    """Yield parts that have room, cut between words where that can be: half a number says something else."""
    start, stop = piece
    while (end := min(stop, _reach(text, start, most))) < stop:
        end = max((each.end() for each in _BREAK.finditer(text, (start + end) // 2, end)), default=end)
        yield start, end
        start = end
    yield start, stop


def _reach(text: str, start: int, most: int) -> int:
    """Return the end of the longest part from `start` that has room."""
    end = start + most
    while (excess := _quarters(text[start:end]) - most) > 0:
        end -= -(-excess // _QUARTERS)
    return end


def _measure(text: str) -> Callable[[int, int], int]:
    """Return what measures characters of the text; where all of it is ASCII, without a look at them."""
    return (lambda start, stop: stop - start) if text.isascii() else (lambda start, stop: _quarters(text[start:stop]))


def _quarters(text: str) -> int:
    return len(text) if text.isascii() else len(text) + (_QUARTERS - 1) * cjk_characters(text)


def _weight(found: frozenset[str], idf: Mapping[str, float]) -> float:
    """Return the weight of the question's terms that occur among those of a sentence."""
    return sum(weight for term, weight in idf.items() if term in found or (len(term) == 1 and _begins_one(term, found)))


def _most_related(found: frozenset[str], related: Mapping[str, float]) -> float:
    """Return the weight of the best term that stands for one of the question's: a list of them says no more than one."""
    if not related:
        return 0.0
    best = max((related[term] for term in found & related.keys()), default=0.0)
    begun = max((related.get(term[0], 0.0) for term in found if not term.isascii()), default=0.0)
    return max(best, begun)


def _begins_one(character: str, found: frozenset[str]) -> bool:
    """Tell whether a single character stands for a pair that begins with it, as in the index."""
    return any(each.startswith(character) for each in found)
