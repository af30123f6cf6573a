"""Asides: half a sentence inside a long message on another subject, asked for in its words and in others.

In Chinese each is asked for in both scripts, because many of their characters are different ones to a computer.
"""

from __future__ import annotations

from collections.abc import Iterator
from random import Random

from everyword.evals.generated.chatter import sentence
from everyword.evals.generated.stock import OTHER_SCRIPT, ROLES, rows, stock
from everyword.evals.generated.unit import Asked, Fact, Unit, by_role

Row = list[str]
_OVERLAPS = (("words", 1), ("none", 2))
"""Columns of the questions: in the aside's words, and in others that share none of them."""


def units(language: str, random: Random) -> Iterator[Unit]:
    """Yield one aside after the other, the roles in turn."""
    for role, scripts in by_role({role: _in_scripts(language, role) for role in ROLES}, random):
        own = scripts[language]
        asked = tuple(
            Asked(kind="asides", text=row[column], answer=own[3], facts=(0,), labels=(f"overlap:{overlap}", *script))
            for overlap, column in _OVERLAPS
            for script, row in _questions(language, scripts)
        )
        fact = Fact(role=role, text=own[0], is_aside=True)
        yield Unit(facts=(fact,), asked=asked, near=Fact(role=role, text=sentence(own[4], language)))


def guards(language: str) -> list[tuple[str, list[str]]]:
    """Return each aside with the words that talk on everyday subjects must avoid."""
    found = [row for role in ROLES for row in rows(stock(language, "asides")[role])]
    separator = ";" if language == "en" else "；"
    return [(row[0], [word.strip() for word in row[5].split(separator)]) for row in found]


def _in_scripts(language: str, role: str) -> list[dict[str, Row]]:
    """Return each aside in this language and, where there is one, in the other script."""
    scripts = [language, *([OTHER_SCRIPT[language]] if language in OTHER_SCRIPT else [])]
    tables = [rows(stock(script, "asides")[role]) for script in scripts]
    return [dict(zip(scripts, row, strict=True)) for row in zip(*tables, strict=True)]


def _questions(language: str, scripts: dict[str, Row]) -> list[tuple[tuple[str, ...], Row]]:
    """Return the labels of the script that a question is in, and its columns."""
    if len(scripts) == 1:
        return [((), scripts[language])]
    return [((f"script:{'same' if script == language else 'other'}",), row) for script, row in scripts.items()]
