"""A question to a memory, and which messages may answer it."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class Query:
    """Conditions hold together; None leaves one out."""

    text: str
    asked_at: datetime | None = None
    """When it is asked: what `last week` in the question is counted from."""
    roles: frozenset[str] | None = None
    in_session: str | None = None
    after: datetime | None = None
    before: datetime | None = None
    hidden_seqs: frozenset[int] = frozenset()
    """Messages that are shown anyway, as recent turns, and must not be found again."""
