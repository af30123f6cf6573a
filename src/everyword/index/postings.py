"""Which passages hold a term, read from FTS5 and kept in memory: questions come back to the same words.

A lookup costs about as much as a hundred passages read, so what was read is kept, and what was added since is read
behind it: a posting is true up to a passage id, and new passages only have higher ones. Where passages go, throw it away.
"""

from __future__ import annotations

import json
import re
from collections import OrderedDict
from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

import apsw
import numpy as np
import numpy.typing as npt

Ints = npt.NDArray[np.int64]
Term = tuple[str, bool]
"""True: every term that begins with it."""
_Key = TypeVar("_Key", bound=Hashable)
_Asked = tuple[_Key, int]
"""What is looked up in passages of higher ids."""

ROOM = 32
"""Passage ids that are kept for each passage of the index; its vector takes several times as much."""
_LEAST_ROOM = 65_536
_OVERHEAD = 32
"""Ids that an entry without any counts for."""
_LAST = "\U0010ffff"
_MATCHING = (
    "SELECT (SELECT group_concat(rowid, ' ') FROM lexical WHERE lexical MATCH value ->> 0 AND rowid > value ->> 1) "
    "FROM json_each(?)"
)
_BETWEEN = (
    "SELECT (SELECT group_concat(doc, ' ') FROM lexical_term WHERE term >= value ->> 0 AND term < value ->> 1 "
    "AND doc > value ->> 2) FROM json_each(?)"
)
_NOT_IN_TERMS = re.compile(r"(?![0-9A-Za-z.:#+\-_'])[\0-\x7f]")
"""Where the tokenizer of schema.sql ends a term."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Posting:
    """Passages that hold something, by id."""

    passage_ids: Ints
    counts: Ints
    """How often each holds it."""
    until: int
    """Id of the last passage that was looked at."""

    def grown(self, passage_ids: Ints, counts: Ints, until: int) -> Posting:
        """Return this and passages that were added since."""
        if not len(passage_ids):
            return Posting(passage_ids=self.passage_ids, counts=self.counts, until=until)
        return Posting(
            passage_ids=np.concatenate([self.passage_ids, passage_ids]),
            counts=np.concatenate([self.counts, counts]),
            until=until,
        )


_NOTHING = Posting(passage_ids=np.empty(0, dtype=np.int64), counts=np.empty(0, dtype=np.int64), until=0)


class Postings:
    """Postings of one index, the least recently asked out of the way where they get many; one thread at a time uses them."""

    def __init__(self, *, least_room: int = _LEAST_ROOM) -> None:
        self._least_room = least_room
        self._kept: OrderedDict[Hashable, Posting] = OrderedDict()
        self._size = 0

    def __len__(self) -> int:
        """Return how many postings are kept."""
        return len(self._kept)

    def of_terms(self, connection: apsw.Connection, wanted: Sequence[Term], last: int) -> list[Posting]:
        """Return the passages of each term. `last`: id of the last passage in this state of the file."""
        return self._up_to(last, wanted, lambda asked: _holding(connection, asked))

    def of_groups(self, connection: apsw.Connection, groups: Sequence[Mapping[str, bool]], last: int) -> list[Posting]:
        """Return the passages that hold any term of each group, as if it stood there once."""
        expressions = [
            " OR ".join(_expression(term, is_prefix=is_prefix) for term, is_prefix in each.items()) for each in groups
        ]
        return self._up_to(last, expressions, lambda asked: _matching(connection, asked))

    def _up_to(
        self, last: int, wanted: Sequence[_Key], read: Callable[[list[_Asked[_Key]]], Iterator[tuple[Ints, Ints]]]
    ) -> list[Posting]:
        found = {key: self._kept.get(key, _NOTHING) for key in wanted}
        behind = [(key, posting.until) for key, posting in found.items() if posting.until < last]
        for (key, _), (passage_ids, counts) in zip(behind, read(behind), strict=True):
            known = passage_ids <= last
            found[key] = found[key].grown(passage_ids[known], counts[known], last)
        for key, posting in found.items():
            self._keep(key, posting)
        while self._size > max(ROOM * last, self._least_room):
            self._size -= _room(self._kept.popitem(last=False)[1])
        return [found[key] for key in wanted]

    def _keep(self, key: Hashable, posting: Posting) -> None:
        before = self._kept.pop(key, None)
        self._size += _room(posting) - (_room(before) if before else 0)
        self._kept[key] = posting


def _room(posting: Posting) -> int:
    return _OVERHEAD + len(posting.passage_ids)


def _expression(term: str, *, is_prefix: bool) -> str:
    return f'"{term}" *' if is_prefix else f'"{term}"'


def _matching(connection: apsw.Connection, asked: Sequence[_Asked[str]]) -> Iterator[tuple[Ints, Ints]]:
    for found in _read(connection, _MATCHING, asked):
        yield found, np.ones_like(found)


def _holding(connection: apsw.Connection, asked: Sequence[_Asked[Term]]) -> Iterator[tuple[Ints, Ints]]:
    """Yield the passages of each term and how often it stands in them."""
    exact = [(term, after) for (term, is_prefix), after in asked if not is_prefix and not _NOT_IN_TERMS.search(term)]
    begun = [(term, term + _LAST, after) for (term, is_prefix), after in asked if is_prefix]
    whole = _read(connection, _MATCHING, [(_expression(term, is_prefix=False), after) for term, after in exact])
    once = {term: found for (term, _), found in zip(exact, whole, strict=True) if len(found)}
    repeated = [(f"{term}_", f"{term}`", after) for term, after in exact if term in once]
    again = dict(zip(once, _read(connection, _BETWEEN, repeated), strict=True))
    prefixed = iter(_read(connection, _BETWEEN, begun))
    for (term, is_prefix), _ in asked:
        if not is_prefix and not len(again.get(term, ())):
            found = once.get(term, _NOTHING.passage_ids)
            yield found, np.ones_like(found)
        else:
            found = next(prefixed) if is_prefix else np.concatenate([once[term], again[term]])
            yield np.unique(found, return_counts=True)


def _read(connection: apsw.Connection, query: str, rows: Sequence[tuple[Any, ...]]) -> list[Ints]:
    """Return the passages that each row asks for.

    One statement for all of them and one text with all passages of one: a call and a row for each take many times longer.
    """
    return [
        np.fromstring(found or "", dtype=np.int64, sep=" ")
        for (found,) in connection.execute(query, (json.dumps(rows),))
    ]
