"""Measures of a ranking against what should be in it; ids are of messages or of sessions, each at most once.

`recall_all`, `recall_any` and `ndcg_any` are LongMemEval's (Wu et al., ICLR 2025), `recall` is RealMem's and MADial's;
`ndcg` and `rr` are those of TREC, which other tools print.
"""

from __future__ import annotations

import math
from collections.abc import Hashable, Iterable, Sequence
from collections.abc import Set as AbstractSet

Ranked = Sequence[Hashable]
Relevant = AbstractSet[Hashable]


def recall_all(ranked: Ranked, relevant: Relevant, k: int) -> float:
    """Return 1 where all that is relevant is among the first k."""
    return float(relevant <= set(ranked[:k]))


def recall_any(ranked: Ranked, relevant: Relevant, k: int) -> float:
    """Return 1 where anything relevant is among the first k."""
    return float(not relevant.isdisjoint(ranked[:k]))


def recall(ranked: Ranked, relevant: Relevant, k: int) -> float:
    """Return the share of what is relevant that is among the first k."""
    return len(relevant & set(ranked[:k])) / len(relevant)


def reciprocal_rank(ranked: Ranked, relevant: Relevant) -> float:
    """Return 1 / rank of the first that is relevant, 0 where none is ranked."""
    return next((1.0 / rank for rank, each in enumerate(ranked, 1) if each in relevant), 0.0)


def ndcg(ranked: Ranked, relevant: Relevant, k: int) -> float:
    """Return nDCG@k with gains of 0 or 1 and the discount log2(rank + 1)."""
    found = sum(1.0 / math.log2(rank + 1) for rank, each in enumerate(ranked[:k], 1) if each in relevant)
    return found / sum(1.0 / math.log2(rank + 1) for rank in range(1, min(k, len(relevant)) + 1))


def ndcg_any(ranked: Ranked, relevant: Relevant, k: int) -> float:
    """Return LongMemEval's nDCG@k: rank 1 has no discount, every later one log2(rank), so that the first two weigh the same."""
    return _ndcg_any([each in relevant for each in ranked[:k]], min(k, len(relevant)))


def ndcg_any_of_sessions(sessions: Ranked, relevant: Relevant, k: int, *, relevant_turns: int) -> float:
    """Return LongMemEval's nDCG@k of sessions over ranked turns: the list is extended until it has k different sessions.

    `sessions`: the session of each turn, best turn first; `relevant_turns`: how many turns the relevant sessions have.
    """
    reach = _reach(sessions, k)
    return _ndcg_any([each in relevant for each in sessions[:reach]], min(reach, relevant_turns))


def distinct(ranked: Iterable[Hashable]) -> list[Hashable]:
    """Return each id once, at its best place."""
    return list(dict.fromkeys(ranked))


def worst_rank(ranks: Iterable[int | None]) -> int | None:
    """Return the worst rank: a question that needs all of them is only as good. None: one of them has no rank."""
    found = list(ranks)
    known = [rank for rank in found if rank is not None]
    return max(known) if known and len(known) == len(found) else None


def _reach(sessions: Ranked, k: int) -> int:
    seen: set[Hashable] = set()
    for place, each in enumerate(sessions, 1):
        seen.add(each)
        if len(seen) >= k:
            return place
    return max(k, len(sessions))


def _ndcg_any(hits: Sequence[bool], ideal: int) -> float:
    best = sum(_gain(rank) for rank in range(1, ideal + 1))
    return sum(_gain(rank) for rank, hit in enumerate(hits, 1) if hit) / best if best else 0.0


def _gain(rank: int) -> float:
    return 1.0 if rank == 1 else 1.0 / math.log2(rank)
