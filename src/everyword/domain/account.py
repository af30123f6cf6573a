"""What is remembered of the prompts of one user: figures and digests, no words."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

Trail = tuple[tuple[int, bytes], ...]
"""Places of a text, in order, each with a digest of all that stands before it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Seen:
    """The last prompt of a session, as far as the next one asks for it."""

    entry: int
    """Number of its row."""
    first_seq: int
    """Oldest message of the session that is still in the window."""
    last_seq: int
    """Newest message of the user's log when it was made: what the assistant said after it is the answer."""
    prefix_characters: int
    trail: Trail


@dataclass(frozen=True, slots=True, kw_only=True)
class PromptRecord:
    """The figures of one prompt."""

    at: datetime
    budget: int
    tokens: int
    ledger: Mapping[str, int]
    kept: float | None
    common: float | None
    flushed: int
    answer: int | None = None
    """Tokens of what the assistant said to it; None: that is not known, or not yet."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Verified:
    """When `verify` last ran, and what it found."""

    at: datetime
    problems: int


def percentile(ordered: Sequence[int], share: float) -> float:
    """Return the value that `share` of the ordered values do not exceed (nearest rank); 0 of none."""
    return float(ordered[max(0, -(-len(ordered) * round(share * 100) // 100) - 1)]) if ordered else 0.0
