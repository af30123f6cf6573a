"""How a memory is: figures that say what they mean and, where they are bad, what helps."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Figure:
    """One figure of a memory."""

    name: str
    value: float | Mapping[str, float] | None
    """None: nothing to tell yet."""
    shown: str
    """The value as a person reads it."""
    meaning: str
    remedy: str | None = None
    """What helps; None: nothing is wrong."""

    @property
    def is_bad(self) -> bool:
        """Tell whether something should be done."""
        return self.remedy is not None


@dataclass(frozen=True, slots=True, kw_only=True)
class Health:
    """The figures of one user's memory."""

    user_id: str
    questions: int
    """Of the user's last questions, how many were asked again."""
    prompts: int
    """How many prompts are on the account."""
    figures: tuple[Figure, ...]

    @property
    def ok(self) -> bool:
        """Tell whether no figure is bad."""
        return not any(figure.is_bad for figure in self.figures)

    def figure(self, name: str) -> Figure:
        """Return one figure by its name."""
        return next(figure for figure in self.figures if figure.name == name)
