from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from statistics import mean

import pytest

from everyword.assembly import UserFile
from everyword.domain.message import Message
from everyword.domain.query import Query
from everyword.models.hash import HashEmbedder
from everyword.models.with_units import EmbedderOfUnits
from everyword.ports import Embedder
from everyword.retrieval.search import Ranking, rank
from everyword.strategies.evidence import EVIDENCE
from everyword.testing.drafts import draft
from everyword.testing.word_embedder import WordEmbedder

Keep = Callable[..., list[Message]]
WORDS = WordEmbedder(dimensions=512)
QUESTION = "Who sold the red bicycle?"
RECIPE = replace(
    EVIDENCE.recipe, channels=("lexical", "passage", "clause"), neighbours=(), session_bonus=0.0, declarative=0.0
)


def ranked(store: UserFile, weight: float, embedder: Embedder = WORDS) -> Ranking:
    return rank(store.index, Query(text=QUESTION), replace(RECIPE, tokens=weight), embedder=embedder)


def order(ranking: Ranking) -> list[int]:
    return [each.seqs[0] for each in ranking.candidates()]


def scattered(count: int) -> list[str]:
    """Messages with one word of the question each."""
    return [f"the {('red', 'bicycle', 'sold')[number % 3]} of house{number}" for number in range(count)]


@pytest.fixture
def said(store: UserFile, keep: Keep) -> UserFile:
    """Words of the question all over a long message, and together in a clause of another."""
    spread = (
        "He sold a boat. It was late, and cold. The gate is red. Then it rained for days. Her bicycle is new. So it is."
    )
    together = (
        "It was late, and cold. Tim sold the red bicycle. Then it rained for days, and the gate was wet. So it is."
    )
    for number, text in enumerate([spread, together, *scattered(90)]):
        keep(draft(text, session_id=f"s{number}"), embedder=WORDS)
    return store


def test_clauses_that_hold_the_words_together_rise_over_words_that_are_scattered(said: UserFile) -> None:
    places = [{seq: place for place, seq in enumerate(order(ranked(said, weight)))} for weight in (0.0, 3.0)]
    assert places[1][2] < places[1][1]
    assert places[1][2] - places[1][1] < places[0][2] - places[0][1] or places[0][2] == 0


def test_who_was_not_among_the_first_stays_behind_in_its_order(said: UserFile) -> None:
    plain, lifted = ranked(said, 0.0), ranked(said, 5.0)
    head = RECIPE.rerank
    assert set(order(lifted)[:head]) == set(order(plain)[:head])
    assert order(lifted)[:head] != order(plain)[:head]
    assert order(lifted)[head:] == order(plain)[head:]
    scores = [each.score for each in lifted.candidates()]
    assert scores == sorted(scores, reverse=True)


def test_the_stage_tells_the_order_that_it_made(said: UserFile) -> None:
    ranking = ranked(said, 0.6)
    stage = next(each for each in ranking.stages if each.name == "tokens")
    first = list(ranking.candidates())[: RECIPE.rerank]
    assert stage.candidates == RECIPE.rerank == len(stage.places)
    assert [stage.places[each.seqs[0]].rank for each in first] == [each.rank for each in first]


def test_what_has_no_vector_yet_counts_as_an_average_candidate(said: UserFile, keep: Keep) -> None:
    (late,) = keep(draft("sold: one red bicycle", session_id="late"))
    before, after = (
        {each.seqs[0]: each.score for each in list(ranked(said, weight).candidates())[: RECIPE.rerank]}
        for weight in (0.0, 0.6)
    )
    gains = {seq: after[seq] - before[seq] for seq in after}
    assert gains.pop(late.seq) == pytest.approx(mean(gains.values()))


def test_a_model_that_does_not_tell_tokens_apart_leaves_the_order_as_it_is(store: UserFile, keep: Keep) -> None:
    hashed = HashEmbedder(256)
    keep(*(draft(text, session_id=f"s{n}") for n, text in enumerate(scattered(30))), embedder=hashed)
    assert "tokens" not in [stage.name for stage in ranked(store, 0.6, hashed).stages]
    assert order(ranked(store, 0.6, hashed)) == order(ranked(store, 0.0, hashed))


def test_tokens_are_told_through_another_identity_too(store: UserFile, keep: Keep) -> None:
    both = EmbedderOfUnits(WORDS, "both")
    keep(*(draft(text, session_id=f"s{n}") for n, text in enumerate(scattered(30))), embedder=both)
    assert "tokens" in [stage.name for stage in ranked(store, 0.6, both).stages]
