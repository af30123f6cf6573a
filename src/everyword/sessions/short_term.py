"""Short-term memory: working values that expire with their session, and its last turns at hand. The log stays the truth."""

from __future__ import annotations

import json
import logging
import threading
import time
from collections import OrderedDict
from collections.abc import Callable, Generator, Iterable
from contextlib import contextmanager
from typing import Any

from everyword.domain.message import Message
from everyword.domain.user import user
from everyword.errors import InvalidInputError, SettingsError, StorageError
from everyword.ports import Store
from everyword.sessions.store import SessionStore

_LOGGER = logging.getLogger("everyword")
_LONGEST_NAME = 200
_LARGEST = 1_048_576
_LONGEST_SESSION = 512
_MOST_SESSIONS = 256


class ShortTerm:
    """Values of sessions, which live as long as something is said or put there, and the session's last turns."""

    def __init__(
        self,
        store_of: Callable[[str], Store],
        values: SessionStore,
        *,
        ttl_s: int,
        clock: Callable[[], float] = time.time,
    ) -> None:
        """`ttl_s`: seconds after the last word or value at which a session expires. Raise SettingsError."""
        if ttl_s < 1:
            raise SettingsError(f"session_ttl={ttl_s}: give seconds, at least 1.")
        self._store_of = store_of
        self._values = values
        self._ttl_s = ttl_s
        self._clock = clock
        self._recent = _LastTurns()

    def put(self, name: str, value: Any, *, user_id: str, session_id: str, ttl_s: int | None = None) -> None:
        """Keep a JSON value until the session expires, or for `ttl_s` at most. Raise InvalidInputError, StorageError."""
        if ttl_s is not None and ttl_s < 1:
            raise InvalidInputError(f"ttl_s={ttl_s!r}: give seconds, at least 1, or leave it out.")
        until = None if ttl_s is None else self._clock() + ttl_s
        held = _as_json({"value": value, "until": until}, name)
        self._values.put(user(user_id), _session(session_id), _checked(name), held, ttl_s=self._ttl_s)

    def get(self, name: str, *, user_id: str, session_id: str, default: Any = None) -> Any:
        """Return a value; `default` where there is none or it has expired. Raise StorageError."""
        return self.values(user_id=user_id, session_id=session_id).get(_checked(name), default)

    def values(self, *, user_id: str, session_id: str) -> dict[str, Any]:
        """Return the values of a session that have not expired, by name."""
        held = self._values.values(user(user_id), _session(session_id))
        found = {name: json.loads(value) for name, value in held.items()}
        now = self._clock()
        return {name: each["value"] for name, each in found.items() if each["until"] is None or each["until"] > now}

    def active(self, *, user_id: str) -> list[str]:
        """Return the sessions that have not expired, the one in which something happened last first."""
        return self._values.active(user(user_id))

    def end(self, *, user_id: str, session_id: str) -> None:
        """Drop the values of a session; what was said stays in the log."""
        self._values.drop(user(user_id), _session(session_id))

    def recent(self, *, user_id: str, session_id: str, turns: int = 10) -> list[Message]:
        """Return the last turns of a session in order; while the log says that nothing has changed, without reading them.

        They are kept in this process alone.
        """
        whose, session = user(user_id), _session(session_id)
        log = self._store_of(whose).log
        ending = f"{turns} {log.ending(session)}"
        if (known := self._recent.get(whose, session, ending)) is not None:
            return list(known)
        found = log.recent(session_id=session, turns=turns)
        self._recent.keep(whose, session, ending, tuple(found))
        return found

    # --- for the memory that it belongs to --------------------------------------------------------------------------

    def said(self, user_id: str, session_id: str) -> None:
        """Begin the time of a session anew; the log has the words, so that a store that fails stops nobody."""
        with _passing_over("renew the session"):
            self._values.touch(user_id, session_id, ttl_s=self._ttl_s)

    def forgot(self, user_id: str, session_ids: Iterable[str], *, ended: bool, everything: bool) -> None:
        """Drop last turns that are kept, and values where a whole session or everything was forgotten.

        Raise StorageError: the words are erased from the log, but the values are not.
        """
        self._recent.drop(user_id)
        try:
            if everything:
                self._values.drop(user_id)
            for session_id in session_ids if ended and not everything else ():
                self._values.drop(user_id, session_id)
        except StorageError as error:
            raise StorageError(
                f"The messages are erased, but the values of their sessions are not; they expire within {self._ttl_s} s. "
                f"{error}"
            ) from error

    def close(self) -> None:
        self._recent.drop(None)
        self._values.close()


class _LastTurns:
    """The last turns of the sessions that were asked for last, each with the ending that the log had then."""

    def __init__(self) -> None:
        self._kept: OrderedDict[tuple[str, str], tuple[str, tuple[Message, ...]]] = OrderedDict()
        self._lock = threading.Lock()

    def get(self, user_id: str, session_id: str, ending: str) -> tuple[Message, ...] | None:
        with self._lock:
            kept_ending, messages = self._kept.get((user_id, session_id), ("", ()))
            return messages if kept_ending == ending else None

    def keep(self, user_id: str, session_id: str, ending: str, messages: tuple[Message, ...]) -> None:
        if sum(len(message.payload) for message in messages) > _LARGEST:
            return
        with self._lock:
            self._kept[user_id, session_id] = (ending, messages)
            self._kept.move_to_end((user_id, session_id))
            while len(self._kept) > _MOST_SESSIONS:
                self._kept.popitem(last=False)

    def drop(self, user_id: str | None) -> None:
        """Drop those of a user, or of all."""
        with self._lock:
            for known in [each for each in self._kept if user_id in (None, each[0])]:
                del self._kept[known]


@contextmanager
def _passing_over(what: str) -> Generator[None]:
    """Tell of a store that fails, and go on: the log has the words."""
    try:
        yield
    except StorageError as error:
        _LOGGER.warning("Could not %s in the session store: %s", what, error)


def _checked(name: str) -> str:
    if not isinstance(name, str) or not 0 < len(name) <= _LONGEST_NAME or not name.isprintable():
        raise InvalidInputError(f"name={name!r}: use a printable text of 1 to {_LONGEST_NAME} characters.")
    return name


def _session(session_id: str) -> str:
    if not isinstance(session_id, str) or not session_id.strip() or len(session_id) > _LONGEST_SESSION:
        raise InvalidInputError(f"session_id={session_id!r}: use a text of 1 to {_LONGEST_SESSION} characters.")
    return session_id


def _as_json(value: Any, name: str) -> bytes:
    try:
        held = json.dumps(value, ensure_ascii=True, allow_nan=False).encode()
    except (TypeError, ValueError) as error:
        raise InvalidInputError(f"The value of {name!r} cannot be written as JSON: {error}.") from error
    if len(held) > _LARGEST:
        raise InvalidInputError(f"The value of {name!r} has {len(held):,} bytes; the limit is {_LARGEST:,}.")
    return held
