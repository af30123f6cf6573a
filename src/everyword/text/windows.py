"""Windows of a long text: passages of 256 tokens with 32 overlap, at sentence ends where it can.

Source of the sizes: RAW-RAG (chunks of 256 tokens, overlap 32: a text of 1,000 tokens starts them at 0, 224, 448, 672).
Tokens are estimated: 4 characters a token, 1 for a character of an unspaced script.
"""

from __future__ import annotations

import bisect
import re
from itertools import accumulate

from everyword.text.clauses import Span, sentences
from everyword.text.words import UNSPACED

SIZE = 256
OVERLAP = 32
_WIDE = re.compile(rf"[{UNSPACED}]")


def windows(text: str, *, size: int = SIZE, overlap: int = OVERLAP, at_sentences: bool = True) -> list[Span]:
    """Return the spans of the passages of a text: one span for a text of at most `size` tokens."""
    if _quarters(text) <= size * 4:
        return [(0, len(text))]
    offsets = _offsets(text)
    ends = [end for _, end in sentences(text)] if at_sentences else []
    spans: list[Span] = []
    start = 0
    while True:
        stop = _character(offsets, offsets[start] + size * 4)
        if stop >= len(text):
            return [*spans, (start, len(text))]
        if at_sentences:
            stop = _sentence_end(ends, start, stop)
        spans.append((start, stop))
        start = max(start + 1, _character(offsets, offsets[stop] - overlap * 4))


def _quarters(text: str) -> int:
    """Return the estimated length in quarters of a token."""
    return len(text) if text.isascii() else len(text) + 3 * len(_WIDE.findall(text))


def _offsets(text: str) -> range | list[int]:
    """Return, for each character and the end, the estimated quarters of a token before it."""
    if text.isascii():
        return range(len(text) + 1)
    return list(accumulate((4 if _WIDE.match(character) else 1 for character in text), initial=0))


def _character(offsets: range | list[int], quarters: int) -> int:
    return min(bisect.bisect_left(offsets, quarters), len(offsets) - 1)


def _sentence_end(ends: list[int], start: int, stop: int) -> int:
    """Return the last sentence end in the second half of the window, the window's end where there is none."""
    place = bisect.bisect_right(ends, stop) - 1
    return ends[place] if place >= 0 and ends[place] > (start + stop) // 2 else stop
