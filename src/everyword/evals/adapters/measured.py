"""Another memory system as the harness sees a memory: what it retrieves is packed like everything else."""

from __future__ import annotations

import threading
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from everyword.domain.context import Context, Evidence
from everyword.domain.message import Added, Draft, Message, MessageId
from everyword.domain.scope import moment
from everyword.domain.trace import Place, Stage, Trace
from everyword.evals.adapters.system import MemorySystem, Record, Retrieved
from everyword.packing.packer import Frame, Item, pack
from everyword.packing.render import locale_of
from everyword.ports import TokenCounter
from everyword.transcripts.live import drafts

_FEWEST = 50
_TOKENS_EACH = 10
"""Budget for each thing that is asked for, so that short messages fill it too."""
_NOW = datetime(1970, 1, 1, tzinfo=UTC)


class MeasuredSystem:
    """A memory system with the budget, the counter and the packing that the strategies have."""

    def __init__(self, system: MemorySystem, counter: TokenCounter, folder: Path | None = None) -> None:
        self._system = system
        self._counter = counter
        self._folder = folder
        self._messages: dict[str, Message] = {}
        self._by_text: dict[str, Message] = {}
        self._lock = threading.Lock()

    def add(self, messages: Sequence[dict[str, Any]], *, user_id: str, session_id: str | None) -> Added:
        """Hand messages over; they are numbered as Everyword numbers them."""
        del user_id
        first = len(self._messages) + 1
        session = session_id or "default"
        said = [_message(draft, first + n) for n, draft in enumerate(drafts(messages, session_id=session))]
        with self._lock:
            self._system.add([_record(message) for message in said])
        for message in said:
            self._messages[_id(message)] = message
            self._by_text.setdefault(message.text, message)
        return Added(
            message_ids=tuple(message.message_id for message in said),
            seqs=tuple(message.seq for message in said),
            session_id=session,
        )

    def index(self, *, user_id: str) -> int:
        """Return 0: a system computes what it needs when it is given words."""
        del user_id
        return 0

    def context(self, question: str, *, user_id: str, budget: int, strategy: str, asked_at: str | None) -> Context:
        """Return what the system retrieved, as much of it as fits. Raise ContextLengthExceeded."""
        del user_id
        limit = max(_FEWEST, budget // _TOKENS_EACH)
        asked = moment(asked_at, name="asked_at", end_of_day=False)
        with self._lock:
            retrieved = self._system.retrieve(question, limit=limit, asked_at=asked)
        found = [item for rank, each in enumerate(retrieved, 1) if (item := self._item(rank, each)) is not None]
        frame = Frame(
            question=question,
            budget=budget,
            counter=self._counter,
            strategy=strategy,
            locale=locale_of(question),
            trace=Trace(strategy=strategy, stages=(_stage(found),)),
        )
        return pack(_once(found), frame)

    def stats(self, *, user_id: str) -> dict[str, Any]:
        """Return the number of messages and the bytes that the system has on disk."""
        del user_id
        files = [] if self._folder is None else [each for each in self._folder.rglob("*") if each.is_file()]
        return {"messages": len(self._messages), "bytes_on_disk": sum(each.stat().st_size for each in files)}

    def close(self) -> None:
        """Close the system."""
        self._system.close()

    def _item(self, rank: int, found: Retrieved) -> Item | None:
        score = 1.0 / rank if found.score is None else found.score
        spans = self._spans(found) or self._own_words(rank, found)
        evidence = tuple(
            Evidence(
                message=message,
                spans=(span,),
                score=score,
                rank=rank,
                tokens=self._counter.count(message.text[slice(*span)]),
            )
            for message, span in spans
        )
        return Item.of(rank=rank, score=score, evidence=evidence) if evidence else None

    def _spans(self, found: Retrieved) -> list[tuple[Message, tuple[int, int]]]:
        """Return the messages, and what of each was found; none where the words stand in no message."""
        named = [self._messages[each] for each in found.record_ids if each in self._messages]
        words = None if found.text is None else found.text.strip()
        if words is None:
            return [(message, (0, len(message.text))) for message in named]
        if not words:
            return []
        if not found.record_ids:
            named = [self._by_text[words]] if words in self._by_text else list(self._holding(words))
        shown = ((message, _span(message.text, words)) for message in named)
        return [(message, span) for message, span in shown if span is not None]

    def _holding(self, words: str) -> Iterator[Message]:
        """Yield the first message that holds these words."""
        for message in self._messages.values():
            if words in message.text:
                yield message
                return

    def _own_words(self, rank: int, found: Retrieved) -> list[tuple[Message, tuple[int, int]]]:
        """Return words that the system made up itself, as a message of its own that nobody said."""
        if not found.text or not found.text.strip():
            return []
        said = Draft(
            role="assistant",
            text=found.text.strip(),
            payload=b"{}",
            author=self._system.name,
            origin="import",
            created_at=found.created_at,
        )
        message = _message(said, len(self._messages) + rank)
        return [(message, (0, len(message.text)))]


def _span(text: str, words: str) -> tuple[int, int] | None:
    """Return where the words stand in a text, or all of a text that the words hold; None: neither."""
    start = text.find(words)
    if start >= 0:
        return (0, len(text)) if words == text.strip() else (start, start + len(words))
    return (0, len(text)) if text.strip() and text.strip() in words else None


def _once(found: Sequence[Item]) -> Iterator[Item]:
    """Yield each item without what was found before."""
    seen: set[tuple[int, tuple[tuple[int, int], ...]]] = set()
    for item in found:
        evidence = tuple(each for each in item.show() if (each.message.seq, each.spans) not in seen)
        seen.update((each.message.seq, each.spans) for each in evidence)
        if evidence:
            yield Item.of(rank=item.rank, score=item.score, evidence=evidence)


def _stage(found: Sequence[Item]) -> Stage:
    places: dict[int, Place] = {}
    for item in found:
        for message in item.messages:
            places.setdefault(message.seq, Place(rank=item.rank, score=item.score))
    return Stage(name="retrieved", candidates=len(places), places=places)


def _id(message: Message) -> str:
    return str(message.seq)


def _record(message: Message) -> Record:
    return Record(
        record_id=_id(message),
        role=message.role,
        text=message.text,
        session=message.session_id,
        author=message.author,
        created_at=message.created_at,
    )


def _message(draft: Draft, seq: int) -> Message:
    return Message(
        message_id=MessageId(f"{seq:032x}"),
        seq=seq,
        session_id=draft.session_id or "default",
        role=draft.role,
        text=draft.text,
        payload=draft.payload,
        author=draft.author,
        agent_id=draft.agent_id,
        origin=draft.origin,
        branch=draft.branch,
        created_at=draft.created_at,
        received_at=_NOW,
        metadata=draft.metadata,
    )
