"""Why a context holds what it holds: each message with its rank and score in every stage."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal

from fastapi import APIRouter

from everyword.domain.context import Context
from everyword.domain.message import Message
from everyword.domain.trace import Place
from everyword.server.rest import REFUSALS, context_reply
from everyword.server.serving import Served, Whose
from everyword.server.wire import ExplainedReply, ExplainReply, ExplainRequest, PlaceReply, StrategiesReply
from everyword.strategies.catalogue import STRATEGIES

routes = APIRouter(prefix="/v1", tags=["memory"], responses=REFUSALS)

Outcome = Literal["packed", "packed in part", "dropped: budget", "dropped: rank", "shown as a recent turn"]


@routes.post("/explain")
def explain(asked: ExplainRequest, user_id: Whose, serving: Served) -> ExplainReply:
    """Pack a context and tell the way of each message into it or out of it."""
    packed = serving.memory.context(user_id=user_id, **asked.model_dump(exclude={"limit"}))
    outcomes = _outcomes(packed, asked.limit)
    told = serving.memory.by_seq(sorted(outcomes), user_id=user_id)
    return ExplainReply(
        context=context_reply(packed),
        messages=[_explained(each, outcomes[each.seq], packed.trace.places(each.seq)) for each in told],
    )


@routes.get("/strategies")
def list_strategies(_user_id: Whose, serving: Served) -> StrategiesReply:
    """List the ways to fill a window."""
    return StrategiesReply(results=list(STRATEGIES), default=serving.settings.strategy, budget=serving.settings.budget)


def _outcomes(packed: Context, limit: int) -> dict[int, Outcome]:
    """Return what became of each message, by sequence number."""
    found: dict[int, Outcome] = {message.seq: "shown as a recent turn" for message in packed.recent}
    for each in packed.dropped[:limit]:
        found[each.seq] = "dropped: budget" if each.reason == "budget" else "dropped: rank"
    for each in packed.evidence:
        found[each.message.seq] = "packed" if each.is_whole else "packed in part"
    return found


def _explained(message: Message, outcome: Outcome, places: Mapping[str, Place]) -> ExplainedReply:
    return ExplainedReply(
        id=message.message_id,
        seq=message.seq,
        session_id=message.session_id,
        role=message.role,
        speaker=message.speaker,
        origin=message.origin,
        created_at=message.created_at,
        text=message.text,
        outcome=outcome,
        stages={name: PlaceReply(rank=place.rank, score=place.score) for name, place in places.items()},
    )
