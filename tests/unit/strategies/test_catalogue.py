from __future__ import annotations

import pytest

from everyword.errors import InvalidInputError
from everyword.strategies.catalogue import DEFAULT, STRATEGIES, strategy
from everyword.strategies.window import Window


def test_every_strategy_is_found_by_its_own_name() -> None:
    searched = {"evidence", "bm25", "raw-semantic", "raw-fused", "raw-rag", "hybrid", "notes", "notes+raw"}
    assert set(STRATEGIES) >= searched | {"window", "full", "summary", "compact", "pinned", "profile", "route"}
    assert all(strategy(name).name == strategy(name).recipe.name == name for name in STRATEGIES)
    assert strategy(DEFAULT).name == "evidence"


def test_a_window_is_named_with_its_turns() -> None:
    chosen = strategy("window:20")
    assert isinstance(chosen, Window)
    assert (chosen.name, chosen.recipe.name, chosen.turns) == ("window:20", "window:20", 20)


def test_an_unknown_name_is_answered_with_the_known_ones() -> None:
    with pytest.raises(InvalidInputError, match="'guess'.*raw-fused"):
        strategy("guess")


@pytest.mark.parametrize("name", STRATEGIES)
def test_every_channel_of_weighted_scores_has_its_weight(name: str) -> None:
    recipe = strategy(name).recipe
    assert recipe.fusion == "ranks" or len(recipe.weights) == len(recipe.channels)
    assert strategy(name).about


def test_the_presets_are_those_of_the_seed_documents() -> None:
    fused, semantic, rag = strategy("raw-fused"), strategy("raw-semantic"), strategy("raw-rag")
    assert (fused.recipe.rerank, fused.recipe.fusion, fused.recent_turns) == (60, "ranks", 2)
    assert (semantic.recipe.channels, semantic.recipe.rerank, semantic.recent_turns) == (("passage",), 0, 2)
    assert fused.recipe.roles == semantic.recipe.roles == {"user"}
    assert (rag.recipe.rerank, rag.recipe.keep, rag.recipe.unit, rag.recipe.roles) == (128, 15, "passage", None)
