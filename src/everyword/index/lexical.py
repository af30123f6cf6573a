"""BM25 over index terms, by SQLite's FTS5; the text itself is stored once, in the log.

Robertson & Zaragoza 2009: score(d) = Σ idf(t) · f·(k1+1) / (f + k1·(1 - b + b·|d|/avg)), k1 = 1.2, b = 0.75.
Terms are scored one at a time, so that `ratios` can be combined over neighbours, and f is weighted by column.

FTS5 keeps of each term only which passages hold it, since places would double the room. How often a term stands in a
passage is said by further terms: `coin`, and `coin_2` where it stands twice. Terms of the header are `_coin`.
No term of a text has an underscore.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, cast

import apsw

from everyword.index.passages import Key

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    from everyword.index.postings import Posting, Postings

K1 = 1.2
B = 0.75
HEADER_WEIGHT = 1.0
MOST_TERMS = 64
_HEADER = "_"
_PROBED_TERMS = 20_000


@dataclass(frozen=True, slots=True, kw_only=True)
class TermHits:
    """Passages that hold one term."""

    term: str
    passage_ids: npt.NDArray[np.int64]
    ratios: npt.NDArray[np.float64]
    """f / (k1·(1 - b + b·|d|/avg)): how much of the passage the term makes up. BM25 is idf·(k1+1)·r/(1+r)."""
    passages: int
    """Passages in the whole index."""

    @property
    def idf(self) -> float:
        """Robertson-Spärck Jones weight with the +1 that keeps it positive for frequent terms."""
        found = len(self.passage_ids)
        return math.log(1.0 + (self.passages - found + 0.5) / (found + 0.5))


def insert(connection: apsw.Connection, passage_id: int, key: Key) -> None:
    """Index one passage."""
    connection.execute(
        "INSERT INTO lexical (rowid, text, header) VALUES (?, ?, ?)",
        (passage_id, " ".join(_counted(key.text)), " ".join(_counted(key.header, _HEADER))),
    )


def delete(connection: apsw.Connection, passage_id: int) -> None:
    """Remove one passage; `purge` takes its terms out of the file."""
    connection.execute("DELETE FROM lexical WHERE rowid = ?", (passage_id,))


def drop(connection: apsw.Connection) -> None:
    """Remove the index, also where it is so damaged that FTS5 does not open it."""
    connection.execute("DROP TABLE IF EXISTS lexical_term")
    try:
        connection.execute("DROP TABLE IF EXISTS lexical")
    except apsw.Error:
        connection.execute("CREATE TABLE IF NOT EXISTS lexical_config (k PRIMARY KEY, v) WITHOUT ROWID")
        connection.execute("INSERT OR REPLACE INTO lexical_config (k, v) VALUES ('version', 4)")
        connection.execute("DROP TABLE lexical")


def purge(connection: apsw.Connection) -> None:
    """Merge the index into one segment, which leaves out everything that was deleted."""
    connection.execute("INSERT INTO lexical (lexical) VALUES ('optimize')")


def merge(connection: apsw.Connection, pages: int) -> bool:
    """Join segments that additions have left, as far as this many pages of 4 KB go; return whether more is to do.

    A lookup reads every segment. Two of a size become one, which costs little more than what was added; a number below 0
    asks for one segment in the end: say it once, and go on with the number above 0.
    """
    before = connection.total_changes()
    connection.execute("INSERT INTO lexical (lexical, rank) VALUES ('merge', ?)", (pages,))
    return connection.total_changes() - before > 1


def segments(connection: apsw.Connection) -> int:
    """Return how many parts the index has."""
    return connection.execute("SELECT count(DISTINCT segid) FROM lexical_idx").get


def _counted(terms: Sequence[str], mark: str = "") -> list[str]:
    """Return each term once; the second of its kind as `term_2`, and so on."""
    counts = Counter(terms)
    found = [mark + term for term in counts] if mark else list(counts)
    if len(found) < len(terms):
        found += [f"{mark}{term}_{n}" for term, count in counts.items() if count > 1 for n in range(2, count + 1)]
    return found


def lengths(sizes: Sequence[bytes | None]) -> npt.NDArray[np.int64]:
    """Return the number of terms of passages, given what FTS5 stored: a variable-length integer for each column."""
    import numpy as np

    read = np.frombuffer(b"".join(size or b"\0\0" for size in sizes), dtype=np.uint8)
    is_last = read < 0x80
    number = np.cumsum(is_last) - is_last
    after = np.flatnonzero(is_last)[number] - np.arange(len(read))
    counts = np.bincount(number, weights=(read & 0x7F) * np.power(128.0, after))
    return counts.astype(np.int64).reshape(-1, 2).sum(axis=1)


def hits(
    connection: apsw.Connection,
    postings: Postings,
    wanted: Mapping[str, bool],
    ids: npt.NDArray[np.int64],
    norms: npt.NDArray[np.float64],
    *,
    header_weight: float = HEADER_WEIGHT,
) -> Iterator[TermHits]:
    """Yield the passages of each term; True asks for every term that begins with it. No SQL or FTS syntax can enter.

    `ids` are all passages in order; for `norms` see there.
    """
    if not len(ids):
        return
    chosen = _rarest(connection, wanted)
    marked = [(mark + term, is_prefix) for term, is_prefix in chosen.items() for mark in ("", _HEADER)]
    found = iter(postings.of_terms(connection, marked, int(ids[-1])))
    for term, text, header in zip(chosen, found, found, strict=True):
        passage_ids, counts = _joined(text, header, header_weight)
        if hits := _term_hits(term, passage_ids, counts, norms, len(ids)):
            yield hits


def _joined(
    text: Posting, header: Posting, header_weight: float
) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.float64]]:
    """Return the passages that hold a term in either column, in order, and how often, weighted by column."""
    import numpy as np

    if not len(header.passage_ids):
        return text.passage_ids, text.counts.astype(np.float64)
    passage_ids, places = np.unique(np.concatenate([text.passage_ids, header.passage_ids]), return_inverse=True)
    weights = np.concatenate([text.counts, header_weight * header.counts])
    return passage_ids, np.bincount(places, weights=weights, minlength=len(passage_ids)).astype(np.float64)


def any_of(
    connection: apsw.Connection,
    postings: Postings,
    groups: Sequence[Mapping[str, bool]],
    ids: npt.NDArray[np.int64],
    norms: npt.NDArray[np.float64],
) -> Iterator[TermHits | None]:
    """Yield for each group of terms the passages that hold any of them, as if these were one term that stands there once."""
    import numpy as np

    for found in postings.of_groups(connection, groups, int(ids[-1]) if len(ids) else 0):
        yield _term_hits("", found.passage_ids, found.counts.astype(np.float64), norms, len(ids))


def _term_hits(
    term: str,
    passage_ids: npt.NDArray[np.int64],
    counts: npt.NDArray[np.float64],
    norms: npt.NDArray[np.float64],
    passages: int,
) -> TermHits | None:
    """Return the passages with their ratios; None where there are none. Terms of what is no passage are left to verify."""
    divisors = norms[passage_ids]
    known = divisors > 0.0
    if not known.any():
        return None
    ratios = counts[known] / divisors[known]
    return TermHits(term=term, passage_ids=passage_ids[known], ratios=ratios, passages=passages)


def norms(ids: npt.NDArray[np.int64], terms: npt.NDArray[np.int64]) -> npt.NDArray[np.float64]:
    """Return by id what the count of a term is divided by, for passages of these numbers of terms; 0: no such passage."""
    import numpy as np

    found = np.zeros(int(ids[-1]) + 1 if len(ids) else 1)
    found[ids] = K1 * (1.0 - B + B * terms / max(terms.mean(), 1e-12)) if len(ids) else ()
    return found


def _rarest(connection: apsw.Connection, wanted: Mapping[str, bool]) -> dict[str, bool]:
    """Return at most MOST_TERMS terms: of a very long question the rarest, which decide its ranking."""
    if len(wanted) <= MOST_TERMS:
        return dict(wanted)
    frequency = {term: _frequency(connection, term) for term in wanted}
    known = sorted((term for term in wanted if frequency[term]), key=lambda term: frequency[term])
    return {term: wanted[term] for term in known[:MOST_TERMS]}


def _frequency(connection: apsw.Connection, term: str, *, limit: int = 100_000) -> int:
    query = "SELECT count(*) FROM (SELECT 1 FROM lexical_term WHERE term = ? LIMIT ?)"
    return connection.execute(query, (term, limit)).get


def fingerprints(connection: apsw.Connection) -> dict[int, int]:
    """Return a fingerprint of the terms and lengths of each indexed passage, read back from the index."""
    found: dict[int, int] = {}
    for passage_id, sizes in connection.execute("SELECT id, sz FROM lexical_docsize"):
        found[passage_id] = hash(sizes)
    for passage_id, term in connection.execute("SELECT doc, term FROM lexical_term"):
        found[passage_id] = found.get(passage_id, 0) ^ hash(term)
    return found


def unreachable(connection: apsw.Connection) -> list[str]:
    """Return terms that a scan of the index sees and a search does not, among evenly chosen ones."""
    terms = cast("list[Any]", connection.execute("SELECT term, count(*) FROM lexical_term GROUP BY term").fetchall())
    step = len(terms) // _PROBED_TERMS + 1
    return [term for term, count in terms[::step] if _frequency(connection, term, limit=count + 1) != count]


def fingerprint(key: Key) -> int:
    """Return the fingerprint that the index must give for this key (comparable within one process)."""
    value = hash(_sizes(len(key.text), len(key.header)))
    for term in (*_counted(key.text), *_counted(key.header, _HEADER)):
        value ^= hash(term)
    return value


def _sizes(*counts: int) -> bytes:
    """Return the counts as SQLite's variable-length integers, seven bits a byte, as FTS5 stores the length of a row."""
    found = bytearray()
    for count in counts:
        groups = [count >> shift & 0x7F for shift in range(0, max(count.bit_length(), 1), 7)]
        found += bytes(group | 0x80 for group in groups[:0:-1]) + bytes(groups[:1])
    return bytes(found)
