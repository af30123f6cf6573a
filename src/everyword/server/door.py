"""The first to answer: it says that the server lives while the application is loaded; what else comes waits for that."""

from __future__ import annotations

import asyncio
import logging
import secrets
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from everyword.errors import EverywordError
from everyword.server import failures, log_lines

if TYPE_CHECKING:
    from starlette.types import ASGIApp, Receive, Scope, Send

_FAILED = "The server cannot start; its log has the reason."


@dataclass(frozen=True, slots=True, kw_only=True)
class Inside:
    """An application that is loaded, and what ends it."""

    application: ASGIApp
    close: Callable[[], Awaitable[None]]


class Door:
    """Stands before an application that is not there yet."""

    def __init__(self, load: Callable[[], Inside]) -> None:
        """`load` runs in a thread of its own when the server listens."""
        self._load = load
        self._loading: asyncio.Future[Inside] | None = None
        self.failure: BaseException | None = None
        """Why the application could not be loaded."""
        self.failed: Callable[[], None] = lambda: None
        """Called then."""

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "lifespan":
            await self._live(receive, send)
            return
        loading = self._begun()
        if not loading.done() and scope["path"] == "/healthz" and scope["method"] == "GET":
            await _answer(send, 200, {"status": "ok"})
            return
        try:
            inside = await asyncio.shield(loading)
        except Exception as error:  # noqa: BLE001 - it is told to the log and to who started the server
            told = error if isinstance(error, EverywordError) else EverywordError(_FAILED)
            await _answer(send, 503, failures.document_of(told, secrets.token_hex(12)))
            return
        await inside.application(scope, receive, send)

    async def _live(self, receive: Receive, send: Send) -> None:
        """Begin to load when the server starts, and end what was loaded when it stops."""
        await receive()
        loading = self._begun()
        await send({"type": "lifespan.startup.complete"})
        await receive()
        await asyncio.wait([loading])
        if self.failure is None:
            await loading.result().close()
        await send({"type": "lifespan.shutdown.complete"})

    def _begun(self) -> asyncio.Future[Inside]:
        if self._loading is None:
            self._loading = asyncio.ensure_future(asyncio.to_thread(self._load))
            self._loading.add_done_callback(self._end)
        return self._loading

    def _end(self, loading: asyncio.Future[Inside]) -> None:
        self.failure = None if loading.cancelled() else loading.exception()
        if self.failure is not None:
            log_lines.say("not started", level=logging.ERROR, error=self.failure)
            self.failed()


async def _answer(send: Send, status: int, document: dict[str, Any]) -> None:
    body = failures.as_bytes(document)
    headers = {
        "Content-Type": "application/json",
        "Content-Length": str(len(body)),
        "Cache-Control": "no-store",
        "X-Content-Type-Options": "nosniff",
        "X-Request-Id": document.get("error", {}).get("request_id") or secrets.token_hex(12),
    }
    encoded = [(name.lower().encode(), value.encode()) for name, value in headers.items()]
    await send({"type": "http.response.start", "status": status, "headers": encoded})
    await send({"type": "http.response.body", "body": body})
