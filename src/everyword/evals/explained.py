"""A few questions in full, for the report: what was packed, what was dropped, and where the evidence stood."""

from __future__ import annotations

import hashlib
import threading
from typing import Any

from everyword.domain.context import Context
from everyword.evals.dataset import Question
from everyword.evals.evidence import History, Judged, Need
from everyword.evals.outcome import Outcome
from everyword.evals.retrieval import judged

MISSED = 3
FOUND = 1
"""Questions of each strategy, budget and length that are explained: with evidence missing, and with all of it."""
_LONGEST = 24_000
_DROPPED = 20


class Examples:
    """The questions with the smallest hashes: the same ones whatever the order in which they were asked."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._kept: dict[tuple[Any, ...], dict[str, dict[str, Any]]] = {}

    def wants(self, outcome: Outcome) -> bool:
        """Tell whether an outcome would be among the examples."""
        if outcome.share is None or outcome.tokens == 0:
            return False
        group = (outcome.strategy, outcome.budget, outcome.target, outcome.complete)
        place = _place(outcome.case, outcome.question, outcome.seed)
        with self._lock:
            kept = self._kept.get(group, {})
            return place not in kept and (len(kept) < _most(outcome.complete) or place < max(kept))

    def add(self, record: dict[str, Any]) -> None:
        """Take what `explained` made; the ones with larger hashes go."""
        group = (record["strategy"], record["budget"], record["length"], record["complete"])
        with self._lock:
            kept = self._kept.setdefault(group, {})
            kept[_place(record["case"], record["question"], record["seed"])] = record
            while len(kept) > _most(record["complete"]):
                del kept[max(kept)]

    def records(self) -> list[dict[str, Any]]:
        """Return the examples, those with missing evidence first."""
        groups = sorted(self._kept.items(), key=lambda each: (each[0][3], each[0][2] or 0, each[0][1], each[0][0]))
        return [kept[place] for _, kept in groups for place in sorted(kept)]


def _most(outcome_is_complete: object) -> int:
    return FOUND if outcome_is_complete else MISSED


def _place(case: str, question: str, seed: int | None) -> str:
    return hashlib.blake2b(f"{case}\0{question}\0{seed}".encode("utf-8", "surrogatepass"), digest_size=8).hexdigest()


def explained(question: Question, history: History, context: Context, outcome: Outcome) -> dict[str, Any]:
    """Return what happened to one question, as JSON."""
    found = judged(question, history, context)
    return {
        "case": outcome.case,
        "question": outcome.question,
        "text": question.text,
        "kind": question.kind,
        "answer": question.answer,
        "strategy": outcome.strategy,
        "budget": outcome.budget,
        "length": outcome.target,
        "seed": outcome.seed,
        "complete": outcome.complete,
        "context": _cut(context.text),
        "tokens": context.tokens,
        "ledger": dict(context.ledger),
        "evidence": [each for need in found.wanted for each in _evidence(need, found, context)],
        "dropped": [
            {"seq": each.seq, "rank": each.rank, "tokens": each.tokens, "reason": each.reason}
            for each in context.dropped[:_DROPPED]
        ],
    }


def _evidence(need: Need, found: Judged, context: Context) -> list[dict[str, Any]]:
    """Return the messages of a piece of evidence; of a session the best that is ranked."""
    seqs = [seq for place in need.places if (seq := found.history.seq(place)) is not None]
    if need.is_session:
        seqs = sorted(seqs, key=lambda seq: found.rank_of(seq) or len(found.history.seqs) + 1)[:1]
    return [_message(seq, need, found, context) for seq in seqs]


def _message(seq: int, need: Need, found: Judged, context: Context) -> dict[str, Any]:
    said = found.history.messages[found.history.places[seq]]
    is_shown = found.is_shown(need)
    reason = next((each.reason for each in context.dropped if each.seq == seq), found.lost(need))
    return {
        "seq": seq,
        "role": said.role,
        "said_at": said.created_at,
        "text": _cut(said.text),
        "packed": is_shown,
        "rank": found.rank_of(seq),
        "reason": None if is_shown else reason,
        "stages": {
            name: {"rank": place.rank, "score": place.score} for name, place in context.trace.places(seq).items()
        },
    }


def _cut(text: str) -> str:
    return text if len(text) <= _LONGEST else f"{text[: _LONGEST // 2]}\n …\n{text[-_LONGEST // 2 :]}"
