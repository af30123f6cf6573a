"""What a kind of question is made of: facts to be said in a history, and what is asked about them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import zip_longest
from random import Random
from typing import TypeVar

from everyword.evals.generated.grammar import shuffled
from everyword.evals.generated.stock import ROLES

Item = TypeVar("Item")


@dataclass(frozen=True, slots=True, kw_only=True)
class Fact:
    """One sentence that somebody says, in a session of its own."""

    role: str
    text: str
    """The exact words, which a context must show."""
    request: str | None = None
    """What the user asks for first, where an assistant or a tool says it."""
    is_aside: bool = False
    """Said inside a long message on another subject; else in a short one."""
    place: float | None = None
    """Share of the history's time that is over when it is said, from 0 to 1; None: anywhere."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """One question about the facts of its unit."""

    kind: str
    text: str
    answer: str
    facts: tuple[int, ...]
    """Which facts are the evidence, by their place in the unit."""
    labels: tuple[str, ...] = ()
    rubric: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Unit:
    """Facts that belong together, each in a session of its own, and the questions that share them."""

    facts: tuple[Fact, ...]
    asked: tuple[Asked, ...]
    near: Fact | None = None
    """The like of another person or thing: with it and without the facts, the questions have no answer."""


def by_role(tables: dict[str, list[Item]], random: Random) -> Iterator[tuple[str, Item]]:
    """Yield (role, item), the roles in turn as long as each has items left, those of one role in a new order."""
    decks: Iterable[list[Item]] = [shuffled(tables[role], random) for role in ROLES]
    for row in zip_longest(*decks):
        for role, item in zip(ROLES, row, strict=True):
            if item is not None:
                yield role, item
