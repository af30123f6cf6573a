from __future__ import annotations

import math
from collections.abc import Callable

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from everyword.domain.message import Message
from everyword.index.index import Index
from everyword.index.lexical import K1
from everyword.testing.drafts import draft
from everyword.text.words import query_terms, terms

B = 0.75
SENTENCES = (
    "The 1912 coin is gone, and the 1899 coin too.",
    "We watched the match in the old stadium.",
    "My sister collects coins and stamps.",
    "買了一隻貓，貓很可愛。",
    "貓頭鷹在樹上。",
    "The stadium was full, the match was long, the match was good, the coin toss was late and we were cold.",
)


def scores(index: Index, question: str, *, header_weight: float = 0.0) -> dict[int, float]:
    """BM25 by passage, from what the index says of each term."""
    total: dict[int, float] = {}
    for hits in index.term_hits(query_terms(question), header_weight=header_weight):
        for passage, ratio in zip(hits.passage_ids.tolist(), hits.ratios.tolist(), strict=True):
            total[passage] = total.get(passage, 0.0) + hits.idf * (K1 + 1) * ratio / (1 + ratio)
    return total


def naive(texts: list[str], wanted: dict[str, bool]) -> dict[int, float]:
    """Robertson & Zaragoza, term by term; a message has one term more than its words, for who said it."""
    bags = [terms(text) for text in texts]
    lengths = [len(bag) + extra for bag, extra in zip(bags, EXTRA, strict=True)]
    average = sum(lengths) / len(lengths)
    total: dict[int, float] = {}
    for term, is_prefix in wanted.items():
        counts = [sum(each.startswith(term) if is_prefix else each == term for each in bag) for bag in bags]
        found = sum(count > 0 for count in counts)
        idf = math.log(1 + (len(bags) - found + 0.5) / (found + 0.5))
        for place, count in enumerate(counts):
            if count:
                norm = K1 * (1 - B + B * lengths[place] / average)
                total[place + 1] = total.get(place + 1, 0.0) + idf * count * (K1 + 1) / (count + norm)
    return total


EXTRA = [5] * len(SENTENCES)
"""Terms of a header: the speaker, and the day, month, year and weekday."""


@pytest.mark.parametrize("question", ["coin", "coins of the match", "the stadium", "貓", "貓頭", "coin 1899 貓 sister"])
def test_scores_are_those_of_a_naive_computation(
    index: Index, add: Callable[..., list[Message]], question: str
) -> None:
    add(*(draft(text, role="assistant") for text in SENTENCES))
    expected = naive(list(SENTENCES), query_terms(question))
    assert scores(index, question) == pytest.approx(expected, rel=1e-4)


def test_a_single_chinese_character_finds_every_word_that_holds_it(
    index: Index, add: Callable[..., list[Message]]
) -> None:
    add(*(draft(text) for text in SENTENCES))
    assert set(scores(index, "貓")) == {4, 5}


def test_the_header_is_found_only_where_it_has_weight(index: Index, add: Callable[..., list[Message]]) -> None:
    add(draft("nothing to see", author="Beatrix"), draft("Beatrix was here"))
    assert scores(index, "Beatrix")[1] == 0.0
    assert scores(index, "Beatrix", header_weight=1.0)[1] > 0.0


def test_an_erased_passage_is_in_no_answer_and_its_id_may_come_back(
    index: Index, add: Callable[..., list[Message]]
) -> None:
    add(draft("first coin"), draft("second stadium"))
    index.erase([2])
    add(draft("third coin"))
    assert set(scores(index, "coin")) == {1, 2}
    assert scores(index, "stadium") == {}


QUESTIONS = ['"', "'", "coin OR", "NOT coin", "coin AND (", "NEAR(coin, 2)", "text:coin", "-coin", "coin*", "^coin", "{a b} : c",
             "coin\x00", "\ud800", "🎂", ")", "--", ";DROP TABLE message", "%", "\\", "header : user", 'a"b"c', "+", "'ab"]  # fmt: skip


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=200)
@given(st.text(st.characters(exclude_categories=[])) | st.lists(st.sampled_from(QUESTIONS)).map(" ".join))
@example(" ".join(QUESTIONS))
def test_no_question_raises(index: Index, question: str) -> None:
    index.term_hits(query_terms(question))


def test_no_term_can_be_syntax(index: Index, add: Callable[..., list[Message]]) -> None:
    add(draft("coin"))
    for term in (*QUESTIONS[:-2], 'a" OR "coin'):
        if "\ud800" not in term and "\x00" not in term:
            index.term_hits({term: False, f"{term}x": True})


def test_a_question_of_ten_thousand_words_is_answered_by_its_rarest(
    index: Index, add: Callable[..., list[Message]]
) -> None:
    add(*(draft(f"common word{number % 7} rare{number}") for number in range(100)))
    question = " ".join(f"common word{number % 7} unknown{number} rare{number % 60}" for number in range(2500))
    found = index.term_hits(query_terms(question))
    assert len(found) <= 64
    assert {f"rare{number}" for number in range(60)} <= {hits.term for hits in found}


def test_a_word_of_a_megabyte_is_stored_and_asked(index: Index, add: Callable[..., list[Message]]) -> None:
    add(draft("x" * 1_000_000))
    assert index.verify() == []
    index.term_hits(query_terms("x" * 100_000))
