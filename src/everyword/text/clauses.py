"""Clauses of a text: the pieces between commas, dashes, brackets and sentence ends.

An aside is half a sentence inside a message on another subject. A vector of its clause finds it where the vector of the
sentence or of the message does not.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from itertools import pairwise

from everyword.text.expression import expression
from everyword.text.words import UNSPACED

# One set of characters first, for which the engine looks quickly; what it found is asked afterwards.
_CUT = re.compile(
    r"[.!?…。！？；，、：,;:\s—()（）\[\]【】](?:(?<! )|(?=[\s—–\-(（\[【]))(?:"  # Most spaces stand before a word: no cut.
    r"(?<=[.!?…])[\"'”’)\]]*\s+"
    r"|(?<=[。！？；，、：…])[」』”）]*"
    r"|(?<=[,;:])\s+"
    r"|(?<=\s)(?<!\s\s)\s*(?:[—–-]+\s+|(?=[(（\[【]))|(?<=—)"
    r"|(?<=[(（\[【])(?P<opens>)|(?<=[)）\]】])\s*"
    r"|(?<=\n)\n*)"
)
_SENTENCE_END = re.compile(r"[.!?…。！？\n](?:(?<=[.!?…])[\"'”’)\]]*\s+|(?<=[。！？…])[」』”）]*|(?<=\n)\n*)")
_WORD = expression(rf"[{UNSPACED}]|[^\W_{UNSPACED}]+")
_SPACED_WORD = expression(rf"[^\W_{UNSPACED}]+")
_UNSPACED_RUN = expression(rf"[{UNSPACED}]+")
_ONLY_WORDS = bytes(byte if chr(byte).isascii() and chr(byte).isalnum() else ord(" ") for byte in range(256))
"""For ASCII: a space for what is in no word."""
_CHARACTERS_PER_WORD = 1.6
LEAST_WORDS = 4
MOST_WORDS = 48

Span = tuple[int, int]


def clauses(text: str) -> list[Span]:
    """Return character spans that cover the text, in order; short pieces join their neighbour."""
    spans: list[Span] = []
    length = _lengths(text)
    held, is_ended = 0.0, True
    for start, end in _pieces(text, _CUT):
        if is_ended or held >= LEAST_WORDS:
            spans.append((start, end))
            held, is_ended = 0.0, False
        else:
            spans[-1] = (spans[-1][0], end)
        held += length(start, end)
        is_ended = is_ended or text.find("\n", start, end) >= 0
    if len(spans) > 1 and length(*spans[-1]) < LEAST_WORDS:
        spans[-2:] = [(spans[-2][0], spans[-1][1])]
    return [part for span in spans for part in _short_enough(text, span) if text[part[0] : part[1]].strip()]


def _lengths(text: str) -> Callable[[int, int], float]:
    """Return what tells the words between two places of a text that lie between words; ASCII is read once for all."""
    if not text.isascii():
        return lambda start, end: words(text[start:end])
    only_words = text.encode().translate(_ONLY_WORDS)
    return lambda start, end: len(only_words[start:end].split())


def sentences(text: str) -> list[Span]:
    """Return character spans of sentences and lines that cover the text, in order."""
    return _pieces(text, _SENTENCE_END)


def sentence_ends(text: str, start: int) -> Iterator[int]:
    """Yield where sentences and lines end behind `start`: 0, such an end, or a place behind a letter or digit."""
    return (match.end() for match in _SENTENCE_END.finditer(text, start))


def words(text: str) -> float:
    """Return the length in words; 1.6 characters of an unspaced script count as a word."""
    if text.isascii():
        return float(len(text.encode().translate(_ONLY_WORDS).split()))
    return len(_SPACED_WORD.findall(text)) + sum(map(len, _UNSPACED_RUN.findall(text))) / _CHARACTERS_PER_WORD


def _pieces(text: str, cut: re.Pattern[str]) -> list[Span]:
    ends = [match.start() if match.lastgroup else match.end() for match in cut.finditer(text)]
    return list(pairwise(dict.fromkeys([0, *ends, len(text)])))


def _short_enough(text: str, span: Span) -> list[Span]:
    """Return the span, cut between words where it is longer than a clause can be."""
    if span[1] - span[0] < MOST_WORDS * _CHARACTERS_PER_WORD or words(text[span[0] : span[1]]) <= MOST_WORDS:
        return [span]
    starts = [span[0] + match.start() for match in _WORD.finditer(text[span[0] : span[1]])]
    bounds = [span[0], *starts[MOST_WORDS::MOST_WORDS], span[1]]
    return list(pairwise(bounds))
