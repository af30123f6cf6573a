"""What one question got from one strategy: the record that journals, measures and reports share."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from typing import Any, Literal

Miss = Literal["not stored", "not found", "not packed"]
"""Where evidence was lost: never in the log; not among the candidates that packing tries; tried, but not in the context."""

Key = tuple[str, str, str, int, int | None, int | None]
"""Dataset, case, question, budget, target, seed."""
Condition = tuple[str, int, int | None]
"""Strategy, budget, target."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """One question under one strategy at one budget, in a history of one length."""

    dataset: str
    case: str
    question: str
    """Its name, unique in the case."""
    text: str
    kind: str
    labels: tuple[str, ...]
    roles: tuple[str, ...]
    """Roles that hold the evidence, sorted."""
    answerable: bool
    strategy: str
    budget: int
    length: int
    """Tokens of the history, by the estimate."""
    tokens: int
    """Tokens of the context."""
    milliseconds: float
    evidence: int
    """How many messages (or quotes, or sessions where only these are known) hold the evidence."""
    share: float | None
    """Of the evidence that is in the context; None: no evidence is known."""
    share_whole: float | None
    """Counting only messages all of whose words are in it."""
    worst_rank: int | None = None
    """Of the evidence in the strategy's final order, from 1; None: some of it is in no list."""
    ranked: Mapping[str, float] = field(default_factory=dict[str, float])
    """Measures of the order, such as `turn recall_all@10` or `session ndcg@10`."""
    miss: Miss | None = None
    """Of the evidence that is lost first; None: nothing is missing."""
    no_evidence: bool | None = None
    """Whether the context says that the history does not hold the answer."""
    answer: str | None = None
    correct: bool | None = None
    """The judge's verdict; None: not answered, or not judged."""
    calls: int = 0
    """Requests to a language model."""
    failure: str | None = None
    """Why there is no context, answer or verdict: no room, a refusal, a reply that could not be read, an endpoint that failed."""
    expected: str = ""
    """The answer that the publisher gives, where answers were judged."""
    target: int | None = None
    """Tokens that the history was composed to; None: as published."""
    seed: int | None = None
    """Of the generated questions or fillers; None: nothing was drawn."""

    @property
    def complete(self) -> bool:
        """Tell whether all the evidence is in the context."""
        return self.share == 1.0

    @property
    def key(self) -> Key:
        """Return what it is the outcome of, apart from the strategy: outcomes of two strategies pair by it."""
        return self.dataset, self.case, self.question, self.budget, self.target, self.seed

    @property
    def condition(self) -> Condition:
        """Return what one row of figures is about."""
        return self.strategy, self.budget, self.target

    def record(self) -> dict[str, Any]:
        """Return a JSON record that `from_record` reads back equal."""
        return asdict(self)

    @classmethod
    def from_record(cls, record: Mapping[str, Any]) -> Outcome:
        """Read what `record` wrote."""
        values: dict[str, Any] = {**record, "labels": tuple(record["labels"]), "roles": tuple(record["roles"])}
        return cls(**values)
