"""What each strategy sends at each turn, what is left of the facts, and what it costs. `page/engine.js` is its twin.

A request at turn n carries a system prompt of 180 tokens and what the strategy makes of the messages of n turns:

    truncate   the newest messages that fit in the window
    summary    the newest messages as they are, all older ones at a ratio of their tokens; an ideal summary, which loses
               no fact; as few are compressed as make it fit
    full       every message, or an error
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal, get_args

from everyword.errors import InvalidInputError
from everyword.lab.conversation import Conversation, Fact

Strategy = Literal["truncate", "summary", "full"]
STRATEGIES: tuple[Strategy, ...] = get_args(Strategy)

OVERHEAD = 180
"""Tokens of the system prompt, in every request."""
MILLION = 1_000_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """One experiment."""

    strategy: Strategy = "truncate"
    window: int = 32_768
    """Tokens that a request may have."""
    turns: int = 120
    ratio: float = 0.3
    """Tokens of a summary for one token that it stands for."""
    price: float = 2.5
    """US dollars for a million input tokens."""
    cached_price: float | None = None
    """The same for input that repeats the beginning of the request before; None: as `price`."""
    pinned: bool = False
    """Whether each fact, once it was said, is also kept in the system prompt."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Request:
    """What is sent after one turn."""

    first: int
    """How many of the oldest messages are not sent as they are."""
    pinned: int
    """Tokens of the facts in the system prompt."""
    summary: int
    tokens: int
    """All of it, system prompt included."""
    cached: int = 0
    """Tokens at the beginning that the request before had at its beginning too."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Result:
    """What came of one experiment, at its last turn."""

    settings: Settings
    request: Request
    cumulative_tokens: int
    """Input tokens of the requests of all turns."""
    kept: tuple[Fact, ...]
    """Facts that were said and are in the request; none where it cannot be sent."""
    lost: tuple[Fact, ...]
    recall: float
    """Facts kept, of all facts of the conversation."""
    cost: float
    """US dollars for the requests of all turns."""
    single_cost: float
    needed: int
    """Tokens that the window must have: of the request, or of its longest message alone with the system prompt."""
    capacity_turns: int
    """The most turns that fit in the window whole."""

    @property
    def overflow(self) -> bool:
        """Whether the request cannot be sent, so that nothing can be asked."""
        return self.needed > self.settings.window

    @property
    def error(self) -> dict[str, Any] | None:
        if not self.overflow:
            return None
        window = self.settings.window
        return {
            "code": "context_length_exceeded",
            "tokens": self.needed,
            "window": window,
            "excess": self.needed - window,
            "message": f"context_length_exceeded:当前 {self.needed:,} tokens 超过窗口 {window:,}",
        }

    def document(self) -> dict[str, Any]:
        """Return the JSON that `window.__lab.run` returns for the same settings."""
        chosen, sent = self.settings, self.request
        return {
            "strategy": chosen.strategy,
            "window": chosen.window,
            "turns": chosen.turns,
            "ratio": chosen.ratio,
            "price": chosen.price,
            "cachedPrice": chosen.cached_price,
            "pinned": chosen.pinned,
            "inputTokens": sent.tokens,
            "cumulativeTokens": self.cumulative_tokens,
            "recall": self.recall,
            "keptFacts": [_named(fact) for fact in self.kept],
            "droppedFacts": [_named(fact) for fact in self.lost],
            "cost": self.cost,
            "singleCost": self.single_cost,
            "overflow": self.overflow,
            "probeBlocked": self.overflow,
            "error": self.error,
            "untouchedFrom": sent.first,
            "droppedMessages": sent.first if chosen.strategy == "truncate" else 0,
            "compressedMessages": sent.first if chosen.strategy == "summary" else 0,
            "summaryTokens": sent.summary,
            "pinnedTokens": sent.pinned,
            "cachedTokens": sent.cached,
            "capacityTurns": self.capacity_turns,
        }


def _named(fact: Fact) -> dict[str, Any]:
    return {"turn": fact.turn, "label": fact.label}


def run(talk: Conversation, settings: Settings) -> Result:
    """Return what comes of an experiment. Raise InvalidInputError for settings that none can have."""
    check(talk, settings)
    sent = requests(talk, settings)
    needed = _needed(talk, settings, sent[-1])
    said = [fact for fact in talk.facts if fact.turn <= settings.turns]
    kept = [] if needed > settings.window else [fact for fact in said if _is_sent(fact, settings, sent[-1])]
    return Result(
        settings=settings,
        request=sent[-1],
        cumulative_tokens=sum(request.tokens for request in sent),
        kept=tuple(kept),
        lost=tuple(fact for fact in said if fact not in kept),
        recall=len(kept) / len(talk.facts) if talk.facts else 0.0,
        cost=_cost(sent, settings),
        single_cost=_cost(sent[-1:], settings),
        needed=needed,
        capacity_turns=_capacity(talk, settings),
    )


def check(talk: Conversation, settings: Settings) -> None:
    """Raise InvalidInputError for settings that no experiment can have."""
    if settings.strategy not in STRATEGIES:
        raise InvalidInputError(f"There is no strategy {settings.strategy!r}: choose one of {', '.join(STRATEGIES)}.")
    if not 1 <= settings.turns <= talk.turns:
        raise InvalidInputError(f"turns={settings.turns!r}: this conversation has 1 to {talk.turns}.")
    if settings.window < 1:
        raise InvalidInputError(f"window={settings.window!r}: a window has at least 1 token.")
    if not 0 <= settings.ratio <= 1:
        raise InvalidInputError(f"ratio={settings.ratio!r}: a summary has 0 to 1 of the tokens that it stands for.")
    prices = [settings.price, settings.cached_price or 0.0]
    if not all(math.isfinite(price) and price >= 0 for price in prices):
        raise InvalidInputError(f"Prices are not negative: {settings.price!r}, {settings.cached_price!r}.")


def requests(talk: Conversation, settings: Settings) -> list[Request]:
    """Return the request of each turn, the first one first."""
    sent: list[Request] = []
    for turn in range(1, settings.turns + 1):
        sent.append(_request(talk, settings, turn, sent[-1] if sent else None))
    return sent


def pinned_at(talk: Conversation, settings: Settings, turn: int) -> int:
    """Return the tokens of the facts that are pinned at a turn: those that were said by then."""
    return sum(fact.pinned_tokens for fact in talk.facts if fact.turn <= turn) if settings.pinned else 0


def _request(talk: Conversation, settings: Settings, turn: int, before: Request | None) -> Request:
    """Return the request of a turn; what did not fit at the turn before does not fit now."""
    end, first = talk.ends[turn], before.first if before else 0
    pinned = pinned_at(talk, settings, turn)
    base = OVERHEAD + pinned + talk.sums[end]
    while settings.strategy != "full" and first < end and base + _saved(talk, settings, first) > settings.window:
        first += 1
    tokens = base + _saved(talk, settings, first)
    cached = _cached(before, first, pinned) if before else 0
    return Request(first=first, pinned=pinned, summary=_summary(talk, settings, first), tokens=tokens, cached=cached)


def _saved(talk: Conversation, settings: Settings, first: int) -> int:
    """Return what is added, mostly less than nothing, where the messages before `first` are not sent as they are."""
    return _summary(talk, settings, first) - talk.sums[first]


def _summary(talk: Conversation, settings: Settings, first: int) -> int:
    """Return the tokens of the summary of the messages before `first`."""
    return half_up(settings.ratio * talk.sums[first]) if settings.strategy == "summary" else 0


def half_up(value: float) -> int:
    """Return the nearest integer, halves up, as the twin does."""
    return math.floor(value + 0.5)


def _cached(before: Request, first: int, pinned: int) -> int:
    """Return how much of a request repeats the one before: all of that one, or its system prompt, or part of that."""
    if pinned != before.pinned:
        return OVERHEAD
    return before.tokens if first == before.first else OVERHEAD + pinned


def _needed(talk: Conversation, settings: Settings, sent: Request) -> int:
    longest = talk.longest[talk.ends[settings.turns]]
    return max(sent.tokens, OVERHEAD + sent.pinned + longest)


def _is_sent(fact: Fact, settings: Settings, sent: Request) -> bool:
    return settings.strategy != "truncate" or settings.pinned or fact.position >= sent.first


def _cost(sent: Sequence[Request], settings: Settings) -> float:
    tokens = sum(request.tokens for request in sent)
    if settings.cached_price is None:
        return tokens * settings.price / MILLION
    cached = sum(request.cached for request in sent)
    return ((tokens - cached) * settings.price + cached * settings.cached_price) / MILLION


def _capacity(talk: Conversation, settings: Settings) -> int:
    turns = range(1, talk.turns + 1)
    return next((turn - 1 for turn in turns if _whole(talk, settings, turn) > settings.window), talk.turns)


def _whole(talk: Conversation, settings: Settings, turn: int) -> int:
    return OVERHEAD + pinned_at(talk, settings, turn) + talk.sums[talk.ends[turn]]
