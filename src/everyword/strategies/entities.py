"""Cards of whom and what the question names, in the user's own words, in front of the evidence."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from everyword.claims.graph import graph_of, named_in
from everyword.domain.claim import Claim
from everyword.domain.context import Context
from everyword.domain.graph import USER, Graph, Node
from everyword.domain.query import Query
from everyword.packing.packer import Frame, room
from everyword.packing.render import harmless
from everyword.packing.section import claim_line
from everyword.strategies.claimed import in_order_of_need, let_in, traced
from everyword.strategies.evidence import EVIDENCE
from everyword.strategies.front import Shown, affordable, in_front
from everyword.strategies.strategy import Sources, Strategy, searched


@dataclass(frozen=True, slots=True, kw_only=True)
class Entities(Strategy):
    """A strategy that begins with what is known about those whom the question names."""

    share: float = 0.35
    """Of the room, the most that the cards may take."""

    def fill(self, sources: Sources, asked: Query, frame: Frame) -> Context:
        """Return cards, and evidence behind them. Raise ContextLengthExceeded."""
        told = sources.claims()
        frame.trace = traced(self.name, told)
        claims = let_in(told.claims, asked)
        most = int(self.share * room(frame))
        chosen = affordable(_lines(graph_of(claims), claims, asked, frame), frame, most)
        messages = {message.seq: message for message in sources.log.by_seq({line.claim.seq for line in chosen})}
        frame.sections = in_front("entities", _as_cards(chosen), messages, frame, most)
        return searched(self, sources, asked, frame)


def _lines(found: Graph, claims: Sequence[Claim], asked: Query, frame: Frame) -> Iterator[Shown]:
    """Yield a line for each claim that holds about a named entity, of each card first what must not be lost."""
    known = {claim.claim_id: claim for claim in claims}
    numbers = {claim.claim_id: claim.seq for claim in claims}
    told: set[str] = set()
    for node in named_in(asked.text, found):
        own = [known[each] for each in node.claim_ids if each not in told and known[each].is_open]
        told.update(node.claim_ids)
        for claim in in_order_of_need(own, "entities"):
            yield Shown(claim=claim, text=claim_line(claim, numbers, frame.locale), heading=_heading(node, frame))


def _heading(node: Node, frame: Frame) -> str:
    """Return `Mia (sister):`, in the language of the question."""
    name = {"en": "The user", "zh": "使用者"}[frame.locale] if node.name == USER else node.name
    roles = ", ".join(role for role in node.roles if role != node.name)
    opening = {"en": f" ({roles}):", "zh": f"（{roles}）："} if roles else {"en": ":", "zh": "："}
    return harmless(f"{name}{opening[frame.locale]}")


def _as_cards(lines: Sequence[Shown]) -> list[Shown]:
    """Return the lines card by card, each in the order in which it was said."""
    headings = list(dict.fromkeys(line.heading for line in lines))
    return sorted(lines, key=lambda line: (headings.index(line.heading), line.claim.seq, line.claim.span))


ENTITIES = Entities(
    name="entities",
    about="cards of the people, animals, things and numbers that the question names, in front of the evidence",
    recipe=replace(EVIDENCE.recipe, name="entities"),
)
