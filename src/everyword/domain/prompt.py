"""A whole prompt: one budget over all that a model is sent, what of it came from where, and how it moved since the last."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, get_args

from everyword.domain.context import Context, alternating, chat_turns
from everyword.errors import InvalidInputError

Order = Literal["chronological", "relevance-last", "head-and-tail"]
ORDERS: frozenset[str] = frozenset(get_args(Order))
AlertKind = Literal["filling", "flushed", "input"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Window:
    """What a model takes, and what an assistant says in every request. Raise InvalidInputError."""

    tokens: int
    """That the model takes, its answer included."""
    system: str = ""
    """The assistant's own instructions; they come first."""
    tools: Sequence[Mapping[str, Any]] = ()
    """Tool definitions as the provider wants them."""
    constraints: str = ""
    """What must not be overlooked: said behind the instructions, and again after the question."""
    memory: int | None = None
    """Tokens that profile, summary and evidence may take together; None: the setting `budget`."""
    order: Order = "chronological"
    """Of the evidence: by time, the most relevant last, or the most relevant at both ends."""
    answer: float = 0.2
    """Share of the window that is kept for the answer."""
    warn: float = 0.7
    """Share of the room from which a prompt says that it is filling."""
    keep: float = 0.5
    """Share of the room of recent turns that stays when older ones leave it."""

    def __post_init__(self) -> None:
        for name, least in (("tokens", self.tokens), ("memory", 1 if self.memory is None else self.memory)):
            if isinstance(least, bool) or not isinstance(least, int) or least < (1 if name == "tokens" else 0):
                raise InvalidInputError(f"Window: {name}={least!r}: give a whole number of tokens.")
        for name, share in (("answer", self.answer), ("warn", self.warn), ("keep", self.keep)):
            if (
                isinstance(share, bool)
                or not isinstance(share, int | float)
                or not 0 <= share <= 1 - (name == "answer") / 100
            ):
                raise InvalidInputError(f"Window: {name}={share!r}: give a share from 0 to 1, such as 0.2.")
        if self.order not in ORDERS:
            raise InvalidInputError(f"Window: order={self.order!r}: choose one of {', '.join(get_args(Order))}.")
        try:
            json.dumps(list(self.tools))
        except (TypeError, ValueError) as error:
            raise InvalidInputError(f"Window: tools: give definitions that JSON can write ({error}).") from error

    @property
    def room(self) -> int:
        """Tokens of the prompt at the most: the window without what is kept for the answer."""
        return self.tokens - round(self.tokens * self.answer)


@dataclass(frozen=True, slots=True, kw_only=True)
class Alert:
    """Something about a prompt that its sender should know."""

    kind: AlertKind
    """`filling`: the window is at its warning; `flushed`: older turns left it; `input`: hardly any token is an answer."""
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Prefix:
    """The part of a prompt that stays from request to request, and what did stay since the last one of the session."""

    text: str
    tokens: int
    kept: float | None = None
    """Share of the last request's prefix with which this one begins; None: this is the first."""
    common: float | None = None
    """Share of this whole prompt with which the last one began too: what a provider's prefix cache may serve."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Prompt:
    """All that is sent to the model, inside the room of its window."""

    window: Window
    context: Context
    """What the memory gave: evidence, dropped, trace."""
    parts: Mapping[str, str]
    """The text by source, in the order of the prompt."""
    text: str
    """System text, tool definitions, memory, recent turns and question, with a blank line between two."""
    tokens: int
    counter: str
    ledger: Mapping[str, int]
    """Tokens by source; they add up to `tokens`."""
    prefix: Prefix
    use: float = 0.0
    """Share of the budget that is taken, the memory counted with all that it may take; at 1 the older turns leave."""
    flushed: int = 0
    """Messages that left the window with this prompt. They stay in the memory, where they are found like all others."""
    alerts: tuple[Alert, ...] = field(default=())

    @property
    def budget(self) -> int:
        """Tokens that the prompt may take."""
        return self.window.room

    @property
    def answer_tokens(self) -> int:
        """Tokens that are left for the answer at the least."""
        return self.window.tokens - self.window.room

    def to_openai(self) -> dict[str, Any]:
        """Return `messages`, and `tools` where there are any, for a chat completion."""
        said = [{"role": "system", "content": text} for text in (self.prefix_without_tools, self.found) if text]
        turns = [{"role": role, "content": text} for role, text in chat_turns(self.context.recent)]
        messages = [*said, *turns, {"role": "user", "content": self.asked}]
        return {"messages": messages} | ({"tools": list(self.window.tools)} if self.window.tools else {})

    def to_anthropic(self) -> dict[str, Any]:
        """Return `system`, `messages` and `tools` for the Messages API; the prefix is marked for its cache."""
        lasting = {"type": "text", "text": self.prefix_without_tools, "cache_control": {"type": "ephemeral"}}
        blocks = [lasting] if self.prefix_without_tools else []
        blocks += [{"type": "text", "text": self.found}] if self.found else []
        turns = alternating([*chat_turns(self.context.recent), ("user", self.asked)])
        tools = {"tools": list(self.window.tools)} if self.window.tools else {}
        return ({"system": blocks} if blocks else {}) | {"messages": turns} | tools

    @property
    def prefix_without_tools(self) -> str:
        """The text of the first system message: what stays, but for the tool definitions, which are sent beside it."""
        return "\n\n".join(text for source, text in self.parts.items() if source in LASTING and source != "tools")

    @property
    def found(self) -> str:
        """The text of the second system message: the evidence."""
        return self.parts.get("evidence", "")

    @property
    def asked(self) -> str:
        """The text of the last message: the question, and the constraints once more."""
        return "\n\n".join(self.parts[source] for source in ("question", AGAIN) if source in self.parts)


AGAIN = "constraints again"
LASTING = ("system", "tools", "constraints", "profile", "pinned", "notes", "summary")
"""Sources of the prefix, in order: what does not depend on the question."""
PASSING = ("evidence", "recent", "question", AGAIN)
