"""Questions and small talk come last where something is asked for."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

import numpy as np
import pytest

from everyword.assembly import UserFile
from everyword.domain.message import Message
from everyword.domain.query import Query
from everyword.index.declarative import declarative
from everyword.ports import ModelIdentity
from everyword.retrieval.search import rank
from everyword.strategies.evidence import EVIDENCE
from everyword.testing.drafts import draft
from everyword.testing.word_embedder import WordEmbedder

QUESTION, OTHER = "Who sold the red bicycle?", "Write a poem about the red bicycle that was sold"
ASKED, SAID = 10, 11
"""Places in the log of a question and of a statement with the same words."""


def _end(text: str) -> float:
    return 0.5 * (1 + 3 * text.startswith("Indeed")) if text.endswith((".", "。")) else -0.5


class Intonation:
    """Words, and one direction in which a text lies the further the more it ends as a statement does."""

    identity = ModelIdentity(name="intonation", dimensions=65)

    def embed_passages(self, texts: Sequence[str]) -> np.ndarray:
        words = WordEmbedder().embed_passages(texts)
        ends = np.array([[_end(text)] for text in texts], dtype=np.float32)
        rows = np.hstack([words, ends])
        return rows / np.linalg.norm(rows, axis=1, keepdims=True)

    embed_queries = embed_passages


@pytest.fixture
def said(store: UserFile, keep: Callable[..., list[Message]]) -> UserFile:
    chatter = [draft(f"house{number} is fine" + "!."[number % 2], session_id=f"s{number}") for number in range(20)]
    pair = [draft("Was the red bicycle sold?", session_id="q"), draft("The red bicycle was sold.", session_id="a")]
    keep(*chatter[: ASKED - 1], *pair, *chatter[ASKED - 1 :], embedder=Intonation())
    return store


def order(store: UserFile, question: str, weight: float) -> list[int]:
    recipe = replace(EVIDENCE.recipe, declarative=weight, tokens=0.0, standout=0.0)
    ranking = rank(store.index, Query(text=question), recipe, embedder=Intonation())
    return [each.seqs[0] for each in ranking.candidates()]


def test_a_statement_rises_over_a_question_with_the_same_words(said: UserFile) -> None:
    assert order(said, QUESTION, 2.0)[:2] == [SAID, ASKED]
    assert order(said, QUESTION, -2.0)[:2] == [ASKED, SAID]


def test_what_states_with_more_weight_than_a_plain_statement_gets_no_more_for_it(
    said: UserFile, keep: Callable[..., list[Message]]
) -> None:
    keep(draft("Indeed, the red bicycle that was old was sold.", session_id="i"), embedder=Intonation())
    assert order(said, QUESTION, 10.0)[0] == SAID


def test_it_counts_as_much_among_few_that_a_condition_lets_in(
    said: UserFile, keep: Callable[..., list[Message]]
) -> None:
    for number in range(20):
        keep(*[draft(f"tree{number} {n} is fine.", session_id="trees") for n in range(20)], embedder=Intonation())
    keep(draft("Lunch was good.", session_id="few"), embedder=Intonation())
    keep(draft("The red bicycle was sold by Tim!", session_id="few"), embedder=Intonation())
    recipe = EVIDENCE.recipe
    ranking = rank(said.index, Query(text=QUESTION, in_session="few"), recipe, embedder=Intonation())
    assert next(iter(ranking.candidates())).seqs == (424,)


def test_what_asks_for_no_record_is_ranked_as_if_there_were_no_such_direction(said: UserFile) -> None:
    assert order(said, OTHER, 5.0) == order(said, OTHER, 0.0)


def test_a_memory_whose_model_has_no_direction_yet_is_searched_without_it(said: UserFile) -> None:
    without = order(said, QUESTION, 0.0)
    with said.database.transaction() as connection:
        connection.execute("UPDATE model SET declarative = NULL")
    assert order(said, QUESTION, 2.0) == without
    said.index.use(Intonation())
    assert order(said, QUESTION, 2.0)[:2] == [SAID, ASKED]


def test_the_direction_is_of_length_one_and_leads_to_statements() -> None:
    direction = np.frombuffer(declarative(Intonation()), dtype=np.float32)
    assert np.linalg.norm(direction) == pytest.approx(1.0)
    statement, question = Intonation().embed_passages(["It is so.", "Is it so?"])
    assert statement @ direction > question @ direction
