"""Tables in Markdown that also read well as plain text, 80 columns wide where the words allow it."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence

WIDTH = 80
_MARKS = re.compile(r"[\\|`*\[]|<(?=[A-Za-z/!?])|&(?=[#A-Za-z])|(?<![^\W_])_|_(?![^\W_])")
"""What would begin a cell, code, emphasis, a link, a tag or an entity; a sign inside a word or alone is one of the words."""
_BOLD = re.compile(r"\*\*([\d.]+)\*\*(.*)")
_ENTITIES = {"<": "&lt;", "&": "&amp;"}


def markdown_table(heads: Sequence[str], rows: Sequence[Sequence[str]]) -> list[str]:
    """Return the lines of a table; columns that do not fit go into further tables, the first column in each."""
    cells = [[_cell(each) for each in row] for row in (heads, *rows)]
    widths = [max(width(row[column]) for row in cells) for column in range(len(heads))]
    lines: list[str] = []
    for columns in _fitting(widths):
        shown = [0, *columns]
        lines += [*([""] if lines else []), _line(cells[0], widths, shown), _rule(widths, shown)]
        lines += [_line(row, widths, shown) for row in cells[1:]]
    return lines


def escaped(text: str) -> str:
    """Return words that stay words in Markdown: no cell, tag, link or code begins in them."""
    return _MARKS.sub(lambda found: _ENTITIES.get(found[0], f"\\{found[0]}"), " ".join(text.split()))


def _cell(text: str) -> str:
    """Return a cell; two stars around all of it or its first word make it bold, as the card writes them."""
    bold = _BOLD.match(text)
    return f"**{escaped(bold[1])}**{escaped(bold[2]) and f' {escaped(bold[2])}'}" if bold else escaped(text)


def width(text: str) -> int:
    """Return how many columns a text takes in a terminal."""
    return sum(2 if unicodedata.east_asian_width(sign) in "WF" else 1 for sign in text)


def _fitting(widths: Sequence[int]) -> list[list[int]]:
    """Return the columns after the first of each table, as many as fit."""
    found: list[list[int]] = [[]]
    taken = widths[0] + 4
    for column, wide in enumerate(widths[1:], start=1):
        if found[-1] and taken + wide + 3 > WIDTH:
            found.append([])
            taken = widths[0] + 4
        found[-1].append(column)
        taken += wide + 3
    return found


def _line(row: Sequence[str], widths: Sequence[int], columns: Sequence[int]) -> str:
    padded = [" " * (widths[at] - width(row[at])) for at in columns]
    cells = [row[at] + pad if at == 0 else pad + row[at] for at, pad in zip(columns, padded, strict=True)]
    return f"| {' | '.join(cells)} |"


def _rule(widths: Sequence[int], columns: Sequence[int]) -> str:
    return f"|{'|'.join('-' * (widths[at] + 2) if at == 0 else '-' * (widths[at] + 1) + ':' for at in columns)}|"
