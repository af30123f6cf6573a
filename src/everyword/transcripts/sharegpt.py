"""ShareGPT: `conversations` of `from` and `value`, also with tools."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from everyword.domain.message import Draft, Role, Skipped
from everyword.errors import InvalidMessageError
from everyword.transcripts.content import call, view
from everyword.transcripts.json_text import Piece, is_array, is_object, text_or_none
from everyword.transcripts.moments import first_time
from everyword.transcripts.records import records
from everyword.transcripts.said import Conversation, Said, drafts, taken
from everyword.transcripts.sources import Source

NAME = "sharegpt"
LISTS = ("conversations", "conversation", "items")
ROLE_OF: dict[str, Role] = {
    "system": "system",
    "human": "user",
    "user": "user",
    "gpt": "assistant",
    "assistant": "assistant",
    "chatgpt": "assistant",
    "bard": "assistant",
    "bing": "assistant",
    "model": "assistant",
    "function_call": "assistant",
    "tool_call": "assistant",
    "observation": "tool",
    "tool": "tool",
    "function_response": "tool",
    "tool_response": "tool",
}
CALLS = frozenset({"function_call", "tool_call"})


def recognises(value: Any) -> bool:
    """Tell whether this is an object with a list of from and value."""
    key = _list_key(value)
    return key is not None and any(is_object(turn) and {"from", "value"} <= turn.keys() for turn in value[key][:5])


def _list_key(value: Any) -> str | None:
    return next((key for key in LISTS if is_array(value.get(key))), None) if is_object(value) else None


def read(files: Sequence[Source]) -> Iterator[Draft | Skipped]:
    """Read the conversations of every file."""
    for source in files:
        for number, record in enumerate(records(source)):
            yield from [record] if isinstance(record, Skipped) else _conversation(record, f"{source.stem}-{number}")


def _conversation(record: Piece, fallback: str) -> Iterator[Draft | Skipped]:
    key = _list_key(record.value)
    if key is None:
        yield Skipped(place=record.place, reason="the record has no list of conversations")
        return
    given = record.value.get("id")
    session = str(given) if isinstance(given, str | int) and given != "" else fallback
    of = Conversation(format=NAME, session_id=session, metadata={"tools": _tool_names(record.value.get("tools"))})
    if isinstance(record.value.get("system"), str) and record.value["system"]:
        system = record.members()["system"]
        said = [Said(role="system", text=view(system.value))]
        yield from taken(drafts(said, system, of, position="system"), system.place)
    yield from _turns(record, key, of)


def _turns(record: Piece, key: str, of: Conversation) -> Iterator[Draft | Skipped]:
    tool: str | None = None
    for number, turn in enumerate(record.list_at(key)):
        if is_object(turn.value) and text_or_none(turn.value.get("from")) in CALLS:
            tool = _called(turn.value.get("value"))[0]
        yield from _turn(turn, of, number, tool)


def _turn(turn: Piece, of: Conversation, number: int, tool: str | None) -> Iterator[Draft | Skipped]:
    def found() -> Iterator[Draft]:
        value = turn.value if is_object(turn.value) else {"from": turn.value}
        yield from drafts([_said(value, tool)], turn, of, position=number, time=first_time(value))

    return taken(found(), turn.place)


def _said(turn: Mapping[str, Any], tool: str | None) -> Said:
    speaker = text_or_none(turn.get("from"))
    role = ROLE_OF.get(speaker) if speaker else None
    if role is None:
        raise InvalidMessageError(f"unknown speaker {turn.get('from')!r}")
    value = turn.get("value")
    if value is None or value == "":
        raise InvalidMessageError("the turn has no value")
    text = view(_called(value)[1]) if speaker in CALLS else view(value)
    author = text_or_none(turn.get("name")) or (tool if role == "tool" else None)
    return Said(role=role, text=text, author=author)


def _called(value: Any) -> tuple[str | None, Any]:
    """Return the name of the tool and the view of the call; the value itself where it is not such an object."""
    try:
        found = json.loads(value) if isinstance(value, str) else value
    except ValueError:
        return None, value
    if not is_object(found) or not isinstance(found.get("name"), str):
        return None, value
    return found["name"], call(found["name"], found.get("arguments", found.get("parameters")))


def _tool_names(tools: Any) -> list[str]:
    try:
        found = json.loads(tools) if isinstance(tools, str) else tools
    except ValueError:
        return []
    inner = [tool.get("function", tool) for tool in found if is_object(tool)] if is_array(found) else []
    return [tool["name"] for tool in inner if is_object(tool) and isinstance(tool.get("name"), str)]
