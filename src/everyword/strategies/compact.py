"""Compaction: the newest messages in half of the room, one summary of all the rest in the other half."""

from __future__ import annotations

from everyword.retrieval.recipe import Recipe
from everyword.strategies.claimed import Claimed

COMPACT = Claimed(
    name="compact",
    about="the newest messages behind one summary of all the rest",
    recipe=Recipe(name="compact", channels=()),
    show="whole",
    front="summary",
    behind="newest",
    share=0.5,
)
