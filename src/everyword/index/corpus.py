"""What retrieval knows of every passage besides words and vectors: message, session, role, time, neighbours."""

from __future__ import annotations

from functools import cached_property
from typing import Any, cast

import apsw
import numpy as np
import numpy.typing as npt

from everyword.index import lexical

Ints = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]
_READ = 50_000


UNKNOWN = np.iinfo(np.int64).min


class Corpus:
    """Parallel arrays over the passages in the order of their ids; position p is one passage in all of them.

    It never changes, since threads share it: `grown` returns another one.
    """

    def __init__(
        self, table: Ints | None = None, authors: list[str | None] | None = None, terms: Ints | None = None
    ) -> None:
        self._table: Ints = np.empty((8, 0), dtype=np.int64) if table is None else table
        self.ids, self.seqs, self.sessions, self.roles, self.branches, self.created_us, self.lengths, self.scripts = (
            self._table
        )
        """created_us: microseconds since 1970 UTC, UNKNOWN where the time is not known. lengths: characters. scripts: 1 where it is
        written without spaces between words."""
        self.authors: list[str | None] = authors or []
        self.terms: Ints = np.zeros(len(self.ids), dtype=np.int64) if terms is None else terms
        """Index terms, repeats included."""
        self.order: Ints = np.lexsort((self.ids, self.sessions))
        """Positions sorted by session, then by id: neighbours in a conversation are neighbours here."""
        self._is_ordered = bool((np.diff(self.order) > 0).all())
        self._is_gapless = len(self.ids) > 0 and bool(self.ids[-1] - self.ids[0] == len(self.ids) - 1)
        self._line: Ints = self.sessions[self.order]
        self._same: npt.NDArray[np.bool_] = np.diff(self._line) == 0

    def grown(self, connection: apsw.Connection) -> Corpus:
        """Return this and the passages that were added since; itself where there are none."""
        query = (
            "SELECT p.id, seq, session, role, branch, coalesce(created_us, ?), stop - start, script, author, d.sz "
            "FROM passage p LEFT JOIN lexical_docsize d ON d.id = p.id WHERE p.id > ? ORDER BY p.id LIMIT ?"
        )
        tables, terms, authors = [self._table], [self.terms], list(self.authors)
        last = int(self.ids[-1]) if len(self) else 0
        while rows := cast("list[Any]", connection.execute(query, (int(UNKNOWN), last, _READ)).fetchall()):
            tables.append(np.array([row[:8] for row in rows], dtype=np.int64).T)
            terms.append(lexical.lengths([row[9] for row in rows]))
            authors.extend(row[8] for row in rows)
            last = rows[-1][0]
        return self if len(tables) == 1 else Corpus(np.concatenate(tables, axis=1), authors, np.concatenate(terms))

    def __len__(self) -> int:
        return len(self.ids)

    def positions(self, passage_ids: Ints) -> Ints:
        """Return the positions of passages by id; each must be here."""
        if self._is_gapless:
            return np.clip(passage_ids - self.ids[0], 0, len(self.ids))
        return np.searchsorted(self.ids, passage_ids)

    @property
    def names(self) -> list[str | None]:
        """Different authors."""
        return self._numbered_authors[0]

    @property
    def named(self) -> Ints:
        """Place of each passage's author in `names`."""
        return self._numbered_authors[1]

    @cached_property
    def _numbered_authors(self) -> tuple[list[str | None], Ints]:
        places = {name: place for place, name in enumerate(dict.fromkeys(self.authors))}
        return list(places), np.array([places[author] for author in self.authors], dtype=np.int64)

    def with_neighbours(self, places: Ints, values: Floats, weights: tuple[float, ...]) -> tuple[Ints, Floats]:
        """Return values above 0 of some positions with what their neighbours in the session get of each: (positions, values).

        `weights`: of the distances 1, 2 and so on. Few passages hold a term, so that only these are looked at.
        """
        line = places if self._is_ordered else self._rank[places]
        near, shares = [line], [values]
        for distance, weight in enumerate(weights, 1):
            for step in (-distance, distance):
                there = line + step
                is_near = (there >= 0) & (there < len(self))
                is_near[is_near] = self._line[there[is_near]] == self._line[line[is_near]]
                near.append(there[is_near])
                shares.append(weight * values[is_near])
        total = np.bincount(np.concatenate(near), weights=np.concatenate(shares), minlength=len(self))
        found = np.flatnonzero(total)
        return found if self._is_ordered else self.order[found], np.asarray(total[found], dtype=np.float64)

    @cached_property
    def _rank(self) -> Ints:
        """Place of each position in `order`."""
        ranks = np.empty_like(self.order)
        ranks[self.order] = np.arange(len(self.order))
        return ranks

    def session_means(self, values: npt.NDArray[np.float64], count: int) -> npt.NDArray[np.float64]:
        """Return for each passage the mean of the `count` highest values in its session."""
        if not len(values):
            return values
        number = np.cumsum(np.concatenate([[0], ~self._same]))
        starts = np.flatnonzero(np.concatenate([[True], ~self._same]))
        line = values[self.order]
        sums, found = np.zeros(len(starts)), np.zeros(len(starts))
        for _ in range(count):
            best = np.maximum.reduceat(line, starts)
            known = best > -np.inf
            sums[known] += best[known]
            found += known
            line = _without_first(line, best[number] == line, number)
        back = np.empty_like(values)
        back[self.order] = (sums / np.maximum(found, 1.0))[number]
        return back


def _without_first(
    line: npt.NDArray[np.float64], chosen: npt.NDArray[np.bool_], number: npt.NDArray[np.int64]
) -> npt.NDArray[np.float64]:
    """Return the values with the first chosen one of each session out of the way."""
    places = np.flatnonzero(chosen)
    _, first = np.unique(number[places], return_index=True)
    rest = line.copy()
    rest[places[first]] = -np.inf
    return rest
