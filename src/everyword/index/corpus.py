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
        self._nearby: dict[int, npt.NDArray[np.bool_]] = {}

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
    def messages(self) -> Ints:
        """Of each passage the number of its message, counted from 0 in the order of the log."""
        return self._numbered_messages

    @cached_property
    def _numbered_messages(self) -> Ints:
        steps = np.diff(self.seqs, prepend=self.seqs[:1])
        if (steps >= 0).all():  # As messages come, so that no sorting is needed.
            return np.cumsum(steps > 0, dtype=np.int64)
        return np.unique(self.seqs, return_inverse=True)[1].astype(np.int64)

    @cached_property
    def norms(self) -> Floats:
        """By passage id, what BM25 divides the count of a term by; 0: there is no such passage."""
        return lexical.norms(self.ids, self.terms)

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
        total = np.zeros(len(self))
        total[line] = values
        for distance, weight in enumerate(weights, 1):
            is_near, later = self._near(distance), line + distance
            for last, there in ((line, line - distance), (later, later)):
                chosen = is_near[last]
                total[there[chosen]] += weight * values[chosen]
        found = np.flatnonzero(total)
        return found if self._is_ordered else self.order[found], total[found]

    def _near(self, distance: int) -> npt.NDArray[np.bool_]:
        """Tell of each place in `order`, and of as many behind the last, whether the one so far before it is in its session."""
        if distance not in self._nearby:
            is_near = np.zeros(len(self) + distance, dtype=np.bool_)
            is_near[distance : len(self)] = self._line[distance:] == self._line[:-distance]
            self._nearby[distance] = is_near
        return self._nearby[distance]

    @cached_property
    def _rank(self) -> Ints:
        """Place of each position in `order`."""
        ranks = np.empty_like(self.order)
        ranks[self.order] = np.arange(len(self.order))
        return ranks

    def session_means(self, values: Floats, count: int) -> Floats:
        """Return for each passage the mean of the `count` highest values in its session."""
        if not len(values):
            return values
        starts, number = self._session_starts
        sums, found = np.zeros(len(starts)), np.zeros(len(starts))
        line = values.copy() if self._is_ordered else values[self.order]
        for _ in range(count):
            best = np.maximum.reduceat(line, starts)
            known = best > -np.inf
            sums[known] += best[known]
            found += known
            places = np.flatnonzero(line == best[number])
            _, first = np.unique(number[places], return_index=True)
            line[places[first]] = -np.inf
        means = (sums / np.maximum(found, 1.0))[number]
        return means if self._is_ordered else means[self._rank]

    @cached_property
    def _session_starts(self) -> tuple[Ints, Ints]:
        """Return where in `order` each session begins, and of each place there the number of its session."""
        is_first = np.concatenate([[True], np.diff(self._line) != 0])
        return np.flatnonzero(is_first), np.cumsum(is_first) - 1
