"""Preferences: what the user likes or needs, and a later request that it should change."""

from __future__ import annotations

from collections.abc import Iterator
from random import Random

from everyword.evals.generated.grammar import shuffled
from everyword.evals.generated.stock import rows, stock
from everyword.evals.generated.unit import Asked, Fact, Unit


def units(language: str, random: Random) -> Iterator[Unit]:
    """Yield one preference after the other; each is the user's."""
    for text, request, wanted in shuffled(rows(stock(language, "preferences")["user"]), random):
        asked = Asked(kind="preferences", text=request, answer=wanted, facts=(0,), rubric=(wanted,))
        yield Unit(facts=(Fact(role="user", text=text),), asked=(asked,))
