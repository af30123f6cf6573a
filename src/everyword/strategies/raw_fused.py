"""Fused search over the raw words: BM25 and vectors by RRF, the first 60 reranked, greedy into the budget."""

from __future__ import annotations

from everyword.retrieval.recipe import Recipe
from everyword.strategies.strategy import Strategy

RAW_FUSED = Strategy(
    name="raw-fused",
    about="user messages by keywords and vectors, fused by rank, then reranked",
    recipe=Recipe(
        name="raw-fused",
        channels=("lexical", "passage"),
        fusion="ranks",
        unit="speaker-run",
        roles=frozenset({"user"}),
        rerank=60,
    ),
    style="lines",
    show="whole",
    recent_turns=2,
)
