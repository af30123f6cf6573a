"""When a claim was last spoken of: a later statement that has its words says it again."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from functools import lru_cache
from math import ceil

from everyword.domain.claim import Claim
from everyword.text.words import is_unspaced, terms

_SPEAKER = "我"
"""Pairs with it tell who speaks, which is the user in every claim."""
_SHARE = 0.75
"""Of the pairs that a later statement must have."""
_is_unspaced = lru_cache(maxsize=100_000)(is_unspaced)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Words:
    """What a later statement must have to say a claim again."""

    spaced: frozenset[str]
    """All of these."""
    pairs: frozenset[str]
    """Most of these: pairs of an unspaced script also join a word to the next one, and in other words that one differs."""
    least: int
    """How many of the pairs."""

    def are_in(self, said: frozenset[str]) -> bool:
        return self.spaced <= said and (not self.least or len(self.pairs & said) >= self.least)


def said_again(claims: Sequence[Claim]) -> tuple[Claim, ...]:
    """Return the claims, each with the time of the last statement that has its words; jokes say nothing.

    Each claim waits under its rarest words, so that a statement is compared with few.
    """
    said = {claim.claim_id: frozenset(terms(claim.text)) for claim in claims if claim.state != "joke"}
    counts = Counter(term for each in said.values() for term in each)
    waiting: dict[str, list[tuple[Claim, _Words]]] = {}
    last: dict[str, datetime] = {}
    named = [(claim, said[claim.claim_id]) for claim in claims if claim.claim_id in said]
    for claim, found in named:
        words = _words(found)
        for term in _rarest(words, counts):
            waiting.setdefault(term, []).append((claim, words))
    for claim, found in named:
        _note(claim, found, waiting, last)
    return tuple(replace(each, last_said_at=last[each.claim_id]) if each.claim_id in last else each for each in claims)


def _words(said: frozenset[str]) -> _Words:
    """Return what is needed of the index terms of a claim; the last character alone says no more than its pair."""
    unspaced = frozenset(term for term in said if not term.isascii() and _is_unspaced(term))
    pairs = frozenset(term for term in unspaced if len(term) > 1 and _SPEAKER not in term)
    pairs = pairs or unspaced
    return _Words(spaced=said - unspaced, pairs=pairs, least=ceil(_SHARE * len(pairs)))


def _rarest(words: _Words, counts: Mapping[str, int]) -> list[str]:
    """Return words of which every statement that says the claim again has at least one."""
    needed, most = (words.spaced, 1) if words.spaced else (words.pairs, len(words.pairs) - words.least + 1)
    return sorted(needed, key=lambda term: (counts[term], term))[: most if needed else 0]


def _note(
    claim: Claim,
    said: frozenset[str],
    waiting: Mapping[str, list[tuple[Claim, _Words]]],
    last: dict[str, datetime],
) -> None:
    """Note the time of a statement, or of its last repetition, for the claims that it says again."""
    if (when := claim.last_said_at) is None:
        return
    for term in said:
        for other, words in waiting.get(term, ()):
            before = last.get(other.claim_id, other.last_said_at)
            if before is not None and before < when and words.are_in(said):
                last[other.claim_id] = when
