"""When claims were last used, and whether what they point to is gone: kept beside them, without a word."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from importlib.resources import files
from typing import Any, Protocol

import apsw

VERSION = 1
"""Of marks.sql."""
STEP = timedelta(days=7)
"""A use is written down where the last one is older than this, so that a claim that is shown daily costs a write a week."""
_VERSION_NAME = "claim_marks_version"
_TABLES = ("claim_use", "claim_dead")


class Storage(Protocol):
    """The database that the log owns."""

    def transaction(self) -> Any: ...
    def reading(self) -> Any: ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Marks:
    """What is known about claims beside their words."""

    used_at: Mapping[int, datetime] = field(default_factory=dict[int, datetime])
    """By the sequence number of the message."""
    dead: frozenset[tuple[int, int, int]] = frozenset()
    """Message and characters of claims that point to what is gone."""

    def with_uses(self, uses: Mapping[int, datetime]) -> Marks:
        """Return the marks with those uses that are told."""
        return replace(self, used_at={**self.used_at, **self.new_of(uses)})

    def new_of(self, uses: Mapping[int, datetime]) -> dict[int, datetime]:
        """Return the uses that are the first of their claim, or a step later than the last."""
        return {seq: at for seq, at in uses.items() if seq not in self.used_at or at - self.used_at[seq] >= STEP}


class MarkStore:
    """Marks of one user; the tables are made with the first."""

    def __init__(self, storage: Storage) -> None:
        self._storage = storage

    def read(self) -> Marks:
        """Return all marks."""
        with self._storage.reading() as connection:
            if _version(connection) != VERSION:
                return Marks()
            used = connection.execute("SELECT seq, used_at FROM claim_use").fetchall()
            dead = connection.execute("SELECT seq, start, stop FROM claim_dead").fetchall()
        return Marks(
            used_at={seq: datetime.fromisoformat(at) for seq, at in used},
            dead=frozenset((seq, start, stop) for seq, start, stop in dead),
        )

    def use(self, uses: Mapping[int, datetime]) -> None:
        """Write down when messages were last shown, as far as claims quote them and the day has moved on."""
        with self._storage.reading() as connection:
            quoted = {
                row[0]
                for row in connection.execute(
                    "SELECT DISTINCT c.seq FROM claim c JOIN message m USING (seq) WHERE c.seq IN (SELECT value FROM json_each(?))",
                    (json.dumps(list(uses)),),
                )
            }
        new = self.read().new_of({seq: at for seq, at in uses.items() if seq in quoted})
        if not new:
            return
        with self._storage.transaction() as connection:
            prepare(connection)
            for seq, at in new.items():
                connection.execute(
                    "INSERT OR REPLACE INTO claim_use (seq, used_at) SELECT seq, ? FROM message WHERE seq = ?",
                    (at.astimezone(UTC).isoformat(timespec="seconds"), seq),
                )

    def point(self, seq: int, span: tuple[int, int], *, is_dead: bool) -> None:
        """Mark a claim whose target is gone, or take the mark off."""
        with self._storage.transaction() as connection:
            prepare(connection)
            connection.execute("DELETE FROM claim_dead WHERE seq = ? AND start = ? AND stop = ?", (seq, *span))
            if is_dead:
                connection.execute(
                    "INSERT INTO claim_dead (seq, start, stop, dead_at) VALUES (?, ?, ?, ?)",
                    (seq, *span, datetime.now(UTC).isoformat(timespec="seconds")),
                )

    def erase(self, seqs: Sequence[int]) -> None:
        """Remove the marks of messages. Call it in the log's transaction."""
        with self._storage.transaction() as connection:
            if _version(connection) != VERSION:
                _drop(connection)
                return
            for table in _TABLES:
                connection.execute(
                    f"DELETE FROM {table} WHERE seq IN (SELECT value FROM json_each(?))", (json.dumps(list(seqs)),)
                )


def prepare(connection: apsw.Connection) -> None:
    """Make the tables, or make them anew where they are of another version."""
    if _version(connection) == VERSION:
        return
    _drop(connection)
    connection.execute(files("everyword.claims").joinpath("marks.sql").read_text("utf-8"))
    connection.execute("INSERT OR REPLACE INTO meta (name, value) VALUES (?, ?)", (_VERSION_NAME, VERSION))


def _drop(connection: apsw.Connection) -> None:
    for table in _TABLES:
        connection.execute(f"DROP TABLE IF EXISTS {table}")
    connection.execute("DELETE FROM meta WHERE name = ?", (_VERSION_NAME,))


def _version(connection: apsw.Connection) -> int | None:
    return connection.execute("SELECT value FROM meta WHERE name = ?", (_VERSION_NAME,)).get
