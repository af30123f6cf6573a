"""The relevant lines of a long message, so that its length does not crowd the budget."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import chain, takewhile
from types import MappingProxyType

from everyword.text.clauses import Span, sentence_ends
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
_READ_BACK = 192
"""Characters in which the beginning of a sentence is looked for first."""
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
        if chosen and scores[place] <= 0:
            break
        length = measure(*pieces[place])
        if not chosen or length <= left:
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
    held = _with_initials(found, idf, related)
    wanted = frozenset((*idf, *related))  # Most sentences have nothing of it: one look tells.
    weights = [0.0 if each.isdisjoint(wanted) else _weight(each, idf) + _most_related(each, related) for each in held]
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
    for start, stop in _sentences(text, spans[0][0], spans[-1][1]) if spans else ():
        touched = [(first, last) for first, last in spans if start < last and first < stop]
        if not touched:
            continue
        if (stop - start) * _QUARTERS <= most or measure(start, stop) <= most:
            yield start, stop
        else:
            for first, last in touched:
                yield from _bounded(text, (max(start, first), min(stop, last)), most)


def _sentences(text: str, first: int, last: int) -> Iterator[Span]:
    """Yield the sentences at two places and those between, without a look at the others: a message may be long."""
    start = _beginning(text, first)
    for end in chain(sentence_ends(text, start), (len(text),)):
        if start >= last:
            return
        if end == len(text) or not _is_abbreviated(text, end):
            yield start, end
            start = end


def _beginning(text: str, place: int) -> int:
    """Return where the sentence at a place begins."""
    reach = _READ_BACK
    while True:
        start = max(0, place - reach)
        while start and not text[start - 1].isalnum():
            start -= 1
        ends = list(takewhile(lambda end: end <= place, sentence_ends(text, start)))
        begins = next((end for end in reversed(ends) if not _is_abbreviated(text, end)), 0)
        if begins or not start:
            return begins
        reach *= 16


def _is_abbreviated(text: str, end: int) -> bool:
    """Tell whether an abbreviation ends there and no sentence: the name that it announces may be the answer."""
    return _ABBREVIATED.search(text, max(0, end - _LONGEST_ABBREVIATION), end) is not None


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


def _with_initials(
    found: Sequence[frozenset[str]], idf: Mapping[str, float], related: Mapping[str, float]
) -> Sequence[frozenset[str]]:
    """Return the terms of sentences with the single characters among those looked for that begin one, as in the index.

    A single letter that is only related is a word of its own and begins none.
    """
    singles = {term for term in (*idf, *related) if len(term) == 1 and (term in idf or not term.isascii())}
    return [each | singles.intersection(term[0] for term in each) for each in found] if singles else found


def _weight(held: frozenset[str], idf: Mapping[str, float]) -> float:
    """Return the weight of the question's terms among those of a sentence."""
    return sum(map(idf.__getitem__, filter(held.__contains__, idf)))


def _most_related(held: frozenset[str], related: Mapping[str, float]) -> float:
    """Return the weight of the best term that stands for one of the question's: a list of them says no more than one."""
    return max(map(related.__getitem__, held & related.keys()), default=0.0)
