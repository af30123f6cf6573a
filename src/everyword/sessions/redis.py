"""Short-term values in Redis or Valkey, shared by the processes that name the same server and memory folder."""

from __future__ import annotations

import os
import time
from collections.abc import Generator
from contextlib import contextmanager
from hashlib import blake2b
from pathlib import Path
from typing import Any
from urllib.parse import quote, urlsplit

from everyword.errors import ModelMissingError, SettingsError, StorageError

PASSWORD = "EVERYWORD_SESSION_STORE_PASSWORD"  # noqa: S105 - the name, not the word
"""Name in the environment; a password is no setting, since settings are shown."""
SCHEMES = ("redis", "rediss", "unix")
_TIMEOUT_S = 2.0


class RedisSessions:
    """A session is a hash that expires; the sessions of a user are a sorted set by the time at which they do."""

    def __init__(self, url: str, *, home: Path) -> None:
        """Take `redis://HOST:PORT/N`, `rediss://…` or `unix://PATH`; nothing is connected yet. Raise SettingsError."""
        parts = urlsplit(url)
        if parts.scheme not in SCHEMES or parts.password:
            raise SettingsError(
                f"session_store must be 'memory' or an address like redis://localhost:6379/0, without a password: "
                f"that goes into {PASSWORD}."
            )
        self._where = url
        self._prefix = f"everyword:{blake2b(str(home.absolute()).encode(), digest_size=8).hexdigest()}"
        self._client = _client(url)

    def put(self, user_id: str, session_id: str, name: str, value: bytes, *, ttl_s: int) -> None:
        with self._talking() as client, client.pipeline() as steps:
            steps.hset(self._session(user_id, session_id), name, value)
            self._renew(steps, user_id, session_id, ttl_s)
            steps.execute()

    def values(self, user_id: str, session_id: str) -> dict[str, bytes]:
        with self._talking() as client:
            found: dict[bytes, bytes] = client.hgetall(self._session(user_id, session_id))
        return {name.decode(): value for name, value in found.items()}

    def touch(self, user_id: str, session_id: str, *, ttl_s: int) -> None:
        with self._talking() as client, client.pipeline() as steps:
            self._renew(steps, user_id, session_id, ttl_s)
            steps.execute()

    def active(self, user_id: str) -> list[str]:
        now = time.time()
        with self._talking() as client, client.pipeline() as steps:
            steps.zremrangebyscore(self._sessions(user_id), "-inf", now)
            steps.zrange(self._sessions(user_id), 0, -1, desc=True)
            return [each.decode() for each in steps.execute()[1]]

    def drop(self, user_id: str, session_id: str | None = None) -> None:
        with self._talking() as client:
            if session_id is not None:
                client.delete(self._session(user_id, session_id))
                client.zrem(self._sessions(user_id), session_id)
                return
            known = [each.decode() for each in client.zrange(self._sessions(user_id), 0, -1)]
            client.delete(self._sessions(user_id), *(self._session(user_id, each) for each in known))

    def close(self) -> None:
        self._client.close()

    def _renew(self, steps: Any, user_id: str, session_id: str, ttl_s: int) -> None:
        steps.expire(self._session(user_id, session_id), ttl_s)
        steps.zadd(self._sessions(user_id), {session_id: time.time() + ttl_s})
        steps.expire(self._sessions(user_id), ttl_s)

    def _session(self, user_id: str, session_id: str) -> str:
        return f"{self._prefix}:session:{quote(user_id, safe='')}:{quote(session_id, safe='')}"

    def _sessions(self, user_id: str) -> str:
        return f"{self._prefix}:sessions:{quote(user_id, safe='')}"

    @contextmanager
    def _talking(self) -> Generator[Any]:
        """Turn errors of Redis into Everyword's."""
        from redis.exceptions import RedisError  # pyright: ignore[reportMissingModuleSource] - types are in typings/

        try:
            yield self._client
        except (RedisError, OSError) as error:
            raise StorageError(
                f"The session store {self._where} failed ({error}): start it, or set session_store to 'memory'."
            ) from error


def _client(url: str) -> Any:
    try:
        import redis  # pyright: ignore[reportMissingModuleSource]
    except ImportError as error:
        raise ModelMissingError(f'{error}. Install it: pip install "everyword[redis]"') from error
    return redis.Redis.from_url(
        url,
        password=os.environ.get(PASSWORD) or None,
        socket_timeout=_TIMEOUT_S,
        socket_connect_timeout=_TIMEOUT_S,
        health_check_interval=30,
    )
