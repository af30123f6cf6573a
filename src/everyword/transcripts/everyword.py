"""Everyword's own export: a header and then a message a line; what is read back is what was written."""

from __future__ import annotations

import base64
import binascii
import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import datetime
from typing import Any

from everyword.domain.message import BRANCHES, ORIGINS, ROLES, Draft, Message, Skipped
from everyword.errors import TranscriptError
from everyword.transcripts.json_text import Piece, dump, is_object
from everyword.transcripts.moments import aware
from everyword.transcripts.records import records
from everyword.transcripts.sources import Source

NAME = "everyword"
HEADER = "everyword_export"
VERSION = 1


def recognises(value: Any) -> bool:
    """Tell whether this is the header of an export."""
    return is_object(value) and HEADER in value


def write(messages: Iterable[Message], header: Mapping[str, Any]) -> Iterator[bytes]:
    """Yield the lines of an export, each with its line end."""
    yield dump({**header, HEADER: VERSION}) + b"\n"
    for message in messages:
        yield dump(_fields(message)) + b"\n"


def _fields(message: Message) -> dict[str, Any]:
    return {
        "message_id": message.message_id,
        "seq": message.seq,
        "session_id": message.session_id,
        "role": message.role,
        "text": message.text,
        **_payload(message.payload),
        "author": message.author,
        "agent_id": message.agent_id,
        "origin": message.origin,
        "branch": message.branch,
        "created_at": message.created_at.isoformat() if message.created_at else None,
        "received_at": message.received_at.isoformat(),
        "metadata": dict(message.metadata),
        "key": message.key,
    }


def _payload(payload: bytes) -> dict[str, str]:
    try:
        return {"payload": payload.decode()}
    except UnicodeDecodeError:
        return {"payload_b64": base64.b64encode(payload).decode()}


def read(files: Sequence[Source]) -> Iterator[Draft | Skipped]:
    """Read the messages of every file. Raise TranscriptError where a newer Everyword wrote it."""
    for source in files:
        for record in records(source):
            if isinstance(record, Skipped):
                yield record
            elif recognises(record.value):
                _check(record.value, source.name)
            else:
                yield _draft(record)


def _check(header: Mapping[str, Any], name: str) -> None:
    version = header[HEADER]
    if version != VERSION:
        raise TranscriptError(f"{name!r} is an export of version {version!r}: upgrade this installation to import it")


def _draft(record: Piece) -> Draft | Skipped:
    try:
        return _of_fields(record.value)
    except (KeyError, TypeError, ValueError, binascii.Error) as error:
        reason = f"the line lacks {error}" if isinstance(error, KeyError) else str(error)
        return Skipped(place=record.place, reason=reason)


def _of_fields(value: Any) -> Draft:
    if not is_object(value):
        raise TypeError(f"a message must be an object, not {type(value).__name__}")
    created_at = value.get("created_at")
    return Draft(
        role=_one_of(value, "role", ROLES),
        text=_text(value, "text"),
        payload=_original(value),
        session_id=_text_or_none(value, "session_id"),
        author=_text_or_none(value, "author"),
        agent_id=_text_or_none(value, "agent_id"),
        origin=_one_of(value, "origin", ORIGINS),
        branch=_one_of(value, "branch", BRANCHES),
        created_at=aware(datetime.fromisoformat(created_at)) if created_at else None,
        metadata=_metadata(value),
        key=_text_or_none(value, "key"),
        message_id=_text(value, "message_id"),
    )


def _text(value: Mapping[str, Any], key: str) -> str:
    if not isinstance(value[key], str):
        raise TypeError(f"{key} must be a text, not {type(value[key]).__name__}")
    return value[key]


def _text_or_none(value: Mapping[str, Any], key: str) -> str | None:
    return None if value.get(key) is None else _text(value, key)


def _metadata(value: Mapping[str, Any]) -> dict[str, Any]:
    metadata = value.get("metadata")
    if metadata is not None and not is_object(metadata):
        raise TypeError(f"metadata must be an object, not {type(metadata).__name__}")
    return metadata or {}


def _original(value: Mapping[str, Any]) -> bytes:
    if "payload_b64" in value:
        return base64.b64decode(value["payload_b64"], validate=True)
    payload = _text(value, "payload").encode()
    json.loads(payload)
    return payload


def _one_of(value: Mapping[str, Any], key: str, known: frozenset[str]) -> Any:
    if not isinstance(value[key], str) or value[key] not in known:
        raise ValueError(f"unknown {key} {value[key]!r}")
    return value[key]
