"""What a language model wrote from claims: lines that say less than their sources and nothing else."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class SummaryLine:
    """One line, and the claims that it was written from and checked against."""

    text: str
    claim_ids: tuple[str, ...]
    seqs: tuple[int, ...]
    """Of the messages that those claims quote."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Chunk:
    """Claims that were written about together: forgetting one message of them takes all of its lines."""

    number: int
    claim_ids: tuple[str, ...]
    lines: tuple[SummaryLine, ...]
    generation: int = 1
    """How often it was written."""
    refused: int = 0
    """Lines of the last generation that did not agree with their sources."""
    failure: str | None = None
    """Why there are no lines; None: it was written."""
    attempts: int = 1


@dataclass(frozen=True, slots=True, kw_only=True)
class Written:
    """The lines of a user, and what to know about them."""

    lines: tuple[SummaryLine, ...] = ()
    notes: tuple[str, ...] = ()
