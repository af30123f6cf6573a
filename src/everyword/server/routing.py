"""What the strategy `route` decided, over HTTP: each decision, and the figures of all."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Query

from everyword.domain.decision import Decision
from everyword.routing.report import BOUND, WINDOW, RouteReport
from everyword.server.rest import REFUSALS, Cursor, Limit, decision_reply
from everyword.server.serving import Served, Whose
from everyword.server.wire import ProposalReply, RoutedReply, RoutePage, RouteReply, SignalReply

routes = APIRouter(prefix="/v1/routes", tags=["memory"], responses=REFUSALS)

Compared = Annotated[int, Query(ge=1, le=10_000, description="Decisions of the baseline, and of what is compared.")]
Bound = Annotated[float, Query(gt=0, lt=1, description="How far the fallback rate may move from its baseline.")]


@routes.get("")
def list_decisions(user_id: Whose, serving: Served, cursor: Cursor = None, limit: Limit = 50) -> RoutePage:
    """List what `route` decided, the newest first. It holds no words and names no message."""
    found = serving.memory.decisions(user_id=user_id, beyond=cursor, limit=limit)
    results = [_routed(number, made) for number, made in found]
    return RoutePage(results=results, next_cursor=found[-1][0] if len(found) == limit else None)


@routes.get("/report")
def report(user_id: Whose, serving: Served, window: Compared = WINDOW, bound: Bound = BOUND) -> RouteReply:
    """Return how often evidence was not enough, whether that has drifted, and what to change."""
    return _report(serving.memory.routes(user_id=user_id, window=window, bound=bound))


def _routed(number: int, made: Decision) -> RoutedReply:
    return RoutedReply(number=number, at=made.at, **decision_reply(made).model_dump())


def _report(found: RouteReport) -> RouteReply:
    to_do = found.proposal
    return RouteReply(
        decisions=found.decisions,
        routed=found.routed,
        fell_back=found.fell_back,
        fallback_rate=found.fallback_rate,
        by=dict(found.by),
        took=dict(found.took),
        audited=found.audited,
        differing=found.differing,
        disagreement=found.disagreement,
        baseline_rate=found.baseline_rate,
        recent_rate=found.recent_rate,
        has_drifted=found.has_drifted,
        signals=[SignalReply(figure=each.figure, value=each.value, bound=each.bound) for each in found.signals],
        proposal=None if to_do is None else ProposalReply(setting=to_do.setting, value=to_do.value, why=to_do.why),
        input_tokens=found.input_tokens,
        output_tokens=found.output_tokens,
    )
