"""Exact scan of one user's vectors: the similarity of every passage, and of its best clause."""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import cached_property
from typing import Any, cast

import apsw
import numpy as np
import numpy.typing as npt

from everyword.index import codes
from everyword.index.vectors import StoredModel
from everyword.ports import ModelIdentity, QuestionVectors

CLAUSE_CANDIDATES = 1536
"""Clauses whose signs agree best with the question's; only these are scored with their scale."""
_Clauses = tuple[npt.NDArray[np.uint64], codes.Floats, npt.NDArray[np.int64]]
"""Signs [words, n], scales [n], and the place of the passage of each."""
_READ = 8_000
_BLOCK = 8_000
"""Passages above which a block is not joined to another."""
_SHORTEST = np.float32(1e-6)
"""A vector below this length has no direction, and counts as long as this."""
_MANY = 20_000
"""Passages from which a thread more is worth its start; at 8,000 it makes no difference."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Similarities:
    """One question against every passage that has a vector; higher is better."""

    passage_ids: npt.NDArray[np.int64]
    passages: codes.Floats
    clauses: codes.Floats
    """Of the best clause; of the passage itself where it is one clause."""
    scan: DenseScan
    question: QuestionVectors

    def centred(self, share: float) -> codes.Floats:
        """Return the cosine of every passage around the centre of all texts with the question less a share of this centre.

        It is not divided by what is left of the question, which is the same for all passages.
        """
        taken_off = self.scan.shared * np.float32(share)
        return np.divide(self.passages - taken_off, self.scan.lengths, dtype=np.float32)

    @property
    def identity(self) -> ModelIdentity:
        """The model whose vectors were compared."""
        return self.scan.model.identity

    @property
    def declarative(self) -> codes.Floats | None:
        """How much each passage reads as a statement, and not as a question or small talk, up to a constant; None: not known."""
        return self.scan.declarative

    def of_clauses(self, passage_ids: npt.NDArray[np.int64]) -> list[codes.Floats]:
        """Return for each passage the similarity of its clauses, in order; none where it is one clause or has no vector."""
        return self.scan.of_clauses(passage_ids, self.question.whole)

    def by_tokens(self, passage_ids: npt.NDArray[np.int64]) -> codes.Floats | None:
        """Return how near the tokens of the question come to each passage, -1 to 1; NaN for one without a vector.

        None where the model does not tell tokens apart.
        """
        return self.scan.by_tokens(passage_ids, self.question.tokens) if len(self.question.tokens) else None

    def coverage(self, passage_ids: npt.NDArray[np.int64]) -> codes.Floats | None:
        """Return how near each token of the question comes to any clause of some passages, -1 to 1.

        None where the model does not tell tokens apart, or none of the passages has a vector.
        """
        return self.scan.coverage(passage_ids, self.question.tokens) if len(self.question.tokens) else None


@dataclass(frozen=True, kw_only=True)
class Block:
    """Some passages and their clauses, decoded."""

    ids: npt.NDArray[np.int64]
    vectors: codes.Floats
    """[passages, dimensions], less the centre."""
    shared: codes.Floats
    """[passages]: product of each with the centre."""
    lengths: codes.Floats
    """[passages]: of each, less the centre; never 0."""
    declarative: codes.Floats
    """[passages]: how far each lies in the direction of statements; 0 where this is not known."""
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

    def part(self, places: npt.NDArray[np.int64]) -> Block:
        """Return some passages with their clauses, one passage after the other."""
        first, last = np.searchsorted(self.owners, places), np.searchsorted(self.owners, places, side="right")
        counts = last - first
        clauses = np.repeat(first - np.cumsum(counts) + counts, counts) + np.arange(counts.sum(), dtype=np.int64)
        return Block(
            ids=self.ids[places],
            vectors=self.vectors[places],
            shared=self.shared[places],
            lengths=self.lengths[places],
            declarative=self.declarative[places],
            signs=self.signs[:, clauses],
            scales=self.scales[clauses],
            owners=np.repeat(np.arange(len(places), dtype=np.int64), counts),
        )


class DenseScan:
    """Codes of the active model in memory. It never changes, since threads share it: `grown` returns another one."""

    def __init__(self, model: StoredModel, blocks: tuple[Block, ...] = (), last_row: int = 0) -> None:
        self.model = model
        self.centre: codes.Floats = np.frombuffer(model.centre, dtype=np.float32)
        self.ids: npt.NDArray[np.int64] = np.concatenate(
            [np.empty(0, dtype=np.int64), *(block.ids for block in blocks)]
        )
        nothing = np.empty(0, dtype=np.float32)
        self.shared: codes.Floats = np.concatenate([nothing, *(block.shared for block in blocks)])
        self.lengths: codes.Floats = np.concatenate([nothing, *(block.lengths for block in blocks)])
        self.declarative: codes.Floats | None = None
        if model.declarative is not None:
            self.declarative = np.concatenate([nothing, *(block.declarative for block in blocks)])
        self._blocks = blocks
        self._last_row = last_row

    def grown(self, connection: apsw.Connection) -> DenseScan:
        """Return this and the vectors that were stored since; itself where there are none."""
        # The plus keeps SQLite from the index over (model, passage), after which it would sort all codes for every read.
        query = "SELECT id, passage, code, clauses FROM vector WHERE +model = ? AND id > ? ORDER BY id LIMIT ?"
        blocks, last = list(self._blocks), self._last_row
        while rows := cast("list[Any]", connection.execute(query, (self.model.model_id, last, _READ)).fetchall()):
            blocks.append(_block(rows, self.model))
            last = rows[-1][0]
        return self if last == self._last_row else DenseScan(self.model, tuple(_compact(blocks)), last)

    def similarities(self, question: QuestionVectors) -> Similarities:
        """Return the similarity of every passage to a question, less a constant of the question."""
        whole = question.whole
        passages, (signs, scales, owners) = self._scanned(whole)
        clauses = passages.copy()
        np.maximum.at(clauses, owners, codes.products(signs, scales, whole))
        return Similarities(
            passage_ids=self.ids,
            passages=passages,
            clauses=clauses,
            scan=self,
            question=question,
        )

    def _scanned(self, question: codes.Floats) -> tuple[codes.Floats, _Clauses]:
        """Return the similarity of each passage, and the nearest clauses; both are read at once where there are many."""
        if len(self) < _MANY:
            return self._products(question), self._nearest(question)
        with ThreadPoolExecutor(1) as beside:
            nearest = beside.submit(self._nearest, question)
            return self._products(question), nearest.result()

    def _products(self, question: codes.Floats) -> codes.Floats:
        # BLAS would share a product between threads, which takes longer than the product itself.
        products = [np.vecdot(block.vectors, question) for block in self._blocks]
        return np.concatenate([np.empty(0, dtype=np.float32), *products])

    def _nearest(self, question: codes.Floats) -> _Clauses:
        """Return the clauses whose signs agree most with the question's: signs, scales, and the places of their passages."""
        wanted = codes.question_bits(question, self.centre)
        if sum(len(block.scales) for block in self._blocks) <= CLAUSE_CANDIDATES:
            chosen = [np.arange(len(block.scales)) for block in self._blocks]
        else:
            distances = [codes.distances(block.signs, wanted) for block in self._blocks]
            counts = np.cumsum(sum(np.bincount(distance, minlength=64 * len(wanted) + 1) for distance in distances))
            limit = int(np.searchsorted(counts, CLAUSE_CANDIDATES))
            chosen = [np.flatnonzero(distance <= limit) for distance in distances]
        blocks = list(zip(self._blocks, chosen, _begins(self._blocks), strict=True))
        return (
            np.hstack([np.empty((len(wanted), 0), np.uint64), *(block.signs[:, some] for block, some, _ in blocks)]),
            np.hstack([np.empty(0, np.float32), *(block.scales[some] for block, some, _ in blocks)]),
            np.hstack([np.empty(0, np.int64), *(begin + block.owners[some] for block, some, begin in blocks)]),
        )

    def of_clauses(self, passage_ids: npt.NDArray[np.int64], question: codes.Floats) -> list[codes.Floats]:
        """Return for each passage the similarity of its clauses to a unit vector, less a constant of the question."""
        here, block = self._picked(passage_ids)
        found = [np.empty(0, dtype=np.float32)] * len(passage_ids)
        if block is not None:
            products = codes.products(block.signs, block.scales, question)
            of_passages = np.split(products, np.searchsorted(block.owners, np.arange(1, len(here))))
            for place, of_passage in zip(here.tolist(), of_passages, strict=True):
                found[place] = of_passage
        return found

    def by_tokens(self, passage_ids: npt.NDArray[np.int64], tokens: codes.Floats) -> codes.Floats:
        """Return for each passage the mean nearness of the tokens in its best two clauses in a row; NaN without a vector.

        MaxSim of Khattab & Zaharia (SIGIR 2020), where a text's clauses stand for its tokens.
        """
        here, block = self._picked(passage_ids)
        found = np.full(len(passage_ids), np.nan, dtype=np.float32)
        if block is not None:
            found[here] = _nearness(block, tokens)
        return found

    def coverage(self, passage_ids: npt.NDArray[np.int64], tokens: codes.Floats) -> codes.Floats | None:
        """Return how near each token comes to any clause of some passages; None where none of them has a vector."""
        _, block = self._picked(passage_ids)
        return None if block is None else _token_cosines(block, tokens)[0].max(axis=1)

    def _picked(self, passage_ids: npt.NDArray[np.int64]) -> tuple[npt.NDArray[np.int64], Block | None]:
        """Return which of some passages are here, as places among those given, and these as a block of their own."""
        found = [(block, *block.located(passage_ids)) for block in self._blocks]
        picked = [(here, block.part(places)) for block, here, places in found if len(here)]
        if not picked:
            return np.empty(0, dtype=np.int64), None
        return np.concatenate([here for here, _ in picked]), _joined([block for _, block in picked])

    def __len__(self) -> int:
        return len(self.ids)


