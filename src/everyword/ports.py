"""The seams where the outside world starts. Each has a real adapter and a fake in `everyword.testing`."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, Protocol, runtime_checkable

from everyword.domain.account import PromptRecord, Seen, Verified
from everyword.domain.claim import Claim, ClaimSnapshot, Link, Statement
from everyword.domain.decision import Decision
from everyword.domain.message import Draft, Message
from everyword.domain.passage import Passage
from everyword.domain.scope import Scope
from everyword.domain.session import SessionSpan
from everyword.domain.summary import Chunk

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    Vectors = npt.NDArray[np.float32]
    Ints = npt.NDArray[np.int64]
    Floats = npt.NDArray[np.float64]

VectorUnits = Literal["clauses", "passages", "both"]

Progress = Callable[[int, int], None]
"""Called with (done, total)."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelIdentity:
    """What makes two vectors comparable: equal identities, and nothing less."""

    name: str
    """The `kind:name` that loads it again, for example `e5-small:q4`."""
    dimensions: int
    query_prefix: str = ""
    passage_prefix: str = ""
    quantisation: str = ""
    revision: str = ""
    """A checksum or version of the weights, where one is known."""
    units: VectorUnits = "clauses"
    """What is embedded: `clauses`, a passage then being their mean; whole `passages`; or `both`."""


@runtime_checkable
class Embedder(Protocol):
    """Text to unit vectors whose dot product is the cosine similarity."""

    @property
    def identity(self) -> ModelIdentity: ...

    def embed_queries(self, texts: Sequence[str]) -> Vectors:
        """Return float32 [len(texts), dimensions], rows of length 1. Raise ModelError."""
        ...

    def embed_passages(self, texts: Sequence[str]) -> Vectors:
        """Return float32 [len(texts), dimensions], rows of length 1. Raise ModelError."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class QuestionVectors:
    """A question as a whole, and its tokens one by one."""

    whole: Vectors
    """float32 [dimensions], length 1."""
    tokens: Vectors
    """float32 [tokens, dimensions], rows of length 1, less what all questions share; no row where the model does not tell."""


@runtime_checkable
class TokenEmbedder(Protocol):
    """An embedder that tells the tokens of a question apart, beside its other methods."""

    def embed_question(self, text: str) -> QuestionVectors:
        """Return the same vector as `embed_queries`, and those of the tokens. Raise ModelError."""
        ...


def question_vectors(embedder: Embedder, question: str) -> QuestionVectors:
    """Return what an embedder says of a question. Raise ModelError."""
    if isinstance(embedder, TokenEmbedder):
        return embedder.embed_question(question)
    rows = embedder.embed_queries([question])
    return QuestionVectors(whole=rows[0], tokens=rows[:0])


@runtime_checkable
class Reranker(Protocol):
    """Score of each text for the question; higher is better, comparable within one call only."""

    @property
    def name(self) -> str: ...

    def scores(self, question: str, texts: Sequence[str]) -> Sequence[float]:
        """Return one score for each text, in the order of `texts`. Raise ModelError."""
        ...


@runtime_checkable
class WeighedReranker(Reranker, Protocol):
    """A reranker whose scores are added to those before it; of each candidate it sees the best passage alone."""

    @property
    def weight(self) -> float:
        """What a standard score of its own is worth beside one of the scores before it."""
        ...


ChatMessages = Sequence[Mapping[str, Any]]
"""Messages in the OpenAI chat shape: `{"role": …, "content": …}`, oldest first."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LanguageModelIdentity:
    """Which model answers, and where: equal identities may share replies."""

    name: str
    """The `kind:name` that loads it again, for example `openai:gpt-4o-mini`."""
    endpoint: str = ""
    """The address without user name, password and key; empty: the provider's own."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Usage:
    """Tokens of one or more requests to a language model."""

    input_tokens: int = 0
    output_tokens: int = 0
    cached_tokens: int = 0
    """Of the input: what the provider had in its prefix cache."""
    is_estimated: bool = False
    """The endpoint did not tell; these are counts by the estimate."""

    def __add__(self, other: Usage) -> Usage:
        return Usage(
            input_tokens=self.input_tokens + other.input_tokens,
            output_tokens=self.output_tokens + other.output_tokens,
            cached_tokens=self.cached_tokens + other.cached_tokens,
            is_estimated=self.is_estimated or other.is_estimated,
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Reply:
    """What a language model said, and what it cost."""

    text: str
    """Without the reasoning that some models print before it."""
    finish: str = "stop"
    """Why it ended, in the words of the endpoint: stop, length, content_filter …"""
    refusal: str | None = None
    """The model's or the provider's words where it would not answer."""
    usage: Usage = field(default_factory=Usage)
    calls: int = 1
    """Requests that were answered for it: 0 from the cache, 2 after a repair."""
    value: Any = None
    """The validated value, where a schema was given."""

    @property
    def is_refused(self) -> bool:
        """Tell whether the model or the provider would not answer."""
        return self.refusal is not None or self.finish in ("content_filter", "refusal")

    @property
    def is_cut_off(self) -> bool:
        """Tell whether the reply ended because of `max_tokens`."""
        return self.finish == "length"


@runtime_checkable
class LanguageModel(Protocol):
    """Chat messages to a reply."""

    @property
    def identity(self) -> LanguageModelIdentity: ...

    def complete(
        self,
        messages: ChatMessages,
        *,
        max_tokens: int,
        temperature: float = 0.0,
        schema: Any = None,
        purpose: str = "chat",
    ) -> Reply:
        """Return the reply; a refusal or a cut-off is told in it.

        `schema` is a JSON schema (a dict), a dataclass or a pydantic model: the reply's `value` then fits it, and
        RefusedError, CutOffError or UnreadableReplyError is raised where there is none. `purpose` is what the ledger of
        usage files the call under. Raise ProviderError, SpendingLimitError, ModelMissingError.
        """
        ...


@runtime_checkable
class TokenCounter(Protocol):
    """Number of tokens of a text for some model, exact or estimated."""

    @property
    def name(self) -> str: ...

    def count(self, text: str) -> int: ...


class PassageTable(Protocol):
    """Parallel arrays over a user's passages, in the order of their ids: position p is the same passage in all of them."""

    ids: Ints
    seqs: Ints
    sessions: Ints
    roles: Ints
    branches: Ints
    created_us: Ints
    lengths: Ints
    scripts: Ints
    authors: list[str | None]
    order: Ints
    """Positions sorted by session, then by id."""

    @property
    def messages(self) -> Ints:
        """Number of each passage's message, counted from 0 in the order of the log."""
        ...

    @property
    def names(self) -> list[str | None]:
        """Different authors."""
        ...

    @property
    def named(self) -> Ints:
        """Place of the author in `names`."""
        ...

    def __len__(self) -> int: ...
    def positions(self, passage_ids: Ints) -> Ints: ...
    def with_neighbours(self, places: Ints, values: Floats, weights: tuple[float, ...]) -> tuple[Ints, Floats]: ...
    def session_means(self, values: Floats, count: int) -> Floats: ...


