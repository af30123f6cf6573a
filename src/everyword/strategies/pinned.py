"""Facts that the user stated are pinned in front of the newest messages."""

from __future__ import annotations

from everyword.retrieval.recipe import Recipe
from everyword.strategies.claimed import Claimed

PINNED = Claimed(
    name="pinned",
    about="facts that the user stated, in front of the newest messages",
    recipe=Recipe(name="pinned", channels=()),
    show="whole",
    front="pinned",
    behind="newest",
    share=0.5,
)
