"""What a run found: outcomes, how large the histories were, and a few questions in full."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from everyword.evals.outcome import Outcome


@dataclass(frozen=True, slots=True, kw_only=True)
class Size:
    """How large a history was, in its own words and on disk."""

    case: str
    target: int | None
    messages: int
    tokens: int
    bytes: Mapping[str, int] = field(default_factory=dict[str, int])
    """On disk, by strategy."""


@dataclass(slots=True, kw_only=True)
class Findings:
    """What a run found."""

    outcomes: list[Outcome] = field(default_factory=list[Outcome])
    sizes: list[Size] = field(default_factory=list[Size])
    examples: list[dict[str, Any]] = field(default_factory=list[dict[str, Any]])
    left_out: dict[str, int] = field(default_factory=dict[str, int])

    def bytes_on_disk(self) -> dict[tuple[str, int | None], float]:
        """Return the mean size of a case on disk, by strategy and target."""
        found: dict[tuple[str, int | None], list[int]] = {}
        for size in self.sizes:
            for strategy, number in size.bytes.items():
                found.setdefault((strategy, size.target), []).append(number)
        return {key: sum(each) / len(each) for key, each in found.items()}
