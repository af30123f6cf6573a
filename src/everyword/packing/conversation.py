"""The turns of a running conversation that stay in the window: all since the last flush, which keeps the newest half."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from everyword.domain.account import Seen
from everyword.domain.message import Message
from everyword.domain.scope import scope
from everyword.packing.render import turn
from everyword.ports import MessageLog, TokenCounter

_READ_AT_ONCE = 64


@dataclass(frozen=True, slots=True, kw_only=True)
class Conversation:
    """Turns in the window, and what became of the others."""

    shown: tuple[Message, ...] = ()
    hidden: frozenset[int] = frozenset()
    """What the search leaves out: the turns, and the question where it is stored already."""
    room: int = 0
    """Tokens that turns may take; 0: there is no conversation."""
    first_seq: int = 0
    last_seq: int = 0
    flushed: int = 0
    answered: tuple[int, int] | None = None
    """The number of the last prompt and the tokens of what the assistant has said since."""


def conversation(
    log: MessageLog,
    session_id: str,
    question: str,
    *,
    seen: Seen | None,
    room: int,
    keep: float,
    counter: TokenCounter,
    turns: int | None = None,
) -> Conversation:
    """Return the turns of a session since its last flush; where they outgrow the room, `keep` of it stays filled.

    With `turns` exactly the last so many. A question that is stored already is not shown twice.
    """
    begun = seen.first_seq if seen is not None else 0
    seqs = [seq for seq in log.chosen(scope(session_id=session_id)) if seq >= begun]
    if turns is not None:
        taken, flushed = log.recent(session_id=session_id, turns=turns), 0
    else:
        taken, flushed = _since_flush(log, seqs, room, keep, counter)
    is_asked = bool(taken) and taken[-1].role == "user" and taken[-1].text.strip() == question.strip()
    hidden = frozenset(message.seq for message in taken)
    return Conversation(
        shown=tuple(taken[:-1] if is_asked else taken),
        hidden=hidden,
        room=room,
        first_seq=taken[0].seq if flushed and taken else seqs[-1] + 1 if flushed else begun,
        last_seq=seqs[-1] if seqs else 0,
        flushed=flushed,
        answered=_answered(taken, seen, counter),
    )


def _since_flush(
    log: MessageLog, seqs: Sequence[int], room: int, keep: float, counter: TokenCounter
) -> tuple[list[Message], int]:
    """Return the messages that stay, and how many leave."""
    taken, costs, total = list[Message](), list[int](), 0
    for message in _newest_first(log, seqs):
        cost = counter.count(f"{turn(message)}\n\n")
        if total + cost > room:
            kept = _whole_turns(taken, costs, int(keep * room))
            return kept, len(seqs) - len(kept)
        taken.append(message)
        costs.append(cost)
        total += cost
    return taken[::-1], 0


def _newest_first(log: MessageLog, seqs: Sequence[int]) -> Iterator[Message]:
    for end in range(len(seqs), 0, -_READ_AT_ONCE):
        chunk = log.by_seq(seqs[max(0, end - _READ_AT_ONCE) : end])
        yield from (message for message in reversed(chunk) if message.branch == "main")


def _whole_turns(newest_first: Sequence[Message], costs: Sequence[int], room: int) -> list[Message]:
    """Return the newest that fit, in order, from a user's message on where one is among them."""
    fitting, total = 0, 0
    for cost in costs:
        if total + cost > room:
            break
        total += cost
        fitting += 1
    kept = list(newest_first[:fitting])[::-1]
    begins = next((place for place, message in enumerate(kept) if message.role == "user"), 0)
    return kept[begins:]


def _answered(taken: Sequence[Message], seen: Seen | None, counter: TokenCounter) -> tuple[int, int] | None:
    if seen is None:
        return None
    said = [message for message in taken if message.role == "assistant" and message.seq > seen.last_seq]
    return (seen.entry, sum(counter.count(message.text) for message in said)) if said else None
