from __future__ import annotations

from collections.abc import Callable
from datetime import datetime, timedelta
from typing import Any

import pytest

from everyword.domain.context import Evidence
from everyword.domain.message import Message, MessageId
from everyword.packing.packer import Frame, Item
from everyword.testing.drafts import START, draft
from everyword.text.tokens import CharactersCounter

Said = Callable[..., Message]


@pytest.fixture
def said() -> Said:
    """A stored message; the time is START and as many minutes as its number."""

    def message(text: str, *, seq: int = 1, created_at: datetime | None = None, **fields: Any) -> Message:
        of = draft(text, **{"created_at": created_at or START + timedelta(minutes=seq), **fields})
        kept = {name: getattr(of, name) for name in of.__slots__ if name not in ("message_id", "session_id")}
        return Message(
            message_id=MessageId(f"{seq:032x}"), seq=seq, session_id=of.session_id or "", received_at=START, **kept
        )

    return message


@pytest.fixture
def whole() -> Callable[..., Evidence]:
    def evidence(message: Message, *, rank: int = 1, spans: tuple[tuple[int, int], ...] | None = None) -> Evidence:
        shown = ((0, len(message.text)),) if spans is None else spans
        return Evidence(message=message, spans=shown, score=1 / rank, rank=rank, tokens=len(message.text) // 4)

    return evidence


@pytest.fixture
def ranked(said: Said, whole: Callable[..., Evidence]) -> Callable[..., list[Item]]:
    """Items of one message each, in the order of rank; numbers are lengths in tokens of 4 characters."""

    def items(*messages: Message | int) -> list[Item]:
        made = [said("x" * (4 * m), seq=n) if isinstance(m, int) else m for n, m in enumerate(messages, 1)]
        return [Item.of(rank=n, score=1 / n, evidence=(whole(each, rank=n),)) for n, each in enumerate(made, 1)]

    return items


@pytest.fixture
def frame() -> Callable[..., Frame]:
    def made(**fields: Any) -> Frame:
        return Frame(**{"question": "When?", "budget": 1500, "counter": CharactersCounter(), "strategy": "t", **fields})

    return made
