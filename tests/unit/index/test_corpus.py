from __future__ import annotations

from collections.abc import Callable
from random import Random

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given
from hypothesis import strategies as st

from everyword.domain.message import Message
from everyword.index.corpus import UNKNOWN, Corpus
from everyword.index.index import Index
from everyword.testing.drafts import draft

WEIGHTS = st.lists(st.floats(0, 1), max_size=5).map(tuple)


def corpus_of(sessions: list[int]) -> Corpus:
    table = np.zeros((8, len(sessions)), dtype=np.int64)
    table[0] = np.arange(len(sessions)) * 3 + 1
    table[2] = sessions
    return Corpus(table, [None] * len(sessions))


def with_neighbours(
    corpus: Corpus, values: npt.NDArray[np.float64], weights: tuple[float, ...]
) -> npt.NDArray[np.float64]:
    """Return the value of every position."""
    held = np.flatnonzero(values)
    places, found = corpus.with_neighbours(held, values[held], weights)
    out = np.zeros(len(values))
    out[places] = found
    return out


@given(st.lists(st.integers(1, 4), max_size=40), WEIGHTS, st.randoms(use_true_random=False))
def test_neighbours_count_by_their_distance_in_the_session(
    sessions: list[int], weights: tuple[float, ...], random: Random
) -> None:
    values = np.array([random.random() for _ in sessions])
    expected = values.copy()
    for session in set(sessions):
        line = [place for place, each in enumerate(sessions) if each == session]
        for here, place in enumerate(line):
            for distance, weight in enumerate(weights, 1):
                for there in (here - distance, here + distance):
                    if 0 <= there < len(line):
                        expected[place] += weight * values[line[there]]
    assert np.allclose(with_neighbours(corpus_of(sessions), values, weights), expected)


@given(st.lists(st.integers(1, 4), max_size=40), st.integers(1, 5), st.randoms(use_true_random=False))
def test_a_session_mean_is_that_of_its_best(sessions: list[int], count: int, random: Random) -> None:
    values = np.array([random.random() - 0.5 for _ in sessions])
    expected = [
        np.mean(sorted((v for v, each in zip(values, sessions, strict=True) if each == session), reverse=True)[:count])
        for session in sessions
    ]
    assert np.allclose(corpus_of(sessions).session_means(values, count), expected)


def test_the_corpus_grows_with_the_file_and_an_older_one_stays_as_it_was(
    index: Index, add: Callable[..., list[Message]]
) -> None:
    add(draft("one", author="Ana"), draft("two", role="tool", session_id="s2", created_at=None))
    before = index.corpus()
    add(draft("three", role="assistant", branch="other"))
    after = index.corpus()
    assert len(before) == 2
    assert before.seqs.tolist() == [1, 2]
    assert after.seqs.tolist() == [1, 2, 3]
    assert after.roles.tolist() == [2, 4, 3]
    assert after.branches.tolist() == [0, 0, 1]
    assert after.created_us[1] == UNKNOWN
    assert after.lengths.tolist() == [3, 3, 5]
    assert after.authors == ["Ana", None, None]
    assert after.order.tolist() == [0, 2, 1]
    assert index.corpus() is after


@pytest.mark.parametrize("weights", [(), (0.5,), (0.5, 0.2, 0.1)])
def test_an_empty_corpus_has_empty_answers(index: Index, weights: tuple[float, ...]) -> None:
    corpus = index.corpus()
    assert len(corpus) == 0
    assert len(with_neighbours(corpus, np.zeros(0), weights)) == 0
    assert len(corpus.session_means(np.zeros(0), 3)) == 0
