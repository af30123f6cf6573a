"""The seams where the outside world starts. Each has a real adapter and a fake in `everyword.testing`."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, Protocol, runtime_checkable

from everyword.domain.message import Draft, Message
from everyword.domain.passage import Passage
from everyword.domain.scope import Scope

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


@runtime_checkable
class Reranker(Protocol):
    """Score of each text for the question; higher is better, comparable within one call only."""

    @property
    def name(self) -> str: ...

    def scores(self, question: str, texts: Sequence[str]) -> Sequence[float]:
        """Return one score for each text, in the order of `texts`. Raise ModelError."""
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

    def __len__(self) -> int: ...
    def positions(self, passage_ids: Ints) -> Ints: ...
    def with_neighbours(self, values: Floats, weights: tuple[float, ...]) -> Floats: ...
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
    def of_clauses(self, passage_id: int) -> Vectors: ...


class SearchIndex(Protocol):
    """What retrieval asks of an index of one user."""

    def corpus(self) -> PassageTable: ...
    def session_number(self, session_id: str) -> int | None: ...
    def term_hits(self, wanted: dict[str, bool], *, header_weight: float) -> Sequence[Terms]: ...
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
    def chosen(self, scope: Scope) -> list[int]: ...
    def sessions_of(self, seqs: Sequence[int]) -> tuple[str, ...]: ...
    def erase(self, seqs: Sequence[int]) -> None: ...
    def stats(self) -> dict[str, Any]: ...
    def verify(self) -> list[str]: ...


class MessageIndex(SearchIndex, Protocol):
    """Everything derived from one user's log."""

    def add(self, messages: Sequence[Message]) -> None: ...
    def erase(self, seqs: Sequence[int]) -> None: ...
    def rebuild(self, progress: Progress | None = None) -> None: ...
    def use(self, embedder: Embedder) -> None: ...
    def embed(self, embedder: Embedder, *, limit: int = 64) -> int: ...
    def waiting(self, embedder: Embedder) -> int: ...
    def pending(self) -> int: ...
    def active(self) -> ModelIdentity | None: ...
    def stats(self) -> Any: ...
    def verify(self) -> list[str]: ...


class Store(Protocol):
    """One user's log and index, which change together."""

    @property
    def log(self) -> MessageLog: ...
    @property
    def index(self) -> MessageIndex: ...
    @property
    def path(self) -> Path: ...
    def transaction(self) -> AbstractContextManager[Any]: ...
    def shrink(self) -> None: ...
    def close(self) -> None: ...


class Stores(Protocol):
    """The stores of all users of one memory."""

    def of(self, user_id: str, *, create: bool) -> Store: ...
    def users(self) -> list[str]: ...
    def close(self) -> None: ...
