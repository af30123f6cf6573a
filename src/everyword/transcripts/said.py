"""What one record says: one message, or a message and the tool results that came with it; and drafts of it."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from everyword.domain.message import Branch, Draft, Origin, Role, Skipped
from everyword.errors import InvalidMessageError
from everyword.transcripts.json_text import Piece, clean, dump, visible
from everyword.transcripts.keys import key_of
from everyword.transcripts.moments import dated

REMEMBERED_CALLS = 20_000
SMALL = 500
ORIGIN_OF: dict[str, Origin] = {"user": "user", "assistant": "assistant", "tool": "tool"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Said:
    """One message inside a record."""

    role: Role
    text: str
    author: str | None = None
    origin: Origin | None = None
    blocks: Any = None
    """The parts that were split off the record; None where the record itself is the message."""
    metadata: Mapping[str, Any] = field(default_factory=dict[str, Any])


@dataclass(frozen=True, slots=True, kw_only=True)
class Conversation:
    """What all messages of one conversation share."""

    format: str
    session_id: str
    metadata: Mapping[str, Any] = field(default_factory=dict[str, Any])
    agent_id: str | None = None
    branch: Branch = "main"


class Calls:
    """Names of the tools that were called, by the id of the call; the oldest are forgotten first."""

    def __init__(self) -> None:
        self._names: OrderedDict[str, str] = OrderedDict()

    def remember(self, call_id: Any, name: Any) -> None:
        """Keep the name of a call's tool."""
        if isinstance(call_id, str) and isinstance(name, str):
            self._names[call_id] = name
            if len(self._names) > REMEMBERED_CALLS:
                self._names.popitem(last=False)

    def name_of(self, call_id: Any) -> str | None:
        """Return the tool that was called under this id."""
        return self._names.get(call_id) if isinstance(call_id, str) else None

    def __len__(self) -> int:
        return len(self._names)

    def __contains__(self, call_id: object) -> bool:
        return isinstance(call_id, str) and call_id in self._names


def drafts(
    found: Iterable[Said],
    piece: Piece,
    of: Conversation,
    *,
    identity: Any = None,
    position: int | str = 0,
    time: Any = None,
) -> Iterator[Draft]:
    """Yield the drafts of one record: the first has the record's bytes, each further one JSON of its parts.

    The key is made of the record's own id and its words; without an id, of its position and its bytes.
    """
    created_at, odd_time = dated(time)
    payload = piece.payload()
    has_id = isinstance(identity, str) and identity != ""
    for number, said in enumerate(found):
        own = payload if said.blocks is None else dump(said.blocks)
        name = ["id", identity, said.text] if has_id else ["at", str(position), own]
        yield _draft(said, own, of, created_at, odd_time, key_of(of.format, of.session_id, str(number), *name))


def _draft(
    said: Said, payload: bytes, of: Conversation, created_at: datetime | None, odd_time: Mapping[str, Any], key: str
) -> Draft:
    return Draft(
        role=said.role,
        text=said.text,
        payload=payload,
        session_id=visible(of.session_id),
        author=visible(said.author) if said.author else None,
        agent_id=visible(of.agent_id) if of.agent_id else None,
        origin=said.origin or ORIGIN_OF.get(said.role, "import"),
        branch=of.branch,
        created_at=created_at,
        metadata=small({**of.metadata, **said.metadata, **odd_time}),
        key=key,
    )


def taken(found: Iterable[Draft], place: str) -> Iterator[Draft | Skipped]:
    """Yield the drafts; a record that is no message becomes Skipped."""
    try:
        yield from list(found)
    except (InvalidMessageError, RecursionError) as error:
        yield Skipped(place=visible(place), reason=visible(str(error)))


def small(metadata: Mapping[str, Any]) -> dict[str, Any]:
    """Return the metadata that are known and short; long ones stay in the payload only."""
    known = {key: clean(value) for key, value in metadata.items() if value not in (None, "", [], {})}
    return {visible(key): value for key, value in known.items() if _is_small(value)}


def _is_small(value: Any) -> bool:
    if isinstance(value, str):
        return len(value) <= SMALL
    return isinstance(value, int | float) or len(dump(value)) <= SMALL
