"""Claude Code: a record a line, linked by `parentUuid`; side chains, tool results, summaries.

A prompt that was taken back and asked again leaves its first answer behind: of the prompts under one parent the last
is the one that the conversation went on with, the others and all below them are the branch `other`. Records that hold
no words of a conversation (file snapshots, hook progress) are passed over.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from everyword.domain.message import Branch, Draft, Skipped
from everyword.errors import InvalidMessageError
from everyword.transcripts import anthropic
from everyword.transcripts.content import view
from everyword.transcripts.json_text import Piece, is_array, is_object, text_or_none
from everyword.transcripts.records import records
from everyword.transcripts.said import Calls, Conversation, Said, drafts, taken
from everyword.transcripts.sources import Source, logs

NAME = "claude-code"
SPOKEN = frozenset({"user", "assistant"})
BOOKKEEPING = frozenset(
    {
        "file-history-snapshot",
        "progress",
        "last-prompt",
        "permission-mode",
        "agent-name",
        "agent-color",
        "pr-link",
        "mode",
    }
)
LOG = "loglines"


def recognises(value: Any) -> bool:
    """Tell whether this is a record of a Claude Code session, or an object that holds them under `loglines`."""
    if not is_object(value):
        return False
    if is_array(value.get(LOG)):
        return any(recognises(record) for record in value[LOG][:20])
    kind = text_or_none(value.get("type"))
    if kind == "summary":
        return "leafUuid" in value or "sessionId" in value
    if kind in SPOKEN:
        return is_object(value.get("message")) and "role" in value["message"]
    return kind is not None and "sessionId" in value and ("uuid" in value or kind in BOOKKEEPING or "-" in kind)


def read(files: Sequence[Source]) -> Iterator[Draft | Skipped]:
    """Read the sessions of every file."""
    for source in logs(files):
        yield from _Session(stem=source.stem, left=_left_prompts(source)).read(source)


def _lines(source: Source) -> Iterator[Piece | Skipped]:
    for record in records(source):
        if isinstance(record, Piece) and is_object(record.value) and is_array(record.value.get(LOG)):
            yield from record.list_at(LOG)
        else:
            yield record


def _left_prompts(source: Source) -> frozenset[str]:
    """Return the prompts that were asked again under the same parent later."""
    last: dict[str, str] = {}
    left: set[str] = set()
    for record in _lines(source):
        value = record.value if isinstance(record, Piece) else None
        if is_object(value) and _is_prompt(value):
            parent, prompt = value["parentUuid"], value["uuid"]
            if last.get(parent, prompt) != prompt:
                left.add(last[parent])
            last[parent] = prompt
    return frozenset(left)


def _is_prompt(value: Mapping[str, Any]) -> bool:
    if value.get("type") != "user" or value.get("isMeta") or value.get("isSidechain"):
        return False
    if not isinstance(value.get("parentUuid"), str) or not isinstance(value.get("uuid"), str):
        return False
    message = value.get("message")
    content = message.get("content") if is_object(message) else None
    return isinstance(content, str) or (is_array(content) and not any(map(anthropic.is_result, content)))


@dataclass(slots=True)
class _Session:
    stem: str
    left: frozenset[str]
    calls: Calls = field(default_factory=Calls)
    others: set[str] = field(default_factory=set[str])
    session_id: str | None = None

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
        value: Mapping[str, Any] = _relayed(record.value)
        self.session_id = text_or_none(value.get("sessionId")) or self.session_id
        said = self._said(value)
        identity = value.get("uuid") or value.get("leafUuid")
        yield from drafts(
            said, record, self._about(value), identity=identity, position=number, time=value.get("timestamp")
        )

    def _about(self, value: Mapping[str, Any]) -> Conversation:
        message = value.get("message")
        model = message.get("model") if is_object(message) else None
        about = {"project": value.get("cwd"), "git_branch": value.get("gitBranch"), "model": model}
        return Conversation(
            format=NAME,
            session_id=text_or_none(value.get("sessionId")) or self.session_id or self.stem,
            metadata=about,
            agent_id=text_or_none(value.get("agentId")),
            branch=self._branch(value),
        )

    def _branch(self, value: Mapping[str, Any]) -> Branch:
        if value.get("isSidechain") is True:
            return "side"
        uuid = text_or_none(value.get("uuid"))
        if uuid in self.left or text_or_none(value.get("parentUuid")) in self.others:
            if uuid is not None:
                self.others.add(uuid)
            return "other"
        return "main"

    def _said(self, value: Mapping[str, Any]) -> list[Said]:
        kind = text_or_none(value.get("type"))
        if kind in SPOKEN:
            return _spoken(value, self.calls)
        words = view([value.get("summary"), _inner(value), value.get("content"), value.get("attachment")])
        if words:
            return [Said(role="system", text=words, origin="import", metadata={"kind": str(kind or "record")})]
        if kind in BOOKKEEPING or (kind is not None and "sessionId" in value):
            return []
        raise InvalidMessageError(f"not a message: the record's type is {value.get('type')!r}")


def _relayed(value: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return a subagent's record that a progress record passes on, as the subagent's own file has it."""
    data = value.get("data") if value.get("type") == "progress" else None
    data = data if is_object(data) else {}
    inner = data.get("message")
    if not is_object(inner) or text_or_none(inner.get("type")) not in SPOKEN:
        return value
    shared = {key: source.get(key) for source, key in ((value, "sessionId"), (value, "cwd"), (data, "agentId"))}
    return {**shared, **inner, "isSidechain": True}


def _inner(value: Mapping[str, Any]) -> Any:
    message = value.get("message")
    return message.get("content") if is_object(message) else None


def _spoken(value: Mapping[str, Any], calls: Calls) -> list[Said]:
    message = value.get("message")
    if not is_object(message):
        raise InvalidMessageError(f"the message is not an object but {type(message).__name__}")
    content = message.get("content")
    if isinstance(content, str):
        content = [{"type": "text", "text": content}]
    if not is_array(content):
        raise InvalidMessageError(f"content must be a text or a list of blocks, not {type(content).__name__}")
    found = anthropic.split(message.get("role") or value.get("type"), content, calls)
    found = [said for said in found if said.text]
    if not found:
        raise InvalidMessageError("the message has no words")
    return [_marked(said, value) for said in found]


def _marked(said: Said, value: Mapping[str, Any]) -> Said:
    """Mark what the program wrote in the user's place: it is not the user's word."""
    kind = "meta" if value.get("isMeta") else "summary" if value.get("isCompactSummary") else None
    if said.role != "user" or kind is None:
        return said
    return replace(said, origin="import", metadata={**said.metadata, "kind": kind})
