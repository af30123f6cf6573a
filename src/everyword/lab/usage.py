"""The same conversation through a real endpoint: the input tokens that it reports beside the estimate."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from everyword.errors import ContextLengthExceeded, ProviderError
from everyword.lab.chat import Chat, chat
from everyword.lab.compaction import Summariser, Turn, compact
from everyword.lab.conversation import Conversation, Fact
from everyword.lab.engine import Settings, requests, run
from everyword.ports import LanguageModel, Progress, Reply
from everyword.text.tokens import least_squares, through_origin

_WORDS_OF_AN_ANSWER = 200
_ANSWER_TO_COUNT = 16
_GO_ON = "請繼續。"


@dataclass(frozen=True, slots=True, kw_only=True)
class Counted:
    """One request, by the estimate and by the endpoint."""

    turn: int
    estimate: int
    reported: int
    cached: int
    """Of the reported: what the endpoint had in its prefix cache."""
    probe: str | None = None
    """Label of the fact that was asked for, at the last turn."""
    is_answered: bool | None = None

    def document(self) -> dict[str, Any]:
        named = {"turn": self.turn, "estimate": self.estimate, "reported": self.reported, "cached": self.cached}
        return {**named, "ratio": self.reported / self.estimate, "probe": self.probe, "isAnswered": self.is_answered}


@dataclass(frozen=True, slots=True, kw_only=True)
class Reported:
    """What an endpoint counts for what is estimated: `reported = ratio * estimate + overhead`."""

    model: str
    rows: tuple[Counted, ...]
    ratio: float
    overhead: float

    @property
    def asked(self) -> int:
        return sum(row.probe is not None for row in self.rows)

    @property
    def answered(self) -> int:
        return sum(bool(row.is_answered) for row in self.rows)

    def document(self) -> dict[str, Any]:
        return {
            "model": self.model,
            "ratio": self.ratio,
            "overhead": self.overhead,
            "asked": self.asked,
            "answered": self.answered,
            "rows": [row.document() for row in self.rows],
        }


def reported(
    talk: Conversation,
    settings: Settings,
    model: LanguageModel,
    summariser: Summariser,
    *,
    every: int = 10,
    on_row: Callable[[Counted], None] | None = None,
    progress: Progress | None = None,
) -> Reported:
    """Send the request of every so many turns, and of the last one every probe; return the counts with their fit.

    `summariser` makes the summaries of the strategy that has some. What a strategy cannot send is not sent. Raise
    ContextLengthExceeded where that is all, ProviderError where the endpoint does not tell what it counted.
    """
    asked = list(_asked(talk, settings, summariser, every))
    if not asked:
        error = run(talk, settings).error or {}
        raise ContextLengthExceeded(error.get("message"), needed=error.get("tokens", 0), budget=settings.window)
    rows: list[Counted] = []
    for turn, sent, fact in asked:
        rows.append(_counted(turn, sent, fact, model))
        if on_row is not None:
            on_row(rows[-1])
        if progress is not None:
            progress(len(rows), len(asked))
    ratio, overhead = fit([(row.estimate, row.reported) for row in rows])
    return Reported(model=model.identity.name, rows=tuple(rows), ratio=ratio, overhead=overhead)


def _asked(
    talk: Conversation, settings: Settings, summariser: Summariser, every: int
) -> Iterator[tuple[int, Chat, Fact | None]]:
    """Yield the requests to send; those of the last turn with the fact that each asks for."""
    for number, each in enumerate(_chosen(talk, settings, summariser, every)):
        said = [fact for fact in talk.facts if fact.turn <= each.turn]
        probes: list[Fact | None] = [*said] if each.turn == settings.turns and said else [None]
        for fact in probes:
            asked_for = fact or (said[number % len(said)] if said else None)
            question = asked_for.probe if asked_for else _GO_ON
            sent = chat(
                talk,
                turn=each.turn,
                first=each.first,
                summary=each.summary,
                is_pinned=settings.pinned,
                question=question,
            )
            yield each.turn, sent, fact


def _chosen(talk: Conversation, settings: Settings, summariser: Summariser, every: int) -> Iterator[_Sent]:
    """Yield what is sent at the turns that are looked at, left out what does not fit."""
    for sent in _all(talk, settings, summariser):
        is_wanted = sent.turn % every == 0 or sent.turn == settings.turns
        if is_wanted and sent.tokens <= settings.window:
            yield sent


@dataclass(frozen=True, slots=True, kw_only=True)
class _Sent:
    turn: int
    first: int
    summary: str
    tokens: int


def _all(talk: Conversation, settings: Settings, summariser: Summariser) -> list[_Sent]:
    if settings.strategy == "summary":
        return [_of_turn(each) for each in compact(talk, settings, summariser).turns]
    sent = requests(talk, settings)
    return [_Sent(turn=turn, first=each.first, summary="", tokens=each.tokens) for turn, each in enumerate(sent, 1)]


def _of_turn(each: Turn) -> _Sent:
    return _Sent(turn=each.turn, first=each.first, summary=each.summary, tokens=each.tokens)


def _counted(turn: int, sent: Chat, fact: Fact | None, model: LanguageModel) -> Counted:
    most = _WORDS_OF_AN_ANSWER if fact else _ANSWER_TO_COUNT
    reply = model.complete(sent.messages, max_tokens=most, purpose="lab usage")
    return Counted(
        turn=turn,
        estimate=sent.estimate,
        reported=_input_tokens(reply, model),
        cached=reply.usage.cached_tokens,
        probe=fact.label if fact else None,
        is_answered=fact.is_in(reply.text) if fact else None,
    )


def _input_tokens(reply: Reply, model: LanguageModel) -> int:
    if reply.usage.is_estimated or reply.usage.input_tokens < 1:
        raise ProviderError(
            f"{model.identity.name!r} does not report its input tokens, so there is nothing to compare."
        )
    return reply.usage.input_tokens


def fit(pairs: Sequence[tuple[int, int]]) -> tuple[float, float]:
    """Return ratio and overhead by least squares; the ratio alone where the requests are too alike to tell them apart."""
    ratio, overhead = least_squares(pairs)
    return (ratio, overhead) if ratio > 0 and overhead >= 0 else (through_origin(pairs), 0.0)
