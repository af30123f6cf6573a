"""Claude.ai export: conversations with `chat_messages`, whose words are in `content`, in `text`, or in attachments."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from everyword.domain.message import Draft, Skipped
from everyword.errors import InvalidMessageError
from everyword.transcripts import anthropic
from everyword.transcripts.content import marker, view
from everyword.transcripts.json_text import Piece, is_array, is_object, text_or_none
from everyword.transcripts.records import records
from everyword.transcripts.said import Calls, Conversation, Said, drafts, taken
from everyword.transcripts.sources import Source, named
from everyword.transcripts.tree import last_leaf, path_to

NAME = "claude-ai"
FILES = ("conversations*.json", "conversations*.json.gz")
ROLE_OF = {"human": "user", "user": "user", "assistant": "assistant"}


def recognises(value: Any) -> bool:
    """Tell whether this is a conversation of a Claude.ai export."""
    return is_object(value) and is_array(value.get("chat_messages"))


def read(files: Sequence[Source]) -> Iterator[Draft | Skipped]:
    """Read the conversations of an export: of several files, those named conversations."""
    for source in named(files, *FILES) if len(files) > 1 else files:
        for number, record in enumerate(records(source)):
            yield from [record] if isinstance(record, Skipped) else _conversation(record, f"{source.stem}-{number}")


def _conversation(record: Piece, fallback: str) -> Iterator[Draft | Skipped]:
    if not recognises(record.value):
        yield Skipped(place=record.place, reason="the conversation has no chat_messages")
        return
    value = record.value
    of = Conversation(
        format=NAME,
        session_id=text_or_none(value.get("uuid")) or fallback,
        metadata={"title": value.get("name") or value.get("title"), "model": value.get("model"), **_project(value)},
    )
    main = _main(value["chat_messages"], value.get("current_leaf_message_uuid"))
    calls = Calls()
    for number, message in enumerate(record.list_at("chat_messages")):
        identity = _id(message.value)
        branch = "main" if main is None or identity is None or identity in main else "other"
        yield from _message(message, replace(of, branch=branch), calls, number)


def _project(value: Mapping[str, Any]) -> dict[str, Any]:
    project = value.get("project")
    return {"project": project.get("name")} if is_object(project) else {}


def _id(message: Any) -> str | None:
    return text_or_none(message.get("uuid")) if is_object(message) else None


def _main(messages: Sequence[Any], leaf: Any) -> frozenset[str] | None:
    """Return the ids on the branch last seen; None where the messages are one line."""
    known = {key: message for message in messages if (key := _id(message)) is not None}
    parents = {key: text_or_none(message.get("parent_message_uuid")) for key, message in known.items()}
    if not any(parent in known for parent in parents.values()):
        return None
    order = {key: position for position, key in enumerate(known)}
    chosen = leaf if isinstance(leaf, str) and leaf in known else last_leaf(parents, lambda key: order[key])
    return path_to(parents, chosen)


def _message(message: Piece, of: Conversation, calls: Calls, number: int) -> Iterator[Draft | Skipped]:
    def found() -> Iterator[Draft]:
        value = message.value
        if not is_object(value):
            raise InvalidMessageError(f"the message is not an object but {type(value).__name__}")
        said = _said(value, calls)
        yield from drafts(said, message, of, identity=_id(value), position=number, time=value.get("created_at"))

    return taken(found(), message.place)


def _said(value: Mapping[str, Any], calls: Calls) -> list[Said]:
    sender = value.get("sender")
    role = ROLE_OF.get(sender) if isinstance(sender, str) else None
    if role is None:
        raise InvalidMessageError(f"unknown sender {sender!r}")
    blocks = _blocks(value) + [{"type": "text", "text": text} for text in _attached(value)]
    if not blocks:
        raise InvalidMessageError("the message has no words")
    return anthropic.split(role, blocks, calls)


def _blocks(value: Mapping[str, Any]) -> list[Any]:
    """Return the parts of the content that say something, or the text where none does."""
    content = value.get("content")
    blocks = content if is_array(content) else [content]
    full = [block for block in blocks if view(block)]
    return full or [text for text in [value.get("text")] if isinstance(text, str) and text]


def _attached(value: Mapping[str, Any]) -> Iterator[str]:
    for key in ("attachments", "files"):
        given = value.get(key)
        for file in given if is_array(given) else ():
            if is_object(file):
                kind = "image" if file.get("file_kind") == "image" else "file"
                yield marker(kind, text_or_none(file.get("file_name")))
                yield from [text for text in [file.get("extracted_content")] if isinstance(text, str) and text]
