"""The relevant lines of a long message, so that its length does not crowd the budget."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Mapping, Sequence

from everyword.text.clauses import Span, sentences
from everyword.text.tokens import cjk_characters
from everyword.text.words import terms

LONG = 256
"""Tokens up to which a message is shown whole."""
ROOM = 64
"""Tokens of an excerpt."""
_QUARTERS = 4
"""Lengths are in quarters of a token: 1 a character, 4 one of a script without spaces."""
_ABBREVIATED = re.compile(r"\b(?:Mrs?|Ms|Mx|Dr|Prof|St|Mt|Sr|Jr|No|vs|e\.g|i\.e|approx|[A-Z])\. *$")
_LONGEST_ABBREVIATION = 12
_BREAK = re.compile(r"\s|[,;|}\])，；、](?=\D)")


def excerpt(text: str, spans: Sequence[Span], idf: Mapping[str, float], *, room: int = ROOM) -> tuple[Span, ...]:
    """Return the sentences within the spans that hold the question's rarest terms, in order, joined where they touch."""
    pieces = list(_pieces(text, joined(text, spans), room * _QUARTERS))
    scored = [(_score(text[a:b], idf), -place) for place, (a, b) in enumerate(pieces) if text[a:b].strip()]
    chosen: set[int] = set()
    left = room * _QUARTERS
    for score, negative in sorted(scored, reverse=True):
        start, stop = pieces[-negative]
        length = _quarters(text[start:stop])
        if chosen and (score <= 0 or length > left):
            continue
        chosen.add(-negative)
        left -= length
    return joined(text, [pieces[place] for place in sorted(chosen)])


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
    for start, stop in _sentences(text):
        touched = [(max(start, first), min(stop, last)) for first, last in spans if start < last and first < stop]
        if touched and _quarters(text[start:stop]) <= most:
            yield start, stop
        else:
            for span in touched:
                yield from _bounded(text, span, most)


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


def _quarters(text: str) -> int:
    return len(text) if text.isascii() else len(text) + (_QUARTERS - 1) * cjk_characters(text)


def _score(sentence: str, idf: Mapping[str, float]) -> float:
    """Return the weight of the distinct terms that occur, against a slowly growing length."""
    found = set(terms(sentence))
    weight = sum(idf[term] for term in idf if term in found or _begins_one(term, found))
    return weight / math.log2(8 + len(found))


def _begins_one(term: str, found: set[str]) -> bool:
    """Tell whether a single character stands for a pair that begins with it, as in the index."""
    return len(term) == 1 and any(each.startswith(term) for each in found)
