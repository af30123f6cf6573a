"""The default: weighted words, passages and clauses fused by score; the numbers come from `everyword eval`."""

from __future__ import annotations

from everyword.packing.excerpt import LONG, ROOM
from everyword.retrieval.recipe import Recipe
from everyword.strategies.strategy import Strategy

EVIDENCE = Strategy(
    name="evidence",
    about="the default: weighted keywords, passages and clauses fused by score",
    recipe=Recipe(
        name="evidence",
        channels=("lexical", "passage", "clause"),
        weights=(1.0, 0.7, 0.5),
        neighbours=(0.5, 0.2),
        k1=0.6,
        synonyms=0.2,
        members=0.4,
        header_weight=1.0,
        author_bonus=1.0,
        asker_bonus=1.1,
        other_script=0.8,
        branch_penalty=0.5,
        centred=1.15,
        declarative=0.5,
        session_bonus=0.15,
        standout=0.3,
        tokens=0.4,
        rerank=60,
        room=(LONG, ROOM),
    ),
)