def _token_cosines(block: Block, tokens: codes.Floats) -> tuple[codes.Floats, npt.NDArray[np.int64]]:
    """Return the cosine of each token with each clause, and how many clauses each passage has.

    0: the passage is one clause itself; those stand behind the clauses of the others.
    """
    counts = np.bincount(block.owners, minlength=len(block.ids))
    whole = block.vectors[counts == 0]
    whole = whole / np.maximum(np.linalg.norm(whole, axis=1, keepdims=True), 1e-12)
    return np.hstack([codes.cosines(block.signs, tokens), tokens @ whole.T]), counts


def _nearness(block: Block, tokens: codes.Floats) -> codes.Floats:
    """Return for each passage of a block the mean nearness of the tokens in its best two clauses in a row."""
    near, counts = _token_cosines(block, tokens)
    starts = np.where(counts > 0, np.cumsum(counts) - counts, len(block.scales) + np.cumsum(counts == 0) - 1)
    ends = starts + np.maximum(counts, 1) - 1
    pairs = near.copy()
    pairs[:, :-1] = np.maximum(near[:, :-1], near[:, 1:])
    pairs[:, ends] = near[:, ends]
    by_place = np.argsort(starts)
    found = np.empty(len(block.ids), dtype=np.float32)
    found[by_place] = np.maximum.reduceat(pairs.mean(axis=0), starts[by_place])
    return found


