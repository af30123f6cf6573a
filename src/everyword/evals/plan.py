"""What a run is asked to do: of which data, whom, at what lengths, in how many lines."""

from __future__ import annotations

from dataclasses import dataclass

from everyword.evals.dataset import Dataset


@dataclass(frozen=True, slots=True, kw_only=True)
class Arm:
    """A strategy at a budget."""

    strategy: str
    budget: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """What is asked of whom."""

    arms: tuple[Arm, ...]
    targets: tuple[int | None, ...] = (None,)
    """Tokens of the histories; None: as published."""
    lines: int = 1
    """Questions, and cases, that are worked on at the same time."""
    limit: int | None = None
    """Questions that are asked at the most."""
    cases: tuple[str, ...] = ()
    """Names of the only cases; empty: all."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Source:
    """A dataset with the seed that it or its fillers are made with, and the fingerprint of the figures that it leads to."""

    dataset: Dataset
    run: str
    seed: int | None = None
