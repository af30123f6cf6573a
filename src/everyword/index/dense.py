"""Exact scan of one user's vectors: the similarity of every passage, and of its best clause."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import cached_property
from typing import Any, TypeVar, cast

import apsw
import numpy as np
import numpy.typing as npt

from everyword.index import codes
from everyword.index.vectors import StoredModel

_Numbers = TypeVar("_Numbers")
CLAUSE_CANDIDATES = 1536
"""Clauses whose signs agree best with the question's; only these are scored with their scale."""
_READ = 8_000
_BLOCK = 8_000
"""Passages above which a block is not joined to another."""
_MANY = 3
"""Blocks."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Similarities:
    """One question against every passage that has a vector; higher is better."""

    passage_ids: npt.NDArray[np.int64]
    passages: codes.Floats
    clauses: codes.Floats
    """Of the best clause; of the passage itself where it is one clause."""
    scan: DenseScan
    question: codes.Floats

    def of_clauses(self, passage_id: int) -> codes.Floats:
        """Return the similarity of each clause of a passage, in order; empty where it is one clause or has no vector."""
        return self.scan.of_clauses(passage_id, self.question)


@dataclass(frozen=True, kw_only=True)
class Block:
    """Some passages and their clauses, decoded."""

    ids: npt.NDArray[np.int64]
    vectors: codes.Floats
    """[passages, dimensions], less the centre."""
    signs: npt.NDArray[np.uint64]
    """[words, clauses]"""
    scales: codes.Floats
    owners: npt.NDArray[np.int64]
    """Place in this block of the passage that each clause is of."""

    @cached_property
    def by_id(self) -> npt.NDArray[np.int64]:
        """Return the places in the order of their ids."""
        return np.argsort(self.ids)


class DenseScan:
    """Codes of the active model in memory. It never changes, since threads share it: `grown` returns another one."""

    def __init__(self, model: StoredModel, blocks: tuple[Block, ...] = (), last_row: int = 0) -> None:
        self.model = model
        self.centre: codes.Floats = np.frombuffer(model.centre, dtype=np.float32)
        self.ids: npt.NDArray[np.int64] = np.concatenate(
            [np.empty(0, dtype=np.int64), *(block.ids for block in blocks)]
        )
        self._blocks = blocks
        self._last_row = last_row

    def grown(self, connection: apsw.Connection) -> DenseScan:
        """Return this and the vectors that were stored since; itself where there are none."""
        # The plus keeps SQLite from the index over (model, passage), after which it would sort all codes for every read.
        query = "SELECT id, passage, code, clauses FROM vector WHERE +model = ? AND id > ? ORDER BY id LIMIT ?"
        blocks, last = list(self._blocks), self._last_row
        while rows := cast("list[Any]", connection.execute(query, (self.model.model_id, last, _READ)).fetchall()):
            blocks.append(_block(rows, self.model.identity.dimensions))
            last = rows[-1][0]
        return self if last == self._last_row else DenseScan(self.model, tuple(_compact(blocks)), last)

    def similarities(self, question: codes.Floats) -> Similarities:
        """Return the similarity of every passage to a unit vector, less a constant of the question."""
        passages = self._by_block(lambda block: np.vecdot(block.vectors, question))
        clauses = [values.copy() for values in passages]
        for block, best, chosen in zip(self._blocks, clauses, self._nearest(question), strict=True):
            estimates = codes.products(block.signs[:, chosen], block.scales[chosen], question)
            np.maximum.at(best, block.owners[chosen], estimates)
        nothing = np.empty(0, dtype=np.float32)
        return Similarities(
            passage_ids=self.ids,
            passages=np.concatenate([nothing, *passages]),
            clauses=np.concatenate([nothing, *clauses]),
            scan=self,
            question=question,
        )

    def of_clauses(self, passage_id: int, question: codes.Floats) -> codes.Floats:
        """Return the similarity of each clause of a passage to a unit vector, less a constant of the question."""
        for block in self._blocks:
            rank = int(np.searchsorted(block.ids, passage_id, sorter=block.by_id))
            if rank < len(block.ids) and block.ids[place := block.by_id[rank]] == passage_id:
                first, last = np.searchsorted(block.owners, [place, place + 1])
                return codes.products(block.signs[:, first:last], block.scales[first:last], question)
        return np.empty(0, dtype=np.float32)

    def _nearest(self, question: codes.Floats) -> list[npt.NDArray[np.int64]]:
        """Return by block the clauses whose signs agree most with the question's."""
        if sum(len(block.scales) for block in self._blocks) <= CLAUSE_CANDIDATES:
            return [np.arange(len(block.scales)) for block in self._blocks]
        wanted = codes.question_bits(question, self.centre)
        distances = self._by_block(lambda block: codes.distances(block.signs, wanted))
        counts = np.cumsum(sum(np.bincount(distance, minlength=64 * len(wanted) + 1) for distance in distances))
        limit = int(np.searchsorted(counts, CLAUSE_CANDIDATES))
        return [np.flatnonzero(distance <= limit) for distance in distances]

    def _by_block(self, compute: Callable[[Block], _Numbers]) -> list[_Numbers]:
        """Return what is computed of each block, in two threads where there are many: one core reads less than memory gives.

        BLAS would share one product between threads instead, which takes longer than the product itself.
        """
        if len(self._blocks) < _MANY:
            return [compute(block) for block in self._blocks]
        with ThreadPoolExecutor(2) as pool:
            return list(pool.map(compute, self._blocks))

    def __len__(self) -> int:
        return len(self.ids)


def _block(rows: list[tuple[int, int, bytes, bytes]], dimensions: int) -> Block:
    passage_codes = np.frombuffer(b"".join(row[2] for row in rows), dtype=np.uint8)
    clause_codes = np.frombuffer(b"".join(row[3] for row in rows), dtype=np.uint8)
    length = codes.bit_length(dimensions)
    signs, scales = codes.split_bits(clause_codes.reshape(-1, length))
    return Block(
        ids=np.array([row[1] for row in rows], dtype=np.int64),
        vectors=codes.from_nibbles(passage_codes.reshape(len(rows), -1), dimensions),
        signs=signs,
        scales=scales,
        owners=np.repeat(np.arange(len(rows), dtype=np.int64), [len(row[3]) // length for row in rows]),
    )


def _compact(blocks: list[Block]) -> list[Block]:
    """Join small blocks at the end, so that there are few and none is copied often."""
    while len(blocks) > 1 and len(blocks[-2].ids) <= min(2 * len(blocks[-1].ids), _BLOCK):
        blocks[-2:] = [_joined(blocks[-2], blocks[-1])]
    return blocks


def _joined(first: Block, second: Block) -> Block:
    return Block(
        ids=np.concatenate([first.ids, second.ids]),
        vectors=np.concatenate([first.vectors, second.vectors]),
        signs=np.concatenate([first.signs, second.signs], axis=1),
        scales=np.concatenate([first.scales, second.scales]),
        owners=np.concatenate([first.owners, second.owners + len(first.ids)]),
    )
