"""Sessions that make a history longer without answering its questions: of other histories, or generated."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import chain, groupby
from random import Random

from everyword.evals.dataset import Dataset, Said
from everyword.evals.generated.chatter import talk
from everyword.evals.generated.grammar import seeded, shuffled
from everyword.evals.generated.stock import known_language
from everyword.text.tokens import EstimateCounter

_count = EstimateCounter().count


@dataclass(frozen=True, slots=True, kw_only=True)
class Session:
    """Messages of one sitting; their dates only tell how far they are apart."""

    messages: tuple[Said, ...]
    tokens: int
    """By the estimate."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Filler:
    """Where sessions come from."""

    name: str
    sessions: Callable[[str], Iterator[Session]]
    """By a seed, one after the other, always in the same order for the same seed."""


def session(messages: Iterable[Said]) -> Session:
    """Return messages with their tokens counted."""
    found = tuple(messages)
    return Session(messages=found, tokens=sum(_count(said.text) for said in found))


def sessions_of(messages: Iterable[Said]) -> Iterator[Session]:
    """Yield the messages that stand together in one session, in order."""
    for _, together in groupby(messages, key=lambda said: said.session):
        yield session(together)


# ---- of other histories ----


def from_dataset(dataset: Dataset) -> Filler:
    """Return every session of a data set, its texts as they are, each once even where histories share it."""
    pool: dict[tuple[str, ...], Session] = {}
    for case in dataset.cases:
        for each in sessions_of(case.messages):
            pool.setdefault(texts(each), each)
    found = list(pool.values())
    return Filler(name=dataset.name, sessions=lambda seed: iter(shuffled(found, seeded("filler", seed))))


def texts(found: Session) -> tuple[str, ...]:
    """Return what two sessions have in common that are the same."""
    return tuple(said.text for said in found.messages)


# ---- generated ----

_LONGEST = 5_500
"""Tokens of a session."""
_START = 10_000
_GROWTH = 0.0195
"""Most that a session adds to _START and those before it, so that any length from there is met within one part in a hundred."""
_LEAST_SHARE = 0.55
"""Of the most, that a session has at least."""


def generated(language: str) -> Filler:
    """Return talk on everyday subjects without end. Raise InvalidInputError for an unknown language.

    The first sessions are short and later ones long, so that a history can be made of whole sessions at any length. It is
    put together from a finite stock of sentences (see `generated.chatter`), which a cache of vectors by clause embeds once.
    """
    known_language(language)
    return Filler(name=f"generated-{language}", sessions=lambda seed: _talks(language, seeded("talk", language, seed)))


def _talks(language: str, random: Random) -> Iterator[Session]:
    total = _START
    while True:
        most = min(_LONGEST, total * _GROWTH)
        lines = talk(language, random, int(most * random.uniform(_LEAST_SHARE, 1.0)))
        found = session(Said(role=role, text=text, session="", created_at=None) for role, text in lines)
        total += found.tokens
        yield found


def in_turn(fillers: Sequence[Filler]) -> Filler:
    """Return all sessions of the first, then of the second, and so on."""
    return Filler(
        name=" then ".join(filler.name for filler in fillers),
        sessions=lambda seed: chain.from_iterable(filler.sessions(seed) for filler in fillers),
    )
