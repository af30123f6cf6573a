"""Claims in front, and what else fits behind them: the newest messages, evidence, or nothing."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal

from everyword.claims.archive import asked_about
from everyword.claims.caps import PROFILE_CHARACTERS, in_profile, used
from everyword.claims.grounding import exact, is_about_assistant
from everyword.domain.claim import Claim, Told
from everyword.domain.context import Context, Evidence
from everyword.domain.message import Message
from everyword.domain.query import Query
from everyword.domain.summary import SummaryLine, Written
from everyword.domain.trace import Place, Stage, Trace
from everyword.packing.packer import Frame, Item, pack, room
from everyword.packing.section import Section, Source, claim_line, section, usage_line, written_intro, written_line
from everyword.strategies.front import LEAST, within
from everyword.strategies.strategy import Sources, Strategy, searched
from everyword.strategies.window import WINDOW, read

Behind = Literal["nothing", "newest", "evidence"]
_KINDS = ("procedure", "profile", "entity", "edge", "note")
"""What is kept first where not all has room."""
WRITTEN: frozenset[Source] = frozenset({"summary", "notes", "profile"})
"""Sections whose lines a language model may write; facts that are pinned stay the user's words."""
_LIST = 3
"""Exact words from which on a claim is a list, whose parts nobody could say again."""
_ROUNDING = 8
"""Tokens that parts may take more together than one by one."""
_Line = tuple[tuple[float, int, int], tuple[tuple[Evidence, ...], str]]
"""A line with its sources, and its place in time."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Unit:
    """What is shown in one line: a claim in the user's words, or what a language model wrote from one or more."""

    claims: tuple[Claim, ...]
    text: str | None = None
    """None: the words of the claim."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Claimed(Strategy):
    """A strategy that begins with what the user has said about themselves."""

    front: Source
    behind: Behind = "nothing"
    share: float = 1.0
    """Of the room, the most that claims may take."""
    turns: int | None = None
    """Turns that stand behind them at the most, where these are the newest; None: as many as fit."""
    characters: int | None = None
    """Of the lines in front at the most, numbers and dates included; None: as many as fit. The profile has its own."""

    def fill(self, sources: Sources, asked: Query, frame: Frame) -> Context:
        """Return claims and what stands behind them. Raise ContextLengthExceeded."""
        told = sources.claims()
        written = sources.written(told.claims) if self.front in WRITTEN else Written()
        frame.trace = traced(self.name, replace(told, notes=(*told.notes, *written.notes)))
        found = let_in(told.claims, asked)
        if self.behind == "newest":
            return _with_newest(self, found, written.lines, sources, asked, frame)
        chosen = in_order_of_need(found, self.front)
        most = int(self.share * room(frame))
        frame.sections = fitted(
            self.front, chosen, sources, frame, most=most, lines=written.lines, characters=self.characters
        )
        return searched(self, sources, asked, frame) if self.behind == "evidence" else pack((), frame)


def traced(name: str, told: Told) -> Trace:
    """Return the trace of a context that begins with claims, and what to know about them."""
    places = {claim.seq: Place(rank=rank, score=1.0 / rank) for rank, claim in enumerate(told.claims, 1)}
    stage = Stage(name="claims", candidates=len(told.claims), places=places)
    return Trace(strategy=name, stages=(stage,), notes=told.notes)


def let_in(claims: Sequence[Claim], asked: Query) -> list[Claim]:
    """Return the claims that a question lets in."""
    return asked_about([claim for claim in claims if _is_let_in(claim, asked)], asked.text)


def _is_let_in(claim: Claim, asked: Query) -> bool:
    """Tell whether the conditions of a question let a claim in; what is shown as a recent turn is not said twice.

    What the user says about the assistant (`你是阿里員工`) is no fact about the user, whoever took it for one.
    """
    if claim.seq in asked.hidden_seqs or claim.state == "joke" or claim.is_corrected or is_about_assistant(claim.text):
        return False
    if asked.roles is not None and claim.author_role not in asked.roles:
        return False
    if asked.after is not None and (claim.said_at is None or claim.said_at < asked.after):
        return False
    return asked.before is None or (claim.said_at is not None and claim.said_at <= asked.before)


def in_order_of_need(claims: Sequence[Claim], source: Source) -> list[Claim]:
    """Return what the section may show, first what it must not lose: rules, then facts, then notes; newest first."""
    if source == "profile":
        claims = in_profile(claims)
    elif source == "pinned":
        claims = [claim for claim in claims if claim.is_open]
    newest = sorted(sorted(claims, key=_moment, reverse=True), key=_need)
    return [*(claim for claim in newest if claim.is_open), *(claim for claim in newest if not claim.is_open)]


def _need(claim: Claim) -> tuple[int, int]:
    """Return its place among kinds; of one kind, lists and figures go first: they cannot be guessed."""
    return _KINDS.index(claim.kind), -min(exact(claim.text), _LIST)


def fitted(
    source: Source,
    claims: Sequence[Claim],
    sources: Sources,
    frame: Frame,
    *,
    most: int,
    lines: Sequence[SummaryLine] = (),
    characters: int | None = None,
) -> tuple[Section, ...]:
    """Return the first of the claims that fit in `most` tokens as one section, in the order in which they were said.

    `lines` stand in the place of the claims that they were written from, where all of those are among them. `characters`:
    of the written lines at the most; the profile's own limit counts words alone.
    """
    messages = {message.seq: message for message in sources.log.by_seq({claim.seq for claim in claims})}
    usage = usage_line(used(claims), PROFILE_CHARACTERS, frame.locale) if source == "profile" else ""
    capacity, size = (PROFILE_CHARACTERS, _of_words) if source == "profile" else (characters, _of_line)
    units = _units(claims, lines)
    numbers = {claim.claim_id: claim.seq for claim in claims}
    chosen = _greedy(units, numbers, messages, frame, most=most, capacity=capacity, size=size)

    def in_time(lines: Sequence[_Line]) -> Section:
        shown = [line for _, line in sorted(lines, key=lambda each: each[0])]
        evidence = tuple(each for found, _ in shown for each in found)
        introduction = None if all(each.spans for each in evidence) else written_intro(frame.locale)
        written = section(source, [(first[0], text) for first, text in shown], frame.locale, usage, introduction)
        return replace(written, evidence=evidence)

    return within(most, chosen, frame, in_time)


def _units(claims: Sequence[Claim], lines: Sequence[SummaryLine]) -> list[_Unit]:
    """Return what may be shown, in the order of the claims; a claim that a line says is not quoted too."""
    known = {claim.claim_id: claim for claim in claims}
    by_claim: dict[str, list[SummaryLine]] = {}
    for line in lines:
        if known.keys() >= set(line.claim_ids):
            for claim_id in line.claim_ids:
                by_claim.setdefault(claim_id, []).append(line)
    units: dict[tuple[str, ...], _Unit] = {}
    for claim in claims:
        for line in by_claim.get(claim.claim_id, ()):
            units.setdefault(
                (line.text, *line.claim_ids),
                _Unit(claims=tuple(known[each] for each in line.claim_ids), text=line.text),
            )
        if claim.claim_id not in by_claim:
            units[(claim.claim_id,)] = _Unit(claims=(claim,))
    return list(units.values())


def _greedy(
    units: Sequence[_Unit],
    numbers: Mapping[str, int],
    messages: Mapping[int, Message],
    frame: Frame,
    *,
    most: int,
    capacity: int | None,
    size: Callable[[_Unit, str], int],
) -> list[_Line]:
    """Return lines with their place in time, skipping what does not fit; in the order of need."""
    chosen: list[_Line] = []
    left, characters = most, capacity
    for rank, unit in enumerate(units, 1):
        if left < LEAST:
            break
        written = _written(unit, numbers, frame)
        cost = frame.counter.count(f"{written}\n")
        is_there = all(claim.seq in messages for claim in unit.claims)
        if cost > left or not is_there or (characters is not None and size(unit, written) > characters):
            continue
        left -= cost
        characters = None if characters is None else characters - size(unit, written)
        chosen.append((min(map(_moment, unit.claims)), (_evidence(unit, messages, rank, cost), written)))
    return chosen


def _of_words(unit: _Unit, _: str) -> int:
    return len(unit.claims[0].text if unit.text is None else unit.text)


def _of_line(_: _Unit, written: str) -> int:
    return len(written) + 1


def _written(unit: _Unit, numbers: Mapping[str, int], frame: Frame) -> str:
    if unit.text is None:
        return claim_line(unit.claims[0], numbers, frame.locale)
    return written_line(unit.text, unit.claims, frame.locale)


def _evidence(unit: _Unit, messages: Mapping[int, Message], rank: int, cost: int) -> tuple[Evidence, ...]:
    """Return the sources of a line; of one that was written none of their characters is shown."""
    return tuple(
        Evidence(
            message=messages[claim.seq],
            spans=() if unit.text is not None else (claim.span,),
            score=1.0 / rank,
            rank=rank,
            tokens=cost if place == 0 else 0,
        )
        for place, claim in enumerate(unit.claims)
    )


def _moment(claim: Claim) -> tuple[float, int, int]:
    return (claim.said_at.timestamp() if claim.said_at else 0.0, claim.seq, claim.span[0])


def _with_newest(
    strategy: Claimed,
    claims: Sequence[Claim],
    lines: Sequence[SummaryLine],
    sources: Sources,
    asked: Query,
    frame: Frame,
) -> Context:
    """Return a section on what is older than the newest messages, and those; what one shows the other leaves out.

    The messages are read twice: for the room that is surely theirs, then for all that the section leaves.
    """
    window, trace = replace(WINDOW, turns=strategy.turns), frame.trace
    sure = replace(frame, budget=frame.budget - int(strategy.share * room(frame)))
    trial = read(window, sources.index, sources.log, asked, sure)
    empty = room(frame)
    frame.sections = _of_the_rest(strategy, claims, lines, trial.evidence, sources, frame)
    taken = empty - room(frame)
    shown = read(window, sources.index, sources.log, asked, frame)
    newest = shown.evidence[frame.front :]
    frame.trace = replace(trace, stages=(*trace.stages, *shown.trace.stages), notes=(*trace.notes, *shown.trace.notes))
    frame.sections = ()
    frame.sections = _of_the_rest(strategy, claims, lines, newest, sources, frame, least=taken)
    return replace(pack(_items(newest), frame), dropped=shown.dropped)


def _of_the_rest(
    strategy: Claimed,
    claims: Sequence[Claim],
    lines: Sequence[SummaryLine],
    newest: Sequence[Evidence],
    sources: Sources,
    frame: Frame,
    *,
    least: int = 0,
) -> tuple[Section, ...]:
    """Return the section on the claims that the newest messages do not show, in the room that those leave.

    `least`: tokens that are surely there, since the messages were read beside a section of this size.
    """
    shown = {evidence.message.seq for evidence in newest}
    rest = in_order_of_need([claim for claim in claims if claim.seq not in shown], strategy.front)
    left = frame.budget - pack(_items(newest), frame).tokens - _ROUNDING
    most = min(max(left, least), int(strategy.share * room(frame)))
    return fitted(strategy.front, rest, sources, frame, most=most, lines=lines, characters=strategy.characters)


def _items(evidence: Sequence[Evidence]) -> Iterator[Item]:
    return (Item.of(rank=each.rank, score=each.score, evidence=(each,)) for each in reversed(evidence))
