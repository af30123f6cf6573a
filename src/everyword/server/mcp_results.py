"""What the MCP tools return: the shapes on the wire, and how stored words are put into them."""

from __future__ import annotations

from typing import Any
from urllib.parse import quote

from pydantic import BaseModel, Field

from everyword.domain.message import Message
from everyword.domain.report import Hit
from everyword.packing.excerpt import excerpt
from everyword.packing.render import fenced, intro, turn
from everyword.text.words import query_terms

WHOLE = 1_200
"""Characters up to which a found message is shown whole."""
_EXCERPT_TOKENS = 256
_READ = 100_000
"""Characters of a very long message in which relevant lines are looked for."""
PART = 20_000
"""Characters of a message that one call returns."""
_TITLE = 80


class Stored(BaseModel):
    """What `add_memory` stored."""

    id: str
    number: int = Field(description="Its number in this memory, as get_context shows it after #.")
    session_id: str


class Found(BaseModel):
    """One message of a search."""

    id: str
    number: int
    session_id: str
    speaker: str
    origin: str = Field(description="Where the words come from: what a tool or the web said is an observation.")
    said_at: str | None
    text: str
    is_whole: bool = Field(description="False: only the relevant lines are shown; get_memory has the rest.")
    score: float


class Hits(BaseModel):
    """Messages, the best first."""

    results: list[Found]


class Memo(BaseModel):
    """One message, or a part of a long one."""

    id: str
    number: int
    session_id: str
    role: str
    speaker: str
    origin: str
    said_at: str | None
    text: str
    characters: int = Field(description="Length of the whole message.")
    next_start: int | None = Field(description="Where to go on reading; null: this was the end.")


class Deleted(BaseModel):
    """What `delete_memory` erased."""

    id: str
    messages: int


class Result(BaseModel):
    """One result for clients that know `search` and `fetch`."""

    id: str
    title: str
    url: str


class Results(BaseModel):
    """Results for clients that know `search` and `fetch`."""

    results: list[Result]


class Document(BaseModel):
    """One message for clients that know `search` and `fetch`."""

    id: str
    title: str
    text: str
    url: str
    metadata: dict[str, Any]


def found(hit: Hit, query: str) -> Found:
    """Return one hit: short ones whole, long ones by their relevant lines."""
    text = _relevant(hit.text, query)
    return Found(
        id=hit.id,
        number=hit.seq,
        session_id=hit.session_id,
        speaker=hit.author or hit.role,
        origin=hit.origin,
        said_at=hit.created_at.isoformat() if hit.created_at else None,
        text=text,
        is_whole=text == hit.text,
        score=round(hit.score, 4),
    )


def _relevant(text: str, query: str) -> str:
    if len(text) <= WHOLE:
        return text
    read = text[:_READ]
    spans = excerpt(read, [(0, len(read))], dict.fromkeys(query_terms(query), 1.0), room=_EXCERPT_TOKENS)
    return " … ".join(read[start:stop].strip() for start, stop in spans)


def memo(message: Message, *, start: int) -> Memo:
    """Return a message from a character on."""
    stop = start + PART
    return Memo(
        id=message.message_id,
        number=message.seq,
        session_id=message.session_id,
        role=message.role,
        speaker=message.speaker,
        origin=message.origin,
        said_at=message.created_at.isoformat() if message.created_at else None,
        text=message.text[start:stop],
        characters=len(message.text),
        next_start=stop if stop < len(message.text) else None,
    )


def result(hit: Hit) -> Result:
    """Return one hit for `search`: a title that tells what it is, and an address that `fetch` knows."""
    return Result(id=hit.id, title=_title(hit.author or hit.role, hit.text, hit.created_at), url=address(hit.id))


def document(message: Message) -> Document:
    """Return one message for `fetch`, at most its first part; what a tool or the web said is labelled."""
    first = memo(message, start=0)
    metadata = first.model_dump(exclude={"id", "text"})
    title = _title(message.speaker, message.text, message.created_at)
    return Document(id=first.id, title=title, text=first.text, url=address(first.id), metadata=metadata)


def _title(speaker: str, text: str, said_at: Any) -> str:
    day = f"{said_at:%Y-%m-%d} " if said_at else ""
    words = " ".join(text[: 4 * _TITLE].split())
    return f"{day}{speaker}: {words[:_TITLE]}{'…' if len(words) > _TITLE else ''}"


def address(message_id: str) -> str:
    """Return the address of a message as a resource."""
    return f"everyword://message/{message_id}"


def session_address(session_id: str) -> str:
    """Return the address of a session as a resource."""
    return f"everyword://session/{quote(session_id, safe='')}"


def transcript(messages: list[Message], *, left_out: bool) -> str:
    """Return messages of a session as lines with number, time and speaker, fenced as data."""
    lines = ["(earlier messages are left out)"] if left_out else []
    for message in messages:
        said = f" {message.created_at:%Y-%m-%d %H:%M}" if message.created_at else ""
        cut = turn(message)
        lines.append(f"#{message.seq}{said} {cut if len(cut) <= PART else f'{cut[:PART]} …'}")
    return fenced(lines, intro("en"))