class Terms(Protocol):
    """Passages that hold one term."""

    @property
    def term(self) -> str: ...
    @property
    def idf(self) -> float: ...
    @property
    def passage_ids(self) -> Ints: ...
    @property
    def ratios(self) -> Floats: ...


class Alike(Protocol):
    """Similarity of a question to passages and to their best clauses."""

    @property
    def passage_ids(self) -> Ints: ...
    @property
    def passages(self) -> Vectors: ...
    @property
    def clauses(self) -> Vectors: ...
    @property
    def identity(self) -> ModelIdentity: ...
    @property
    def declarative(self) -> Vectors | None: ...
    def centred(self, share: float) -> Vectors: ...
    def of_clauses(self, passage_ids: Ints) -> Sequence[Vectors]: ...
    def by_tokens(self, passage_ids: Ints) -> Vectors | None: ...
    def coverage(self, passage_ids: Ints) -> Vectors | None: ...


class SearchIndex(Protocol):
    """What retrieval asks of an index of one user."""

    def corpus(self) -> PassageTable: ...
    def session_number(self, session_id: str) -> int | None: ...
    def term_hits(self, wanted: dict[str, bool], *, header_weight: float) -> Sequence[Terms]: ...
    def group_hits(self, groups: Sequence[Mapping[str, bool]]) -> Sequence[Terms | None]: ...
    def similarities(self, embedder: Embedder, question: str) -> Alike | None: ...
    def passages(self, passage_ids: Sequence[int]) -> Sequence[Passage]: ...
    def spans(self, passage_ids: Sequence[int]) -> Sequence[tuple[int, int, int, int]]: ...


class AppendedMessages(Protocol):
    """Messages of one append in the order of the call, and which of them are new."""

    @property
    def messages(self) -> tuple[Message, ...]: ...
    @property
    def new(self) -> tuple[Message, ...]: ...


class MessageLog(Protocol):
    """The durable record of one user."""

    def append(self, drafts: Sequence[Draft], *, received_at: datetime) -> AppendedMessages: ...
    def by_seq(self, seqs: Iterable[int]) -> list[Message]: ...
    def by_id(self, message_id: str) -> Message: ...
    def scan(self, *, after: int = 0, batch: int = 500) -> Iterator[Message]: ...
    def recent(self, *, session_id: str | None, turns: int) -> list[Message]: ...
    def ending(self, session_id: str) -> str: ...
    def chosen(
        self,
        scope: Scope,
        *,
        after_seq: int = 0,
        before_seq: int | None = None,
        limit: int | None = None,
        newest: bool = False,
    ) -> list[int]: ...
    def seqs_of(self, message_ids: Iterable[str]) -> dict[str, int]: ...
    def sessions(self, *, before_seq: int | None = None, limit: int = 50, opening: int = 4) -> list[SessionSpan]: ...
    def sessions_of(self, seqs: Sequence[int]) -> tuple[str, ...]: ...
    def erase(self, seqs: Sequence[int]) -> None: ...
    def stats(self) -> dict[str, Any]: ...
    def verify(self) -> list[str]: ...


