"""The final order of a strategy: which message stands where, from what a context tells about itself."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from heapq import nsmallest

from everyword.domain.context import Context
from everyword.domain.trace import Place, Stage

DEPTH = 500
"""Messages whose order is kept; deeper ones have a rank and no place in the list."""
_HEADS = ("tokens", "reranked")
_RRF_K = 60


@dataclass(frozen=True, slots=True, kw_only=True)
class Order:
    """Messages by sequence number, each once, best first."""

    ranks: Mapping[int, int]
    """Of the first messages, from 1, best first; recent turns, which nobody searched, are not among them."""
    recent: frozenset[int]
    deeper: Mapping[int, Place] = field(default_factory=dict[int, Place])
    """Where the last stage that knew them puts the others."""

    def rank(self, seq: int) -> int | None:
        """Return the rank of a message, 1 for a recent turn, which is shown whatever is found; None: it is in no list."""
        if seq in self.recent:
            return 1
        if seq in self.ranks:
            return self.ranks[seq]
        place = self.deeper.get(seq)
        return None if place is None else max(len(self.ranks) + 1, place.rank)


def final_order(context: Context) -> Order:
    """Return the order in which messages stood when the context was packed.

    First what was packed or dropped, which tells its rank; then the rest of the last stage.
    """
    told = [(each.rank, each.message.seq) for each in context.evidence]
    told += [(each.rank, each.seq) for each in context.dropped]
    stages = tuple(stage for stage in context.trace.stages if stage.name != "density")  # That is a turn and no rank.
    rest = _last(stages)
    first = dict.fromkeys([*(seq for _, seq in sorted(told)), *rest])
    return Order(
        ranks={seq: rank for rank, seq in enumerate(first, 1)},
        recent=frozenset(message.seq for message in context.recent),
        deeper=stages[_broadest(stages)].places if stages else {},
    )


def _last(stages: tuple[Stage, ...]) -> list[int]:
    """Return the messages in the order of the last stage; of a reranked head, as its rank and the one before it say."""
    if not stages:
        return []
    place = _broadest(stages)
    before = stages[place].places
    listed = [seq for seq, _ in nsmallest(DEPTH, before.items(), key=lambda each: each[1].rank)]
    for stage in stages[place + 1 :]:
        listed = [*_head(stage, before), *listed]
        before = stage.places
    return listed


def _head(stage: Stage, before: Mapping[int, Place]) -> list[int]:
    """Return the messages that a stage knows, as it orders them; a reranker's order counts as much as the one before."""
    places = stage.places
    if stage.name != "reranked":
        return sorted(places, key=lambda seq: places[seq].rank)
    return sorted(places, key=lambda seq: (-_fused(places[seq], before.get(seq)), places[seq].rank))


def _broadest(stages: tuple[Stage, ...]) -> int:
    """Return the place of the last stage that knows all candidates; those after it see only the first."""
    broad = [place for place, stage in enumerate(stages) if stage.name not in _HEADS]
    return broad[-1] if broad else 0


def _fused(after: Place, before: Place | None) -> float:
    return 1.0 / (_RRF_K + after.rank) + (0.0 if before is None else 1.0 / (_RRF_K + before.rank))
