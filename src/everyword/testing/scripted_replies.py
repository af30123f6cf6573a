"""What a scripted model says: in order, or by what it is asked. Shared by the server and the model in this process."""

from __future__ import annotations

import json
import re
import threading
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeAlias, cast

from everyword.text.tokens import EstimateCounter


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """One request as it came."""

    path: str
    body: Mapping[str, Any]
    headers: Mapping[str, str] = field(default_factory=dict[str, str])
    """Names in lower case."""

    @property
    def texts(self) -> tuple[str, ...]:
        """Return the texts of the messages, in order."""
        return tuple(text_of(message.get("content")) for message in self.body.get("messages", ()))

    @property
    def last(self) -> str:
        """Return the text of the last message."""
        return self.texts[-1] if self.texts else ""

    @property
    def tokens(self) -> int:
        """Return the tokens of the messages, by the estimate."""
        return sum(map(EstimateCounter().count, self.texts))


@dataclass(frozen=True, slots=True, kw_only=True)
class ScriptedReply:
    """One reply, good or bad."""

    text: str = ""
    finish: str = "stop"
    refusal: str | None = None
    reasoning: str | None = None
    """Sent beside the text, as reasoning models do."""
    tool_calls: tuple[tuple[str, Mapping[str, Any]], ...] = ()
    """Name and arguments of each."""
    has_usage: bool = True
    cached_tokens: int = 0
    status: int = 200
    error: str = "scripted"
    """Message of a status other than 200."""
    code: str | None = None
    """Its code, such as `insufficient_quota`."""
    retry_after: float | str | None = None
    delay_s: float = 0.0
    is_broken: bool = False
    """The connection ends in the middle."""
    body: bytes | None = None
    """Sent as it is in place of everything above; need not be JSON."""

    @property
    def output_tokens(self) -> int:
        """Return the tokens of the text and the reasoning, by the estimate."""
        return EstimateCounter().count(self.text) + EstimateCounter().count(self.reasoning or "")


Said: TypeAlias = "str | Mapping[str, Any] | Sequence[Any] | ScriptedReply | Callable[[Asked], Said]"
"""A text, a value that is sent as JSON, a whole reply, or what makes one of these from the request."""
Match: TypeAlias = "str | re.Pattern[str] | Callable[[Asked], bool]"
"""A text or pattern that some message holds, or what looks at the request."""


@dataclass(slots=True)
class _Rule:
    match: Match
    said: Said
    left: int | None


class Script:
    """Rules come first, then the replies in order, then the one for everything else. Safe for many threads."""

    def __init__(self, *replies: Said) -> None:
        self.requests: list[Asked] = []
        """Everything that was asked, in order."""
        self._rules: list[_Rule] = []
        self._next: deque[Said] = deque(replies)
        self._otherwise: Said | None = None
        self._lock = threading.Lock()

    def then(self, *replies: Said) -> Script:
        """Say these next, one for each request that no rule matches."""
        with self._lock:
            self._next.extend(replies)
        return self

    def when(self, match: Match, said: Said, *, times: int | None = None) -> Script:
        """Say this where the request matches, `times` times or always; of several rules the first holds."""
        with self._lock:
            self._rules.append(_Rule(match, said, times))
        return self

    def otherwise(self, said: Said) -> Script:
        """Say this where neither a rule matches nor a reply is left."""
        self._otherwise = said
        return self

    def reply(self, asked: Asked) -> ScriptedReply | None:
        """Return the reply to a request, which is recorded; None where the script has none."""
        with self._lock:
            self.requests.append(asked)
            said = self._chosen(asked)
        return None if said is None else _reply(said, asked)

    def _chosen(self, asked: Asked) -> Said | None:
        for rule in self._rules:
            if rule.left != 0 and _matches(rule.match, asked):
                rule.left = None if rule.left is None else rule.left - 1
                return rule.said
        return self._next.popleft() if self._next else self._otherwise


def text_of(content: Any) -> str:
    """Return the text of a message's content, which may be a list of parts."""
    if isinstance(content, list):
        parts = cast("list[Any]", content)
        return "".join(str(part.get("text", "")) for part in parts if isinstance(part, Mapping))  # pyright: ignore[reportUnknownArgumentType]
    return content if isinstance(content, str) else ""


def _matches(match: Match, asked: Asked) -> bool:
    if isinstance(match, str):
        return any(match in text for text in asked.texts)
    if isinstance(match, re.Pattern):
        return any(match.search(text) for text in asked.texts)
    return match(asked)


def _reply(said: Said, asked: Asked) -> ScriptedReply:
    if isinstance(said, ScriptedReply):
        return said
    if isinstance(said, str):
        return ScriptedReply(text=said)
    if callable(said):
        return _reply(said(asked), asked)
    return ScriptedReply(text=json.dumps(said, ensure_ascii=False))
