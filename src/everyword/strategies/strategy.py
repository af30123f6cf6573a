"""What every strategy is: a recipe for searching and a shape for what is shown."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import TYPE_CHECKING, Literal, Protocol

from everyword.domain.context import Evidence
from everyword.domain.message import Message
from everyword.packing.excerpt import LONG, excerpt, joined
from everyword.packing.packer import Item
from everyword.packing.render import Style
from everyword.ports import SearchIndex, TokenCounter
from everyword.retrieval.recipe import Recipe

if TYPE_CHECKING:
    from everyword.retrieval.search import Candidate, Ranking

Show = Literal["whole", "relevant", "passage"]

_CHUNK = 48
_CANDIDATES = 300


@dataclass(frozen=True, slots=True, kw_only=True)
class Strategy:
    """One way to fill the window from the raw words."""

    name: str
    about: str
    recipe: Recipe
    style: Style = "grouped"
    show: Show = "relevant"
    """`whole` messages, only the `relevant` lines of long ones, or the `passage` that was found."""
    recent_turns: int | None = None
    """Turns of the session that are always appended; None: two where a session is named."""


class MessageLog(Protocol):
    """What packing reads of the log."""

    def by_seq(self, seqs: Sequence[int]) -> list[Message]: ...


def items(
    strategy: Strategy, ranking: Ranking, index: SearchIndex, log: MessageLog, counter: TokenCounter
) -> Iterator[Item]:
    """Yield the candidates with their words, from the best; messages are read as packing asks for them."""
    candidates = islice(ranking.candidates(), _CANDIDATES)
    size = 1 if strategy.recipe.unit == "passage" else _CHUNK  # Two windows of one message are two candidates.
    while chunk := list(islice(candidates, size)):
        messages = {message.seq: message for message in log.by_seq([seq for each in chunk for seq in each.seqs])}
        spans = _spans(index, chunk, strategy.show)
        for candidate in chunk:
            found = [messages[seq] for seq in candidate.seqs if seq in messages]
            evidence = tuple(_evidence(strategy, candidate, each, spans, ranking.idf, counter) for each in found)
            if evidence:
                yield Item(rank=candidate.rank, score=candidate.score, evidence=evidence)


def _spans(index: SearchIndex, chunk: Sequence[Candidate], show: Show) -> dict[int, list[tuple[int, int]]]:
    """Return the spans of the best passages of each message, where they decide what is shown."""
    if show == "whole":
        return {}
    wanted = [
        passage_id
        for each in chunk
        for passage_id in (each.passage_ids[:2] if show == "relevant" else each.passage_ids)
    ]
    spans: dict[int, list[tuple[int, int]]] = {}
    for passage in index.spans(wanted):
        spans.setdefault(passage[0], []).append(passage[1:])
    return spans


def _evidence(
    strategy: Strategy,
    candidate: Candidate,
    message: Message,
    spans: dict[int, list[tuple[int, int]]],
    idf: dict[str, float],
    counter: TokenCounter,
) -> Evidence:
    shown: tuple[tuple[int, int], ...] = ((0, len(message.text)),)
    if strategy.show == "passage":
        shown = joined(message.text, spans.get(message.seq, shown))
    elif strategy.show == "relevant" and counter.count(message.text) > LONG:
        shown = excerpt(message.text, spans.get(message.seq, shown), idf)
    words = sum(counter.count(message.text[start:stop]) for start, stop in shown)
    return Evidence(message=message, spans=shown, score=candidate.score, rank=candidate.rank, tokens=words)
