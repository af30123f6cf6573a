"""Passages of messages: how a message is cut, what its key holds, and the table of them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import apsw

from everyword.domain.message import Message
from everyword.domain.passage import ROLES
from everyword.text import dates
from everyword.text.windows import windows
from everyword.text.words import is_unspaced, terms

_INSERT = (
    "INSERT INTO passage (seq, start, stop, session, role, branch, script, author, created_us) "
    "SELECT seq, ?2, ?3, session, ?4, branch IS NOT NULL, ?5, author, created_us FROM message WHERE seq = ?1"
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Key:
    """Index terms of one passage: of its own words, and of what stands around them."""

    text: list[str]
    header: list[str]


def spans(message: Message) -> list[tuple[int, int]]:
    """Return the character spans of a message's passages; a message without text has one, found by its speaker."""
    return windows(message.text)


def key(message: Message, span: tuple[int, int]) -> Key:
    """Return the terms that find this passage: its words, who said them, when, and the dates they speak of."""
    text = message.text[span[0] : span[1]]
    said = message.created_at
    header = terms(message.speaker)
    if said is not None:
        header += dates.keys_of(said)
    header += dates.message_keys(text, said)
    return Key(text=terms(text), header=header)


def insert(connection: apsw.Connection, message: Message) -> list[tuple[int, tuple[int, int]]]:
    """Store the passages of a stored message; return their ids and spans."""
    stored: list[tuple[int, tuple[int, int]]] = []
    for span in spans(message):
        script = is_unspaced(message.text[span[0] : span[1]])
        connection.execute(_INSERT, (message.seq, *span, ROLES.index(message.role), script))
        stored.append((connection.last_insert_rowid(), span))
    return stored


def ids_of(connection: apsw.Connection, seqs: Sequence[int]) -> list[int]:
    """Return the ids of the passages of these messages."""
    found: list[int] = []
    for seq in seqs:
        found.extend(row[0] for row in connection.execute("SELECT id FROM passage WHERE seq = ?", (seq,)))
    return found


def verify(connection: apsw.Connection) -> list[str]:
    """Return where what a passage keeps of its message is not what the message says."""
    role = " ".join(f"WHEN '{name}' THEN {number}" for number, name in enumerate(ROLES))
    query = (
        "SELECT p.id, p.seq FROM passage p JOIN message m ON m.seq = p.seq WHERE "
        "(p.session, p.role, p.branch, p.author, p.created_us) IS NOT "
        f"(m.session, CASE m.role {role} END, m.branch IS NOT NULL, m.author, m.created_us)"
    )
    return [
        f"passage {passage_id}: session, role, branch, author or time are not those of message {seq}"
        for passage_id, seq in connection.execute(query)
    ]


def delete(connection: apsw.Connection, passage_ids: Iterable[int]) -> None:
    """Remove passages by id."""
    connection.executemany("DELETE FROM passage WHERE id = ?", [(passage_id,) for passage_id in passage_ids])
