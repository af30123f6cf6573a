from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from itertools import islice

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from everyword.assembly import UserFile
from everyword.domain.message import Message
from everyword.domain.query import Query
from everyword.models.hash import HashEmbedder
from everyword.retrieval.density import ALWAYS, LEVEL, LINE, densities, tokens
from everyword.retrieval.recipe import CANDIDATES
from everyword.retrieval.search import Ranking, rank
from everyword.strategies.evidence import EVIDENCE
from everyword.testing.drafts import draft

Keep = Callable[..., list[Message]]
HASHED = HashEmbedder()
ROOM = (256, 64)


def turns(sizes: list[float]) -> list[int]:
    """Places of candidates behind the ranks that always go first, in the order of their turns."""
    order = np.argsort(-densities(np.array([1000.0] * ALWAYS + sizes), ROOM), kind="stable").tolist()
    assert order[:ALWAYS] == list(range(ALWAYS))
    return [place - ALWAYS for place in order[ALWAYS:]]


def test_what_is_promised_is_value_for_tokens() -> None:
    expected = [1 / ((20 + LINE) * (6 + LEVEL) ** 2), 1 / ((100 + LINE) * (7 + LEVEL) ** 2)]
    assert densities(np.array([1.0] * ALWAYS + [20.0, 100.0]), ROOM)[ALWAYS:].tolist() == pytest.approx(expected)


@given(st.lists(st.floats(0, 10_000), min_size=1, max_size=300))
def test_the_first_ranks_go_first_whatever_they_take(sizes: list[float]) -> None:
    found = densities(np.array(sizes), ROOM)
    assert np.argsort(-found, kind="stable")[:ALWAYS].tolist() == list(range(min(ALWAYS, len(sizes))))


@given(st.integers(1, 400), st.integers(1, 300))
def test_candidates_of_one_size_take_turns_by_rank(size: int, count: int) -> None:
    assert turns([float(size)] * count) == list(range(count))


def test_a_short_message_goes_before_a_long_one_of_nearly_its_rank_and_not_of_a_far_better_one() -> None:
    assert turns([200.0, 15.0]) == [1, 0]
    assert turns([*[200.0] * 60, 15.0])[0] == 0
    assert turns([*[200.0] * 60, 15.0]).index(60) < 60


def test_a_message_that_is_shown_by_an_excerpt_takes_no_more_than_that() -> None:
    assert turns([60.0, 5000.0]) == [0, 1]
    assert turns([250.0, 5000.0]) == [1, 0]


def test_a_character_of_a_script_without_spaces_is_a_token() -> None:
    assert tokens(np.array([40, 40]), np.array([0, 1])).tolist() == [10.0, 40.0]


def ranked(store: UserFile, question: str) -> Ranking:
    return rank(store.index, Query(text=question), EVIDENCE.recipe, embedder=HASHED)


def test_turns_are_those_of_the_first_candidates_each_once_and_ranks_stay(store: UserFile, keep: Keep) -> None:
    keep(
        *(
            draft("coin " * (1 + number % 40) + "word " * (number % 40), session_id=f"s{number}")
            for number in range(340)
        ),
        embedder=HASHED,
    )
    ranking = ranked(store, "Where is the coin?")
    in_turn = list(ranking.in_turn())
    by_rank = {each.rank: each for each in islice(ranking.candidates(), CANDIDATES)}
    assert sorted(each.rank for each in in_turn) == list(range(1, CANDIDATES + 1))
    assert [each.rank for each in in_turn] != sorted(by_rank)
    assert all(each == by_rank[each.rank] for each in in_turn)


def test_the_trace_tells_the_turn_of_a_message(store: UserFile, keep: Keep) -> None:
    long = [
        draft("The coin is in the old tray, coin tray. " + "It rained. " * 40, session_id=f"s{n}") for n in range(8)
    ]
    *_, short = keep(*long, draft("A coin.", session_id="s9"), embedder=HASHED)
    ranking = ranked(store, "coin tray")
    rank_of = {each.seqs[0]: each.rank for each in ranking.candidates()}
    stage = ranking.stages[-1]
    assert stage.name == "density"
    assert rank_of[short.seq] > ALWAYS + 1
    assert stage.places[short.seq].rank == ALWAYS + 1
    assert [each.seqs[0] for each in ranking.in_turn()].index(short.seq) == ALWAYS


def test_a_recipe_without_room_takes_the_best_first(store: UserFile, keep: Keep) -> None:
    keep(*(draft("coin " + "word " * (number % 9 * 20), session_id=f"s{number}") for number in range(30)))
    recipe = replace(EVIDENCE.recipe, room=None)
    ranking = rank(store.index, Query(text="coin"), recipe)
    assert [each.rank for each in ranking.in_turn()] == list(range(1, 31))
    assert "density" not in {stage.name for stage in ranking.stages}


def test_nothing_found_is_no_turn(store: UserFile, keep: Keep) -> None:
    keep(draft("rain"))
    assert (
        list(
            rank(
                store.index, Query(text="coin"), replace(EVIDENCE.recipe, channels=("lexical",), weights=(1.0,))
            ).in_turn()
        )
        == []
    )
