"""The account of a user's prompts, in their own file: it survives a restart, and holds no words."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from importlib.resources import files
from typing import Any, Protocol, cast

from everyword.domain.account import PromptRecord, Seen, Verified
from everyword.packing.trail import read, written

RECORDS = 10_000
"""Prompts whose figures are kept; with the next the oldest goes."""
SESSIONS = 1_000
"""Sessions whose last prompt is known."""
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_VERIFIED, _PROBLEMS = "verified_us", "verified_problems"
_SEEN = "SELECT entry, first_seq, last_seq, prefix_characters, trail FROM prompt_session WHERE session = ?"
_SAW = (
    "INSERT OR REPLACE INTO prompt_session (session, entry, first_seq, last_seq, prefix_characters, trail) "
    "VALUES (?, ?, ?, ?, ?, ?)"
)
_LEFT = (
    "DELETE FROM prompt_session WHERE entry <= (SELECT entry FROM prompt_session ORDER BY entry DESC LIMIT 1 OFFSET ?)"
)
_INSERT = (
    "INSERT INTO prompt_record (at_us, budget, tokens, ledger, kept, common, flushed, answer) "
    "VALUES (?, ?, ?, ?, ?, ?, ?, ?)"
)
_SELECT = (
    "SELECT at_us, budget, tokens, ledger, kept, common, flushed, answer FROM prompt_record ORDER BY id DESC LIMIT ?"
)


class Storage(Protocol):
    """The database that the log owns."""

    def transaction(self) -> Any: ...
    def reading(self) -> Any: ...


class Accounts:
    """Figures of prompts in the order in which they were made; the tables are made with the first."""

    def __init__(self, storage: Storage) -> None:
        self._storage = storage

    def seen(self, session_id: str) -> Seen | None:
        """Return the last prompt of a session."""
        with self._storage.reading() as connection:
            row = connection.execute(_SEEN, (_digest(session_id),)).fetchone() if _exists(connection) else None
        if row is None:
            return None
        entry, first, last, characters, trail = row
        return Seen(entry=entry, first_seq=first, last_seq=last, prefix_characters=characters, trail=read(trail))

    def add(
        self, record: PromptRecord, session_id: str, seen: Seen, *, answered: tuple[int, int] | None = None
    ) -> None:
        """Write one prompt; `answered` are the number and the answer's tokens of the one before. Raise StorageError."""
        with self._storage.transaction() as connection:
            connection.execute(files("everyword.packing").joinpath("accounts.sql").read_text("utf-8"))
            if answered is not None:
                connection.execute("UPDATE prompt_record SET answer = ?2 WHERE id = ?1", answered)
            connection.execute(_INSERT, _row(record))
            entry = connection.last_insert_rowid()
            connection.execute("DELETE FROM prompt_record WHERE id <= ?", (entry - RECORDS,))
            connection.execute(_SAW, (_digest(session_id), entry, *_seen_row(seen)))
            connection.execute(_LEFT, (SESSIONS,))

    def records(self, last: int = RECORDS) -> list[PromptRecord]:
        """Return the last prompts, oldest first."""
        with self._storage.reading() as connection:
            rows = cast("list[Any]", connection.execute(_SELECT, (last,)).fetchall() if _exists(connection) else [])
        return [_record(row) for row in reversed(rows)]

    def verified(self) -> Verified | None:
        """Return when `verify` last ran on this file."""
        query = "SELECT value FROM meta WHERE name = ?"
        with self._storage.reading() as connection:
            at, problems = (connection.execute(query, (name,)).get for name in (_VERIFIED, _PROBLEMS))
        return None if at is None else Verified(at=_moment(at), problems=problems or 0)

    def note_verified(self, outcome: Verified) -> None:
        """Write when `verify` ran and what it found. Raise StorageError."""
        pairs = ((_VERIFIED, _microseconds(outcome.at)), (_PROBLEMS, outcome.problems))
        with self._storage.transaction() as connection:
            connection.executemany("INSERT OR REPLACE INTO meta (name, value) VALUES (?, ?)", pairs)

    def erase(self, *, everything: bool) -> None:
        """Forget the digests of texts, which may have held what is forgotten; with `everything` all figures too."""
        with self._storage.transaction() as connection:
            if not _exists(connection):
                return
            connection.execute("DELETE FROM prompt_session")
            if everything:
                connection.execute("DROP TABLE prompt_record; DROP TABLE prompt_session")


def _exists(connection: Any) -> bool:
    return bool(connection.execute("SELECT count(*) FROM sqlite_schema WHERE name = 'prompt_session'").get)


def _digest(session_id: str) -> bytes:
    return hashlib.blake2b(session_id.encode("utf-8"), digest_size=16).digest()


def _microseconds(at: datetime) -> int:
    return (at - _EPOCH) // timedelta(microseconds=1)


def _moment(microseconds: int) -> datetime:
    return _EPOCH + timedelta(microseconds=microseconds)


def _seen_row(seen: Seen) -> tuple[Any, ...]:
    return seen.first_seq, seen.last_seq, seen.prefix_characters, written(seen.trail)


def _row(record: PromptRecord) -> tuple[Any, ...]:
    return (
        _microseconds(record.at),
        record.budget,
        record.tokens,
        json.dumps(dict(record.ledger)),
        record.kept,
        record.common,
        record.flushed,
        record.answer,
    )


def _record(row: Sequence[Any]) -> PromptRecord:
    at, budget, tokens, ledger, kept, common, flushed, answer = row
    return PromptRecord(
        at=_moment(at),
        budget=budget,
        tokens=tokens,
        ledger=json.loads(ledger),
        kept=kept,
        common=common,
        flushed=flushed,
        answer=answer,
    )
