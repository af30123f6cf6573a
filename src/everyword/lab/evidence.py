"""The fourth strategy: what Everyword's `context` would send, from a memory that is told each turn once it is over."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from everyword.domain.context import Context
from everyword.errors import ModelError
from everyword.lab.conversation import Conversation, Fact
from everyword.lab.engine import MILLION, OVERHEAD, Settings, check
from everyword.memory import Memory
from everyword.ports import Progress
from everyword.text.tokens import WordsCounter

COUNTER = "words"
"""The counter that the memory must have, so that its tokens are the lab's."""
_USER = _SESSION = "lab"
_COUNT = WordsCounter().count


@dataclass(frozen=True, slots=True, kw_only=True)
class Probed:
    """One question after the last turn."""

    fact: Fact
    tokens: int
    is_kept: bool
    """Whether its key words are in what would be sent, the question itself left aside."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Recalled:
    """What came of a conversation whose words are kept in a memory."""

    settings: Settings
    budget: int
    tokens: tuple[int, ...]
    """Of the request of each turn."""
    kept_at: tuple[int, ...]
    """Facts that were found when they were last asked for, at each turn."""
    probes: tuple[Probed, ...]
    total: int

    @property
    def kept(self) -> int:
        return sum(each.is_kept for each in self.probes)

    @property
    def recall(self) -> float:
        return self.kept / self.total if self.total else 0.0

    def document(self) -> dict[str, Any]:
        cumulative = sum(self.tokens)
        return {
            "strategy": "everyword",
            "turns": self.settings.turns,
            "budget": self.budget,
            "inputTokens": self.tokens[-1],
            "cumulativeTokens": cumulative,
            "recall": self.recall,
            "kept": self.kept,
            "total": self.total,
            "cost": cumulative * self.settings.price / MILLION,
            "probes": [
                {"label": each.fact.label, "probe": each.fact.probe, "tokens": each.tokens, "isKept": each.is_kept}
                for each in self.probes
            ],
            "series": self._series(),
        }

    def _series(self) -> list[dict[str, Any]]:
        """Return the points of the page's curves."""
        points: list[dict[str, Any]] = []
        cost = 0.0
        for turn, (tokens, kept) in enumerate(zip(self.tokens, self.kept_at, strict=True), 1):
            cost += tokens * self.settings.price / MILLION
            recall = kept / self.total if self.total else 0.0
            points.append({"turn": turn, "tokens": tokens, "cost": cost, "recall": recall, "overflow": False})
        return points


def recalled(
    talk: Conversation,
    settings: Settings,
    memory: Memory,
    *,
    budget: int = 1500,
    every: int = 10,
    progress: Progress | None = None,
) -> Recalled:
    """Return what an empty memory that counts in COUNTER sends at each turn, and which facts it finds.

    The request of a turn is the system prompt and the context for the user's words, `budget` tokens beside the words
    themselves. The facts are asked for every so many turns, where one is said, and after the last.

    Raise InvalidInputError, StorageError.
    """
    check(talk, settings)
    tokens: list[int] = []
    kept_at: list[int] = []
    probes: tuple[Probed, ...] = ()
    learn = _learner(memory)
    asked_at = {*range(every, settings.turns, every), *(fact.turn for fact in talk.facts), settings.turns}
    for turn in range(1, settings.turns + 1):
        said = talk.messages[talk.ends[turn - 1] : talk.ends[turn]]
        asked = next((each.text for each in said if each.role == "user"), "")
        tokens.append(OVERHEAD + (_context(memory, asked, budget).tokens if asked else 0))
        learn([{"role": each.role, "content": each.text} for each in said if each.text])
        if turn in asked_at:
            probes = tuple(_probed(memory, fact, budget) for fact in talk.facts if fact.turn <= turn)
        kept_at.append(sum(each.is_kept for each in probes))
        if progress is not None:
            progress(turn, settings.turns)
    return Recalled(
        settings=settings,
        budget=budget,
        tokens=tuple(tokens),
        kept_at=tuple(kept_at),
        probes=probes,
        total=len(talk.facts),
    )


def _learner(memory: Memory) -> Callable[[list[dict[str, Any]]], None]:
    """Return what stores messages with their vectors; a model that cannot be had leaves the words, which are found."""
    has_vectors = True

    def learn(messages: list[dict[str, Any]]) -> None:
        nonlocal has_vectors
        if not messages:
            return
        memory.add(messages, user_id=_USER, session_id=_SESSION)
        try:
            if has_vectors:
                memory.index(user_id=_USER)
        except ModelError:
            has_vectors = False

    return learn


def _context(memory: Memory, question: str, budget: int) -> Context:
    return memory.context(question, user_id=_USER, session_id=_SESSION, budget=budget + _COUNT(question))


def _probed(memory: Memory, fact: Fact, budget: int) -> Probed:
    packed = _context(memory, fact.probe, budget)
    shown = "\n".join([packed.memory_text, *(message.text for message in packed.recent)])
    return Probed(fact=fact, tokens=OVERHEAD + packed.tokens, is_kept=fact.is_in(shown))
