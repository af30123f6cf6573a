"""Three bills that are never added up by themselves: tokens of every question, the index, and the upkeep of a memory."""

from __future__ import annotations

import math
from dataclasses import dataclass

from everyword.errors import InvalidInputError

INDEX_PER_MILLION = 1.02
"""Dollars for rewriting a million tokens once for an index, as published for contextual retrieval."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Terms:
    """One's own prices and volumes. Money is in one currency; a month is what the volumes are counted in."""

    corpus_tokens: int
    price_per_million: float
    """Of input tokens."""
    queries_a_month: float = 0.0
    evidence_tokens: int = 1_500
    """That retrieval puts into a prompt."""
    index_per_million: float = INDEX_PER_MILLION
    changed_share_a_month: float = 0.0
    """Share of the corpus that changes, 1.0: all of it once."""
    months: float = 12.0
    """Over which the first index is spread."""
    upkeep_a_month: float = 0.0
    """Of a memory: what the four parts of `Upkeep` cost together."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Upkeep:
    """What a memory costs a month beside tokens and index; it grows with its age."""

    extraction: float = 0.0
    """Calls that read and write claims."""
    merging: float = 0.0
    """Looking for doubles and contradictions."""
    review: float = 0.0
    """Looking for what has expired, and forgetting."""
    caps: float = 0.0
    """Rewriting what has outgrown its room."""

    @property
    def total(self) -> float:
        """Return the sum of the four."""
        return self.extraction + self.merging + self.review + self.caps


@dataclass(frozen=True, slots=True, kw_only=True)
class Accounts:
    """A month of one way of working, by account."""

    tokens: float
    index: float
    upkeep: float


def stuffing(terms: Terms) -> Accounts:
    """Return a month of putting the whole corpus into every prompt: linear in corpus and questions."""
    _check(terms)
    return Accounts(tokens=terms.queries_a_month * _price(terms, terms.corpus_tokens), index=0.0, upkeep=0.0)


def retrieving(terms: Terms) -> Accounts:
    """Return a month of retrieval: the index does not depend on the number of questions."""
    _check(terms)
    return Accounts(
        tokens=terms.queries_a_month * _price(terms, min(terms.evidence_tokens, terms.corpus_tokens)),
        index=_index_a_month(terms),
        upkeep=terms.upkeep_a_month,
    )


def break_even(terms: Terms) -> float:
    """Return the questions a month from which retrieval costs less: what it costs anyhow / what it saves on each question.

    Infinite where a question saves nothing.
    """
    _check(terms)
    saved = _price(terms, terms.corpus_tokens - min(terms.evidence_tokens, terms.corpus_tokens))
    return (_index_a_month(terms) + terms.upkeep_a_month) / saved if saved > 0 else math.inf


def _price(terms: Terms, tokens: int) -> float:
    return tokens * terms.price_per_million / 1e6


def _index_a_month(terms: Terms) -> float:
    once = terms.corpus_tokens * terms.index_per_million / 1e6
    return once / terms.months + once * terms.changed_share_a_month


def _check(terms: Terms) -> None:
    numbers = {name: getattr(terms, name) for name in Terms.__slots__}
    wrong = [name for name, value in numbers.items() if value < 0 or (name == "months" and value == 0)]
    if wrong:
        raise InvalidInputError(f"{', '.join(wrong)}: give 0 or more (months: more than 0).")
