"""How one strategy searches: channels, weights, fusion, reranking, units."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Channel = Literal["lexical", "passage", "clause"]
DENSE: tuple[Channel, ...] = ("passage", "clause")
CANDIDATES = 300
"""Units that a budget may take something of."""
Fusion = Literal["scores", "ranks"]
Unit = Literal["message", "speaker-run", "passage"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Recipe:
    """Numbers that decide a ranking. `scores`: weighted sum of standard scores; `ranks`: RRF with k = 60."""

    name: str
    channels: tuple[Channel, ...]
    weights: tuple[float, ...] = ()
    """One a channel; not used by `ranks`."""
    fusion: Fusion = "scores"
    unit: Unit = "message"
    """What is ranked and packed together: a message, consecutive messages of one speaker, or a window."""
    neighbours: tuple[float, ...] = ()
    """Share of the term counts of the passages at distance 1, 2, … that counts for a passage's words."""
    k1: float = 1.2
    """Of BM25: how much a repeated term still adds; less makes different terms count more."""
    synonyms: float = 0.0
    """Of words that mean nearly the same as a word of the question (text/related.txt), against the word itself."""
    members: float = 0.0
    """Of the members of a kind that the question names: a dog where it asks for pets."""
    header_weight: float = 0.0
    """Of speaker and date terms against a term of the text."""
    author_bonus: float = 0.0
    """Standard deviations for messages of a speaker whom the question names."""
    other_script: float = 0.0
    """Share of the weight of words that vectors take over for passages of another script, which no word can match."""
    branch_penalty: float = 0.0
    """Standard deviations that messages of a left branch or a side chain lose."""
    centred: float = 0.0
    """Times the centre of all texts that is taken off the question, where passages are compared by their cosine around this
    centre. 0: they are compared by the plain one."""
    declarative: float = 0.0
    """Of how little a passage reads as a question or small talk (standard scores, up to those of a plain statement), where the
    question asks for something that was said."""
    session_bonus: float = 0.0
    """Share of the mean of the session's three best passages that each of its passages gets."""
    standout: float = 0.0
    """Standard deviations by which the nearest clause has to lead the sixth so that its passage is among the first. 0: never."""
    asker_bonus: float = 0.0
    """Standard deviations for user messages where the question is about the asker and not about what they were told."""
    roles: frozenset[str] | None = None
    tokens: float = 0.0
    """Of how near each token of the question comes to the clauses of the first candidates (standard scores among these)."""
    rerank: int = 0
    """Candidates that tokens and the reranker judge; the reranker's order is fused with the one before by rank, by score where
    it has a weight. 0: none."""
    keep: int | None = None
    """Candidates that are left after reranking."""
    room: tuple[int, int] | None = None
    """Tokens up to which a message is shown whole, and those of an excerpt: a budget takes first what promises most for its
    tokens (density.py). None: the best first."""
