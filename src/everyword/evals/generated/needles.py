"""Needles: one fact, said once, at the beginning, a quarter, the middle, three quarters or the end of the history."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from random import Random
from typing import Any

from everyword.evals.generated.chatter import decoy
from everyword.evals.generated.grammar import filled, one_of, values
from everyword.evals.generated.stock import ROLES, items, stock
from everyword.evals.generated.unit import Asked, Fact, Unit, by_role

POSITIONS = (0, 25, 50, 75, 100)
"""Percent of the history's time."""


def units(language: str, random: Random) -> Iterator[Unit]:
    """Yield one needle after the other, the roles in turn; where each is said is left open."""
    families = stock(language, "needles")
    tables = {
        role: [(family, thing) for family in families[role] for thing in items(family["things"])] for role in ROLES
    }
    for role, (family, thing) in by_role(tables, random):
        yield _unit(role, family, thing, language, random)


def positioned(unit: Unit, position: int) -> Unit:
    """Return a needle at this percentage of the history."""
    facts = tuple(replace(fact, place=position / 100) for fact in unit.facts)
    asked = tuple(replace(each, labels=(*each.labels, f"position:{position}")) for each in unit.asked)
    return replace(unit, facts=facts, asked=asked)


def _unit(role: str, family: dict[str, Any], thing: str, language: str, random: Random) -> Unit:
    value = next(values(family["values"], language, random))
    bound = {"thing": thing, "value": value}
    fact = Fact(
        role=role,
        text=filled(one_of(family["fact"], random), **bound),
        request=request(family, random, **bound),
    )
    asked = Asked(
        kind="needles",
        text=filled(one_of(family["ask"], random), **bound),
        answer=value,
        facts=(0,),
    )
    return Unit(facts=(fact,), asked=(asked,), near=near(role, family, language, random))


def request(family: dict[str, Any], random: Random, **bound: str) -> str | None:
    """Return what the user asks for before an assistant or a tool says something of this family."""
    return filled(one_of(family["request"], random), **bound) if "request" in family else None


def near(role: str, family: dict[str, Any], language: str, random: Random) -> Fact:
    """Return the like of another person or thing, said by the same role."""
    return Fact(role=role, text=decoy(family, one_of(family["decoy"], random), language, random))
