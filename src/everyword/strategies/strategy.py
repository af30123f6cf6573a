"""What every strategy is: a recipe for searching and a shape for what is shown."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, partial
from itertools import islice
from typing import TYPE_CHECKING, Literal, Protocol

from everyword.domain.claim import Claim, Told
from everyword.domain.context import Context, Evidence
from everyword.domain.decision import Decision
from everyword.domain.message import Message
from everyword.domain.query import Query
from everyword.domain.summary import Written
from everyword.domain.trace import Trace
from everyword.packing.excerpt import LONG, ROOM, excerpt, joined
from everyword.packing.packer import Frame, Item, pack
from everyword.packing.render import Style
from everyword.ports import LanguageModel, MessageLog, SearchIndex, TokenCounter
from everyword.retrieval.recipe import CANDIDATES, Recipe
from everyword.text.clauses import Span, clauses

if TYPE_CHECKING:
    from everyword.retrieval.search import Candidate, Ranking

FoundPassage = tuple[int, Span]
"""Id of a passage and its characters in the message."""
Show = Literal["whole", "relevant", "passage"]

_CHUNK = 24


class DecisionJournal(Protocol):
    """Where a strategy that decides writes down what it decided."""

    def add(self, decision: Decision) -> None: ...
    def accepted(self) -> int: ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Routing:
    """What a strategy that decides by asking may use."""

    model: LanguageModel | None = None
    """None: it decides by what the search tells."""
    evidence_tokens: int = 1_500
    """Of the evidence that is judged first."""
    window_tokens: int = 0
    """Tokens that the model takes; 0: not known, the budget alone limits."""
    audit_percent: int = 0
    """Of a hundred answers that evidence was enough for, how many are asked again with the whole history."""
    journal: DecisionJournal | None = None


def _nothing_written(_: Sequence[Claim]) -> Written:
    return Written()


@dataclass(frozen=True, slots=True, kw_only=True)
class Sources:
    """What a strategy may fill the window from: one user's words, found or derived."""

    index: SearchIndex
    log: MessageLog
    rank: Callable[[Query, Strategy], Ranking]
    claims: Callable[[], Told]
    """Called by the strategies that show claims; the others cause no reading."""
    written: Callable[[Sequence[Claim]], Written] = _nothing_written
    """Given claims, returns the lines that a language model wrote from them; without one, none."""
    routing: Routing = Routing()


@dataclass(frozen=True, slots=True, kw_only=True)
class Strategy:
    """One way to fill the window."""

    name: str
    about: str
    recipe: Recipe
    style: Style = "grouped"
    show: Show = "relevant"
    """`whole` messages, only the `relevant` lines of long ones, or the `passage` that was found."""
    recent_turns: int | None = None
    """Turns of the session that are always appended; None: two where a session is named."""

    def fill(self, sources: Sources, asked: Query, frame: Frame) -> Context:
        """Return what the model should see: here the messages that retrieval finds. Raise ContextLengthExceeded."""
        return searched(self, sources, asked, frame)


def searched(
    strategy: Strategy,
    sources: Sources,
    asked: Query,
    frame: Frame,
    *,
    lets_in: Callable[[Item], bool] | None = None,
) -> Context:
    """Return the ranked messages that fit behind the sections of the frame."""
    ranking = ranked(strategy, sources, asked, frame)
    candidates = items(strategy, ranking, sources.index, sources.log, frame.counter)
    packed = pack((item for item in candidates if lets_in is None or lets_in(item)), frame)
    return _told(packed, ranking)


def _told(packed: Context, ranking: Ranking) -> Context:
    """Return the context that says whether the history seems to hold the answer; if not, the trace says why."""
    verdict = ranking.verdict
    notes = (*packed.trace.notes, verdict.why) if verdict.why else packed.trace.notes
    return replace(packed, no_evidence=verdict.no_evidence, trace=replace(packed.trace, notes=notes))


def ranked(strategy: Strategy, sources: Sources, asked: Query, frame: Frame) -> Ranking:
    """Return the ranking of a question; its stages and notes follow those that the frame has."""
    ranking = sources.rank(asked, strategy)
    frame.trace = Trace(
        strategy=strategy.name,
        stages=(*frame.trace.stages, *ranking.stages),
        notes=(*frame.trace.notes, *ranking.notes),
    )
    return ranking


