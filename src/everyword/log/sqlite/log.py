"""The durable record of one user: append, read, erase, verify."""

from __future__ import annotations

import json
import re
import secrets
import zlib
from collections.abc import Generator, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta, timezone
from hashlib import blake2b
from typing import Any, cast

import apsw

from everyword.domain.message import Branch, Draft, Message, MessageId, Origin, Role
from everyword.domain.scope import EPOCH, Scope, microseconds
from everyword.domain.session import SessionSpan
from everyword.errors import DamagedLogError, IdempotencyConflictError, InvalidMessageError, NotFoundError
from everyword.log.sqlite import payload as packed
from everyword.log.sqlite.database import Database

_MOST_TURNS = 1_000_000
_HEX_KEY = re.compile(r"[0-9a-f]{32}")
_COLUMNS = (
    "m.seq, m.id, s.name, m.role, m.origin, m.branch, m.author, m.agent, m.created_us, m.offset_minutes, "
    "m.received_us, m.text, m.payload, m.digest, m.metadata, m.key"
)
_FROM = "FROM message m JOIN session s ON s.id = m.session"
_INSERT = (
    "INSERT INTO message (id, session, role, origin, branch, author, agent, created_us, offset_minutes, received_us, "
    "text, payload, digest, metadata, key, characters) VALUES (?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?)"
)
_COUNT_ERASURE = (
    "INSERT INTO meta (name, value) VALUES ('erasures', 1) ON CONFLICT (name) DO UPDATE SET value = value + 1"
)
_SESSIONS = """
WITH span AS (
    SELECT session, count(*) AS messages, max(seq) AS last FROM message
    GROUP BY session HAVING max(seq) < ? ORDER BY last DESC LIMIT ?
)
SELECT s.name, span.messages, span.last, (
    SELECT json_group_array(seq) FROM (SELECT seq FROM message WHERE session = span.session ORDER BY seq LIMIT ?)
) FROM span JOIN session s ON s.id = span.session ORDER BY span.last DESC
"""
_MOST = 2**63 - 1
Row = tuple[Any, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Appended:
    """Messages of one append in the order of the call, and which of them are new."""

    messages: tuple[Message, ...]
    new: tuple[Message, ...]


class SqliteLog:
    """Messages of one user in the order of arrival."""

    def __init__(self, database: Database) -> None:
        self.database = database

    def append(self, drafts: Sequence[Draft], *, received_at: datetime) -> Appended:
        """Store the drafts durably, all or none. Raise IdempotencyConflictError, StorageError."""
        messages: list[Message] = []
        new: list[Message] = []
        with self.database.transaction() as connection:
            sessions: dict[str, int] = {}
            for draft in drafts:
                with _storable(draft):
                    stored = self._known(connection, draft)
                    if stored is None:
                        stored = _inserted(connection, draft, received_at, sessions)
                        new.append(stored)
                messages.append(stored)
        return Appended(messages=tuple(messages), new=tuple(new))

    def _known(self, connection: apsw.Connection, draft: Draft) -> Message | None:
        """Return the message that was stored under the same key or id before."""
        row = None
        if draft.key is not None:
            row = connection.execute(f"SELECT {_COLUMNS} {_FROM} WHERE m.key = ?", (_key_column(draft.key),)).fetchone()
        if row is None and draft.message_id is not None:
            known = (id_column(draft.message_id),)
            row = connection.execute(f"SELECT {_COLUMNS} {_FROM} WHERE m.id = ?", known).fetchone()
        if row is None:
            return None
        message = _message(row)
        if message.payload != draft.payload:
            name = draft.key or draft.message_id
            raise IdempotencyConflictError(f"The idempotency key {name!r} was used before for another content.")
        return message

    def by_seq(self, seqs: Iterable[int]) -> list[Message]:
        """Return the messages with these sequence numbers, in their order; unknown numbers are left out."""
        query = f"SELECT {_COLUMNS} {_FROM} WHERE m.seq IN (SELECT value FROM json_each(?)) ORDER BY m.seq"
        with self.database.reading() as connection:
            return [_message(row) for row in connection.execute(query, (json.dumps(list(seqs)),))]

    def by_id(self, message_id: str) -> Message:
        """Return one message. Raise NotFoundError."""
        with self.database.reading() as connection:
            row = connection.execute(f"SELECT {_COLUMNS} {_FROM} WHERE m.id = ?", (id_column(message_id),)).fetchone()
        if row is None:
            raise NotFoundError(f"No message {message_id!r} in this memory.")
        return _message(row)

    def scan(self, *, after: int = 0, batch: int = 500) -> Iterator[Message]:
        """Yield every message in order; the file is not held between batches."""
        query = f"SELECT {_COLUMNS} {_FROM} WHERE m.seq > ? ORDER BY m.seq LIMIT ?"
        while True:
            with self.database.reading() as connection:
                rows = cast("list[Any]", connection.execute(query, (after, batch)).fetchall())
            if not rows:
                return
            yield from map(_message, rows)
            after = rows[-1][0]

    def recent(self, *, session_id: str | None, turns: int) -> list[Message]:
        """Return the last turns of a session (of the newest session where None) in order; a turn starts at a user message."""
        if turns <= 0:
            return []
        with self.database.reading() as connection:
            session = self.newest_session() if session_id is None else session_id
            query = (
                f"SELECT {_COLUMNS} {_FROM} WHERE s.name = ? AND m.branch IS NULL AND m.seq >= coalesce((SELECT seq FROM "
                "message u WHERE u.session = s.id AND u.role = 'user' AND u.branch IS NULL ORDER BY seq DESC "
                "LIMIT 1 OFFSET ?), 0) ORDER BY m.seq"
            )
            return [_message(row) for row in connection.execute(query, (session, min(turns, _MOST_TURNS) - 1))]

    def ending(self, session_id: str) -> str:
        """Return a text that is another one whenever a session has got a message, or the log has lost some."""
        last = f"SELECT m.seq || ' ' || hex(m.id) {_FROM} WHERE s.name = ? ORDER BY m.seq DESC LIMIT 1"
        erasures = "SELECT value FROM meta WHERE name = 'erasures'"
        with self.database.reading() as connection:
            return f"{connection.execute(last, (session_id,)).get} {connection.execute(erasures).get}"

    def newest_session(self) -> str | None:
        """Return the session of the last message, None in an empty log."""
        with self.database.reading() as connection:
            return connection.execute(f"SELECT s.name {_FROM} ORDER BY m.seq DESC LIMIT 1").get

    def chosen(
        self,
        scope: Scope,
        *,
        after_seq: int = 0,
        before_seq: int | None = None,
        limit: int | None = None,
        newest: bool = False,
    ) -> list[int]:
        """Return the sequence numbers of the messages in a scope and between two of them, in order.

        `limit`: the first of them, with `newest` the last.
        """
        conditions, values = _conditions(scope)
        conditions += ["m.seq > ?", "m.seq < ?"]
        values += [_clamped(after_seq), _MOST if before_seq is None else _clamped(before_seq)]
        order, most = "DESC" if newest else "ASC", -1 if limit is None else _clamped(limit)
        query = f"SELECT m.seq {_FROM} WHERE {' AND '.join(conditions)} ORDER BY m.seq {order} LIMIT ?"
        with self.database.reading() as connection:
            seqs = [row[0] for row in connection.execute(query, [*values, most])]
        return seqs[::-1] if newest else seqs

    def seqs_of(self, message_ids: Iterable[str]) -> dict[str, int]:
        """Return sequence numbers by message id; what is not there is left out. Raise NotFoundError for what is no id."""
        columns = {id_column(each): each for each in message_ids}
        query = "SELECT id, seq FROM message WHERE id IN (SELECT unhex(value) FROM json_each(?))"
        with self.database.reading() as connection:
            found = connection.execute(query, (json.dumps([each.hex() for each in columns]),))
            return {columns[raw]: seq for raw, seq in found}

    def sessions(self, *, before_seq: int | None = None, limit: int = 50, opening: int = 4) -> list[SessionSpan]:
        """Return conversations, the one with the last word first, of those whose last word stands before a sequence number.

        `opening`: of how many first messages the sequence numbers are told.
        """
        before = _MOST if before_seq is None else _clamped(before_seq)
        with self.database.reading() as connection:
            rows = connection.execute(_SESSIONS, (before, _clamped(limit), opening))
            return [
                SessionSpan(session_id=name, messages=messages, last_seq=last, opening=tuple(json.loads(first)))
                for name, messages, last, first in rows
            ]

    def sessions_of(self, seqs: Sequence[int]) -> tuple[str, ...]:
        """Return the sessions that hold these messages, by name."""
        query = f"SELECT DISTINCT s.name {_FROM} WHERE m.seq IN (SELECT value FROM json_each(?)) ORDER BY s.name"
        with self.database.reading() as connection:
            return tuple(row[0] for row in connection.execute(query, (json.dumps(list(seqs)),)))

    def erase(self, seqs: Sequence[int]) -> None:
        """Delete the messages; their bytes leave the file when the caller shrinks the database."""
        with self.database.transaction() as connection:
            connection.executemany("DELETE FROM message WHERE seq = ?", [(seq,) for seq in seqs])
            connection.execute("DELETE FROM session WHERE id NOT IN (SELECT session FROM message)")
            connection.execute(_COUNT_ERASURE)
            self.database.owe_shrink()

    def stats(self) -> dict[str, Any]:
        """Return counts by role, sessions, characters and the first and last time."""
        with self.database.reading() as connection:
            roles = dict(connection.execute("SELECT role, count(*) FROM message GROUP BY role ORDER BY role"))
            characters, first, last = connection.execute(
                "SELECT coalesce(sum(characters), 0), min(created_us), max(created_us) FROM message"
            ).fetchone() or (0, None, None)
            sessions = connection.execute("SELECT count(*) FROM session").get
        return {
            "messages": sum(roles.values()),
            "roles": roles,
            "sessions": sessions,
            "characters": characters,
            "first": _text_of(first),
            "last": _text_of(last),
        }

    def verify(self) -> list[str]:
        """Return what is wrong with the record: SQLite's own check, then every row against its digest."""
        with self.database.reading() as connection:
            try:
                problems = [
                    f"SQLite: {row[0]}" for row in connection.execute("PRAGMA integrity_check") if row[0] != "ok"
                ]
                seqs = [row[0] for row in connection.execute("SELECT seq FROM message ORDER BY seq")]
            except apsw.Error as error:
                return [f"SQLite: {error}"]
            return problems + [problem for seq in seqs if (problem := _damage(connection, seq))]


def _damage(connection: apsw.Connection, seq: int) -> str | None:
    """Return what is wrong with one stored message, None where it is what was said."""
    try:
        row = connection.execute(f"SELECT {_COLUMNS} {_FROM} WHERE m.seq = ?", (seq,)).fetchone()
        if row is None:
            return f"message {seq}: its session is not there"
        return None if row[13] == _digest(_message(row)) else f"message {seq}: the digest does not match the words"
    except (ValueError, OverflowError, DamagedLogError, apsw.CorruptError) as error:
        return f"message {seq}: cannot be read ({error})"


@contextmanager
def _storable(draft: Draft) -> Generator[None]:
    """Turn what SQLite cannot hold into an error about the message."""
    try:
        yield
    except UnicodeEncodeError as error:
        raise InvalidMessageError(
            f"A message of session {draft.session_id!r} has lone surrogates outside its payload ({error.object!r:.80}): "
            "replace them."
        ) from error
    except NotFoundError as error:
        raise InvalidMessageError(str(error)) from error


def id_column(message_id: str) -> bytes:
    """Return the stored form of a message id. Raise NotFoundError for a text that cannot be one."""
    try:
        raw = bytes.fromhex(message_id)
    except (ValueError, TypeError):
        raw = b""
    if len(raw) != 16:
        raise NotFoundError(f"{message_id!r} is not a message id: ids have 32 hexadecimal digits.")
    return raw


def _clamped(number: int) -> int:
    """Return the number, or the nearest one that SQLite holds."""
    return max(-_MOST, min(number, _MOST))


def _key_column(key: str) -> bytes | str:
    return bytes.fromhex(key) if _HEX_KEY.fullmatch(key) else key


def _inserted(connection: apsw.Connection, draft: Draft, received_at: datetime, sessions: dict[str, int]) -> Message:
    session_id = draft.session_id or "default"
    if session_id not in sessions:
        connection.execute("INSERT OR IGNORE INTO session (name) VALUES (?)", (session_id,))
        sessions[session_id] = connection.execute("SELECT id FROM session WHERE name = ?", (session_id,)).get
    message = Message(
        message_id=MessageId(id_column(draft.message_id).hex() if draft.message_id else secrets.token_hex(16)),
        seq=0,
        session_id=session_id,
        role=draft.role,
        text=draft.text,
        payload=draft.payload,
        author=draft.author,
        agent_id=draft.agent_id,
        origin=draft.origin,
        branch=draft.branch,
        created_at=draft.created_at,
        received_at=received_at,
        metadata=draft.metadata,
        key=draft.key,
    )
    try:
        connection.execute(_INSERT, _row(message, sessions[session_id]))
    except apsw.ConstraintError as error:
        raise InvalidMessageError(f"Message {message.message_id!r} cannot be stored: {error}.") from error
    return _with_seq(message, connection.last_insert_rowid())


def _with_seq(message: Message, seq: int) -> Message:
    return replace(message, seq=seq)


def _row(message: Message, session: int) -> Row:
    created, offset = _split(message.created_at)
    return (
        id_column(message.message_id),
        session,
        message.role,
        message.origin,
        None if message.branch == "main" else message.branch,
        message.author,
        message.agent_id,
        created,
        offset,
        _split(message.received_at)[0],
        packed.pack_text(message.text),
        packed.pack(message.payload, message.text),
        _digest(message),
        json.dumps(dict(message.metadata), ensure_ascii=True, sort_keys=True) if message.metadata else None,
        None if message.key is None else _key_column(message.key),
        len(message.text),
    )


def _message(row: Row) -> Message:
    """Return a stored message. Raise DamagedLogError."""
    try:
        return _unpacked(row)
    except (zlib.error, ValueError, OverflowError) as error:
        raise DamagedLogError(
            f"Message {row[0]} is damaged ({error}): run verify, restore it from a backup."
        ) from error


def _unpacked(row: Row) -> Message:
    seq, raw, session, role, origin, branch, author, agent, created, offset, received = row[:11]
    text, key = packed.unpack_text(row[11]), row[15]
    return Message(
        message_id=MessageId(raw.hex()),
        seq=seq,
        session_id=session,
        role=cast("Role", role),
        text=text,
        payload=packed.unpack(row[12], text),
        author=author,
        agent_id=agent,
        origin=cast("Origin", origin),
        branch=cast("Branch", branch or "main"),
        created_at=_joined(created, offset),
        received_at=cast("datetime", _joined(received, 0)),
        metadata=json.loads(row[14]) if row[14] else {},
        key=key.hex() if isinstance(key, bytes) else key,
    )


def _digest(message: Message) -> bytes:
    """Return 16 bytes over everything that the caller said."""
    created, offset = _split(message.created_at)
    envelope = [
        message.message_id, message.session_id, message.role, message.origin, message.branch, message.author,
        message.agent_id, created, offset, message.text, dict(message.metadata), message.key,
    ]  # fmt: skip
    said = json.dumps(envelope, ensure_ascii=True, sort_keys=True).encode()
    return blake2b(said + b"\0" + message.payload, digest_size=16).digest()


def _split(moment: datetime | None) -> tuple[int | None, int | None]:
    if moment is None:
        return None, None
    offset = moment.utcoffset() or timedelta()
    return microseconds(moment), int(offset.total_seconds() / 60)


def _joined(created_us: int | None, offset_minutes: int | None) -> datetime | None:
    if created_us is None:
        return None
    if not offset_minutes:
        return EPOCH + timedelta(microseconds=created_us)
    offset = timedelta(minutes=offset_minutes)
    local = EPOCH.replace(tzinfo=None) + (timedelta(microseconds=created_us) + offset)
    return local.replace(tzinfo=timezone(offset))


def _text_of(created_us: int | None) -> str | None:
    """Return a time in UTC as text; the ends of the calendar for what only another zone can write."""
    try:
        moment = _joined(created_us, 0)
    except OverflowError:
        moment = (datetime.max if cast("int", created_us) > 0 else datetime.min).replace(tzinfo=UTC)
    return moment.isoformat() if moment else None


def _conditions(scope: Scope) -> tuple[list[str], list[Any]]:
    """Return SQL conditions and their values; an empty list means everything."""
    conditions: list[str] = []
    values: list[Any] = []
    if scope.message_ids is not None:
        conditions.append("m.id IN (SELECT unhex(value) FROM json_each(?))")
        values.append(json.dumps([id_column(message_id).hex() for message_id in scope.message_ids]))
    if scope.session_id is not None:
        conditions.append("s.name = ?")
        values.append(scope.session_id)
    if scope.after is not None:
        conditions.append("m.created_us >= ?")
        values.append(_split(scope.after)[0])
    if scope.before is not None:
        conditions.append("m.created_us <= ?")
        values.append(_split(scope.before)[0])
    return conditions, values
