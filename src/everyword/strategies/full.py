"""The whole history in the order of time, or an error that says by how much it is too long."""

from __future__ import annotations

from everyword.retrieval.recipe import Recipe
from everyword.strategies.window import Window

FULL = Window(
    name="full",
    about="no search: the whole history, an error where it does not fit",
    recipe=Recipe(name="full", channels=()),
    show="whole",
    is_all=True,
)
