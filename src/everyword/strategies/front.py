"""Lines in front of the evidence: as many as fit, each with the claim that it comes from."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from everyword.domain.claim import Claim
from everyword.domain.context import Evidence
from everyword.domain.message import Message
from everyword.packing.packer import Frame, room
from everyword.packing.section import Section, Source, section

_LEAST = 8
"""Tokens below which no further line is tried."""


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
        if left < _LEAST:
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
    least = room(frame) - most
    kept = [line for line in lines if line.claim.seq in messages]
    while kept:
        written = section(source, _written(kept, messages, frame), frame.locale)
        frame_with = replace(frame, sections=(*frame.sections, written))
        if room(frame_with) >= least:
            return frame_with.sections
        kept.pop()
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
