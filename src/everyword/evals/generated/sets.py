"""Counts and lists: two to six things that were said on different days, asked for together."""

from __future__ import annotations

from collections.abc import Iterator
from random import Random
from typing import Any

from everyword.evals.generated.grammar import filled, one_of, person
from everyword.evals.generated.needles import request
from everyword.evals.generated.stock import ROLES, items, stock
from everyword.evals.generated.unit import Asked, Fact, Unit, by_role

LEAST, MOST = 2, 6
"""Pieces of evidence."""
_COMMAS = {"en": ", ", "zh-Hant": "、", "zh-Hans": "、"}


def units(language: str, random: Random) -> Iterator[Unit]:
    """Yield one set after the other, the roles and the sizes in turn."""
    families = stock(language, "sets")
    for number, (role, family) in enumerate(by_role({role: families[role] for role in ROLES}, random)):
        yield _unit(role, family, LEAST + number % (MOST - LEAST + 1), language, random)


def _unit(role: str, family: dict[str, Any], size: int, language: str, random: Random) -> Unit:
    found = items(family["items"])
    drawn = random.sample(found, size + 1)
    mine, others = drawn[:size], drawn[size]
    facts = tuple(
        Fact(
            role=role,
            text=filled(one_of(family["fact"], random), item=item),
            request=request(family, random),
        )
        for item in mine
    )
    every = tuple(range(size))
    labels = (f"pieces:{size}",)
    near = filled(one_of(family["decoy"], random), item=others, person=person(language, random))
    return Unit(
        facts=facts,
        asked=(
            Asked(kind="counts", text=family["count"], answer=str(size), facts=every, labels=labels),
            Asked(kind="lists", text=family["list"], answer=_COMMAS[language].join(mine), facts=every, labels=labels),
        ),
        near=Fact(role=role, text=near),
    )
