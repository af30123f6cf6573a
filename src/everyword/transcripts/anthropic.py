"""Anthropic messages: a role and text, or blocks of text, thinking, tool use, tool results, pictures and documents."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from everyword.domain.message import Role
from everyword.errors import InvalidMessageError
from everyword.transcripts.content import view
from everyword.transcripts.json_text import is_array, is_object, text_or_none
from everyword.transcripts.said import Calls, Said

NAME = "anthropic"
BLOCKS = frozenset({"tool_use", "tool_result", "thinking", "redacted_thinking", "document"})


def has_blocks(content: Any) -> bool:
    """Tell whether a content holds blocks that only Anthropic's messages have."""
    return is_array(content) and any(_is_own(block) for block in content)


def recognises(value: Any) -> bool:
    """Tell whether this is an Anthropic message, or an object that holds some."""
    if not is_object(value):
        return False
    messages = value.get("messages")
    if is_array(messages):
        return any(is_object(message) and recognises(message) for message in messages)
    return value.get("role") in ("user", "assistant") and "tool_calls" not in value and has_blocks(value.get("content"))


def said(message: Mapping[str, Any], calls: Calls) -> list[Said]:
    """Return what the message says, tool results apart from the rest. Raise InvalidMessageError."""
    content = message.get("content")
    if not has_blocks(content) or not is_array(content):
        raise InvalidMessageError("the message has no blocks of Anthropic's kinds")
    return split(message.get("role"), content, calls, author=text_or_none(message.get("name")))


def split(role: Any, content: Sequence[Any], calls: Calls, *, author: str | None = None) -> list[Said]:
    """Return the message that the blocks make, and after it one of role tool for the results among them."""
    if role not in ("user", "assistant", "system", "developer"):
        raise InvalidMessageError(
            f"unknown role {role!r}: a message with blocks has the role user, assistant or system"
        )
    for block in content:
        if is_object(block) and str(block.get("type", "")).endswith("tool_use"):
            calls.remember(block.get("id"), block.get("name"))
    results = [block for block in content if is_result(block)]
    rest = [block for block in content if not is_result(block)]
    whole = not rest
    found = [] if whole else [Said(role=_role(role), text=view(rest), author=author)]
    return [*found, results_of(results, calls, whole=whole)] if results else found


def results_of(results: Sequence[Mapping[str, Any]], calls: Calls, *, whole: bool) -> Said:
    """Return tool results as one message; `whole` where they are all that the record holds."""
    ids = tuple(block["tool_use_id"] for block in results if isinstance(block.get("tool_use_id"), str))
    names = {calls.name_of(block.get("tool_use_id")) or text_or_none(block.get("name")) for block in results}
    failed = any(block.get("is_error") is True for block in results)
    return Said(
        role="tool",
        text=view(list(results)),
        author=next(iter(names)) if len(names) == 1 else None,
        blocks=None if whole else list(results),
        metadata={"tool_call_id": ids[0] if len(ids) == 1 else list(ids), "is_error": failed or None},
    )


def is_result(block: Any) -> bool:
    """Tell whether a block is the result of a tool, whichever tool it is."""
    return is_object(block) and isinstance(block.get("type"), str) and block["type"].endswith("tool_result")


def _is_own(block: Any) -> bool:
    if not is_object(block) or not isinstance(block.get("type"), str):
        return False
    kind = block["type"]
    return kind in BLOCKS or is_result(block) or kind.endswith("tool_use") or (kind == "image" and "source" in block)


def _role(role: Any) -> Role:
    return role
