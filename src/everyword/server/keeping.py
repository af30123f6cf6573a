"""The exchange of a chat request, stored when its reply is complete, or as far as it came."""

from __future__ import annotations

import logging
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from everyword.errors import EverywordError
from everyword.server import log_lines
from everyword.server.exchange import said_now, session_of
from everyword.server.placement import ChatMessage
from everyword.server.serving import Serving

Kept = Literal["yes", "failed"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Exchange:
    """What was asked, and where it belongs."""

    serving: Serving
    user_id: str
    messages: Sequence[ChatMessage]
    """As the client sent them, without memory."""
    session_id: str | None
    is_known: bool
    trace_id: str
    model: str | None
    idempotency_key: str | None = None

    def keep(self, reply: Mapping[str, Any] | None, *, missing: str | None = None) -> Kept:
        """Store what the request adds and the reply; `missing` says why the reply is not whole.

        A failure is logged and counted, since the reply is paid for and must reach the client.
        """
        try:
            self._store(reply, missing)
        except EverywordError as error:
            self.serving.metrics.not_stored()
            log_lines.say("exchange not stored", level=logging.ERROR, error=error, request_id=self.trace_id)
            return "failed"
        return "yes"

    def _store(self, reply: Mapping[str, Any] | None, missing: str | None) -> None:
        session_id = self.session_id or session_of(self.messages, reply) or f"chat-{self.trace_id}"
        about = {"via": "proxy", "trace_id": self.trace_id}
        memory, where = self.serving.memory, {"user_id": self.user_id, "session_id": session_id}
        if asked := said_now(self.messages, is_known=self.is_known):
            memory.add(asked, metadata=about, idempotency_key=self.idempotency_key, **where)
        if reply is not None:
            told = {"model": self.model, "incomplete": missing}
            about |= {name: value for name, value in told.items() if value is not None}
            added = memory.add([{"role": "assistant", **reply}], metadata=about, **where)
            self.serving.metrics.lagging(self.user_id, added.pending_passages)
