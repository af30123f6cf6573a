"""Found messages that also meet a condition which the index does not know."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

from everyword.domain.report import Hit
from everyword.memory import Memory

T = TypeVar("T")

_FIRST = 64
_WIDER = 8


def sifted(
    memory: Memory, query: str, take: Callable[[Hit], T | None], *, wanted: int, user_id: str, **scope: Any
) -> list[T]:
    """Return what `take` makes of the best hits, without those for which it returns None; the search widens until there
    are enough or no more.
    """
    found: list[T] = []
    limit, seen = max(_FIRST, 2 * wanted), set[str]()
    while True:
        hits = memory.search(query, user_id=user_id, limit=limit, **scope)
        for hit in hits:
            if len(found) < wanted and hit.id not in seen and (made := take(hit)) is not None:
                found.append(made)
            seen.add(hit.id)
        if len(found) == wanted or len(hits) < limit:
            return found
        limit *= _WIDER
