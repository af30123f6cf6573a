"""What happened between a question and its answer: stages with the rank and score of every candidate."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    """Where one message stood in one stage."""

    rank: int
    """1 is best."""
    score: float
    """Higher is better; comparable within the stage only."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Stage:
    """One step of retrieval: who was in it and in what order."""

    name: str
    candidates: int
    places: Mapping[int, Place]
    """By the sequence number of the message; of a long message its best passage."""
    milliseconds: float = 0.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Trace:
    """Stages in the order in which they ran, and notes on what was not at its best."""

    strategy: str
    stages: tuple[Stage, ...] = ()
    notes: tuple[str, ...] = field(default=())

    def places(self, seq: int) -> dict[str, Place]:
        """Return where a message stood in each stage that had it."""
        return {stage.name: stage.places[seq] for stage in self.stages if seq in stage.places}

    def worst_rank(self, seqs: tuple[int, ...], stage: str) -> int | None:
        """Return the worst rank among several messages: a question that needs all of them is only as good. None: one is missing."""
        found = next((each for each in self.stages if each.name == stage), None)
        if found is None or any(seq not in found.places for seq in seqs):
            return None
        return max(found.places[seq].rank for seq in seqs)
