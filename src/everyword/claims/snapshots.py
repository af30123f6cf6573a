"""Snapshots of all that is derived as claims, and rollback to one: row by row, byte by byte.

What was said after a snapshot is still in the log and found as evidence; a rollback passes it over, so that it is not read
into claims again by itself.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from datetime import UTC, datetime
from importlib.resources import files
from typing import Any, Protocol, cast

import apsw

from everyword.claims import marks, summary_store
from everyword.domain.claim import ClaimSnapshot

VERSION = 2
"""Of snapshots.sql: snapshots of another one cannot be restored and are dropped."""
PASSED_OVER = "claims_passed_over"
"""Name in `meta` of the ranges of messages that a rollback passed over: JSON, `[[after, up to], …]`."""
IS_PASSED_OVER = (
    f"EXISTS (SELECT 1 FROM meta, json_each(meta.value) WHERE meta.name = '{PASSED_OVER}' AND "
    "{seq} > json_each.value ->> 0 AND {seq} <= json_each.value ->> 1)"
)
_VERSION_NAME = "claim_snapshots_version"
_CLAIM = "id, extractor, seq, start, stop, kind, state, trust, slot, polarity, objects, replaces, corrects, confidence"
_LINK = "newer, older, relation"
_READ = "extractor, seq, attempts, failure, refused"
_CHUNK = "id, writer, claims, seqs, generation, refused, failure, attempts"
_LINE = "chunk, place, text, claims, seqs"
_COPIES = (
    ("claim", "snapshot_claim", _CLAIM),
    ("claim_link", "snapshot_link", _LINK),
    ("claim_read", "snapshot_read", _READ),
    ("claim_use", "snapshot_use", "seq, used_at"),
    ("claim_dead", "snapshot_dead", "seq, start, stop, dead_at"),
    ("summary_chunk", "snapshot_chunk", _CHUNK),
    ("summary_line", "snapshot_line", _LINE),
)
"""What is copied and where to; what others refer to comes first."""


class Storage(Protocol):
    """The database that the log owns."""

    def transaction(self) -> Any: ...
    def reading(self) -> Any: ...


class SnapshotStore:
    """Snapshots of one user; the tables are made with the first."""

    def __init__(self, storage: Storage) -> None:
        self._storage = storage

    def make(self, name: str) -> ClaimSnapshot | None:
        """Copy the claim tables under a name; None where the name is taken."""
        with self._storage.transaction() as connection:
            _prepare(connection)
            _prepare_copied(connection)
            if _id(connection, name) is not None:
                return None
            last = connection.execute("SELECT coalesce(max(seq), 0) FROM message").get
            connection.execute(
                "INSERT INTO claim_snapshot (name, made_at, last_seq, passed_over) VALUES (?, ?, ?, ?)",
                (name, datetime.now(UTC).isoformat(), last, json.dumps(_ranges(connection))),
            )
            number = connection.last_insert_rowid()
            for table, copy, columns in _COPIES:
                connection.execute(
                    f"INSERT INTO {copy} (snapshot, {columns}) SELECT ?, {columns} FROM {table}", (number,)
                )
            return next(each for each in _all(connection) if each.name == name)

    def all(self) -> list[ClaimSnapshot]:
        """Return the snapshots, oldest first."""
        with self._storage.reading() as connection:
            return _all(connection) if _version(connection) == VERSION else []

    def restore(self, name: str) -> bool:
        """Put the claim tables back as they were; tell whether there is such a snapshot. Call it in a transaction."""
        with self._storage.transaction() as connection:
            number = _id(connection, name) if _version(connection) == VERSION else None
            if number is None:
                return False
            _prepare_copied(connection)
            for table, _, _ in reversed(_COPIES):
                connection.execute(f"DELETE FROM {table}")
            for table, copy, columns in _COPIES:
                connection.execute(
                    f"INSERT INTO {table} ({columns}) SELECT {columns} FROM {copy} WHERE snapshot = ?", (number,)
                )
            _pass_over(connection, number)
            return True

    def drop(self, name: str) -> bool:
        """Delete a snapshot; tell whether there was one."""
        with self._storage.transaction() as connection:
            number = _id(connection, name) if _version(connection) == VERSION else None
            if number is not None:
                _take_away(connection, number)
            return number is not None

    def erase(self, seqs: Sequence[int]) -> None:
        """Remove from every snapshot what these messages said. Call it in the log's transaction."""
        with self._storage.transaction() as connection:
            if _version(connection) != VERSION:
                _drop(connection)
                return
            named = json.dumps(list(seqs))
            gone = "seq IN (SELECT value FROM json_each(?1))"
            for end in ("newer", "older"):
                connection.execute(
                    f"DELETE FROM snapshot_link WHERE (snapshot, {end}) IN (SELECT snapshot, id FROM snapshot_claim WHERE {gone})",
                    (named,),
                )
            for copy in ("snapshot_claim", "snapshot_read", "snapshot_use", "snapshot_dead"):
                connection.execute(f"DELETE FROM {copy} WHERE {gone}", (named,))
            connection.execute(f"DELETE FROM snapshot_chunk WHERE {summary_store.SAW_ANY}", (named,))

    def count_passed_over(self) -> int:
        """Return how many messages of the user a rollback has passed over."""
        with self._storage.reading() as connection:
            return (
                connection.execute(
                    "SELECT count(*) FROM message WHERE role = 'user' AND origin = 'user' AND branch IS NULL AND "
                    + IS_PASSED_OVER.format(seq="seq")
                ).get
                or 0
            )

    def readmit(self) -> None:
        """Let what was passed over be read after all."""
        with self._storage.transaction() as connection:
            connection.execute("DELETE FROM meta WHERE name = ?", (PASSED_OVER,))


