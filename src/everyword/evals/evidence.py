"""What a question needs, and how much of it is in a context: messages, their exact sentences, or sessions."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from everyword.domain.context import Context
from everyword.domain.message import Message
from everyword.evals.dataset import Question, Said
from everyword.evals.measures import distinct, worst_rank
from everyword.evals.order import Order
from everyword.evals.outcome import Miss
from everyword.text.tokens import EstimateCounter

LONG = 256
"""Tokens above which a message counts as packed when a part of it is."""
TRIED = 300
"""Candidates that packing tries at the most; what stands deeper was not found."""
_STAGES: tuple[Miss, ...] = ("not stored", "not found", "not packed")
_COUNTER = EstimateCounter()

Span = tuple[int, int]


@dataclass(slots=True, kw_only=True)
class History:
    """A case in a memory: its messages, and under which sequence number each is stored."""

    messages: Sequence[Said]
    seqs: list[int] = field(default_factory=list[int])
    """By place; grows as the memory is filled."""
    places: dict[int, int] = field(default_factory=dict[int, int])
    """By sequence number."""
    sessions: dict[str, list[int]] = field(default_factory=dict[str, list[int]])
    """Places of the messages of each session that are stored."""

    def stored(self, seqs: Iterable[int]) -> None:
        """Take the numbers of the next messages."""
        for seq in seqs:
            place = len(self.seqs)
            self.places[seq] = place
            self.sessions.setdefault(self.messages[place].session, []).append(place)
            self.seqs.append(seq)

    def seq(self, place: int) -> int | None:
        """Return the number of a message; None: it is not stored."""
        return self.seqs[place] if place < len(self.seqs) else None


@dataclass(frozen=True, slots=True, kw_only=True)
class Need:
    """One piece of evidence: a message, or any message of a session."""

    places: tuple[int, ...]
    """Any of them will do."""
    is_session: bool = False
    quotes: tuple[str, ...] = ()
    """What has to be shown of the message, where that is known; all of it otherwise."""


def needs(question: Question, history: History) -> list[Need]:
    """Return the evidence of a question; sessions where the publisher names no messages. Empty: none is known."""
    if question.evidence:
        quotes: dict[int, list[str]] = {}
        for place, words in question.quotes:
            quotes.setdefault(place, []).append(words)
        return [Need(places=(each,), quotes=tuple(quotes.get(each, ()))) for each in sorted(question.evidence)]
    if not question.sessions:
        return []
    found = history.sessions
    return [Need(places=tuple(found.get(name, ())), is_session=True) for name in sorted(question.sessions)]


def roles(question: Question, messages: Sequence[Said]) -> tuple[str, ...]:
    """Return the roles that hold the evidence of a question, sorted."""
    return tuple(sorted({messages[place].role for place in question.evidence}))


class Shown:
    """The messages of a context, and which characters of each are in it."""

    def __init__(self, context: Context) -> None:
        self._messages: dict[int, Message] = {message.seq: message for message in context.recent}
        self._spans: dict[int, list[Span]] = {seq: [(0, len(each.text))] for seq, each in self._messages.items()}
        for each in context.evidence:
            self._messages[each.message.seq] = each.message
            self._spans.setdefault(each.message.seq, []).extend(each.spans)

    def __contains__(self, seq: object) -> bool:
        return seq in self._messages

    def is_whole(self, seq: int) -> bool:
        """Tell whether all words of a message are shown."""
        if seq not in self._messages:
            return False
        text, spans = self._messages[seq].text, _joined(self._spans[seq])
        return not text.strip() or any(start <= 0 and stop >= len(text) for start, stop in spans)

    def has(self, seq: int, quote: str) -> bool:
        """Tell whether these words of a message are shown in one piece."""
        if seq not in self._messages:
            return False
        text, words = self._messages[seq].text, " ".join(quote.split())
        return any(words in " ".join(text[start:stop].split()) for start, stop in _joined(self._spans[seq]))


@dataclass(frozen=True, slots=True)
class Judged:
    """How a context serves what a question needs."""

    history: History
    wanted: list[Need]
    shown: Shown
    order: Order

    @property
    def share(self) -> float:
        """Return the share of the evidence that is shown; a long message counts when a part of it is."""
        return sum(self.is_shown(need) for need in self.wanted) / len(self.wanted)

    @property
    def share_whole(self) -> float:
        """Return the share of the evidence all of whose words are shown."""
        return sum(any(map(self.shown.is_whole, self._seqs(need))) for need in self.wanted) / len(self.wanted)

    @property
    def worst_rank(self) -> int | None:
        """Return the rank of the evidence that stands last; None: one is in no list."""
        return worst_rank(self.rank(need) for need in self.wanted)

    @property
    def miss(self) -> Miss | None:
        """Return where the first of the missing evidence was lost."""
        lost = {each for need in self.wanted if (each := self.lost(need)) is not None}
        return next((stage for stage in _STAGES if stage in lost), None)

    def is_shown(self, need: Need) -> bool:
        """Tell whether a piece of evidence is in the context."""
        seqs = self._seqs(need)
        if need.quotes:
            return any(all(self.shown.has(seq, quote) for quote in need.quotes) for seq in seqs)
        if need.is_session:
            return any(seq in self.shown for seq in seqs)
        return any(self.shown.is_whole(seq) or (seq in self.shown and self._is_long(seq)) for seq in seqs)

    def lost(self, need: Need) -> Miss | None:
        """Return where a piece of evidence was lost; None: it is shown."""
        if self.is_shown(need):
            return None
        if not self._seqs(need):
            return "not stored"
        rank = self.rank(need)
        tried = (rank is not None and rank <= TRIED) or any(seq in self.shown for seq in self._seqs(need))
        return "not packed" if tried else "not found"

    def rank(self, need: Need) -> int | None:
        """Return the best rank among the messages of a piece of evidence."""
        return min((rank for seq in self._seqs(need) if (rank := self.rank_of(seq)) is not None), default=None)

    def rank_of(self, seq: int) -> int | None:
        """Return the rank of a message in the final order."""
        return self.order.rank(seq)

    def ranked_places(self) -> list[int]:
        """Return the places of the first messages, best first."""
        return [self.history.places[seq] for seq in self.order.ranks if seq in self.history.places]

    def ranked_sessions(self) -> list[str]:
        """Return the session of each of the first messages, best first."""
        return [self.history.messages[place].session for place in self.ranked_places()]

    def distinct_sessions(self) -> list[str]:
        """Return the sessions by their best message."""
        return [str(each) for each in distinct(self.ranked_sessions())]

    def _seqs(self, need: Need) -> list[int]:
        return [seq for place in need.places if (seq := self.history.seq(place)) is not None]

    def _is_long(self, seq: int) -> bool:
        return _COUNTER.count(self.history.messages[self.history.places[seq]].text) > LONG


def _joined(spans: Iterable[Span]) -> list[Span]:
    """Return the spans in order, those that touch as one."""
    found: list[Span] = []
    for start, stop in sorted(spans):
        if found and start <= found[-1][1]:
            found[-1] = (found[-1][0], max(stop, found[-1][1]))
        else:
            found.append((start, stop))
    return found
