"""Messages for tests, in one line each."""

from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta
from typing import Any

from everyword.domain.message import Draft, Role

START = datetime(2026, 5, 22, 9, 0, tzinfo=UTC)


def draft(text: str, *, role: Role = "user", minute: int = 0, session_id: str = "s1", **fields: Any) -> Draft:
    """Return a message said some minutes after START."""
    payload = json.dumps({"role": role, "content": text}).encode()
    said: dict[str, Any] = {"created_at": START + timedelta(minutes=minute), "payload": payload, **fields}
    return Draft(role=role, text=text, session_id=session_id, **said)
