"""What goes over the wire: requests are checked here once, answers are described here with an example each."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field

from everyword.domain.claim import ClaimKind
from everyword.domain.prompt import Order as EvidenceOrder

MOST_LISTED = 500
_MOST_IDS = 10_000
_MOST_TOKENS = 10_000_000
_ID = "5f0c3d5b9a1e4c7f8b2d6e0a1c3b5d7f"

SessionId = Annotated[str, Field(min_length=1, max_length=512, examples=["s1"])]
Moment = Annotated[
    str, Field(max_length=64, examples=["2026-03-01"], description="ISO 8601; a date means the whole day.")
]
Roles = Annotated[list[Literal["system", "developer", "user", "assistant", "tool"]], Field(max_length=5)]


class Asked(BaseModel):
    """A request; a field that nobody knows is an error."""

    model_config = ConfigDict(extra="forbid")


class AddRequest(Asked):
    """Messages of a conversation: OpenAI, Responses or Anthropic messages, or a text that the user said."""

    model_config = ConfigDict(
        extra="forbid",
        json_schema_extra={
            "examples": [
                {
                    "messages": [
                        {"role": "user", "content": "My spare key is with Mrs. Chou."},
                        {"role": "assistant", "content": "Good to know."},
                    ],
                    "session_id": "s1",
                }
            ]
        },
    )
    messages: str | dict[str, Any] | list[dict[str, Any]]
    session_id: SessionId | None = None
    run_id: SessionId | None = Field(default=None, description="Another name of session_id.")
    agent_id: Annotated[str, Field(max_length=512)] | None = None
    timestamp: Moment | None = Field(default=None, description="When it was said, where a message does not tell.")
    metadata: dict[str, Any] | None = None


class AddReply(BaseModel):
    """Ids and sequence numbers, in the order of the request. Durable, and found by words, when it arrives."""

    message_ids: list[str] = Field(examples=[[_ID]])
    seqs: list[int] = Field(examples=[[1]])
    session_id: str = Field(examples=["s1"])
    duplicates: int = Field(description="Messages that were stored before under the same Idempotency-Key.")
    pending_passages: int = Field(description="Passages that have no vectors yet; their words are found all the same.")


class MessageReply(BaseModel):
    """One stored message."""

    id: str = Field(examples=[_ID])
    seq: int = Field(examples=[1])
    session_id: str = Field(examples=["s1"])
    role: str = Field(examples=["user"])
    author: str | None
    agent_id: str | None
    origin: str = Field(examples=["user"], description="How far to trust it: user, assistant, tool, web, import.")
    branch: str = Field(examples=["main"])
    created_at: datetime | None = Field(description="When it was said; null where nobody knows.")
    received_at: datetime
    text: str = Field(examples=["My spare key is with Mrs. Chou."])
    content: Any = Field(description="The message as it came.")
    metadata: dict[str, Any]


class MessagePage(BaseModel):
    """Messages, and where the next ones begin."""

    results: list[MessageReply]
    next_cursor: int | None = Field(examples=[50], description="Pass it as `cursor`; null: there are no more.")


class SessionReply(BaseModel):
    """One conversation."""

    session_id: str = Field(examples=["s1"])
    messages: int = Field(examples=[12])
    last_seq: int = Field(examples=[40])
    first_at: datetime | None
    last_at: datetime | None
    begins: str = Field(
        examples=["My spare key is with Mrs. Chou."], description="The user's first words, to know it by."
    )


class SessionPage(BaseModel):
    """Conversations, the one with the last word first."""

    results: list[SessionReply]
    next_cursor: int | None = Field(examples=[40], description="Pass it as `cursor`; null: there are no more.")


class SearchRequest(Asked):
    """A question or words."""

    query: str = Field(max_length=100_000, examples=["spare key"])
    limit: int = Field(default=10, ge=1, le=MOST_LISTED)
    mode: Literal["fused", "lexical", "semantic"] = "fused"
    roles: Roles | None = None
    session_id: SessionId | None = None
    after: Moment | None = None
    before: Moment | None = None


class HitReply(BaseModel):
    """One found message."""

    id: str = Field(examples=[_ID])
    memory: str = Field(examples=["My spare key is with Mrs. Chou."], description="Another name of `text`.")
    text: str = Field(examples=["My spare key is with Mrs. Chou."])
    score: float = Field(examples=[3.2], description="Higher is better; comparable within one search only.")
    role: str = Field(examples=["user"])
    author: str | None
    origin: str = Field(examples=["user"])
    created_at: datetime | None
    session_id: str = Field(examples=["s1"])
    seq: int = Field(examples=[1])
    metadata: dict[str, Any]


class SearchReply(BaseModel):
    """The best messages, the best first."""

    results: list[HitReply]


class ContextRequest(Asked):
    """What the model will be asked."""

    question: str = Field(max_length=1_000_000, examples=["Who has my spare key?"])
    budget: int | None = Field(default=None, ge=1, le=10_000_000, description="Tokens of all of it.")
    strategy: Annotated[str, Field(max_length=64)] | None = None
    session_id: SessionId | None = Field(default=None, description="Its last turns are added.")
    recent_turns: int | None = Field(default=None, ge=0, le=10_000)
    roles: Roles | None = None
    after: Moment | None = None
    before: Moment | None = None
    asked_at: Moment | None = Field(default=None, description="What `last week` is counted from; default: now.")


class EvidenceReply(BaseModel):
    """A message, or the relevant lines of a long one, chosen for the context."""

    id: str = Field(examples=[_ID])
    seq: int
    session_id: str
    role: str
    created_at: datetime | None
    text: str = Field(description="The words that are shown.")
    is_whole: bool
    rank: int
    score: float
    tokens: int


class DroppedReply(BaseModel):
    """A candidate that is not in the context, and why."""

    message_id: str
    seq: int
    rank: int
    tokens: int
    reason: Literal["budget", "rank"]


class StageReply(BaseModel):
    """One step of retrieval."""

    name: str = Field(examples=["lexical"])
    candidates: int
    milliseconds: float


class DecisionReply(BaseModel):
    """What `route` decided about a question."""

    by: Literal["size", "model", "signals"] = Field(
        examples=["model"],
        description="`size`: the whole history is small; `model`: the language model said it; `signals`: the search did.",
    )
    was_enough: bool = Field(examples=[True], description="Whether evidence alone was found to be enough.")
    took: Literal["evidence", "full", "more evidence"] = Field(
        examples=["evidence"], description="What the context holds."
    )
    evidence_tokens: int = Field(examples=[1180], description="Of the evidence that was judged.")
    full_tokens: int = Field(examples=[64_000], description="About how many tokens the whole history takes.")
    input_tokens: int = Field(examples=[1420], description="Of all calls to the language model for the decision.")
    output_tokens: int = Field(examples=[24])
    audit: Literal["none", "agrees", "differs", "too long", "failed"] = Field(
        examples=["none"], description="Whether the whole history gave the same answer, where that was asked."
    )


class RoutedReply(DecisionReply):
    """The same, in a list."""

    number: int = Field(examples=[212], description="In the order in which they were made.")
    at: datetime


class RoutePage(BaseModel):
    """Decisions, the newest first, and where older ones begin."""

    results: list[RoutedReply]
    next_cursor: int | None = Field(examples=[163], description="Pass it as `cursor`; null: there are no more.")


class SignalReply(BaseModel):
    """A figure that has crossed its bound."""

    figure: str = Field(examples=["fallback_rate"])
    value: float = Field(examples=[0.62])
    bound: float = Field(examples=[0.5])


class ProposalReply(BaseModel):
    """A setting to change; nothing changes it by itself."""

    setting: str = Field(examples=["route_evidence"], description="`baseline`: look at what has moved first.")
    value: str | int = Field(examples=[3000])
    why: str


class RouteReply(BaseModel):
    """Figures of what `route` decided since the baseline."""

    decisions: int = Field(examples=[212])
    routed: int = Field(examples=[180], description="Those that had something to decide.")
    fell_back: int = Field(examples=[31], description="For so many evidence was not enough.")
    fallback_rate: float | None = Field(examples=[0.17], description="Share of the routed ones; null: there are none.")
    by: dict[str, int] = Field(examples=[{"model": 180, "size": 32}])
    took: dict[str, int] = Field(examples=[{"evidence": 181, "full": 31}])
    audited: int = Field(examples=[9])
    differing: int = Field(examples=[0], description="Audited answers that the whole history contradicts.")
    disagreement: float | None = Field(examples=[0.0], description="Share of the audited ones; null: there are none.")
    baseline_rate: float | None = Field(examples=[0.16], description="Of the first decisions; null: too few.")
    recent_rate: float | None = Field(examples=[0.18], description="Of the last ones; null: too few.")
    has_drifted: bool
    signals: list[SignalReply] = Field(description="Rows of the decision table whose bound is crossed.")
    proposal: ProposalReply | None = Field(description="The one change that the figures ask for; null: none.")
    input_tokens: int = Field(examples=[255_600], description="Of all calls to the language model for the decisions.")
    output_tokens: int = Field(examples=[4320])


class ContextReply(BaseModel):
    """What the model should see, inside the budget, with an account of every token."""

    text: str
    memory_text: str
    messages: list[dict[str, Any]] = Field(description="The same as OpenAI chat messages.")
    tokens: int
    budget: int
    counter: str = Field(examples=["estimate"])
    strategy: str = Field(examples=["evidence"])
    ledger: dict[str, int] = Field(examples=[{"evidence": 120, "recent": 0, "question": 9}])
    evidence: list[EvidenceReply]
    dropped: list[DroppedReply]
    stages: list[StageReply]
    notes: list[str]
    pending_passages: int
    no_evidence: bool | None
    answer: str | None = Field(
        default=None,
        description="Of `route`: what the language model answered where it found the evidence to be enough.",
    )
    decision: DecisionReply | None = Field(default=None, description="Of `route`: null with another strategy.")


class ExplainRequest(ContextRequest):
    """A question, as for a context."""

    limit: int = Field(
        default=20, ge=0, le=MOST_LISTED, description="How many of the dropped are told, the best first."
    )


class PlaceReply(BaseModel):
    """Where a message stood in one stage."""

    rank: int = Field(examples=[1], description="1 is best.")
    score: float = Field(examples=[3.2], description="Higher is better; comparable within the stage only.")


class ExplainedReply(BaseModel):
    """One message on its way into the context or out of it."""

    id: str = Field(examples=[_ID])
    seq: int = Field(examples=[1])
    session_id: str = Field(examples=["s1"])
    role: str = Field(examples=["user"])
    speaker: str = Field(examples=["user"])
    origin: str = Field(examples=["user"])
    created_at: datetime | None
    text: str = Field(examples=["My spare key is with Mrs. Chou."])
    outcome: Literal["packed", "packed in part", "dropped: budget", "dropped: rank", "shown as a recent turn"]
    stages: dict[str, PlaceReply] = Field(examples=[{"lexical": {"rank": 1, "score": 3.2}}])


class ExplainReply(BaseModel):
    """A context, and the way of each message into it or out of it."""

    context: ContextReply
    messages: list[ExplainedReply] = Field(description="In the order of the log.")


class WindowRequest(Asked):
    """What a model takes, and what an assistant says in every request."""

    tokens: int = Field(
        ge=1, le=_MOST_TOKENS, examples=[8_000], description="That the model takes, its answer included."
    )
    system: str = Field(default="", max_length=1_000_000, examples=["You help a family to cook."])
    tools: Annotated[list[dict[str, Any]], Field(max_length=1_000)] = Field(
        default_factory=list[dict[str, Any]], description="Tool definitions as the provider wants them."
    )
    constraints: str = Field(
        default="", max_length=100_000, examples=["Never suggest peanuts."], description="Said before and after."
    )
    memory: int | None = Field(
        default=None,
        ge=0,
        le=_MOST_TOKENS,
        description="Tokens of profile, summary and evidence; null: the setting budget.",
    )
    order: EvidenceOrder = Field(default="chronological", description="Of the evidence.")
    answer: float = Field(default=0.2, ge=0, le=0.99, description="Share of the window that is kept for the answer.")
    warn: float = Field(
        default=0.7, ge=0, le=1, description="Share of the room from which the prompt says it is filling."
    )
    keep: float = Field(
        default=0.5, ge=0, le=1, description="Share of the turns' room that stays when older ones leave."
    )


class PromptRequest(Asked):
    """A question, and the window of the model that will be asked."""

    question: str = Field(max_length=1_000_000, examples=["Where do I live?"])
    window: Annotated[int, Field(ge=1, le=_MOST_TOKENS)] | WindowRequest = Field(
        examples=[8_000], description="A number: only the tokens that the model takes."
    )
    shape: Literal["openai", "anthropic"] = Field(default="openai", description="Of `request` in the reply.")
    session_id: SessionId | None = Field(default=None, description="Its turns are shown while they fit.")
    strategy: Annotated[str, Field(max_length=64)] | None = None
    recent_turns: int | None = Field(
        default=None, ge=0, le=10_000, description="Exactly so many; nothing is flushed then."
    )
    roles: Roles | None = None
    after: Moment | None = None
    before: Moment | None = None
    asked_at: Moment | None = Field(default=None, description="What `last week` is counted from; default: now.")


class AlertReply(BaseModel):
    """Something about a prompt that its sender should know."""

    kind: Literal["filling", "flushed", "input"]
    text: str


class PrefixReply(BaseModel):
    """The part of a prompt that stays from request to request, and what did stay since the last one of the session."""

    tokens: int = Field(examples=[310])
    kept: float | None = Field(examples=[1.0], description="Share of the last prefix that this one begins with.")
    common: float | None = Field(examples=[0.8], description="Share of this prompt with which the last one began too.")


class PromptReply(BaseModel):
    """All that is sent to the model, inside the room of its window, with an account of every token."""

    request: dict[str, Any] = Field(
        description="To pass on: `messages` and `tools` of OpenAI, or `system`, `messages` and `tools` of Anthropic.",
        examples=[{"messages": [{"role": "user", "content": "Where do I live?"}]}],
    )
    text: str
    tokens: int = Field(examples=[5120])
    budget: int = Field(examples=[6400], description="Tokens that the prompt may take.")
    answer_tokens: int = Field(examples=[1600], description="Tokens that are left for the answer at the least.")
    counter: str = Field(examples=["estimate"])
    ledger: dict[str, int] = Field(examples=[{"system": 8, "evidence": 120, "recent": 40, "question": 5}])
    use: float = Field(examples=[0.4], description="Share of the budget that is taken; at 1 the older turns leave.")
    flushed: int = Field(examples=[0], description="Messages that left the window with this prompt.")
    alerts: list[AlertReply]
    prefix: PrefixReply
    context: ContextReply = Field(description="What the memory gave.")


class FigureReply(BaseModel):
    """One figure of a memory."""

    name: str = Field(examples=["index lag"])
    value: float | dict[str, float] | None = Field(examples=[0.0], description="null: nothing to tell yet.")
    shown: str = Field(examples=["0 passages"], description="The value as a person reads it.")
    meaning: str
    remedy: str | None = Field(description="What helps; null: nothing is wrong.")


class HealthReply(BaseModel):
    """How the memory of a user is."""

    ok: bool = Field(examples=[True], description="No figure has a remedy.")
    questions: int = Field(examples=[20], description="Of the user's last questions, how many were asked again.")
    prompts: int = Field(examples=[140], description="How many prompts are on the account.")
    figures: list[FigureReply]


class StrategiesReply(BaseModel):
    """The names that `strategy` takes, and what holds where a request names none."""

    results: list[str] = Field(examples=[["evidence", "window"]])
    default: str = Field(examples=["evidence"])
    budget: int = Field(examples=[1500])


class UsersReply(BaseModel):
    """Whose memories the caller may name."""

    results: list[str] = Field(examples=[["ana"]], description="The first of them by name.")
    default: str | None = Field(description="Whose it is where a request names nobody.")
    is_fixed: bool = Field(description="The key is of one user: naming one is not needed.")
    needs_key: bool = Field(description="Whether this server asks for keys.")


class ForgetRequest(Asked):
    """Which messages to erase; conditions hold together. `everything` stands alone."""

    message_ids: Annotated[list[Annotated[str, Field(max_length=64)]], Field(max_length=_MOST_IDS)] | None = None
    session_id: SessionId | None = None
    after: Moment | None = None
    before: Moment | None = None
    everything: bool = False
    preview: bool = Field(default=False, description="Only tell what would go.")


class ForgetReply(BaseModel):
    """What was erased, or would be."""

    messages: int = Field(examples=[3])
    sessions: list[str] = Field(examples=[["s1"]])
    is_preview: bool = Field(examples=[False])
    claims: int | None = Field(
        default=None, examples=[2], description="In a preview: claims that only these messages say, which go with them."
    )


class ClaimReply(BaseModel):
    """A statement of the user in their own words, with where it comes from and when it holds."""

    claim_id: str
    text: str = Field(examples=["I live in Tainan."])
    kind: str = Field(examples=["profile"])
    state: str = Field(examples=["statement"])
    message_ids: list[str] = Field(examples=[[_ID]], description="Every message that says it, in order.")
    said_at: datetime | None
    valid_from: datetime | None
    valid_to: datetime | None
    closed_by: str | None = Field(description="Id of the claim that ended it; null: it holds.")
    is_corrected: bool
    cautions: list[str] = Field(description="Ids of claims that may contradict it.")
    confidence: float
    trust: str = Field(examples=["stated"])
    is_archived: bool = Field(
        description="Neither said nor used for long: shown only where a question has a word of it."
    )
    is_stale: bool = Field(description="What it points to was not there when it was last looked up.")


class NodeReply(BaseModel):
    """A person, an animal, a thing or a place that the user has named."""

    name: str = Field(examples=["Mia"])
    roles: list[str] = Field(examples=[["sister"]])
    claim_ids: list[str] = Field(description="Claims that name it.")


class EdgeReply(BaseModel):
    """A relation that one claim states."""

    subject: str = Field(examples=["Mia"])
    relation: str = Field(examples=["lives in"])
    object: str = Field(examples=["Lisbon"])
    claim_id: str
    message_ids: list[str] = Field(examples=[[_ID]])
    said_at: datetime | None
    valid_from: datetime | None
    valid_to: datetime | None
    is_open: bool


class GraphReply(BaseModel):
    """Whom and what the user has named, and how those are related; `user` is the user."""

    nodes: list[NodeReply]
    edges: list[EdgeReply]


class ClaimsReply(BaseModel):
    """Claims, in the order in which they were said."""

    results: list[ClaimReply]


class RememberRequest(Asked):
    """What the user wants kept. It is a message of theirs like any other."""

    text: str = Field(max_length=10_000, examples=["I live in Tainan."])
    kind: ClaimKind = "note"
    session_id: SessionId | None = None
    timestamp: Moment | None = None


class CorrectRequest(Asked):
    """What is right in place of a claim."""

    text: str = Field(max_length=10_000, examples=["I live in Taichung."])
    session_id: SessionId | None = None
    timestamp: Moment | None = None


class RememberReply(BaseModel):
    """What was stored, and how full the profile is."""

    claim_id: str
    message_id: str = Field(examples=[_ID])
    used: int = Field(examples=[17], description="Characters of the profile and rules that hold.")
    capacity: int
    problem: str | None = Field(description="What to rewrite, where the profile has outgrown its room.")


class StatsReply(BaseModel):
    """Counts, sizes and how far the index is behind."""

    messages: int
    roles: dict[str, int] = Field(examples=[{"assistant": 10, "user": 12}])
    sessions: int
    characters: int
    first: str | None = Field(examples=["2026-02-22T11:48:00+00:00"])
    last: str | None = Field(examples=["2026-04-26T08:18:00+00:00"])
    passages: int
    vectors: int
    pending_passages: int
    bytes_on_disk: int
    vector_failure: str | None


class JobReply(BaseModel):
    """Work in the background."""

    name: Literal["vectors", "claims", "summaries"]
    waiting: int = Field(
        description="Passages without vectors; messages that were not read for claims; claims that no line is written about."
    )
    failed: int = Field(description="Messages that could not be read for claims; groups of claims not written about.")
    failure: str | None = Field(description="Why it stands still; null: nothing is wrong.")


class JobsReply(BaseModel):
    """All work in the background; `summaries` only where a language model writes them."""

    results: list[JobReply]


class VerifyReply(BaseModel):
    """The outcome of a check of every byte and every derived row."""

    ok: bool
    messages: int
    passages: int
    vectors: int
    problems: list[str]


class ErrorDetail(BaseModel):
    """What went wrong, and what to do."""

    type: str = Field(examples=["NotFoundError"])
    message: str = Field(examples=["No message '5f0c' in this memory."])
    request_id: str = Field(examples=["9f2b4c6d8e0a1b3c5d7e9f10"])
    needed: int | None = Field(default=None, description="Tokens that would have to fit.")
    budget: int | None = None


class ErrorReply(BaseModel):
    """Every answer that is an error."""

    error: ErrorDetail


class Health(BaseModel):
    """How the server is."""

    status: Literal["ok", "not ready"]
