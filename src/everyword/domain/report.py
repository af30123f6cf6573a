"""What calls report besides messages and contexts."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from everyword.domain.message import Skipped
from everyword.domain.trace import Place


@dataclass(frozen=True, slots=True, kw_only=True)
class Hit:
    """One found message."""

    id: str
    text: str
    """The words of the message, whole."""
    score: float
    """Higher is better; comparable within one search only."""
    role: str
    created_at: datetime | None
    session_id: str
    seq: int
    metadata: Mapping[str, Any]
    author: str | None = None
    origin: str = "user"


@dataclass(frozen=True, slots=True, kw_only=True)
class Imported:
    """What an import did."""

    format: str
    added: int
    duplicates: int
    """Messages that were in the memory before."""
    skipped: tuple[Skipped, ...]
    sessions: int
    pending_passages: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Verification:
    """The outcome of a check; no problems means that every derived row agrees with the log."""

    messages: int
    passages: int
    vectors: int
    problems: tuple[str, ...]

    @property
    def ok(self) -> bool:
        """Tell whether nothing is wrong."""
        return not self.problems


@dataclass(frozen=True, slots=True, kw_only=True)
class Forgotten:
    """What was erased."""

    messages: int
    sessions: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Explained:
    """One message on its way into a context or out of it."""

    message_id: str
    seq: int
    speaker: str
    created_at: datetime | None
    text: str
    stages: Mapping[str, Place]
    """Rank and score in every stage that knew the message."""
    outcome: str
    """`packed`, `packed in part`, `dropped: budget`, `dropped: rank`, `not found`, `shown as a recent turn`."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Explanation:
    """Why a context holds what it holds."""

    question: str
    strategy: str
    tokens: int
    budget: int
    ledger: Mapping[str, int]
    candidates: Mapping[str, int]
    """Messages or passages that each stage knew."""
    messages: tuple[Explained, ...]
    notes: tuple[str, ...]
