"""Messages of a provider's API in a file: one a line, one an element, or a list of them for each conversation."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from everyword.domain.message import ORIGINS, Draft, Skipped
from everyword.transcripts import anthropic, chat, openai
from everyword.transcripts.json_text import Piece, is_array, is_object, text_or_none
from everyword.transcripts.moments import first_time
from everyword.transcripts.records import records
from everyword.transcripts.said import Calls, Conversation, Said, drafts, taken
from everyword.transcripts.sources import Source

NAME = "jsonl"
LISTS = ("messages", "traj", "input", "output", "choices")
SESSION_KEYS = ("session_id", "conversation_id", "thread_id", "chat_id", "sessionId", "conversationId")
ABOUT = ("title", "model", "task_id", "trial", "reward", "user_id")


def recognises(value: Any) -> bool:
    """Tell whether this is a message, or an object that holds a list of them under `messages` or `traj`."""
    if is_array(value):
        return openai.most(_is_message(item) for item in value[: openai.PROBED])
    if not is_object(value):
        return False
    for key in ("messages", "traj"):
        inner = value.get(key)
        if is_array(inner) and inner:
            return openai.most(_is_message(item) for item in inner[: openai.PROBED])
    return _is_message(value)


def _is_message(value: Any) -> bool:
    return is_object(value) and (anthropic.recognises(value) or openai.recognises(value)) and "mapping" not in value


def read(files: Sequence[Source]) -> Iterator[Draft | Skipped]:
    """Read every file as messages."""
    return read_as(NAME, files)


def read_as(name: str, files: Sequence[Source]) -> Iterator[Draft | Skipped]:
    """Read every file as messages of the named format."""
    for source in files:
        yield from _File(name=name, stem=source.stem).read(source)


@dataclass(slots=True)
class _File:
    """What is known so far of the sessions of one file."""

    name: str
    stem: str
    calls: Calls = field(default_factory=Calls)
    positions: Counter[str] = field(default_factory=Counter[str])

    def read(self, source: Source) -> Iterator[Draft | Skipped]:
        for number, record in enumerate(records(source)):
            if isinstance(record, Skipped):
                yield record
            elif is_array(record.value):
                of = Conversation(format=self.name, session_id=f"{self.stem}-{number}")
                yield from _all(record.items(), of)
            elif is_object(record.value) and _list_key(record.value):
                yield from _conversation(record, self._about(record.value, number))
            else:
                yield from self._message(record)

    def _about(self, value: Mapping[str, Any], number: int) -> Conversation:
        metadata = {key: value[key] for key in ABOUT if isinstance(value.get(key), str | int | float)}
        return Conversation(format=self.name, session_id=self._session(value, number), metadata=metadata)

    def _session(self, value: Mapping[str, Any], number: int) -> str:
        given = next((value[key] for key in (*SESSION_KEYS, "id") if isinstance(value.get(key), str | int)), None)
        if given is not None and given != "":
            return str(given)
        if "task_id" in value:
            return f"{self.stem}-task-{value['task_id']}-trial-{value.get('trial', 0)}"
        return f"{self.stem}-{number}"

    def _message(self, record: Piece) -> Iterator[Draft | Skipped]:
        value = record.value if is_object(record.value) else {}
        session = next((str(value[key]) for key in SESSION_KEYS if isinstance(value.get(key), str | int)), self.stem)
        of = Conversation(format=self.name, session_id=session)
        self.positions[session] += 1
        yield from _one(record, of, self.calls, self.positions[session] - 1)


def _list_key(value: Mapping[str, Any]) -> str | None:
    """Return the key under which the conversation's messages are."""
    if "role" in value:
        return None
    return next((key for key in LISTS if is_array(value.get(key))), None) if not openai.is_item(value) else None


def _conversation(record: Piece, of: Conversation) -> Iterator[Draft | Skipped]:
    calls = Calls()
    yield from _instructions(record, of)
    for key in LISTS:
        for number, item in enumerate(record.list_at(key)):
            inner = item.members().get("message") if key == "choices" and is_object(item.value) else item
            position = f"{key}-{number}"
            yield from _one(inner or item, of, calls, position)


def _instructions(record: Piece, of: Conversation) -> Iterator[Draft | Skipped]:
    """Take the system prompt that stands beside the messages."""
    for key in ("system", "instructions"):
        given = record.value.get(key)
        if isinstance(given, str | list) and given:
            system = record.members()[key]
            yield from taken(_system(system, of, key), system.place)


def _system(system: Piece, of: Conversation, key: str) -> Iterator[Draft]:
    yield from drafts(openai.said({"role": "system", "content": system.value}, Calls()), system, of, position=key)


def _all(items: Iterator[Piece], of: Conversation) -> Iterator[Draft | Skipped]:
    calls = Calls()
    for number, item in enumerate(items):
        yield from _one(item, of, calls, number)


def _one(record: Piece, of: Conversation, calls: Calls, position: int | str) -> Iterator[Draft | Skipped]:
    def found() -> Iterator[Draft]:
        value = record.value
        parts = [_with_keys(part, value) for part in chat.said(value, calls)]
        yield from drafts(parts, record, of, identity=value.get("id"), position=position, time=first_time(value))

    return taken(found(), record.place)


def _with_keys(part: Said, value: Mapping[str, Any]) -> Said:
    """Add what the message's own keys tell about it."""
    given = value.get("metadata")
    origin = value.get("origin") if text_or_none(value.get("origin")) in ORIGINS else None
    metadata = {**(given if is_object(given) else {}), "model": text_or_none(value.get("model")), **part.metadata}
    return Said(
        role=part.role,
        text=part.text,
        author=part.author,
        origin=origin if part.blocks is None and origin else part.origin,
        blocks=part.blocks,
        metadata=metadata,
    )
