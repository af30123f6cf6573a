"""The journal of `route`: one row a decision, in the user's own file."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from importlib.resources import files
from typing import Any, Protocol, cast

from everyword.domain.decision import Audit, DecidedBy, Decision, Took

_INSERT = (
    "INSERT INTO route_decision (at_us, by, was_enough, took, evidence_tokens, full_tokens, input_tokens, output_tokens, "
    "audit) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)"
)
_SELECT = (
    "SELECT at_us, by, was_enough, took, evidence_tokens, full_tokens, input_tokens, output_tokens, audit "
    "FROM route_decision WHERE id >= ? ORDER BY id"
)
_BASELINE = "route_baseline"
"""Name in `meta`: the first row that the report counts."""
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


class Storage(Protocol):
    """The database that the log owns."""

    def transaction(self) -> Any: ...
    def reading(self) -> Any: ...


class RouteJournal:
    """Decisions in the order in which they were made; the table is made with the first."""

    def __init__(self, storage: Storage) -> None:
        self._storage = storage

    def add(self, decision: Decision) -> None:
        """Write one decision. Raise StorageError."""
        with self._storage.transaction() as connection:
            connection.execute(files("everyword.routing").joinpath("schema.sql").read_text("utf-8"))
            connection.execute(_INSERT, _row(decision))

    def accepted(self) -> int:
        """Return how many times the language model found evidence to be enough."""
        query = "SELECT count(*) FROM route_decision WHERE by = 'model' AND was_enough"
        with self._storage.reading() as connection:
            return connection.execute(query).get if _exists(connection) else 0

    def decisions(self) -> list[Decision]:
        """Return the decisions from the baseline on, oldest first."""
        with self._storage.reading() as connection:
            if not _exists(connection):
                return []
            rows = connection.execute(_SELECT, (_baseline(connection),)).fetchall()
        return [_decision(row) for row in rows]

    def recalibrate(self, window: int) -> None:
        """Let the baseline begin with the last `window` decisions that had something to decide."""
        query = "SELECT min(id) FROM (SELECT id FROM route_decision WHERE by <> 'size' ORDER BY id DESC LIMIT ?)"
        with self._storage.transaction() as connection:
            if _exists(connection) and (first := connection.execute(query, (window,)).get) is not None:
                connection.execute("INSERT OR REPLACE INTO meta (name, value) VALUES (?, ?)", (_BASELINE, first))

    def erase(self) -> None:
        """Forget all decisions."""
        with self._storage.transaction() as connection:
            connection.execute("DROP TABLE IF EXISTS route_decision")
            connection.execute("DELETE FROM meta WHERE name = ?", (_BASELINE,))


def _exists(connection: Any) -> bool:
    return bool(connection.execute("SELECT count(*) FROM sqlite_schema WHERE name = 'route_decision'").get)


def _baseline(connection: Any) -> int:
    return connection.execute("SELECT value FROM meta WHERE name = ?", (_BASELINE,)).get or 0


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
