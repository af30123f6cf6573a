"""A conversation in the log: how long it is, where it begins and where it ends."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class SessionSpan:
    """One conversation, by the sequence numbers of its messages."""

    session_id: str
    messages: int
    opening: tuple[int, ...]
    """Of the first messages, in order."""
    last_seq: int
