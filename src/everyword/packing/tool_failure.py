"""Whether a tool failed: what it said then is about the failure, and is shown as that."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Any, cast

from everyword.domain.message import Message

MARK = "[TOOL_FAILED]"
_HINTS = (
    b"error",
    b"fail",
    b"exit_code",
    b"exitCode",
    b"returncode",
    b"success",
    b"Traceback",
    b"incomplete",
    b"cancelled",
    b"timeout",
)
"""What a record of a failure has somewhere, in whatever convention: the others are not parsed."""
_SAYS = re.compile(
    r"^\W*(?:an error occurred while running the tool|error (?:calling|running|executing|invoking) (?:the )?(?:tool|function)|"
    r"tool (?:call |execution )?(?:failed|error)|traceback \(most recent call last\))|<tool_use_error>",
    re.IGNORECASE,
)
"""How agent frameworks begin the output of a tool that raised."""
_STATUS = frozenset({"error", "failed", "failure", "incomplete", "cancelled", "timeout", "timed_out"})
_CODES = ("exit_code", "exitCode", "returncode")
_DEEP = 4
_INNER = ("content", "output", "result", "text", "metadata", "additional_kwargs", "message")
"""Fields in which a record may hold another."""


def has_failed(message: Message) -> bool:
    """Tell whether a message is the result of a tool that failed.

    Anthropic and MCP say it with `is_error` or `isError`, LangChain and Responses with `status`, shells with an exit code,
    others with an `error` in place of a result, or in the first words.
    """
    if message.role != "tool":
        return False
    if message.metadata.get("is_error") is True or _SAYS.search(message.text):
        return True
    return any(hint in message.payload for hint in _HINTS) and _tells(message.content(), _DEEP)


def _tells(value: Any, deep: int) -> bool:
    """Tell whether a record says that it failed, itself or in what it holds."""
    if isinstance(value, list):
        return deep > 0 and any(_tells(each, deep - 1) for each in cast("list[Any]", value))
    if isinstance(value, str):
        return bool(_SAYS.search(value)) or _is_error_object(value, deep)
    if not isinstance(value, dict):
        return False
    record = cast("Mapping[str, Any]", value)
    inner = [record.get(key) for key in _INNER]
    return _is_marked(record) or (deep > 0 and any(_tells(each, deep - 1) for each in inner if each is not None))


def _is_marked(record: Mapping[str, Any]) -> bool:
    """Tell whether a field of the record itself says that it failed."""
    if record.get("is_error") is True or record.get("isError") is True or record.get("success") is False:
        return True
    if str(record.get("status", "")).lower() in _STATUS or _has_code(record):
        return True
    return bool(record.get("error")) and not (record.get("content") or record.get("output") or record.get("result"))


def _has_code(record: Mapping[str, Any]) -> bool:
    return any(
        isinstance(code := record.get(name), int) and not isinstance(code, bool) and code != 0 for name in _CODES
    )


def _is_error_object(text: str, deep: int) -> bool:
    """Tell whether a text is JSON that says so: `{"error": "not found"}`."""
    if deep <= 0 or not text.lstrip().startswith("{"):
        return False
    try:
        return _tells(json.loads(text), deep - 1)
    except (ValueError, RecursionError):
        return False
