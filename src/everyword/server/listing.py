"""A memory whose messages and sessions can be read page by page."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from itertools import islice
from typing import Literal

from everyword.assembly import Memory
from everyword.domain.message import Message
from everyword.domain.scope import Scope, scope
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
        if where.is_everything and order == "oldest":
            return list(islice(log.scan(after=beyond or 0, batch=limit), limit))
        seqs = log.chosen(where)
        if order == "newest":
            left = [seq for seq in reversed(seqs) if beyond is None or seq < beyond]
            return list(reversed(log.by_seq(left[:limit])))
        return log.by_seq([seq for seq in seqs if seq > (beyond or 0)][:limit])

    def sessions(self, *, user_id: str, beyond: int | None = None, limit: int = 50) -> list[SessionSummary]:
        """Return conversations, the one with the last word first; `beyond`: the `last_seq` that was seen last."""
        log = self._known(user_id).log
        names = log.sessions_of(log.chosen(Scope()))
        members = [(name, log.chosen(scope(session_id=name))) for name in names]
        members = [(name, seqs) for name, seqs in members if seqs and (beyond is None or seqs[-1] < beyond)]
        members.sort(key=lambda each: -each[1][-1])
        return [self._summary(user_id, name, seqs) for name, seqs in members[:limit]]

    def _summary(self, user_id: str, name: str, seqs: Sequence[int]) -> SessionSummary:
        ends = self._known(user_id).log.by_seq([*seqs[:_OPENING], seqs[-1]])
        return SessionSummary(
            session_id=name,
            messages=len(seqs),
            last_seq=seqs[-1],
            first_at=ends[0].created_at if ends else None,
            last_at=ends[-1].created_at if ends else None,
            begins=_first_words(ends),
        )

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
        return sum(all(log.by_id(each).seq in within for each in claim.message_ids) for claim in claims)

    def last_turns(self, *, user_id: str, session_id: str, turns: int) -> list[Message]:
        """Return the last turns of a session, in order."""
        return self._known(user_id).log.recent(session_id=session_id, turns=turns)

    def count(self, text: str) -> int:
        """Return the tokens of a text by the counter of this memory."""
        return self._counter.count(text)

    def count_turns(self, turns: Sequence[Message]) -> int:
        """Return the tokens of recent messages as a context writes them, with the blank line after them."""
        return self._counter.count("\n".join(map(turn, turns)) + "\n\n") + 1 if turns else 0


def _first_words(opening: Sequence[Message]) -> str:
    said = [message for message in opening if message.text.strip()]
    first = next((message for message in said if message.role == "user"), said[0] if said else None)
    return "" if first is None else " ".join(first.text[: 4 * _TITLE].split())[:_TITLE]
