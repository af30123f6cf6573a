"""mem0 dump: memories as `get_all` returns them, and their earlier wordings from a `history.db` that lies beside."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing
from typing import Any

from everyword.domain.message import Draft, Skipped
from everyword.errors import InvalidMessageError
from everyword.transcripts.json_text import Piece, dump, is_array, is_object, text_or_none, visible
from everyword.transcripts.keys import key_of
from everyword.transcripts.moments import dated
from everyword.transcripts.records import UNREADABLE, records
from everyword.transcripts.said import small, taken
from everyword.transcripts.sources import Source, logs, named

NAME = "mem0"
HISTORY = ("*.db", "*.sqlite", "*.sqlite3")
LISTS = ("results", "memories")
SESSION = "mem0"
_TEXTS = ("memory", "data")
_MAGIC = b"SQLite format 3\x00"
_JOURNAL = slice(18, 20)
"""Bytes of a database's header that ask for a write-ahead log, which a database in memory has not."""
_VERSIONS = """
SELECT memory_id, old_memory, new_memory, created_at, updated_at FROM history
WHERE new_memory IS NOT NULL AND event IN ('ADD', 'UPDATE') ORDER BY rowid
"""

Versions = dict[str, list[dict[str, Any]]]


def recognises(value: Any) -> bool:
    """Tell whether this is a memory of mem0, or an object that lists some."""
    if not is_object(value):
        return False
    if (key := _list_key(value)) is not None:
        return bool(value[key]) and all(_is_memory(each) for each in value[key][:5])
    return _is_memory(value)


def _list_key(value: Mapping[str, Any]) -> str | None:
    return next((key for key in LISTS if is_array(value.get(key))), None)


def _is_memory(value: Any) -> bool:
    is_named = is_object(value) and isinstance(value.get("id"), str) and isinstance(value.get("memory"), str)
    return is_named and not {"content", "messages", "mapping"} & value.keys()


def read(files: Sequence[Source]) -> Iterator[Draft | Skipped]:
    """Read the memories of one user; those of another one in the same dump are Skipped, since nobody's words are mixed."""
    histories = named(files, *HISTORY)
    versions, broken = _versions(histories)
    yield from broken
    dump_files = [file for file in files if file not in histories]
    of_user: set[str] = set()
    for source in logs(dump_files):
        for record in records(source):
            for found in [record] if isinstance(record, Skipped) else _memories(record):
                yield from (
                    [found] if isinstance(found, Skipped) else taken(_said(found, of_user, versions), found.place)
                )


def _memories(record: Piece) -> Iterator[Piece | Skipped]:
    key = _list_key(record.value) if is_object(record.value) else None
    if key is None:
        yield record
    else:
        yield from record.list_at(key)


def _said(record: Piece, of_user: set[str], versions: Versions) -> Iterator[Draft]:
    """Yield the earlier wordings of a memory, then the one that holds. Raise InvalidMessageError."""
    value = record.value
    text = next((value[key] for key in _TEXTS if isinstance(value.get(key), str)), "") if is_object(value) else ""
    if not text.strip() or text_or_none(value.get("id")) is None:
        raise InvalidMessageError("not a memory of mem0: it needs an id and the text under memory")
    _same_user(value.get("user_id"), of_user)
    for row in versions.get(value["id"], ()):
        if row["new_memory"] != text:
            when = row["updated_at"] or row["created_at"]
            yield _draft(value, row["new_memory"], dump(row), when, {"is_superseded": True})
    yield _draft(value, text, record.payload(), value.get("updated_at") or value.get("created_at"), {})


def _same_user(user_id: Any, of_user: set[str]) -> None:
    """Hold a dump to the first user that it names."""
    if isinstance(user_id, str):
        if of_user and user_id not in of_user:
            raise InvalidMessageError(
                f"a memory of {user_id!r} in a dump of {min(of_user)!r}: import a dump of each user, with --user"
            )
        of_user.add(user_id)


def _draft(value: Mapping[str, Any], text: str, payload: bytes, when: Any, more: Mapping[str, Any]) -> Draft:
    """Return a note of what mem0's model wrote: nobody said these words, so that they stay an observation."""
    created_at, odd_time = dated(when)
    agent = text_or_none(value.get("agent_id"))
    own = value.get("metadata")
    about = {
        **(own if is_object(own) else {}),
        "mem0_id": value["id"],
        "mem0_user_id": value.get("user_id"),
        "mem0_created_at": value.get("created_at"),
        "mem0_role": value.get("role"),
        "categories": value.get("categories"),
    }
    return Draft(
        role="assistant",
        text=visible(text),
        payload=payload,
        session_id=visible(text_or_none(value.get("run_id")) or SESSION),
        author=NAME,
        agent_id=visible(agent) if agent else None,
        origin="import",
        created_at=created_at,
        metadata=small({**about, **more, **odd_time}),
        key=key_of(NAME, value["id"], text),
    )


def _versions(files: Sequence[Source]) -> tuple[Versions, list[Skipped]]:
    """Return what each memory said over time, and the histories that cannot be read."""
    found: Versions = {}
    broken: list[Skipped] = []
    for file in files:
        try:
            for row in _rows(file):
                found.setdefault(str(row["memory_id"]), []).append(row)
        except (*UNREADABLE, sqlite3.Error, ValueError) as error:
            broken.append(Skipped(place=file.name, reason=f"not a history of mem0 that can be read: {error}"))
    return found, broken


def _rows(file: Source) -> list[dict[str, Any]]:
    """Read the table from a copy in memory: the file may lie in a zip, and is not touched."""
    with file.opener() as stream:
        data = bytearray(stream.read())
    if not data.startswith(_MAGIC):
        raise ValueError("it is no SQLite database")
    data[_JOURNAL] = b"\x01\x01"
    with closing(sqlite3.connect(":memory:")) as connection:
        connection.deserialize(bytes(data))
        connection.row_factory = sqlite3.Row
        return [dict(row) for row in connection.execute(_VERSIONS)]
