"""When a claim was last spoken of: a later statement that has all of its words says it again."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime

from everyword.domain.claim import Claim
from everyword.text.words import terms


def said_again(claims: Sequence[Claim]) -> tuple[Claim, ...]:
    """Return the claims, each with the time of the last statement that has all of its words; jokes say nothing.

    Each claim waits under the rarest of its words, so that a statement is compared with few.
    """
    words = {claim.claim_id: frozenset(terms(claim.text)) for claim in claims if claim.state != "joke"}
    counts = Counter(term for each in words.values() for term in each)
    waiting: dict[str, list[Claim]] = {}
    last: dict[str, datetime] = {}
    for claim in claims:
        found = words.get(claim.claim_id, frozenset[str]())
        _note(claim, found, waiting, words, last)
        if found:
            waiting.setdefault(min(found, key=lambda term: (counts[term], term)), []).append(claim)
    return tuple(replace(each, last_said_at=last[each.claim_id]) if each.claim_id in last else each for each in claims)


def _note(
    claim: Claim,
    found: frozenset[str],
    waiting: dict[str, list[Claim]],
    words: dict[str, frozenset[str]],
    last: dict[str, datetime],
) -> None:
    """Note the time of a statement for the earlier claims whose words it has."""
    if (when := claim.last_said_at) is None:
        return
    for term in found:
        for other in waiting.get(term, ()):
            before = last.get(other.claim_id, other.last_said_at)
            if words[other.claim_id] <= found and before is not None and before < when:
                last[other.claim_id] = when
