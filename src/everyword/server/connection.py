"""A connection that does not wait for ever: headers that do not arrive in time end it."""

from __future__ import annotations

import asyncio
from typing import Any

import h11
from uvicorn.protocols.http.h11_impl import H11Protocol

ARRIVAL_S = 30.0
"""Seconds that a client may take to send its headers, and again its body."""
_TOO_LATE = (
    b"HTTP/1.1 408 Request Timeout\r\nContent-Type: text/plain; charset=utf-8\r\nContent-Length: 42\r\n"
    b"Connection: close\r\n\r\nThe headers did not arrive in time: again."
)


def connection(headers_s: float) -> type[H11Protocol]:
    """Return the protocol whose clients may take so many seconds for the headers of each request."""

    class Connection(_Connection):
        patience_s = headers_s

    return Connection


class _Connection(H11Protocol):
    """Adds a timer to uvicorn's protocol, which has one only between requests."""

    patience_s: float
    _timer: asyncio.TimerHandle | None = None
    _has_begun = False
    """Whether some of the headers came."""

    def connection_made(self, transport: Any) -> None:
        super().connection_made(transport)
        self._wait()

    def data_received(self, data: bytes) -> None:
        super().data_received(data)
        if self.conn.their_state is h11.IDLE and self.conn.trailing_data[0]:
            self._has_begun = True
            self._wait()
        elif self.conn.their_state is not h11.IDLE:
            self._stop_waiting()

    def connection_lost(self, exc: Exception | None) -> None:
        self._stop_waiting()
        super().connection_lost(exc)

    def _wait(self) -> None:
        """Start the timer, once for all pieces of the headers."""
        if self._timer is None:
            self._timer = self.loop.call_later(self.patience_s, self._end)

    def _stop_waiting(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
        self._timer, self._has_begun = None, False

    def _end(self) -> None:
        self._timer = None
        if not self.transport.is_closing():
            if self._has_begun:
                self.transport.write(_TOO_LATE)
            self.transport.close()
