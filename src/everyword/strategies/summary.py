"""A rolling summary: the last ten turns, and before them what the user stated in all the others."""

from __future__ import annotations

from everyword.retrieval.recipe import Recipe
from everyword.strategies.claimed import Claimed

SUMMARY = Claimed(
    name="summary",
    about="the last ten turns behind a summary of what the user stated before them",
    recipe=Recipe(name="summary", channels=()),
    show="whole",
    front="summary",
    behind="newest",
    share=0.35,
    turns=10,
)
