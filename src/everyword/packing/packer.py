"""Ranked evidence into a budget: greedy, skip what does not fit and try the next, then in the order that is wanted."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from itertools import islice

from everyword.domain.context import Context, Dropped, DropReason, Evidence
from everyword.domain.message import Message
from everyword.domain.prompt import Order
from everyword.domain.trace import Trace
from everyword.errors import ContextLengthExceeded
from everyword.packing.render import Line, Locale, Style, fenced, intro, line, turn
from everyword.packing.section import Section
from everyword.ports import TokenCounter

LISTED_DROPS = 24
_SMALLEST = 16
"""Tokens below which no further message is tried."""
_PATIENCE = 16
"""Candidates in a row that may not fit before the budget counts as full."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Item:
    """What is packed or skipped together: one or more messages of one rank."""

    rank: int
    score: float
    messages: tuple[Message, ...]
    show: Callable[[], tuple[Evidence, ...]]
    """Returns what is shown of the messages; called when the item's turn comes."""
    least: int = 0
    """Tokens that it takes at the least, as far as that is known before it is shown."""
    sizes: tuple[int, ...] = ()
    """Tokens of the words of each message, where they have been counted."""

    @classmethod
    def of(cls, *, rank: int, score: float, evidence: tuple[Evidence, ...]) -> Item:
        """Return an item whose evidence is at hand."""
        messages = tuple(each.message for each in evidence)
        return cls(rank=rank, score=score, messages=messages, show=lambda: evidence)


@dataclass(slots=True, kw_only=True)
class Frame:
    """What is in the context whatever is found."""

    question: str
    budget: int
    counter: TokenCounter
    strategy: str
    style: Style = "grouped"
    locale: Locale = "en"
    order: Order = "chronological"
    recent: tuple[Message, ...] = ()
    sections: tuple[Section, ...] = ()
    """Parts that stand before the evidence, made to fit beforehand; each has a source of its own in the ledger."""
    trace: Trace = field(default_factory=lambda: Trace(strategy=""))

    @property
    def front(self) -> int:
        """Return how many pieces of evidence the sections show; they come first in the context."""
        return sum(len(section.evidence) for section in self.sections)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Written:
    """An item with its lines, which are written once and measured often."""

    item: Item
    lines: tuple[tuple[Evidence, Line], ...]
    tokens: tuple[int, ...]

    def groups(self) -> dict[tuple[str, str], Line]:
        """Return the first line of each group (session and day) that the item stands in."""
        grouped = [((each.message.session_id, written.day), written) for each, written in self.lines if written.day]
        return dict(reversed(grouped))


@dataclass(frozen=True, slots=True, kw_only=True)
class _Whole:
    """All that is in the context, as one text."""

    in_order: Sequence[tuple[Evidence, Line]]
    memory: str
    text: str
    tokens: int


def pack(items: Iterable[Item], frame: Frame) -> Context:
    """Return a context of at most `budget` tokens. Raise ContextLengthExceeded where the fixed parts do not fit."""
    _check_room(frame)
    source = iter(items)
    chosen, skipped = _filled(source, frame)
    while (whole := _whole(chosen, frame)).tokens > frame.budget:
        skipped.append((chosen.pop().item, 0, "budget"))
    skipped.extend(_untried(source, len(skipped)))
    return _context(whole, skipped, frame)


def _filled(source: Iterator[Item], frame: Frame) -> tuple[list[_Written], list[tuple[Item, int, DropReason]]]:
    """Take what fits in the order of rank; what does not is skipped and the next is tried.

    Costs of lines are rounded up one by one, so what is left is measured anew when it seems to run out.
    """
    chosen: list[_Written] = []
    skipped: list[tuple[Item, int, DropReason]] = []
    groups: set[tuple[str, str]] = set()
    left, is_exact, failures = _left(chosen, frame), True, 0
    for item in source:
        if item.least > left and not is_exact:
            left, is_exact = _left(chosen, frame), True
        written = _written(item, frame) if item.least <= left else None
        cost = item.least if written is None else _cost(written, frame, groups)
        if cost > left and not is_exact:
            left, is_exact = _left(chosen, frame), True
        if written is not None and cost <= left:
            chosen.append(written)
            groups.update(written.groups())
            left, is_exact, failures = left - cost, False, 0
        else:
            skipped.append((item, cost, "budget"))
            failures += 1
        if failures >= _PATIENCE or (is_exact and left < _SMALLEST):
            break
    return chosen, skipped


def _written(item: Item, frame: Frame) -> _Written:
    lines = tuple((each, line(each, frame.style, frame.locale)) for each in item.show())
    tokens = tuple(frame.counter.count(f"{written.text('')}\n") for _, written in lines)
    return _Written(item=item, lines=lines, tokens=tokens)


def _cost(written: _Written, frame: Frame, groups: set[tuple[str, str]]) -> int:
    """Return the tokens that the item adds; a heading is paid by the first that stands under it."""
    new = [first.heading() for group, first in written.groups().items() if group not in groups]
    return sum(written.tokens) + sum(frame.counter.count(f"{heading}\n") for heading in new)


