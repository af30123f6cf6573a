from __future__ import annotations

import numpy as np
import numpy.typing as npt
from hypothesis import given
from hypothesis import strategies as st

from everyword.index.corpus import Corpus
from everyword.retrieval.units import units

IDS = st.lists(st.integers(1, 30), min_size=1, unique=True).map(sorted) | st.integers(1, 30).flatmap(
    lambda first: st.integers(0, 20).map(lambda more: list(range(first, first + more + 1)))
)


def corpus_of(ids: list[int], sessions: list[int], seqs: list[int]) -> Corpus:
    table = np.zeros((8, len(ids)), dtype=np.int64)
    table[:3] = ids, seqs, sessions
    return Corpus(table, [None] * len(ids))


def with_neighbours(
    corpus: Corpus, values: npt.NDArray[np.float64], weights: tuple[float, ...]
) -> npt.NDArray[np.float64]:
    """Return the value of every position."""
    held = np.flatnonzero(values)
    places, found = corpus.with_neighbours(held, values[held], weights)
    out = np.zeros(len(values))
    out[places] = found
    return out


@given(IDS, st.lists(st.integers(0, 60)))
def test_positions_are_those_of_a_binary_search(ids: list[int], asked: list[int]) -> None:
    corpus = corpus_of(ids, [1] * len(ids), ids)
    wanted = np.array(asked, dtype=np.int64)
    assert corpus.positions(wanted).tolist() == np.searchsorted(np.array(ids), wanted).tolist()


@given(st.lists(st.integers(1, 4), min_size=1, max_size=30), st.lists(st.floats(0, 1), max_size=4).map(tuple))
def test_neighbours_in_the_order_of_the_log_are_those_of_any_order(
    sessions: list[int], weights: tuple[float, ...]
) -> None:
    values = np.arange(len(sessions), dtype=np.float64)
    ids = list(range(1, len(sessions) + 1))
    in_order, mixed = corpus_of(ids, sorted(sessions), ids), corpus_of(ids, sessions, ids)
    sorted_values = values[np.argsort(sessions, kind="stable")]
    expected = with_neighbours(mixed, values, weights)[np.argsort(sessions, kind="stable")]
    assert np.allclose(with_neighbours(in_order, sorted_values, weights), expected)


@given(st.lists(st.integers(1, 9), min_size=1) | st.lists(st.integers(1, 9), min_size=1).map(sorted))
def test_units_are_numbered_by_their_message(seqs: list[int]) -> None:
    corpus = corpus_of(list(range(1, len(seqs) + 1)), [1] * len(seqs), seqs)
    assert units(corpus, "message").tolist() == np.unique(seqs, return_inverse=True)[1].tolist()
