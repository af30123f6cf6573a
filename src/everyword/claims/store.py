"""Claims of one user in the file of their log: characters of messages, never words; read anew at will."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from importlib.resources import files
from typing import Any, Protocol, cast

import apsw

from everyword.claims import rules
from everyword.claims.marks import MarkStore
from everyword.claims.said_again import said_again
from everyword.claims.snapshots import IS_PASSED_OVER, SnapshotStore
from everyword.claims.trust import admitted
from everyword.claims.validity import claim_id, resolved
from everyword.domain.claim import Claim, Link, Relation, Statement
from everyword.domain.message import Message
from everyword.errors import UntrustedClaimError

VERSION = 1
"""Of schema.sql: another number in a file means that everything is read anew."""
TABLES = ("claim_link", "claim", "claim_read")
ATTEMPTS = 3
"""After so many a message is left alone until `rebuild`."""
_COLUMNS = "seq, start, stop, kind, state, trust, slot, polarity, objects, replaces, corrects, confidence"
_NEW = (
    "SELECT seq FROM message WHERE role = 'user' AND origin = 'user' AND branch IS NULL AND seq NOT IN (SELECT seq FROM "
    f"claim_read WHERE extractor = ?1) AND NOT {IS_PASSED_OVER.format(seq='message.seq')}"
)
_RETRIED = "SELECT seq FROM claim_read WHERE extractor = ?1 AND failure IS NOT NULL AND attempts < ?2"


class Storage(Protocol):
    """The database that the log owns."""

    def transaction(self) -> Any: ...
    def reading(self) -> Any: ...


class Log(Protocol):
    """Where the words are."""

    def by_seq(self, seqs: Iterable[int]) -> list[Message]: ...


@dataclass(frozen=True, slots=True, kw_only=True)
class _Known:
    """All that one extractor has found, with the words; of one state of the file."""

    generation: int
    statements: tuple[Statement, ...]
    messages: Mapping[int, Message]
    links: tuple[Link, ...]
    resolved: dict[datetime | None, tuple[Claim, ...]]


class ClaimStore:
    """Statements, what links them, and the journal of what was read."""

    def __init__(self, storage: Storage, log: Log) -> None:
        self._storage = storage
        self._log = log
        self._known: dict[str, _Known] = {}
        self.snapshots = SnapshotStore(storage)
        self.marks = MarkStore(storage)
        self._create()

    def _create(self) -> None:
        with self._storage.reading() as connection:
            version = _meta(connection, "claims_version")
        if version == VERSION:
            return
        with self._storage.transaction() as connection:
            if _meta(connection, "claims_version") != VERSION:
                _make(connection)

    # --- writing ---------------------------------------------------------------------------------------------------

    def keep(
        self,
        extractor: str,
        read: Sequence[int],
        found: Sequence[Statement],
        links: Sequence[Link] = (),
        refused: Sequence[int] = (),
    ) -> int:
        """Store what was found in messages that nobody has read or erased in the meantime; return how many were kept.

        Raise UntrustedClaimError, and nothing is stored, where a statement is not the user's own.
        """
        with self._storage.transaction() as connection:
            open_ones = set(self._unread(connection, extractor, read))
            messages = {message.seq: message for message in self._log.by_seq(open_ones)}
            taken = [admitted(each, messages[each.seq]) for each in found if each.seq in messages]
            for statement in taken:
                connection.execute(
                    f"INSERT OR IGNORE INTO claim (extractor, {_COLUMNS}) VALUES (?{', ?' * 12})",
                    (extractor, *_row(statement)),
                )
            for seq in messages:
                connection.execute(
                    "INSERT OR REPLACE INTO claim_read (extractor, seq, attempts, failure, refused) VALUES (?, ?, 1, NULL, ?)",
                    (extractor, seq, sum(each == seq for each in refused)),
                )
            self._link(connection, extractor, links)
            _raise_generation(connection)
        return len(taken)

    def _link(self, connection: apsw.Connection, extractor: str, links: Sequence[Link]) -> None:
        if not links:
            return
        ids = dict(self._ids(connection, extractor))
        keys = {claim_id(statement, message): key for key, (_, statement, message) in ids.items()}
        for link in links:
            if link.newer in ids and link.older in keys and keys[link.older] != link.newer:
                connection.execute(
                    "INSERT OR REPLACE INTO claim_link (newer, older, relation) VALUES (?, ?, ?)",
                    (ids[link.newer][0], ids[keys[link.older]][0], link.relation),
                )

    def _ids(
        self, connection: apsw.Connection, extractor: str
    ) -> Iterator[tuple[tuple[int, int, int, str], tuple[int, Statement, Message]]]:
        rows = cast(
            "list[Any]",
            connection.execute(f"SELECT id, {_COLUMNS} FROM claim WHERE extractor = ?", (extractor,)).fetchall(),
        )
        messages = {message.seq: message for message in self._log.by_seq({row[1] for row in rows})}
        for number, *row in rows:
            statement = _statement(row)
            if statement.seq in messages:
                yield statement.key, (number, statement, messages[statement.seq])

    def fail(self, extractor: str, seq: int, failure: str) -> None:
        """Note that a message could not be read, and why, in a word."""
        with self._storage.transaction() as connection:
            if self._unread(connection, extractor, [seq]):
                connection.execute(
                    "INSERT INTO claim_read (extractor, seq, attempts, failure, refused) VALUES (?, ?, 1, ?, 0) "
                    "ON CONFLICT DO UPDATE SET attempts = attempts + 1, failure = excluded.failure",
                    (extractor, seq, failure),
                )

    def _unread(self, connection: apsw.Connection, extractor: str, seqs: Sequence[int]) -> list[int]:
        """Return which of the messages are there and not read yet."""
        query = (
            "SELECT m.seq FROM message m WHERE m.seq IN (SELECT value FROM json_each(?)) AND NOT EXISTS (SELECT 1 FROM "
            f"claim_read r WHERE r.extractor = ? AND r.seq = m.seq AND r.failure IS NULL) AND NOT "
            f"{IS_PASSED_OVER.format(seq='m.seq')}"
        )
        return [row[0] for row in connection.execute(query, (json.dumps(list(seqs)), extractor))]

    def erase(self, seqs: Sequence[int]) -> None:
        """Remove everything that these messages said; what they had ended holds again. Call it in the log's transaction."""
        with self._storage.transaction() as connection:
            for table in ("claim", "claim_read"):
                connection.execute(
                    f"DELETE FROM {table} WHERE seq IN (SELECT value FROM json_each(?))", (json.dumps(list(seqs)),)
                )
            self.snapshots.erase(seqs)
            self.marks.erase(seqs)
            _raise_generation(connection)
        self._known.clear()

    def restore(self, snapshot: str) -> bool:
        """Put everything back as a snapshot has it; tell whether there is one of that name."""
        with self._storage.transaction() as connection:
            is_there = self.snapshots.restore(snapshot)
            _raise_generation(connection)
        self._known.clear()
        return is_there

    def rebuild(self) -> None:
        """Drop all claims and the journal: every message waits to be read."""
        with self._storage.transaction() as connection:
            _make(connection)
        self._known.clear()

    # --- reading ---------------------------------------------------------------------------------------------------

    def waiting(self, extractor: str, limit: int) -> list[Message]:
        """Return the next messages to read, oldest first; those that failed before come again at the end."""
        with self._storage.reading() as connection:
            seqs = [row[0] for row in connection.execute(f"{_NEW} ORDER BY seq LIMIT ?2", (extractor, limit))]
            if not seqs:
                seqs = [
                    row[0]
                    for row in connection.execute(f"{_RETRIED} ORDER BY seq LIMIT ?3", (extractor, ATTEMPTS, limit))
                ]
            return self._log.by_seq(seqs)

    def count_waiting(self, extractor: str) -> int:
        """Return how many messages are not read yet."""
        with self._storage.reading() as connection:
            new = connection.execute(f"SELECT count(*) FROM ({_NEW})", (extractor,)).get or 0
            return new + (connection.execute(f"SELECT count(*) FROM ({_RETRIED})", (extractor, ATTEMPTS)).get or 0)

    def claims(self, extractor: str, *, as_of: datetime | None = None) -> tuple[Claim, ...]:
        """Return what an extractor found, as it stood at a time, in the order in which it was said."""
        known = self._read(extractor)
        last = max((each.created_at for each in known.messages.values() if each.created_at), default=None)
        moment = None if as_of is None or last is None or as_of >= last else as_of
        if moment not in known.resolved:
            known.resolved.clear()
            known.resolved[moment] = said_again(
                resolved(known.statements, known.messages, known.links, as_of=moment, extractor=extractor)
            )
        return known.resolved[moment]

    def _read(self, extractor: str) -> _Known:
        """Return all statements with their words, kept as long as the file does not change."""
        with self._storage.reading() as connection:
            generation = _meta(connection, "claims_generation") or 0
            known = self._known.get(extractor)
            if known is not None and known.generation == generation:
                return known
            found = dict(self._ids(connection, extractor))
            ids = {number: claim_id(statement, message) for number, statement, message in found.values()}
            keys = {number: statement.key for number, statement, _ in found.values()}
            links = connection.execute("SELECT newer, older, relation FROM claim_link").fetchall()
        known = _Known(
            generation=generation,
            statements=tuple(statement for _, statement, _ in found.values()),
            messages={statement.seq: message for _, statement, message in found.values()},
            links=tuple(
                Link(newer=keys[newer], older=ids[older], relation=cast("Relation", relation))
                for newer, older, relation in links
                if newer in keys and older in ids
            ),
            resolved={},
        )
        self._known = {extractor: known}
        return known

    # --- checking --------------------------------------------------------------------------------------------------

    def stats(self, extractor: str) -> dict[str, Any]:
        """Return counts: claims by kind, messages that wait, that failed and why, and what was not taken."""
        with self._storage.reading() as connection:
            kinds = connection.execute(
                "SELECT kind, count(*) FROM claim WHERE extractor = ? GROUP BY kind ORDER BY kind", (extractor,)
            ).fetchall()
            failures = connection.execute(
                "SELECT failure, count(*) FROM claim_read WHERE extractor = ? AND failure IS NOT NULL GROUP BY failure",
                (extractor,),
            ).fetchall()
            refused = connection.execute("SELECT sum(refused) FROM claim_read WHERE extractor = ?", (extractor,)).get
            waiting = self.count_waiting(extractor)
        return {
            "extractor": extractor,
            "kinds": dict(kinds),
            "waiting": waiting,
            "failed": dict(failures),
            "refused": refused or 0,
            "passed_over": self.snapshots.count_passed_over(),
        }

    def verify(self) -> list[str]:
        """Return where a claim does not agree with the log."""
        with self._storage.reading() as connection:
            rows = cast("list[Any]", connection.execute(f"SELECT extractor, {_COLUMNS} FROM claim").fetchall())
            seqs = [row[0] for row in connection.execute("SELECT DISTINCT seq FROM claim_read")]
            messages = {message.seq: message for message in self._log.by_seq({*seqs, *(row[1] for row in rows)})}
            quoted = [
                row[0] for row in connection.execute("SELECT seq FROM claim_read WHERE extractor = ?", (rules.NAME,))
            ]
        problems = [
            f"the journal of claims names message {seq}, which is not there" for seq in seqs if seq not in messages
        ]
        found = [(row[0], _statement(row[1:])) for row in rows]
        problems += [problem for _, each in found if (problem := _problem(each, messages.get(each.seq))) is not None]
        stored = {each for name, each in found if name == rules.NAME}
        expected = {each for seq in quoted if seq in messages for each in rules.statements(messages[seq])}
        problems += [
            f"message {each.seq}: its claim at {each.start} is not what the rules find" for each in stored ^ expected
        ]
        return problems


