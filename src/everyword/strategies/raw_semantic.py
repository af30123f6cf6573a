"""Semantic search alone: user messages by the similarity of their vectors, greedy into the budget."""

from __future__ import annotations

from everyword.retrieval.recipe import Recipe
from everyword.strategies.strategy import Strategy

RAW_SEMANTIC = Strategy(
    name="raw-semantic",
    about="vectors only: user messages by similarity",
    recipe=Recipe(
        name="raw-semantic", channels=("passage",), fusion="ranks", unit="speaker-run", roles=frozenset({"user"})
    ),
    style="lines",
    show="whole",
    recent_turns=2,
)
