"""Codex: a session's log, a record a line: `session_meta`, `response_item`, `event_msg`; also the older bare items.

Events repeat what response items hold. An event whose words stand in a response item of the same file is passed over,
and so are counters and settings; an event with words of its own is kept.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from everyword.domain.message import Draft, Role, Skipped
from everyword.errors import InvalidMessageError
from everyword.transcripts import chat
from everyword.transcripts.content import view
from everyword.transcripts.json_text import Piece, is_array, is_object, text_or_none
from everyword.transcripts.records import records
from everyword.transcripts.said import Calls, Conversation, Said, drafts, taken
from everyword.transcripts.sources import Source, logs

NAME = "codex"
ENVELOPES = frozenset({"session_meta", "response_item", "event_msg", "turn_context", "compacted"})
EVENT_ROLES: dict[str, Role] = {
    "user_message": "user",
    "agent_message": "assistant",
    "agent_reasoning": "assistant",
    "agent_reasoning_raw_content": "assistant",
    "task_complete": "assistant",
}
EVENT_WORDS = ("message", "text", "last_agent_message", "reason")
INJECTED = ("<environment_context>", "<user_instructions>", "# AGENTS.md instructions", "<permissions instructions>")


def recognises(value: Any) -> bool:
    """Tell whether this is a record of a Codex session, new or old."""
    if not is_object(value):
        return False
    if text_or_none(value.get("type")) in ENVELOPES:
        return is_object(value.get("payload"))
    if value.get("record_type") == "state" or _is_old_whole(value):
        return True
    return "role" not in value and "type" not in value and {"id", "timestamp", "instructions"} <= value.keys()


def _is_old_whole(value: Mapping[str, Any]) -> bool:
    return is_object(value.get("session")) and is_array(value.get("items"))


def read(files: Sequence[Source]) -> Iterator[Draft | Skipped]:
    """Read the sessions of every file."""
    for source in logs(files):
        yield from _Session(stem=source.stem, session_id=source.stem, said=_words_of_items(source)).read(source)


def _lines(source: Source) -> Iterator[Piece | Skipped]:
    for record in records(source):
        if isinstance(record, Piece) and is_object(record.value) and _is_old_whole(record.value):
            yield record.members()["session"]
            yield from record.list_at("items")
        else:
            yield record


def _words_of_items(source: Source) -> frozenset[bytes]:
    """Return digests of every text that a response item holds."""
    found: set[bytes] = set()
    for record in _lines(source):
        value = record.value if isinstance(record, Piece) else None
        if is_object(value) and value.get("type") == "response_item":
            item = value.get("payload")
            for text in _texts(item) if is_object(item) else ():
                found.add(_digest(text))
    return frozenset(found)


def _texts(item: Mapping[str, Any]) -> Iterator[str]:
    for key in ("content", "summary"):
        parts = item.get(key)
        yield view(parts)
        for part in parts if is_array(parts) else ():
            yield view(part)


def _digest(text: str) -> bytes:
    return hashlib.blake2b(text.strip().encode("utf-8", "surrogatepass"), digest_size=8).digest()


@dataclass(slots=True)
class _Session:
    stem: str
    session_id: str
    said: frozenset[bytes]
    about: dict[str, Any] = field(default_factory=dict[str, Any])
    calls: Calls = field(default_factory=Calls)

    def read(self, source: Source) -> Iterator[Draft | Skipped]:
        for number, record in enumerate(_lines(source)):
            if isinstance(record, Skipped):
                yield record
            elif not is_object(record.value):
                reason = f"a record must be an object, not {type(record.value).__name__}"
                yield Skipped(place=record.place, reason=reason)
            else:
                yield from taken(self._drafts(record, number), record.place)

    def _drafts(self, record: Piece, number: int) -> Iterator[Draft]:
        value: Mapping[str, Any] = record.value
        kind = text_or_none(value.get("type"))
        inner = value.get("payload") if kind in ENVELOPES else value
        if not is_object(inner):
            raise InvalidMessageError(f"the {kind} record has no payload")
        said = self._said(kind, inner)
        of = Conversation(format=NAME, session_id=self.session_id, metadata=self.about)
        time = value.get("timestamp") or inner.get("timestamp")
        yield from drafts(said, record, of, identity=inner.get("id"), position=number, time=time)

    def _said(self, kind: Any, inner: Mapping[str, Any]) -> list[Said]:
        if kind == "session_meta" or (kind is None and "role" not in inner and "id" in inner):
            return self._opening(inner)
        if kind == "turn_context" or inner.get("record_type") == "state":
            return self._settings(inner)
        if kind == "compacted":
            return _system(view(inner.get("message")), "summary")
        if kind == "event_msg":
            return self._event(inner)
        return self._item(inner)

    def _opening(self, inner: Mapping[str, Any]) -> list[Said]:
        self.session_id = text_or_none(inner.get("id")) or self.stem
        self.about["project"] = inner.get("cwd")
        given = inner.get("base_instructions")
        given = given.get("text") if is_object(given) else given
        return _system(view([inner.get("instructions"), given]), "instructions")

    def _settings(self, inner: Mapping[str, Any]) -> list[Said]:
        self.about["model"] = inner.get("model") or self.about.get("model")
        self.about["project"] = inner.get("cwd") or self.about.get("project")
        return []

    def _event(self, inner: Mapping[str, Any]) -> list[Said]:
        kind = str(inner.get("type"))
        words = view([inner.get(key) for key in EVENT_WORDS if isinstance(inner.get(key), str)])
        if not words or kind.endswith(("_delta", "_begin", "_end")) or _digest(words) in self.said:
            return []
        role = EVENT_ROLES.get(kind)
        if role is None:
            return _system(words, kind)
        return [Said(role=role, text=words, metadata={"kind": kind})]

    def _item(self, inner: Mapping[str, Any]) -> list[Said]:
        if inner.get("type") == "ghost_snapshot" or (inner.get("type") == "reasoning" and not any(_texts(inner))):
            return []
        found = chat.said(inner, self.calls)
        if inner.get("role") == "user" and found[0].text.lstrip().startswith(INJECTED):
            return [replace(found[0], origin="import", metadata={**found[0].metadata, "kind": "context"})]
        return found


def _system(words: str, kind: str) -> list[Said]:
    return [Said(role="system", text=words, origin="import", metadata={"kind": kind})] if words else []
