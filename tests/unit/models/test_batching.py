from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from everyword.models.batching import batches, chunks


@given(st.lists(st.integers(1, 40)), st.integers(1, 100))
def test_every_text_is_in_one_batch_and_no_batch_of_several_costs_more_than_it_may(
    lengths: list[int], tokens: int
) -> None:
    found = list(batches(lengths, tokens=tokens))
    assert sorted(place for batch in found for place in batch) == list(range(len(lengths)))
    assert all(len(batch) == 1 or len(batch) * max(lengths[place] for place in batch) <= tokens for batch in found)


def test_texts_of_one_length_share_a_batch() -> None:
    assert list(batches([3, 9, 3, 9], tokens=18)) == [[0, 2], [1, 3]]


def test_short_texts_among_long_ones_are_hardly_padded() -> None:
    lengths = [12 + n % 7 for n in range(5000)] + [500] * 20
    padded = sum(len(batch) * max(lengths[place] for place in batch) for batch in batches(lengths, tokens=2048))
    assert padded < 1.02 * sum(lengths)


def test_chunks_keep_the_order() -> None:
    assert list(chunks("abcde", 2)) == [["a", "b"], ["c", "d"], ["e"]]
