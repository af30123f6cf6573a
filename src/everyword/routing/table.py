"""The decision table: five questions about a product, sixteen answers, what each asks for and when it stops being right."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

Route = Literal["context", "retrieval", "memory"]
Dimension = Literal["corpus", "updates", "sessions", "latency", "errors"]
Corpus = Literal["small", "fits", "beyond"]
Updates = Literal["hardly", "daily", "every-turn"]
Sessions = Literal["none", "repeatable", "history"]
Latency = Literal["offline", "interactive", "high-volume"]
Errors = Literal["no-wrong-answers", "no-omissions", "nothing-outdated", "no-manipulation"]
Change = Literal["put in again", "index again", "overturn"]

SMALL = 200_000
"""Tokens up to which a corpus goes into the prompt as a whole, about 500 pages."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """One answer, what it asks for, and the first sign that it is no longer right."""

    dimension: Dimension
    level: str
    routes: tuple[Route, ...]
    """What it asks for; `context` alone: it does not ask for more."""
    choice: str
    signal: str | None = None
    then: str | None = None
    """What to change to, once the signal is there."""
    forbids: tuple[Route, ...] = ()


ROWS: tuple[Row, ...] = (
    Row(
        dimension="corpus",
        level="small",
        routes=("context",),
        choice="put all of it into the prompt; build no index",
        signal="the tokens of putting all of it in cost more than an index would, spread over the questions",
        then="build an index",
    ),
    Row(
        dimension="corpus",
        level="fits",
        routes=("retrieval", "context"),
        choice="retrieval first; the whole corpus where the model says that what it got is not enough",
        signal="more than half of the questions fall back, for long",
        then="put all of it in at once",
    ),
    Row(
        dimension="corpus",
        level="beyond",
        routes=("retrieval",),
        choice="retrieval: there is no other way",
        signal="answers lie scattered over dozens of sources, and one search does not find them",
        then="search in several rounds, at about 15 times the tokens",
    ),
    Row(
        dimension="updates",
        level="hardly",
        routes=("context",),
        choice="whatever is done once at indexing pays: contextual keys, summaries made beforehand",
    ),
    Row(
        dimension="updates",
        level="daily",
        routes=("retrieval",),
        choice="retrieval with an index that grows; nothing that rewrites the whole corpus",
        signal="building the index takes longer than the time between updates",
        then="work at question time, or put all of it in",
    ),
    Row(
        dimension="updates",
        level="every-turn",
        routes=("context", "memory"),
        choice="no index can follow: the context holds it, or a memory where it has to outlive the session",
        signal="a change has to be known in the next session",
        then="memory",
    ),
    Row(
        dimension="sessions",
        level="none",
        routes=("context",),
        choice="context and retrieval only; no memory",
        forbids=("memory",),
    ),
    Row(
        dimension="sessions",
        level="repeatable",
        routes=("context",),
        choice="a summary of the session is enough",
        signal="users complain that they have to say everything again",
        then="memory",
    ),
    Row(
        dimension="sessions",
        level="history",
        routes=("memory",),
        choice="memory, and it has to know when things held",
        signal="questions about time stay near 20 % right",
        then="claims with validity, or a graph",
    ),
    Row(
        dimension="latency",
        level="offline",
        routes=("context",),
        choice="the whole context is the most exact; nothing asks for a memory",
    ),
    Row(
        dimension="latency",
        level="interactive",
        routes=("memory",),
        choice="a memory: its slowest answers take about a second, those of a whole history many",
        signal="the search of the memory is itself slower than the target at p95",
        then="a lighter representation",
    ),
    Row(
        dimension="latency",
        level="high-volume",
        routes=("retrieval",),
        choice="an index made beforehand, answering in milliseconds",
        signal="somebody proposes a search in several rounds",
        then="refuse: it takes seconds to minutes",
    ),
    Row(
        dimension="errors",
        level="no-wrong-answers",
        routes=("retrieval",),
        choice="retrieval with a high bar; no answer where the material does not suffice",
        signal="too many questions are refused",
        then="add a channel (words beside vectors), not another embedder",
    ),
    Row(
        dimension="errors",
        level="no-omissions",
        routes=("context",),
        choice="the long context; what stands in its middle may be lost",
        signal="accuracy by position has the shape of a U",
        then="fewer passages, the best folded to both ends; not more",
    ),
    Row(
        dimension="errors",
        level="nothing-outdated",
        routes=("retrieval",),
        choice="retrieval from what is read-only and can be audited; no memory of facts",
        signal="the product has to remember all the same",
        then="a memory of pointers only; the truth is fetched",
        forbids=("memory",),
    ),
    Row(
        dimension="errors",
        level="no-manipulation",
        routes=("retrieval",),
        choice="retrieval that can be audited; a border of trust where a memory is written",
        signal="what a tool or a page said is in the permanent layer",
        then="keep it as an observation with its source, never as a fact or a rule",
    ),
)

CHANGES: Mapping[Change, tuple[Route, str]] = {
    "put in again": ("context", "the ticket at hand, the open file, today's plan"),
    "index again": ("retrieval", "a manual, the documentation of an API, a law: others publish it"),
    "overturn": ("memory", "a preference, a decision, an address: a later statement replaces it"),
}
"""If this changed, what would have to be done? The answer says where a piece of information belongs."""


def row(dimension: Dimension, level: str) -> Row:
    """Return the row of an answer. Raise KeyError."""
    return _BY_LEVEL[dimension, level]


_BY_LEVEL = {(each.dimension, each.level): each for each in ROWS}
