"""From a frame with slots to sentences: `{a|b}` is one of several words, `{thing}` is a name that is bound."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Sequence
from functools import cache
from itertools import product
from random import Random
from typing import TypeVar

from everyword.evals.generated.stock import alternatives, items, stock

Item = TypeVar("Item")

_CHOICE = re.compile(r"\{([^{}]*\|[^{}]*)\}")
_SLOT = re.compile(r"\{(\w+)\}")
_FIRST_LETTER = re.compile(r"^\W*[a-z]")
_SERIAL = "ABCDEFGHJKLMNPRSTUVWXYZ"


def seeded(*parts: object) -> Random:
    """Return a source of chance that is the same for the same parts, on every machine."""
    return Random(":".join(map(str, parts)))  # noqa: S311 -- data sets are to be repeatable, not secret


@cache
def variants(frame: str, most: int) -> tuple[str, ...]:
    """Return at most `most` different sentences of a frame, the same ones always."""
    pieces = _CHOICE.split(frame)
    choices = [list(dict.fromkeys(piece.split("|"))) if place % 2 else [piece] for place, piece in enumerate(pieces)]
    if math.prod(map(len, choices)) <= most:
        return tuple(dict.fromkeys("".join(chosen) for chosen in product(*choices)))
    random = seeded(frame)
    found: dict[str, None] = {}
    while len(found) < most:
        found["".join(random.choice(choice) for choice in choices)] = None
    return tuple(found)


def filled(frame: str, **bound: str) -> str:
    """Return the frame with its slots filled, as a sentence that begins with a capital."""
    return capital(_SLOT.sub(lambda slot: bound[slot.group(1)], frame))


def capital(sentence: str) -> str:
    """Return the sentence with its first letter in upper case."""
    return _FIRST_LETTER.sub(lambda first: first.group().upper(), sentence)


def one_of(text: str, random: Random) -> str:
    """Return one of the sentences that say the same."""
    return random.choice(alternatives(text))


def shuffled(found: Sequence[Item], random: Random) -> list[Item]:
    return random.sample(found, len(found))


def person(language: str, random: Random) -> str:
    """Return somebody who is not the user, such as `our neighbour Ruth`."""
    common = stock(language, "common")
    space = " " if language == "en" else ""
    return f"{random.choice(common['relation'])}{space}{random.choice(common['people'])}"


def values(kind: str, language: str, random: Random) -> Iterator[str]:
    """Yield different values: of a list in a new order until it ends, or made up (`#code`, `#number:3-28`) for ever."""
    if not kind.startswith("#"):
        yield from shuffled(items(kind), random)
        return
    if kind == "#weekday":
        yield from shuffled(stock(language, "common")["weekdays"], random)
        return
    seen: set[str] = set()
    while True:
        value = _made_up(kind, random)
        if value not in seen:
            seen.add(value)
            yield value


def _made_up(kind: str, random: Random) -> str:
    name, _, limits = kind.partition(":")
    match name:
        case "#code":
            return f"{random.randrange(1000, 10000)}"
        case "#time":
            return f"{random.randrange(6, 22)}:{random.randrange(0, 60, 5):02}"
        case "#serial":
            return f"{''.join(random.choices(_SERIAL, k=2))}-{random.randrange(10000, 100000)}"
        case "#number":
            low, high = map(int, limits.split("-"))
            return f"{random.randint(low, high)}"
        case _:
            raise ValueError(kind)
