"""Who and what the user has named, and how those are related, each with the claim that says so."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from everyword.domain.message import MessageId

USER = "user"
"""Name of the node that is the user."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Edge:
    """A relation that one claim states: `Mia`, `lives in`, `Lisbon`."""

    subject: str
    relation: str
    object: str
    claim_id: str
    message_ids: tuple[MessageId, ...]
    seq: int
    """Of the message that says it first."""
    said_at: datetime | None = None
    valid_from: datetime | None = None
    valid_to: datetime | None = None
    """When a later statement ended it."""
    is_open: bool = True


@dataclass(frozen=True, slots=True, kw_only=True)
class Node:
    """A person, an animal, a thing or a place that the user has named."""

    name: str
    roles: tuple[str, ...] = ()
    """What it is to others: `sister`, `Mia's dog`."""
    claim_ids: tuple[str, ...] = ()
    """Claims that name it, in the order in which they were said."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Graph:
    """A view of the claims for browsing and for questions over two steps; it holds nothing that they do not."""

    nodes: tuple[Node, ...]
    edges: tuple[Edge, ...]

    def around(self, names: frozenset[str] | set[str], *, hops: int = 2) -> list[Edge]:
        """Return the edges that are reached from nodes in so many steps, nearest first.

        The user is related to everything: a walk goes on through them only where it starts there.
        """
        reached, edge_of = set(names), dict[int, Edge]()
        for _ in range(hops):
            open_ends = {name for name in reached if name != USER or name in names}
            found = {
                number: edge
                for number, edge in enumerate(self.edges)
                if number not in edge_of and (edge.subject in open_ends or edge.object in open_ends)
            }
            edge_of |= found
            reached |= {name for edge in found.values() for name in (edge.subject, edge.object)}
        return list(edge_of.values())
