"""What a product needs: the most careful of all answers to the table, and the strategy that follows."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import get_args

from everyword.errors import InvalidInputError
from everyword.routing.table import SMALL, Corpus, Errors, Latency, Route, Row, Sessions, Updates, row


@dataclass(frozen=True, slots=True, kw_only=True)
class Situation:
    """A product, as the table asks about it."""

    corpus_tokens: int
    window_tokens: int = 200_000
    updates: Updates = "hardly"
    sessions: Sessions = "none"
    latency: Latency = "offline"
    errors: tuple[Errors, ...] = ()
    """What must not happen; none: nothing in particular."""

    @property
    def corpus(self) -> Corpus:
        """Return the size of the corpus against the window."""
        if self.corpus_tokens > self.window_tokens:
            return "beyond"
        return "small" if self.corpus_tokens < SMALL else "fits"


@dataclass(frozen=True, slots=True, kw_only=True)
class Advice:
    """What to use, why, and what to watch."""

    routes: tuple[Route, ...]
    """All that are needed, the cheapest first."""
    strategy: str
    """Of Everyword."""
    needs_memory: bool
    pointers_only: bool
    """Whether the memory may hold only where to look, since two answers disagree about it."""
    rows: tuple[Row, ...]
    """One for each answer, with its signal."""


def advise(situation: Situation) -> Advice:
    """Return the most careful conclusion: where any answer asks for retrieval or memory, context alone will not do.

    An answer that forbids a memory wins over speed, and makes it one of pointers where sessions have to be remembered.
    Raise InvalidInputError.
    """
    rows = answers(situation)
    asked: set[Route] = {route for each in rows for route in each.routes}
    forbidden = {route for each in rows for route in each.forbids}
    remembers = situation.sessions == "history"
    needs_memory = remembers or ("memory" in asked and "memory" not in forbidden and situation.sessions != "none")
    needed = _needed(rows, asked, needs_memory=needs_memory)
    return Advice(
        routes=needed,
        strategy=_strategy(situation, needed),
        needs_memory=needs_memory,
        pointers_only=needs_memory and "memory" in forbidden,
        rows=rows,
    )


def answers(situation: Situation) -> tuple[Row, ...]:
    """Return the row of each answer. Raise InvalidInputError for one that the table does not know."""
    if situation.corpus_tokens < 0 or situation.window_tokens < 1:
        raise InvalidInputError("corpus_tokens and window_tokens are numbers of tokens: give 0 or more, and 1 or more.")
    _check("updates", situation.updates, get_args(Updates))
    _check("sessions", situation.sessions, get_args(Sessions))
    _check("latency", situation.latency, get_args(Latency))
    for each in situation.errors:
        _check("errors", each, get_args(Errors))
    return (
        row("corpus", situation.corpus),
        row("updates", situation.updates),
        row("sessions", situation.sessions),
        row("latency", situation.latency),
        *(row("errors", each) for each in dict.fromkeys(situation.errors)),
    )


def _check(name: str, value: str, known: Sequence[str]) -> None:
    if value not in known:
        raise InvalidInputError(f"{name}={value!r}: choose one of {', '.join(known)}.")


def _needed(rows: Sequence[Row], asked: set[Route], *, needs_memory: bool) -> tuple[Route, ...]:
    """Return the routes in their order; the long context stays where something but the most careful asks for it."""
    wanted: list[Route] = []
    if asked <= {"context"} or any(each.level in ("fits", "no-omissions", "every-turn") for each in rows):
        wanted.append("context")
    if "retrieval" in asked:
        wanted.append("retrieval")
    if needs_memory:
        wanted.append("memory")
    return tuple(wanted) or ("context",)


def _strategy(situation: Situation, needed: tuple[Route, ...]) -> str:
    """Return the strategy of Everyword for what is needed."""
    if "memory" in needed:
        return "hybrid"
    if "retrieval" in needed:
        return "evidence"
    return "summary" if situation.sessions == "repeatable" else "full"
