"""Real summaries in the place of the ideal one: what is left of the facts after each of them."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass, field
from typing import Any, Protocol

from everyword.errors import InvalidInputError
from everyword.lab.conversation import Conversation, Fact
from everyword.lab.engine import MILLION, OVERHEAD, Settings, check, half_up, pinned_at
from everyword.ports import Progress, Usage
from everyword.text.clauses import sentences
from everyword.text.tokens import WordsCounter

_COUNT = WordsCounter().count


@dataclass(frozen=True, slots=True, kw_only=True)
class Summarised:
    """A summary, and what its making cost."""

    text: str
    usage: Usage = field(default_factory=Usage)


class Summariser(Protocol):
    """A text to a shorter one."""

    @property
    def name(self) -> str: ...

    def summarise(self, text: str, budget: int) -> Summarised:
        """Return the text in at most about `budget` tokens of the lab's estimate. Raise ModelError."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Compaction:
    """One summary, and the facts after it."""

    turn: int
    compressed: int
    """Messages that the summary stands for, all earlier ones included."""
    budget: int
    tokens: int
    kept: tuple[str, ...]
    """Labels of the facts that the request still holds."""
    lost: tuple[str, ...]
    """Labels of those that it held at the summary before."""
    said: int
    """How many facts were said by then."""

    def document(self) -> dict[str, Any]:
        return {
            "turn": self.turn,
            "compressed": self.compressed,
            "budget": self.budget,
            "summaryTokens": self.tokens,
            "kept": len(self.kept),
            "keptFacts": list(self.kept),
            "lost": list(self.lost),
            "said": self.said,
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class Turn:
    """The request after one turn."""

    turn: int
    first: int
    summary: str
    tokens: int
    usage: Usage
    """What the summaries of this turn cost."""
    budget: int | None
    """Tokens that the summary of this turn might have; None where none was made."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Compacted:
    """What came of a conversation with real summaries, at its last turn."""

    summariser: str
    settings: Settings
    turns: tuple[Turn, ...]
    compactions: tuple[Compaction, ...]
    kept: tuple[Fact, ...]
    total: int
    """Facts of the conversation."""

    @property
    def overflow(self) -> bool:
        return self.turns[-1].tokens > self.settings.window

    @property
    def recall(self) -> float:
        """Facts whose words are in the request, of all facts; 0 where it cannot be sent."""
        return len(self.kept) / self.total if self.total else 0.0

    def document(self) -> dict[str, Any]:
        tokens = sum(each.tokens for each in self.turns)
        usage = sum((each.usage for each in self.turns), Usage())
        return {
            **{name: value for name, value in asdict(self.settings).items() if name in ("window", "ratio", "turns")},
            "summariser": self.summariser,
            "recall": self.recall,
            "kept": len(self.kept),
            "keptFacts": [{"turn": fact.turn, "label": fact.label} for fact in self.kept],
            "total": self.total,
            "overflow": self.overflow,
            "inputTokens": self.turns[-1].tokens,
            "cumulativeTokens": tokens,
            "cost": tokens * self.settings.price / MILLION,
            "summaries": len(self.compactions),
            "summariserTokens": usage.input_tokens + usage.output_tokens,
            "compactions": [each.document() for each in self.compactions],
            "summary": self.turns[-1].summary,
        }


def compact(
    talk: Conversation,
    settings: Settings,
    summariser: Summariser,
    *,
    compact_to: float = 1.0,
    on_summary: Callable[[Compaction], None] | None = None,
    progress: Progress | None = None,
) -> Compacted:
    """Return what a summariser leaves of the facts; `on_summary` is told of each summary as it is made.

    A summary is made where a request does not fit, of the summary before and the messages that join it; as few join as
    make the request fit in `compact_to` of the window at the ratio of the settings. Raise InvalidInputError, ModelError.
    """
    check(talk, settings)
    if not 0.1 <= compact_to <= 1:
        raise InvalidInputError(f"compact_to={compact_to!r}: a share of the window from 0.1 to 1.")
    turns: list[Turn] = []
    compactions: list[Compaction] = []
    for each in _turns(talk, settings, summariser, compact_to):
        turns.append(each)
        if each.budget is not None:
            compactions.append(_compaction(talk, settings, each, compactions[-1:]))
            if on_summary is not None:
                on_summary(compactions[-1])
        if progress is not None:
            progress(each.turn, settings.turns)
    last = turns[-1]
    kept = [] if last.tokens > settings.window else [fact for fact in talk.facts if is_kept(fact, settings, last)]
    return Compacted(
        summariser=summariser.name,
        settings=settings,
        turns=tuple(turns),
        compactions=tuple(compactions),
        kept=tuple(kept),
        total=len(talk.facts),
    )


def _turns(talk: Conversation, settings: Settings, summariser: Summariser, compact_to: float) -> Iterator[Turn]:
    first, summary = 0, ""
    for turn in range(1, settings.turns + 1):
        usage, budget = Usage(), None
        base = OVERHEAD + pinned_at(talk, settings, turn)
        if _size(talk, turn, base, first, _COUNT(summary)) > settings.window:
            start, first = first, _first_that_fits(talk, settings, turn, base, first, compact_to)
            budget = half_up(settings.ratio * talk.sums[first])
            made = summariser.summarise(_words(talk, summary, start, first), budget)
            summary, usage = within(made.text, budget), made.usage
        tokens = _size(talk, turn, base, first, _COUNT(summary))
        yield Turn(turn=turn, first=first, summary=summary, tokens=tokens, usage=usage, budget=budget)


def _size(talk: Conversation, turn: int, base: int, first: int, summary: int) -> int:
    return base + summary + talk.sums[talk.ends[turn]] - talk.sums[first]


def _first_that_fits(
    talk: Conversation, settings: Settings, turn: int, base: int, first: int, compact_to: float
) -> int:
    """Return the first message that stays as it is, as the ideal summary has it; the newest alone where nothing fits."""
    room = math.floor(settings.window * compact_to)
    for place in range(first + 1, talk.ends[turn]):
        if _size(talk, turn, base, place, half_up(settings.ratio * talk.sums[place])) <= room:
            return place
    return talk.ends[turn]


def _words(talk: Conversation, summary: str, start: int, first: int) -> str:
    """Return what is to be summarised: the summary before, and the messages that join it."""
    lines = [f"{said.role}: {said.text}" for said in talk.messages[start:first]]
    return "\n".join([summary, *lines] if summary else lines)


def within(text: str, budget: int) -> str:
    """Return the first sentences that fit in the budget: a summary that is longer than asked is cut, as a limit cuts it."""
    text = text.strip()
    if _COUNT(text) <= budget:
        return text
    end = 0
    for _, stop in sentences(text):
        if _COUNT(text[:stop]) > budget:
            break
        end = stop
    return text[:end].strip()


def is_kept(fact: Fact, settings: Settings, sent: Turn) -> bool:
    """Tell whether the request holds the fact: as it was said, pinned, or with its key words in the summary."""
    if fact.turn > sent.turn:
        return False
    return settings.pinned or fact.position >= sent.first or fact.is_in(sent.summary)


def _compaction(talk: Conversation, settings: Settings, sent: Turn, before: list[Compaction]) -> Compaction:
    said = [fact for fact in talk.facts if fact.turn <= sent.turn]
    kept = tuple(fact.label for fact in said if is_kept(fact, settings, sent))
    held = before[0].kept if before else tuple(fact.label for fact in said)
    return Compaction(
        turn=sent.turn,
        compressed=sent.first,
        budget=sent.budget or 0,
        tokens=_COUNT(sent.summary),
        kept=kept,
        lost=tuple(label for label in held if label not in kept),
        said=len(said),
    )
