"""Claims over HTTP: what the user has stated, listed, added to and corrected."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Path, Query

from everyword.domain.claim import Claim, ClaimKind, Remembered
from everyword.domain.graph import Edge, Node
from everyword.server.rest import REFUSALS
from everyword.server.serving import Served, Whose
from everyword.server.wire import (
    ClaimReply,
    ClaimsReply,
    CorrectRequest,
    EdgeReply,
    GraphReply,
    Moment,
    NodeReply,
    RememberReply,
    RememberRequest,
)

routes = APIRouter(prefix="/v1/claims", tags=["claims"], responses=REFUSALS)

Kinds = Annotated[list[ClaimKind] | None, Query(max_length=5, description="Only these; default: all.")]
Closed = Annotated[bool, Query(description="What was ended too.")]
AsOf = Annotated[Moment | None, Query(description="As it stood then; default: now.")]
ClaimId = Annotated[str, Path(max_length=200)]


@routes.get("")
def list_claims(
    user_id: Whose,
    serving: Served,
    kind: Kinds = None,
    as_of: AsOf = None,
    closed: Closed = False,  # noqa: FBT002 - a parameter of the query
) -> ClaimsReply:
    """List what the user has stated, as it stands or stood."""
    found = serving.memory.claims.of(user_id=user_id, kinds=kind, as_of=as_of, closed=closed)
    return ClaimsReply(results=[_claim(each) for each in found])


@routes.get("/graph")
def graph(
    user_id: Whose,
    serving: Served,
    as_of: AsOf = None,
    closed: Closed = False,  # noqa: FBT002 - a parameter of the query
) -> GraphReply:
    """Return whom and what the user has named, and how those are related."""
    found = serving.memory.claims.graph(user_id=user_id, as_of=as_of, closed=closed)
    return GraphReply(nodes=[_node(each) for each in found.nodes], edges=[_edge(each) for each in found.edges])


@routes.post("", status_code=201)
def remember(asked: RememberRequest, user_id: Whose, serving: Served) -> RememberReply:
    """Keep a sentence as a claim."""
    return _remembered(serving.memory.claims.remember(user_id=user_id, **asked.model_dump()))


@routes.post("/{claim_id}/correct", status_code=201)
def correct(claim_id: ClaimId, asked: CorrectRequest, user_id: Whose, serving: Served) -> RememberReply:
    """Store what is right in place of a claim, which is closed."""
    return _remembered(serving.memory.claims.correct(claim_id, user_id=user_id, **asked.model_dump()))


def _node(found: Node) -> NodeReply:
    return NodeReply(name=found.name, roles=list(found.roles), claim_ids=list(found.claim_ids))


def _edge(found: Edge) -> EdgeReply:
    return EdgeReply(
        subject=found.subject,
        relation=found.relation,
        object=found.object,
        claim_id=found.claim_id,
        message_ids=list(found.message_ids),
        said_at=found.said_at,
        valid_from=found.valid_from,
        valid_to=found.valid_to,
        is_open=found.is_open,
    )


def _claim(found: Claim) -> ClaimReply:
    return ClaimReply(
        claim_id=found.claim_id,
        text=found.text,
        kind=found.kind,
        state=found.state,
        message_ids=list(found.message_ids),
        said_at=found.said_at,
        valid_from=found.valid_from,
        valid_to=found.valid_to,
        closed_by=found.closed_by,
        is_corrected=found.is_corrected,
        cautions=list(found.cautions),
        confidence=found.confidence,
        trust=found.trust,
        is_archived=found.is_archived,
        is_stale=found.is_stale,
    )


def _remembered(kept: Remembered) -> RememberReply:
    return RememberReply(
        claim_id=kept.claim_id,
        message_id=kept.message_id,
        used=kept.used,
        capacity=kept.capacity,
        problem=kept.problem,
    )
