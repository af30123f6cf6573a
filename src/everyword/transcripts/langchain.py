"""LangChain messages as dicts: `type` with `data`, `type` with `content`, or serialised constructors."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from everyword.domain.message import ROLES, Draft, Role, Skipped
from everyword.errors import InvalidMessageError
from everyword.transcripts import anthropic, openai
from everyword.transcripts.json_text import Piece, is_array, is_object, text_or_none
from everyword.transcripts.moments import first_time
from everyword.transcripts.records import records
from everyword.transcripts.said import Calls, Conversation, Said, drafts, taken
from everyword.transcripts.sources import Source

NAME = "langchain"
LISTS = ("messages", "history", "chat_history")
ROLE_OF: dict[str, Role] = {
    "human": "user",
    "ai": "assistant",
    "system": "system",
    "developer": "developer",
    "tool": "tool",
    "function": "tool",
}
CLASS = re.compile(r"(Human|AI|System|Tool|Function|Chat)Message(?:Chunk)?")


def recognises(value: Any) -> bool:
    """Tell whether this is a LangChain message, or an object that holds some."""
    if is_array(value):
        return bool(value) and all(recognises(item) for item in value[:5])
    if not is_object(value):
        return False
    for key in LISTS:
        if is_array(value.get(key)) and value[key]:
            return all(is_object(item) and recognises(item) for item in value[key][:5])
    return _class(value) is not None and ("data" in value or "content" in value or "kwargs" in value)


def _class(value: Mapping[str, Any]) -> str | None:
    """Return human, ai, system, tool, function or chat; None where it is no message."""
    if value.get("lc") is not None:
        name = value["id"][-1] if is_array(value.get("id")) and value["id"] else ""
    else:
        name = value.get("type")
    if not isinstance(name, str) or "role" in value:
        return None
    found = CLASS.fullmatch(name)
    kind = found[1].lower() if found else name
    return kind if kind in ROLE_OF or kind == "chat" else None


def read(files: Sequence[Source]) -> Iterator[Draft | Skipped]:
    """Read messages, one an element or a line, or lists of them."""
    for source in files:
        loose, calls = Conversation(format=NAME, session_id=source.stem), Calls()
        for number, record in enumerate(records(source)):
            if isinstance(record, Skipped):
                yield record
            elif is_array(record.value) or _list_key(record.value):
                yield from _conversation(record, f"{source.stem}-{number}")
            else:
                yield from _message(record, loose, calls, number)


def _list_key(value: Any) -> str | None:
    return next((key for key in LISTS if is_array(value.get(key))), None) if is_object(value) else None


def _conversation(record: Piece, fallback: str) -> Iterator[Draft | Skipped]:
    key, value = _list_key(record.value), record.value if is_object(record.value) else {}
    given = next((value[name] for name in ("session_id", "thread_id", "id") if isinstance(value.get(name), str)), None)
    of, calls = Conversation(format=NAME, session_id=given or fallback), Calls()
    for number, item in enumerate(record.list_at(key) if key else record.items()):
        yield from _message(item, of, calls, number)


def _message(record: Piece, of: Conversation, calls: Calls, number: int) -> Iterator[Draft | Skipped]:
    def found() -> Iterator[Draft]:
        value = record.value
        kind = _class(value) if is_object(value) else None
        if kind is None:
            raise InvalidMessageError(
                "not a LangChain message: its type is none of human, ai, system, tool, function, chat"
            )
        inner = next((value[key] for key in ("data", "kwargs") if is_object(value.get(key))), value)
        time = first_time(inner) or first_time(_dict(inner, "additional_kwargs"))
        identity = inner.get("id") if isinstance(inner.get("id"), str) else None
        yield from drafts(_said(kind, inner, calls), record, of, identity=identity, position=number, time=time)

    return taken(found(), record.place)


def _said(kind: str, inner: Mapping[str, Any], calls: Calls) -> list[Said]:
    role = ROLE_OF.get(kind) or _free_role(inner.get("role"))
    content = inner.get("content")
    if role in ("user", "assistant") and anthropic.has_blocks(content) and is_array(content):
        return anthropic.split(role, content, calls, author=text_or_none(inner.get("name")))
    message = {"role": role, "content": content, "name": inner.get("name"), "tool_call_id": inner.get("tool_call_id")}
    return openai.said({**message, **_calls(inner)}, calls)


def _calls(inner: Mapping[str, Any]) -> dict[str, Any]:
    given = [inner[key] for key in ("tool_calls", "invalid_tool_calls") if is_array(inner.get(key))]
    own = [one for calls in given for one in calls if is_object(one)]
    extra = _dict(inner, "additional_kwargs")
    found = {key: extra[key] for key in ("function_call", "reasoning_content", "refusal") if extra.get(key)}
    return {"tool_calls": own or extra.get("tool_calls"), **found}


def _free_role(role: Any) -> Role:
    if role == "human":
        return "user"
    if role in ("ai", "model"):
        return "assistant"
    if text_or_none(role) in ROLES:
        return role
    raise InvalidMessageError(f"unknown role {role!r}")


def _dict(value: Mapping[str, Any], key: str) -> dict[str, Any]:
    found = value.get(key)
    return found if is_object(found) else {}