def _untried(source: Iterator[Item], listed: int) -> Iterator[tuple[Item, int, DropReason]]:
    for item in islice(source, max(0, LISTED_DROPS - listed)):
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


def _left(chosen: Sequence[_Written], frame: Frame) -> int:
    """Return the tokens that are left for lines; the marks around them are paid before the first comes."""
    if chosen:
        return frame.budget - _whole(chosen, frame).tokens
    return frame.budget - frame.counter.count(_whole_text(fenced((), intro(frame.locale, frame.order)), frame))


def _whole(chosen: Sequence[_Written], frame: Frame) -> _Whole:
    in_order = _in_order(chosen, frame.order)
    memory = _memory_text(in_order, frame)
    text = _whole_text(memory, frame)
    return _Whole(in_order=in_order, memory=memory, text=text, tokens=frame.counter.count(text))


def _in_order(chosen: Sequence[_Written], order: Order) -> list[tuple[Evidence, Line]]:
    """Return the lines as they stand in the text; the lines of one item stay together, in the order of time."""
    if order == "chronological":
        return _in_time(chosen)
    best_first = sorted(chosen, key=lambda each: each.item.rank)
    folded = best_first[::-1] if order == "relevance-last" else [*best_first[::2], *best_first[1::2][::-1]]
    return [each for written in folded for each in _in_time((written,))]


def _in_time(chosen: Sequence[_Written]) -> list[tuple[Evidence, Line]]:
    """Return the lines in the order of time; where a time is not known, all in the order of the log."""
    found = sorted((each for written in chosen for each in written.lines), key=lambda each: _place(each[0]))
    if all(evidence.message.created_at for evidence, _ in found):
        found.sort(key=lambda each: (each[0].message.created_at or datetime.min, *_place(each[0])))
    return found


def _place(evidence: Evidence) -> tuple[int, tuple[tuple[int, int], ...]]:
    return evidence.message.seq, evidence.spans


def _memory_text(in_order: Sequence[tuple[Evidence, Line]], frame: Frame) -> str:
    lines: list[str] = []
    under: tuple[str, str] | None = None
    heading_time = ""
    for evidence, written in in_order:
        group = (evidence.message.session_id, written.day)
        if written.day and group != under:
            lines.append(written.heading())
            under, heading_time = group, written.time
        lines.append(written.text(heading_time))
    return fenced(lines, intro(frame.locale, frame.order)) if lines else ""


def _fixed_text(frame: Frame) -> str:
    return "\n\n".join([*_turns(frame), frame.question])


def _turns(frame: Frame) -> list[str]:
    return ["\n".join(turn(message) for message in frame.recent)] if frame.recent else []


def _whole_text(memory: str, frame: Frame) -> str:
    return "\n\n".join([*_memory_parts(memory, frame).values(), _fixed_text(frame)])


def _memory_parts(memory: str, frame: Frame) -> dict[str, str]:
    """Return the parts of the memory by their source, in the order of the text."""
    parts = {section.source: section.text for section in frame.sections}
    return parts | ({"evidence": memory} if memory else {})


def room(frame: Frame) -> int:
    """Return the tokens that question, recent turns and sections leave. Raise ContextLengthExceeded."""
    _check_room(frame)
    return frame.budget - frame.counter.count(_whole_text("", frame))


def _context(whole: _Whole, skipped: Sequence[tuple[Item, int, DropReason]], frame: Frame) -> Context:
    parts = _memory_parts(whole.memory, frame)
    return Context(
        question=frame.question,
        text=whole.text,
        memory_text="\n\n".join(parts.values()),
        parts=parts,
        recent=frame.recent,
        tokens=whole.tokens,
        budget=frame.budget,
        counter=frame.counter.name,
        strategy=frame.strategy,
        evidence=(
            *(evidence for section in frame.sections for evidence in section.evidence),
            *(evidence for evidence, _ in whole.in_order),
        ),
        dropped=tuple(_dropped(skipped, frame)),
        ledger=_ledger(whole, frame),
        trace=frame.trace,
    )


def _ledger(whole: _Whole, frame: Frame) -> dict[str, int]:
    """Return tokens by source; each is what its part adds to the text before it, so that they add up."""
    sections = {section.source: section.text for section in frame.sections}
    ledger: dict[str, int] = {}
    before, counted = 0, 0
    for source, part in {**sections, "evidence": whole.memory, "recent": "".join(_turns(frame))}.items():
        if part:
            before = whole.text.index(part, before) + len(part)
        until = frame.counter.count(whole.text[:before]) if part else counted
        ledger[source] = until - counted
        counted = until
    return {**ledger, "question": whole.tokens - counted}


def _dropped(skipped: Sequence[tuple[Item, int, DropReason]], frame: Frame) -> Iterator[Dropped]:
    for item, cost, reason in skipped:
        for place, message in enumerate(item.messages):
            yield Dropped(
                message_id=message.message_id,
                seq=message.seq,
                rank=item.rank,
                tokens=cost or (item.sizes[place] if item.sizes else frame.counter.count(message.text)),
                reason=reason,
            )
