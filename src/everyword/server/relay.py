"""A streamed reply on its way from the upstream to the client, and into the log when it ends or breaks."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import TYPE_CHECKING

import anyio
import anyio.to_thread
from starlette.responses import Response
from starlette.types import Receive, Scope, Send

from everyword.server.exchange import Events, StreamedReply
from everyword.server.gate import BrokenOffError
from everyword.server.keeping import Exchange

if TYPE_CHECKING:
    import httpx

UPSTREAM_ENDED = "the upstream ended early"
CLIENT_LEFT = "the client went away"
_NOT_STORED = b": everyword could not store this exchange\n\n"


class Relay(Response):
    """Passes every byte on as it came; the last event waits until the exchange is stored."""

    def __init__(self, upstream: httpx.Response, headers: Mapping[str, str], exchange: Exchange | None) -> None:
        """`exchange` None: nothing is stored."""
        super().__init__(status_code=upstream.status_code, headers=dict(headers))
        del self.headers["content-length"]
        self._upstream = upstream
        self._exchange = exchange
        self._reply = StreamedReply()
        self._is_cut = False

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:  # noqa: ARG002 - the signature of ASGI
        try:
            async with anyio.create_task_group() as group:
                group.start_soon(_cancel_when_gone, receive, group.cancel_scope)
                await self._pass_on(send)
                group.cancel_scope.cancel()
        finally:
            with anyio.CancelScope(shield=True):
                await self._keep(CLIENT_LEFT)
                await self._upstream.aclose()
        if self._is_cut:
            raise BrokenOffError(UPSTREAM_ENDED)

    async def _pass_on(self, send: Send) -> None:
        """Send all that comes; where the upstream's connection breaks, what is left out breaks the client's too."""
        from httpx import HTTPError

        await send({"type": "http.response.start", "status": self.status_code, "headers": self.raw_headers})
        events = Events()
        try:
            async for data in self._upstream.aiter_bytes():
                for event in events.feed(data):
                    await self._pass_event(event, send)
        except HTTPError:
            self._is_cut = True
        if rest := events.rest():
            await self._pass_event(rest, send)
        await self._keep(None if self._reply.is_complete else UPSTREAM_ENDED)
        if not self._is_cut:
            await send({"type": "http.response.body", "body": b"", "more_body": False})

    async def _pass_event(self, event: bytes, send: Send) -> None:
        self._reply.take(event)
        if self._reply.is_done and await self._keep(None) == "failed":
            event = _NOT_STORED + event
        await send({"type": "http.response.body", "body": event, "more_body": True})

    async def _keep(self, missing: str | None) -> str:
        """Store the exchange, once, whoever goes away meanwhile."""
        exchange, self._exchange = self._exchange, None
        if exchange is None:
            return "no"
        keep, kept = partial(exchange.keep, self._reply.message(), missing=missing), "failed"
        with anyio.CancelScope(shield=True):
            kept = await anyio.to_thread.run_sync(keep)
        return kept  # noqa: RET504 - a return inside might never happen, for all that a checker knows of the scope


async def _cancel_when_gone(receive: Receive, scope: anyio.CancelScope) -> None:
    while (await receive())["type"] != "http.disconnect":
        pass
    scope.cancel()
