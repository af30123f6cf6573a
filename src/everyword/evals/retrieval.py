"""Retrieval inside a budget, without any language model: how often all the evidence reaches the context."""

from __future__ import annotations

import tempfile
import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Protocol

import numpy as np

from everyword.domain.context import Context
from everyword.domain.message import Added
from everyword.evals.dataset import Case, Dataset, Question, Said
from everyword.evals.intervals import wilson
from everyword.text.tokens import EstimateCounter

LONG = 256
"""Tokens above which a message counts as packed when a part of it is."""
USER = "bench"
_ADD = 500


class Measured(Protocol):
    """What the harness needs of a memory."""

    def add(self, messages: Sequence[dict[str, Any]], *, user_id: str, session_id: str | None) -> Added: ...
    def index(self, *, user_id: str) -> int: ...
    def context(self, question: str, *, user_id: str, budget: int, strategy: str, asked_at: str | None) -> Context: ...
    def close(self) -> None: ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """One question under one strategy."""

    case: str
    kind: str
    share: float
    """Of the evidence that is in the context."""
    share_whole: float
    """Counting only messages all of whose words are in it."""
    tokens: int
    milliseconds: float


@dataclass(slots=True, kw_only=True)
class Tally:
    """Outcomes of one strategy at one budget."""

    strategy: str
    budget: int
    outcomes: list[Outcome] = field(default_factory=list[Outcome])

    def row(self) -> dict[str, Any]:
        """Return the figures; shares are from 0 to 1."""
        every = [each.share == 1.0 for each in self.outcomes]
        times = [each.milliseconds for each in self.outcomes]
        tokens = [each.tokens for each in self.outcomes]
        low, high = wilson(sum(every), len(every))
        kinds = sorted({each.kind for each in self.outcomes})
        cases = sorted({each.case for each in self.outcomes})
        return {
            "strategy": self.strategy,
            "budget": self.budget,
            "questions": len(every),
            "all_evidence": float(np.mean(every)),
            "all_evidence_low": low,
            "all_evidence_high": high,
            "all_evidence_whole": float(np.mean([each.share_whole == 1.0 for each in self.outcomes])),
            "evidence_share": float(np.mean([each.share for each in self.outcomes])),
            "tokens_mean": float(np.mean(tokens)),
            "tokens_max": max(tokens),
            "p50_ms": float(np.percentile(times, 50)),
            "p95_ms": float(np.percentile(times, 95)),
            "by_kind": {kind: _part([each for each in self.outcomes if each.kind == kind]) for kind in kinds},
            "by_case": {case: _part([each for each in self.outcomes if each.case == case]) for case in cases},
        }


def _part(outcomes: list[Outcome]) -> dict[str, float]:
    return {"questions": len(outcomes), "all_evidence": float(np.mean([each.share == 1.0 for each in outcomes]))}


def measure(
    dataset: Dataset,
    open_memory: Callable[[Path], Measured],
    *,
    strategies: Sequence[str],
    budgets: Sequence[int],
    progress: Callable[[str, int], None] | None = None,
) -> dict[str, Any]:
    """Return `{"dataset", "sha256", "results": [...]}`; `progress` gets the name of each case and its questions."""
    tallies = [Tally(strategy=name, budget=budget) for name in strategies for budget in budgets]
    messages = tokens = 0
    for case in dataset.cases:
        if progress is not None:
            progress(case.name, len(case.questions))
        with tempfile.TemporaryDirectory(prefix="everyword-eval-") as folder:
            memory = open_memory(Path(folder))
            try:
                seqs = filled(memory, case.messages)
                for tally in tallies:
                    tally.outcomes.extend(_outcomes(memory, case, seqs, tally))
            finally:
                memory.close()
        messages += len(case.messages)
        tokens += sum(EstimateCounter().count(said.text) for said in case.messages)
    return {
        "dataset": dataset.name,
        "sha256": dataset.sha256,
        "messages": messages,
        "tokens": tokens,
        "left_out": dataset.left_out,
        "results": [tally.row() for tally in tallies if tally.outcomes],
    }


def filled(memory: Measured, said: Sequence[Said]) -> list[int]:
    """Store a history and compute the vectors that it waits for; return the sequence number of each message."""
    seqs: list[int] = []
    pending = 0
    for session, batch in _by_session(said):
        for start in range(0, len(batch), _ADD):
            added = memory.add(batch[start : start + _ADD], user_id=USER, session_id=session)
            seqs.extend(added.seqs)
            pending = added.pending_passages
    if pending:
        memory.index(user_id=USER)
    return seqs


def _by_session(said: Iterable[Said]) -> list[tuple[str, list[dict[str, Any]]]]:
    runs: list[tuple[str, list[dict[str, Any]]]] = []
    for each in said:
        message = {"role": each.role, "content": each.text or " "}
        message |= {"name": each.author} if each.author else {}
        message |= {"created_at": each.created_at} if each.created_at else {}
        if not runs or runs[-1][0] != each.session:
            runs.append((each.session, []))
        runs[-1][1].append(message)
    return runs


def _outcomes(memory: Measured, case: Case, seqs: list[int], tally: Tally) -> list[Outcome]:
    return [_outcome(memory, case, question, seqs, tally) for question in case.questions]


def _outcome(memory: Measured, case: Case, question: Question, seqs: list[int], tally: Tally) -> Outcome:
    asked_at = question.asked_at or case.messages[-1].created_at
    started = time.perf_counter()
    context = memory.context(
        question.text, user_id=USER, budget=tally.budget, strategy=tally.strategy, asked_at=asked_at
    )
    milliseconds = (time.perf_counter() - started) * 1000
    if context.tokens > tally.budget:
        raise AssertionError(f"{context.tokens} tokens are over the budget of {tally.budget}")
    whole, partly = packed(context)
    lenient = whole | {seq for seq in partly if _is_long(case.messages[seqs.index(seq)])}
    wanted = {seqs[place] for place in question.evidence}
    return Outcome(
        case=case.name,
        kind=question.kind,
        share=len(wanted & lenient) / len(wanted),
        share_whole=len(wanted & whole) / len(wanted),
        tokens=context.tokens,
        milliseconds=milliseconds,
    )


def packed(context: Context) -> tuple[set[int], set[int]]:
    """Return the messages that are in a context whole, and those that are in it in part."""
    recent = {message.seq for message in context.recent}
    whole = {each.message.seq for each in context.evidence if each.is_whole}
    return whole | recent, {each.message.seq for each in context.evidence if not each.is_whole}


def _is_long(said: Said) -> bool:
    return EstimateCounter().count(said.text) > LONG
