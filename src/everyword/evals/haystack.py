"""Histories of any length around the same questions: whole filler sessions between those that are there.

The same seed gives nested histories: what is in the shorter one is in the longer one, with the same dates, so that two
lengths differ in filler only.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from itertools import accumulate, islice, pairwise

from everyword.errors import InvalidInputError
from everyword.evals.dataset import Case, Question, Said
from everyword.evals.filler import Filler, Session, sessions_of, texts
from everyword.evals.generated.grammar import seeded

TOLERANCE = 0.01
"""Share of the wanted tokens by which a history may be shorter or longer."""
WINDOW = 24
"""Sessions beyond the last that fits, of which some may be taken to meet a length.

Histories are nested wherever the longer one is longer by more than these sessions.
"""
_TAKEN_BACK = 2
_GOLDEN = 0.6180339887498949
_SLOTS = 2**15
"""Sessions up to this number lie apart in time."""
_BESIDE = timedelta(days=30)
"""Time before and after a history that has none between its sessions."""
_LENGTH = re.compile(r"(\d+(?:\.\d+)?)([km]?)", re.IGNORECASE)
_UNITS = {"": 1, "k": 1_000, "m": 1_000_000}


def lengths(text: str) -> list[int]:
    """Return tokens, as in `15k,120k,1.2m`, each once. Raise InvalidInputError."""
    found: dict[int, None] = {}
    for part in text.split(","):
        match = _LENGTH.fullmatch(part.strip())
        tokens = round(float(match[1]) * _UNITS[match[2].lower()]) if match else 0
        if tokens < 1:
            raise InvalidInputError(f"{part.strip()!r} is no length: write for example 15k,120k,1.2m.")
        found[tokens] = None
    return list(found)


def tokens_of(case: Case) -> int:
    """Return the tokens of a history, by the estimate."""
    return sum(each.tokens for each in sessions_of(case.messages))


def compose(case: Case, tokens: int, filler: Filler, seed: int | str = 0) -> Case:
    """Return the case in a history of `tokens` tokens, within one part in a hundred.

    Whole filler sessions are dated evenly over the time between its sessions; questions, evidence and the texts of its
    messages stay as they are, and sessions are named by their place. Raise InvalidInputError where the history is longer
    already, or the filler cannot make this length.
    """
    own = list(sessions_of(case.messages))
    size = sum(each.tokens for each in own)
    if size > tokens * (1 + TOLERANCE):
        raise InvalidInputError(
            f"The history of {case.name!r} has {size} tokens already: {tokens} is too short for it."
        )
    known = {texts(each) for each in own}
    others = (each for each in _once(filler.sessions(str(seed))) if texts(each[1]) not in known)
    chosen = _chosen(others, tokens - size, int(tokens * TOLERANCE), filler.name)
    return _woven(case, own, _dated(case, own, chosen, seeded("dates", seed).random()))


def conditions(case: Case, wanted: Sequence[int], filler: Filler, seed: int | str = 0) -> Iterator[tuple[int, Case]]:
    """Yield (tokens, case) for each length: the same questions and evidence, and nothing but more filler."""
    for tokens in wanted:
        yield tokens, compose(case, tokens, filler, seed)


# ---- which sessions ----

Numbered = tuple[int, Session]
"""A session and its number in the stream."""


def _once(stream: Iterator[Session]) -> Iterator[Numbered]:
    """Yield the sessions with their numbers, without repeats."""
    seen: set[tuple[str, ...]] = set()
    for number, each in enumerate(stream):
        said = texts(each)
        if said not in seen:
            seen.add(said)
            yield number, each


def _chosen(stream: Iterator[Numbered], missing: int, tolerance: int, name: str) -> list[Numbered]:
    """Return the first sessions that fill what is missing; where they do not meet it, a few of the next as well."""
    found: list[Numbered] = []
    total = 0
    for number, each in stream:
        if total + each.tokens > missing:
            window = [(number, each), *islice(stream, WINDOW - 1)]
            return _met(found, window, missing, tolerance)
        found.append((number, each))
        total += each.tokens
    if missing - total > tolerance:
        raise InvalidInputError(
            f"{name!r} has only {total} tokens of filler and {missing} are missing: add generated filler."
        )
    return found


def _met(found: list[Numbered], window: list[Numbered], missing: int, tolerance: int) -> list[Numbered]:
    """Return the sessions and those of the window that come near enough to what is missing."""
    total = sum(each.tokens for _, each in found)
    if missing - total <= tolerance:
        return found
    if total + window[0][1].tokens - missing <= tolerance:
        return [*found, window[0]]
    kept, pool = found[:-_TAKEN_BACK], [*found[-_TAKEN_BACK:], *window]
    wanted = missing - sum(each.tokens for _, each in kept)
    places = _nearest([each.tokens for _, each in pool], wanted, tolerance)
    if places is None:
        raise InvalidInputError(
            f"No sessions of this filler make up {missing} tokens within {tolerance}: they are too long for it. Use "
            "generated filler, or a longer history."
        )
    return [*kept, *(pool[place] for place in places)]


def _nearest(sizes: Sequence[int], wanted: int, tolerance: int) -> tuple[int, ...] | None:
    """Return places of sizes whose sum is nearest to `wanted`; None where none is within the tolerance."""
    reached: dict[int, tuple[int, ...]] = {0: ()}
    for place, size in enumerate(sizes):
        for total, places in list(reached.items()):
            if total + size <= wanted + tolerance:
                reached.setdefault(total + size, (*places, place))
    best = min(reached, key=lambda total: (abs(total - wanted), total))
    return reached[best] if abs(best - wanted) <= tolerance else None


# ---- when ----


@dataclass(frozen=True, slots=True, kw_only=True)
class _Gap:
    """Time that is free for filler before the own session with this place."""

    place: int
    start: datetime | None
    length: float
    """Seconds; where no dates are known, every gap is 1."""


Dated = tuple[int, float, Session]
"""The own session that it stands before, how long after the beginning of the gap, and a session with its dates moved."""


def _dated(case: Case, own: Sequence[Session], chosen: Sequence[Numbered], first: float) -> list[Dated]:
    """Return the sessions spread evenly over the gaps, in order of time.

    The number of a session in its stream gives its time: multiples of the golden ratio, which are spread evenly however
    many there are.
    """
    gaps = _gaps(case, own)
    ends = list(accumulate(gap.length for gap in gaps))
    found = [_in_gap(each, (first + number * _GOLDEN) % 1.0 * ends[-1], gaps, ends) for number, each in chosen]
    return sorted(found, key=lambda each: each[:2])


def _in_gap(each: Session, at: float, gaps: Sequence[_Gap], ends: Sequence[float]) -> Dated:
    place = min(bisect_right(ends, at), len(ends) - 1)
    gap = gaps[place]
    after = at - (ends[place] - gap.length)
    return gap.place, after, _moved(each, gap, after, ends[-1])


def _moved(each: Session, gap: _Gap, after: float, time: float) -> Session:
    """Return the session at its new time, drawn together so that it is over before another one begins."""
    if gap.start is None:
        return replace(each, messages=tuple(replace(said, created_at=None) for said in each.messages))
    apart = _apart(each)
    shrunk = min(1.0, 0.3 * time / _SLOTS / max(apart[-1], 1.0))
    moved = tuple(
        replace(said, created_at=_later(gap.start, min(after + seconds * shrunk, gap.length)))
        for said, seconds in zip(each.messages, apart, strict=True)
    )
    return replace(each, messages=moved)


def _later(start: datetime, seconds: float) -> str:
    return (start + timedelta(seconds=seconds)).isoformat(timespec="seconds")


def _apart(each: Session) -> list[float]:
    """Return the seconds from the first message to each: as they were, or a minute each where that is not known."""
    times = [_time(said) for said in each.messages]
    known = [time for time in times if time is not None]
    if len(known) == len(times):
        seconds = [(time - known[0]).total_seconds() for time in known]
        if seconds == sorted(seconds):
            return seconds
    return [60.0 * place for place in range(len(times))]


def _gaps(case: Case, own: Sequence[Session]) -> list[_Gap]:
    """Return the time between the own sessions; before and after them where there is none between."""
    times = [(_time(each.messages[0]), _time(each.messages[-1])) for each in own]
    spans = [(start, end) for start, end in times if start is not None and end is not None]
    if len(spans) < len(times) or not spans:
        return [_Gap(place=place, start=None, length=1.0) for place in range(1, len(own)) or (0, len(own))]
    between = [
        _Gap(place=place, start=end, length=max(0.0, (start - end).total_seconds()))
        for place, ((_, end), (start, _)) in enumerate(pairwise(spans), 1)
    ]
    if sum(gap.length for gap in between) > 0:
        return between
    start, end = spans[0][0], spans[-1][1]
    after = min([*(asked - end for asked in _asked(case.questions) if asked > end), _BESIDE])
    return [
        _Gap(place=0, start=start - _BESIDE, length=_BESIDE.total_seconds()),
        _Gap(place=len(own), start=end, length=after.total_seconds()),
    ]


def _asked(questions: Sequence[Question]) -> Iterator[datetime]:
    for question in questions:
        if question.asked_at is not None:
            yield datetime.fromisoformat(question.asked_at)


def _time(said: Said) -> datetime | None:
    return datetime.fromisoformat(said.created_at) if said.created_at else None


# ---- the new history ----


def _woven(case: Case, own: Sequence[Session], others: Sequence[Dated]) -> Case:
    """Return the case with the other sessions before, between and after its own."""
    messages: list[Said] = []
    places: list[int] = []
    """Of the case's own messages in the new history."""
    names: dict[str, str] = {}
    rest = iter(others)
    ahead = next(rest, None)
    number = 0
    for place in range(len(own) + 1):
        while ahead is not None and ahead[0] == place:
            number += 1
            messages.extend(_named(ahead[2].messages, f"session-{number}"))
            ahead = next(rest, None)
        if place < len(own):
            number += 1
            name = names.setdefault(own[place].messages[0].session, f"session-{number}")
            places.extend(range(len(messages), len(messages) + len(own[place].messages)))
            messages.extend(_named(own[place].messages, name))
    questions = tuple(_replaced(question, places, names, len(messages)) for question in case.questions)
    return replace(case, messages=tuple(messages), questions=questions)


def _named(messages: Sequence[Said], name: str) -> Iterator[Said]:
    return (replace(said, session=name) for said in messages)


def _replaced(question: Question, places: Sequence[int], names: dict[str, str], size: int) -> Question:
    """Return the question with its evidence where it is now."""
    return replace(
        question,
        evidence=frozenset(places[place] for place in question.evidence),
        quotes=tuple((places[place], words) for place, words in question.quotes),
        sessions=frozenset(names.get(name, name) for name in question.sessions),
        known=_known(question.known, places, size),
    )


def _known(known: int | None, places: Sequence[int], size: int) -> int | None:
    """Return how many messages of the new history are there when the question is asked."""
    if known is None:
        return None
    return places[known] if known < len(places) else size
