"""What is indexed and retrieved: a message, or a window of a long one."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

ROLES = ("system", "developer", "user", "assistant", "tool")
"""The index keeps a role as its place here."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Passage:
    """A span of a message's text, with what the message's key needs to know."""

    passage_id: int
    seq: int
    start: int
    stop: int
    text: str
    """The raw words of the span."""
    author: str | None
    created_at: datetime | None = None
