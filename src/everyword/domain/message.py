"""What was said or done: a message before it is stored, and after."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Literal, NewType, get_args

Role = Literal["system", "developer", "user", "assistant", "tool"]
Origin = Literal["user", "assistant", "tool", "web", "import"]
Branch = Literal["main", "other", "side"]

ROLES: frozenset[str] = frozenset(get_args(Role))
ORIGINS: frozenset[str] = frozenset(get_args(Origin))
BRANCHES: frozenset[str] = frozenset(get_args(Branch))

MessageId = NewType("MessageId", str)
UserId = NewType("UserId", str)


@dataclass(frozen=True, slots=True, kw_only=True)
class Draft:
    """One message that is not stored yet: parsed and validated, its words untouched."""

    role: Role
    text: str
    """Normalised view of the content for reading and searching; the payload keeps the original."""
    payload: bytes
    """The record as it came, byte for byte (JSON)."""
    session_id: str | None = None
    author: str | None = None
    """Name of the speaker or of the tool, where it is known."""
    agent_id: str | None = None
    origin: Origin = "user"
    branch: Branch = "main"
    """`other`: a branch of the conversation that was left; `side`: a side chain of an agent."""
    created_at: datetime | None = None
    """When it was said, with its offset. None where the source does not tell: no date is ever invented."""
    metadata: Mapping[str, Any] = field(default_factory=dict[str, Any])
    key: str | None = None
    """Idempotency key: a draft with a key that is stored already adds nothing."""
    message_id: str | None = None
    """Kept from an Everyword export, so that ids survive a move."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Message:
    """One stored message."""

    message_id: MessageId
    seq: int
    """1, 2, 3 … in the order of arrival in this user's log; never used again, unless everything was forgotten."""
    session_id: str
    role: Role
    text: str
    payload: bytes
    author: str | None
    agent_id: str | None
    origin: Origin
    branch: Branch
    created_at: datetime | None
    received_at: datetime
    metadata: Mapping[str, Any]
    key: str | None = None

    @property
    def speaker(self) -> str:
        """Who said it, as a reader would name them."""
        return self.author or self.role

    def content(self) -> Any:
        """Return the original record."""
        return json.loads(self.payload)


@dataclass(frozen=True, slots=True, kw_only=True)
class Added:
    """What `add` stored: ids and sequence numbers, in the order of the call."""

    message_ids: tuple[MessageId, ...]
    seqs: tuple[int, ...]
    session_id: str
    duplicates: int = 0
    """How many of them were stored before under the same idempotency key."""
    pending_passages: int = 0
    """Passages of this user that have no vectors yet; their words are found all the same."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Skipped:
    """One record of a transcript that could not be taken, with its place and the reason."""

    place: str
    reason: str
