"""What has not been said, shown or asked about for long is put away: listed still, and back as soon as it is needed.

Time passes only as the user talks on: a memory that nobody opened for years has forgotten nothing.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime

from everyword.claims.decay import weight
from everyword.claims.marks import Marks
from everyword.domain.claim import Claim
from everyword.text.related import related
from everyword.text.words import terms

LEAST = 0.05
"""Share of its weight below which a claim is put away: a note after about two years, a plan after five months, a rule never."""


def marked(claims: Sequence[Claim], marks: Marks, as_of: datetime | None) -> list[Claim]:
    """Return the claims with when they were last used, which are archived, and which point to what is gone."""
    newest = max((each.last_said_at for each in claims if each.last_said_at), default=None)
    now = newest if as_of is None or newest is None else min(as_of, newest)
    return [_marked(each, marks, now) for each in claims]


def _marked(claim: Claim, marks: Marks, now: datetime | None) -> Claim:
    used_at = marks.used_at.get(claim.seq)
    is_stale = (claim.seq, *claim.span) in marks.dead
    is_archived = now is not None and claim.is_open and _is_faded(claim, used_at, now)
    if used_at is None and not is_stale and not is_archived:
        return claim
    return replace(claim, used_at=used_at, is_stale=is_stale, is_archived=is_archived)


def _is_faded(claim: Claim, used_at: datetime | None, now: datetime) -> bool:
    """Tell whether little of its weight is left since it was last said or used."""
    last = max((each for each in (claim.last_said_at, used_at) if each is not None), default=None)
    return last is not None and weight(replace(claim, said_at=last), 1.0, now) < LEAST


def asked_about(claims: Sequence[Claim], question: str) -> list[Claim]:
    """Return the claims without those that are archived and of which the question has no word, nor one that leads to it."""
    if not any(each.is_archived for each in claims):
        return list(claims)
    led = {term: is_prefix for each in related(question) for term, is_prefix in (each.synonyms | each.members).items()}
    words, beginnings = {*terms(question), *led}, tuple(term for term, is_prefix in led.items() if is_prefix)
    return [each for each in claims if not each.is_archived or _has(each, words, beginnings)]


def _has(claim: Claim, words: set[str], beginnings: tuple[str, ...]) -> bool:
    return any(term in words or term.startswith(beginnings) for term in terms(claim.text))
