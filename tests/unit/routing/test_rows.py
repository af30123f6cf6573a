from __future__ import annotations

from typing import Any

import pytest

from everyword.routing.advice import Situation, advise
from everyword.routing.signals import crossed
from everyword.routing.table import ROWS, Row

_SIZES = {"small": (1_000, 200_000), "fits": (300_000, 1_000_000), "beyond": (300_000, 200_000)}
_FIGURES = {
    ("corpus", "fits"): {"fallback_rate": 0.6},
    ("updates", "daily"): {"index_time_share": 1.5},
    ("sessions", "history"): {"temporal_accuracy": 0.2},
    ("latency", "interactive"): {"memory_p95_s": 3.0},
    ("errors", "no-wrong-answers"): {"refusal_rate": 0.5},
    ("errors", "no-omissions"): {"middle_loss": 0.2},
    ("errors", "no-manipulation"): {"observations_as_facts": 1.0},
}


def situation(row: Row) -> Situation:
    """Return the plainest product that gives the answer of a row."""
    asked: dict[str, Any] = {"corpus_tokens": 1_000}
    if row.dimension == "corpus":
        asked["corpus_tokens"], asked["window_tokens"] = _SIZES[row.level]
    else:
        asked[row.dimension] = (row.level,) if row.dimension == "errors" else row.level
    return Situation(**asked)


@pytest.mark.parametrize("row", [pytest.param(row, id=f"{row.dimension}-{row.level}") for row in ROWS])
def test_each_row_is_given_for_its_answer_with_its_choice_and_its_sign(row: Row) -> None:
    advice = advise(situation(row))
    assert row in advice.rows
    assert row.choice
    assert (row.signal is None) == (row.then is None)
    for route in row.routes:
        if route == "memory" and situation(row).sessions == "none":
            continue  # Nothing outlives a session, so that there is nothing to remember.
        assert route in advice.routes or (route == "context" and len(row.routes) > 1)


@pytest.mark.parametrize("row", [pytest.param(row, id=f"{row.dimension}-{row.level}") for row in ROWS])
def test_a_row_is_never_less_careful_in_company(row: Row) -> None:
    """Adding any answer takes away neither retrieval nor a memory, unless the answer forbids the memory."""
    alone = advise(Situation(corpus_tokens=300_000, window_tokens=200_000, sessions="history"))
    if row.dimension in ("corpus", "sessions"):
        return
    given: dict[str, Any] = {row.dimension: (row.level,) if row.dimension == "errors" else row.level}
    together = advise(Situation(corpus_tokens=300_000, window_tokens=200_000, sessions="history", **given))
    assert set(alone.routes) <= set(together.routes)


@pytest.mark.parametrize(("place", "figures"), _FIGURES.items())
def test_a_row_has_a_figure_that_tells_when_it_is_no_longer_right(
    place: tuple[str, str], figures: dict[str, float]
) -> None:
    (signal,) = crossed(figures)
    assert (signal.row.dimension, signal.row.level) == place
    assert signal.row.then