def items(
    strategy: Strategy, ranking: Ranking, index: SearchIndex, log: MessageLog, counter: TokenCounter
) -> Iterator[Item]:
    """Yield the candidates with their words, as a budget takes them; messages are read as packing asks for them."""
    candidates = islice(ranking.in_turn(), CANDIDATES)
    size = 1 if strategy.recipe.unit == "passage" else _CHUNK  # Two windows of one message are two candidates.
    while chunk := list(islice(candidates, size)):
        messages = {message.seq: message for message in log.by_seq([seq for each in chunk for seq in each.seqs])}
        lines = _Lines(chunk, index, ranking, strategy.show)
        for candidate in chunk:
            found = tuple(messages[seq] for seq in candidate.seqs if seq in messages)
            sizes = tuple(counter.count(message.text) for message in found)
            if found:
                yield Item(
                    rank=candidate.rank,
                    score=candidate.score,
                    messages=found,
                    show=partial(_evidence, candidate, found, sizes, lines, counter),
                    least=_least(strategy, sizes),
                    sizes=sizes,
                )


def _least(strategy: Strategy, sizes: Sequence[int]) -> int:
    """Return the tokens below which messages are not worth a try: all of short ones, half an excerpt of long ones."""
    if strategy.show == "passage":
        return 0
    return sum(size if strategy.show == "whole" or size <= LONG else ROOM // 2 for size in sizes)


class _Lines:
    """Which lines of some candidates are shown; what decides it is read for all of them when the first is shown."""

    def __init__(self, candidates: Sequence[Candidate], index: SearchIndex, ranking: Ranking, show: Show) -> None:
        self._candidates = candidates
        self._index = index
        self._ranking = ranking
        self._show: Show = show

    def shown(self, message: Message, size: int) -> tuple[Span, ...]:
        """Return the spans of a message that are shown: all of it, the passages that were found, or the relevant lines."""
        passages = self._passages.get(message.seq)
        if passages and self._show == "passage":
            return joined(message.text, [span for _, span in passages])
        if passages and self._show == "relevant" and size > LONG:
            by_meaning = partial(self._by_meaning, message.text, passages[0])
            spans = [span for _, span in passages]
            return excerpt(message.text, spans, self._ranking.idf, by_meaning, related=self._ranking.related)
        return ((0, len(message.text)),)

    def _by_meaning(self, text: str, passage: FoundPassage) -> list[tuple[Span, float]]:
        """Return the clauses of a passage with their similarity to the question."""
        passage_id, (start, stop) = passage
        scores, spans = self._closeness.get(passage_id, ()), clauses(text[start:stop])
        if len(scores) != len(spans):
            return []
        return [((start + a, start + b), score) for (a, b), score in zip(spans, scores, strict=True)]

    @cached_property
    def _passages(self) -> dict[int, list[FoundPassage]]:
        """Return the best passages of each message, where they decide what is shown."""
        if self._show == "whole":
            return {}
        most = 1 if self._show == "relevant" else None
        found: dict[int, list[FoundPassage]] = {}
        chosen = [passage_id for each in self._candidates for passage_id in each.passage_ids[:most]]
        for passage_id, seq, start, stop in self._index.spans(chosen):
            found.setdefault(seq, []).append((passage_id, (start, stop)))
        return found

    @cached_property
    def _closeness(self) -> Mapping[int, Sequence[float]]:
        """Return by passage the similarity of its clauses to the question."""
        return self._ranking.clause_scores([each.passage_ids[0] for each in self._candidates])


def _evidence(
    candidate: Candidate, messages: Sequence[Message], sizes: Sequence[int], lines: _Lines, counter: TokenCounter
) -> tuple[Evidence, ...]:
    evidence: list[Evidence] = []
    for message, size in zip(messages, sizes, strict=True):
        shown = lines.shown(message, size)
        is_whole = shown == ((0, len(message.text)),)
        words = size if is_whole else sum(counter.count(message.text[start:stop]) for start, stop in shown)
        evidence.append(
            Evidence(message=message, spans=shown, score=candidate.score, rank=candidate.rank, tokens=words)
        )
    return tuple(evidence)
