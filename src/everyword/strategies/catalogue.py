"""Every strategy by its name."""

from __future__ import annotations

from everyword.errors import InvalidInputError
from everyword.strategies.bm25 import BM25
from everyword.strategies.compact import COMPACT
from everyword.strategies.entities import ENTITIES
from everyword.strategies.evidence import EVIDENCE
from everyword.strategies.full import FULL
from everyword.strategies.graph import GRAPH
from everyword.strategies.hybrid import HYBRID
from everyword.strategies.notes import NOTES, NOTES_RAW
from everyword.strategies.pinned import PINNED
from everyword.strategies.profile import PROFILE
from everyword.strategies.raw_fused import RAW_FUSED
from everyword.strategies.raw_rag import RAW_RAG
from everyword.strategies.raw_semantic import RAW_SEMANTIC
from everyword.strategies.route import ROUTE
from everyword.strategies.strategy import Strategy
from everyword.strategies.summary import SUMMARY, summary
from everyword.strategies.window import WINDOW, window

DEFAULT = EVIDENCE.name
STRATEGIES: dict[str, Strategy] = {
    each.name: each
    for each in (
        EVIDENCE,
        BM25,
        RAW_SEMANTIC,
        RAW_FUSED,
        RAW_RAG,
        WINDOW,
        FULL,
        HYBRID,
        ENTITIES,
        GRAPH,
        PROFILE,
        PINNED,
        NOTES,
        NOTES_RAW,
        SUMMARY,
        COMPACT,
        ROUTE,
    )
}


def strategy(name: str | Strategy) -> Strategy:
    """Return a strategy by its name; one of your own is returned as it is. Raise InvalidInputError that names the known ones."""
    if isinstance(name, Strategy):
        return name
    if name in STRATEGIES:
        return STRATEGIES[name]
    if name.startswith(f"{WINDOW.name}:"):
        return window(name)
    if name.startswith(f"{SUMMARY.name}:"):
        return summary(name)
    raise InvalidInputError(f"No strategy {name!r}: choose one of {', '.join(STRATEGIES)}.")
