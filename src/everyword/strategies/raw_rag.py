"""RAW-RAG: windows of 256 tokens, 128 by vectors, 15 after reranking, back in the order of time."""

from __future__ import annotations

from everyword.retrieval.recipe import Recipe
from everyword.strategies.strategy import Strategy

RAW_RAG = Strategy(
    name="raw-rag",
    about="windows of every role by similarity, 15 kept after reranking",
    recipe=Recipe(name="raw-rag", channels=("passage",), fusion="ranks", unit="passage", rerank=128, keep=15),
    style="lines",
    show="passage",
)
