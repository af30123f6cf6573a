"""Every strategy by its name."""

from __future__ import annotations

from everyword.errors import InvalidInputError
from everyword.strategies.bm25 import BM25
from everyword.strategies.evidence import EVIDENCE
from everyword.strategies.raw_fused import RAW_FUSED
from everyword.strategies.raw_rag import RAW_RAG
from everyword.strategies.raw_semantic import RAW_SEMANTIC
from everyword.strategies.strategy import Strategy

DEFAULT = EVIDENCE.name
STRATEGIES = {each.name: each for each in (EVIDENCE, BM25, RAW_SEMANTIC, RAW_FUSED, RAW_RAG)}


def strategy(name: str) -> Strategy:
    """Return a strategy. Raise InvalidInputError that names the known ones."""
    if name not in STRATEGIES:
        raise InvalidInputError(f"No strategy {name!r}: choose one of {', '.join(STRATEGIES)}.")
    return STRATEGIES[name]
