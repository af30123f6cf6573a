"""What retrieval knows of every passage besides words and vectors: message, session, role, time, neighbours."""

from __future__ import annotations

import apsw
import numpy as np
import numpy.typing as npt

Ints = npt.NDArray[np.int64]
_READ = 50_000


class Corpus:
    """Parallel arrays over the passages in the order of their ids; position p is one passage in all of them."""

    def __init__(self) -> None:
        self.ids: Ints = np.empty(0, dtype=np.int64)
        self.seqs = self.ids
        self.sessions = self.ids
        self.roles = self.ids
        self.branches = self.ids
        self.created_us = self.ids
        """Microseconds since 1970 UTC; the smallest integer where the time is not known."""
        self.lengths = self.ids
        """Characters."""
        self.authors: list[str | None] = []
        self._same: npt.NDArray[np.bool_] = np.empty(0, dtype=np.bool_)
        self.order: Ints = self.ids
        """Positions sorted by session, then by id: neighbours in a conversation are neighbours here."""

    UNKNOWN = np.iinfo(np.int64).min

    def refresh(self, connection: apsw.Connection) -> None:
        """Read the passages that were added since the last call."""
        query = (
            "SELECT id, seq, session, role, branch, coalesce(created_us, ?), stop - start, author FROM passage "
            "WHERE id > ? ORDER BY id LIMIT ?"
        )
        last, grown = (int(self.ids[-1]) if len(self.ids) else 0), False
        while rows := connection.execute(query, (int(self.UNKNOWN), last, _READ)).fetchall():
            self._append(rows)
            last, grown = rows[-1][0], True
        if grown:
            self.order = np.lexsort((self.ids, self.sessions))
            self._same = np.diff(self.sessions[self.order]) == 0

    def _append(self, rows: list[tuple[int, int, int, int, int, int, int, str | None]]) -> None:
        table = np.array([row[:7] for row in rows], dtype=np.int64)
        names = ("ids", "seqs", "sessions", "roles", "branches", "created_us", "lengths")
        for name, column in zip(names, table.T, strict=True):
            setattr(self, name, np.concatenate([getattr(self, name), column]))
        self.authors.extend(row[7] for row in rows)

    def __len__(self) -> int:
        return len(self.ids)

    def positions(self, passage_ids: Ints) -> Ints:
        """Return the positions of passages by id; each must be here."""
        return np.searchsorted(self.ids, passage_ids)

    def with_neighbours(self, values: npt.NDArray[np.float64], weights: tuple[float, ...]) -> npt.NDArray[np.float64]:
        """Return each value plus those of its neighbours in the session, weighted by their distance 1, 2, …"""
        line = values[self.order]
        total = line.copy()
        same = np.ones(max(len(line) - 1, 0), dtype=np.bool_)
        for distance, weight in enumerate(weights, 1):
            if len(line) <= distance:
                break
            same = self._same if distance == 1 else same[:-1] & self._same[distance - 1 :]
            total[distance:] += weight * line[:-distance] * same
            total[:-distance] += weight * line[distance:] * same
        out = np.empty_like(total)
        out[self.order] = total
        return out

    def session_means(self, values: npt.NDArray[np.float64], count: int) -> npt.NDArray[np.float64]:
        """Return for each passage the mean of the `count` highest values in its session."""
        if not len(values):
            return values
        number = np.cumsum(np.concatenate([[0], ~self._same]))
        line = values[self.order]
        descending = np.lexsort((-line, number))
        starts = np.flatnonzero(np.concatenate([[True], np.diff(number) != 0]))
        place = np.arange(len(line)) - np.repeat(starts, np.diff([*starts, len(line)]))
        top = place < count
        sums = np.bincount(number[descending][top], weights=line[descending][top])
        means = sums / np.bincount(number[descending][top])
        back = np.empty_like(line)
        back[self.order] = means[number]
        return back
