"""Times: when something happened, how long between two things, which came first, what was in the week before.

Days are said as people say them (`yesterday`), so that the date of the message is part of the answer.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date, timedelta
from itertools import cycle
from random import Random
from typing import Any

from everyword.evals.generated.calendar import DAYS, FIRST_DAY, place_on
from everyword.evals.generated.chatter import common
from everyword.evals.generated.grammar import filled, shuffled
from everyword.evals.generated.stock import ROLES, items, rows, stock
from everyword.evals.generated.unit import Asked, Fact, Unit, by_role

_MARGIN = 30
"""Days from both ends of the history."""
_APART, _MOST_APART = 10, 70
"""Days between two things that are compared, from and to."""
_REQUESTS = {"assistant": "errand", "tool": "ask_tool"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Event:
    """One thing that happened: how it is said, asked for and named in a longer question."""

    role: str
    fact: Fact
    when: str
    name: str
    day: int
    """Of the history, counted from 0."""


def units(language: str, random: Random) -> Iterator[Unit]:
    """Yield pairs of things that happened, and now and then what was in the week before one of them."""
    table = stock(language, "temporal")
    told = by_role({role: rows(table[role]) for role in ROLES}, random)
    weeks = cycle(shuffled(table["week"], random))
    for number, (role, row) in enumerate(told):
        if number % 5 == 2 and number // 5 < len(table["week"]):
            yield _week(role, row, next(weeks), language, random)
        elif (other := next(told, None)) is not None:
            yield _pair((role, row), other, language, random)


def _pair(one: tuple[str, list[str]], other: tuple[str, list[str]], language: str, random: Random) -> Unit:
    """Return two things that happened some weeks apart, asked for one by one and together."""
    table = stock(language, "temporal")
    day = random.randrange(_MARGIN, DAYS - _MARGIN - _MOST_APART)
    early = _event(*one, day, language, random)
    late = _event(*other, day + random.randint(_APART, _MOST_APART), language, random)
    first, second = shuffled((early, late), random)
    named = {"first": first.name, "second": second.name}
    asked = (
        _when(early, 0, language),
        Asked(
            kind="temporal",
            text=filled(table["between"], **named),
            answer=str(late.day - early.day),
            facts=(0, 1),
            labels=("asks:between",),
        ),
        Asked(
            kind="temporal",
            text=filled(table["order"], **named),
            answer=early.name,
            facts=(0, 1),
            labels=("asks:order",),
        ),
    )
    return Unit(facts=(early.fact, late.fact), asked=asked)


def _week(role: str, row: list[str], family: dict[str, Any], language: str, random: Random) -> Unit:
    """Return a thing that happened, and of three of a kind the one that was in the week before it."""
    anchor = _event(role, row, random.randrange(DAYS // 3, 2 * DAYS // 3), language, random)
    found = random.sample(items(family["items"]), 3)
    days = [
        anchor.day - random.randint(3, 6),
        random.randrange(_MARGIN, anchor.day - 2 * _APART),
        random.randrange(anchor.day + _APART, DAYS - _MARGIN),
    ]
    of_kind = tuple(
        _told(family["fact"], "user", day, language, random, item=item) for day, item in zip(days, found, strict=True)
    )
    asked = Asked(
        kind="temporal",
        text=filled(family["ask"], anchor=anchor.name),
        answer=found[0],
        facts=(0, 1),
        labels=("asks:week before",),
    )
    return Unit(facts=(anchor.fact, *of_kind), asked=(asked, _when(anchor, 0, language)))


def _when(event: Event, place: int, language: str) -> Asked:
    return Asked(
        kind="temporal", text=event.when, answer=_written(event.day, language), facts=(place,), labels=("asks:when",)
    )


def _event(role: str, row: list[str], day: int, language: str, random: Random) -> Event:
    fact = _told(row[0], role, day, language, random)
    return Event(role=role, fact=fact, when=row[1], name=row[2], day=day)


def _told(frame: str, role: str, day: int, language: str, random: Random, **bound: str) -> Fact:
    """Return the sentence that tells what happened on this day, said on that day or soon after."""
    said, ago = random.choice(stock(language, "temporal")["days"])
    request = random.choice(common(language, _REQUESTS[role])) if role in _REQUESTS else None
    return Fact(role=role, text=filled(frame, day=said, **bound), request=request, place=place_on(day + ago, random))


def _written(day: int, language: str) -> str:
    """Return a day of the history as a date is written in the language."""
    table = stock(language, "temporal")
    found: date = FIRST_DAY + timedelta(days=day)
    return str(table["date"]).format(day=found.day, month=items(table["months"])[found.month - 1], year=found.year)
