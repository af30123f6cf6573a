"""A memory whose messages and sessions can be read page by page."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Literal

from everyword.assembly import Memory
from everyword.domain.decision import Decision
from everyword.domain.message import Message
from everyword.domain.scope import Scope
from everyword.domain.session import SessionSpan
from everyword.packing.render import turn

Order = Literal["oldest", "newest"]
_OPENING = 4
"""Messages among which a conversation's first words are looked for: system messages may stand before them."""
_TITLE = 120


@dataclass(frozen=True, slots=True, kw_only=True)
class SessionSummary:
    """One conversation in a list."""

    session_id: str
    messages: int
    last_seq: int
    first_at: datetime | None
    last_at: datetime | None
    begins: str
    """The user's first words, to know it by."""


class ListedMemory(Memory):
    """A memory with the reads that lists need; words in and out are the library's own calls."""

    def page(
        self,
        *,
        user_id: str,
        where: Scope,
        order: Order = "oldest",
        beyond: int | None = None,
        limit: int = 50,
    ) -> list[Message]:
        """Return messages in the order of the log, or against it; `beyond`: the last sequence number that was seen."""
        log = self._known(user_id).log
        if order == "newest":
            return log.by_seq(log.chosen(where, before_seq=beyond, limit=limit, newest=True))[::-1]
        return log.by_seq(log.chosen(where, after_seq=beyond or 0, limit=limit))

    def sessions(self, *, user_id: str, beyond: int | None = None, limit: int = 50) -> list[SessionSummary]:
        """Return conversations, the one with the last word first; `beyond`: the `last_seq` that was seen last."""
        log = self._known(user_id).log
        spans = log.sessions(before_seq=beyond, limit=limit, opening=_OPENING)
        wanted = {seq for span in spans for seq in (*span.opening, span.last_seq)}
        messages = {message.seq: message for message in log.by_seq(wanted)}
        return [_summary(span, messages) for span in spans]

    def decisions(self, *, user_id: str, beyond: int | None = None, limit: int = 50) -> list[tuple[int, Decision]]:
        """Return what `route` decided, newest first, with a number each; `beyond`: the last number that was seen."""
        return self._known(user_id).routes.newest(limit, before=beyond)

    def by_seq(self, seqs: Sequence[int], *, user_id: str) -> list[Message]:
        """Return messages by their sequence numbers, in order; one that is not there is left out."""
        return self._known(user_id).log.by_seq(seqs)

    def claims_within(self, where: Scope, *, user_id: str) -> int:
        """Return how many claims only messages of a scope say: they go when these are forgotten."""
        claims = self.claims.of(user_id=user_id, closed=True)
        if where.is_everything:
            return len(claims)
        log = self._known(user_id).log
        within = set(log.chosen(where))
        seqs = log.seqs_of({each for claim in claims for each in claim.message_ids})
        return sum(all(seqs.get(each) in within for each in claim.message_ids) for claim in claims)

    def are_there(self, message_ids: Sequence[str], *, user_id: str) -> bool:
        """Tell whether none of these messages was forgotten."""
        return len(self._known(user_id).log.seqs_of(message_ids)) == len(set(message_ids))

    def last_turns(self, *, user_id: str, session_id: str, turns: int) -> list[Message]:
        """Return the last turns of a session, in order."""
        return self._known(user_id).log.recent(session_id=session_id, turns=turns)

    def count(self, text: str) -> int:
        """Return the tokens of a text by the counter of this memory."""
        return self._counter.count(text)

    def count_turns(self, turns: Sequence[Message]) -> int:
        """Return the tokens of recent messages as a context writes them, with the blank line after them."""
        return self._counter.count("\n".join(map(turn, turns)) + "\n\n") + 1 if turns else 0


def _summary(span: SessionSpan, messages: Mapping[int, Message]) -> SessionSummary:
    """Return a conversation as a list shows it; what was erased since the span was read is left out."""
    opening = [messages[seq] for seq in span.opening if seq in messages]
    last = messages.get(span.last_seq)
    said = [*opening, *([last] if last is not None and last not in opening else [])]
    return SessionSummary(
        session_id=span.session_id,
        messages=span.messages,
        last_seq=span.last_seq,
        first_at=opening[0].created_at if opening else None,
        last_at=last.created_at if last else None,
        begins=_first_words(said),
    )


def _first_words(opening: Sequence[Message]) -> str:
    said = [message for message in opening if message.text.strip()]
    first = next((message for message in said if message.role == "user"), said[0] if said else None)
    return "" if first is None else " ".join(first.text[: 4 * _TITLE].split())[:_TITLE]