class MessageIndex(SearchIndex, Protocol):
    """Everything derived from one user's log."""

    def add(self, messages: Sequence[Message]) -> None: ...
    def erase(self, seqs: Sequence[int]) -> None: ...
    def rebuild(self, progress: Progress | None = None) -> None: ...
    def merge(self, *, is_whole: bool = False) -> None: ...
    def use(self, embedder: Embedder) -> None: ...
    def embed(self, embedder: Embedder, *, limit: int = 64) -> int: ...
    def waiting(self, embedder: Embedder) -> int: ...
    def has_work(self, embedder: Embedder) -> bool: ...
    def pending(self) -> int: ...
    def active(self) -> ModelIdentity | None: ...
    def stats(self) -> Any: ...
    def verify(self) -> list[str]: ...


class ClaimTable(Protocol):
    """Which of a user's words were read as claims, by whom, and the journal of what was read."""

    def keep(
        self,
        extractor: str,
        read: Sequence[int],
        found: Sequence[Statement],
        links: Sequence[Link] = (),
        refused: Sequence[int] = (),
    ) -> int: ...
    def fail(self, extractor: str, seq: int, failure: str) -> None: ...
    def waiting(self, extractor: str, limit: int) -> list[Message]: ...
    def count_waiting(self, extractor: str) -> int: ...
    def claims(self, extractor: str, *, as_of: datetime | None = None) -> Sequence[Claim]: ...
    def restore(self, snapshot: str) -> bool: ...
    @property
    def snapshots(self) -> SnapshotTable: ...
    @property
    def marks(self) -> MarkTable: ...
    def erase(self, seqs: Sequence[int]) -> None: ...
    def rebuild(self) -> None: ...
    def stats(self, extractor: str) -> dict[str, Any]: ...
    def verify(self) -> list[str]: ...


class SnapshotTable(Protocol):
    """Copies of one user's claims, by name."""

    def make(self, name: str) -> ClaimSnapshot | None: ...
    def all(self) -> list[ClaimSnapshot]: ...
    def drop(self, name: str) -> bool: ...
    def readmit(self) -> None: ...


class MarkTable(Protocol):
    """When one user's claims were last used, and which point to what is gone."""

    def read(self) -> Any: ...
    def use(self, uses: Mapping[int, datetime]) -> None: ...
    def point(self, seq: int, span: tuple[int, int], *, is_dead: bool) -> None: ...


class SummaryTable(Protocol):
    """Lines that were written from one user's claims, by who wrote them."""

    def chunks(self, writer: str) -> list[Chunk]: ...
    def put(self, writer: str, chunk: Chunk, seqs: Sequence[int], *, over: Chunk | None = None) -> bool: ...
    def drop(self, chunk: Chunk) -> None: ...
    def erase(self, seqs: Sequence[int]) -> None: ...
    def rebuild(self) -> None: ...
    def stats(self, writer: str) -> dict[str, Any]: ...
    def verify(self) -> list[str]: ...


class RouteLog(Protocol):
    """What `route` decided for one user, in order."""

    def add(self, decision: Decision) -> None: ...
    def accepted(self) -> int: ...
    def decisions(self) -> list[Decision]: ...
    def newest(self, limit: int, *, before: int | None = None) -> list[tuple[int, Decision]]: ...
    def recalibrate(self, window: int) -> None: ...
    def erase(self) -> None: ...


class PromptAccounts(Protocol):
    """Figures of one user's prompts, and of the last one of each session."""

    def seen(self, session_id: str) -> Seen | None: ...
    def add(
        self, record: PromptRecord, session_id: str, seen: Seen, *, answered: tuple[int, int] | None = None
    ) -> None: ...
    def records(self, last: int = ...) -> list[PromptRecord]: ...
    def verified(self) -> Verified | None: ...
    def note_verified(self, outcome: Verified) -> None: ...
    def erase(self, *, everything: bool) -> None: ...


class Store(Protocol):
    """One user's log and what is derived from it, which change together."""

    @property
    def log(self) -> MessageLog: ...
    @property
    def index(self) -> MessageIndex: ...
    @property
    def claims(self) -> ClaimTable: ...
    @property
    def summaries(self) -> SummaryTable: ...
    @property
    def routes(self) -> RouteLog: ...
    @property
    def accounts(self) -> PromptAccounts: ...
    @property
    def path(self) -> Path: ...
    def transaction(self) -> AbstractContextManager[Any]: ...
    def shrink(self) -> None: ...
    def owe_removal(self) -> None: ...
    def close(self) -> None: ...


class Stores(Protocol):
    """The stores of all users of one memory."""

    def of(self, user_id: str, *, create: bool) -> Store: ...
    def users(self) -> list[str]: ...
    def discard(self, user_id: str) -> None: ...
    def close(self) -> None: ...
