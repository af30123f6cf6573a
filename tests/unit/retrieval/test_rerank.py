from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import pairwise
from statistics import mean, pstdev
from typing import Any

import pytest

from everyword.assembly import UserFile
from everyword.domain.message import Message
from everyword.domain.query import Query
from everyword.errors import ProviderError
from everyword.models.hash import HashEmbedder
from everyword.retrieval.search import Ranking, rank
from everyword.strategies.evidence import EVIDENCE
from everyword.strategies.raw_fused import RAW_FUSED
from everyword.strategies.raw_rag import RAW_RAG
from everyword.strategies.strategy import Strategy
from everyword.testing.drafts import draft

Keep = Callable[..., list[Message]]
QUESTION = "Which coin is the oldest?"
HASHED = HashEmbedder()


def coins(count: int) -> list[Any]:
    """Messages that all share a word with the question, each in a session of its own, so that no two are one record."""
    return [draft(f"coin {number} lies in tray {number % 7}", session_id=f"s{number}") for number in range(count)]


def ranked(store: UserFile, strategy: Strategy, reranker: Any) -> Ranking:
    return rank(store.index, Query(text=QUESTION), strategy.recipe, embedder=HASHED, reranker=reranker)


def order(ranking: Ranking) -> list[tuple[int, ...]]:
    return [each.seqs for each in ranking.candidates()]


def number_in(text: str) -> float:
    return float(text.split()[1])


@pytest.mark.parametrize(
    ("strategy", "stored", "judged"), [(RAW_FUSED, 80, 60), (RAW_FUSED, 7, 7), (RAW_RAG, 140, 128)]
)
def test_a_reranker_gets_no_more_than_the_first_candidates(
    store: UserFile, keep: Keep, Judge: Any, strategy: Strategy, stored: int, judged: int
) -> None:
    keep(*coins(stored), embedder=HASHED)
    judge = Judge(number_in)
    ranking = ranked(store, strategy, judge)
    assert judge.questions == [QUESTION]
    assert len(judge.texts) == judged
    assert ranking.stages[-1].name == "reranked"
    assert ranking.stages[-1].candidates == judged


def test_raw_rag_keeps_fifteen(store: UserFile, keep: Keep, Judge: Any) -> None:
    keep(*coins(40), embedder=HASHED)
    assert len(order(ranked(store, RAW_RAG, Judge(number_in)))) == len(ranked(store, RAW_RAG, Judge(number_in))) == 15


def test_a_judgement_is_fused_with_the_order_before_it(store: UserFile, keep: Keep, Judge: Any) -> None:
    keep(*coins(3), embedder=HASHED)
    before = order(ranked(store, RAW_FUSED, Judge(lambda _: 0.0)))
    seq_of = {f"coin {number}": number + 1 for number in range(3)}
    last = before[-1][0]
    turned = order(ranked(store, RAW_FUSED, Judge(lambda text: seq_of[text[:6]] == last)))
    assert turned == [before[0], before[2], before[1]], "third and first beats second and second, not first and second"


def test_a_constant_on_every_score_changes_no_order(store: UserFile, keep: Keep, Judge: Any) -> None:
    keep(*coins(30), embedder=HASHED)
    orders = [
        order(ranked(store, RAW_FUSED, Judge(lambda text, by=by: -6.53 + number_in(text) % 11 + by)))
        for by in (0.0, 100.0, -1e4)
    ]
    assert orders[0] == orders[1] == orders[2]


def test_candidates_come_with_falling_scores(store: UserFile, keep: Keep, Judge: Any) -> None:
    keep(*coins(100), embedder=HASHED)
    for strategy in (RAW_FUSED, EVIDENCE):
        for judge in (None, Judge(number_in)):
            found = [each.score for each in ranked(store, strategy, judge).candidates()]
            assert len(found) == 100
            assert found == sorted(found, reverse=True)


def test_what_was_not_judged_stays_behind_in_its_order(store: UserFile, keep: Keep, Judge: Any) -> None:
    keep(*coins(80), embedder=HASHED)
    plain = rank(store.index, Query(text=QUESTION), RAW_FUSED.recipe, embedder=HASHED, score_clauses=False)
    assert order(ranked(store, RAW_FUSED, Judge(number_in)))[60:] == order(plain)[60:]


def test_the_windows_of_a_message_are_judged_as_one_text(store: UserFile, keep: Keep, Judge: Any) -> None:
    long = " ".join(f"Sentence {number} is about a coin." for number in range(150))
    keep(draft(long), embedder=HASHED)
    judge = Judge(len)
    ranked(store, EVIDENCE, judge)
    (text,) = judge.texts
    assert text.startswith("Sentence 0")
    assert text.endswith("Sentence 149 is about a coin.")


