"""What goes to the model: evidence inside a budget, with an account of every token."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Literal

from everyword.domain.decision import Decision
from everyword.domain.message import Message
from everyword.domain.trace import Trace

DropReason = Literal["budget", "rank"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Evidence:
    """A message, or the relevant lines of a long one, chosen for a context."""

    message: Message
    spans: tuple[tuple[int, int], ...]
    """Characters of the message's text that are shown, in order."""
    score: float
    rank: int
    """1: the candidate that retrieval put first."""
    tokens: int

    @property
    def is_whole(self) -> bool:
        """Tell whether nothing of the message is left out."""
        return self.spans == ((0, len(self.message.text)),)

    @property
    def text(self) -> str:
        """The words that are shown; a gap is marked by an ellipsis."""
        shown = " … ".join(self.message.text[start:stop].strip() for start, stop in self.spans)
        before = "… " if self.spans and self.spans[0][0] > 0 else ""
        after = " …" if self.spans and self.spans[-1][1] < len(self.message.text) else ""
        return f"{before}{shown}{after}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Dropped:
    """A candidate that is not in the context, and why."""

    message_id: str
    seq: int
    rank: int
    tokens: int
    """What it would have cost; of one that was not tried, the tokens of its words."""
    reason: DropReason
    """`budget`: it did not fit in what was left; `rank`: the budget was full before its turn."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Context:
    """A prompt part that fits its budget."""

    question: str
    text: str
    """Memory, recent turns and question, as one text."""
    memory_text: str
    """The memory part alone."""
    recent: tuple[Message, ...]
    tokens: int
    budget: int
    counter: str
    strategy: str
    evidence: tuple[Evidence, ...]
    """In the order of the text: oldest first."""
    dropped: tuple[Dropped, ...]
    ledger: Mapping[str, int]
    """Tokens by source; they add up to `tokens`."""
    trace: Trace
    pending_passages: int = 0
    """Passages that could only be found by their words, because their vectors are not computed yet."""
    asked_at: datetime | None = field(default=None)
    no_evidence: bool | None = None
    """Whether the history seems not to hold the answer; the notes of the trace say why. None: the strategy cannot tell, or the
    text asks for no record."""
    answer: str | None = None
    """What the language model answered while `route` asked it whether this is enough; None: nobody was asked."""
    decision: Decision | None = None
    """What `route` decided; None: another strategy filled it."""
    parts: Mapping[str, str] = field(default_factory=dict[str, str], repr=False)
    """The memory by source: its text is these, with a blank line between two."""

    def to_openai(self) -> list[dict[str, Any]]:
        """Return chat messages: memory as a system message, the recent turns, the question.

        What a tool, a web page or a system message said stays labelled, since it becomes text of the conversation.
        """
        memory = [{"role": "system", "content": self.memory_text}] if self.memory_text else []
        turns = [{"role": role, "content": text} for role, text in chat_turns(self.recent)]
        return [*memory, *turns, {"role": "user", "content": self.question}]

    def to_anthropic(self) -> dict[str, Any]:
        """Return `system` and `messages` for the Messages API, which begins with the user and joins neighbours of one role."""
        return {
            "system": self.memory_text,
            "messages": alternating([*chat_turns(self.recent), ("user", self.question)]),
        }


def chat_turns(recent: Sequence[Message]) -> list[tuple[str, str]]:
    """Return role and text of recent turns, in roles that need no pairing with a tool call."""
    return [(_chat_role(message), _labelled(message)) for message in recent if message.text]


def alternating(turns: Sequence[tuple[str, str]]) -> list[dict[str, Any]]:
    """Return messages that begin with the user; neighbours of one role are joined."""
    joined: list[dict[str, Any]] = []
    for role, text in turns:
        if not joined and role != "user":
            joined.append({"role": "user", "content": "(the conversation goes on)"})
        if joined and joined[-1]["role"] == role:
            joined[-1]["content"] += f"\n\n{text}"
        else:
            joined.append({"role": role, "content": text})
    return joined


def _chat_role(message: Message) -> str:
    return "user" if message.role == "user" else "assistant"


def _labelled(message: Message) -> str:
    """Return the words; those of neither user nor assistant with the name of who said them."""
    if message.role in ("user", "assistant") and message.origin not in ("tool", "web"):
        return message.text
    name = message.speaker if message.speaker == message.role else f"{message.role} {message.speaker}"
    return f"[{name}] {message.text}"
