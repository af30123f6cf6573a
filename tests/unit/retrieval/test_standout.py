from __future__ import annotations

import numpy as np

from everyword.retrieval.standout import RANK, let_in
from everyword.retrieval.units import Ints


def sums(count: int) -> np.ndarray[tuple[int], np.dtype[np.float64]]:
    """Return sums that fall from passage to passage."""
    return np.arange(count, 0, -1, dtype=np.float64)


def each(count: int) -> Ints:
    return np.arange(count, dtype=np.int64)


def test_a_clause_that_stands_out_brings_its_passage_among_the_first() -> None:
    total, nearness = sums(50), np.linspace(0.2, 0.1, 50)
    nearness[40] = 0.9
    let_in(total, nearness, each(50), 0.3)
    assert total[40] == total[RANK - 1]
    assert total.tolist()[:40] == sums(50).tolist()[:40]


def test_a_clause_that_others_equal_brings_nothing() -> None:
    total, nearness = sums(50), np.linspace(0.2, 0.1, 50)
    nearness[35:45] = 0.9
    let_in(total, nearness, each(50), 0.3)
    assert total.tolist() == sums(50).tolist()


def test_a_clause_far_from_all_words_of_the_question_brings_nothing() -> None:
    total, nearness = sums(500), np.linspace(0.2, 0.1, 500)
    nearness[400] = 0.9
    let_in(total, nearness, each(500), 0.3)
    assert total.tolist() == sums(500).tolist()


def test_a_passage_that_stands_higher_stays_there() -> None:
    total, nearness = sums(50), np.linspace(0.2, 0.1, 50)
    nearness[1] = 0.9
    let_in(total, nearness, each(50), 0.3)
    assert total.tolist() == sums(50).tolist()


def test_the_windows_of_one_message_do_not_rival_each_other() -> None:
    total, nearness = sums(50), np.linspace(0.2, 0.1, 50)
    nearness[38:45] = 0.9
    let_in(total, nearness, np.array([min(place, 38) if place < 45 else place - 6 for place in range(50)]), 0.3)
    assert total[38] == total[RANK - 1]
    assert total.tolist()[39:] == sums(50).tolist()[39:]


def test_passages_without_a_vector_or_not_asked_for_are_left_alone() -> None:
    total, nearness = sums(50), np.linspace(0.2, 0.1, 50)
    total[[3, 40]] = np.nan
    nearness[[3, 7]] = np.nan
    nearness[40] = 0.9
    let_in(total, nearness, each(50), 0.3)
    assert np.isnan(total[[3, 40]]).all()
    let_in(empty := np.empty(0), np.empty(0), each(0), 0.3)
    assert len(empty) == 0