def test_a_hidden_message_is_not_judged(store: UserFile, keep: Keep, Judge: Any) -> None:
    keep(draft("an old coin"), draft("a secret coin"), embedder=HASHED)
    judge = Judge(len)
    query = Query(text=QUESTION, hidden_seqs=frozenset({2}))
    rank(store.index, query, RAW_FUSED.recipe, embedder=HASHED, reranker=judge)
    assert judge.texts == ["an old coin"]


class BrokenReranker:
    """An endpoint that is down."""

    name = "broken"

    def scores(self, question: str, texts: Sequence[str]) -> list[float]:
        raise ProviderError("503 from the endpoint")


def test_a_reranker_that_fails_leaves_the_order_before_it_and_a_note(store: UserFile, keep: Keep, Judge: Any) -> None:
    keep(*coins(10), embedder=HASHED)
    ranking = ranked(store, RAW_FUSED, BrokenReranker())
    plain = rank(store.index, Query(text=QUESTION), RAW_FUSED.recipe, embedder=HASHED, score_clauses=False)
    assert order(ranking) == order(plain)
    assert [stage.name for stage in ranking.stages] == ["lexical", "passage", "fused"]
    assert ranking.notes == ["the reranker 'broken' failed, the order before it stands: 503 from the endpoint"]


class ShortReranker:
    """An endpoint that loses a text."""

    name = "short"

    def scores(self, question: str, texts: Sequence[str]) -> list[float]:
        return [1.0] * (len(texts) - 1)


def test_scores_that_do_not_fit_the_texts_are_not_used(store: UserFile, keep: Keep) -> None:
    keep(*coins(10), embedder=HASHED)
    (note,) = ranked(store, RAW_FUSED, ShortReranker()).notes
    assert "9 scores for 10 texts" in note


def test_a_text_that_gets_no_number_keeps_its_first_rank(store: UserFile, keep: Keep, Judge: Any) -> None:
    keep(*coins(10), embedder=HASHED)
    ranking = ranked(store, RAW_FUSED, Judge(lambda _: float("nan")))
    assert len(order(ranking)) == 10
    assert dict(ranking.stages[-1].places) == {}


def test_without_a_reranker_the_stored_clauses_judge(store: UserFile, keep: Keep) -> None:
    keep(*coins(5), embedder=HASHED)
    with_clauses = rank(store.index, Query(text=QUESTION), RAW_FUSED.recipe, embedder=HASHED)
    without = rank(store.index, Query(text=QUESTION), RAW_FUSED.recipe, embedder=HASHED, score_clauses=False)
    assert [stage.name for stage in with_clauses.stages] == ["lexical", "passage", "fused", "reranked"]
    assert [stage.name for stage in without.stages] == ["lexical", "passage", "fused"]


class Weighing:
    """A judge whose scores are added to those before it."""

    name = "weighing"

    def __init__(self, score: Callable[[str], float], weight: float) -> None:
        self._score = score
        self.weight = weight
        self.texts: list[str] = []

    def scores(self, question: str, texts: Sequence[str]) -> list[float]:
        self.texts.extend(texts)
        return [self._score(text) for text in texts]


def test_scores_with_a_weight_are_added_to_those_before(store: UserFile, keep: Keep) -> None:
    keep(*coins(12), embedder=HASHED)
    before = list(ranked(store, EVIDENCE, None).candidates())
    number_of = {each.seqs: each.seqs[0] - 1 for each in before}
    after = list(ranked(store, EVIDENCE, Weighing(number_in, 0.4)).candidates())
    levels = [each.score for each in before]
    numbers = [number_of[each.seqs] for each in before]
    expected = [
        (level - mean(levels)) / pstdev(levels) + 0.4 * (number - mean(numbers)) / pstdev(numbers)
        for level, number in zip(levels, numbers, strict=True)
    ]
    best_first = sorted(zip(expected, (each.seqs for each in before), strict=True), key=lambda pair: -pair[0])
    assert [each.seqs for each in after] == [seqs for _, seqs in best_first]
    assert [each.seqs for each in after] != [each.seqs for each in before]
    assert all(one.score > other.score for one, other in pairwise(after))


def test_a_judge_without_weight_in_it_leaves_the_order(store: UserFile, keep: Keep) -> None:
    keep(*coins(12), embedder=HASHED)
    assert order(ranked(store, EVIDENCE, Weighing(number_in, 0.0))) == order(ranked(store, EVIDENCE, None))


def test_a_weighing_judge_reads_the_best_passage_of_a_long_message(store: UserFile, keep: Keep) -> None:
    talk = "The kettle is on the shelf and the tea is cold. " * 60
    keep(draft(f"{talk}The oldest coin lies in tray six. {talk}"), embedder=HASHED)
    judge = Weighing(lambda _: 1.0, 0.4)
    ranked(store, EVIDENCE, judge)
    assert len(judge.texts) == 1
    assert "oldest coin" in judge.texts[0]
    assert len(judge.texts[0]) < 1_100
