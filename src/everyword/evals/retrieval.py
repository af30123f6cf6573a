"""Retrieval inside a budget, without any language model: whether all the evidence of a question reaches the context."""

from __future__ import annotations

import time
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from everyword.domain.context import Context
from everyword.domain.message import Added
from everyword.errors import ContextLengthExceeded
from everyword.evals import measures
from everyword.evals.dataset import Question, Said
from everyword.evals.evidence import History, Judged, Shown, needs, roles
from everyword.evals.order import final_order
from everyword.evals.outcome import Outcome

USER = "bench"
NO_ROOM = "no room"
"""Failure of a question whose context cannot be made inside the budget."""
TURNS = (5, 10, 50)
"""Depths at which rankings of messages are measured."""
SESSIONS = (5, 10)
_ADD = 500


class Measured(Protocol):
    """What the harness needs of a memory."""

    def add(self, messages: Sequence[dict[str, Any]], *, user_id: str, session_id: str | None) -> Added: ...
    def index(self, *, user_id: str) -> int: ...
    def context(self, question: str, *, user_id: str, budget: int, strategy: str, asked_at: str | None) -> Context: ...
    def stats(self, *, user_id: str) -> dict[str, Any]: ...
    def close(self) -> None: ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Setting:
    """In what history a question is asked, and how."""

    dataset: str
    case: str
    length: int
    strategy: str
    budget: int
    target: int | None = None
    seed: int | None = None


def fill(memory: Measured, history: History, upto: int) -> None:
    """Store the next messages of a history, up to a place, and compute the vectors that wait."""
    pending = 0
    for session, batch in _by_session(history.messages[len(history.seqs) : upto]):
        for start in range(0, len(batch), _ADD):
            added = memory.add(batch[start : start + _ADD], user_id=USER, session_id=session)
            history.stored(added.seqs)
            pending = added.pending_passages
    if pending:
        memory.index(user_id=USER)


def _by_session(said: Iterable[Said]) -> list[tuple[str, list[dict[str, Any]]]]:
    runs: list[tuple[str, list[dict[str, Any]]]] = []
    for each in said:
        if not runs or runs[-1][0] != each.session:
            runs.append((each.session, []))
        runs[-1][1].append(_message(each))
    return runs


def _message(said: Said) -> dict[str, Any]:
    message: dict[str, Any] = {"role": said.role, "content": said.text or " "}
    message |= {"name": said.author} if said.author else {}
    message |= {"created_at": said.created_at} if said.created_at else {}
    return message | ({"metadata": {"source": said.source}} if said.source != "chat" else {})


def ask(memory: Measured, history: History, question: Question, setting: Setting) -> tuple[Outcome, Context | None]:
    """Return what a question gets, and the context that it got; None where the budget has no room for one."""
    asked_at = question.asked_at or (history.messages[len(history.seqs) - 1].created_at if history.seqs else None)
    started = time.perf_counter()
    try:
        context = memory.context(
            question.text, user_id=USER, budget=setting.budget, strategy=setting.strategy, asked_at=asked_at
        )
    except ContextLengthExceeded:
        return _outcome(question, history, setting, _since(started), None, NO_ROOM), None
    milliseconds = _since(started)
    if context.tokens > setting.budget:
        raise AssertionError(f"{context.tokens} tokens are over the budget of {setting.budget}")
    return _outcome(question, history, setting, milliseconds, context), context


def judged(question: Question, history: History, context: Context) -> Judged:
    """Return how a context serves a question."""
    return Judged(history, needs(question, history), Shown(context), final_order(context))


def _outcome(
    question: Question,
    history: History,
    setting: Setting,
    milliseconds: float,
    context: Context | None,
    failure: str | None = None,
) -> Outcome:
    wanted = needs(question, history) if question.answerable else []
    return Outcome(
        dataset=setting.dataset,
        case=setting.case,
        question=question.name,
        text=question.text,
        kind=question.kind,
        labels=question.labels,
        roles=roles(question, history.messages),
        answerable=question.answerable,
        strategy=setting.strategy,
        budget=setting.budget,
        length=setting.length,
        tokens=context.tokens if context else 0,
        milliseconds=milliseconds,
        evidence=len(wanted),
        no_evidence=context.no_evidence if context else None,
        failure=failure,
        target=setting.target,
        seed=setting.seed,
        **_shares(question, history, context, known=bool(wanted)),
    )


def _shares(question: Question, history: History, context: Context | None, *, known: bool) -> dict[str, Any]:
    """Return the fields of an outcome that are about evidence."""
    if not known:
        return {"share": None, "share_whole": None}
    if context is None:
        return {"share": 0.0, "share_whole": 0.0, "miss": "not packed"}
    found = judged(question, history, context)
    return {
        "share": found.share,
        "share_whole": found.share_whole,
        "worst_rank": found.worst_rank,
        "ranked": ranked(found, question),
        "miss": found.miss,
    }


def ranked(found: Judged, question: Question) -> Mapping[str, float]:
    """Return the measures of an order: of messages, of the user's messages alone as LongMemEval has it, and of sessions."""
    said, out = found.history.messages, dict[str, float]()
    places = found.ranked_places()
    if question.evidence:
        out |= _of_messages("turn", places, question.evidence)
    by_user = {place for place in question.evidence if said[place].role == "user"}
    if by_user and any(said[place].role != "user" for place in [*places, *question.evidence]):
        out |= _of_messages("user turn", [place for place in places if said[place].role == "user"], by_user)
    return out | _of_sessions(found, question)


def _of_messages(level: str, places: list[int], wanted: set[int] | frozenset[int]) -> dict[str, float]:
    out = {f"{level} recall_all@{k}": measures.recall_all(places, wanted, k) for k in TURNS}
    out |= {f"{level} recall_any@{k}": measures.recall_any(places, wanted, k) for k in TURNS}
    out[f"{level} recall@10"] = measures.recall(places, wanted, 10)
    out[f"{level} ndcg@10"] = measures.ndcg(places, wanted, 10)
    out[f"{level} ndcg_any@10"] = measures.ndcg_any(places, wanted, 10)
    out[f"{level} rr"] = measures.reciprocal_rank(places, wanted)
    return out


def _of_sessions(found: Judged, question: Question) -> dict[str, float]:
    said = found.history.messages
    wanted = question.sessions or frozenset(said[place].session for place in question.evidence)
    by_turn, sessions = found.ranked_sessions(), found.distinct_sessions()
    turns = sum(len(found.history.sessions.get(name, ())) for name in wanted)
    out = {f"session recall_all@{k}": measures.recall_all(sessions, wanted, k) for k in SESSIONS}
    out |= {f"session recall_any@{k}": measures.recall_any(sessions, wanted, k) for k in SESSIONS}
    out |= {f"session recall@{k}": measures.recall(sessions, wanted, k) for k in SESSIONS}
    out["session ndcg@10"] = measures.ndcg(sessions, wanted, 10)
    out["session ndcg_any@10"] = measures.ndcg_any_of_sessions(by_turn, wanted, 10, relevant_turns=turns)
    return out


def _since(started: float) -> float:
    return (time.perf_counter() - started) * 1000
