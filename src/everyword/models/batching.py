"""Batches of similar length, bounded by what they cost and not by how many texts they hold."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import islice
from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    Ids = npt.NDArray[np.int64]
    Mask = npt.NDArray[np.int32]

T = TypeVar("T")
Turns = Callable[[Iterator[list[int]]], Iterator[list[int]]]
"""Decides when each batch has its turn: `iter` at once, `Together.between` when no question waits."""


def batches(lengths: Sequence[int], *, tokens: int) -> Iterator[list[int]]:
    """Yield positions in order of length, padded batch by padded batch of at most `tokens` (or one text)."""
    batch: list[int] = []
    for position in sorted(range(len(lengths)), key=lengths.__getitem__):
        if batch and lengths[position] * (len(batch) + 1) > tokens:
            yield batch
            batch = []
        batch.append(position)
    if batch:
        yield batch


def chunks(items: Sequence[T], size: int) -> Iterator[list[T]]:
    """Yield the items in lists of at most `size`."""
    rest = iter(items)
    while chunk := list(islice(rest, size)):
        yield chunk


def padded(rows: Sequence[Sequence[int]], pad: int = 0) -> tuple[Ids, Mask]:
    """Return the rows as one matrix [rows, longest] and the mask of its real places."""
    import numpy as np

    longest = max(map(len, rows))
    ids = np.full((len(rows), longest), pad, np.int64)
    mask = np.zeros((len(rows), longest), np.int32)
    for place, row in enumerate(rows):
        ids[place, : len(row)] = row
        mask[place, : len(row)] = 1
    return ids, mask
