"""The journal of `route`: one row a decision, in the user's own file."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from importlib.resources import files
from typing import Any, Protocol, cast

from everyword.domain.decision import Audit, DecidedBy, Decision, Took

KEPT = 10_000
"""Decisions that are kept."""
BEGINNING = 1_000
"""Of these from the baseline on: later ones are compared with them, so that those behind them go first."""
_INSERT = (
    "INSERT INTO route_decision (at_us, by, was_enough, took, evidence_tokens, full_tokens, input_tokens, output_tokens, "
    "audit) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)"
)
_SELECT = (
    "SELECT at_us, by, was_enough, took, evidence_tokens, full_tokens, input_tokens, output_tokens, audit "
    "FROM route_decision WHERE id >= ? ORDER BY id"
)
_NEWEST = (
    "SELECT id, at_us, by, was_enough, took, evidence_tokens, full_tokens, input_tokens, output_tokens, audit "
    "FROM route_decision WHERE id < ? ORDER BY id DESC LIMIT ?"
)
_LEAVING = (
    "SELECT id, by = 'model' AND was_enough FROM route_decision WHERE id < ?1 OR id > "
    "(SELECT id FROM route_decision WHERE id >= ?1 ORDER BY id LIMIT 1 OFFSET ?2) ORDER BY id LIMIT 1"
)
_BASELINE, _GONE = "route_baseline", "route_accepted_gone"
"""Names in `meta`: the first row that the report counts, and how many accepted ones are not kept any more."""
_LAST_ID = 2**63 - 1
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


class Storage(Protocol):
    """The database that the log owns."""

    def transaction(self) -> Any: ...
    def reading(self) -> Any: ...


class RouteJournal:
    """Decisions in the order in which they were made; the table is made with the first."""

    def __init__(self, storage: Storage, *, kept: int = KEPT, beginning: int = BEGINNING) -> None:
        self._storage = storage
        self._kept = kept
        self._beginning = beginning

    def add(self, decision: Decision) -> None:
        """Write one decision. Raise StorageError."""
        with self._storage.transaction() as connection:
            connection.execute(files("everyword.routing").joinpath("schema.sql").read_text("utf-8"))
            connection.execute(_INSERT, _row(decision))
            if connection.execute("SELECT count(*) FROM route_decision").get > self._kept:
                self._make_room(connection)

    def _make_room(self, connection: Any) -> None:
        """Let the oldest decision go that is neither of the baseline nor behind it."""
        going, was_accepted = connection.execute(_LEAVING, (_baseline(connection), self._beginning - 1)).fetchone()
        connection.execute("DELETE FROM route_decision WHERE id = ?", (going,))
        if was_accepted:
            _note(connection, _GONE, _noted(connection, _GONE) + 1)

    def accepted(self) -> int:
        """Return how many times the language model found evidence to be enough."""
        query = "SELECT count(*) FROM route_decision WHERE by = 'model' AND was_enough"
        with self._storage.reading() as connection:
            return connection.execute(query).get + _noted(connection, _GONE) if _exists(connection) else 0

    def decisions(self) -> list[Decision]:
        """Return the decisions from the baseline on, oldest first."""
        with self._storage.reading() as connection:
            if not _exists(connection):
                return []
            rows = connection.execute(_SELECT, (_baseline(connection),)).fetchall()
        return [_decision(row) for row in rows]

    def newest(self, limit: int, *, before: int | None = None) -> list[tuple[int, Decision]]:
        """Return the last decisions with their numbers, newest first; `before`: only those under a number."""
        with self._storage.reading() as connection:
            if not _exists(connection):
                return []
            rows = connection.execute(_NEWEST, (_LAST_ID if before is None else before, limit)).fetchall()
        return [(number, _decision(row)) for number, *row in rows]

    def recalibrate(self, window: int) -> None:
        """Let the baseline begin with the last `window` decisions that had something to decide."""
        query = "SELECT min(id) FROM (SELECT id FROM route_decision WHERE by <> 'size' ORDER BY id DESC LIMIT ?)"
        with self._storage.transaction() as connection:
            if _exists(connection) and (first := connection.execute(query, (window,)).get) is not None:
                _note(connection, _BASELINE, first)

    def erase(self) -> None:
        """Forget all decisions."""
        with self._storage.transaction() as connection:
            connection.execute("DROP TABLE IF EXISTS route_decision")
            connection.execute("DELETE FROM meta WHERE name IN (?, ?)", (_BASELINE, _GONE))


def _exists(connection: Any) -> bool:
    return bool(connection.execute("SELECT count(*) FROM sqlite_schema WHERE name = 'route_decision'").get)


def _baseline(connection: Any) -> int:
    return _noted(connection, _BASELINE)


def _noted(connection: Any, name: str) -> int:
    return connection.execute("SELECT value FROM meta WHERE name = ?", (name,)).get or 0


def _note(connection: Any, name: str, value: int) -> None:
    connection.execute("INSERT OR REPLACE INTO meta (name, value) VALUES (?, ?)", (name, value))


def _row(decision: Decision) -> tuple[Any, ...]:
    return (
        (decision.at - _EPOCH) // timedelta(microseconds=1),
        decision.by,
        int(decision.was_enough),
        decision.took,
        decision.evidence_tokens,
        decision.full_tokens,
        decision.input_tokens,
        decision.output_tokens,
        decision.audit,
    )


def _decision(row: Sequence[Any]) -> Decision:
    at, by, was_enough, took, evidence, full, given, said, audit = row
    return Decision(
        at=_EPOCH + timedelta(microseconds=at),
        by=cast("DecidedBy", by),
        was_enough=bool(was_enough),
        took=cast("Took", took),
        evidence_tokens=evidence,
        full_tokens=full,
        input_tokens=given,
        output_tokens=said,
        audit=cast("Audit", audit),
    )
