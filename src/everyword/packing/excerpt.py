"""The relevant lines of a long message, so that its length does not crowd the budget."""

from __future__ import annotations

import math
from collections.abc import Mapping

from everyword.text.clauses import Span, sentences
from everyword.text.words import terms

LONG = 256
"""Tokens up to which a message is shown whole."""
ROOM = 64
"""Tokens of an excerpt."""
_CHARACTERS = 4


def excerpt(text: str, spans: list[Span], idf: Mapping[str, float], *, room: int = ROOM) -> tuple[Span, ...]:
    """Return the sentences within the spans that hold the question's rarest terms, in order, joined where they touch."""
    pieces = [piece for piece in sentences(text) if any(piece[0] < stop and start < piece[1] for start, stop in spans)]
    pieces = [part for piece in pieces for part in _bounded(piece, room * _CHARACTERS)]
    scored = [(_score(text[a:b], idf), -place) for place, (a, b) in enumerate(pieces) if text[a:b].strip()]
    chosen: set[int] = set()
    left = room * _CHARACTERS
    for score, negative in sorted(scored, reverse=True):
        start, stop = pieces[-negative]
        if chosen and (score <= 0 or stop - start > left):
            continue
        chosen.add(-negative)
        left -= stop - start
    return joined(text, [pieces[place] for place in sorted(chosen)])


def joined(text: str, spans: list[Span]) -> tuple[Span, ...]:
    """Return the spans in order, those that touch or overlap as one."""
    merged: list[Span] = []
    for start, stop in sorted(spans):
        if merged and not text[merged[-1][1] : start].strip():
            merged[-1] = (merged[-1][0], max(merged[-1][1], stop))
        else:
            merged.append((start, stop))
    return tuple(merged)


def _bounded(piece: Span, most: int) -> list[Span]:
    start, stop = piece
    return [(i, min(i + most, stop)) for i in range(start, stop, most)]


def _score(sentence: str, idf: Mapping[str, float]) -> float:
    """Return the weight of the distinct terms that occur, against a slowly growing length."""
    found = set(terms(sentence))
    weight = sum(idf[term] for term in idf if term in found or any(each.startswith(term) for each in found if len(term) == 1))
    return weight / math.log2(8 + len(found))
