"""The newest messages, whole and in the order of time: what a long context window does without any search."""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import islice
from typing import TYPE_CHECKING

from everyword.domain.context import Context, Dropped, Evidence
from everyword.domain.message import Message
from everyword.domain.passage import ROLES
from everyword.domain.query import Query
from everyword.domain.trace import Place, Stage, Trace
from everyword.errors import ContextLengthExceeded, InvalidInputError
from everyword.packing.packer import LISTED_DROPS, Frame, Item, pack
from everyword.packing.render import line
from everyword.ports import MessageLog, SearchIndex
from everyword.retrieval.recipe import Recipe
from everyword.strategies.strategy import Sources, Strategy

if TYPE_CHECKING:
    from everyword.ports import Ints

_FIRST_READ = 32
_LARGEST_READ = 512
_SAMPLE = 64
_SURELY = 4
"""Times the budget from which an estimate is enough: a character is at most one token and hardly less than a quarter."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Window(Strategy):
    """A strategy that does not search: it reads from the newest message back until the budget is full."""

    turns: int | None = None
    """How many of the last turns at the most; a turn is a user message and all up to the next one. None: no limit."""
    is_all: bool = False
    """Whether a history that does not fit is an error."""

    def fill(self, sources: Sources, asked: Query, frame: Frame) -> Context:
        """Return the newest messages that fit. Raise ContextLengthExceeded."""
        return read(self, sources.index, sources.log, asked, frame)


WINDOW = Window(
    name="window",
    about="no search: the newest messages that fit; `window:20` for 20 turns at the most",
    recipe=Recipe(name="window", channels=()),
    show="whole",
)


def window(name: str) -> Window:
    """Return the window that `window:20` names. Raise InvalidInputError."""
    turns = name.removeprefix(f"{WINDOW.name}:")
    if not turns.isdecimal() or not int(turns):
        raise InvalidInputError(f"{name!r} is no window: use 'window', or 'window:20' for the last 20 turns.")
    return replace(WINDOW, name=name, turns=int(turns), recipe=Recipe(name=name, channels=()))


def read(strategy: Window, index: SearchIndex, log: MessageLog, query: Query, frame: Frame) -> Context:
    """Return the newest messages that fit, without a gap. Raise ContextLengthExceeded.

    By time; where the time of a message is not known, all by their arrival.
    """
    started = time.perf_counter()
    newest, characters = _newest_first(strategy, index, query)
    stage = Stage(
        name="newest",
        candidates=len(newest),
        places=_Places(newest),
        milliseconds=(time.perf_counter() - started) * 1000,
    )
    frame.trace = Trace(strategy=strategy.name, stages=(stage,))
    if strategy.is_all and _estimated(newest, characters, log, frame) > _SURELY * frame.budget:
        raise _too_long(newest, characters, log, frame)
    packed = pack(_items(newest, log, frame), frame)
    dropped = (*packed.dropped, *_older(packed, newest, log, frame))
    if strategy.is_all and dropped:
        raise _too_long(newest, characters, log, frame)
    return replace(packed, dropped=dropped)


def _newest_first(strategy: Window, index: SearchIndex, query: Query) -> tuple[Ints, int]:
    """Return the sequence numbers of the messages that the question lets in, and the characters of their passages."""
    import numpy as np

    from everyword.retrieval.gather import gather

    found = gather(index, query, strategy.recipe, None)
    corpus = found.corpus
    seqs, first = np.unique(corpus.seqs, return_index=True)
    times = corpus.created_us[first]
    is_dated = bool((times > np.iinfo(np.int64).min).all())
    order = (np.lexsort((seqs, times)) if is_dated else np.arange(len(seqs)))[::-1]
    chosen = found.allowed[first][order]
    if strategy.turns is not None:
        place = first[order]
        starts = (corpus.roles[place] == ROLES.index("user")) & (corpus.branches[place] == 0)
        chosen &= np.cumsum(starts) - starts < strategy.turns
    return seqs[order][chosen], int(corpus.lengths[found.allowed].sum())


def _items(newest: Ints, log: MessageLog, frame: Frame) -> Iterator[Item]:
    """Yield messages from the newest, until one does not fit: a window has no gap."""
    taken: set[int] = set()
    days: set[tuple[str, str]] = set()
    for rank, message in _messages(newest, log):
        evidence = _evidence(rank, message, frame)
        yield Item(
            rank=rank,
            score=evidence.score,
            messages=(message,),
            show=lambda evidence=evidence: _noted(evidence, taken),
            least=_cost(evidence, frame, days),
        )
        if message.seq not in taken:
            return


def _messages(newest: Ints, log: MessageLog, first: int = 1) -> Iterator[tuple[int, Message]]:
    """Yield messages with their rank, from one rank on; a longer window is read in larger portions."""
    start, size = first - 1, _FIRST_READ
    while start < len(newest):
        seqs = newest[start : start + size].tolist()
        messages = {message.seq: message for message in log.by_seq(seqs)}
        yield from ((start + place, messages[seq]) for place, seq in enumerate(seqs, 1) if seq in messages)
        start, size = start + size, min(2 * size, _LARGEST_READ)


def _evidence(rank: int, message: Message, frame: Frame) -> Evidence:
    whole = (0, len(message.text))
    return Evidence(
        message=message, spans=(whole,), score=1.0 / rank, rank=rank, tokens=frame.counter.count(message.text)
    )


def _noted(evidence: Evidence, taken: set[int]) -> tuple[Evidence, ...]:
    """Return what is shown, and keep that it was asked for: packing asks only for what has room."""
    taken.add(evidence.message.seq)
    return (evidence,)


def _cost(evidence: Evidence, frame: Frame, days: set[tuple[str, str]]) -> int:
    """Return the tokens of the line, and of its heading where it is the first under it."""
    written = line(evidence, frame.style, frame.locale)
    cost = frame.counter.count(f"{written.text('')}\n")
    day = (evidence.message.session_id, written.day)
    if written.day and day not in days:
        days.add(day)
        cost += frame.counter.count(f"{written.heading()}\n")
    return cost


def _older(packed: Context, newest: Ints, log: MessageLog, frame: Frame) -> Iterator[Dropped]:
    """Yield the first of the messages that were not tried, so that as many are listed as after a search."""
    tried = [each.rank for each in (*packed.evidence[frame.front :], *packed.dropped)]
    untried = _messages(newest, log, max(tried, default=0) + 1)
    for rank, message in islice(untried, max(0, LISTED_DROPS - len(packed.dropped))):
        yield Dropped(
            message_id=message.message_id,
            seq=message.seq,
            rank=rank,
            tokens=frame.counter.count(message.text),
            reason="rank",
        )


def _estimated(newest: Ints, characters: int, log: MessageLog, frame: Frame) -> int:
    """Return about how many tokens all messages take, as messages from every part of the history are written."""
    sample = newest[:: max(1, len(newest) // _SAMPLE)]
    found = [_evidence(rank, message, frame) for rank, message in _messages(sample, log)]
    words = sum(each.tokens for each in found)
    days: set[tuple[str, str]] = set()
    around = sum(_cost(each, frame, days) for each in found) - words
    read_characters = sum(len(each.message.text) for each in found) or 1
    every = words * characters // read_characters + around * len(newest) // max(1, len(found))
    return frame.counter.count(frame.question) + every


def _too_long(newest: Ints, characters: int, log: MessageLog, frame: Frame) -> ContextLengthExceeded:
    needed = max(_estimated(newest, characters, log, frame), frame.budget + 1)
    return ContextLengthExceeded(
        f"The whole history has {len(newest)} messages and takes about {needed} tokens, {needed - frame.budget} over the "
        f"budget of {frame.budget}. Raise budget=, or take strategy='window' for the newest messages that fit or "
        "'evidence' for those that answer.",
        needed=needed,
        budget=frame.budget,
    )


class _Places(Mapping[int, Place]):
    """Ranks by message, computed when somebody asks."""

    def __init__(self, newest: Ints) -> None:
        self._newest = newest

    @cached_property
    def _ranks(self) -> dict[int, int]:
        seqs: Sequence[int] = self._newest.tolist()
        return {seq: rank for rank, seq in enumerate(seqs, 1)}

    def __getitem__(self, seq: int) -> Place:
        rank = self._ranks[seq]
        return Place(rank=rank, score=1.0 / rank)

    def __iter__(self) -> Iterator[int]:
        return iter(self._ranks)

    def __len__(self) -> int:
        return len(self._newest)
