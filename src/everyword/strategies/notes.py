"""Notes: the claims whose messages answer best, in the user's own words; or those messages themselves."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime

from everyword.claims.decay import weight
from everyword.domain.claim import Claim
from everyword.domain.context import Context
from everyword.domain.query import Query
from everyword.packing.packer import Frame, pack, room
from everyword.strategies.claimed import fitted, let_in, traced
from everyword.strategies.evidence import EVIDENCE
from everyword.strategies.strategy import Sources, Strategy, ranked, searched


@dataclass(frozen=True, slots=True, kw_only=True)
class Notes(Strategy):
    """A strategy that searches like `evidence` and shows only what was noted."""

    is_raw: bool = False
    """Whether a note leads to its whole message, which is shown in its place."""

    def fill(self, sources: Sources, asked: Query, frame: Frame) -> Context:
        """Return notes, or the messages that they lead to. Raise ContextLengthExceeded."""
        told = sources.claims()
        claims = let_in(told.claims, asked)
        frame.trace = traced(self.name, told)
        if self.is_raw:
            noted = {claim.seq for claim in claims}
            return searched(
                self, sources, asked, frame, lets_in=lambda item: any(each.seq in noted for each in item.messages)
            )
        ranking = ranked(self, sources, asked, frame)
        best = [seq for candidate in ranking.candidates() for seq in candidate.seqs]
        chosen = by_weight(claims, best, asked.asked_at or datetime.now(UTC))
        written = sources.written(told.claims)
        frame.trace = replace(frame.trace, notes=(*frame.trace.notes, *written.notes))
        frame.sections = fitted("notes", chosen, sources, frame, most=room(frame), lines=written.lines)
        return pack((), frame)


def by_weight(claims: Iterable[Claim], best: Sequence[int], now: datetime) -> list[Claim]:
    """Return the claims of found messages, best first: 1 / rank of the message, less what their age takes away."""
    ranks = {seq: rank for rank, seq in reversed(list(enumerate(best, 1)))}
    found = [claim for claim in claims if claim.seq in ranks]
    return sorted(found, key=lambda claim: -weight(claim, 1.0 / ranks[claim.seq], now))


NOTES = Notes(
    name="notes",
    about="notes in the user's own words, those of the best messages first",
    recipe=replace(EVIDENCE.recipe, name="notes", roles=frozenset({"user"})),
)
NOTES_RAW = Notes(
    name="notes+raw",
    about="notes as an index: the whole messages that the best notes come from",
    recipe=replace(EVIDENCE.recipe, name="notes+raw", roles=frozenset({"user"})),
    is_raw=True,
)
