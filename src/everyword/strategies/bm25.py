"""Plain BM25 over messages: the baseline that every claim stands beside."""

from __future__ import annotations

from everyword.retrieval.recipe import Recipe
from everyword.strategies.strategy import Strategy

BM25 = Strategy(
    name="bm25",
    about="keywords only, message by message",
    recipe=Recipe(name="bm25", channels=("lexical",), fusion="ranks"),
    show="whole",
)
