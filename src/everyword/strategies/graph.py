"""Relations up to two steps from whom the question names, in front of the evidence."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace

from everyword.claims.graph import graph_of, named_in
from everyword.domain.claim import Claim
from everyword.domain.context import Context
from everyword.domain.graph import USER, Edge, Graph
from everyword.domain.query import Query
from everyword.packing.packer import Frame, room
from everyword.packing.section import edge_line
from everyword.strategies.claimed import let_in, traced
from everyword.strategies.evidence import EVIDENCE
from everyword.strategies.front import Shown, affordable, in_front
from everyword.strategies.strategy import Sources, Strategy, searched


@dataclass(frozen=True, slots=True, kw_only=True)
class GraphWalk(Strategy):
    """A strategy that begins with how those whom the question names are related."""

    hops: int = 2
    share: float = 0.25
    """Of the room, the most that relations may take."""

    def fill(self, sources: Sources, asked: Query, frame: Frame) -> Context:
        """Return relations, and evidence behind them. Raise ContextLengthExceeded."""
        told = sources.claims()
        frame.trace = traced(self.name, told)
        claims = let_in(told.claims, replace(asked, hidden_seqs=frozenset()))  # A walk needs every step, shown or not.
        known = {claim.claim_id: claim for claim in claims}
        most = int(self.share * room(frame))
        chosen = affordable(_lines(self._walked(graph_of(claims), asked), known, frame), frame, most)
        messages = {message.seq: message for message in sources.log.by_seq({line.claim.seq for line in chosen})}
        frame.sections = in_front("graph", chosen, messages, frame, most)
        return searched(self, sources, asked, frame)

    def _walked(self, found: Graph, asked: Query) -> list[Edge]:
        """Return the relations that hold, nearest first; of the user alone only their own."""
        names = {node.name for node in named_in(asked.text, found)}
        open_ones = replace(found, edges=tuple(edge for edge in found.edges if edge.is_open))
        return open_ones.around(names, hops=1 if names == {USER} else self.hops)


def _lines(edges: list[Edge], known: Mapping[str, Claim], frame: Frame) -> Iterator[Shown]:
    for edge in edges:
        yield Shown(claim=known[edge.claim_id], text=edge_line(edge, frame.locale))


GRAPH = GraphWalk(
    name="graph",
    about="relations up to two steps from whom the question names, in front of the evidence",
    recipe=replace(EVIDENCE.recipe, name="graph"),
)
