from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

from everyword.assembly import UserFile
from everyword.domain.message import Message
from everyword.domain.query import Query
from everyword.models.hash import HashEmbedder
from everyword.retrieval.search import rank
from everyword.retrieval.units import best, units
from everyword.strategies.raw_fused import RAW_FUSED
from everyword.testing.drafts import draft

Keep = Callable[..., list[Message]]
LONG = "The harbour was full of small boats that morning. " * 60


def test_neighbours_of_one_speaker_are_one_run(store: UserFile, keep: Keep) -> None:
    keep(draft("one"), draft("two"), draft("reply", role="assistant"), draft("three"))
    numbers = units(store.index.corpus(), "speaker-run")
    assert numbers.tolist() == [0, 0, 1, 2]


def test_a_run_ends_where_name_session_or_branch_change(store: UserFile, keep: Keep) -> None:
    keep(
        draft("a", author="Ana"),
        draft("b", author="Ben"),
        draft("b", author="Ben", session_id="s2"),
        draft("b", author="Ben", session_id="s2", branch="other"),
    )
    assert len(set(units(store.index.corpus(), "speaker-run").tolist())) == 4


def test_a_run_goes_on_where_another_session_came_between(store: UserFile, keep: Keep) -> None:
    keep(draft("one"), draft("elsewhere", session_id="s2"), draft("two"))
    first, elsewhere, second = units(store.index.corpus(), "speaker-run").tolist()
    assert first == second != elsewhere


def test_windows_of_a_message_are_one_unit_or_one_each(store: UserFile, keep: Keep) -> None:
    keep(draft("short"), draft(LONG))
    corpus = store.index.corpus()
    assert len(corpus) > 3
    assert set(units(corpus, "message").tolist()) == {0, 1}
    assert units(corpus, "passage").tolist() == list(range(len(corpus)))


def test_a_unit_is_as_good_as_its_best_passage() -> None:
    values = best(np.array([0.1, 0.7, np.nan, np.nan]), np.array([0, 0, 0, 1]))
    assert values[0] == pytest.approx(0.7)
    assert np.isnan(values[1])


def test_an_empty_memory_has_no_units(store: UserFile) -> None:
    for kind in ("message", "speaker-run", "passage"):
        assert len(units(store.index.corpus(), kind)) == 0


def test_a_a_b_a_gives_two_records_of_the_user(store: UserFile, keep: Keep) -> None:
    hashed = HashEmbedder()
    keep(
        draft("my tea is green"),
        draft("and my coffee is black"),
        draft("tea and coffee, noted", role="assistant"),
        draft("no more coffee for me"),
        embedder=hashed,
    )
    ranking = rank(store.index, Query(text="tea or coffee?"), RAW_FUSED.recipe, embedder=hashed)
    assert {each.seqs for each in ranking.candidates()} == {(1, 2), (4,)}


@pytest.mark.parametrize("hidden", [{2}, {1}, {1, 2}])
def test_a_message_that_is_hidden_is_not_found_with_its_run(store: UserFile, keep: Keep, hidden: set[int]) -> None:
    hashed = HashEmbedder()
    keep(draft("my tea is green"), draft("and my coffee is black"), draft("ah", role="assistant"), embedder=hashed)
    query = Query(text="tea or coffee?", hidden_seqs=frozenset(hidden))
    found = rank(store.index, query, RAW_FUSED.recipe, embedder=hashed)
    assert {seq for each in found.candidates() for seq in each.seqs} == {1, 2} - hidden