def _problem(statement: Statement, message: Message | None) -> str | None:
    if message is None:
        return f"a claim quotes message {statement.seq}, which is not there"
    if not 0 <= statement.start < statement.stop <= len(message.text):
        return f"message {statement.seq}: a claim quotes characters that it does not have"
    try:
        admitted(statement, message)
    except UntrustedClaimError as error:
        return str(error)
    return None


def _make(connection: apsw.Connection) -> None:
    connection.execute("DROP INDEX IF EXISTS claim_readable")
    for table in TABLES:
        connection.execute(f"DROP TABLE IF EXISTS {table}")
    connection.execute(files("everyword.claims").joinpath("schema.sql").read_text("utf-8"))
    connection.execute("INSERT OR REPLACE INTO meta (name, value) VALUES ('claims_version', ?)", (VERSION,))
    _raise_generation(connection)


def _row(statement: Statement) -> tuple[Any, ...]:
    return (
        statement.seq,
        statement.start,
        statement.stop,
        statement.kind,
        statement.state,
        statement.trust,
        statement.slot,
        statement.polarity,
        json.dumps(statement.objects, ensure_ascii=False),
        json.dumps(statement.replaces, ensure_ascii=False),
        statement.corrects,
        statement.confidence,
    )


def _statement(row: Sequence[Any]) -> Statement:
    seq, start, stop, kind, state, trust, slot, polarity, objects, replaces, corrects, confidence = row
    return Statement(
        seq=seq,
        start=start,
        stop=stop,
        kind=kind,
        state=state,
        trust=trust,
        slot=slot,
        polarity=polarity,
        objects=tuple(json.loads(objects)),
        replaces=tuple(json.loads(replaces)),
        corrects=corrects,
        confidence=confidence,
    )


def _meta(connection: apsw.Connection, name: str) -> Any:
    return connection.execute("SELECT value FROM meta WHERE name = ?", (name,)).get


def _raise_generation(connection: apsw.Connection) -> None:
    """Tell every process that what it holds in memory is out of date."""
    number = (_meta(connection, "claims_generation") or 0) + 1
    connection.execute("INSERT OR REPLACE INTO meta (name, value) VALUES ('claims_generation', ?)", (number,))
