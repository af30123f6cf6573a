from __future__ import annotations

from collections import Counter
from itertools import combinations, product
from typing import Any, get_args

import pytest

from everyword.errors import InvalidInputError
from everyword.routing.advice import Situation, advise
from everyword.routing.presets import PRESETS, preset
from everyword.routing.signals import crossed
from everyword.routing.table import CHANGES, ROWS, Errors, Latency, Sessions, Updates, row
from everyword.strategies.catalogue import strategy

SMALL = 150_000


def test_the_table_has_sixteen_rows_in_five_dimensions() -> None:
    assert Counter(each.dimension for each in ROWS) == {
        "corpus": 3,
        "updates": 3,
        "sessions": 3,
        "latency": 3,
        "errors": 4,
    }
    assert all((each.signal is None) == (each.then is None) for each in ROWS)


@pytest.mark.parametrize(
    ("asked", "routes", "chosen"),
    [
        ({"corpus_tokens": SMALL}, ("context",), "full"),
        ({"corpus_tokens": 500_000, "window_tokens": 1_000_000}, ("context", "retrieval"), "evidence"),
        ({"corpus_tokens": 500_000}, ("retrieval",), "evidence"),
        ({"corpus_tokens": SMALL, "updates": "hardly"}, ("context",), "full"),
        ({"corpus_tokens": SMALL, "updates": "daily"}, ("retrieval",), "evidence"),
        ({"corpus_tokens": SMALL, "updates": "every-turn"}, ("context",), "full"),
        ({"corpus_tokens": SMALL, "updates": "every-turn", "sessions": "repeatable"}, ("context", "memory"), "hybrid"),
        ({"corpus_tokens": SMALL, "sessions": "none"}, ("context",), "full"),
        ({"corpus_tokens": SMALL, "sessions": "repeatable"}, ("context",), "summary"),
        ({"corpus_tokens": SMALL, "sessions": "history"}, ("memory",), "hybrid"),
        ({"corpus_tokens": SMALL, "latency": "offline"}, ("context",), "full"),
        ({"corpus_tokens": SMALL, "latency": "interactive", "sessions": "repeatable"}, ("memory",), "hybrid"),
        ({"corpus_tokens": SMALL, "latency": "high-volume"}, ("retrieval",), "evidence"),
        ({"corpus_tokens": SMALL, "errors": ("no-wrong-answers",)}, ("retrieval",), "evidence"),
        ({"corpus_tokens": SMALL, "errors": ("no-omissions",)}, ("context",), "full"),
        ({"corpus_tokens": SMALL, "errors": ("nothing-outdated",)}, ("retrieval",), "evidence"),
        ({"corpus_tokens": SMALL, "errors": ("no-manipulation",)}, ("retrieval",), "evidence"),
    ],
)
def test_each_row_leads_to_its_choice(asked: dict[str, Any], routes: tuple[str, ...], chosen: str) -> None:
    advice = advise(Situation(**asked))
    assert (advice.routes, advice.strategy) == (routes, chosen)


def _situations() -> list[Situation]:
    errors = [(), *combinations(get_args(Errors), 1), *combinations(get_args(Errors), 2), get_args(Errors)]
    sizes = [(1_000, 200_000), (300_000, 1_000_000), (9_000_000, 200_000)]
    return [
        Situation(corpus_tokens=size, window_tokens=window, updates=u, sessions=s, latency=way, errors=e)
        for (size, window), u, s, way, e in product(
            sizes, get_args(Updates), get_args(Sessions), get_args(Latency), errors
        )
    ]


def test_the_most_careful_answer_wins_in_every_situation() -> None:
    for situation in _situations():
        advice = advise(situation)
        asked = {route for each in advice.rows for route in each.routes}
        assert advice.routes
        if "retrieval" in asked:
            assert "retrieval" in advice.routes
        if situation.sessions == "history":
            assert "memory" in advice.routes
        if situation.sessions == "none":
            assert not advice.needs_memory
        if situation.corpus == "beyond":
            assert advice.strategy != "full"
        assert advice.pointers_only == (advice.needs_memory and "nothing-outdated" in situation.errors)
        assert strategy(advice.strategy)


def test_a_support_desk_needs_no_memory() -> None:
    assert not advise(preset("support").situation).needs_memory
    assert advise(preset("companion").situation).needs_memory


@pytest.mark.parametrize("name", PRESETS)
def test_every_preset_names_a_strategy_and_settings_that_exist(name: str) -> None:
    from everyword.config import Settings

    assert strategy(preset(name).strategy).name == preset(name).strategy
    assert Settings(**preset(name).settings)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    "wrong", [{"updates": "weekly"}, {"errors": ("typos",)}, {"corpus_tokens": -1}, {"window_tokens": 0}]
)
def test_an_answer_that_the_table_does_not_know_is_told(wrong: dict[str, Any]) -> None:
    with pytest.raises(InvalidInputError):
        advise(Situation(**{"corpus_tokens": 1, **wrong}))


def test_an_unknown_preset_is_answered_with_the_known_ones() -> None:
    with pytest.raises(InvalidInputError, match="companion"):
        preset("game")


def test_what_would_have_to_be_done_says_where_a_piece_belongs() -> None:
    assert [CHANGES[each][0] for each in ("put in again", "index again", "overturn")] == [
        "context",
        "retrieval",
        "memory",
    ]


@pytest.mark.parametrize(
    ("figures", "rows"),
    [
        ({"fallback_rate": 0.51}, [row("corpus", "fits")]),
        ({"fallback_rate": 0.5}, []),
        ({"temporal_accuracy": 0.2171}, [row("sessions", "history")]),
        ({"temporal_accuracy": 0.58}, []),
        ({"memory_p95_s": 59.82}, [row("latency", "interactive")]),
        ({"memory_p95_s": 0.2, "refusal_rate": 0.4}, [row("errors", "no-wrong-answers")]),
        ({"middle_loss": 0.22}, [row("errors", "no-omissions")]),
        ({"observations_as_facts": 1}, [row("errors", "no-manipulation")]),
        ({}, []),
    ],
)
def test_a_figure_over_its_bound_is_a_signal_of_its_row(figures: dict[str, float], rows: list[Any]) -> None:
    assert [each.row for each in crossed(figures)] == rows


def test_an_unknown_figure_is_told() -> None:
    with pytest.raises(InvalidInputError, match="fallback_rate"):
        crossed({"vibes": 1.0})
