"""The part of a message that a reader wants to see, and which of its words were asked for."""

from __future__ import annotations

import re
from datetime import datetime
from typing import TYPE_CHECKING

from everyword.cli import terminal
from everyword.text.words import UNSPACED, fold, query_terms, terms

if TYPE_CHECKING:
    from rich.text import Text

    Span = tuple[int, int]

_WORD = re.compile(rf"[{UNSPACED}]+|[^\W{UNSPACED}]+")
_UNSPACED = re.compile(rf"[{UNSPACED}]")
_BEFORE = 40
"""Characters that are shown before the first match of a long text."""


def when(moment: datetime | None) -> str:
    """Return date, weekday and time as they were where it was said."""
    return f"{moment:%Y-%m-%d %a %H:%M}" if moment else "no date"


def matches(text: str, question: str) -> list[Span]:
    """Return where the words of a question stand in a text, by the same folding that the search uses."""
    wanted = query_terms(question)
    found: list[Span] = []
    for match in _WORD.finditer(text):
        if _UNSPACED.match(match.group()):
            found.extend(_pairs(text, match.span(), wanted))
        elif any(term in wanted for term in terms(match.group())):
            found.append(match.span())
    return found


def _pairs(text: str, span: Span, wanted: dict[str, bool]) -> list[Span]:
    start, stop = span
    pairs = [(at, min(at + 2, stop)) for at in range(start, stop)]
    return [(a, b) for a, b in pairs if fold(text[a:b]) in wanted] + [
        (a, a + 1) for a, _ in pairs if wanted.get(fold(text[a]), False)
    ]


def excerpt(text: str, question: str, *, most: int = 480) -> Text:
    """Return at most `most` characters around the words of the question, those words marked."""
    from rich.text import Text

    start, stop = _window(text, matches(text[:100_000], question), most)
    shown = terminal.visible(text[start:stop]).strip()
    styled = Text(shown)
    for a, b in matches(shown, question):
        styled.stylize("bold yellow", a, b)
    return Text("").join([Text("…" if start else ""), styled, Text("…" if stop < len(text) else "")])


def _window(text: str, spans: list[Span], most: int) -> Span:
    """Return the part with the most matches; it begins and ends between words."""
    if len(text) <= most:
        return 0, len(text)
    starts = [max(0, start - min(_BEFORE, most // 4)) for start, _ in spans] or [0]
    best = max(starts, key=lambda at: (len({text[a:b] for a, b in spans if at <= a and b <= at + most}), -at))
    blank = text.find(" ", best, best + _BEFORE // 2)
    start = blank + 1 if best and blank >= 0 else best
    stop = min(len(text), start + most)
    return start, stop if stop == len(text) else max(text.rfind(" ", stop - _BEFORE // 2, stop), stop - _BEFORE // 2)


def one_line(text: str, question: str, *, cells: int) -> Text:
    """Return the part of a text around the words of the question that fits in one line."""
    shown = excerpt(" ".join(text.split()), question, most=max(20, cells))
    shown.truncate(cells, overflow="ellipsis")
    return shown
