"""Where short-term values lie until they expire: the seam, and the store of one process."""

from __future__ import annotations

import threading
import time
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Protocol

_MOST_SESSIONS = 10_000


class SessionStore(Protocol):
    """Values of sessions, each session with a time to live that every write begins anew. Safe for many threads.

    Raise StorageError where it cannot be reached.
    """

    def put(self, user_id: str, session_id: str, name: str, value: bytes, *, ttl_s: int) -> None: ...
    def values(self, user_id: str, session_id: str) -> dict[str, bytes]: ...
    def touch(self, user_id: str, session_id: str, *, ttl_s: int) -> None:
        """Begin the session's time anew, also that of one without values."""
        ...

    def active(self, user_id: str) -> list[str]:
        """Return the sessions that have not expired, the one that expires last first."""
        ...

    def drop(self, user_id: str, session_id: str | None = None) -> None:
        """Remove a session, or all of a user."""
        ...

    def close(self) -> None: ...


@dataclass(slots=True)
class _Session:
    until: float
    values: dict[str, bytes] = field(default_factory=dict[str, bytes])


class MemorySessions:
    """A store in this process: gone with it. Where it grows too large, the session that was not touched longest goes first."""

    def __init__(self, *, clock: Callable[[], float] = time.monotonic, most: int = _MOST_SESSIONS) -> None:
        self._clock = clock
        self._most = most
        self._sessions: OrderedDict[tuple[str, str], _Session] = OrderedDict()
        self._lock = threading.Lock()

    def put(self, user_id: str, session_id: str, name: str, value: bytes, *, ttl_s: int) -> None:
        with self._lock:
            self._touched(user_id, session_id, ttl_s).values[name] = value

    def values(self, user_id: str, session_id: str) -> dict[str, bytes]:
        with self._lock:
            found = self._living(user_id, session_id)
            return {} if found is None else dict(found.values)

    def touch(self, user_id: str, session_id: str, *, ttl_s: int) -> None:
        with self._lock:
            self._touched(user_id, session_id, ttl_s)

    def active(self, user_id: str) -> list[str]:
        with self._lock:
            now = self._clock()
            living = [
                (each.until, session)
                for (user, session), each in self._sessions.items()
                if user == user_id and each.until > now
            ]
        return [session for _, session in sorted(living, reverse=True)]

    def drop(self, user_id: str, session_id: str | None = None) -> None:
        with self._lock:
            for user, session in [each for each in self._sessions if each[0] == user_id]:
                if session_id in (None, session):
                    del self._sessions[user, session]

    def close(self) -> None:
        with self._lock:
            self._sessions.clear()

    def _living(self, user_id: str, session_id: str) -> _Session | None:
        found = self._sessions.get((user_id, session_id))
        if found is not None and found.until <= self._clock():
            del self._sessions[user_id, session_id]
            return None
        return found

    def _touched(self, user_id: str, session_id: str, ttl_s: int) -> _Session:
        found = self._living(user_id, session_id)
        if found is None:
            found = self._sessions[user_id, session_id] = _Session(0.0)
        found.until = self._clock() + ttl_s
        self._sessions.move_to_end((user_id, session_id))
        self._make_room(found)
        return found

    def _make_room(self, touched: _Session) -> None:
        """Drop sessions that were not touched longest: those that are over, and those that are too many."""
        while (oldest := next(iter(self._sessions.values()))) is not touched:
            if len(self._sessions) <= self._most and oldest.until > self._clock():
                break
            self._sessions.popitem(last=False)
