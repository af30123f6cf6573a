"""Ranked evidence into a budget: greedy, skip what does not fit and try the next, then back in the order of time."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field

from everyword.domain.context import Context, Dropped, DropReason, Evidence
from everyword.domain.message import Message
from everyword.domain.trace import Trace
from everyword.errors import ContextLengthExceeded
from everyword.packing.render import Locale, Style, fenced, intro, line, turn
from everyword.ports import TokenCounter

_LISTED_DROPS = 50
_SMALLEST = 8
"""Tokens below which no further message is tried."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Item:
    """What is packed or skipped together: one or more messages of one rank."""

    rank: int
    score: float
    evidence: tuple[Evidence, ...]


@dataclass(slots=True, kw_only=True)
class Frame:
    """What is in the context whatever is found."""

    question: str
    budget: int
    counter: TokenCounter
    strategy: str
    style: Style = "grouped"
    locale: Locale = "en"
    recent: tuple[Message, ...] = ()
    trace: Trace = field(default_factory=lambda: Trace(strategy=""))


def pack(items: Iterable[Item], frame: Frame) -> Context:
    """Return a context of at most `budget` tokens. Raise ContextLengthExceeded where the fixed parts do not fit."""
    _check_room(frame)
    chosen: list[Item] = []
    skipped: list[tuple[Item, int, DropReason]] = []
    left = frame.budget - _size(chosen, frame)
    headings: set[tuple[str, str]] = set()
    source = iter(items)
    for item in source:
        cost = _cost(item, frame, headings)
        if cost > left:
            left = frame.budget - _size(chosen, frame)
        if cost <= left:
            chosen.append(item)
            left -= cost
            headings.update(_headings(item, frame))
        else:
            skipped.append((item, cost, "budget"))
        if left < _SMALLEST:
            left = frame.budget - _size(chosen, frame)
            if left < _SMALLEST:
                break
    while _size(chosen, frame) > frame.budget:
        skipped.append((chosen.pop(), 0, "budget"))
    skipped.extend(_untried(source, len(skipped)))
    return _context(chosen, skipped, frame)


def _untried(source: Iterator[Item], listed: int) -> Iterator[tuple[Item, int, DropReason]]:
    for _, item in zip(range(_LISTED_DROPS - listed), source, strict=False):
        yield item, 0, "rank"


def _check_room(frame: Frame) -> None:
    """Make sure that the question and the recent turns fit without any evidence."""
    fixed = frame.counter.count(_fixed_text(frame))
    if fixed <= frame.budget:
        return
    question = frame.counter.count(frame.question)
    raise ContextLengthExceeded(
        f"The question takes {question} tokens and the {len(frame.recent)} recent messages {fixed - question}; together "
        f"they are {fixed - frame.budget} over the budget of {frame.budget}. Raise budget=, ask for fewer recent turns, "
        "or shorten the question.",
        needed=fixed,
        budget=frame.budget,
    )


def _cost(item: Item, frame: Frame, headings: set[tuple[str, str]]) -> int:
    """Return the tokens that the item adds; a heading is paid by the first that stands under it."""
    seen: set[tuple[str, str]] = set()
    total = 0
    for evidence in item.evidence:
        written = line(evidence, frame.style, frame.locale)
        heading = (evidence.message.session_id, written.heading)
        total += frame.counter.count(f"{written.body}\n")
        if written.heading and heading not in headings | seen:
            total += frame.counter.count(f"{written.heading}\n")
            seen.add(heading)
    return total


def _headings(item: Item, frame: Frame) -> set[tuple[str, str]]:
    return {(each.message.session_id, line(each, frame.style, frame.locale).heading) for each in item.evidence}


def _size(chosen: Sequence[Item], frame: Frame) -> int:
    return frame.counter.count(_whole_text(chosen, frame))


def in_time(chosen: Sequence[Item]) -> list[Evidence]:
    """Return the evidence in the order of time; what has no time stands where the log has it."""
    found = sorted((each for item in chosen for each in item.evidence), key=lambda each: (each.message.seq, each.spans))
    if all(each.message.created_at for each in found):
        found.sort(key=lambda each: (each.message.created_at, each.message.seq))  # type: ignore[arg-type, return-value]
    return found


def _memory_text(chosen: Sequence[Item], frame: Frame) -> str:
    lines: list[str] = []
    under: tuple[str, str] | None = None
    for evidence in in_time(chosen):
        written = line(evidence, frame.style, frame.locale)
        heading = (evidence.message.session_id, written.heading)
        if written.heading and heading != under:
            lines.append(written.heading)
            under = heading
        lines.append(written.body)
    return fenced(lines, intro(frame.locale)) if lines else ""


def _fixed_text(frame: Frame) -> str:
    return "\n\n".join([*_turns(frame), frame.question])


def _turns(frame: Frame) -> list[str]:
    return ["\n".join(turn(message) for message in frame.recent)] if frame.recent else []


def _whole_text(chosen: Sequence[Item], frame: Frame) -> str:
    memory = _memory_text(chosen, frame)
    return "\n\n".join([*([memory] if memory else []), _fixed_text(frame)])


def _context(chosen: Sequence[Item], skipped: Sequence[tuple[Item, int, DropReason]], frame: Frame) -> Context:
    text = _whole_text(chosen, frame)
    memory = _memory_text(chosen, frame)
    return Context(
        question=frame.question,
        text=text,
        memory_text=memory,
        recent=frame.recent,
        tokens=frame.counter.count(text),
        budget=frame.budget,
        counter=frame.counter.name,
        strategy=frame.strategy,
        evidence=tuple(in_time(chosen)),
        dropped=tuple(_dropped(skipped)),
        ledger=_ledger(text, memory, frame),
        trace=frame.trace,
    )


def _ledger(text: str, memory: str, frame: Frame) -> dict[str, int]:
    """Return tokens by source; each is what its part adds to the text before it, so that they add up."""
    parts = {"evidence": memory, "recent": "".join(_turns(frame)), "question": frame.question}
    ledger: dict[str, int] = {}
    before, counted = 0, 0
    for source, part in parts.items():
        if part:
            before = len(text) if source == "question" else text.index(part, before) + len(part)
        until = frame.counter.count(text[:before])
        ledger[source] = until - counted
        counted = until
    return ledger


def _dropped(skipped: Sequence[tuple[Item, int, DropReason]]) -> Iterator[Dropped]:
    for item, cost, reason in skipped:
        for evidence in item.evidence:
            yield Dropped(
                message_id=evidence.message.message_id,
                seq=evidence.message.seq,
                rank=item.rank,
                tokens=cost or evidence.tokens,
                reason=reason,
            )
