"""A rolling summary: the last ten turns, and before them what the user stated in all the others."""

from __future__ import annotations

from dataclasses import replace

from everyword.errors import InvalidInputError
from everyword.retrieval.recipe import Recipe
from everyword.strategies.claimed import Claimed

SUMMARY = Claimed(
    name="summary",
    about="the last ten turns behind a summary of what the user stated before them; `summary:200` for 200 characters at the most",
    recipe=Recipe(name="summary", channels=()),
    show="whole",
    front="summary",
    behind="newest",
    share=0.35,
    turns=10,
)


def summary(name: str) -> Claimed:
    """Return the summary that `summary:200` names. Raise InvalidInputError."""
    characters = name.removeprefix(f"{SUMMARY.name}:")
    if not characters.isdecimal() or not int(characters):
        raise InvalidInputError(
            f"{name!r} is no summary: use 'summary', or 'summary:200' for 200 characters at the most."
        )
    return replace(SUMMARY, name=name, characters=int(characters), recipe=Recipe(name=name, channels=()))
