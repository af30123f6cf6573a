"""One message of a provider's API, OpenAI's or Anthropic's, told apart by what it holds."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from everyword.domain.message import ORIGINS
from everyword.errors import InvalidMessageError
from everyword.transcripts import anthropic, openai
from everyword.transcripts.json_text import is_object
from everyword.transcripts.said import Calls, Said


def said(message: Any, calls: Calls) -> list[Said]:
    """Return what a message or item says. Raise InvalidMessageError."""
    if not is_object(message):
        raise InvalidMessageError(f"a message must be an object with role and content, not {type(message).__name__}")
    if "tool_calls" not in message and anthropic.has_blocks(message.get("content")):
        return anthropic.said(message, calls)
    return openai.said(message, calls)


def origin_of(message: Mapping[str, Any]) -> Any:
    """Return the origin that the message states. Raise InvalidMessageError where it is unknown."""
    origin = message.get("origin")
    if origin is not None and (not isinstance(origin, str) or origin not in ORIGINS):
        raise InvalidMessageError(f"unknown origin {origin!r}: use one of {', '.join(sorted(ORIGINS))}")
    return origin
