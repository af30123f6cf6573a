"""Exact scan of one user's vectors: the similarity of every passage, and of its best clause."""

from __future__ import annotations

from dataclasses import dataclass

import apsw
import numpy as np
import numpy.typing as npt

from everyword.index import codes
from everyword.index.vectors import StoredModel

CLAUSE_CANDIDATES = 4096
"""Clauses whose signs agree best with the question's; only these are scored with their scale."""
_READ = 20_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Similarities:
    """One question against every passage that has a vector; higher is better."""

    passage_ids: npt.NDArray[np.int64]
    passages: codes.Floats
    clauses: codes.Floats
    """Of the best clause; of the passage itself where it is one clause."""


class DenseScan:
    """Codes of the active model in memory, kept up with the file by the ids of their rows."""

    def __init__(self, model: StoredModel) -> None:
        self.model = model
        self.centre: codes.Floats = np.frombuffer(model.centre, dtype=np.float32)
        self._last_row = 0
        self._ids: npt.NDArray[np.int64] = np.empty(0, dtype=np.int64)
        self._vectors: codes.Floats = np.empty((0, model.identity.dimensions), dtype=np.float32)
        self._signs: npt.NDArray[np.uint64] = np.empty((0, 0), dtype=np.uint64)
        self._scales: codes.Floats = np.empty(0, dtype=np.float32)
        self._owners: npt.NDArray[np.int32] = np.empty(0, dtype=np.int32)

    def refresh(self, connection: apsw.Connection) -> None:
        """Read the vectors that were stored since the last call."""
        query = "SELECT id, passage, code, clauses FROM vector WHERE model = ? AND id > ? ORDER BY id LIMIT ?"
        while rows := connection.execute(query, (self.model.model_id, self._last_row, _READ)).fetchall():
            self._append(rows)
            self._last_row = rows[-1][0]

    def _append(self, rows: list[tuple[int, int, bytes, bytes]]) -> None:
        dimensions = self.model.identity.dimensions
        passage_codes = np.frombuffer(b"".join(row[2] for row in rows), dtype=np.uint8)
        clause_codes = np.frombuffer(b"".join(row[3] for row in rows), dtype=np.uint8)
        length = codes.bit_length(dimensions)
        signs, scales = codes.split_bits(clause_codes.reshape(-1, length))
        counts = [len(row[3]) // length for row in rows]
        owners = np.repeat(np.arange(len(rows), dtype=np.int32), counts) + np.int32(len(self._ids))
        vectors = codes.from_nibbles(passage_codes.reshape(len(rows), -1), dimensions)
        self._vectors = np.concatenate([self._vectors, vectors])
        self._ids = np.concatenate([self._ids, np.array([row[1] for row in rows], dtype=np.int64)])
        self._signs = signs if not self._signs.size else np.concatenate([self._signs, signs], axis=1)
        self._scales = np.concatenate([self._scales, scales])
        self._owners = np.concatenate([self._owners, owners])

    def similarities(self, question: codes.Floats) -> Similarities:
        """Return the similarity of every passage to a unit vector, less a constant of the question."""
        passages = self._vectors @ question
        best = passages.copy()
        if len(self._scales):
            chosen = self._nearest(question)
            estimates = codes.products(self._signs[:, chosen], self._scales[chosen], question)
            np.maximum.at(best, self._owners[chosen], estimates)
        return Similarities(passage_ids=self._ids, passages=passages, clauses=best)

    def _nearest(self, question: codes.Floats) -> npt.NDArray[np.int64]:
        """Return the clauses whose signs agree most with the question's."""
        if len(self._scales) <= CLAUSE_CANDIDATES:
            return np.arange(len(self._scales))
        wanted = codes.question_bits(question, self.centre)
        distance = np.zeros(len(self._scales), dtype=np.uint16)
        for word, mine in zip(self._signs, wanted, strict=True):
            distance += np.bitwise_count(word ^ mine)
        counts = np.cumsum(np.bincount(distance))
        limit = int(np.searchsorted(counts, CLAUSE_CANDIDATES))
        return np.flatnonzero(distance <= limit)

    def __len__(self) -> int:
        return len(self._ids)
