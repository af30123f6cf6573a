"""A connection that does not wait for ever: headers that do not arrive in time end it, and answers that are not read."""

from __future__ import annotations

import asyncio
from typing import Any

import h11
from uvicorn.protocols.http.h11_impl import H11Protocol

ARRIVAL_S = 30.0
"""Seconds that a client may take to send its headers, and again its body."""
UNREAD_S = 60.0
"""Seconds in which a client must read some more of its answer, once the buffers are full."""
_TOO_LATE = (
    b"HTTP/1.1 408 Request Timeout\r\nContent-Type: text/plain; charset=utf-8\r\nContent-Length: 42\r\n"
    b"Connection: close\r\n\r\nThe headers did not arrive in time: again."
)


def connection(headers_s: float, answer_s: float = UNREAD_S) -> type[H11Protocol]:
    """Return the protocol whose clients may take so many seconds for the headers of each request, and to read on."""

    class Connection(_Connection):
        patience_s = headers_s
        unread_s = answer_s

    return Connection


class _Connection(H11Protocol):
    """Adds timers to uvicorn's protocol, which has one only between requests."""

    patience_s: float
    unread_s: float
    _timer: asyncio.TimerHandle | None = None
    _reading: asyncio.TimerHandle | None = None
    """Runs while the client does not take what is to be sent."""
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

    def pause_writing(self) -> None:
        super().pause_writing()
        self._stop_reading()
        self._watch()

    def resume_writing(self) -> None:
        self._stop_reading()
        super().resume_writing()

    def connection_lost(self, exc: Exception | None) -> None:
        self._stop_waiting()
        self._stop_reading()
        super().connection_lost(exc)

    def _wait(self) -> None:
        """Start the timer, once for all pieces of the headers."""
        if self._timer is None:
            self._timer = self.loop.call_later(self.patience_s, self._end)

    def _stop_waiting(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
        self._timer, self._has_begun = None, False

    def _watch(self) -> None:
        unread = self.transport.get_write_buffer_size()
        self._reading = self.loop.call_later(self.unread_s, self._look, unread)

    def _look(self, unread_before: int) -> None:
        """End the connection where nothing was read since the last look: a slow client may take its time."""
        if self.transport.get_write_buffer_size() >= unread_before:
            self.transport.abort()
        else:
            self._watch()

    def _stop_reading(self) -> None:
        if self._reading is not None:
            self._reading.cancel()
        self._reading = None

    def _end(self) -> None:
        self._timer = None
        if not self.transport.is_closing():
            if self._has_begun:
                self.transport.write(_TOO_LATE)
            self.transport.close()
