"""What is derived from messages: which of the user's words are a note, a line of the profile, a rule, and until when."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Literal, get_args

from everyword.domain.message import MessageId, Role

ClaimKind = Literal["note", "profile", "entity", "edge", "procedure"]
ClaimState = Literal["statement", "result", "plan", "guess", "joke"]
Trust = Literal["stated", "observed"]
Relation = Literal["ends", "doubts"]
MemoryType = Literal["working", "episodic", "semantic", "procedural"]
PointerStatus = Literal["POINTER_OK", "POINTER_DEAD", "POINTER_UNCHECKED"]

CLAIM_KINDS: frozenset[str] = frozenset(get_args(ClaimKind))
CLAIM_STATES: frozenset[str] = frozenset(get_args(ClaimState))
SETTLED: frozenset[str] = frozenset({"statement", "result"})
"""States in which words may become more than a note."""
_MEMORY_TYPES: dict[ClaimKind, MemoryType] = {
    "note": "episodic",
    "profile": "semantic",
    "entity": "semantic",
    "edge": "semantic",
    "procedure": "procedural",
}


def memory_type_of(kind: ClaimKind) -> MemoryType:
    """Return which long-term memory a kind belongs to."""
    return _MEMORY_TYPES[kind]


@dataclass(frozen=True, slots=True, kw_only=True)
class Statement:
    """Characters of one message that somebody read as a claim: all that is stored of one."""

    seq: int
    start: int
    stop: int
    kind: ClaimKind
    state: ClaimState = "statement"
    trust: Trust = "stated"
    slot: str = ""
    """What can have one value at a time: `home`, `order number`; empty: it stands beside all others."""
    polarity: int = 0
    """1: for its object, -1: against it, 0: neither."""
    objects: tuple[str, ...] = ()
    """Index terms of what the polarity is about."""
    replaces: tuple[str, ...] = ()
    """Values that the user says are wrong: what was said with them before is corrected."""
    corrects: str | None = None
    """Id of the claim that the user corrects by name."""
    confidence: float = 1.0

    @property
    def key(self) -> tuple[int, int, int, str]:
        """Return what makes it the same statement when it is read again."""
        return self.seq, self.start, self.stop, self.kind


@dataclass(frozen=True, slots=True, kw_only=True)
class Link:
    """What a reader found between a statement and an earlier one."""

    newer: tuple[int, int, int, str]
    """Key of the statement."""
    older: str
    """Id of the claim."""
    relation: Relation


@dataclass(frozen=True, slots=True, kw_only=True)
class Claim:
    """A derived statement in the speaker's own words, with where it comes from and when it holds."""

    claim_id: str
    """Message and characters, so that it is the same after a rebuild."""
    text: str
    kind: ClaimKind
    state: ClaimState
    message_ids: tuple[MessageId, ...]
    """Every message that says it, in order."""
    seq: int
    """Of the first of them."""
    span: tuple[int, int]
    author_role: Role
    said_at: datetime | None
    valid_from: datetime | None
    valid_to: datetime | None
    """When a later statement ended it; None: it holds, or nobody knows when it ended."""
    closed_by: str | None = None
    """Id of the claim that ended it; None: it holds."""
    is_corrected: bool = False
    """The user said that it was never right; a summary does not repeat it."""
    cautions: tuple[str, ...] = ()
    """Ids of claims that may contradict it; both hold until the user says more."""
    confidence: float = 1.0
    trust: Trust = "stated"
    slot: str = ""
    extractor: str = ""
    """Who read it out of the words."""
    is_asked: bool = False
    """The user asked to remember it."""
    last_said_at: datetime | None = None
    """When the last of its messages said it, or a later statement had all of its words."""
    used_at: datetime | None = None
    """When a context last showed its message, to the week."""
    is_archived: bool = False
    """Neither said nor used for long: strategies show it only where the question has a word of it, or one that leads to it."""
    is_stale: bool = False
    """What it points to was not there when it was last looked up."""

    @property
    def is_open(self) -> bool:
        """Tell whether nothing has ended it."""
        return self.closed_by is None

    @property
    def memory_type(self) -> MemoryType:
        """Return which long-term memory it belongs to."""
        return memory_type_of(self.kind)


@dataclass(frozen=True, slots=True, kw_only=True)
class Told:
    """All claims as they stood at a time, and what to know about them."""

    claims: tuple[Claim, ...]
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Remembered:
    """A write that the user asked for: it is stored whatever the problem says."""

    claim_id: str
    message_id: MessageId
    used: int
    """Characters of the profile and rules that hold."""
    capacity: int
    problem: str | None = None
    """What to rewrite, where the profile or the notes have outgrown their room."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ClaimSnapshot:
    """The claims as they stood at a moment, under a name."""

    name: str
    made_at: datetime
    last_seq: int
    """Sequence number of the newest message then."""
    claims: int
    """How many statements it holds; fewer, once a message of them is forgotten."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Pointed:
    """What a claim points to, and whether it is there."""

    target: str
    """Path or address, as the user wrote it."""
    status: PointerStatus
    content: str | None = None
    """As it is today; of a file its first 100,000 characters."""