def _pass_over(connection: apsw.Connection, number: int) -> None:
    """Pass over what came after a snapshot, and what was passed over when it was made."""
    query = "SELECT last_seq, passed_over FROM claim_snapshot WHERE id = ?"
    last, before = cast("list[tuple[int, str]]", connection.execute(query, (number,)).fetchall())[0]
    newest: int = connection.execute("SELECT coalesce(max(seq), 0) FROM message").get
    ranges = [*json.loads(before), *([[last, newest]] if newest > last else [])]
    connection.execute("INSERT OR REPLACE INTO meta (name, value) VALUES (?, ?)", (PASSED_OVER, json.dumps(ranges)))


def _ranges(connection: apsw.Connection) -> list[list[int]]:
    return json.loads(connection.execute("SELECT value FROM meta WHERE name = ?", (PASSED_OVER,)).get or "[]")


def _all(connection: apsw.Connection) -> list[ClaimSnapshot]:
    query = (
        "SELECT name, made_at, last_seq, (SELECT count(*) FROM snapshot_claim c WHERE c.snapshot = s.id) "
        "FROM claim_snapshot s ORDER BY id"
    )
    rows = cast("list[tuple[str, str, int, int]]", connection.execute(query).fetchall())
    return [
        ClaimSnapshot(name=name, made_at=datetime.fromisoformat(made_at), last_seq=last, claims=count)
        for name, made_at, last, count in rows
    ]


def _id(connection: apsw.Connection, name: str) -> int | None:
    return connection.execute("SELECT id FROM claim_snapshot WHERE name = ?", (name,)).get


def _take_away(connection: apsw.Connection, number: int) -> None:
    for _, copy, _ in reversed(_COPIES):
        connection.execute(f"DELETE FROM {copy} WHERE snapshot = ?", (number,))
    connection.execute("DELETE FROM claim_snapshot WHERE id = ?", (number,))


def _prepare(connection: apsw.Connection) -> None:
    if _version(connection) == VERSION:
        return
    _drop(connection)
    connection.execute(files("everyword.claims").joinpath("snapshots.sql").read_text("utf-8"))
    connection.execute("INSERT OR REPLACE INTO meta (name, value) VALUES (?, ?)", (_VERSION_NAME, VERSION))


def _prepare_copied(connection: apsw.Connection) -> None:
    """Make the tables that are made with their first row."""
    marks.prepare(connection)
    summary_store.prepare(connection)


def _drop(connection: apsw.Connection) -> None:
    """Remove all snapshots, those of another version too."""
    for _, copy, _ in reversed(_COPIES):
        connection.execute(f"DROP TABLE IF EXISTS {copy}")
    connection.execute("DROP TABLE IF EXISTS claim_snapshot")
    connection.execute("DELETE FROM meta WHERE name = ?", (_VERSION_NAME,))


def _version(connection: apsw.Connection) -> int | None:
    return connection.execute("SELECT value FROM meta WHERE name = ?", (_VERSION_NAME,)).get
