"""BM25 over index terms, by SQLite's FTS5; the text itself is stored once, in the log.

Robertson & Zaragoza 2009: score(d) = Σ idf(t) · f·(k1+1) / (f + k1·(1 - b + b·|d|/avg)), k1 = 1.2, b = 0.75.
FTS5 weighs f by column. Terms are scored one at a time, so that `ratios` can be combined over neighbours.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, cast

import apsw

from everyword.index.passages import Key

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

K1 = 1.2
HEADER_WEIGHT = 1.0
MOST_TERMS = 64
_LEAST_IDF = 1e-6
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
        (passage_id, " ".join(key.text), " ".join(key.header)),
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


def hits(
    connection: apsw.Connection, wanted: Mapping[str, bool], *, header_weight: float = HEADER_WEIGHT
) -> Iterator[TermHits]:
    """Yield the passages of each term; True asks for every term that begins with it. No SQL or FTS syntax can enter."""
    import numpy as np

    total = connection.execute("SELECT count(*) FROM passage").get or 0
    for term, is_prefix in _rarest(connection, wanted).items():
        match = f'"{term.replace(chr(34), "")}"' + ("*" if is_prefix else "")
        rows = cast(
            "list[Any]",
            connection.execute(
                "SELECT rowid, bm25(lexical, 1.0, ?) FROM lexical WHERE lexical MATCH ?", (header_weight, match)
            ).fetchall(),
        )
        if not rows:
            continue
        table = np.array(rows, dtype=np.float64)
        found = len(rows)
        idf = max(math.log((total - found + 0.5) / (found + 0.5)) if found < total else 0.0, _LEAST_IDF)
        share = np.clip(-table[:, 1] / (idf * (K1 + 1)), 0.0, 0.999)
        yield TermHits(
            term=term, passage_ids=table[:, 0].astype(np.int64), ratios=share / (1.0 - share), passages=total
        )


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
    query = "SELECT doc, term, col, count(*) FROM lexical_term GROUP BY term, doc, col"
    for passage_id, term, column, count in connection.execute(query):
        found[passage_id] = found.get(passage_id, 0) ^ hash((term, column, count))
    return found


def unreachable(connection: apsw.Connection) -> list[str]:
    """Return terms that a scan of the index sees and a search does not, among evenly chosen ones."""
    terms = cast("list[Any]", connection.execute("SELECT term, count(*) FROM lexical_term GROUP BY term").fetchall())
    step = len(terms) // _PROBED_TERMS + 1
    return [term for term, count in terms[::step] if _frequency(connection, term, limit=count + 1) != count]


def fingerprint(key: Key) -> int:
    """Return the fingerprint that the index must give for this key (comparable within one process)."""
    value = hash(_sizes(len(key.text), len(key.header)))
    for column, found in (("text", key.text), ("header", key.header)):
        for term, count in Counter(found).items():
            value ^= hash((term, column, count))
    return value


def _sizes(*counts: int) -> bytes:
    """Return the counts as SQLite's variable-length integers, seven bits a byte, as FTS5 stores the length of a row."""
    found = bytearray()
    for count in counts:
        groups = [count >> shift & 0x7F for shift in range(0, max(count.bit_length(), 1), 7)]
        found += bytes(group | 0x80 for group in groups[:0:-1]) + bytes(groups[:1])
    return bytes(found)