def _block(rows: list[tuple[int, int, bytes, bytes]], model: StoredModel) -> Block:
    centre = np.frombuffer(model.centre, dtype=np.float32)
    declarative = np.frombuffer(model.declarative or bytes(len(model.centre)), dtype=np.float32)
    passage_codes = np.frombuffer(b"".join(row[2] for row in rows), dtype=np.uint8)
    clause_codes = np.frombuffer(b"".join(row[3] for row in rows), dtype=np.uint8)
    length = codes.bit_length(len(centre))
    vectors = codes.from_nibbles(passage_codes.reshape(len(rows), -1), len(centre))
    signs, scales = codes.split_bits(clause_codes.reshape(-1, length))
    return Block(
        ids=np.array([row[1] for row in rows], dtype=np.int64),
        vectors=vectors,
        shared=np.vecdot(vectors, centre),
        lengths=np.maximum(np.linalg.norm(vectors, axis=1), _SHORTEST),
        declarative=np.vecdot(vectors, declarative),
        signs=signs,
        scales=scales,
        owners=np.repeat(np.arange(len(rows), dtype=np.int64), [len(row[3]) // length for row in rows]),
    )


def _compact(blocks: list[Block]) -> list[Block]:
    """Join small blocks at the end, so that there are few and none is copied often."""
    while len(blocks) > 1 and len(blocks[-2].ids) <= min(2 * len(blocks[-1].ids), _BLOCK):
        blocks[-2:] = [_joined(blocks[-2:])]
    return blocks


def _joined(blocks: Sequence[Block]) -> Block:
    return Block(
        ids=np.concatenate([block.ids for block in blocks]),
        vectors=np.concatenate([block.vectors for block in blocks]),
        shared=np.concatenate([block.shared for block in blocks]),
        lengths=np.concatenate([block.lengths for block in blocks]),
        declarative=np.concatenate([block.declarative for block in blocks]),
        signs=np.concatenate([block.signs for block in blocks], axis=1),
        scales=np.concatenate([block.scales for block in blocks]),
        owners=np.concatenate([block.owners + begin for block, begin in zip(blocks, _begins(blocks), strict=True)]),
    )


def _begins(blocks: Sequence[Block]) -> npt.NDArray[np.int64]:
    """Return how many passages stand before each block."""
    return np.cumsum([0, *(len(block.ids) for block in blocks)])[:-1]
