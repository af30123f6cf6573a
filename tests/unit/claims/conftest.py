"""Messages to read claims out of."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from everyword.domain.message import Message, MessageId

START = datetime(2026, 1, 1, 9, tzinfo=UTC)
Say = Callable[..., Message]


@pytest.fixture
def say() -> Say:
    """Return what makes message number 1, 2, 3 …, a day apart."""
    count = 0

    def made(text: str, **more: Any) -> Message:
        nonlocal count
        count += 1
        said: dict[str, Any] = {
            "message_id": MessageId(f"{count:032x}"),
            "seq": count,
            "session_id": "s",
            "role": "user",
            "text": text,
            "payload": b"{}",
            "author": None,
            "agent_id": None,
            "origin": "user",
            "branch": "main",
            "created_at": START + timedelta(days=count),
            "received_at": START,
            "metadata": {},
        }
        return Message(**{**said, **more})

    return made
