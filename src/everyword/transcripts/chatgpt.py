"""ChatGPT export: conversations as trees; `current_node` names the branch that the user last saw.

Nodes without words, such as the empty system message at the root of every tree, are structure and are passed over.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from everyword.domain.message import Draft, Skipped
from everyword.errors import InvalidMessageError
from everyword.transcripts import openai
from everyword.transcripts.content import call, marker, view
from everyword.transcripts.json_text import Piece, is_array, is_object, text_or_none
from everyword.transcripts.records import records
from everyword.transcripts.said import Conversation, Said, drafts, taken
from everyword.transcripts.sources import Source, named
from everyword.transcripts.tree import last_leaf, path_to, walk

NAME = "chatgpt"
FILES = ("conversations*.json", "conversations*.json.gz")
WRAPPER = "raw_provider_payload"
WORDS = (
    "parts",
    "text",
    "thoughts",
    "content",
    "result",
    "user_profile",
    "user_instructions",
    "model_set_context",
    "summary",
    "title",
    "url",
)
Node = Mapping[str, Any]


def recognises(value: Any) -> bool:
    """Tell whether this is a conversation of a ChatGPT export, bare or inside a browser's capture."""
    if not is_object(value):
        return False
    inner = value.get(WRAPPER)
    mapping = (inner if is_object(inner) else value).get("mapping")
    if not is_object(mapping):
        return False
    return all(
        node is None or (is_object(node) and ("message" in node or "parent" in node))
        for node in list(mapping.values())[:5]
    )


def read(files: Sequence[Source]) -> Iterator[Draft | Skipped]:
    """Read the conversations of an export: of several files, those named conversations."""
    for source in named(files, *FILES) if len(files) > 1 else files:
        for number, record in enumerate(records(source)):
            yield from [record] if isinstance(record, Skipped) else _conversation(record, f"{source.stem}-{number}")


def _conversation(record: Piece, fallback: str) -> Iterator[Draft | Skipped]:
    if not is_object(record.value):
        yield Skipped(place=record.place, reason=f"a conversation must be an object, not {type(record.value).__name__}")
        return
    if is_object(record.value.get(WRAPPER)):
        record = record.members()[WRAPPER]
    if not is_object(record.value.get("mapping")):
        yield Skipped(place=record.place, reason="the conversation has no mapping of messages")
        return
    yield from _nodes(replace(record.members()["mapping"], place=f"{record.place}.mapping"), record.value, fallback)


def _nodes(mapping: Piece, conversation: Mapping[str, Any], fallback: str) -> Iterator[Draft | Skipped]:
    nodes = {key: node for key, node in mapping.value.items() if is_object(node)}
    parents = {key: text_or_none(node.get("parent")) for key, node in nodes.items()}
    main = _main(nodes, parents, conversation.get("current_node"))
    of = _about(conversation, fallback)
    pieces = mapping.members()
    for key in mapping.value:
        if key not in nodes and mapping.value[key] is not None:
            yield Skipped(place=pieces[key].place, reason="the node is not an object")
    for key in walk(parents, {key: _children(node) for key, node in nodes.items()}):
        if nodes[key].get("message") is not None:
            branch = "main" if key in main else "other"
            yield from _message(key, pieces[key].members()["message"], replace(of, branch=branch), pieces[key].place)


def _main(nodes: Mapping[str, Node], parents: Mapping[str, str | None], current: Any) -> frozenset[str]:
    if isinstance(current, str) and current in nodes:
        return path_to(parents, current)
    order = {key: position for position, key in enumerate(nodes)}
    return path_to(parents, last_leaf(parents, lambda key: (_time(nodes[key]), order[key])))


def _time(node: Node) -> float:
    message = node.get("message")
    time = message.get("create_time") if is_object(message) else None
    return float(time) if isinstance(time, int | float) else 0.0


def _children(node: Node) -> list[str]:
    children = node.get("children")
    return [child for child in children if isinstance(child, str)] if is_array(children) else []


def _about(conversation: Mapping[str, Any], fallback: str) -> Conversation:
    given = text_or_none(conversation.get("conversation_id")) or text_or_none(conversation.get("id"))
    return Conversation(format=NAME, session_id=given or fallback, metadata={"title": conversation.get("title")})


def _message(key: str, message: Piece, of: Conversation, place: str) -> Iterator[Draft | Skipped]:
    def found() -> Iterator[Draft]:
        value = message.value
        if not is_object(value):
            raise InvalidMessageError(f"the message is not an object but {type(value).__name__}")
        identity = text_or_none(value.get("id")) or key
        yield from drafts(_said(value), message, of, identity=identity, time=value.get("create_time"))

    return taken(found(), place)


def _said(message: Mapping[str, Any]) -> list[Said]:
    author = message.get("author")
    author = author if is_object(author) else {}
    text = view([_words(message.get("content")), _attachments(message.get("metadata"))])
    if not text:
        return []
    role = openai.role_of(author)
    recipient = text_or_none(message.get("recipient"))
    is_call = role == "assistant" and recipient not in (None, "all")
    about = message.get("metadata")
    model = about.get("model_slug") if is_object(about) else None
    return [
        Said(
            role=role,
            text=view(call(recipient, text)) if is_call else text,
            author=text_or_none(author.get("name")),
            metadata={"model": model},
        )
    ]


def _words(content: Any) -> list[Any]:
    if not is_object(content):
        return [content]
    found: list[Any] = []
    for key in WORDS:
        given = content.get(key)
        found += [_part(part) for part in given] if key in ("parts", "thoughts") and is_array(given) else [given]
    return [text for text in found if isinstance(text, str) and text]


def _part(part: Any) -> str:
    if not is_object(part):
        return view(part)
    kind = str(part.get("content_type") or "")
    if "image" in kind:
        return marker("image", _prompt(part))
    if "summary" in part or "content" in part:
        return view([part.get("summary"), part.get("content")])
    if isinstance(part.get("text"), str) and part["text"]:
        return part["text"]
    return marker("audio" if "audio" in kind else kind.removesuffix("_asset_pointer") or "part")


def _prompt(part: Mapping[str, Any]) -> str | None:
    about = part.get("metadata")
    drawn = about.get("dalle") if is_object(about) else None
    prompt = drawn.get("prompt") if is_object(drawn) else None
    return text_or_none(prompt) or text_or_none(part.get("asset_pointer"))


def _attachments(metadata: Any) -> list[str]:
    given = metadata.get("attachments") if is_object(metadata) else None
    files = [file for file in given if is_object(file)] if is_array(given) else []
    return [marker("file", text_or_none(file.get("name"))) for file in files]
