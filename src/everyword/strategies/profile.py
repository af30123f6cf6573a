"""The profile alone: preferences and rules in the user's own words, at most 2,000 characters."""

from __future__ import annotations

from everyword.retrieval.recipe import Recipe
from everyword.strategies.claimed import Claimed

PROFILE = Claimed(
    name="profile",
    about="the user's own words on preferences and rules, nothing else",
    recipe=Recipe(name="profile", channels=()),
    show="whole",
    front="profile",
)
