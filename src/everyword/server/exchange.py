"""What of a chat request is new, which conversation it belongs to, and what its reply said."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from hashlib import blake2b
from typing import Any, cast

from everyword.server.placement import text_of

STORED = ("user", "assistant", "tool", "function")
"""Roles that the proxy stores; system messages are the application's, the same in every conversation."""
_EVENT_END = re.compile(rb"\r\n\r\n|\n\n|\r\r")
_LONGEST_EVENT = 16 * 1024 * 1024


def said_now(messages: Sequence[Mapping[str, Any]], *, is_known: bool) -> list[dict[str, Any]]:
    """Return what the request adds to the conversation: all after the last reply, or everything of an unknown one."""
    last = max((at for at, each in enumerate(messages) if each["role"] == "assistant"), default=-1)
    new = messages[last + 1 :] if is_known else messages
    return [dict(each) for each in new if each["role"] in STORED]


def session_of(messages: Sequence[Mapping[str, Any]], reply: Mapping[str, Any] | None) -> str | None:
    """Return a name for the conversation made from its first question and its first reply; None before there is one."""
    first = next((each for each in messages if each["role"] == "user"), None)
    answer = next((each for each in messages if each["role"] == "assistant"), reply)
    if first is None or answer is None:
        return None
    made: list[Any] = answer.get("tool_calls") or []
    calls = [cast("Any", call).get("id") for call in made if isinstance(call, dict)]
    beginning = json.dumps([text_of(first.get("content")), text_of(answer.get("content")), calls])
    return f"chat-{blake2b(beginning.encode(), digest_size=12).hexdigest()}"


def replied(body: bytes) -> dict[str, Any] | None:
    """Return the first choice's message of a whole reply; None where it says nothing that can be stored."""
    try:
        choices = json.loads(body)["choices"]
        message: Any = next(each["message"] for each in choices if each.get("index", 0) == 0)
    except (ValueError, LookupError, TypeError, AttributeError, StopIteration, RecursionError):
        return None
    if not isinstance(message, dict):
        return None
    found = cast("dict[str, Any]", message)
    return found if _says_something(found) else None


class Events:
    """Cuts a stream of bytes after each server-sent event; joined they are the stream again."""

    def __init__(self) -> None:
        self._rest = b""

    def feed(self, data: bytes) -> Iterator[bytes]:
        """Yield the events that are complete now, each with its end."""
        self._rest += data
        while ends := _EVENT_END.search(self._rest):
            event, self._rest = self._rest[: ends.end()], self._rest[ends.end() :]
            yield event
        if len(self._rest) > _LONGEST_EVENT:
            yield self.rest()

    def rest(self) -> bytes:
        """Return what came after the last complete event."""
        rest, self._rest = self._rest, b""
        return rest


def data_of(event: bytes) -> str:
    """Return the data of a server-sent event."""
    lines = event.decode("utf-8", "replace").splitlines()
    return "\n".join(line[5:].removeprefix(" ") for line in lines if line.startswith("data:"))


class StreamedReply:
    """The first choice of a streamed reply, put together as it comes."""

    def __init__(self) -> None:
        self._texts: dict[str, list[str]] = {}
        self._calls: dict[int, dict[str, Any]] = {}
        self.finish: str | None = None
        self.is_done = False
        """Whether the upstream said that this was all."""

    @property
    def is_complete(self) -> bool:
        """Tell whether nothing of the reply is missing."""
        return self.is_done or self.finish is not None

    def take(self, event: bytes) -> None:
        """Add one event; what is none of a chat stream adds nothing."""
        data = data_of(event)
        if data.strip() == "[DONE]":
            self.is_done = True
            return
        try:
            choices = json.loads(data)["choices"]
            choice = next(each for each in choices if each.get("index", 0) == 0)
            self.finish = choice.get("finish_reason") or self.finish
            self._join(choice.get("delta") or {})
        except (ValueError, LookupError, TypeError, AttributeError, StopIteration, RecursionError):
            return

    def _join(self, delta: Mapping[str, Any]) -> None:
        for name, value in delta.items():
            if name != "role" and isinstance(value, str):
                self._texts.setdefault(name, []).append(value)
        for piece in delta.get("tool_calls") or ():
            self._join_call(piece)

    def _join_call(self, piece: Mapping[str, Any]) -> None:
        call = self._calls.setdefault(
            int(piece.get("index", 0)), {"id": None, "type": "function", "function": {"name": "", "arguments": ""}}
        )
        call["id"] = piece.get("id") or call["id"]
        call["type"] = piece.get("type") or call["type"]
        function: Mapping[str, Any] = piece.get("function") or {}
        call["function"]["name"] += function.get("name") or ""
        call["function"]["arguments"] += function.get("arguments") or ""

    def message(self) -> dict[str, Any] | None:
        """Return the message as far as it came; None where it says nothing yet."""
        texts = {name: "".join(pieces) for name, pieces in self._texts.items()}
        message: dict[str, Any] = {"role": "assistant", "content": texts.pop("content", "") or None, **texts}
        if self._calls:
            message["tool_calls"] = [self._calls[index] for index in sorted(self._calls)]
        return message if _says_something(message) else None


def _says_something(message: Mapping[str, Any]) -> bool:
    names = ("tool_calls", "function_call", "refusal", "reasoning_content", "reasoning", "audio")
    return bool(text_of(message.get("content")).strip()) or any(message.get(name) for name in names)
