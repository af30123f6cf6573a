"""What is measured: conversations, questions about them, and the messages that hold the answers."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True, kw_only=True)
class Said:
    """One message of a benchmark, in the order of time."""

    role: str
    text: str
    session: str
    """A name by its place; never the publisher's, which may give the evidence away."""
    created_at: str | None
    author: str | None = None
    source: str = "chat"
    """What kind of record it was: chat, sms, call, calendar, note …"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """One question and the places (0, 1, 2 …) of the messages that hold its evidence."""

    text: str
    evidence: frozenset[int]
    """Empty where the publisher names sessions only, and where there is no answer."""
    kind: str
    asked_at: str | None = None
    name: str = ""
    """Unique in its case."""
    answer: str = ""
    rubric: tuple[str, ...] = ()
    """What a judge looks for where no single answer is right."""
    answerable: bool = True
    """False: the history does not say it."""
    sessions: frozenset[str] = frozenset()
    """Evidence sessions where the publisher names them; else those of the evidence."""
    quotes: tuple[tuple[int, str], ...] = ()
    """The exact sentence of an evidence message that has to be shown, where it is known: (place, words)."""
    labels: tuple[str, ...] = ()
    """Further groups that figures are split by, such as `language:en` or `overlap:none`."""
    known: int | None = None
    """How many messages, from the first, the memory holds when it is asked; None: all."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Case:
    """One history and the questions about it."""

    name: str
    messages: tuple[Said, ...]
    questions: tuple[Question, ...]


@dataclass(slots=True, kw_only=True)
class Dataset:
    """A benchmark as it was read."""

    name: str
    sha256: str
    cases: Iterator[Case]
    left_out: dict[str, int] = field(default_factory=Counter[str])
    """What could not be used, or only in part, by the reason; complete when the cases are read."""
