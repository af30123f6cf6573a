"""The verbs of the library over HTTP: each route is one call."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Annotated, Any, Literal

from fastapi import APIRouter, Header, Path, Query
from fastapi.responses import StreamingResponse

from everyword.domain.context import Context
from everyword.domain.decision import Decision
from everyword.domain.message import Message
from everyword.domain.scope import scope
from everyword.server.listing import Order
from everyword.server.serving import Served, Whose
from everyword.server.wire import (
    MOST_LISTED,
    AddReply,
    AddRequest,
    ContextReply,
    ContextRequest,
    DecisionReply,
    DroppedReply,
    EvidenceReply,
    ForgetReply,
    ForgetRequest,
    HitReply,
    JobReply,
    JobsReply,
    MessagePage,
    MessageReply,
    Moment,
    SearchReply,
    SearchRequest,
    SessionId,
    SessionPage,
    SessionReply,
    StageReply,
    StatsReply,
    VerifyReply,
)


def _refusal(when: str) -> dict[str, Any]:
    """Return the description of an answer that is an error; a model here would be built once a route and status."""
    return {
        "description": when,
        "content": {"application/json": {"schema": {"$ref": "#/components/schemas/ErrorReply"}}},
    }


REFUSALS: dict[int | str, dict[str, Any]] = {
    400: _refusal("An argument is wrong."),
    401: _refusal("The key is missing or unknown."),
    403: _refusal("The key may not do that."),
    404: _refusal("Not in this user's memory."),
    409: _refusal("The Idempotency-Key was used for other words."),
    413: _refusal("The request is too large."),
    422: _refusal("The request has another form, or does not fit the budget."),
    429: _refusal("Too many requests of this key."),
    503: _refusal("The disk, the database or a model cannot do its work."),
}
routes = APIRouter(prefix="/v1", tags=["memory"], responses=REFUSALS)

Limit = Annotated[int, Query(ge=1, le=MOST_LISTED)]
Cursor = Annotated[int | None, Query(ge=0, le=2**62, description="`next_cursor` of the page before.")]
MessageId = Annotated[str, Path(max_length=64, examples=["5f0c3d5b9a1e4c7f8b2d6e0a1c3b5d7f"])]
IdempotencyKey = Annotated[
    str | None,
    Header(max_length=200, description="The same key stores the same messages once, however often it is sent."),
]


@routes.post("/memories", status_code=201)
def add(asked: AddRequest, user_id: Whose, serving: Served, idempotency_key: IdempotencyKey = None) -> AddReply:
    """Store messages of a conversation."""
    added = serving.memory.add(
        asked.messages,
        user_id=user_id,
        idempotency_key=idempotency_key,
        **asked.model_dump(exclude={"messages"}),
    )
    serving.metrics.lagging(user_id, added.pending_passages)
    return AddReply(
        message_ids=list(added.message_ids),
        seqs=list(added.seqs),
        session_id=added.session_id,
        duplicates=added.duplicates,
        pending_passages=added.pending_passages,
    )


@routes.get("/memories")
def list_messages(  # noqa: PLR0917 - each is a parameter of the query
    user_id: Whose,
    serving: Served,
    session_id: Annotated[SessionId | None, Query()] = None,
    after: Annotated[Moment | None, Query()] = None,
    before: Annotated[Moment | None, Query()] = None,
    order: Annotated[Order, Query()] = "oldest",
    cursor: Cursor = None,
    limit: Limit = 50,
) -> MessagePage:
    """List messages page by page, in the order of the log."""
    where = scope(session_id=session_id, after=after, before=before)
    found = serving.memory.page(user_id=user_id, where=where, order=order, beyond=cursor, limit=limit)
    is_last = len(found) < limit
    return MessagePage(results=[_message(each) for each in found], next_cursor=None if is_last else found[-1].seq)


@routes.get("/memories/{message_id}")
def get(message_id: MessageId, user_id: Whose, serving: Served) -> MessageReply:
    """Return one message."""
    return _message(serving.memory.get(message_id, user_id=user_id))


@routes.delete("/memories/{message_id}")
def delete(message_id: MessageId, user_id: Whose, serving: Served) -> ForgetReply:
    """Erase one message; afterwards its bytes are in no file."""
    return _forgotten(serving, user_id, ForgetRequest(message_ids=[message_id]))


@routes.get("/sessions")
def list_sessions(user_id: Whose, serving: Served, cursor: Cursor = None, limit: Limit = 50) -> SessionPage:
    """List conversations, the one with the last word first."""
    found = serving.memory.sessions(user_id=user_id, beyond=cursor, limit=limit)
    results = [
        SessionReply(
            session_id=each.session_id,
            messages=each.messages,
            last_seq=each.last_seq,
            first_at=each.first_at,
            last_at=each.last_at,
            begins=each.begins,
        )
        for each in found
    ]
    return SessionPage(results=results, next_cursor=found[-1].last_seq if len(found) == limit else None)


@routes.post("/search")
def search(asked: SearchRequest, user_id: Whose, serving: Served) -> SearchReply:
    """Find messages, the best first."""
    hits = serving.memory.search(user_id=user_id, **asked.model_dump())
    return SearchReply(
        results=[
            HitReply(
                id=hit.id,
                memory=hit.text,
                text=hit.text,
                score=hit.score,
                role=hit.role,
                author=hit.author,
                origin=hit.origin,
                created_at=hit.created_at,
                session_id=hit.session_id,
                seq=hit.seq,
                metadata=dict(hit.metadata),
            )
            for hit in hits
        ]
    )


@routes.post("/context")
def context(asked: ContextRequest, user_id: Whose, serving: Served) -> ContextReply:
    """Pack what a model needs to answer into a budget."""
    packed = serving.memory.context(user_id=user_id, **asked.model_dump())
    serving.metrics.packed(packed, user_id=user_id)
    return context_reply(packed)


@routes.post("/forget")
def forget(asked: ForgetRequest, user_id: Whose, serving: Served) -> ForgetReply:
    """Erase messages and all that was derived from them, or tell what would go."""
    return _forgotten(serving, user_id, asked)


@routes.get(
    "/export",
    response_class=StreamingResponse,
    responses={200: {"description": "A header, then a message a line.", "content": {"application/jsonl": {}}}},
)
def export(user_id: Whose, serving: Served) -> StreamingResponse:
    """Stream every message as JSON lines that `everyword import` reads back identical."""
    lines: Iterator[bytes] = serving.memory.export(user_id=user_id)
    return StreamingResponse(lines, media_type="application/jsonl")


@routes.get("/stats")
def stats(user_id: Whose, serving: Served) -> StatsReply:
    """Return counts, sizes and how far the index is behind."""
    counts = serving.memory.stats(user_id=user_id)
    serving.metrics.lagging(user_id, counts["pending_passages"])
    return StatsReply(**{name: counts[name] for name in StatsReply.model_fields})


@routes.get("/jobs")
def jobs(user_id: Whose, serving: Served) -> JobsReply:
    """Return what waits in the background, and why it stands still where it does."""
    counts = serving.memory.stats(user_id=user_id)
    vectors = JobReply(name="vectors", waiting=counts["pending_passages"], failed=0, failure=counts["vector_failure"])
    summaries = [] if counts["summaries"]["writer"] is None else [_job("summaries", counts["summaries"])]
    return JobsReply(results=[vectors, _job("claims", counts["claims"]), *summaries])


@routes.get("/verify")
def verify(user_id: Whose, serving: Served) -> VerifyReply:
    """Check every stored byte and every derived row."""
    found = serving.memory.verify(user_id=user_id)
    return VerifyReply(
        ok=found.ok,
        messages=found.messages,
        passages=found.passages,
        vectors=found.vectors,
        problems=list(found.problems),
    )


def _job(name: Literal["claims", "summaries"], counts: Mapping[str, Any]) -> JobReply:
    return JobReply(
        name=name, waiting=counts["waiting"], failed=sum(counts["failed"].values()), failure=counts["failure"]
    )


def _forgotten(serving: Served, user_id: str, asked: ForgetRequest) -> ForgetReply:
    if not asked.preview:
        serving.recollections.forget(user_id)
    gone = serving.memory.forget(user_id=user_id, dry_run=asked.preview, **asked.model_dump(exclude={"preview"}))
    where = scope(**asked.model_dump(exclude={"preview", "everything"}))
    return ForgetReply(
        messages=gone.messages,
        sessions=list(gone.sessions),
        is_preview=asked.preview,
        claims=serving.memory.claims_within(where, user_id=user_id) if asked.preview else None,
    )


def _message(said: Message) -> MessageReply:
    return MessageReply(
        id=said.message_id,
        seq=said.seq,
        session_id=said.session_id,
        role=said.role,
        author=said.author,
        agent_id=said.agent_id,
        origin=said.origin,
        branch=said.branch,
        created_at=said.created_at,
        received_at=said.received_at,
        text=said.text,
        content=said.content(),
        metadata=dict(said.metadata),
    )


def context_reply(packed: Context) -> ContextReply:
    """Return a context as it goes over the wire."""
    return ContextReply(
        text=packed.text,
        memory_text=packed.memory_text,
        messages=packed.to_openai(),
        tokens=packed.tokens,
        budget=packed.budget,
        counter=packed.counter,
        strategy=packed.strategy,
        ledger=dict(packed.ledger),
        evidence=[
            EvidenceReply(
                id=each.message.message_id,
                seq=each.message.seq,
                session_id=each.message.session_id,
                role=each.message.role,
                created_at=each.message.created_at,
                text=each.text,
                is_whole=each.is_whole,
                rank=each.rank,
                score=each.score,
                tokens=each.tokens,
            )
            for each in packed.evidence
        ],
        dropped=[
            DroppedReply(
                message_id=each.message_id, seq=each.seq, rank=each.rank, tokens=each.tokens, reason=each.reason
            )
            for each in packed.dropped
        ],
        stages=[
            StageReply(name=each.name, candidates=each.candidates, milliseconds=each.milliseconds)
            for each in packed.trace.stages
        ],
        notes=list(packed.trace.notes),
        pending_passages=packed.pending_passages,
        no_evidence=packed.no_evidence,
        answer=packed.answer,
        decision=None if packed.decision is None else decision_reply(packed.decision),
    )


def decision_reply(made: Decision) -> DecisionReply:
    """Return a decision of `route` as it goes over the wire."""
    return DecisionReply(
        by=made.by,
        was_enough=made.was_enough,
        took=made.took,
        evidence_tokens=made.evidence_tokens,
        full_tokens=made.full_tokens,
        input_tokens=made.input_tokens,
        output_tokens=made.output_tokens,
        audit=made.audit,
    )
