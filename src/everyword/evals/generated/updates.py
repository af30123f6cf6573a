"""Updates: a value that is said once and changed one to five times; the question is what it is now, or was before."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice
from random import Random
from typing import Any

from everyword.evals.generated.grammar import filled, one_of, values
from everyword.evals.generated.needles import near, request
from everyword.evals.generated.stock import ROLES, items, stock
from everyword.evals.generated.unit import Asked, Fact, Unit, by_role

MOST_CHANGES = 5
_HISTORY = ("before", "origin")


def units(language: str, random: Random) -> Iterator[Unit]:
    """Yield one value after the other, the roles and the number of changes in turn."""
    families = stock(language, "updates")
    tables = {
        role: [(family, thing) for family in families[role] for thing in items(family["things"])] for role in ROLES
    }
    for number, (role, (family, thing)) in enumerate(by_role(tables, random)):
        yield _unit(role, {**family, "thing": thing}, number, language, random)


def _unit(role: str, family: dict[str, Any], number: int, language: str, random: Random) -> Unit:
    """Return the values in order, asked for the newest and for an older one; the latter needs all that was said."""
    thing, changes, history = family["thing"], 1 + number % MOST_CHANGES, _HISTORY[number % 2]
    said = list(islice(values(family["values"], language, random), changes + 1))
    facts = tuple(
        Fact(
            role=role,
            text=filled(one_of(family["change"], random) if place else family["first"], thing=thing, value=value),
            request=request(family, random, thing=thing),
        )
        for place, value in enumerate(said)
    )
    label = f"changes:{changes}"
    newest = Asked(
        kind="updates",
        text=filled(family["now"], thing=thing),
        answer=said[-1],
        facts=(changes,),
        labels=(label, "asks:current"),
    )
    older = Asked(
        kind="updates",
        text=filled(family[history], thing=thing),
        answer=said[-2] if history == "before" else said[0],
        facts=tuple(range(changes + 1)),
        labels=(label, f"asks:{'before' if history == 'before' else 'first'}"),
    )
    return Unit(facts=facts, asked=(newest, older), near=near(role, family, language, random))
