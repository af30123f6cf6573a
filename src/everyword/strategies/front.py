"""Lines in front of the evidence: as many as fit, each with the claim that it comes from."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TypeVar

from everyword.domain.claim import Claim
from everyword.domain.context import Evidence
from everyword.domain.message import Message
from everyword.packing.packer import Frame, room
from everyword.packing.section import Section, Source, section

LEAST = 8
"""Tokens below which no further line is tried."""
_Line = TypeVar("_Line")


@dataclass(frozen=True, slots=True, kw_only=True)
class Shown:
    """A line that is written for a claim, and the heading that it stands under."""

    claim: Claim
    text: str
    heading: str = ""


def affordable(lines: Iterable[Shown], frame: Frame, most: int) -> list[Shown]:
    """Return the lines that fit in `most` tokens, in the order of need; what does not fit is skipped."""
    chosen: list[Shown] = []
    paid, left = {""}, most
    for line in lines:
        if left < LEAST:
            break
        new = f"{line.heading}\n{line.text}\n" if line.heading not in paid else f"{line.text}\n"
        if (cost := frame.counter.count(new)) <= left:
            chosen.append(line)
            paid.add(line.heading)
            left -= cost
    return chosen


def in_front(
    source: Source, lines: Sequence[Shown], messages: Mapping[int, Message], frame: Frame, most: int
) -> tuple[Section, ...]:
    """Return the sections of the frame with one on these lines, without the last ones where they take more than `most`."""
    kept = [line for line in lines if line.claim.seq in messages]
    return within(most, kept, frame, lambda some: section(source, _written(some, messages, frame), frame.locale))


def within(
    most: int, lines: Sequence[_Line], frame: Frame, write: Callable[[Sequence[_Line]], Section]
) -> tuple[Section, ...]:
    """Return the sections of the frame with one more, written from as many of the first lines as `most` tokens hold."""
    least = room(frame) - most
    for count in range(len(lines), 0, -1):
        sections = (*frame.sections, write(lines[:count]))
        if room(replace(frame, sections=sections)) >= least:
            return sections
    return frame.sections


def _written(lines: Sequence[Shown], messages: Mapping[int, Message], frame: Frame) -> list[tuple[Evidence, str]]:
    """Return each line with its evidence, the first of a heading behind that."""
    found: list[tuple[Evidence, str]] = []
    before = ""
    for rank, line in enumerate(lines, 1):
        text = f"{line.heading}\n{line.text}" if line.heading != before else line.text
        before = line.heading
        evidence = Evidence(
            message=messages[line.claim.seq],
            spans=(line.claim.span,),
            score=1.0 / rank,
            rank=rank,
            tokens=frame.counter.count(f"{text}\n"),
        )
        found.append((evidence, text))
    return found
