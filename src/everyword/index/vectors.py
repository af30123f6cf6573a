"""Stored vectors: which model made them, what still waits for one, and how a model takes over from another."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any, cast

import apsw

from everyword.domain.passage import Passage
from everyword.ports import ModelIdentity


@dataclass(frozen=True, slots=True, kw_only=True)
class StoredModel:
    """A model that this file has or is getting vectors of."""

    model_id: int
    identity: ModelIdentity
    active: bool
    centre: bytes
    """float32: what the codes are relative to."""
    declarative: bytes | None = None
    """float32: the direction from questions and small talk to statements; None where it is not known yet."""


def models(connection: apsw.Connection) -> list[StoredModel]:
    """Return the models of this file; at most one is active."""
    query = "SELECT id, identity, state, centre, declarative FROM model ORDER BY id"
    rows = cast("list[Any]", connection.execute(query).fetchall())
    return [
        StoredModel(
            model_id=model_id,
            identity=ModelIdentity(**json.loads(identity)),
            active=state == "active",
            centre=centre,
            declarative=declarative,
        )
        for model_id, identity, state, centre, declarative in rows
    ]


def active(connection: apsw.Connection) -> StoredModel | None:
    """Return the model whose vectors are searched."""
    return next((model for model in models(connection) if model.active), None)


def register(connection: apsw.Connection, identity: ModelIdentity, centre: bytes) -> None:
    """Make every passage wait for a vector of this model; it becomes active when the last one is there."""
    has_any = connection.execute("SELECT count(*) FROM model").get
    connection.execute(
        "INSERT OR IGNORE INTO model (identity, state, centre) VALUES (?, ?, ?)",
        (_text(identity), "building" if has_any else "active", centre),
    )
    connection.execute(
        "INSERT OR IGNORE INTO pending SELECT m.id, p.id FROM model m, passage p WHERE m.identity = ? AND NOT EXISTS "
        "(SELECT 1 FROM vector v WHERE v.model = m.id AND v.passage = p.id)",
        (_text(identity),),
    )


def tell(connection: apsw.Connection, identity: ModelIdentity, declarative: bytes) -> None:
    """Keep the direction in which a model tells statements from questions and small talk."""
    connection.execute("UPDATE model SET declarative = ? WHERE identity = ?", (declarative, _text(identity)))


def enqueue(connection: apsw.Connection, passage_ids: Sequence[int]) -> None:
    """Make new passages wait for vectors of every model of this file."""
    connection.executemany(
        "INSERT OR IGNORE INTO pending SELECT id, ? FROM model", [(passage_id,) for passage_id in passage_ids]
    )


def waiting(connection: apsw.Connection, identity: ModelIdentity, limit: int) -> list[int]:
    """Return passages without a vector of this model, newest first."""
    rows = connection.execute(
        "SELECT passage FROM pending WHERE model = (SELECT id FROM model WHERE identity = ?) "
        "ORDER BY passage DESC LIMIT ?",
        (_text(identity), limit),
    )
    return [row[0] for row in rows]


def count_waiting(connection: apsw.Connection) -> int:
    """Return how many passages wait for a vector of the active model; all of them where no model was used yet."""
    if not connection.execute("SELECT count(*) FROM model").get:
        return connection.execute("SELECT count(*) FROM passage").get or 0
    return connection.execute("SELECT count(*) FROM pending WHERE model = (SELECT min(id) FROM model)").get or 0


def count_waiting_for(connection: apsw.Connection, identity: ModelIdentity) -> int:
    """Return how many passages wait for a vector of this model; all of them where it was not used yet."""
    model_id = connection.execute("SELECT id FROM model WHERE identity = ?", (_text(identity),)).get
    if model_id is None:
        return connection.execute("SELECT count(*) FROM passage").get or 0
    return connection.execute("SELECT count(*) FROM pending WHERE model = ?", (model_id,)).get or 0


def store(connection: apsw.Connection, identity: ModelIdentity, passage: Passage, code: bytes, clauses: bytes) -> None:
    """Keep the codes of one passage, unless it was erased or done by another process in the meantime.

    A passage is known by its place in the log, which is never used again; its id may be.
    """
    connection.execute(
        "INSERT OR IGNORE INTO vector (model, passage, code, clauses) SELECT m.id, p.id, ?6, ?7 FROM model m, passage p "
        "WHERE m.identity = ?1 AND p.id = ?2 AND p.seq = ?3 AND p.start = ?4 AND p.stop = ?5",
        (_text(identity), passage.passage_id, passage.seq, passage.start, passage.stop, code, clauses),
    )


def settle(connection: apsw.Connection, identity: ModelIdentity, passage_ids: Sequence[int]) -> None:
    """Take passages out of the queue that have a vector now, or that are not there any more."""
    connection.executemany(
        "DELETE FROM pending WHERE passage = ?1 AND model = (SELECT id FROM model WHERE identity = ?2) AND (EXISTS "
        "(SELECT 1 FROM vector v WHERE v.model = pending.model AND v.passage = ?1) OR NOT EXISTS "
        "(SELECT 1 FROM passage p JOIN message m ON m.seq = p.seq WHERE p.id = ?1))",
        [(passage_id, _text(identity)) for passage_id in passage_ids],
    )


def take_over(connection: apsw.Connection, identity: ModelIdentity) -> bool:
    """Make a model that is complete the only one; tell whether it is active now."""
    state = connection.execute("SELECT state FROM model WHERE identity = ?", (_text(identity),)).get
    if state != "building":
        return state == "active"
    left = connection.execute(
        "SELECT count(*) FROM pending WHERE model = (SELECT id FROM model WHERE identity = ?)", (_text(identity),)
    ).get
    if left:
        return False
    others = "(SELECT id FROM model WHERE identity <> ?)"
    for table in ("vector", "pending"):
        connection.execute(f"DELETE FROM {table} WHERE model IN {others}", (_text(identity),))
    connection.execute("DELETE FROM model WHERE identity <> ?", (_text(identity),))
    connection.execute("UPDATE model SET state = 'active' WHERE identity = ?", (_text(identity),))
    return True


def delete(connection: apsw.Connection, passage_ids: Sequence[int]) -> None:
    """Remove the vectors of passages and their places in the queue."""
    for table in ("vector", "pending"):
        connection.executemany(f"DELETE FROM {table} WHERE passage = ?", [(each,) for each in passage_ids])


def _text(identity: ModelIdentity) -> str:
    return json.dumps(asdict(identity), sort_keys=True)
