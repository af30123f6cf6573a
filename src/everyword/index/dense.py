"""Exact scan of one user's vectors: the similarity of every passage, and of its best clause."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import cached_property
from typing import Any, cast

import apsw
import numpy as np
import numpy.typing as npt

from everyword.index import codes
from everyword.index.vectors import StoredModel
from everyword.ports import QuestionVectors

CLAUSE_CANDIDATES = 1536
"""Clauses whose signs agree best with the question's; only these are scored with their scale."""
_READ = 8_000
_BLOCK = 8_000
"""Passages above which a block is not joined to another."""
_MANY = 4_000
"""Passages from which a thread more is worth its start: one core reads less than memory gives."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Similarities:
    """One question against every passage that has a vector; higher is better."""

    passage_ids: npt.NDArray[np.int64]
    passages: codes.Floats
    clauses: codes.Floats
    """Of the best clause; of the passage itself where it is one clause."""
    scan: DenseScan
    question: QuestionVectors

    def of_clauses(self, passage_ids: npt.NDArray[np.int64]) -> list[codes.Floats]:
        """Return for each passage the similarity of its clauses, in order; none where it is one clause or has no vector."""
        return self.scan.of_clauses(passage_ids, self.question.whole)

    def by_tokens(self, passage_ids: npt.NDArray[np.int64]) -> codes.Floats | None:
        """Return how near the tokens of the question come to each passage, -1 to 1; NaN for one without a vector.

        None where the model does not tell tokens apart.
        """
        return self.scan.by_tokens(passage_ids, self.question.tokens) if len(self.question.tokens) else None


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

    def located(self, passage_ids: npt.NDArray[np.int64]) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]:
        """Return which of some passages are here, as places among those given, and their places in this block."""
        ranks = np.minimum(np.searchsorted(self.ids, passage_ids, sorter=self.by_id), len(self.ids) - 1)
        places = self.by_id[ranks]
        here = np.flatnonzero(self.ids[places] == passage_ids)
        return here, places[here]

    def clauses_of(self, places: npt.NDArray[np.int64]) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]:
        """Return the clauses of some passages, one passage after the other, and how many each has."""
        first, last = np.searchsorted(self.owners, places), np.searchsorted(self.owners, places, side="right")
        counts = last - first
        return np.repeat(first - np.cumsum(counts) + counts, counts) + np.arange(counts.sum(), dtype=np.int64), counts


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

    def similarities(self, question: QuestionVectors) -> Similarities:
        """Return the similarity of every passage to a question, less a constant of the question."""
        whole = question.whole
        passages, nearest = self._scanned(whole)
        clauses = [values.copy() for values in passages]
        for block, best, chosen in zip(self._blocks, clauses, nearest, strict=True):
            estimates = codes.products(block.signs[:, chosen], block.scales[chosen], whole)
            np.maximum.at(best, block.owners[chosen], estimates)
        nothing = np.empty(0, dtype=np.float32)
        return Similarities(
            passage_ids=self.ids,
            passages=np.concatenate([nothing, *passages]),
            clauses=np.concatenate([nothing, *clauses]),
            scan=self,
            question=question,
        )

    def _scanned(self, question: codes.Floats) -> tuple[list[codes.Floats], list[npt.NDArray[np.int64]]]:
        """Return by block the similarity of each passage, and the clauses that are nearest; both are read at once."""
        if len(self) < _MANY:
            return self._products(question), self._nearest(question)
        with ThreadPoolExecutor(1) as beside:
            nearest = beside.submit(self._nearest, question)
            return self._products(question), nearest.result()

    def _products(self, question: codes.Floats) -> list[codes.Floats]:
        # BLAS would share a product between threads, which takes longer than the product itself.
        return [np.vecdot(block.vectors, question) for block in self._blocks]

    def _nearest(self, question: codes.Floats) -> list[npt.NDArray[np.int64]]:
        """Return by block the clauses whose signs agree most with the question's."""
        if sum(len(block.scales) for block in self._blocks) <= CLAUSE_CANDIDATES:
            return [np.arange(len(block.scales)) for block in self._blocks]
        wanted = codes.question_bits(question, self.centre)
        distances = [codes.distances(block.signs, wanted) for block in self._blocks]
        counts = np.cumsum(sum(np.bincount(distance, minlength=64 * len(wanted) + 1) for distance in distances))
        limit = int(np.searchsorted(counts, CLAUSE_CANDIDATES))
        return [np.flatnonzero(distance <= limit) for distance in distances]

    def of_clauses(self, passage_ids: npt.NDArray[np.int64], question: codes.Floats) -> list[codes.Floats]:
        """Return for each passage the similarity of its clauses to a unit vector, less a constant of the question."""
        found = [np.empty(0, dtype=np.float32)] * len(passage_ids)
        for block in self._blocks:
            here, places = block.located(passage_ids)
            if len(here):
                clauses, counts = block.clauses_of(places)
                products = codes.products(block.signs[:, clauses], block.scales[clauses], question)
                for place, last, count in zip(here.tolist(), np.cumsum(counts).tolist(), counts.tolist(), strict=True):
                    found[place] = products[last - count : last]
        return found

    def by_tokens(self, passage_ids: npt.NDArray[np.int64], tokens: codes.Floats) -> codes.Floats:
        """Return for each passage the mean nearness of the tokens in its best two clauses in a row; NaN without a vector.

        MaxSim of Khattab & Zaharia (SIGIR 2020), where a text's clauses stand for its tokens.
        """
        found = np.full(len(passage_ids), np.nan, dtype=np.float32)
        for block in self._blocks:
            here, places = block.located(passage_ids)
            if len(here):
                found[here] = _nearness(block, places, tokens)
        return found

    def __len__(self) -> int:
        return len(self.ids)


def _nearness(block: Block, places: npt.NDArray[np.int64], tokens: codes.Floats) -> codes.Floats:
    """Return for each passage of a block the mean nearness of the tokens in its best two clauses in a row."""
    clauses, counts = block.clauses_of(places)
    whole = block.vectors[places[counts == 0]]
    whole = whole / np.maximum(np.linalg.norm(whole, axis=1, keepdims=True), 1e-12)
    near = np.hstack([codes.cosines(block.signs[:, clauses], tokens), tokens @ whole.T])
    # Those that are one clause stand at the end.
    starts = np.where(counts > 0, np.cumsum(counts) - counts, len(clauses) + np.cumsum(counts == 0) - 1)
    ends = starts + np.maximum(counts, 1) - 1
    pairs = near.copy()
    pairs[:, :-1] = np.maximum(near[:, :-1], near[:, 1:])
    pairs[:, ends] = near[:, ends]
    by_place = np.argsort(starts)
    found = np.empty(len(places), dtype=np.float32)
    found[by_place] = np.maximum.reduceat(pairs.mean(axis=0), starts[by_place])
    return found


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
