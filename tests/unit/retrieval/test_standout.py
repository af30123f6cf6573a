from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import replace

import numpy as np
import numpy.typing as npt
import pytest

from everyword.assembly import UserFile
from everyword.domain.message import Message
from everyword.domain.query import Query
from everyword.retrieval.search import Ranking, rank
from everyword.retrieval.standout import WORST_RANK, standing_out
from everyword.strategies.evidence import EVIDENCE
from everyword.testing.drafts import draft
from everyword.testing.word_embedder import WordEmbedder


def test_the_clause_that_leads_the_sixth_stands_out() -> None:
    nearness = np.linspace(0.2, 0.1, 50)
    nearness[40] = 0.9
    assert standing_out(nearness, 0.3) == 40


def test_of_clauses_that_are_as_near_none_stands_out() -> None:
    nearness = np.linspace(0.2, 0.1, 50)
    nearness[35:45] = 0.9
    assert standing_out(nearness, 0.3) is None


def test_candidates_without_a_vector_are_passed_over() -> None:
    nearness = np.linspace(0.2, 0.1, 50)
    nearness[3] = 0.9
    nearness[[0, 7]] = np.nan
    assert standing_out(nearness, 0.3) == 3
    assert standing_out(np.full(50, np.nan), 0.3) is None


def test_among_few_candidates_and_among_equal_ones_none_stands_out() -> None:
    assert standing_out(np.array([0.9, 0.1, 0.1]), 0.3) is None
    assert standing_out(np.full(50, 0.2), 0.0) is None


DIMENSIONS = 256
TURNED = np.linalg.qr(np.random.default_rng(0).standard_normal((DIMENSIONS, DIMENSIONS)))[0].astype(np.float32)
"""Words on all dimensions, as a model has them: signs of vectors that are mostly zero tell little."""


class Paraphrasing(WordEmbedder):
    """Knows that some words mean the same."""

    def __init__(self) -> None:
        super().__init__("paraphrasing", DIMENSIONS)

    def embed_passages(self, texts: Sequence[str]) -> npt.NDArray[np.float32]:
        meant = {"vended": "sold", "crimson": "red", "velocipede": "bicycle"}
        meanings = [re.sub(r"\w+", lambda word: meant.get(word[0], word[0]), each) for each in texts]
        return super().embed_passages(meanings) @ TURNED


PARAPHRASE = "Tim vended the crimson velocipede."
RECIPE = replace(
    EVIDENCE.recipe,
    weights=(1.0, 0.01, 0.01),
    neighbours=(),
    session_bonus=0.0,
    synonyms=0.0,
    members=0.0,
    tokens=0.0,
    room=None,
)


def ranked(store: UserFile, lead: float) -> Ranking:
    model = Paraphrasing()
    return rank(
        store.index,
        Query(text="Who sold the red bicycle?"),
        replace(RECIPE, standout=lead),
        embedder=model,
        score_clauses=False,
    )


@pytest.fixture
def said(store: UserFile, keep: Callable[..., list[Message]]) -> UserFile:
    """The answer in other words than the question's, after many messages that hold a word or two of it."""
    words = ("red", "bicycle", "sold", "red bicycle", "sold red")
    texts = [*(f"the {words[n % 5]} of house{n} and tree{n}" for n in range(60)), PARAPHRASE]
    keep(*(draft(text, session_id=f"s{n}") for n, text in enumerate(texts)), embedder=Paraphrasing())
    return store


def test_an_answer_in_other_words_is_among_the_first_and_all_others_keep_their_order(said: UserFile) -> None:
    plain, raised = ranked(said, 0.0), ranked(said, 0.3)
    before, after = ([each.seqs[0] for each in ranking.candidates()] for ranking in (plain, raised))
    assert before.index(61) > 20
    assert after.index(61) == WORST_RANK - 1
    assert [seq for seq in after if seq != 61] == [seq for seq in before if seq != 61]


def test_the_trace_says_where_it_stands_and_scores_fall_with_the_rank(said: UserFile) -> None:
    raised = ranked(said, 0.3)
    assert next(stage for stage in raised.stages if stage.name == "fused").places[61].rank == WORST_RANK
    scores = [each.score for each in raised.candidates()]
    assert scores == sorted(scores, reverse=True)


def test_what_does_not_lead_stays_where_its_sum_puts_it(said: UserFile) -> None:
    assert [each.seqs for each in ranked(said, 100.0).candidates()] == [
        each.seqs for each in ranked(said, 0.0).candidates()
    ]


def test_of_a_long_message_the_window_that_stands_out_comes_first(
    said: UserFile, keep: Callable[..., list[Message]]
) -> None:
    """Its other window holds a word of the question, and so has the higher sum."""
    windows = "The red gate was sold, and the bicycle. " + "It rained for days on the town and the harbour. " * 60
    keep(draft(f"{windows}\n\n{PARAPHRASE}", session_id="long"), embedder=Paraphrasing())
    said.index.erase([61])
    raised = next(each for each in ranked(said, 0.3).candidates() if each.seqs == (62,))
    first = said.index.passages(raised.passage_ids[:1])[0]
    assert raised.rank <= WORST_RANK
    assert PARAPHRASE in first.text
