"""Where memory goes in the messages of a request: beside the newest question, so that all before it stays as it was."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Literal, TypeGuard, cast, get_args

Place = Literal["turn", "front", "user"]
PLACES: tuple[str, ...] = get_args(Place)
"""`turn`: a system message just before the last user message, so that a provider's prefix cache still holds everything
before it. `front`: after the leading system messages. `user`: inside the last user message, for models that allow
system messages only at the front."""
_SYSTEM = ("system", "developer")

ChatMessage = Mapping[str, Any]


def are_messages(value: Any) -> TypeGuard[list[dict[str, Any]]]:
    """Tell whether this is a list of messages with a role each."""
    if not isinstance(value, list):
        return False
    given = cast("list[Any]", value)
    return all(isinstance(each, dict) and isinstance(cast("Any", each).get("role"), str) for each in given)


def newest_user(messages: Sequence[ChatMessage]) -> int | None:
    """Return the position of the last user message."""
    return next((at for at in range(len(messages) - 1, -1, -1) if messages[at]["role"] == "user"), None)


def text_of(content: Any) -> str:
    """Return the words of a message's content, which may be a list of parts."""
    if isinstance(content, str):
        return content
    parts = cast("list[Any]", content) if isinstance(content, list) else []
    return "\n".join(text for text in map(_text_of_part, parts) if text)


def _text_of_part(part: Any) -> str | None:
    text = cast("Any", part).get("text") if isinstance(part, dict) else part
    return text if isinstance(text, str) else None


def placed(messages: Sequence[ChatMessage], memory: str, where: Place) -> list[ChatMessage]:
    """Return the messages with the memory among them; none of the others is changed but, for `user`, the last user's."""
    at = newest_user(messages)
    if at is None:
        return list(messages)
    if where == "user":
        return [*messages[:at], _with_memory(messages[at], memory), *messages[at + 1 :]]
    if where == "front":
        at = next((place for place, each in enumerate(messages) if each["role"] not in _SYSTEM), at)
    return [*messages[:at], {"role": "system", "content": memory}, *messages[at:]]


def _with_memory(message: ChatMessage, memory: str) -> ChatMessage:
    content = message.get("content")
    if isinstance(content, list):
        return {**message, "content": [{"type": "text", "text": memory}, *content]}  # pyright: ignore[reportUnknownVariableType]
    return {**message, "content": f"{memory}\n\n{content or ''}"}
