"""Written lines of one user in the file of their log, beside the claims that they come from."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from importlib.resources import files
from typing import Any, Protocol

from everyword.domain.message import Message
from everyword.domain.summary import Chunk, SummaryLine

VERSION = 1
"""Of summaries.sql: another number in a file means that everything is written anew."""
SAW_ANY = "EXISTS (SELECT 1 FROM json_each(seqs) WHERE value IN (SELECT value FROM json_each(?1)))"
"""Condition on a chunk: it was written where any of the messages of a JSON list were seen."""


class Storage(Protocol):
    """The database that the log owns."""

    def transaction(self) -> Any: ...
    def reading(self) -> Any: ...


class Log(Protocol):
    """Where the words are."""

    def by_seq(self, seqs: Iterable[int]) -> list[Message]: ...


class SummaryStore:
    """Chunks of lines by who wrote them; the tables are made with the first."""

    def __init__(self, storage: Storage, log: Log) -> None:
        self._storage = storage
        self._log = log

    def chunks(self, writer: str) -> list[Chunk]:
        """Return what was written, in the order in which it was begun."""
        with self._storage.reading() as connection:
            if _version(connection) != VERSION:
                return []
            rows = connection.execute(
                "SELECT id, claims, generation, refused, failure, attempts FROM summary_chunk WHERE writer = ? ORDER BY id",
                (writer,),
            ).fetchall()
            lines = {row[0]: _lines(connection, row[0]) for row in rows}
        return [
            Chunk(
                number=number,
                claim_ids=tuple(json.loads(claims)),
                lines=lines[number],
                generation=generation,
                refused=refused,
                failure=failure,
                attempts=attempts,
            )
            for number, claims, generation, refused, failure, attempts in rows
        ]

    def put(self, writer: str, chunk: Chunk, seqs: Sequence[int], *, over: Chunk | None = None) -> bool:
        """Store a chunk, in place of `over`; tell whether it was: not where a message or what it replaces is gone by now."""
        with self._storage.transaction() as connection:
            prepare(connection)
            if len(self._log.by_seq(set(seqs))) != len(set(seqs)):
                return False
            if over is not None and not _taken_away(connection, over):
                return False
            connection.execute(
                "INSERT INTO summary_chunk (id, writer, claims, seqs, generation, refused, failure, attempts) "
                "VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
                (
                    over.number if over is not None else None,
                    writer,
                    json.dumps(chunk.claim_ids),
                    json.dumps(sorted(set(seqs))),
                    chunk.generation,
                    chunk.refused,
                    chunk.failure,
                    chunk.attempts,
                ),
            )
            number = connection.last_insert_rowid()
            for place, line in enumerate(chunk.lines):
                connection.execute(
                    "INSERT INTO summary_line (chunk, place, text, claims, seqs) VALUES (?, ?, ?, ?, ?)",
                    (number, place, line.text, json.dumps(line.claim_ids), json.dumps(line.seqs)),
                )
        return True

    def drop(self, chunk: Chunk) -> None:
        """Remove a chunk of which nothing holds any more."""
        with self._storage.transaction() as connection:
            _taken_away(connection, chunk)

    def erase(self, seqs: Sequence[int]) -> None:
        """Remove every line that was written where these messages were seen. Call it in the log's transaction."""
        with self._storage.transaction() as connection:
            if _version(connection) != VERSION:
                _drop(connection)
                return
            connection.execute(f"DELETE FROM summary_chunk WHERE {SAW_ANY}", (json.dumps(list(seqs)),))

    def rebuild(self) -> None:
        """Drop all lines."""
        with self._storage.transaction() as connection:
            _drop(connection)

    def stats(self, writer: str) -> dict[str, Any]:
        """Return counts of what a writer wrote."""
        chunks = self.chunks(writer)
        failures = [chunk.failure for chunk in chunks if chunk.failure is not None]
        return {
            "writer": writer,
            "lines": sum(len(chunk.lines) for chunk in chunks),
            "chunks": len(chunks),
            "refused": sum(chunk.refused for chunk in chunks),
            "failed": {each: failures.count(each) for each in sorted(set(failures))},
        }

    def verify(self) -> list[str]:
        """Return where a line does not agree with the log."""
        with self._storage.reading() as connection:
            if _version(connection) != VERSION:
                return []
            named = [
                (chunk, json.loads(seqs)) for chunk, seqs in connection.execute("SELECT id, seqs FROM summary_chunk")
            ]
            lines = [
                (chunk, json.loads(seqs)) for chunk, seqs in connection.execute("SELECT chunk, seqs FROM summary_line")
            ]
            there = {message.seq for message in self._log.by_seq({seq for _, seqs in named for seq in seqs})}
        seen = dict(named)
        gone = [
            f"a summary was written from message {seq}, which is not there"
            for _, seqs in named
            for seq in seqs
            if seq not in there
        ]
        alien = [
            f"a line of summary {chunk} names messages that it was not written from"
            for chunk, seqs in lines
            if not set(seqs) <= set(seen.get(chunk, ()))
        ]
        return [*gone, *alien]


def _lines(connection: Any, chunk: int) -> tuple[SummaryLine, ...]:
    rows = connection.execute("SELECT text, claims, seqs FROM summary_line WHERE chunk = ? ORDER BY place", (chunk,))
    return tuple(
        SummaryLine(text=text, claim_ids=tuple(json.loads(claims)), seqs=tuple(json.loads(seqs)))
        for text, claims, seqs in rows
    )


def _taken_away(connection: Any, chunk: Chunk) -> bool:
    """Remove a chunk as it was read; tell whether it was still there."""
    connection.execute("DELETE FROM summary_chunk WHERE id = ? AND generation = ?", (chunk.number, chunk.generation))
    return connection.changes() == 1


def _version(connection: Any) -> int | None:
    return connection.execute("SELECT value FROM meta WHERE name = 'summaries_version'").get


def prepare(connection: Any) -> None:
    """Make the tables, or make them anew where they are of another version."""
    if _version(connection) != VERSION:
        _drop(connection)
        connection.execute(files("everyword.claims").joinpath("summaries.sql").read_text("utf-8"))
        connection.execute("INSERT OR REPLACE INTO meta (name, value) VALUES ('summaries_version', ?)", (VERSION,))


def _drop(connection: Any) -> None:
    connection.execute("DROP TABLE IF EXISTS summary_line")
    connection.execute("DROP TABLE IF EXISTS summary_chunk")
    connection.execute("DELETE FROM meta WHERE name = 'summaries_version'")
