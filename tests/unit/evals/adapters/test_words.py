from __future__ import annotations

import math
from pathlib import Path

import pytest

from everyword.evals.adapters.system import Record
from everyword.evals.adapters.words import WordSearch, open_words


@pytest.fixture
def search(tmp_path: Path) -> WordSearch:
    return open_words(tmp_path, None)


def say(search: WordSearch, *texts: str) -> None:
    search.add([Record(record_id=f"r{n}", role="user", text=text, session="s") for n, text in enumerate(texts)])


def found(search: WordSearch, question: str, limit: int = 10) -> list[tuple[str, ...]]:
    return [each.record_ids for each in search.retrieve(question, limit=limit, asked_at=None)]


def test_scores_are_those_of_the_published_formula(search: WordSearch) -> None:
    say(search, "a coin and a coin", "a coin", "nothing at all here")
    rarity = math.log(1 + (3 - 2 + 0.5) / (2 + 0.5))
    mean = (5 + 2 + 4) / 3
    twice = rarity * 2 * 2.2 / (2 + 1.2 * (0.25 + 0.75 * 5 / mean))
    once = rarity * 1 * 2.2 / (1 + 1.2 * (0.25 + 0.75 * 2 / mean))
    scores = {each.record_ids[0]: each.score for each in search.retrieve("COIN?", limit=10, asked_at=None)}
    assert scores == {"r0": pytest.approx(twice), "r1": pytest.approx(once)}


def test_words_are_taken_as_they_are_written(search: WordSearch) -> None:
    say(search, "Two coins.", "The Coin.", "coin-collector")
    assert set(found(search, "coin")) == {("r1",), ("r2",)}


def test_no_more_than_asked_for_is_returned_and_equals_keep_their_order(search: WordSearch) -> None:
    say(search, *["a coin"] * 9)
    assert found(search, "coin", limit=3) == [("r0",), ("r1",), ("r2",)]


def test_messages_may_follow_a_question(search: WordSearch) -> None:
    assert found(search, "coin") == []
    say(search, "a coin")
    assert found(search, "coin") == [("r0",)]
    search.close()
